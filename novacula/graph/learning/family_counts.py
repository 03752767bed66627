"""What whole families need of the rows: counts of states, and moments of numbers for each configuration of states.

    n(x, u)                 a discrete node x with parents u
    Σw, mean, scatter       of [regressors, node] in each configuration u of the discrete parents

All families of a network, or all candidates of a search, are counted in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from novacula.graph.learning.family_layout import FamilyLayout, Places, configuration
from novacula.graph.variables import Cells
from novacula.state import State, each, floats, number, record
from novacula.statistics.base import Statistic, require_same_layout, weighted_counts
from novacula.table.chunk import Chunk, Codes, Floats

JOINT_ROWS = 8192
"""Rows of a chunk that are worth the work of joining families."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupMoments(Statistic):
    """Weight, mean and scatter of p columns in each of q groups: q + qp + qp² numbers, for any number of rows."""

    state: ClassVar[State] = {
        "weight": floats("groups", least=0.0),
        "mean": floats("groups", "columns"),
        "scatter": floats("groups", "columns", "columns"),
    }

    weight: Floats  # (q,)
    mean: Floats  # (q, p)
    scatter: Floats  # (q, p, p)

    @classmethod
    def zero(cls, n_groups: int, n_columns: int) -> Self:
        """No rows."""
        shape = n_groups, n_columns
        return cls(np.zeros(n_groups), np.zeros(shape), np.zeros((*shape, n_columns)))

    @classmethod
    def of_rows(cls, values: Floats, group: npt.NDArray[np.integer], weight: Floats, n_groups: int) -> Self:
        """The moments of complete rows, each in one group."""
        n_columns = values.shape[1]
        total = weighted_counts(group, weight, n_groups)
        sums = np.stack([weighted_counts(group, weight * values[:, j], n_groups) for j in range(n_columns)], axis=1)
        mean = np.divide(sums, total[:, None], out=np.zeros_like(sums), where=total[:, None] > 0)
        gap = values - mean[group]
        scatter = np.empty((n_groups, n_columns, n_columns))
        for j in range(n_columns):
            for k in range(j + 1):
                cell = weighted_counts(group, weight * gap[:, j] * gap[:, k], n_groups)
                scatter[:, j, k] = scatter[:, k, j] = cell
        return cls(total, mean, scatter)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.scatter.shape, other.scatter.shape)
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        gap = other.mean - self.mean
        lever = np.sqrt(self.weight * share)[:, None] * gap
        mean = self.mean + share[:, None] * gap
        scatter = self.scatter + other.scatter + lever[:, :, None] * lever[:, None, :]
        # A group that only one side knows is taken over as it is, so that zero is the identity to the bit.
        here, there = (self.weight == 0)[:, None], (other.weight == 0)[:, None]
        mean = np.where(there, self.mean, np.where(here, other.mean, mean))
        scatter = np.where(there[:, None], self.scatter, np.where(here[:, None], other.scatter, scatter))
        return type(self)(weight, mean, scatter)

    def squares(self, weights: Floats) -> Floats:
        """Squared deviations (q,) of the last column from lines of these weights (q, p − 1) through the means."""
        along = np.concatenate([-weights, np.ones((len(weights), 1))], axis=1)
        return np.maximum(np.einsum("qi,qij,qj->q", along, self.scatter, along), 0.0)

    def columns(self, places: Sequence[int]) -> Self:
        """The moments of some of the columns."""
        chosen = list(places)
        return type(self)(self.weight, self.mean[:, chosen], self.scatter[:, chosen][:, :, chosen])

    def merged(self, group: Places, n_groups: int) -> Self:
        """The moments of coarser groups: old group g becomes part of group[g]."""
        total = weighted_counts(group, self.weight, n_groups)
        mean = np.zeros((n_groups, self.mean.shape[1]))
        np.add.at(mean, group, self.weight[:, None] * self.mean)
        mean = np.divide(mean, total[:, None], out=np.zeros_like(mean), where=total[:, None] > 0)
        gap = self.mean - mean[group]
        scatter = np.zeros((n_groups, *self.scatter.shape[1:]))
        np.add.at(scatter, group, self.scatter + self.weight[:, None, None] * gap[:, :, None] * gap[:, None, :])
        return type(self)(total, mean, scatter)


@dataclass(frozen=True, slots=True, eq=False)
class FamilyCounts(Statistic):
    """Counts of discrete families, moments of continuous ones: as large as the families' tables, for any rows."""

    state: ClassVar[State] = {
        "counts": floats("entries", least=0.0),
        "moments": each(record(GroupMoments)),
        "weight": number(least=0.0),
        "incomplete": number(least=0.0),
    }

    counts: Floats  # (T,), tables side by side
    moments: tuple[GroupMoments, ...]
    weight: float  # of all rows
    incomplete: float  # of the rows with an empty cell

    @classmethod
    def zero(cls, layout: FamilyLayout) -> Self:
        """No rows."""
        shapes = zip(layout.group_shapes, layout.lines, strict=True)
        moments = tuple(GroupMoments.zero(math.prod(shape), len(line)) for shape, line in shapes)
        return cls(np.zeros(layout.offsets[-1]), moments, 0.0, 0.0)

    @classmethod
    def observe(cls, chunk: Chunk, cells: Cells, layout: FamilyLayout, whole: bool = False) -> Self:
        """The families whose cells a row knows, all of them; with `whole` only in rows that know every cell."""
        return cls.of_rows(cells.codes(chunk), cells.numbers(chunk), chunk.weight, layout, whole)

    @classmethod
    def of_rows(cls, codes: Codes, numbers: Floats, weight: Floats, layout: FamilyLayout, whole: bool = False) -> Self:
        """The same, of codes (n, D) and numbers (n, C) of all nodes."""
        total, empty = float(weight.sum()), 0.0
        if whole or numbers.shape[1]:
            whole_rows = ~np.isnan(numbers).any(axis=1) & (codes >= 0).all(axis=1)
            empty = float(weight[~whole_rows].sum())
            if whole and not whole_rows.all():
                codes, numbers, weight = (
                    np.ascontiguousarray(codes[whole_rows]),
                    numbers[whole_rows],
                    weight[whole_rows],
                )
        counts, coded = _table_counts(codes, weight, layout)
        moments = tuple(
            _moments(codes, numbers, weight, *family)
            for family in zip(layout.groups, layout.group_shapes, layout.lines, strict=True)
        )
        return cls(counts, moments, total, empty if whole or numbers.shape[1] else coded)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.counts.shape, other.counts.shape)
        return type(self)(
            self.counts + other.counts,
            tuple(a + b for a, b in zip(self.moments, other.moments, strict=True)),
            self.weight + other.weight,
            self.incomplete + other.incomplete,
        )


def _table_counts(codes: Codes, weight: Floats, layout: FamilyLayout) -> tuple[Floats, float]:
    """The counts of the discrete families, and the weight of the rows with an unknown code."""
    from novacula.graph.learning._kernels import family_counts

    counts = np.zeros(layout.offsets[-1])
    # Joint tables pay where there are many rows per entry. They reorder sums, and only sums of ones stay the same bits.
    many = len(layout.tables) > 1 and len(codes) >= max(JOINT_ROWS, 4 * len(counts))
    if not many or (weight != 1.0).any():
        return counts, family_counts(codes, weight, layout.flat, counts, layout.flat, counts)
    joint = layout.joint
    together = np.zeros(joint.size)
    incomplete = family_counts(codes, weight, joint.flat, together, layout.flat, counts)
    return counts + weighted_counts(joint.into, together[joint.source], len(counts)), incomplete


def _moments(
    codes: Codes, numbers: Floats, weight: Floats, group: tuple[int, ...], shape: tuple[int, ...], line: tuple[int, ...]
) -> GroupMoments:
    """The moments of one continuous family over the rows that know all its cells."""
    states, values = codes[:, list(group)], numbers[:, list(line)]
    known = (weight > 0.0) & (states >= 0).all(axis=1) & ~np.isnan(values).any(axis=1)
    if not known.all():
        states, values, weight = states[known], values[known], weight[known]
    return GroupMoments.of_rows(values, configuration(states, shape), weight, math.prod(shape))
