"""Seconds: contenders take turns within each round, so that what slows the machine slows all of them."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Rounds:
    """How many rounds: at least `least`; short ones go on until `seconds` have passed or there are `most`."""

    least: int
    seconds: float
    most: int


FULL = Rounds(least=5, seconds=6.0, most=25)
QUICK = Rounds(least=5, seconds=1.0, most=9)


def interleave(
    calls: Mapping[str, Callable[[], object]], rounds: Rounds, clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds of each call in each round; the call that goes first changes from round to round."""
    names = list(calls)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    begin, done = clock(), 0
    while names and (done < rounds.least or (done < rounds.most and clock() - begin < rounds.seconds)):
        first = done % len(names)
        for name in names[first:] + names[:first]:
            seconds[name].append(_timed(calls[name], clock))
        done += 1
    return seconds


def _timed(call: Callable[[], object], clock: Clock) -> float:
    gc.collect()  # the garbage of one call is not charged to the next
    begin = clock()
    call()
    return clock() - begin


def median_ratio(theirs: Sequence[float], ours: Sequence[float]) -> float:
    """The median over rounds of their time over ours: above 1, ours is ahead.

    >>> median_ratio([2.0, 9.0, 3.0], [1.0, 1.0, 1.0])
    3.0
    """
    return median(b / a for a, b in zip(ours, theirs, strict=True))


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The e of value ∝ size^e, by least squares on logarithms.

    >>> round(exponent([10, 100, 1000], [3, 300, 30000]), 6)
    2.0
    """
    from math import log
    from statistics import linear_regression

    return linear_regression([log(size) for size in sizes], [log(value) for value in values]).slope
