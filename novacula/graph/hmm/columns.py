"""Columns that come with the observations: the sequence of a row, when it was seen, and its state where it is known.

They are read by their own kinds, numbers as numbers and words as words, however the learner reads other columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, SchemaError
from novacula.table import Column, Schema, Table
from novacula.table.frames import FrameSource, arrow_table
from novacula.table.schema import Kind
from novacula.table.source import Source
from novacula.table.survey import survey

UNKNOWN = -1
"""As a label, and as a code: the state is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """The values of a column as codes of its distinct values, which are in order; −1 where there is none."""

    distinct: tuple[Any, ...]
    code: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Any) -> ColumnValues:
        """Distinct values and codes of an array; None and NaN are missing."""
        values = np.asarray(values)
        if values.dtype.kind in "iub":
            distinct, code = np.unique(values, return_inverse=True)
            return cls(tuple(distinct.tolist()), code.astype(np.int64))
        if values.dtype.kind == "f":
            known = ~np.isnan(values)
        else:
            values = values.astype(object)
            known = np.array([v is not None and v == v for v in values], bool)
        code = np.full(len(values), UNKNOWN, np.int64)
        try:
            distinct, code[known] = np.unique(values[known], return_inverse=True)
        except TypeError:
            raise DataError("words and numbers are in one column, so its values have no order") from None
        held = [int(v) if isinstance(v, float) and v.is_integer() else v for v in distinct.tolist()]
        return cls(tuple(held), code)

    def numbers(self, name: str) -> npt.NDArray[np.int64]:
        """The values numbered as they first appear."""
        self.refuse_missing(name)
        _, first, place = np.unique(self.code, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        return rank[place]

    def ranks(self, name: str) -> npt.NDArray[np.int64]:
        """The values numbered in their order."""
        self.refuse_missing(name)
        return self.code

    def refuse_missing(self, name: str) -> None:
        """A row without a value belongs nowhere."""
        gone = np.flatnonzero(self.code < 0)
        if len(gone):
            raise DataError(f"row {gone[0] + 1} has no value in {name!r}, so it has no place in a sequence")


def frame_source(frame: Any) -> FrameSource:
    """A frame as a source of Arrow columns."""
    return FrameSource(arrow_table(frame), name="X")


def read_columns(source: Source, names: Sequence[str]) -> list[ColumnValues]:
    """Columns of a source by name."""
    if not names:
        return []
    stored = source.arrow_schema().names
    for name in names:
        if name not in stored:
            raise SchemaError(f"{source.name} has no column {name!r}; it has {', '.join(map(repr, stored[:20]))}")
    roles = Schema(tuple(Column(name, "ignored") for name in dict.fromkeys(names)))
    table = Table(source, survey(source, roles, {}, progress=False), progress=False)
    chunk = table.to_chunk()
    by_name: dict[str, ColumnValues] = {}
    by_kind: dict[Kind, Any] = {"numeric": chunk.numeric.T, "categorical": chunk.codes.T, "text": chunk.text}
    for kind, columns in by_kind.items():
        for column, values in zip(table.layout.of_kind(kind), columns, strict=True):
            if kind == "categorical":
                by_name[column.name] = ColumnValues(column.categories, np.maximum(values, UNKNOWN).astype(np.int64))
            else:
                by_name[column.name] = ColumnValues.of(values)
    return [by_name[name] for name in names]
