"""Families of concepts in space, each by the labellings of points, the dichotomies, that it can produce.

Half-spaces, boxes along the axes and intervals are those of the textbook's theorems; any other family is a function
of the points, or an object like these (`novacula.theory.Family`).

Half-spaces are found by linear programming. Signs sᵢ = ±1 of the points are given by one if some normal w leaves a
margin, sᵢ·w·xᵢ ≥ t > 0. Signs are extended point by point, and only those that can be given are extended further.
So the cost follows the number of dichotomies, about Pᴺ for P points in N dimensions, and not 2ᴾ.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_points
from novacula.errors import DataError
from novacula.theory.shattering import Labels, cover_dichotomies

MARGIN = 1e-9
"""Unit vectors within this of a degenerate position are taken to be in it; the solver sees no smaller margins."""
ROUNDING = 64 * np.finfo(np.float64).eps
"""What rounding may leave of a constant column about its mean, as a share of its size."""
SAFE = 1e-6
"""A normal this far from a point is not bettered."""
BLOCK = 256
"""Programs that are solved together."""
MAX_PROGRAMS = 50_000
MAX_BOXES = 2**16
"""Beyond these, a count would take minutes."""


@dataclass(frozen=True)
class HalfSpaces:
    """One side of a hyperplane, {x : w·x > b}; with `through_origin`, b = 0.

    No point lies on the boundary. Points that a rounding error keeps from lying on one line, or in one place, are
    taken to do so: margins below 1e-9 of the points' spread count as none.

    >>> len(HalfSpaces().dichotomies([[0, 0], [0, 1], [1, 0], [1, 1]]))  # all but the two of exclusive or
    14
    """

    through_origin: bool = False

    def dichotomies(self, points: npt.ArrayLike) -> Labels:
        """Give the labellings of the points by half-spaces, in no particular order."""
        places = as_points(points)
        if not len(places):
            return np.ones((1, 0), np.bool_)
        directions = unit_directions(places, self.through_origin)
        programs = accumulate(cover_dichotomies(p, directions.shape[1]) // 2 for p in range(1, len(directions)))
        if any(total > MAX_PROGRAMS for total in programs):
            raise DataError(
                f"{len(places)} points in {places.shape[1]} dimensions may take more than {MAX_PROGRAMS} linear "
                f"programs: give fewer, or take cover_dichotomies if they are in general position"
            )
        half = separable_signs(directions) > 0
        return np.concatenate([half, ~half])  # −w labels the other way round


@dataclass(frozen=True)
class Rectangles:
    """Boxes with sides along the axes, of any position and size; the empty one is among them.

    >>> len(Rectangles().dichotomies([[0, 1], [1, 0], [0, -1], [-1, 0]]))  # all 2⁴
    16
    """

    def dichotomies(self, points: npt.ArrayLike) -> Labels:
        """Give the labellings of the points by boxes, that of the empty box first."""
        places = as_points(points)
        inside = [((low <= places) & (places <= high)).all(axis=1) for low, high in bounding_boxes(places)]
        return np.array([np.zeros(len(places), np.bool_), *inside])


@dataclass(frozen=True)
class Intervals:
    """Intervals of a line, [a, b]; the empty one is among them.

    >>> len(Intervals().dichotomies([1, 2, 3]))  # all but that of the two ends
    7
    """

    def dichotomies(self, points: npt.ArrayLike) -> Labels:
        """Give the labellings of the points by intervals, that of the empty interval first."""
        places = as_points(points)
        if places.shape[1] != 1:
            raise DataError(f"intervals are on a line, and the points have {places.shape[1]} columns: take Rectangles")
        return Rectangles().dichotomies(places)


# --- half-spaces --------------------------------------------------------------------------------------------


def unit_directions(points: Floats, through_origin: bool) -> Floats:
    """Vectors of length 1 with the dichotomies that the points have, as few-dimensional as they can be: (P, r).

    Half-spaces whose border may miss the origin are those through the origin of one dimension more, with a 1 appended
    to each point. Neither an invertible map of space nor the length of a vector matters to a side, so the columns are
    made orthonormal; directions in which the points do not spread are left out.
    """
    vectors = over_largest(points)
    if not through_origin:
        centred = vectors - vectors.mean(axis=0)
        vectors = np.column_stack([over_largest(centred, ROUNDING), np.ones(len(vectors))])
    at_origin = ~vectors.any(axis=1)
    if at_origin.any():
        row = int(np.argmax(at_origin)) + 1
        raise DataError(f"the point in row {row} is the origin, which lies on every boundary: leave it out")
    u, spread, _ = np.linalg.svd(over_largest(vectors.T).T, full_matrices=False)
    u = u[:, spread > MARGIN * spread[0]]
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def over_largest(columns: Floats, floor: float = 0.0) -> Floats:
    """Columns whose largest entry is 1 in size; those with none above the floor become 0."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    return np.divide(columns, largest, out=np.zeros_like(columns), where=largest > floor)


def separable_signs(directions: Floats) -> Floats:
    """The signs ±1 (m, P) that hyperplanes give to the directions (P, r), those with +1 for the first.

    A normal that is known to separate the first points is on one side of the next: that sign is for free.
    """
    signs, normals = np.ones((1, 1)), directions[:1]
    for p in range(2, len(directions) + 1):
        sides = np.repeat([1.0, -1.0], len(signs))
        signs, normals = np.column_stack([np.tile(signs, (2, 1)), sides]), np.tile(normals, (2, 1))
        asked = np.flatnonzero(sides * (normals @ directions[p - 1]) < SAFE)
        for start in range(0, len(asked), BLOCK):
            block = asked[start : start + BLOCK]
            normals[block] = widest_normals(signs[block, :, None] * directions[:p])
        kept = (signs * (normals @ directions[:p].T)).min(axis=1) > MARGIN
        signs, normals = signs[kept], normals[kept]
    return signs


def widest_normals(vectors: Floats) -> Floats:
    """For each set of vectors (m, p, r) the normal w in [−1, 1]ʳ whose smallest product with one is largest: (m, r).

    The m programs share no variable, so they are solved as one, at a fraction of the price.
    """
    from scipy.optimize import linprog
    from scipy.sparse import bsr_array

    m, p, r = vectors.shape
    blocks = np.concatenate([-vectors, np.ones((m, p, 1))], axis=2)  # t − w·v ≤ 0
    constraints = bsr_array((blocks, np.arange(m), np.arange(m + 1)), shape=(m * p, m * (r + 1))).tocsr()
    solved = linprog(
        np.tile([*np.zeros(r), -1.0], m),
        constraints,
        np.zeros(m * p),
        bounds=(-1.0, 1.0),
        method="highs",
        options={"primal_feasibility_tolerance": MARGIN / 10, "dual_feasibility_tolerance": MARGIN / 10},
    )
    if not solved.success:  # w = 0 and t = 0 are feasible and w is bounded, so this is the solver's failure
        raise DataError(f"the linear program of a half-space was not solved ({solved.message}): try fewer points")
    return solved.x.reshape(m, r + 1)[:, :r]


# --- boxes --------------------------------------------------------------------------------------------------


def bounding_boxes(points: Floats) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
    """Lower and upper corner of every box that some of the points span."""
    places = set(map(tuple, points.tolist()))
    found = {(place, place) for place in places}
    ahead = list(found)
    for low, high in ahead:  # which grows until no box can be stretched to one that is new
        new = {(tuple(map(min, low, x)), tuple(map(max, high, x))) for x in places} - found
        found |= new
        ahead.extend(new)
        if len(found) > MAX_BOXES:
            raise DataError(f"the {len(points)} points span more than {MAX_BOXES} boxes: give fewer points")
    return sorted(found)
