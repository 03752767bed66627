"""Equal rows: the first of each kind, and the kind of every row.

Whole numbers become one number per row, digit by digit, so that sorting these numbers puts the rows into
lexicographic order. Other numbers are hashed, and rows with the same hash are compared, so that a collision joins
nothing. Hashing reads the values once, where sorting rows reads them many times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, issparse

from novacula.table.chunk import sparse_rows
from novacula.table.parallel import map_ordered

LARGEST = 2**62
"""The number of a row stays below this."""
TABLE = 1 << 22
"""Numbers of rows below this may be found by a table,"""
SPARSE = 64
"""if the table has at most this many entries per row."""
FEW = 1 << 12
"""Values up to which rows become numbers by one product."""
BLOCK = 1 << 19
"""Values that one thread hashes at a time."""


@dataclass(frozen=True, eq=False)
class EqualRows:
    """The first row of each kind (m,), and the kind of every row (n,): `rows[first][kind]` equals `rows`."""

    first: npt.NDArray[np.intp]
    kind: npt.NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.first)


def equal_rows(rows: Any, target: Any = None) -> EqualRows:
    """Group equal rows (n, d), dense or CSR without repeated positions; their targets must be equal too, if given.

    Kinds of whole numbers are in lexicographic order, others in an order that depends on their values alone.
    NaN is equal to nothing; −0 equals 0.

    >>> same = equal_rows(np.array([[2, 1], [1, 5], [2, 1]]))
    >>> same.first.tolist(), same.kind.tolist()
    ([1, 0], [1, 0, 1])
    """
    if not issparse(rows) and rows.dtype.kind in "biu":
        columns = rows if target is None else np.column_stack([rows, target])
        number, size = row_numbers(columns)
        if size <= min(TABLE, SPARSE * len(number)):
            return _by_table(number, size)
        _, first, kind = np.unique(number, return_index=True, return_inverse=True)
        return EqualRows(first, kind)
    key = _row_hashes(rows, target)
    order = np.argsort(key, kind="stable")
    alike = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    repeats = np.zeros(len(order), bool)  # whether a row equals the one before it in that order
    repeats[1 + alike[_are_equal(rows, target, order[alike], order[alike + 1])]] = True
    kind = np.empty(len(order), np.intp)
    kind[order] = np.cumsum(~repeats) - 1
    return EqualRows(order[~repeats], kind)  # the order is stable, so that these are the first of their kinds


def row_numbers(rows: Any) -> tuple[npt.NDArray[np.int64], int]:
    """A number for each row of whole numbers (n, d), equal for equal rows and in their order, and what it is below."""
    if rows.size <= FEW:  # for few rows one product takes a quarter of the time
        lows, highs = rows.min(axis=0, initial=0).tolist(), rows.max(axis=0, initial=0).tolist()
        bases = [high - low + 1 for low, high in zip(lows, highs, strict=True)]
        if bases and math.prod(bases) <= LARGEST:
            strides = np.cumprod([1, *bases[:0:-1]])[::-1]
            return rows.astype(np.int64, copy=False) @ strides - np.array(lows) @ strides, math.prod(bases)
    number, size = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        low = int(column.min(initial=0))
        base = int(column.max(initial=0)) - low + 1
        if base > LARGEST // size:
            number, size = _ranks(number)
        if base > LARGEST // size:
            column, base = _ranks(column)
            low = 0
        number *= base
        number += column.astype(np.int64) - low if low or column.dtype.kind != "b" else column
        size *= base
    return number, size


def _by_table(number: npt.NDArray[np.int64], size: int) -> EqualRows:
    """Group numbers below a size by a table of all of them, several times faster than by sorting."""
    first = np.empty(size, np.intp)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)  # of several writes the last stays: the first row
    present = np.zeros(size, bool)
    present[number] = True
    kinds = np.flatnonzero(present)
    place = np.empty(size, np.intp)
    place[kinds] = np.arange(len(kinds))
    return EqualRows(first[kinds], place[number])


def _ranks(values: Any) -> tuple[npt.NDArray[np.int64], int]:
    """The place of each value among the distinct ones in order, and how many these are."""
    distinct, place = np.unique(values, return_inverse=True)
    return place.astype(np.int64), len(distinct)


def _row_hashes(rows: Any, target: Any) -> npt.NDArray[np.uint64]:
    """A number for each row, equal where rows and targets are, and hardly ever equal where they are not."""
    n, d = rows.shape
    factor = np.random.default_rng(0).integers(0, 2**64, d + 1, dtype=np.uint64) | np.uint64(1)
    is_sparse = issparse(rows)

    def hashed(start: int) -> Any:
        if is_sparse:
            block = sparse_rows(rows, start, min(start + step, n))
            return csr_matrix((_bits(block.data), block.indices, block.indptr), block.shape) @ factor[:-1]
        return _bits(rows[start : start + step]) @ factor[:-1]

    step = max(BLOCK // ((rows.nnz // max(n, 1) if is_sparse else d) + 1), 1)
    key = np.concatenate(list(map_ordered(hashed, range(0, max(n, 1), step))))
    return key if target is None else key + _bits(target) * factor[-1]


def _bits(values: Any) -> npt.NDArray[np.uint64]:
    """Numbers as whole numbers whose high bits, which differ, are also in the low half, which a product keeps."""
    bits = (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)  # the sum has one zero only
    return bits ^ (bits >> np.uint64(32))


def _are_equal(rows: Any, target: Any, one: Any, other: Any) -> npt.NDArray[np.bool_]:
    """Say for each pair of rows whether they are equal."""
    if not len(one):
        return np.empty(0, bool)
    same = np.asarray((rows[one] != rows[other]).sum(axis=1)).ravel() == 0
    return same if target is None else same & (target[one] == target[other])
