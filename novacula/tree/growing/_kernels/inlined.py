"""How functions are compiled that only kernels call, and the simplest of them: rows of matrices, and a sort.

A row is named by its matrix and its place instead of a view, whose counting of references takes longer than the
arithmetic.
"""

from numba import njit

from novacula.compiling import BORROWED

INNER = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Functions that only other kernels call are compiled without an entry from Python."""
maker, inner = njit(**INNER), njit(**INNER, **BORROWED)
"""Of these, a maker makes arrays or calls one that does; all others only use those they are given."""
pasted = njit(**INNER, inline="always")
"""For a function with a single caller, whose source Numba reads as part of the caller's. Others are compiled by
themselves, with all that they call, and then once more in each caller: long chains of calls take long to compile."""


@inner
def zero_row(matrix, i):
    for k in range(matrix.shape[1]):
        matrix[i, k] = 0.0


@inner
def copy_row(matrix, i, other, j):
    for k in range(matrix.shape[1]):
        matrix[i, k] = other[j, k]


@inner
def add_row(matrix, i, other, j, sign):
    for k in range(matrix.shape[1]):
        matrix[i, k] += sign * other[j, k]


@inner
def row_sum(matrix, i):
    total = 0.0
    for k in range(matrix.shape[1]):
        total += matrix[i, k]
    return total


@inner
def sort_by_key(items, n, keys):
    """Put the first n items in the order of keys[item], rising, equals by item; Shell's sort."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            item = items[i]
            j = i
            while j >= gap:
                other = items[j - gap]
                if keys[other] < keys[item] or (keys[other] == keys[item] and other < item):
                    break
                items[j] = other
                j -= gap
            items[j] = item
        gap //= 2
