"""How the time and the memory of a fit grow with rows and columns, compared with what the learner's card says."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from benchmarks import memory
from benchmarks.learners import LEARNERS, fitting, learner_class, some_families
from benchmarks.timing import Rounds, exponent, interleave
from benchmarks.workload import Survey

FULL = Rounds(least=3, seconds=0.4, most=7)
QUICK = Rounds(least=3, seconds=0.0, most=3)
QUICK_SIZES = 3
FLOOR = 1e6
"""Bytes below which what a fit takes besides its data is lost in the pages of the system."""


class GrowthCurves(Survey):
    """Both axes of a learner in one process, warmed up at its least size."""

    name = "growth_curves"
    title = "Growth with rows and columns"
    kind = "curves"

    def subjects(self, quick: bool) -> Sequence[str]:
        """All learners."""
        return some_families() if quick else list(LEARNERS)

    def measure(self, subject: str, quick: bool) -> dict[str, Any]:
        """A curve along each axis."""
        promised = learner_class(subject).card.cost_exponents
        curves = [_curve(subject, axis, quick) | {"card": promised.get(axis)} for axis in ("n", "d")]
        return {"axes": curves}

    def line(self, measured: dict[str, Any]) -> str:
        """The exponents in a line."""
        return ", ".join(f"time ∝ {curve['along']}^{curve['time_exponent']:.2f}" for curve in measured["axes"])


def _curve(subject: str, axis: str, quick: bool) -> dict[str, Any]:
    sizes = LEARNERS[subject].sizes(axis)[: QUICK_SIZES if quick else None]
    fitting(subject, *sizes[0])()
    measured = [_measure(subject, n, d, QUICK if quick else FULL) for n, d in sizes]
    seconds, extra = [list(column) for column in zip(*measured, strict=True)]
    place = 0 if axis == "n" else 1
    grown, held = [size[place] for size in sizes], sizes[0][1 - place]
    return {"along": axis, "sizes": grown, "held": held, "seconds": seconds, "extra": extra} | exponents(
        grown, seconds, extra
    )


def _measure(subject: str, n: int, d: int, rounds: Rounds) -> tuple[float, int | None]:
    """The median of some fits, and the most bytes that they held beyond what was there before."""
    fit = fitting(subject, n, d)
    before = memory.reset_peak()
    times = interleave({"fit": fit}, rounds)["fit"]
    return median(times), None if before is None else max(memory.peak_since() - before, 0)


def exponents(sizes: Sequence[int], seconds: Sequence[float], extra: Sequence[int | None]) -> dict[str, float | None]:
    """Of time over all sizes and over the last two, and of memory over the sizes where it can be seen.

    >>> growth = exponents([10, 100, 1000], [1.0, 2.0, 20.0], [0, 10**6, 10**8])
    >>> {name: round(value, 2) for name, value in growth.items()}
    {'time_exponent': 0.65, 'top_exponent': 1.0, 'memory_exponent': 2.0}
    """
    seen = [(size, more) for size, more in zip(sizes, extra, strict=True) if more is not None and more >= FLOOR]
    return {
        "time_exponent": exponent(sizes, seconds),
        "top_exponent": exponent(sizes[-2:], seconds[-2:]),
        "memory_exponent": exponent(*zip(*seen, strict=True)) if len(seen) > 1 else None,
    }
