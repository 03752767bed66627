"""A program as a Python file that imports nothing but the standard library.

Each vector becomes one line of a function, and the operations that are needed stand above it. Names and labels are
written as literals, so that none of them can become code.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from novacula.export.deciding import Distances, FirstRule, Nearest, OneTree, TreeNode, Trees
from novacula.export.formats.python_parts import PARTS, READING, SECONDS
from novacula.export.program import Program, ProgramColumn
from novacula.export.vectors import (
    Choose,
    Combine,
    ConstantVector,
    CountWords,
    Join,
    Largest,
    Lookup,
    Map,
    Pick,
    Read,
    Reduce,
    Vector,
    WeightedSums,
)
from novacula.table.dates import DATE_ORDERS, date_pattern
from novacula.table.spelling import NUMBER_STYLES, style_pattern

FILE = '''\
"""{title}.

A row is a mapping from names of columns to values. None, NaN, an absent name and a category that the model never saw
are missing values. Written by Novacula; it needs nothing but Python.
"""

import math
import re

# name, kind, and the code of each category, or the pattern of a number or a time as text
COLUMNS = {columns}
{constants}

{parts}

def _answers(row):
    """The vectors of a row, step by step: the answer{and_chances}."""
{steps}
    return {ends}


{answers}'''

NUMBER = '''\
def predict(row):
    """The {number} of a row."""
    answer = _answers(row)
    return {answer}
'''
CLASS = '''\
CLASSES = {classes}


def predict(row):
    """The class of a row; None where the model gives no answer."""
    answer = _answers(row){first}[0]
    return CLASSES[int(answer)] if answer == answer else None
'''
CHANCES = '''

def predict_proba(row):
    """The probability of each class, in the order of CLASSES."""
    return _answers(row)[1]
'''


def to_python(program: Program) -> str:
    """The source of a file with `predict(row)` and, of classes with probabilities, `predict_proba(row)`."""
    names = {vector: f"v{i}" for i, vector in enumerate(program.steps)}
    constants = _Constants()
    steps = [f"    {names[vector]} = {_expression(vector, names, constants)}" for vector in program.steps]
    functions = [READING, *([SECONDS] if any(column.is_time for column in program.columns) else [])]
    functions += [PARTS[kind] for kind in _needed(program)]
    ends = [names[program.answer], *([names[program.chances]] if program.chances is not None else [])]
    return FILE.format(
        title=f"{program.name}, as a function of one row",
        columns=_columns(program),
        constants="".join(f"{name} = {text}\n" for name, text in constants.texts.items()),
        parts="\n\n\n".join(functions) + "\n",
        and_chances="" if program.chances is None else " and the probabilities",
        steps="\n".join(steps),
        ends=", ".join(ends),
        answers=_functions(program),
    )


def _functions(program: Program) -> str:
    """What a caller calls."""
    if program.classes is None:
        one = program.answer.width == 1
        return NUMBER.format(number="number" if one else "numbers", answer="answer[0]" if one else "answer")
    first = "" if program.chances is None else "[0]"
    text = CLASS.format(classes=repr(list(program.classes)), first=first)
    return text + ("" if program.chances is None else CHANCES)


def _needed(program: Program) -> list[str]:
    """The operations that a program has, in the order of their parts."""
    kinds = {type(vector).__name__ for vector in program.steps}
    kinds |= {vector.function for vector in program.steps if isinstance(vector, Map)}
    return [kind for kind in PARTS if kind in kinds]


def _columns(program: Program) -> str:
    lines = []
    for column in program.columns:
        codes: dict[Any, int] = {}
        for code, category in enumerate(column.categories):
            codes.setdefault(category, code)
        for code, category in enumerate(column.categories):  # as it stands in text
            words = (str(category), *(f(str(category)) for f in (str.lower, str.upper) if isinstance(category, bool)))
            for word in words:
                codes.setdefault(word, code)
        kind = "time" if column.is_time else column.kind
        lines.append(f"    ({column.name!r}, {kind!r}, {_reading(column) if column.kind == 'number' else codes!r}),")
    return "[\n" + "\n".join(lines) + "\n]" if lines else "[]"


def _reading(column: ProgramColumn) -> str | None:
    """The pattern of texts in a column of numbers or times."""
    if column.spelling in NUMBER_STYLES:
        return style_pattern(column.spelling)
    order = next((order for order in DATE_ORDERS if order == column.spelling), "year-month-day")
    return date_pattern(order) if column.is_time else None


class _Constants:
    """Long lists of numbers, which get a name above the function."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def named(self, text: str) -> str:
        """The text itself if it is short, else a name for it."""
        if len(text) <= 60:
            return text
        for name, held in self.texts.items():
            if held == text:
                return name
        name = f"C{len(self.texts)}"
        self.texts[name] = text
        return name

    def array(self, values: Any) -> str:
        """Numbers, or rows of numbers."""
        array = np.asarray(values, np.float64)
        if array.ndim == 1:
            return self.named(f"[{', '.join(map(literal, array.tolist()))}]")
        rows = (f"[{', '.join(map(literal, row))}]" for row in array.tolist())
        return self.named("[" + ", ".join(rows) + "]")


def literal(number: float) -> str:
    """A float as Python reads it.

    >>> literal(0.1), literal(-math.inf), literal(math.nan)
    ('0.1', '-math.inf', 'math.nan')
    """
    return repr(number) if math.isfinite(number) else repr(number).replace("inf", "math.inf").replace("nan", "math.nan")


def _expression(vector: Vector, names: dict[Vector, str], constants: _Constants) -> str:
    match vector:
        case Read():
            return f"[{', '.join(f'_read(row, COLUMNS[{place}])' for place in vector.columns)}]"
        case CountWords():
            return f"_count_words(row, COLUMNS[{vector.column}], {constants.named(repr(list(vector.words)))})"
        case ConstantVector():
            return constants.array(vector.values)
        case Pick():
            return f"[{names[vector.source]}[i] for i in {constants.named(repr(list(vector.places)))}]"
        case Join():
            return " + ".join(names[part] for part in vector.parts) or "[]"
        case Lookup():
            return f"_lookup({names[vector.source]}[{vector.place}], {constants.array(vector.table)})"
        case Map():
            return f"[_{vector.function}(x) for x in {names[vector.source]}]"
        case Combine():
            return f"_combine(lambda a, b: {_operation(vector.operator)}, {names[vector.left]}, {names[vector.right]})"
        case Choose():
            return f"_choose({names[vector.condition]}, {names[vector.yes]}, {names[vector.no]})"
        case Reduce():
            return f"[_{vector.operator}({names[vector.source]})]"
        case Largest():
            return f"[_largest({names[vector.source]}, {vector.slack!r})]"
        case _:
            return _large_expression(vector, names, constants)


def _large_expression(vector: Vector, names: dict[Vector, str], constants: _Constants) -> str:
    match vector:
        case WeightedSums():
            weights, bias = constants.array(vector.weights.T), constants.array(vector.bias)
            return f"_linear({names[vector.source]}, {weights}, {bias})"
        case Trees():
            trees = constants.named("[\n" + ",\n".join(map(_tree, vector.trees)) + ",\n]")
            return f"_trees({names[vector.source]}, {trees}, {constants.array(vector.constant)})"
        case FirstRule():
            rules = ", ".join(
                "[" + ", ".join(f"({d.entry}, {literal(d.low)}, {literal(d.high)}, {d.codes!r})" for d in rule) + "]"
                for rule in vector.rules
            )
            return f"[_rule({names[vector.source]}, {constants.named(f'[{rules}]')})]"
        case Distances():
            points = constants.array(vector.points)
            return f"_distances({names[vector.source]}, {points}, {literal(vector.power)}, {vector.codes_from!r})"
        case Nearest():
            held = f"{constants.array(vector.weight)}, {constants.array(vector.values)}"
            form = f"{vector.k!r}, {vector.by_distance!r}, {literal(vector.power)}"
            return f"_nearest({names[vector.source]}, {held}, {form})"
    raise TypeError(f"{type(vector).__name__} is no operation")


def _operation(operator: str) -> str:
    """An operator between a and b."""
    if operator in ("max", "min"):
        return f"a if a {'>=' if operator == 'max' else '<='} b else (b if a == a else a)"
    if operator in ("+", "-", "*", "**"):
        return f"a {operator} b"
    if operator == "/":
        return "a / b if b else math.nan"
    return f"1.0 if a {operator.replace('=', '==') if operator == '=' else operator} b else 0.0"


def _tree(tree: OneTree) -> str:
    return f"([{', '.join(map(_node, tree.nodes))}], {tree.output})"


def _node(node: TreeNode) -> str:
    """A leaf is a list; a test is (entry, threshold or codes, branches, {branch of a missing value: share})."""
    if node.is_leaf:
        return repr(list(node.values))
    shares = {branch: share for branch, share in zip(node.branches, node.shares, strict=False) if share > 0.0}
    missing = shares or {node.branches[node.default]: 1.0}
    if node.threshold is not None:
        asked = literal(node.threshold)
    else:
        asked = repr({code: branch for branch, codes in zip(node.branches, node.codes, strict=True) for code in codes})
    return f"({node.entry}, {asked}, {node.branches!r}, {missing!r})"
