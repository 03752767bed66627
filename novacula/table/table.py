"""A table: rows from anywhere, laid out by a schema, and the loop over them.

    reduce(observe)      adds what `observe` says of each chunk: parallel and lawful
    fold(step, state)    walks the chunks in order: sequential
    map(predict)         one array per chunk, stacked in row order

A learner calls these and never knows whether the rows are in memory, in files or on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from novacula.errors import DataWarning, SchemaError, warn_user
from novacula.table.chunk import MISSING, UNSEEN, Chunk, Floats
from novacula.table.expanded import Expansion
from novacula.table.memory import MemorySource, SparseSource
from novacula.table.names import as_names, printable
from novacula.table.parallel import Addable
from novacula.table.recording import recorded
from novacula.table.runner import ChunkLayout, LocalRunner, Runner
from novacula.table.schema import Column, Schema, Types, time_words
from novacula.table.source import Source, Unseen
from novacula.table.spelling import is_per_cent

FIRST_ROWS, FIRST_COLUMNS = 5, 12
"""What a notebook shows of a table."""

S = TypeVar("S", bound=Addable)
T = TypeVar("T")


class Table:
    """Rows with a schema; made by `novacula.read`. Tables are not changed: each method gives another one.

    >>> import novacula as nv
    >>> table = nv.datasets.load("play_tennis")
    >>> len(table), table.schema.target
    (14, ('PlayTennis',))
    >>> table.select(["Outlook", "Wind"]).schema.names
    ('Outlook', 'Wind', 'PlayTennis')
    """

    def __init__(
        self,
        source: Source,
        schema: Schema,
        *,
        unseen: Unseen = "error",
        runner: Runner | None = None,
        progress: bool | None = None,
    ) -> None:
        self.source = source
        self.layout = schema
        self.unseen: Unseen = unseen
        self.runner: Runner = LocalRunner() if runner is None else runner
        self.progress = progress

    # --- what it holds --------------------------------------------------------------------------------------

    @cached_property
    def schema(self) -> Schema:
        """The schema with every count; takes a pass over columns that nothing has counted yet."""
        from novacula.table.survey import recount

        self.layout = recount(self.source, self.layout, self.progress)
        return self.layout

    def __len__(self) -> int:
        if self.layout.n_rows is None:
            rows = sum(self.map(_count_rows).tolist())
            self.layout = replace(self.layout, n_rows=rows)
        return int(self.layout.n_rows or 0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading decided on its own, a sentence each: of encodings, names and row names, dates and numbers."""
        return tuple(map(str, self.layout.notes))

    def __repr__(self) -> str:
        target = f", target={', '.join(map(repr, self.layout.target))}" if self.layout.target else ""
        return f"Table({printable(self.source.name)!r}, {len(self.layout)} columns{target})"

    def __str__(self) -> str:
        return str(self.schema)

    def _repr_html_(self) -> str:
        from novacula.table.html_grid import html_grid

        columns = [column for column in self.layout if column.kind in ("numeric", "categorical", "text")]
        shown = columns[:FIRST_COLUMNS]
        header = [f"{column.name} ({column.kind_word})" for column in shown]
        frame = self.select([column.name for column in shown]).head(FIRST_ROWS).to_pandas()
        values = [[_cell(value, column) for value in frame[column.name]] for column in shown]
        rows = list(zip(*values, strict=True))
        n = "" if self.layout.n_rows is None else f"{self.layout.n_rows:,} rows × "
        size = f"{n}{len(self.layout):,} columns"
        left = f"; {len(self.layout) - len(shown):,} more columns" if len(shown) < len(self.layout) else ""
        caption = f"The first {len(rows)} rows of {self.source.name}: {size}{left}"
        return html_grid(header, rows, caption, [column.kind == "numeric" for column in shown])

    # --- another table --------------------------------------------------------------------------------------

    def _with(self, layout: Schema, unseen: Unseen | None = None) -> Self:
        policy = self.unseen if unseen is None else unseen
        return type(self)(self.source, layout, unseen=policy, runner=self.runner, progress=self.progress)

    def with_runner(self, runner: Runner) -> Self:
        """The same table, whose passes are run by another runner."""
        table = self._with(self.layout)
        table.runner = runner
        return table

    def select(self, names: str | Sequence[str]) -> Self:
        """Keep these columns, and target and weight."""
        return self._with(self.layout.select(as_names(names)))

    def drop(self, names: str | Sequence[str]) -> Self:
        """Leave these columns out."""
        return self._with(self.layout.drop(as_names(names)))

    def with_target(self, target: str | Sequence[str] | None) -> Self:
        """Name the target: one column, several, or none."""
        return self._with(self.layout.with_target(target))

    def with_types(self, types: Types) -> Self:
        """Say what columns are: a kind, or the categories in their order. Looks at them where it must."""
        from novacula.table.survey import retype

        return self._with(retype(self.source, self.layout, types, self.progress))

    def labelled(self, most: float = 0.5) -> Self:
        """The rows whose target is there; what is left out is counted in `notes`.

        More than the share `most` is refused: the target may be the wrong one.

        >>> import novacula as nv, pyarrow as pa
        >>> table = nv.read(pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", None, "b"]}), "y")
        >>> len(table.labelled()), table.labelled().notes
        (2, ("1 of 3 rows have no value for the target 'y' and are left out",))
        """
        from novacula.table.labelled import labelled

        return labelled(self, most)  # type: ignore[return-value]

    def conform(self, schema: Schema, unseen: Unseen, keep_roles: bool = False) -> Self:
        """Lay the rows out by another table's schema: its kinds and its codes, and the markers of both.

        Target and weight are left out, unless these roles are kept as they are here.
        """
        for column in schema.features:
            if column.name not in self.layout:
                raise SchemaError(f"{self.source.name} has no column {column.name!r}, which the model knows")
            own = self.layout[column.name]
            if own.width != column.width or (own.kind == "sparse") != (column.kind == "sparse"):
                found, known = own.describe() or own.kind, column.describe() or column.kind
                raise SchemaError(f"{column.name!r} in {self.source.name} is {found}, in the model {known}")
            if is_per_cent(own.spelling) and not is_per_cent(column.spelling):
                what = f"column {column.name!r} of {self.source.name} is in per cent, and was not at the fit"
                warn_user(f"{what}: 12% is taken for 12", DataWarning)
        own_roles = tuple(self.layout[name] for name in self.layout.roles) if keep_roles else ()
        weak = {note.column for note in self.layout.notes if note.is_weak}
        features = (
            column if column.spelling and column.name in weak else spelled_as(column, self.layout[column.name])
            for column in schema.features
        )
        layout = replace(
            schema,
            columns=(*features, *own_roles),
            target=self.layout.target if keep_roles else (),
            weight=self.layout.weight if keep_roles else None,
            n_rows=self.layout.n_rows,
        )
        return self._with(layout.uncounted().with_markers_of(self.layout), unseen)

    def head(self, n: int = 5) -> Self:
        """The first n rows, in memory."""
        source = self._first_rows(max(n, 0))
        source.name = f"the first rows of {self.source.name}"
        first = type(self)(source, replace(self.layout.uncounted(), n_rows=source.n_rows), unseen=self.unseen)
        return first.with_runner(self.runner.at_home(first))

    def _first_rows(self, n: int) -> MemorySource:
        from novacula.table.frames import FrameSource

        if isinstance(self.source, MemorySource):
            return self.source.rows(0, min(n, self.source.n_rows))
        if self.layout.of_kind("sparse"):
            with closing(self.chunks()) as chunks:
                chunk = Chunk.concatenate(_first(chunks, n, Chunk.rows))
            return SparseSource(chunk.sparse, chunk.target, chunk.weight)
        names = self._stored()
        batches = (batch for part in self.source.partitions() for batch in part.batches(names))
        return FrameSource(_one_table(_first(batches, n, lambda batch, start, stop: batch.slice(start, stop))))

    def to_pandas(self) -> Any:
        """All rows as a pandas frame; missing values are empty, and categories in the order of the schema."""
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> Any:
        """All rows as an Arrow table; missing values are null, and categories in the order of the schema."""
        return _one_table(list(self.batches())).select(self._stored())

    def batches(self) -> Iterator[Any]:
        """The same rows as Arrow record batches in order, of which one is held at a time."""
        from novacula.table.encode import Place, tidy_batch

        names = self._stored()
        for part in self.source.partitions():
            row = 0
            for batch in part.batches(names, self.layout):
                yield tidy_batch(batch, self.layout, self.unseen, Place(part, row)).select(names)
                row += batch.num_rows

    def _stored(self) -> list[str]:
        """The columns that the source itself holds: the target may be separate."""
        if self.layout.of_kind("sparse"):
            raise SchemaError(f"{self.source.name} is sparse: take its rows by chunks() instead")
        stored = set(self.source.arrow_schema().names)
        return [name for name in self.layout.names if name in stored]

    def reweighted(self, weight: Floats) -> Self:
        """The same rows, which must be in memory, with other weights."""
        if not isinstance(self.source, MemorySource):
            raise SchemaError(f"{self.source.name} is not in memory: its weights are a column of its own")
        source = copy(self.source)
        source.weight = weight
        return type(self)(source, self.layout, unseen=self.unseen, runner=self.runner, progress=self.progress)

    def in_memory(self) -> Self:
        """The same rows, laid out once and for all in the memory of this process; ignored columns stay behind."""
        return self._laid_out(self.to_chunk())

    def with_own_categories(self) -> Self:
        """The same rows in memory, as if nothing else had been read: categories that no row holds are not known.

        Categories that were stated, and so make a closed set, stay.
        """
        chunk = self.to_chunk()
        codes, target, columns = chunk.codes, chunk.target, []
        for j, column in enumerate(self.layout.of_kind("categorical")):
            own, translated = _own_categories(column, chunk.codes[:, j])
            if own is not column:
                codes = codes.copy() if codes is chunk.codes else codes
                codes[:, j] = translated
                columns.append(own)
        if [column.kind for column in self.layout.target_columns] == ["categorical"]:
            own, target = _own_categories(self.layout.target_columns[0], chunk.target)
            columns.append(own)
        narrow = self._with(self.layout.with_columns(columns))
        return narrow._laid_out(replace(chunk, codes=codes, target=target))

    def take(self, rows: Any) -> Self:
        """Some of the rows, by their numbers or by a mask, in memory; of a table in memory this costs an index.

        Of a table that is not, no more is ever held than the rows that are taken and one chunk.
        """
        if isinstance(self.source, MemorySource):
            return self._laid_out(self.to_chunk().take(rows), rows)
        places = np.asarray(rows)
        places = np.flatnonzero(places) if places.dtype == bool else places.astype(np.intp)
        order = np.argsort(places, kind="stable")
        return self._laid_out(self._gathered(places[order]).take(np.argsort(order, kind="stable")), places)

    def _gathered(self, places: Any) -> Chunk:
        """The rows with these numbers, which rise."""
        parts, before = [self._layout.empty()], 0
        for chunk in self.chunks():
            first, last = np.searchsorted(places, [before, before + len(chunk)])
            parts.append(chunk.take(places[first:last] - before))
            before += len(chunk)
        if len(places) and not 0 <= places[0] <= places[-1] < before:
            raise SchemaError(f"{self.source.name} has {before:,} rows, and there is none with the number {places[-1]}")
        return Chunk.concatenate([part for part in parts if len(part)] or parts[:1])

    def _laid_out(self, chunk: Chunk, rows: Any = None) -> Self:
        """A chunk as a table: all rows of this one, or those with some numbers."""
        from novacula.table.chunk_source import ChunkSource

        ignored = [column.name for column in self.layout if column.kind == "ignored"]
        schema = replace(self.layout.drop(ignored).uncounted(), n_rows=len(chunk))
        source = ChunkSource(chunk, schema, self.source.name)
        source.left = self._places_in_source(rows)
        return type(self)(source, schema, unseen="ignore", progress=self.progress)

    def _places_in_source(self, rows: Any) -> Any:
        """Where some rows, or all, stand in what was read; None where all are there, or nobody knows."""
        left = self.source.rows_left()
        if rows is None:
            return left
        places = np.asarray(rows)
        places = np.flatnonzero(places) if places.dtype == bool else places.astype(np.intp)
        if left is None:
            return np.where(places < 0, places + len(self), places)
        return left[places] if len(left) else None

    def expanded(
        self,
        expansion: Expansion,
        columns: Sequence[str | Column],
        classes: Sequence[Any] | None = None,
        then: Callable[[Chunk], Chunk] | None = None,
    ) -> Self:
        """The same rows with other columns, which a function makes of each chunk as it is read.

        `expansion(chunk)` gives numbers (rows, columns), or a chunk of columns of any kind; it must be a function of
        the rows alone, and on a cluster one that can be pickled. Target and weight stay; of the target's classes those
        that are named, where only they have rows that count. `then` is a function of the whole chunk that changes
        target and weight.

        >>> import novacula as nv
        >>> wine = nv.datasets.load("wine").select(["alcohol"])
        >>> squares = wine.expanded(lambda chunk: chunk.numeric**2, ["alcohol²"])
        >>> squares.schema.names
        ('alcohol²', 'target')
        """
        from novacula.table.expanded import ExpandedSource

        source = ExpandedSource(self.source, self.layout, expansion, columns, classes, then)
        return type(self)(source, source.layout(), unseen=self.unseen, runner=self.runner, progress=self.progress)

    def on(self, client: Any) -> Self:
        """The same table on a Dask cluster: its partitions stay in the workers' memory between passes."""
        from novacula.table.cluster import ClusterRunner

        return self.with_runner(ClusterRunner(client))

    # --- the loop over rows ---------------------------------------------------------------------------------

    def reduce(self, observe: Callable[..., S], *args: Any) -> S:
        """Add `observe(chunk, *args)` over all chunks.

        Memory: each thread holds two chunks at most, the one it observes and the next one, and log2(chunks)
        sums; two sums per thread may wait for their turn.
        """
        return recorded(
            observe, args, lambda: self.runner.reduce(self.source.partitions(), self._layout, observe, args)
        )

    def fold(self, step: Callable[..., T], state: T, *args: Any) -> T:
        """Apply `state = step(state, chunk, *args)` to the chunks in order."""
        return recorded(
            step,
            (state, *args),
            lambda: self.runner.fold(self.source.partitions(), self._layout, step, state, args),
        )

    def map(self, function: Callable[..., Any], *args: Any) -> Any:
        """Put the arrays `function(chunk, *args)` of all chunks under each other."""
        return np.concatenate(self.runner.map(self.source.partitions(), self._layout, function, args))

    @property
    def is_local(self) -> bool:
        """Whether the rows are in the memory of this process, and passes over them run here."""
        return isinstance(self.source, MemorySource) and self.runner.is_local

    def chunks(self) -> Generator[Chunk, None, None]:
        """The chunks in order, read ahead by one."""
        layout = self._layout
        with closing(layout.read_ahead(self.source.partitions())) as ahead:
            yield from self.runner.watch(ahead, layout)

    def to_chunk(self, propagates: bool = False) -> Chunk:
        """All rows as one chunk, for learners that need them at once; a view where they are in memory as such.

        `propagates`: a learner sees from what it computes that a value may not be admitted, and calls `refuse_faults`
        then. So values in memory are not read for that alone.
        """
        if isinstance(self.source, MemorySource) and self.source.n_rows:
            whole = self.source.chunk(0, self.source.n_rows, self.layout, self.unseen)
            [chunk] = self.runner.watch([whole], self._layout, propagates)
            return chunk
        return Chunk.concatenate(list(self.chunks()))

    def refuse_faults(self) -> None:
        """Refuse the first value that the learner which fits this table does not admit, if there is one."""
        self.runner.refuse_faults()

    @property
    def _layout(self) -> ChunkLayout:
        return ChunkLayout(self.layout, self.unseen)


def _cell(value: Any, column: Column) -> str:
    """A value as a notebook shows it; nothing where it is missing."""
    if value is None or value != value:
        return ""
    if column.is_time:
        return time_words(value) if isinstance(value, float) else str(value).removesuffix(" 00:00:00")
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def spelled_as(column: Column, own: Column) -> Column:
    """A column of a model as it is to be read where it was found to be written like `own`.

    Numbers are written as they are here, per cent or not: their unit is that of the fit. The order of dates is that of
    the fit, so that a day of two meanings keeps its own, unless there was none, or the year now stands first, which has
    one meaning.
    """
    if column.kind != "numeric" or own.kind != "numeric" or own.is_time != column.is_time:
        return column
    if column.is_time and (own.spelling is None or (column.spelling and own.spelling != "year-month-day")):
        return column
    return column if column.spelling == own.spelling else replace(column, spelling=own.spelling)


def _count_rows(chunk: Chunk) -> Any:
    return np.array([len(chunk)])


def _own_categories(column: Column, codes: Any) -> tuple[Column, Any]:
    """A column with those of its categories that stand in the rows, and the codes of these."""
    present = np.bincount(codes[codes >= 0], minlength=len(column.categories)) > 0
    if column.declared or present.all():
        return column, codes
    own = tuple(category for category, stays in zip(column.categories, present.tolist(), strict=True) if stays)
    table = np.array([*np.where(present, np.cumsum(present) - 1, UNSEEN), UNSEEN, MISSING], np.int32)
    return replace(column, categories=own), table[codes]  # MISSING is −1 and UNSEEN is −2


def _first(pieces: Iterable[Any], n: int, cut: Callable[[Any, int, int], Any]) -> list[Any]:
    """Pieces of rows, as many as it takes for n of them; the last piece is cut."""
    first, rows = [], 0
    for piece in pieces:
        first.append(cut(piece, 0, min(n - rows, len(piece))))
        rows += len(first[-1])
        if rows == n:
            break
    return first


def _one_table(batches: Sequence[Any]) -> Any:
    """Record batches as one Arrow table; files may store the same numbers in different types."""
    import pyarrow as pa

    return pa.concat_tables([pa.Table.from_batches([b]) for b in batches], promote_options="permissive")
