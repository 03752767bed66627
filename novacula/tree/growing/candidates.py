"""What was found for each attribute at the first nodes of a tree, kept for its derivation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.state import State, floats, indices, wholes
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """What was found at r nodes; the first array of every kind is `node`, and all have a row for each."""

    node: Longs  # (r,)

    def renumbered(self, number: Longs) -> Self:
        """Those of the nodes that are still there; number[i] is the new number of node i, −1 where it is gone."""
        new = number[self.node]
        rows = np.flatnonzero(new >= 0)
        order = rows[np.argsort(new[rows], kind="stable")]
        others = (getattr(self, field.name)[order] for field in fields(self)[1:])
        return type(self)(new[order], *others)


@dataclass(frozen=True, slots=True, eq=False)
class ClassCandidates(Candidates):
    """What was found for each attribute at the first nodes where tests were tried: r nodes, F attributes, K classes."""

    state: ClassVar[State] = {
        "node": indices("nodes", "examined"),
        "gain": floats("examined", "attributes", least=-1.0),
        "information": floats("examined", "attributes"),
        "threshold": floats("examined", "attributes", finite=False),  # NaN where there is none
        "below": floats("examined", "attributes", "classes", least=0.0),
        "missing": floats("examined", "attributes", "classes"),
        "tries": floats("examined", "attributes", least=0.0),
        "codes": floats("examined", "cells", "classes", least=0.0),
    }

    gain: Floats  # (r, F) −1 where no test was allowed
    information: Floats  # (r, F) split information in bits
    threshold: Floats  # (r, F) NaN for tests by category
    below: Floats  # (r, F, K) class weights of known values up to the threshold
    missing: Floats  # (r, F, K) class weights of missing values, for thresholds
    tries: Floats  # (r, F) thresholds that C4.5's rule makes a threshold pay for, 0 without that rule
    codes: (
        Floats  # (r, c, K) class weights of each code, the coded attributes side by side in the order of their places
    )

    @classmethod
    def none(cls, attributes: Sequence[Attribute], n_classes: int) -> Self:
        """Of no node."""
        F, cells = len(attributes), sum(a.size for a in attributes)
        flat, by_class = np.zeros((0, F)), np.zeros((0, F, n_classes))
        return cls(np.zeros(0, np.int64), flat, flat, flat, by_class, by_class, flat, np.zeros((0, cells, n_classes)))


@dataclass(frozen=True, slots=True, eq=False)
class NumberCandidates(Candidates):
    """The same for numbers: of each part of a node's examples the weight and the mean."""

    state: ClassVar[State] = {
        "node": indices("nodes", "examined"),
        "gain": floats("examined", "attributes", least=-1.0),
        "threshold": floats("examined", "attributes", finite=False),  # NaN where there is none
        "below": floats("examined", "attributes", 2),
        "missing": floats("examined", "attributes", 2),
        "codes": floats("examined", "cells", 2),
    }

    gain: Floats  # (r, F) by how much the mean squared deviation falls, −1 where no test was allowed
    threshold: Floats  # (r, F) NaN for tests by category
    below: Floats  # (r, F, 2) weight and mean of known values up to the threshold
    missing: Floats  # (r, F, 2) weight and mean of missing values, for thresholds
    codes: Floats  # (r, c, 2) weight and mean of each code, the coded attributes side by side in the order of places

    @classmethod
    def none(cls, attributes: Sequence[Attribute]) -> Self:
        """Of no node."""
        F, cells = len(attributes), sum(a.size for a in attributes)
        flat, pairs = np.zeros((0, F)), np.zeros((0, F, 2))
        return cls(np.zeros(0, np.int64), flat, flat, pairs, pairs, np.zeros((0, cells, 2)))


@dataclass(frozen=True, slots=True, eq=False)
class DeviationCandidates(Candidates):
    """The same for absolute deviations, which no sums of parts give: those of the branches of each best test."""

    state: ClassVar[State] = {
        "node": indices("nodes", "examined"),
        "gain": floats("examined", "attributes", least=-1.0),
        "threshold": floats("examined", "attributes", finite=False),  # NaN where there is none
        "divided": floats("examined", "attributes", least=0.0),
        "sides": floats("examined", "attributes", 2, least=0.0),
        "codes": floats("examined", "cells", least=0.0),
        "branch": wholes("examined", "cells", least=-1),
    }

    gain: Floats  # (r, F) by how much the mean absolute deviation falls, −1 where no test was allowed
    threshold: Floats  # (r, F) NaN for tests by category
    divided: Floats  # (r, F) the deviations of what a test divides: all examples, or those whose value is known
    sides: Floats  # (r, F, 2) of thresholds the deviations of the two branches
    codes: Floats  # (r, c) of tests by category the deviations of the branch of each code
    branch: Longs  # (r, c) the branch of each code, −1 where none was seen

    @classmethod
    def none(cls, attributes: Sequence[Attribute]) -> Self:
        """Of no node."""
        F, cells = len(attributes), sum(a.size for a in attributes)
        nothing, flat = np.zeros(0, np.int64), np.zeros((0, F))
        codes, branch = np.zeros((0, cells)), np.zeros((0, cells), np.int64)
        return cls(nothing, flat, flat, flat, np.zeros((0, F, 2)), codes, branch)
