"""The width under which rows that are left out are likeliest (Duin 1976).

    L(s) = (1/W) Σ wᵢ ln p̂₍₋ᵢ₎(xᵢ)       over multiples s of Scott's width

Rows of weight w count w times, and one repetition is left out. L is tried at every octave, then the best of them is
closed in by golden sections. These compare values and nothing else, so that rounding does not move where they end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from novacula.errors import DataError
from novacula.learner.iterate import Outcome, iterate
from novacula.state import State, floats
from novacula.table.chunk import Floats

OCTAVES = range(-6, 9)
"""Multiples of Scott's width that are tried first, as powers of two."""
CLOSE = 1e-3
"""How narrow, as a difference of logarithms, the last section is."""
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
LARGEST = 30_000
"""Rows up to which all are left out: 9e8 pairs for each of some thirty widths, about a minute."""


@dataclass(frozen=True, slots=True, eq=False)
class BandwidthTrials:
    """The widths that were tried, as multiples of Scott's, in order, and L of each."""

    state: ClassVar[State] = {
        "multiple": floats("tried", above=0.0),
        "likelihood": floats("tried", finite=False),  # −∞ where no kernel reaches a row that is left out
    }

    multiple: Floats  # (k,)
    likelihood: Floats  # (k,)

    @property
    def best(self) -> float:
        """The likeliest multiple."""
        return float(self.multiple[np.argmax(self.likelihood)])


def likeliest(mean_log_density: Callable[[float], float]) -> BandwidthTrials:
    """Find the multiple with the largest L."""
    tried: dict[float, float] = {}

    def ask(log_multiple: float) -> float:
        if log_multiple not in tried:
            tried[log_multiple] = mean_log_density(math.exp(log_multiple))
        return tried[log_multiple]

    octave = math.log(2.0)
    values = [ask(k * octave) for k in OCTAVES]
    best = int(np.argmax(values))
    if best in (0, len(values) - 1):
        reason = "rows are so far off that the wider" if best > 0 else "rows are at one place, so that the narrower"
        raise DataError(
            f"rows that are left out have no likeliest bandwidth: {reason} the better; give bandwidth as a number, or "
            f"take 'silverman'"
        )
    _close_in(ask, (OCTAVES[best] - 1) * octave, (OCTAVES[best] + 1) * octave)
    order = sorted(tried)
    return BandwidthTrials(np.exp(order), np.array([tried[place] for place in order]))


Section: TypeAlias = tuple[float, float, float, float]


def _close_in(ask: Callable[[float], float], low: float, high: float) -> None:
    """Golden sections of (low, high) around a maximum, each with one new value."""

    def cut(section: Section) -> tuple[Section | Outcome, float]:
        a, left, right, b = section
        better = max(ask(left), ask(right))
        if b - a < CLOSE:
            return Outcome.CONVERGED, better
        if ask(left) >= ask(right):
            return (a, right - GOLDEN * (right - a), left, right), better
        return (left, right, left + GOLDEN * (b - left), b), better

    whole = (low, high - GOLDEN * (high - low), low + GOLDEN * (high - low), high)
    iterate(cut, whole, max_iter=100, tol=None, direction="up")


def require_few(n: int) -> None:
    """Refuse more rows than all pairs can be made of in a minute."""
    if n > LARGEST:
        raise DataError(
            f"bandwidth='cv_ml' sums over all pairs of {n} rows, {n * n:.1e} of them for each of some thirty widths; "
            f"beyond {LARGEST} rows fit a sample, or take 'isj' or 'silverman'"
        )
