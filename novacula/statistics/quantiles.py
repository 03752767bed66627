"""Quantiles of numbers that are never sorted as a whole, with an error that is stated afterwards, exactly.

A float64 has an order-preserving 64-bit key: its bits, with the negative numbers turned round. A bucket at
level ℓ holds the values with one `key >> ℓ`, and the level of a column is the smallest at which no more than
`capacity` buckets are occupied. Buckets of a level are unions of buckets of the level below, so the level,
and with it the whole sketch, depends only on which values there are and how often: not on the order of rows,
nor on the cuts between chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.state import State, floats, offsets, whole, wholes
from novacula.state.arrays import ArrayForm
from novacula.statistics.base import Statistic, class_codes, require_same_layout
from novacula.statistics.contingency import side_by_side
from novacula.table.chunk import Chunk, Floats

Keys = npt.NDArray[np.uint64]


class Cell(NamedTuple):
    """The occupied buckets of one class and column, rising; low and high are the outermost values of each."""

    level: int
    bucket: Keys
    weight: Floats
    low: Floats
    high: Floats


class Bins(NamedTuple):
    """Inner edges of a column, rising, and the lowest and the highest value of each of the bins between them."""

    edges: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class QuantileSketch(Statistic):
    """Weighted buckets of values per class and column: at most 4·K·d·capacity numbers.

    A bucket of one distinct value is exact, so a column of no more than `capacity` distinct values is too.
    Missing values are left out, −0 is 0, and infinities are values like others. Cells lie side by side,
    class by class.

    >>> chunk = Chunk(np.arange(1.0, 101.0)[:, None], np.empty((100, 0), np.int32), np.ones(100))
    >>> sketch = QuantileSketch.observe(chunk)
    >>> sketch.quantile(0.25).item(), sketch.rank_error.item()
    (25.0, 0.0)
    """

    state: ClassVar[State] = {
        "capacity": whole(least=2),
        "level": wholes("classes", "columns", least=None),
        "offsets": offsets("cells+1", "values"),
        "bucket": ArrayForm("keys", ("uint64",), ("values",)),
        "weight": floats("values", least=0.0),
        "low": floats("values", finite=False),
        "high": floats("values", finite=False),
    }

    capacity: int
    level: npt.NDArray[np.int64]  # (K, d)
    offsets: npt.NDArray[np.int64]  # (K·d + 1,)
    bucket: Keys  # (offsets[-1],)
    weight: Floats  # (offsets[-1],)
    low: Floats  # (offsets[-1],)
    high: Floats  # (offsets[-1],)

    def __post_init__(self) -> None:
        if self.capacity < 2:
            raise ParameterError(f"a sketch needs a capacity of 2 buckets or more, not {self.capacity}")

    @classmethod
    def zero(cls, n_classes: int, n_columns: int, capacity: int = 8192) -> Self:
        """No rows."""
        none = np.zeros(0)
        cells = [Cell(0, none.astype(np.uint64), none, none, none)] * (n_classes * n_columns)
        return cls._of_cells(capacity, (n_classes, n_columns), cells)

    @classmethod
    def observe(
        cls, chunk: Chunk, n_classes: int = 1, columns: Sequence[int] | None = None, capacity: int = 8192
    ) -> Self:
        """The sketch of some of the numeric columns, or of all."""
        code = class_codes(chunk, n_classes)
        places = range(chunk.numeric.shape[1]) if columns is None else columns
        cells = []
        for k in range(n_classes):
            rows = np.flatnonzero((code == k) & (chunk.weight > 0.0))
            for j in places:
                x = chunk.numeric[rows, j] + 0.0  # −0 becomes 0
                order = np.argsort(x)[: len(x) - np.count_nonzero(np.isnan(x))]  # NaN is sorted to the end
                x, weight = x[order], chunk.weight[rows[order]]
                cells.append(gathered(Cell(0, ordered_keys(x), weight, x, x), capacity))
        return cls._of_cells(capacity, (n_classes, len(places)), cells)

    @classmethod
    def _of_cells(cls, capacity: int, shape: tuple[int, int], cells: Sequence[Cell]) -> Self:
        return cls(
            capacity,
            np.array([cell.level for cell in cells], np.int64).reshape(shape),
            side_by_side([len(cell.bucket) for cell in cells]),
            _joined([cell.bucket for cell in cells], np.uint64),
            *(_joined([getattr(cell, name) for cell in cells], np.float64) for name in ("weight", "low", "high")),
        )

    def __add__(self, other: Self) -> Self:
        mine, theirs = (self.capacity, *self.level.shape), (other.capacity, *other.level.shape)
        require_same_layout(self, mine, theirs)
        cells = [merged(self.cell(k, j), other.cell(k, j), self.capacity) for k, j in np.ndindex(self.level.shape)]
        return self._of_cells(self.capacity, self.level.shape, cells)

    def cell(self, k: int, j: int) -> Cell:
        """The buckets of class k in column j."""
        at = k * self.level.shape[1] + j
        held = slice(self.offsets[at], self.offsets[at + 1])
        return Cell(int(self.level[k, j]), self.bucket[held], self.weight[held], self.low[held], self.high[held])

    def points(self, k: int, j: int) -> tuple[Floats, Floats]:
        """The middles of the buckets of class k in column j, standing for its values, and their weights."""
        cell = self.cell(k, j)
        return between(cell.low, cell.high, 0.5), cell.weight

    def quantile(self, q: float | Floats) -> Floats:
        """The smallest value with at least the share q of the weight at or below it.

        The answer is (…, K, d) for q of shape (…). Within a bucket of several values it is interpolated; it
        is NaN where there are no values.
        """
        share = np.asarray(q, np.float64)
        if not np.all((share >= 0.0) & (share <= 1.0)):
            raise ParameterError("a quantile is asked for by a share between 0 and 1")
        quantiles = np.full((*share.shape, *self.level.shape), np.nan)
        for k, j in np.ndindex(self.level.shape):
            cell = self.cell(k, j)
            if len(cell.bucket):
                upto = np.cumsum(cell.weight)
                wanted = share * upto[-1]
                at = np.searchsorted(upto, wanted, side="left")
                part = 1.0 - (upto[at] - wanted) / cell.weight[at]
                quantiles[..., k, j] = between(cell.low[at], cell.high[at], np.clip(part, 0.0, 1.0))
        return quantiles

    @property
    def rank_error(self) -> Floats:
        """How far the rank of a quantile may be from the one asked for, as a share of the weight: (K, d).

        It is the weight of the heaviest bucket of several values, and so 0 where every answer is exact.
        """
        error = np.zeros(self.level.shape)
        for k, j in np.ndindex(self.level.shape):
            cell = self.cell(k, j)
            heaviest = cell.weight[cell.low < cell.high].max(initial=0.0)
            error[k, j] = heaviest / cell.weight.sum() if heaviest else 0.0
        return error

    def edges(self, n_bins: int, k: int = 0) -> tuple[Floats, ...]:
        """Cut points for each column that share the weight of class k into at most n_bins, rising strictly.

        A cut lies between two values that occur, never on the upper of them. Where there are no more buckets
        than bins every bucket gets a bin.
        """
        return tuple(column.edges for column in self.bins(n_bins, k))

    def bins(self, n_bins: int, k: int = 0) -> tuple[Bins, ...]:
        """The same for each column, with the outermost values of each bin; a column without values has one bin."""
        return tuple(_bins(self.cell(k, j), n_bins) for j in range(self.level.shape[1]))


def column_bins(values: Floats, weight: Floats, n_bins: int, capacity: int = 8192) -> Bins:
    """The bins of one column that is in memory, which are those of its sketch."""
    x = values + 0.0  # −0 becomes 0
    known = len(x) - np.count_nonzero(np.isnan(x))  # NaN is sorted to the end
    if len(x) and weight[0] > 0.0 and (weight == weight[0]).all():
        rising, weight = np.sort(x)[:known], weight[:known]
    else:
        order = np.argsort(x)[:known]
        order = order[weight[order] > 0.0]
        rising, weight = x[order], weight[order]
    return _bins(gathered(Cell(0, ordered_keys(rising), weight, rising, rising), capacity), n_bins)


def ordered_keys(x: Floats) -> Keys:
    """Unsigned integers in the order of the numbers."""
    bits = x.view(np.int64)
    # The sign bit is flipped, and of negative numbers every other bit too, because they run backwards.
    keys = bits >> 63
    keys |= np.iinfo(np.int64).min
    keys ^= bits
    return keys.view(np.uint64)


def gathered(cell: Cell, capacity: int) -> Cell:
    """Join rising entries into buckets, at the smallest level that leaves at most `capacity` of them."""
    bucket = cell.bucket
    if not len(bucket):
        return cell
    # Neighbours are apart at level ℓ if they differ in bit ℓ or above; fewer than `capacity` pairs of them may be.
    length = bit_length(bucket[1:] ^ bucket[:-1])
    longer = len(length) - np.cumsum(np.bincount(length, minlength=1))  # pairs apart at each level
    rise = int(np.argmax(longer < capacity))
    starts = np.flatnonzero(np.concatenate([[True], length > rise]))
    return Cell(
        cell.level + rise,
        bucket[starts] >> np.uint64(rise),
        np.add.reduceat(cell.weight, starts),
        np.minimum.reduceat(cell.low, starts),
        np.maximum.reduceat(cell.high, starts),
    )


def merged(a: Cell, b: Cell, capacity: int) -> Cell:
    """The buckets of both, at the level that both together need."""
    level = max(a.level, b.level)
    bucket = np.concatenate([cell.bucket >> np.uint64(level - cell.level) for cell in (a, b)])
    order = np.argsort(bucket, kind="stable")  # which finds the two rising runs and only merges them
    weight, low, high = (np.concatenate(pair)[order] for pair in zip(a[2:], b[2:], strict=True))
    return gathered(Cell(level, bucket[order], weight, low, high), capacity)


def bit_length(x: Keys) -> npt.NDArray[np.int64]:
    """The number of bits of unsigned integers, 0 for 0."""
    # The bit below the highest is cleared, so that rounding to a float cannot reach the next power of two.
    below = x >> np.uint64(1)
    np.invert(below, out=below)
    below &= x
    exponent = below.astype(np.float64).view(np.int64)
    exponent >>= 52
    exponent -= 1022
    return np.maximum(exponent, 0, out=exponent)


def between(low: Floats, high: Floats, part: float | Floats) -> Floats:
    """low + part · (high − low), never above high; low itself where the distance is zero or not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        value = np.minimum(low + part * (high - low), high)
    return np.where(np.isfinite(value), value, low)


def _bins(cell: Cell, n_bins: int) -> Bins:
    if not len(cell.bucket):
        return Bins(np.zeros(0), np.zeros(1), np.zeros(1))
    last = np.arange(len(cell.bucket) - 1)  # the last bucket of each bin but the highest
    if len(cell.bucket) > n_bins:
        upto = np.cumsum(cell.weight)
        last = np.unique(np.searchsorted(upto, upto[-1] * np.arange(1, n_bins) / n_bins))
        last = last[last < len(cell.bucket) - 1]
    below, above = cell.high[last], cell.low[last + 1]
    middle = between(below, above, 0.5)
    edges = np.where(middle < above, middle, below)
    return Bins(edges, np.append(cell.low[:1], above), np.append(below, cell.high[-1:]))


def _joined(arrays: Iterable[npt.NDArray], dtype: type) -> npt.NDArray:
    return np.concatenate([np.zeros(0, dtype), *arrays])
