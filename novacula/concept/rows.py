"""Rows of tables as positions in a space, and the domains that rows themselves have.

A column of numbers that is ordered has as its domain the distinct values seen; other columns have their categories, in
the order of the schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novacula.concept.conjunction import Positions
from novacula.errors import DataError, SchemaError
from novacula.table import Chunk, Column, Table, read
from novacula.table.admission import Fault
from novacula.table.admitting import refusal
from novacula.table.chunk import MISSING
from novacula.table.distinct import distinct
from novacula.table.schema import Category, Schema

if TYPE_CHECKING:
    from novacula.concept.space import ConjunctiveSpace

Coded: TypeAlias = tuple[Sequence[Any], Any]  # distinct values, and the number of each row's value among them


def observed_domains(table: Table, chunk: Chunk) -> tuple[dict[str, tuple[Category, ...]], tuple[str, ...]]:
    """The domain of each feature, and which features are ordered; rows of weight 0 do not count.

    Categories that were stated belong to the domain whether a row has them or not.
    """
    domains: dict[str, tuple[Category, ...]] = {}
    weighted = chunk.weight > 0
    for column in table.layout.features:
        values, codes = _codes_of(column, table.layout, chunk)
        _refuse_missing(column, table.layout, chunk, codes)
        occurring = set(np.unique(codes[weighted]).tolist())
        stated = column.kind == "categorical" and column.declared
        domains[column.name] = tuple(value for k, value in enumerate(values) if stated or k in occurring)
    return domains, tuple(column.name for column in table.layout.features if column.kind == "numeric")


def chunk_positions(space: ConjunctiveSpace, layout: Schema, chunk: Chunk, *, in_domain: bool = False) -> Positions:
    """The position of every value (n, d); a missing value is refused, with its column and row.

    Columns are found by name, or by place where none has an attribute's name. With `in_domain`, a value that its domain
    does not hold is refused too. Rows of weight 0 may hold anything.
    """
    positions = np.empty((len(chunk), len(space.names)), np.int64)
    weighted = chunk.weight > 0
    for j, column in enumerate(columns_of(space, layout)):
        values, codes = _codes_of(column, layout, chunk)
        _refuse_missing(column, layout, chunk, codes)
        # The last entry is for categories that the schema does not know, whose code is negative.
        places = np.append(space.positions(j, values), -1)
        positions[:, j] = places[np.maximum(codes, -1)]
        strange = np.flatnonzero((positions[:, j] % 2 == 1) & weighted)
        if in_domain and len(strange):
            raise DataError(
                f"column {column.name!r} has the value {values[codes[strange[0]]]!r} in row {strange[0] + 1}, which is "
                f"not in its domain: name every value in space=, or fit on rows that have them all"
            )
    return positions


def columns_of(space: ConjunctiveSpace, layout: Schema) -> list[Column]:
    """The column of each attribute."""
    columns = {column.name: column for column in layout.features}
    if columns.keys().isdisjoint(space.names) and len(columns) == len(space.names):
        return list(columns.values())
    for name in space.names:
        if name not in columns:
            raise SchemaError(f"there is no column {name!r}, which is an attribute of the space")
    return [columns[name] for name in space.names]


def read_positions(space: ConjunctiveSpace, X: Any) -> Positions:
    """The positions of whatever holds instances: a table, a frame, an array, a list of tuples or of mappings."""
    from novacula.table.frames import is_frame

    if isinstance(X, Table) or is_frame(X):
        table = X if isinstance(X, Table) else read(X, missing=(), progress=False)
        return chunk_positions(space, table.layout, table.to_chunk())
    if isinstance(X, np.ndarray) and X.dtype.kind in "iufbU" and X.shape[1:] == (len(space.names),):
        return _array_positions(space, X)
    rows = list(X)
    return np.array([space.instance(row) for row in rows], np.int64).reshape(len(rows), len(space.names))


def _array_positions(space: ConjunctiveSpace, array: Any) -> Positions:
    positions = np.empty(array.shape, np.int64)
    for j, name in enumerate(space.names):
        values, codes = np.unique(array[:, j], return_inverse=True)
        gaps = np.flatnonzero(array[:, j] != array[:, j])
        if len(gaps):
            raise DataError(f"column {name!r} is missing (NaN) in row {gaps[0] + 1}: leave the row out")
        positions[:, j] = space.positions(j, values.tolist())[codes]
    return positions


def _codes_of(column: Column, layout: Schema, chunk: Chunk) -> Coded:
    """A column as distinct values and codes; negative codes are missing or unknown."""
    if column.kind == "categorical":
        return column.categories, chunk.codes[:, _place(layout.of_kind("categorical"), column)]
    if column.kind != "numeric":
        raise SchemaError(
            f"column {column.name!r} is {column.kind}, but a concept is made of categories and numbers: leave it out "
            f"with drop({column.name!r}) or state its values in types="
        )
    numbers = chunk.numeric[:, _place(layout.of_kind("numeric"), column)]
    missing = ~np.isfinite(numbers)
    with np.errstate(invalid="ignore"):
        whole = numbers.astype(np.int64)
    values, codes = distinct(whole if (whole == numbers).all() else numbers)
    return values.astype(np.float64).tolist(), np.where(missing, MISSING, codes)


def _place(columns: Sequence[Column], column: Column) -> int:
    return [c.name for c in columns].index(column.name)


def _refuse_missing(column: Column, layout: Schema, chunk: Chunk, codes: Any) -> None:
    """Raise if a row that counts has no value, or no finite one."""
    gaps = np.flatnonzero((codes == MISSING) & (chunk.weight > 0))
    if len(gaps):
        row, place = int(gaps[0]), _place(layout.of_kind(column.kind), column)
        value = float(chunk.numeric[row, place]) if column.kind == "numeric" else np.nan
        what = "infinite" if np.isinf(value) else "missing"
        raise refusal(Fault(row, column.kind, place, what, value), layout, f"row {row + 1}")


def row_values(space: ConjunctiveSpace, layout: Schema, chunk: Chunk, row: int) -> dict[str, Category]:
    """One row as values by attribute."""
    coded = [_codes_of(column, layout, chunk) for column in columns_of(space, layout)]
    return {name: values[codes[row]] for name, (values, codes) in zip(space.names, coded, strict=True)}


def instance_values(space: ConjunctiveSpace, row: Positions) -> dict[str, Category]:
    """An instance of the space, given by its positions, as values by attribute."""
    return {name: space.values[j][p // 2] for j, (name, p) in enumerate(zip(space.names, row.tolist(), strict=True))}
