"""The loop over partitions: where it runs, and how rows become chunks on the way.

ChunkLayout         schema and policy: partitions in, chunks out
LocalRunner    threads of this process
ClusterRunner  workers of a Dask cluster (see `cluster`)
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from novacula.table.chunk import Chunk
from novacula.table.parallel import Addable, map_ordered, prefetched, tree_sum
from novacula.table.schema import Schema
from novacula.table.source import Partition, Unseen

S = TypeVar("S", bound=Addable)
T = TypeVar("T")
Found: TypeAlias = tuple[Partition, int, Any]


class ChunkLayout:
    """How partitions become chunks: the schema, and what to do with a category that it does not know."""

    def __init__(self, schema: Schema, unseen: Unseen) -> None:
        self.schema = schema
        self.unseen: Unseen = unseen

    @property
    def mark(self) -> str:
        """What chunks depend on: the schema without its counts, which change when a table is surveyed."""
        schema = self.schema
        columns = [(c.name, c.kind, c.categories, c.declared, c.width) for c in schema if c.kind != "ignored"]
        markers = (schema.missing, sorted(schema.missing_by_column.items()))
        return repr((columns, schema.target, schema.weight, markers, self.unseen))

    def chunks(self, partition: Partition) -> Iterator[Chunk]:
        """The chunks of a partition; one that is empty where there is none."""
        chunks = partition.chunks(self.schema, self.unseen)
        first = next(chunks, None)
        if first is None:
            yield self.empty()
            return
        yield first
        del first  # or it would live as long as all the others
        yield from chunks

    def read_ahead(self, parts: Sequence[Partition]) -> Generator[Chunk, None, None]:
        """The chunks of partitions in order, the next one being read meanwhile; one block in memory needs no thread."""
        chunks = (chunk for part in parts for chunk in self.chunks(part))
        return chunks if len(parts) == 1 and parts[0].is_one_chunk else prefetched(chunks)

    def empty(self) -> Chunk:
        """A chunk without rows."""
        schema, targets = self.schema, self.schema.target_columns
        coded = [column.kind for column in targets] == ["categorical"]
        target: Any = np.empty((0,) if len(targets) == 1 else (0, len(targets)), np.int32 if coded else np.float64)
        return Chunk(
            np.empty((0, len(schema.of_kind("numeric")))),
            np.empty((0, len(schema.of_kind("categorical"))), np.int32),
            np.empty(0),
            text=tuple(np.empty(0, object) for _ in schema.of_kind("text")),
            target=target if targets else None,
        )


class Runner(Protocol):
    """Where the loop over partitions runs."""

    @property
    def is_local(self) -> bool:
        """Whether that is this process."""

    @property
    def client(self) -> Any:
        """The Dask client of a cluster; None of this process."""

    def reduce(self, parts: Sequence[Partition], layout: ChunkLayout, observe: Callable[..., S], args: Any) -> S:
        """Add what `observe` says of each chunk, along the tree of partition and chunk index."""

    def fold(self, parts: Sequence[Partition], layout: ChunkLayout, step: Callable[..., T], state: T, args: Any) -> T:
        """Take the chunks in order."""

    def map(self, parts: Sequence[Partition], layout: ChunkLayout, function: Callable[..., Any], args: Any) -> Any:
        """Give the function's array for each chunk, in order."""

    def find(
        self, parts: Sequence[Partition], layout: ChunkLayout, examine: Callable[..., Any], args: Any
    ) -> Found | None:
        """The first partition, its row and what `examine` found there; it finds a `row` of a chunk, or None."""

    def watch(self, chunks: Iterable[Chunk], layout: ChunkLayout, propagates: bool = False) -> Iterator[Chunk]:
        """Give chunks that are taken one by one, checked if they have not been yet.

        `propagates`: what is not admitted will show in what is computed of them, so that their values are not checked.
        """

    def refuse_faults(self) -> None:
        """Refuse the first value that is not admitted, if there is one."""

    def at_home(self, table: Any) -> Runner:
        """The runner of a table of some of the rows that was brought into the memory of this process."""


class LocalRunner:
    """Threads of this process."""

    is_local = True
    client = None

    def reduce(self, parts: Sequence[Partition], layout: ChunkLayout, observe: Callable[..., S], args: Any) -> S:
        """Partitions in parallel, each by one thread from beginning to end."""

        def observe_partition(part: Partition) -> S:
            return tree_sum(observe(chunk, *args) for chunk in layout.chunks(part))

        with closing(map_ordered(observe_partition, parts)) as statistics:
            return tree_sum(statistics)

    def fold(self, parts: Sequence[Partition], layout: ChunkLayout, step: Callable[..., T], state: T, args: Any) -> T:
        """One chunk after the other, the next one being read meanwhile."""
        with closing(layout.read_ahead(parts)) as chunks:
            for chunk in chunks:
                state = step(state, chunk, *args)
        return state

    def map(self, parts: Sequence[Partition], layout: ChunkLayout, function: Callable[..., Any], args: Any) -> Any:
        """Partitions in parallel, results in order."""

        def map_partition(part: Partition) -> list[Any]:
            return [function(chunk, *args) for chunk in layout.chunks(part)]

        with closing(map_ordered(map_partition, parts)) as arrays:
            return [result for results in arrays for result in results]

    def find(
        self, parts: Sequence[Partition], layout: ChunkLayout, examine: Callable[..., Any], args: Any
    ) -> Found | None:
        """Partitions in parallel, the first that holds something first."""

        def find_in(part: Partition) -> Found | None:
            found = first_row(layout.chunks(part), examine, args)
            return None if found is None else (part, *found)

        with closing(map_ordered(find_in, parts)) as places:
            return next((place for place in places if place is not None), None)

    def watch(self, chunks: Iterable[Chunk], layout: ChunkLayout, propagates: bool = False) -> Iterator[Chunk]:
        """There is nothing to look for."""
        yield from chunks

    def refuse_faults(self) -> None:
        """Everything is admitted."""

    def at_home(self, table: Any) -> LocalRunner:
        """The same."""
        return self


def first_row(chunks: Iterable[Chunk], examine: Callable[..., Any], args: Any) -> tuple[int, Any] | None:
    """The first row of a partition at which `examine` points, and what it found."""
    before = 0
    for chunk in chunks:
        found = examine(chunk, *args)
        if found is not None:
            return before + found.row, found
        before += len(chunk)
    return None
