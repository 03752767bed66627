"""The schema pass: what each column holds, found by one reduce like any other.

A profile counts numbers, words and missing cells, keeps the range, and keeps distinct values up to a cap. The
kind is decided once, on the profile of all rows: it depends neither on their order nor on how they are cut.
Columns are profiled together, so that a table may have very many of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from novacula.table.arrow import entries_of, matrix_of, number_markers, numbers_of, trimmed
from novacula.table.chunk import Floats
from novacula.table.encode import MANY, side_by_side
from novacula.table.schema import Schema
from novacula.table.source import Partition, is_textual
from novacula.table.spelling import SPELLINGS, Spelling, read_alike, spelled_numbers


class ColumnProfile(NamedTuple):
    """What was found of one column."""

    rows: int = 0
    missing: int = 0
    words: int = 0  # known values that are not numbers
    spaces: int = 0  # within those words
    low: float = math.inf
    high: float = -math.inf
    values: frozenset[Any] | None = None  # distinct known values, text trimmed; None: beyond the cap
    cap: int = 0
    spelled: Mapping[Spelling, tuple[int, Any, Any]] = MappingProxyType({})
    """For some spellings, how many known values are spelled so, and their range."""
    alike: int = 0  # known values that are the same number with a decimal point and with a comma

    @property
    def known(self) -> int:
        """Values that are not missing."""
        return self.rows - self.missing

    @property
    def numbers(self) -> int:
        """Known values that are numbers."""
        return self.rows - self.missing - self.words

    def as_words(self) -> Self:
        """The same column, with numbers taken for words like any other."""
        return self._replace(words=self.known, low=math.inf, high=-math.inf)

    def spelled_so(self, spelling: Spelling) -> int:
        """How many known values are spelled so."""
        return int(self.spelled.get(spelling, (0,))[0])

    def fits(self, spelling: Spelling) -> bool:
        """Whether all known values are spelled so."""
        return 0 < self.known == self.spelled_so(spelling)

    def as_spelled(self, spelling: Spelling) -> Self:
        """The same column, with the values that are spelled so taken for numbers, and no others."""
        count, low, high = self.spelled.get(spelling, (0, math.inf, -math.inf))
        return self._replace(words=self.known - count, low=low, high=high)


_COUNTED = 4  # missing, words, spaces and numbers that read alike
_S = len(SPELLINGS)
_CLOSE = 1 << 16  # integers within a range of this size are counted in a table
_AROUND = 1 << 12  # and those so near to the first of their column are found all at once


@dataclass(frozen=True, slots=True)
class ColumnProfiles:
    """Counts and ranges of d columns, distinct values of some: its size does not grow with rows."""

    names: tuple[str, ...]
    rows: int
    counts: Any  # (4 + spellings, d) missing, words, spaces, values that read alike, and values by their spelling
    low: Floats  # (1 + spellings, d) of plain numbers, and of those in each spelling
    high: Floats  # (1 + spellings, d)
    values: Mapping[str, frozenset[Any] | None]
    caps: Mapping[str, int]

    @classmethod
    def zero(cls, numbers: Sequence[str], caps: Mapping[str, int]) -> Self:
        """The profile of no rows: columns taken for numbers, and others that keep values up to a cap."""
        names = (*numbers, *caps)
        counts, low = np.zeros((_COUNTED + _S, len(names)), np.int64), np.full((1 + _S, len(names)), np.inf)
        return cls(names, 0, counts, low, -low, dict.fromkeys(caps, frozenset[Any]()), caps)

    def observe(self, batch: Any, schema: Schema) -> Self:
        """The profile of one record batch, for the same columns as this one."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        found = [columns[name] for name in self.names]
        markers = [schema.markers(name) for name in self.names]
        split = len(self.names) - len(self.caps)
        spellings = [schema[name].spelling for name in self.names[:split]]
        numbers = _tally_numbers(found[:split], batch.num_rows, markers[:split], spellings)
        others = _tally_others(found[split:], markers[split:])
        counts, low, high = (np.concatenate(pair, axis=-1) for pair in zip(numbers, others[:3], strict=True))
        pairs = zip(self.caps.items(), others[3], strict=True)
        values = {name: held if len(held) <= cap else None for (name, cap), held in pairs}
        return type(self)(self.names, batch.num_rows, counts, low, high, values, self.caps)

    def observe_whole(self, partition: Partition, schema: Schema) -> Self | None:
        """The profile of a partition of whole numbers that lie close together, at once; None of any other."""
        if len(self.names) > len(self.caps) or any(number_markers(schema.markers(name)) for name in self.names):
            return None
        rows = partition.whole_numbers(self.names)
        if rows is None or rows.size < MANY:
            return None
        from novacula.table._kernels import mark_present

        low = rows[0].astype(np.int64) - _AROUND // 2
        present = np.zeros((len(self.names), _AROUND), np.bool_)
        if not mark_present(np.ascontiguousarray(rows, np.int64), low, present):
            return None
        column, place = np.divmod(np.flatnonzero(present), _AROUND)
        ends = np.searchsorted(column, np.arange(len(self.names) + 1)).tolist()
        numbers = (low[column] + place).tolist()
        distinct = [numbers[start:stop] for start, stop in pairwise(ends)]
        pairs = zip(self.caps.items(), distinct, strict=True)
        return type(self)(
            self.names,
            len(rows),
            np.zeros((_COUNTED + _S, len(distinct)), np.int64),
            _first_row([values[0] for values in distinct], np.inf),
            _first_row([values[-1] for values in distinct], -np.inf),
            {name: frozenset(values) if len(values) <= cap else None for (name, cap), values in pairs},
            self.caps,
        )

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.names,
            self.rows + other.rows,
            self.counts + other.counts,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            {name: _union(self.values[name], other.values[name], cap) for name, cap in self.caps.items()},
            self.caps,
        )

    def columns(self) -> dict[str, ColumnProfile]:
        """What was found of each column."""
        found = zip(self.names, self.counts.T.tolist(), self.low.T.tolist(), self.high.T.tolist(), strict=True)
        return {
            name: ColumnProfile(
                self.rows,
                missing,
                words,
                spaces,
                low[0],
                high[0],
                self.values.get(name),
                self.caps.get(name, 0),
                {s: (n, *ends) for s, n, *ends in zip(SPELLINGS, spelled, low[1:], high[1:], strict=True) if n},
                alike,
            )
            for name, (missing, words, spaces, alike, *spelled), low, high in found
        }


def profile_partition(
    partition: Partition, schema: Schema, numbers: Sequence[str], caps: Mapping[str, int]
) -> ColumnProfiles:
    """Profile a partition; the schema's kinds say how to parse text, its markers what is missing."""
    total = ColumnProfiles.zero(numbers, caps)
    if (found := total.observe_whole(partition, schema)) is not None:
        return found
    for batch in partition.batches(total.names, schema):
        total = total + total.observe(batch, schema)
    return total


def _union(left: frozenset[Any] | None, right: frozenset[Any] | None, cap: int) -> frozenset[Any] | None:
    if left is None or right is None:
        return None
    both = left | right if right - left else left
    return both if len(both) <= cap else None


def _first_row(numbers: Any, rest: float) -> Floats:
    """Numbers (d,) of the plain spelling as (1 + spellings, d)."""
    rows = np.full((1 + _S, len(numbers)), rest)
    rows[0] = numbers
    return rows


def _tally_numbers(
    columns: Sequence[Any],
    rows: int,
    markers: Sequence[tuple[str, ...]],
    spellings: Sequence[Spelling | None],
) -> tuple[Any, Any, Any]:
    """Counts, lows and highs of columns that are numbers, or text that should be."""
    counts = np.zeros((_COUNTED + _S, len(columns)), np.int64)
    marked = any(map(number_markers, set(markers)))
    matrix = None if marked else matrix_of(columns, by_row=False)
    if matrix is None:
        pairs = [numbers_of(*each) for each in zip(columns, markers, spellings, strict=True)]
        counts[1] = [0 if wrong is None else wrong.sum() for _, wrong in pairs]
        matrix = side_by_side([numbers for numbers, _ in pairs], rows, np.float64)
    counts[0] = np.count_nonzero(np.isnan(matrix), axis=0) - counts[1]
    low = np.fmin.reduce(matrix, axis=0, initial=np.inf)
    high = np.fmax.reduce(matrix, axis=0, initial=-np.inf)
    return counts, _first_row(low, np.inf), _first_row(high, -np.inf)


def _tally_others(
    columns: Sequence[Any], markers: Sequence[tuple[str, ...]]
) -> tuple[Any, Any, Any, list[frozenset[Any]]]:
    """The same of columns of any type, and their distinct values."""
    d = len(columns)
    counts, low, high = (
        np.zeros((_COUNTED + _S, d), np.int64),
        np.full((1 + _S, d), np.inf),
        np.full((1 + _S, d), -np.inf),
    )
    values: list[frozenset[Any]] = [frozenset()] * d
    wordy: dict[tuple[str, ...], list[int]] = {}
    for j, (column, marks) in enumerate(zip(columns, markers, strict=True)):
        if is_textual(column.type.value_type if pa.types.is_dictionary(column.type) else column.type):
            wordy.setdefault(marks, []).append(j)
        elif (few := _few_integers(column, marks)) is not None:
            low[0, j], high[0, j], values[j] = few
        else:
            counts[0, j], low[0, j], high[0, j], values[j] = _tally_values(column, marks)
    for marks, places in wordy.items():
        words = _tally_words([columns[j] for j in places], marks)
        counts[:, places], low[:, places], high[:, places] = words[:3]
        for j, held in zip(places, words[3], strict=True):
            values[j] = held
    return counts, low, high, values


def _few_integers(column: Any, markers: tuple[str, ...]) -> tuple[int, int, frozenset[int]] | None:
    """Range and distinct values of whole numbers that lie close together, fast; None of any other column."""
    whole = pa.types.is_integer(column.type) and not column.null_count and not number_markers(markers)
    if not whole or not len(column):
        return None
    numbers = column.to_numpy()
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= _CLOSE or high >= 1 << 63:
        return None
    present = np.flatnonzero(np.bincount(numbers.astype(np.int64) - low))
    return low, high, frozenset((present + low).tolist())


def _tally_values(column: Any, markers: tuple[str, ...]) -> tuple[int, float, float, frozenset[Any]]:
    """Missing cells, range and distinct values of a column of anything but words."""
    counted = (column.dictionary_decode() if pa.types.is_dictionary(column.type) else column).value_counts()
    values, times = counted.field(0), np.asarray(counted.field(1))
    numbers, _ = numbers_of(values, markers)
    known = ~np.isnan(numbers)
    low, high = numbers[known].min(initial=np.inf), numbers[known].max(initial=-np.inf)
    return len(column) - times[known].sum(), low, high, frozenset(values.filter(pa.array(known)).to_pylist())


def _tally_words(columns: Sequence[Any], markers: tuple[str, ...]) -> tuple[Any, Any, Any, list[frozenset[str]]]:
    """The same of columns of words: of the distinct ones in each, weighed by how often they stand there."""
    coded = [c if pa.types.is_dictionary(c.type) else c.dictionary_encode() for c in columns]
    sizes = [len(column.dictionary) for column in coded]
    ends = np.cumsum(sizes)
    words = trimmed(pa.concat_arrays([column.dictionary.cast(pa.string()) for column in coded]))
    owner = np.repeat(np.arange(len(coded)), sizes)
    times = np.zeros(len(words), np.int64)
    for column, size, end in zip(coded, sizes, ends, strict=True):
        places = entries_of(column).astype(np.int64) + 1
        times[end - size : end] = np.bincount(places, minlength=size + 1)[1:]
    numbers, wrong = numbers_of(words, markers)
    wrong = np.zeros(len(words), bool) if wrong is None else wrong & (times > 0)
    present = (~np.isnan(numbers) & (times > 0)) | wrong

    def total(weights: Any) -> Any:
        return np.bincount(owner, weights, len(coded))

    low, high = np.full((1 + _S, len(coded)), np.inf), np.full((1 + _S, len(coded)), -np.inf)
    np.fmin.at(low[0], owner[present], numbers[present])
    np.fmax.at(high[0], owner[present], numbers[present])
    spaces = np.asarray(pc.count_substring(words, " ").fill_null(0))
    missing = np.array([len(column) for column in coded]) - total(times * present)
    texts = words.filter(pa.array(present)).to_pylist()
    stops = np.cumsum(np.bincount(owner[present], minlength=len(coded)))
    starts = [0, *stops[:-1].tolist()]
    distinct = [texts[a:b] for a, b in zip(starts, stops.tolist(), strict=True)]
    spelled = np.zeros((_S, len(coded)))
    numbers_by_spelling = spelled_numbers(words)
    for spelling, read in numbers_by_spelling.items():
        s, fits = SPELLINGS.index(spelling), present & ~np.isnan(read)
        spelled[s] = total(times * fits)
        np.fmin.at(low[1 + s], owner[fits], read[fits])
        np.fmax.at(high[1 + s], owner[fits], read[fits])
    alike = times * (present & read_alike(numbers_by_spelling, len(words)))
    tallies = [missing, total(times * wrong), total(times * wrong * spaces), total(alike), *spelled]
    counts = np.array(tallies).astype(np.int64)
    return counts, low, high, list(map(frozenset, distinct))
