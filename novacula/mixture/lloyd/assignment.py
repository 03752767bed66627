"""The nearest centre of each row: products in single precision rule out nearly all centres, exact distances decide.

    u²(‖x − c‖² − ‖x − m‖²) = u²‖c − m‖² − 2u(c − m)·u(x − m)

The right side is one matrix product of rows and centres seen from the middle m of the data, in units 1/u of their
reach. Rounding moves it by a known bound; where the two least products lie closer than that, exact distances are
computed. So the answer is that of exact distances alone, which lose no digits near zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import Floats

PRODUCTS = 2**18
"""Products that are computed together, 1 MB: threads wait for each other between the steps of a block."""
HALF_ULP = 2.0**-24
"""Relative rounding error of single precision."""
FAR = 1e15
"""Units from which on a row is too far off for single precision."""
BEYOND = 1e200
"""A reach that leaves nothing to products: its square is infinite."""
SMALLEST = 1e-150
"""The least reach that counts as one: squares of units must not overflow."""
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """How rows are seen: from an origin near them, about a middle (an offset from it), in units of 1/unit.

    The origin is 0, unless the data lie so far off that their digits would be lost in sums: then it is amid them.
    """

    origin: Floats  # (d,)
    middle: Floats  # (d,)
    unit: float

    @classmethod
    def of(cls, low: Floats, high: Floats, mean: Floats) -> Self:
        """The space of rows between low and high (d,). All but the middle is the same for any order of the rows."""
        half = high / 2.0 - low / 2.0
        middle = low + half
        origin = np.where(np.abs(middle) > 2.0 * half, middle, 0.0)
        reach = float(np.sqrt(len(half)) * half.max())
        return cls(origin, mean - origin, 1.0 / max(reach, SMALLEST))

    def offsets(self, x: Floats) -> Floats:
        """Rows x (n, d) as they are seen from the origin: the same array, where that is 0."""
        return np.asarray(x - self.origin) if self.origin.any() else x

    @classmethod
    def around(cls, origin: Floats, centres: Floats) -> Self:
        """The space of rows that are near centres (K, d)."""
        middle = (centres - origin).mean(axis=0)
        reach = float(np.sqrt(((centres - origin - middle) ** 2).sum(axis=1).max()))
        return cls(origin, middle, 1.0 / max(reach, SMALLEST))


@dataclass(frozen=True, slots=True, eq=False)
class Centres:
    """K centres as offsets from the origin of a space, and lifted for products."""

    space: Space
    offset: Floats  # (K, d)
    lifted: npt.NDArray[np.float32]  # (K, d + 1)
    reach: float

    @classmethod
    def of(cls, space: Space, offset: Floats) -> Self:
        """Lift centres."""
        lifted = np.empty((len(offset), offset.shape[1] + 1), np.float32)
        with np.errstate(over="ignore"):  # a centre too far off for single precision: see `fits`
            gap = space.unit * (offset - space.middle)
            square = np.einsum("kj,kj->k", gap, gap)
            lifted[:, :-1], lifted[:, -1] = -2.0 * gap, square
        return cls(space, np.ascontiguousarray(offset), lifted, float(np.sqrt(square.max())))

    def products(self, lifted: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The products (K, n) with lifted rows (n, d + 1); zeros, if the centres do not fit."""
        if not self.fits:
            return np.zeros((len(self.offset), len(lifted)), np.float32)
        return np.asarray(self.lifted @ lifted.T)

    @property
    def fits(self) -> bool:
        """Whether products with rows that fit into single precision do, too."""
        return self.reach < FAR


def centres_at(origin: Floats, centres: Floats) -> Centres:
    """Centres (K, d) in a space around them, seen from an origin."""
    return Centres.of(Space.around(origin, centres), centres - origin)


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """For each of n rows its centre, the squared distance to it, and what every other centre is beyond."""

    label: npt.NDArray[np.int32]
    square: Floats
    lower: Floats

    @classmethod
    def empty(cls, n: int) -> Self:
        """Of rows that have not been assigned."""
        return cls(np.zeros(n, np.int32), np.zeros(n), np.zeros(n))

    @classmethod
    def of(cls, x: Floats, centres: Centres) -> Self:
        """Of rows x (n, d), offsets from the origin."""
        assignment, step = cls.empty(len(x)), rows_per_block(len(centres.offset))
        for start in range(0, len(x), step):
            part = x[start : start + step]
            assignment.rows(start, start + step).assign(part, centres, np.arange(len(part)))
        return assignment

    def rows(self, start: int, stop: int) -> Self:
        """Rows start to stop, as views."""
        return type(self)(self.label[start:stop], self.square[start:stop], self.lower[start:stop])

    def assign(self, x: Floats, centres: Centres, rows: npt.NDArray[np.int64]) -> None:
        """Find the nearest centres of these rows of a block x (n, d), in place."""
        from novacula.mixture.lloyd._kernels import lift, settle

        space, reach = centres.space, centres.reach if centres.fits else BEYOND
        lifted, size = np.empty((len(rows), x.shape[1] + 1), np.float32), np.empty(len(rows))
        lift(x, rows, space.middle, space.unit, FAR, lifted, size)
        products = centres.products(lifted)
        rounding = 2.0 * (x.shape[1] + 4) * HALF_ULP
        known = self.label, self.square, self.lower
        settle(x, rows, centres.offset, products, size, reach, rounding, space.unit, *known)


def rows_per_block(n_clusters: int) -> int:
    """Rows that are assigned together."""
    return max(256, min(PRODUCTS // n_clusters, 16384))


def distances(x: Floats, centres: Centres) -> Floats:
    """The distance of each of rows x (n, d) to each centre: (n, K), column by column so that no difference cancels."""
    total = np.zeros((len(x), len(centres.offset)))
    for column, offset in zip(x.T, centres.offset.T, strict=True):
        total += (column[:, None] - offset) ** 2
    return np.asarray(np.sqrt(total))
