"""Sequences in any shape, as steps under each other and the length of each sequence.

    an array (n,) or (n, d)      one sequence, or with `lengths` several, one after the other
    a list                       of sequences, each an array, a list or a frame
    a frame or a `Table`         one sequence, or with `sequence` and `time`, names of columns, several in any order

A list of plain values, such as ["yes", "no"], is one sequence. Answers take the shape that was given: a list of arrays
for a list, else one array in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.graph.hmm.columns import ColumnValues, frame_source, read_columns
from novacula.table import Chunk, Table
from novacula.table.frames import is_frame

Places: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """All steps under each other in `data`, an array, a frame or a table, and how they make sequences.

    `order` puts rows into the order of sequences and times, None where they are in it.
    """

    data: Any
    lengths: Places  # (S,)
    order: Places | None = None
    listed: bool = False
    flat: bool = False  # steps were given as single values
    label: ColumnValues | None = None  # the column of states that was named

    @classmethod
    def of(
        cls, X: Any, lengths: Any = None, sequence: str | None = None, time: str | None = None, label: Any = None
    ) -> Self:
        """Read sequences, and refuse what does not make any; `label` may name a column of states."""
        if isinstance(X, Table) or is_frame(X):
            return cls._of_columns(X, lengths, sequence, time, label)
        for name, value in (("sequence", sequence), ("time", time)):
            if value is not None:
                raise InputTypeError(f"{name} is {value!r}, the name of a column, but X is not a frame: give lengths")
        if isinstance(X, (list, tuple)) and any(_is_sequence(item) for item in X):
            if lengths is not None:
                raise InputTypeError("lengths cut one array into sequences, but X is a list of sequences already")
            return cls._of_list(X)
        array = _array(X)
        data = _as_rows(array)
        n = data.shape[0] if data.ndim else 0
        return cls(data, as_lengths(lengths, n), flat=array.ndim == 1)

    @classmethod
    def _of_list(cls, X: Sequence[Any]) -> Self:
        if any(is_frame(item) for item in X):
            return cls._of_frames(X)
        given = [_array(item, f"sequence {i + 1}") for i, item in enumerate(X)]
        parts = [_as_rows(array) for array in given]
        for i, part in enumerate(parts):
            if part.ndim != 2:
                raise DataError(f"sequence {i + 1} has {part.ndim} dimensions; it can have 1 or 2")
            if len(part) == 0:
                raise DataError(f"sequence {i + 1} is empty: leave it out")
            if part.shape[1] != parts[0].shape[1]:
                raise DataError(
                    f"sequence {i + 1} has {part.shape[1]} columns, but sequence 1 has {parts[0].shape[1]}: "
                    "each step must have the same"
                )
        kinds = {part.dtype.kind for part in parts}
        if len(kinds) > 1 and kinds & set("OUS"):
            parts = [part.astype(object) for part in parts]  # numbers among words would become words
        lengths, flat = np.array([len(part) for part in parts], np.int64), given[0].ndim == 1
        return cls(np.concatenate(parts), lengths, listed=True, flat=flat)

    @classmethod
    def _of_frames(cls, X: Sequence[Any]) -> Self:
        import pyarrow as pa

        parts = [frame_source(item).table for item in X]
        for i, part in enumerate(parts):
            if part.num_rows == 0:
                raise DataError(f"sequence {i + 1} is empty: leave it out")
            if part.column_names != parts[0].column_names:
                raise SchemaError(f"sequence {i + 1} has other columns than sequence 1: each step must have the same")
        stacked = pa.concat_tables(parts, promote_options="permissive")
        return cls(stacked, np.array([part.num_rows for part in parts], np.int64), listed=True)

    @classmethod
    def _of_columns(cls, X: Any, lengths: Any, sequence: str | None, time: str | None, label: Any) -> Self:
        if isinstance(X, Table) and label is None and X.layout.target:
            label = X.layout.target[0]
        names = [name for name in (sequence, time, label) if name is not None]
        data, columns = _set_aside(X, names)
        by_name, n = dict(zip(names, columns, strict=True)), len(X)
        labels = None if label is None else by_name[label]
        if sequence is None and time is None:
            return cls(data, as_lengths(lengths, n), label=labels)
        if lengths is not None:
            raise InputTypeError("give either lengths or the names of sequence and time, not both")
        number = np.zeros(n, np.int64) if sequence is None else by_name[sequence].numbers(sequence)
        when = np.zeros(n) if time is None else by_name[time].ranks(time)
        order = np.lexsort((when, number))
        _refuse_repeats(number[order], when[order], order, time)
        return cls(data, np.bincount(number).astype(np.int64), order, label=labels)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def n_steps(self) -> int:
        """Steps of all sequences."""
        return int(self.lengths.sum())

    def arranged(self, chunk: Chunk) -> Chunk:
        """A chunk of the rows in the order of sequences and times."""
        return chunk if self.order is None else chunk.take(self.order)

    def sorted(self, values: Any) -> Any:
        """Values of rows in the order of sequences and times."""
        return values if self.order is None else values[self.order]

    def shaped(self, values: Any) -> Any:
        """Values of steps in the shape of what was given."""
        if self.listed:
            return np.split(values, np.cumsum(self.lengths)[:-1])
        if self.order is None:
            return values
        out = np.empty_like(values)
        out[self.order] = values
        return out

    def row_name(self, step: int) -> str:
        """The place of a step among all: its sequence and its number there, counted from 1, and the table if any."""
        ends = np.cumsum(self.lengths)
        s = int(np.searchsorted(ends, step, side="right"))
        inside = step - int(ends[s] - self.lengths[s]) + 1
        whole = f" of sequence {s + 1}" if len(self) > 1 else ""
        return f"step {inside}{whole}" + (f" of {self.data.source.name}" if isinstance(self.data, Table) else "")


def as_lengths(lengths: Any, n: int) -> Places:
    """Lengths that add up to n steps; without any, all steps are one sequence."""
    if lengths is None:
        return np.array([n], np.int64)
    values = np.asarray(lengths)
    if values.ndim != 1 or values.dtype.kind not in "iu" or len(values) == 0:
        raise InputTypeError(f"lengths is {lengths!r}; it must be a list of whole numbers, one per sequence")
    empty = np.flatnonzero(values < 1)
    if len(empty):
        raise DataError(f"lengths[{empty[0]}] is {values[empty[0]]}, but each sequence has at least one step")
    if values.sum() != n:
        raise DataError(f"the lengths add up to {values.sum()}, but X has {n} steps")
    return values.astype(np.int64)


def _set_aside(X: Any, names: list[str]) -> tuple[Any, list[ColumnValues]]:
    """A frame or a table without the named columns and without a target, and these columns."""
    if isinstance(X, Table):
        rows = X.with_target(None)
        return rows.drop([name for name in rows.layout.names if name in names]), read_columns(X.source, names)
    if not names:
        return X, []
    source = frame_source(X)
    columns = read_columns(source, names)
    return source.table.drop_columns(list(dict.fromkeys(names))), columns


def _is_sequence(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or (hasattr(item, "__array__") and np.ndim(item) > 0) or is_frame(item)


def _array(X: Any, name: str = "X") -> Any:
    """Whatever came as an array; a sparse matrix is left to the checks of arrays, which refuse it."""
    try:
        return X if hasattr(X, "toarray") else np.asarray(X, None if _plain(X) else object)
    except ValueError:
        raise DataError(f"{name} is ragged: its steps have different numbers of columns") from None


def _as_rows(array: Any) -> Any:
    """Single values as a column."""
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _plain(X: Any) -> bool:
    """Whether NumPy may choose the type: of words mixed with numbers or None it would make words."""
    if not isinstance(X, (list, tuple)):
        return True
    flat = [value for item in X for value in (item if isinstance(item, (list, tuple)) else [item])]
    return all(isinstance(value, str) for value in flat) or not any(isinstance(v, str) or v is None for v in flat)


def _refuse_repeats(number: Places, when: Any, order: Places, time: str | None) -> None:
    if time is None:
        return
    again = np.flatnonzero((np.diff(number) == 0) & (np.diff(when) == 0))
    if len(again):
        first, second = np.sort(order[again[0] : again[0] + 2]) + 1
        raise DataError(
            f"rows {first} and {second} have the same {time!r} in one sequence, so their order is unknown: "
            "make times differ, or name the sequence"
        )
