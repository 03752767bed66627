"""The laws of statistics, as a check for anyone's statistic.

A statistic that passes may be reduced in any pieces and in any order: in memory, from files, on a cluster.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import add
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.statistics.base import Statistic
from novacula.table.chunk import Chunk, Floats

Observe: TypeAlias = Callable[[Chunk], Statistic]

FAR = 1e8
"""How far columns are moved to see whether sums of squares cancel."""
GRID = 2.0**-20
"""Numbers are rounded to this grid before they are moved, so that moving them is exact."""
HUGE = 1e300
"""What rows of weight 0 hold: its square is infinite, and 0 · ∞ would spoil any sum it enters."""


def check_statistic(
    observe: Observe,
    chunk: Chunk,
    zero: Statistic,
    *,
    exact: bool = False,
    rtol: float = 1e-9,
    unmoved: Sequence[str] = (),
    random_state: int = 0,
) -> None:
    """Raise AssertionError, with the law in a sentence, if a statistic breaks one on the rows of a chunk.

    With `exact` the laws must hold to the bit, otherwise up to `rtol` of the largest entry of an array.
    `unmoved` names attributes that do not change when a constant is added to a numeric column, such as a sum
    of squared deviations: they must not cancel when that constant is 1e8.
    """
    rng = np.random.default_rng(random_state)
    tolerance = 0.0 if exact else rtol
    _check_identity(observe(chunk), zero)
    _check_travel(observe(chunk))
    a, b, c = (observe(piece) for piece in cut(chunk, rng.integers(0, len(chunk) + 1, size=2)))
    _check_sums(a, b, c, tolerance)
    _check_pieces(observe, chunk, zero, tolerance, rng)
    _check_repetition(observe, chunk, tolerance, rng)
    _check_weightless(observe, chunk, tolerance, rng)
    for fault in observe(chunk).propagates:
        _check_propagation(observe, chunk, fault)
    for name in unmoved:
        _check_cancellation(observe, chunk, name)


def _check_identity(observed: Statistic, zero: Statistic) -> None:
    _require(zero + zero, zero, "zero + zero must be zero")
    _require(zero + observed, observed, "zero + s must be s to the bit")
    _require(observed + zero, observed, "s + zero must be s to the bit")


def _check_travel(observed: Statistic) -> None:
    _require(pickle.loads(pickle.dumps(observed)), observed, "a statistic must survive pickling")  # noqa: S301


def _check_sums(a: Statistic, b: Statistic, c: Statistic, tolerance: float) -> None:
    before = pickle.dumps((a, b))
    both = a + b
    for operand, copy in zip((a, b), pickle.loads(before), strict=True):  # noqa: S301
        _require(operand, copy, "a + b must not change a or b")
    _require(both, b + a, "a + b must be b + a", tolerance)
    _require(both + c, a + (b + c), "(a + b) + c must be a + (b + c)", tolerance)


def _check_pieces(observe: Observe, chunk: Chunk, zero: Statistic, tolerance: float, rng: np.random.Generator) -> None:
    whole = observe(chunk)
    cuts = {
        "at random places": rng.integers(0, len(chunk) + 1, size=5),
        "into an empty piece and the rest": np.array([0]),
        "into single rows": np.arange(1, min(len(chunk), 40)),
    }
    for where, places in cuts.items():
        parts = [observe(piece) for piece in cut(chunk, places)]
        _require(reduce(add, parts, zero), whole, f"rows cut {where} must add up to the whole", tolerance)


def _check_repetition(observe: Observe, chunk: Chunk, tolerance: float, rng: np.random.Generator) -> None:
    rows = np.arange(len(chunk))
    times = rng.integers(0, 4, size=len(chunk))
    weighted = take(chunk, rows, times.astype(np.float64))
    repeated = take(chunk, np.repeat(rows, times), np.ones(times.sum()))
    _require(observe(weighted), observe(repeated), "a weight must count as that many repetitions", tolerance)


def _check_weightless(observe: Observe, chunk: Chunk, tolerance: float, rng: np.random.Generator) -> None:
    both = Chunk.concatenate([chunk, spoil(chunk)])
    weight = np.concatenate([chunk.weight, np.zeros(len(chunk))])
    order = rng.permutation(len(both))
    original = order[order < len(chunk)]
    mixed, alone = take(both, order, weight[order]), take(chunk, original, weight[original])
    _require(observe(mixed), observe(alone), "a row of weight 0 must have no effect", tolerance)


def _check_cancellation(observe: Observe, chunk: Chunk, name: str) -> None:
    here, there = (np.asarray(getattr(observe(moved(chunk, distance)), name), np.float64) for distance in (0.0, FAR))
    gap, allowed = np.abs(there - here).max(initial=0.0), 1e-6 * np.abs(here).max(initial=1.0)
    if not gap <= allowed:
        raise AssertionError(f"{name} must not cancel: {FAR:g} away from 0 it changes by {gap:.3g}")


def _check_propagation(observe: Observe, chunk: Chunk, fault: str) -> None:
    """A statistic that claims that missing or infinite values make its sums not finite must not hide one."""
    ends = ((0, 0), (len(chunk) - 1, chunk.numeric.shape[1] - 1)) if chunk.numeric.size else ()
    for row, column in ends:
        numbers, weight = chunk.numeric.copy(), chunk.weight.copy()
        numbers[row, column], weight[row] = (np.nan if fault == "missing" else np.inf), 1.0
        with np.errstate(all="ignore"):
            observed = observe(chunk) + observe(replace(chunk, numeric=numbers, weight=weight))
        if all(np.isfinite(array).all() for array in observed.arrays().values()):
            raise AssertionError(f"it claims to propagate {fault} values, but with one all its numbers stay finite")


def cut(chunk: Chunk, places: npt.NDArray[np.integer]) -> list[Chunk]:
    """Cut a chunk before each of these rows; equal places make empty pieces."""
    bounds = [0, *np.sort(places).tolist(), len(chunk)]
    return [chunk.rows(start, stop) for start, stop in pairwise(bounds)]


def take(chunk: Chunk, rows: npt.NDArray[np.integer], weight: Floats) -> Chunk:
    """Give the named rows of a chunk, with these weights."""
    return Chunk(
        chunk.numeric[rows],
        chunk.codes[rows],
        weight,
        None if chunk.sparse is None else chunk.sparse[rows],
        tuple(column[rows] for column in chunk.text),
        None if chunk.target is None else chunk.target[rows],
    )


def spoil(chunk: Chunk) -> Chunk:
    """The same rows with huge numbers and a new word in them; codes stay, since they are places in tables."""
    sparse, target = chunk.sparse, chunk.target
    if sparse is not None:
        sparse = sparse.copy()
        sparse.data[:] = -HUGE
    if target is not None and target.dtype == np.float64:
        target = np.full_like(target, HUGE)
    word = tuple(np.full(len(column), "\N{DAGGER}", dtype=object) for column in chunk.text)
    return Chunk(np.full_like(chunk.numeric, -HUGE), chunk.codes, chunk.weight, sparse, word, target)


def moved(chunk: Chunk, distance: float) -> Chunk:
    """The chunk with its numbers rounded to a grid and then moved: exactly, unless they are large."""
    numeric = np.round(chunk.numeric / GRID) * GRID + distance
    target = chunk.target
    if target is not None and target.dtype == np.float64:
        target = np.round(target / GRID) * GRID + distance
    return Chunk(numeric, chunk.codes, chunk.weight, chunk.sparse, chunk.text, target)


def _require(actual: Statistic, expected: Statistic, law: str, tolerance: float = 0.0) -> None:
    if difference := actual.departure(expected, tolerance):
        raise AssertionError(f"{law}, but {difference}")
