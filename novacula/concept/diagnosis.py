"""Why a version space is empty: contradictory labels, noise, or a concept that one conjunction cannot say.

Noise and a concept outside the space look alike to one conjunction. What can be found out is whether a disjunction of
two would do: whether the positives fall into two groups, each with a box that holds no negative.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TypeAlias

import numpy as np

from novacula.concept.base import ConceptExamples, RowNames, contradiction
from novacula.concept.conjunction import Conjunction, boxed, inside, join
from novacula.concept.space import ConjunctiveSpace
from novacula.concept.version_space import Box, VersionSpace

MAX_SPLITS = 20_000
"""Partial groupings of the positives that are tried before the question is given up."""

Pair: TypeAlias = tuple[Conjunction, Conjunction]


def collapsed_at(space: ConjunctiveSpace, examples: ConceptExamples, names: RowNames) -> int:
    """The row that empties the version space, one example after the other; what is empty stays empty."""

    def empty(n: int) -> bool:
        part = examples.first(n)
        return VersionSpace.of(space, part.positives, part.negatives).is_empty

    n = bisect_left(range(len(examples.positive) + 1), True, key=empty)
    return int(names.first[n - 1])


def diagnose(space: ConjunctiveSpace, examples: ConceptExamples, names: RowNames) -> str:
    """Say in a sentence why no conjunction fits the examples."""
    row = collapsed_at(space, examples, names)
    start = f"row {row} leaves no conjunction that fits"
    if rows := contradiction(examples, names):
        return f"{start}: rows {rows[0]} and {rows[1]} are the same instance with different labels, so there is noise"
    try:
        pair = two_terms(space, examples)
    except _UndecidedError:
        return f"{start}: there is noise, or the concept is not a conjunction; which of them could not be found out"
    if pair:
        return (
            f"{start}, but a disjunction of two does, {pair[0]} or {pair[1]}: the concept may lie outside the space of "
            f"conjunctions"
        )
    return f"{start}, nor does a disjunction of two: there is noise, or the concept is more involved"


class _UndecidedError(Exception):
    """The search for two terms was given up."""


def two_terms(space: ConjunctiveSpace, examples: ConceptExamples) -> Pair | None:
    """Two conjunctions of which at least one accepts each positive and none a negative, or None if there are none."""
    positives, negatives = examples.positives, examples.negatives
    stack: list[tuple[int, Box | None, Box | None]] = [(0, None, None)]
    looked_at: set[tuple[int, bytes]] = set()
    while stack:
        k, one, other = stack.pop()
        if k == len(positives):
            return _conjunction(space, one), _conjunction(space, other)
        row = positives[k][None]
        grown = [(_joined(space, one, row), other), (one, _joined(space, other, row))]
        for a, b in grown[: 1 if one is None else 2]:  # the first positive may as well go to the first term
            key = k + 1, _bytes(a) + b"|" + _bytes(b)
            if key not in looked_at and not any(t is not None and inside(*t, negatives).any() for t in (a, b)):
                looked_at.add(key)
                stack.append((k + 1, a, b))
        if len(looked_at) > MAX_SPLITS:
            raise _UndecidedError
    return None


def _joined(space: ConjunctiveSpace, box: Box | None, row: np.ndarray) -> Box:
    low, high = join(space, box, row, row)
    return low[0], high[0]


def _bytes(box: Box | None) -> bytes:
    return b"" if box is None else box[0].tobytes() + box[1].tobytes()


def _conjunction(space: ConjunctiveSpace, box: Box | None) -> Conjunction:
    return space.most_specific if box is None else boxed(space, box[0][None], box[1][None])
