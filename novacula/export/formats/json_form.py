"""A program as JSON: its columns, its classes, and its steps in order, each with the fields of its operation.

A vector is named by the number of its step. What is missing, and an end that is not there, is null. docs/export.md has
a reader of it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields
from typing import Any

import numpy as np

from novacula.export.deciding import Demand, OneTree, TreeNode
from novacula.export.program import Program
from novacula.export.vectors import Vector

VERSION = 1
_WORD_START = re.compile("(?<=[a-z])(?=[A-Z])")


def to_json(program: Program) -> str:
    """The program as text."""
    numbers = {vector: i for i, vector in enumerate(program.steps)}
    record = {
        "format": "novacula program",
        "version": VERSION,
        "model": program.name,
        "columns": [
            {"name": column.name, "kind": "time" if column.is_time else column.kind}
            | ({"categories": list(column.categories)} if column.kind == "category" else {})
            for column in program.columns
        ],
        "classes": None if program.classes is None else list(program.classes),
        "steps": [_step(vector, numbers) for vector in program.steps],
        "answer": numbers[program.answer],
        "probabilities": None if program.chances is None else numbers[program.chances],
    }
    return _lines(record)


def _lines(record: dict[str, Any]) -> str:
    """One line for each column and each step."""
    parts = []
    for name, value in record.items():
        text = json.dumps(value, allow_nan=False)
        if name in ("columns", "steps"):
            text = "[\n  " + ",\n  ".join(json.dumps(each, allow_nan=False) for each in value) + "\n ]"
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _step(vector: Vector, numbers: dict[Vector, int]) -> dict[str, Any]:
    operation = _WORD_START.sub(" ", type(vector).__name__).lower()
    values = {field.name: _plain(getattr(vector, field.name), numbers) for field in fields(vector)}  # type: ignore[arg-type]
    return {"do": operation, **values}


def _plain(value: Any, numbers: dict[Vector, int]) -> Any:
    match value:
        case Vector():
            return numbers[value]
        case np.ndarray():
            return _plain(value.tolist(), numbers)
        case list() | tuple():
            return [_plain(part, numbers) for part in value]
        case float():
            return value if math.isfinite(value) else None
        case OneTree():
            return {"output": value.output, "nodes": [_node(node) for node in value.nodes]}
        case Demand():
            return {name: _plain(getattr(value, name), numbers) for name in ("entry", "low", "high", "codes")}
    return value


def _node(node: TreeNode) -> Any:
    """A leaf is its values; a test says what it asks, where branches lead, and the share of a missing value in each."""
    if node.is_leaf:
        return list(node.values)
    missing = node.shares or tuple(float(b == node.default) for b in range(len(node.branches)))
    asked: dict[str, Any] = {"threshold": node.threshold}
    if node.threshold is None:
        asked = {"codes": [list(codes) for codes in node.codes]}
    return {"entry": node.entry, **asked, "branches": list(node.branches), "missing": list(missing)}
