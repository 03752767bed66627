"""What a family of concepts can distinguish: its dichotomies, the sets it shatters, its VC dimension.

    a set is shattered                       every one of its 2ᴾ labellings is some concept's
    VC dimension                             the size of the largest set that is shattered
    Sauer, Shelah                            a family of VC dimension d labels n points in at most Σ_{i≤d} C(n, i) ways
    Cover                                    half-spaces through 0 label P points in 2 Σ_{k<N} C(P−1, k) ways

A family is an object with `dichotomies(points)`, or a plain function of the points that gives the same: the labellings
it can produce, as rows of booleans. What it says of all points says everything of each subset.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_points, whole_number
from novacula.errors import DataError, InputTypeError
from novacula.theory.derivation.spaces import cover_work, dichotomies_work, dimension_work, growth_work
from novacula.theory.results import DerivedInt
from novacula.words import quoted

MAX_READS = 10**9
"""Labels that a search for shattered sets may read, which takes some seconds."""


class Family(Protocol):
    """Concepts over points in space."""

    def dichotomies(self, points: Floats) -> Iterable[npt.ArrayLike]:
        """Give the labellings of the points (P, N) that some concept produces, each P booleans."""
        ...


Labels: TypeAlias = npt.NDArray[np.bool_]
AnyFamily: TypeAlias = Family | Callable[[Floats], Iterable[npt.ArrayLike]]


def count_dichotomies(points: npt.ArrayLike, family: AnyFamily) -> DerivedInt:
    """Count the labellings of the points, one per row, that some concept of the family produces.

    >>> from novacula.theory import HalfSpaces
    >>> count_dichotomies([[0, 0], [0, 1], [1, 0], [1, 1]], HalfSpaces())
    14
    """
    labels = labellings(family, as_points(points))
    return DerivedInt(len(labels), partial(dichotomies_work, labels=labels))


def cover_dichotomies(P: int, N: int) -> DerivedInt:
    """Count the dichotomies of P points in N dimensions by half-spaces through the origin, by Cover's formula.

    It holds in general position: of the points, as vectors, no N or fewer are dependent. Otherwise it bounds them.
    Half-spaces that need not pass through the origin are those through the origin of one dimension more.

    >>> cover_dichotomies(4, 3)  # four points in the plane, lines anywhere
    14
    """
    P, N = whole_number(P, "P"), whole_number(N, "N")
    count = 1 if P == 0 else 2 * growth_function(P - 1, N - 1) if N else 0
    return DerivedInt(count, partial(cover_work, P=P, N=N))


def growth_function(n: int, vc: int) -> DerivedInt:
    """Bound the dichotomies of n points by a family of VC dimension vc, by the lemma of Sauer and Shelah: Σ C(n, i).

    >>> [growth_function(n, 2) for n in range(6)]
    [1, 2, 4, 7, 11, 16]
    """
    n, vc = whole_number(n, "n"), whole_number(vc, "vc")
    count = 2**n if vc >= n else sum(math.comb(n, i) for i in range(vc + 1))
    return DerivedInt(count, partial(growth_work, n=n, vc=vc))


def vc_dimension(family: AnyFamily, points: npt.ArrayLike) -> DerivedInt:
    """Give the size of the largest subset of the points that the family shatters.

    It is the VC dimension of the family on these points, and no more than that on all of space.

    >>> from novacula.theory import Rectangles
    >>> vc_dimension(Rectangles(), [[0, 1], [1, 0], [0, -1], [-1, 0], [0, 0]])
    4
    """
    labels = labellings(family, as_points(points))
    chosen = largest_shattered(labels)
    return DerivedInt(len(chosen), partial(dimension_work, labels=labels, chosen=chosen))


def shattered(family: AnyFamily, points: npt.ArrayLike) -> tuple[int, ...]:
    """Give the largest subset of the points that the family shatters, as indices of rows; ties go to the first.

    >>> from novacula.theory import Intervals
    >>> shattered(Intervals(), [1.0, 1.0, 4.0, 9.0])
    (0, 2)
    """
    return largest_shattered(labellings(family, as_points(points)))


def largest_shattered(labels: Labels) -> tuple[int, ...]:
    """The largest set of columns in which the rows (m, P) are all there can be; ties go to the first.

    A set is extended by later columns only while it is shattered itself. Its `codes` number the rows by what they
    say there, and n rows that say the same of it can shatter at most log₂ n further columns.
    """
    m, P = labels.shape
    best: tuple[int, ...] = ()
    alike = np.zeros(m, np.int64)
    ahead: list[tuple[tuple[int, ...], npt.NDArray[np.int64]]] = [((i,), alike) for i in reversed(range(P))]
    looks = 0
    while ahead and 2 ** (len(best) + 1) <= m:
        chosen, coarser = ahead.pop()
        if len(chosen) + P - 1 - chosen[-1] <= len(best):
            continue
        looks += 1
        if looks * m > MAX_READS:
            raise DataError(f"the search through the subsets of {P} points takes too long: give fewer points")
        codes = 2 * coarser + labels[:, chosen[-1]]
        fewest = int(np.bincount(codes, minlength=2 ** len(chosen)).min())
        if fewest:
            best = max(best, chosen, key=len)
            if len(chosen) + math.floor(math.log2(fewest)) > len(best):
                ahead.extend(((*chosen, i), codes) for i in reversed(range(chosen[-1] + 1, P)))
    return best


def labellings(family: AnyFamily, points: Floats) -> Labels:
    """The distinct labellings (m, P) that a family says it can produce, checked."""
    if isinstance(family, type):
        raise InputTypeError(f"{family.__name__} is a class; give a family of it, as in {family.__name__}()")
    produce = getattr(family, "dichotomies", family)
    if not callable(produce):
        raise InputTypeError(
            f"{quoted(family)} is not a family: give an object with dichotomies(points), or a function"
        )
    given = produce(points)
    if not isinstance(given, Iterable):
        raise InputTypeError(f"the family gave {quoted(given)}; give labellings, each with one boolean per point")
    rows = [np.asarray(row) for row in given]
    if not rows or any(row.shape != (len(points),) for row in rows):
        raise DataError(f"a family gives at least one labelling, each with {len(points)} booleans for as many points")
    labels = np.array(rows)
    if labels.dtype.kind not in "biuf" or not np.isin(labels, (0, 1)).all():
        raise DataError("the family gave labels other than True and False, or 1 and 0")
    return np.unique(labels.astype(np.bool_), axis=0)
