"""Columns by name, and a sentence for those that hold what cannot be used."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.statistics import ClassMoments
from novacula.table import Chunk, Schema, Table


def column_name(schema: Schema, place: int) -> str:
    """The name of a feature: numeric columns come first, then those of sparse blocks."""
    dense = schema.of_kind("numeric")
    if place < len(dense):
        return dense[place].name
    place -= len(dense)
    for block in schema.of_kind("sparse"):
        if place < block.width:
            return f"{block.name}[{place}]"
        place -= block.width
    raise IndexError(place)


def examine_not_finite(table: Table, known: ClassMoments) -> None:
    """Given the moments of known values, refuse what is no missing value that can be estimated."""
    refuse_infinite(table)
    empty = np.flatnonzero(known.weight[0] == 0.0)
    if len(empty):
        name = column_name(table.layout, int(empty[0]))
        raise DataError(f"column {name!r} holds no value at all, only missing ones: drop it")
    if not np.isfinite(known.ssd).all():
        name = column_name(table.layout, int(np.argmin(np.isfinite(known.ssd[0]))))
        raise DataError(f"column {name!r} holds numbers whose squares overflow: scale them")


def refuse_infinite(table: Table) -> None:
    """Raise for an infinite value, with its column."""
    infinite = table.map(infinite_columns).any(axis=0)
    if infinite.any():
        name = column_name(table.layout, int(np.argmax(infinite)))
        raise DataError(f"column {name!r} holds infinite values (infinity, inf): replace or drop them")


def infinite_columns(chunk: Chunk) -> npt.NDArray[np.bool_]:
    """Whether each column holds an infinite value in a row that has weight, as one row."""
    counted = chunk.weight > 0.0
    found = np.isinf(chunk.numeric[counted]).any(axis=0, keepdims=True)
    if chunk.sparse is not None:
        block = chunk.sparse[np.flatnonzero(counted)]
        stored = np.zeros(block.shape[1], bool)
        stored[block.indices[np.isinf(block.data)]] = True
        found = np.concatenate([found, stored[None]], axis=1)
    return np.asarray(found)
