"""Rows of which some columns can be given other values: what a model is asked about when it is seen into.

A row is made of two: it has the columns that are held from one row, and the others from another. Permuted columns,
points of a grid and coalitions of columns are all of this form.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, DataWarning, ParameterError, SchemaError
from novacula.learner import ingest
from novacula.learner.base import Learner
from novacula.table import Chunk, Column, Schema, Table, read
from novacula.table.chunk_source import ChunkSource
from novacula.table.names import as_names, did_you_mean

Form: TypeAlias = Literal["table", "array", "frame"]
Places: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SeenRows:
    """Rows in memory, with the columns of a model in its order, and the form in which it takes them."""

    chunk: Chunk
    schema: Schema
    form: Form = "table"

    def __len__(self) -> int:
        return len(self.chunk)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return self.schema.features

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def place(self) -> tuple[int, ...]:
        """Where each column stands among those of its kind."""
        kinds = [column.kind for column in self.columns]
        return tuple(kinds[:j].count(kind) for j, kind in enumerate(kinds))

    # --- what columns hold --------------------------------------------------------------------------------------

    def values(self, j: int) -> Any:
        """The values of a column: numbers, codes or words."""
        kind, place = self.columns[j].kind, self.place[j]
        if kind == "text":
            return self.chunk.text[place]
        return self.chunk.numeric[:, place] if kind == "numeric" else self.chunk.codes[:, place]

    def is_constant(self, j: int) -> bool:
        """Whether a column has one value in all rows."""
        values = self.values(j)
        if self.columns[j].kind == "numeric" and np.isnan(values).any():
            return bool(np.isnan(values).all())
        return not len(values) or bool((values == values[0]).all())

    def cell(self, row: int, j: int) -> str | float:
        """What a row holds in a column, as it is read."""
        column, value = self.columns[j], self.values(j)[row]
        if column.kind == "numeric":
            return "missing" if np.isnan(value) else float(value)
        if column.kind == "text":
            return "missing" if value is None else str(value)
        return "missing" if value < 0 else str(column.categories[value])

    # --- other rows ---------------------------------------------------------------------------------------------

    def take(self, places: Any) -> Self:
        """Some of the rows."""
        return replace(self, chunk=self.chunk.take(places))

    def with_values(self, j: int, values: Any) -> Self:
        """The rows with other values in a column."""
        kind, place, chunk = self.columns[j].kind, self.place[j], self.chunk
        if kind == "text":
            words = tuple(values if p == place else column for p, column in enumerate(chunk.text))
            return replace(self, chunk=replace(chunk, text=words))
        part = "numeric" if kind == "numeric" else "codes"
        changed = getattr(chunk, part).copy()
        changed[:, place] = values
        return replace(self, chunk=replace(chunk, **{part: changed}))

    def mixed(self, other: Self, mine: Places, theirs: Places, own: Flags) -> Self:
        """Rows that have the columns marked in `own` (N, d) or (d,) from rows here, the rest from rows of another."""
        own = np.broadcast_to(own, (len(mine), len(self.columns)))

        def chosen(name: str, kind: str) -> Any:
            held = own[:, [j for j, column in enumerate(self.columns) if column.kind == kind]]
            return np.where(held, getattr(self.chunk, name)[mine], getattr(other.chunk, name)[theirs])

        words = [own[:, j] for j, column in enumerate(self.columns) if column.kind == "text"]
        pairs = zip(words, self.chunk.text, other.chunk.text, strict=True)
        text = tuple(np.where(held, a[mine], b[theirs]) for held, a, b in pairs)
        weight = np.ones(len(mine))
        return replace(
            self, chunk=Chunk(chosen("numeric", "numeric"), chosen("codes", "categorical"), weight, text=text)
        )

    # --- as they are given to others ----------------------------------------------------------------------------

    def table(self) -> Table:
        """The rows as a table."""
        return Table(ChunkSource(self.chunk, self.schema, "X"), self.schema, unseen="ignore", progress=False)

    def given(self) -> Any:
        """The rows in the form that the model takes."""
        if self.form == "array":
            return self.chunk.numeric
        return self.table().to_pandas()[list(self.names)] if self.form == "frame" else self.table()

    def with_target(self, values: Any, classes: Sequence[Any] | None) -> Table:
        """The rows as a table with a target: codes of classes, or numbers. Columns of words stay behind."""
        name = "prediction"
        while name in self.names:
            name += "′"
        kept = tuple(replace(column, declared=True) for column in self.columns if column.kind != "text")
        if not kept:
            raise SchemaError("the rows have columns of words only, of which no tree can be grown")
        target = Column(name, "numeric") if classes is None else Column(name, "categorical", tuple(classes), True)
        schema = Schema((*kept, target), (name,), missing=())
        chunk = replace(self.chunk, text=(), weight=np.ones(len(self)), target=values)
        return Table(ChunkSource(chunk, schema, "X"), schema, unseen="ignore", progress=False)


# --- how rows come in ---------------------------------------------------------------------------------------------


def seen_rows(model: Any, X: Any) -> SeenRows:
    """All rows of X, laid out as the model knows them; a foreign model takes an array of numbers or a frame."""
    table, form = ingest.as_table(X, None, None), "table"
    if isinstance(model, Learner):
        if not hasattr(model, "schema_"):
            raise ParameterError(f"this {type(model).__name__} is not fitted: call fit before looking into it")
        if table is None:
            table = Table(ingest.columns_of(model, X, reset=False), model.schema_, unseen="ignore", progress=False)
        else:
            table = table.conform(model.schema_, "ignore")
    else:
        table, form = _foreign(X, table)
    if table.layout.of_kind("sparse"):
        raise SchemaError("the rows have a block of sparse columns, which cannot be looked into: give them as columns")
    chunk = replace(table.to_chunk(), target=None)
    if not len(chunk):
        raise DataError("there are no rows to look at")
    schema = Schema(table.layout.uncounted().features, missing=())
    return SeenRows(replace(chunk, weight=np.ones(len(chunk))), schema, form)  # type: ignore[arg-type]


def _foreign(X: Any, table: Table | None) -> tuple[Table, Form]:
    """Rows for a model of another library."""
    if table is not None:
        return table.select([column.name for column in table.layout.features]).with_target(None), "frame"
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        return read(X), "frame"
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise DataError("rows for a model of another library must be a table of numbers, a frame, or a Table")
    names = [f"x{j}" for j in range(array.shape[1])]
    schema = Schema(tuple(Column(name, "numeric") for name in names), missing=())
    numbers = np.ascontiguousarray(array, np.float64)
    chunk = Chunk(numbers, np.empty((len(array), 0), np.int32), np.ones(len(array)))
    return Table(ChunkSource(chunk, schema, "X"), schema, progress=False), "array"


def sampled(X: Any, most: int, random_state: Any) -> tuple[Any, int]:
    """X, or a sample of its rows where there are more, in their order; and how many rows there are."""
    from sklearn.utils import _safe_indexing
    from sklearn.utils.validation import _num_samples

    table = ingest.as_table(X, None, None)
    n = _num_samples(X) if table is None else len(table)
    if n <= most:
        return X, n
    places = drawn(n, most, np.random.default_rng(random_state))
    return (_safe_indexing(X, places) if table is None else table.take(places)), n


def drawn(n: int, most: int, rng: np.random.Generator) -> Places:
    """The places of a sample without replacement, in order; all of them where they are not more."""
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def column_places(rows: SeenRows, columns: Any) -> list[int]:
    """The places of columns that are named, or numbered from 0; all of them for None."""
    if columns is None:
        return list(range(len(rows.names)))
    asked = [columns] if isinstance(columns, int | np.integer) else columns
    names = as_names(asked) if isinstance(asked, str) else list(asked)
    places = []
    for name in names:
        if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < len(rows.names):
            places.append(int(name))
        elif name in rows.names:
            places.append(rows.names.index(name))
        else:
            raise ParameterError(f"the model has no column {name!r}{did_you_mean(str(name), rows.names)}")
    if len(set(places)) < len(places) or not places:
        raise ParameterError("columns must name one or more columns, each of them once")
    return places


def sample_words(shown: int, n: int) -> str:
    """On how many rows something was measured.

    >>> sample_words(5, 5), sample_words(100, 5000)
    ('5 rows', 'a sample of 100 of 5,000 rows')
    """
    if shown < n:
        return f"a sample of {shown:,} of {n:,} rows"
    return "1 row" if n == 1 else f"{n:,} rows"


@contextmanager
def said_once() -> Iterator[None]:
    """What a model says of categories that it does not know was said when its answers for the rows were asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        yield
