"""From counts to families: m-estimates of tables, regressions from moments, and how likely the counts are.

    P̂(x|u) = (n_xu + A/r) / (n_u + A)       A = m, or α/q for BDeu's prior of equivalent sample size α
    β = S_zz⁻¹ S_zx      σ² = (S_xx − β·S_zx) / n      in each configuration of the discrete parents

r is the number of states, q that of the parents' configurations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from novacula.graph.families import CategoricalFamily, Family, GaussianFamily, tables_of
from novacula.graph.learning.family_counts import FamilyCounts, GroupMoments
from novacula.graph.learning.family_layout import FamilyLayout
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Variables
from novacula.table.chunk import Floats

SINGULAR = 1e-12
"""The share of a regressor's spread below which it counts as a combination of the others."""


@dataclass(frozen=True)
class TablePrior:
    """Rows that are thought to have been seen before: `m` in each configuration, or `sample_size` in all of them."""

    m: float | str = 0.0
    sample_size: float | None = None

    def rows(self, shape: tuple[int, ...]) -> float:
        """Their number in each configuration of the parents, for a table of this shape."""
        if self.sample_size is not None:
            return self.sample_size / math.prod(shape[:-1])
        return float(shape[-1]) if isinstance(self.m, str) else float(self.m)

    def cells(self, shape: tuple[int, ...], allowed: npt.NDArray[np.bool_] | None = None) -> Floats:
        """Their number in each cell: the rows spread evenly over the states that are allowed."""
        if allowed is None:
            return np.full(shape, self.rows(shape) / shape[-1])
        return self.rows(shape) * allowed / np.maximum(allowed.sum(axis=-1, keepdims=True), 1)


@dataclass(frozen=True)
class FamilySolver:
    """Makes families of counts; `allowed` says by node which entries of a table may be above 0, None for all."""

    dag: Dag
    variables: Variables
    layout: FamilyLayout
    prior: TablePrior
    floor: Floats  # the least variance of each continuous node
    column_mean: Floats
    column_variance: Floats
    allowed: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)

    def families(self, family_counts: FamilyCounts) -> dict[str, Family]:
        """The families of all nodes, parents first."""
        families: dict[str, Family] = {}
        for (node, parents), sums in zip(self.dag.parents.items(), self.layout.each(family_counts), strict=True):
            solve = self._table if node in self.variables.states else self._line
            families[node] = solve(node, parents, sums)
        return families

    def _table(self, node: str, parents: tuple[str, ...], counts: Floats) -> CategoricalFamily:
        allowed = self.allowed.get(node)
        cells = counts + self.prior.cells(counts.shape, allowed)
        total = cells.sum(axis=-1, keepdims=True)
        even = np.ones(counts.shape) if allowed is None else allowed.astype(np.float64)
        even /= even.sum(axis=-1, keepdims=True)
        table = np.divide(cells, total, out=even, where=total > 0)
        return CategoricalFamily(node, self.variables.states[node], parents, table)

    def _line(self, node: str, parents: tuple[str, ...], moments: GroupMoments) -> GaussianFamily:
        place = self.variables.place[node]
        above = tuple(parent for parent in parents if parent in self.variables.states)
        along = tuple(parent for parent in parents if parent not in self.variables.states)
        shape = tuple(len(self.variables.states[parent]) for parent in above)
        intercept, weights, variance = solve_lines(moments, self.floor[place])
        # Where a configuration was never seen, all of them together say what there is to say.
        empty = moments.weight == 0.0
        if empty.any():
            pooled = moments.merged(np.zeros(len(empty), np.int64), 1)
            if pooled.weight[0] > 0.0:
                intercept[empty], weights[empty], variance[empty] = (
                    v[0] for v in solve_lines(pooled, self.floor[place])
                )
            else:
                intercept[empty], variance[empty] = self.column_mean[place], self.column_variance[place]
        return GaussianFamily(
            node, above, along, intercept.reshape(shape), weights.reshape(*shape, len(along)), variance.reshape(shape)
        )

    def log_prior(self, families: Mapping[str, Family]) -> float:
        """The logarithm of the prior density of the tables, but for its constant: Σ (A/r) ln θ."""
        return sum(
            float(xlogy(self.prior.cells(family.table.shape, self.allowed.get(node)), family.table).sum())
            for node, family in tables_of(families).items()
        )

    def never_seen(self, family_counts: FamilyCounts) -> int:
        """How many configurations of parents no row has, so that neither counts nor prior say anything of them."""
        tables = [counts.sum(axis=-1) for counts in self.layout.split(family_counts.counts)]
        silent = [total for total, shape in zip(tables, self.layout.shapes, strict=True) if not self.prior.rows(shape)]
        return sum(int((total == 0.0).sum()) for total in (*silent, *(m.weight for m in family_counts.moments)))


def solve_lines(moments: GroupMoments, floor: float) -> tuple[Floats, Floats, Floats]:
    """Intercepts (q,), weights (q, k) and variances (q,) of the last column on the others; zeros for empty groups."""
    k = moments.mean.shape[1] - 1
    scatter = moments.scatter
    scale = np.sqrt(np.diagonal(scatter, axis1=1, axis2=2)[:, :k])
    scale = np.where(scale > 0.0, scale, 1.0)
    inverse = np.linalg.pinv(scatter[:, :k, :k] / (scale[:, :, None] * scale[:, None, :]), SINGULAR, hermitian=True)
    weights = np.einsum("qij,qj->qi", inverse, scatter[:, :k, k] / scale) / scale
    intercept = moments.mean[:, k] - (weights * moments.mean[:, :k]).sum(axis=1)
    variance = moments.squares(weights) / np.where(moments.weight > 0.0, moments.weight, 1.0)
    return intercept, weights, np.maximum(variance, floor)


def log_likelihood(family_counts: FamilyCounts, families: Mapping[str, Family], layout: FamilyLayout) -> float:
    """ln P(rows) of rows that know every cell, from their counts and moments."""
    return sum(
        family.log_likelihood(sums) for family, sums in zip(families.values(), layout.each(family_counts), strict=True)
    )


def flat_tables(families: Mapping[str, Family]) -> Any:
    """The tables of the discrete families side by side, as kernels take them."""
    tables = [family.table.ravel() for family in tables_of(families).values()]
    return np.concatenate(tables) if tables else np.empty(0)
