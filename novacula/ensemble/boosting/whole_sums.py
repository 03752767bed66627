"""Numbers as whole numbers of a unit: their sums are exact, and so the same in any order.

Units are powers of two, by which dividing rounds nothing; they are chosen from the largest number of all rows, which
does not depend on their order either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from novacula.table.chunk import Floats

LANE_BITS = 30
"""Bits of the largest number in a lane of 32: sums of 2³² of them fit into 64."""
LIMB_BITS = 30


def unit_of(largest: float, bits: int = LANE_BITS) -> float:
    """The power of two of which the largest number is at most 2^bits; 1 where there is none but 0."""
    if not 0.0 < largest < math.inf:
        return 1.0
    return math.ldexp(1.0, max(math.frexp(largest)[1] - bits, -1000))


@dataclass(frozen=True)
class WholeSum:
    """A sum of numbers as two whole numbers of two units, and the sum of their weights likewise."""

    high: int
    low: int

    def __add__(self, other: Self) -> Self:
        return type(self)(self.high + other.high, self.low + other.low)

    @classmethod
    def of(cls, numbers: Floats, unit: float) -> Self:
        """Of numbers that are below 2³⁰ units."""
        scaled = numbers / unit
        high = np.floor(scaled)
        low = np.rint((scaled - high) * (1 << LIMB_BITS))
        return cls(int(high.astype(np.int64).sum()), int(low.astype(np.int64).sum()))

    def exact(self, unit: float) -> Fraction:
        """The sum."""
        return (self.high + Fraction(self.low, 1 << LIMB_BITS)) * Fraction(unit)
