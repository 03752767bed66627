"""Where rows come from: a source is an ordered list of partitions, and a partition gives chunks.

Partitions are small to pickle, name themselves for messages, and have a key that changes when their content
does. How a source is cut depends on the data alone, so every way of running over it adds the same numbers in
the same order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeAlias

from novacula.table.chunk import Chunk
from novacula.table.notes import ReadingNote
from novacula.table.schema import Column, Kind, Schema

Unseen: TypeAlias = Literal["ignore", "error"]

CHUNK_BYTES = 8 << 20
"""Aim for the bytes of a chunk: small enough for a cache, large enough to make Python's share small."""

DOUBLE = 2.0**-52
ROUNDING = {"halffloat": 2.0**-10, "float": 2.0**-23}
"""Relative rounding of Arrow's types that are shorter than a double."""


@dataclass(frozen=True, slots=True)
class TextHabits:
    """How values are written in a source: spelled out or not, and what ends the whole part of a number."""

    is_text: bool = False
    decimal: str | None = None  # as it was stated
    likely_decimal: str = "."  # where nothing else speaks for one
    shown_decimal: str | None = None  # as the values of some columns show for all of them


class Partition(ABC):
    """A run of rows that one thread or worker handles from beginning to end."""

    name: str
    key: str
    is_one_chunk: ClassVar[bool] = False
    """Whether it always gives one chunk, so that none can be read ahead."""

    @abstractmethod
    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the named columns as Arrow record batches.

        A schema says what they will be used as, so that numbers need not become strings first; where values
        do not fit it, the column comes as text.
        """

    def whole_numbers(self, names: Sequence[str]) -> Any:
        """The named columns as one array (n, d) of whole numbers, where they lie in memory so; None elsewhere."""
        return None

    def seem_numeric(self, names: Sequence[str], markers: Sequence[str], target: Sequence[str]) -> set[str]:
        """The columns of text that are worth parsing as numbers at once; a wrong guess costs time only.

        A target whose numbers are likely to be labels is none of them: its words are what is asked for next.
        """
        return set()

    @abstractmethod
    def chunks(self, schema: Schema, unseen: Unseen) -> Iterator[Chunk]:
        """Give the rows as chunks laid out by a schema."""

    def detached(self) -> Partition:
        """Give the partition as it can be sent elsewhere: with its own rows and no others."""
        return self

    @property
    def awaited(self) -> Any:
        """What has to be computed before a detached partition can be read, as a Dask object; None for most."""
        return None

    def receive(self, computed: Any) -> None:
        """Take what `awaited` came to."""
        raise NotImplementedError(f"{type(self).__name__} waits for nothing")

    def row_name(self, row: int) -> str:
        """Name a row of this partition, counted from 0, in a message; may be slow."""
        return f"row {row + 1} of {self.name}"


class Source(ABC):
    """An ordered list of partitions of the same columns."""

    name: str
    is_text: bool = False
    """Whether values are spelled out, so that digits may be a number and a marker may stand for nothing."""
    notes: tuple[ReadingNote, ...] = ()
    """What was decided when it was opened."""
    doubles: tuple[str, ...] = ()
    """Columns that are left out, since they had the name of one that is."""
    kept: frozenset[str] = frozenset()
    """Columns that are to be kept, though the source itself would leave them out."""

    @property
    def habits(self) -> TextHabits:
        """How values are written."""
        return TextHabits(self.is_text)

    @abstractmethod
    def arrow_schema(self) -> Any:
        """Names and storage types of the columns, as an Arrow schema (text files: all text)."""

    @abstractmethod
    def partitions(self) -> Sequence[Partition]:
        """The partitions in row order."""

    def count_rows(self) -> int | None:
        """Rows where they are known without reading them."""
        return None

    def has_rows(self) -> bool:
        """Whether there are any rows."""
        names = self.arrow_schema().names[:1]
        return any(batch.num_rows for part in self.partitions() for batch in part.batches(names))

    def kinds(self) -> dict[str, Kind | None]:
        """Kinds that the storage types settle; None where only the values can say."""
        return {field.name: kind_of_type(field.type) for field in self.arrow_schema()}

    def rounding(self, names: Sequence[str]) -> list[float]:
        """Relative rounding of the numbers of columns as they are stored: that of a double, or of a shorter type."""
        stored = {field.name: str(field.type) for field in self.arrow_schema()}
        return [ROUNDING.get(stored.get(name, ""), DOUBLE) for name in names]

    def rows_left(self) -> Any:
        """The places of its rows in the source that was read, where some were left out; None: all are there."""
        return None

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """Categories that the source itself states, in its order."""
        import pyarrow as pa

        return {field.name: (False, True) for field in self.arrow_schema() if pa.types.is_boolean(field.type)}

    def blocks(self) -> tuple[Column, ...]:
        """Sparse blocks of columns, which have no Arrow type."""
        return ()

    def own_target(self) -> tuple[str, ...]:
        """The target that the format itself names."""
        return ()


def is_textual(stored: Any) -> bool:
    """Whether an Arrow type holds strings."""
    import pyarrow as pa

    return bool(pa.types.is_string(stored) or pa.types.is_large_string(stored) or pa.types.is_string_view(stored))


@lru_cache(256)
def kind_of_type(stored: Any) -> Kind | None:
    """The kind that an Arrow type settles: text may be words, categories or numbers."""
    import pyarrow as pa

    if pa.types.is_boolean(stored) or pa.types.is_dictionary(stored):
        return "categorical"
    return None if is_textual(stored) else "numeric"


def is_time_type(stored: Any) -> bool:
    """Whether an Arrow type holds days or moments, which have a year; a duration or a time of day has none."""
    import pyarrow as pa

    return bool(pa.types.is_date(stored) or pa.types.is_timestamp(stored))


@lru_cache(256)  # a table may have very many columns, of few types
def holds_single_values(stored: Any) -> bool:
    """Whether the values of an Arrow type are numbers, words or times, not lists, records or bytes."""
    import pyarrow as pa

    kinds = pa.types
    if kinds.is_dictionary(stored):
        return holds_single_values(stored.value_type)
    tests = (kinds.is_integer, kinds.is_floating, kinds.is_decimal, kinds.is_temporal, kinds.is_boolean)
    return is_textual(stored) or kinds.is_null(stored) or any(test(stored) for test in tests)


def rows_per_chunk(row_bytes: int) -> int:
    """Rows of a chunk of about CHUNK_BYTES: a function of the width alone."""
    return max(64, min(CHUNK_BYTES // max(row_bytes, 1), 1 << 17))
