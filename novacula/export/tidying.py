"""The same program with less in it: what is computed twice is computed once, and what changes nothing is left out."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from novacula.export.deciding import OneTree
from novacula.export.program import Program
from novacula.export.vectors import Join, Lookup, Pick, Read, Vector


def tidied(program: Program) -> Program:
    """A program of the same answers."""
    made: dict[Vector, Vector] = {}
    known: dict[Hashable, Vector] = {}
    for vector in program.steps:
        changed = _shorter(_with_sources(vector, made))
        made[vector] = known.setdefault(_key(changed), changed)
    chances = None if program.chances is None else made[program.chances]
    return replace(program, answer=made[program.answer], chances=chances)


def _with_sources(vector: Vector, made: dict[Vector, Vector]) -> Vector:
    """A vector computed from what its sources have become."""
    changes: dict[str, Any] = {}
    for field in fields(vector):  # type: ignore[arg-type]
        value = getattr(vector, field.name)
        if isinstance(value, Vector):
            changes[field.name] = made[value]
        elif isinstance(vector, Join):
            changes[field.name] = tuple(made[part] for part in value)
    return replace(vector, **changes) if changes else vector  # type: ignore[type-var]


def _shorter(vector: Vector) -> Vector:
    """A vector that is the same, without steps in between."""
    if isinstance(vector, Pick):
        source = vector.source
        if vector.places == tuple(range(source.width)):
            return source
        if isinstance(source, Pick):
            return _shorter(Pick(source.source, tuple(source.places[place] for place in vector.places)))
        if isinstance(source, Read):
            return Read(tuple(source.columns[place] for place in vector.places))
    if isinstance(vector, Lookup) and isinstance(vector.source, Read) and vector.source.width > 1:
        return Lookup(Read((vector.source.columns[vector.place],)), 0, vector.table)
    if isinstance(vector, Join):
        parts = tuple(part for part in vector.parts if part.width)
        return parts[0] if len(parts) == 1 else Join(parts)
    return vector


def _key(vector: Vector) -> Hashable:
    """What is equal for vectors that are the same."""
    return (type(vector), *(_of_field(getattr(vector, field.name)) for field in fields(vector)))  # type: ignore[arg-type]


def _of_field(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return (value.shape, value.tobytes())
    if isinstance(value, Vector):
        return id(value)
    if isinstance(value, tuple) and any(isinstance(part, Vector) for part in value):
        return tuple(map(id, value))
    if isinstance(value, tuple):
        return tuple(id(part) if isinstance(part, OneTree) else part for part in value)
    return value
