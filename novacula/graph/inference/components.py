"""Continuous nodes that hang together, as one Gaussian for each configuration of their discrete parents.

    E[x_m | x_o, q] = μ_m + B (x_o − μ_o)      Cov[x_m | x_o, q] = Σ_mm − B Σ_om      B = Σ_mo Σ_oo⁻¹

Rows are grouped by which of their values are missing, so that this is solved once a group.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.graph.families import Family, GaussianFamily
from novacula.graph.learning.estimates import flat_line
from novacula.graph.learning.family_counts import GroupMoments, Places
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Variables
from novacula.mixture.gaussian.density import LN_2PI, groups
from novacula.table.chunk import Codes, Floats

MOST_CONFIGURATIONS = 2**14
"""Configurations of discrete parents, each of which has a Gaussian of its own."""


@dataclass(frozen=True)
class Component:
    """Nodes joined by continuous edges, parents first, and the discrete parents that they have together."""

    nodes: tuple[str, ...]
    columns: tuple[int, ...]  # among all continuous nodes
    scope: tuple[int, ...]  # discrete parents
    shape: tuple[int, ...]  # their states
    family_group: tuple[Places, ...]  # for each node the configuration of its own parents in each of ours

    @property
    def n_configurations(self) -> int:
        """Of all discrete parents."""
        return math.prod(self.shape)

    def digits(self) -> Places:
        """The states of the discrete parents in each configuration: (Q, parents)."""
        return np.array(np.unravel_index(np.arange(self.n_configurations), self.shape or (1,))).T[:, : len(self.shape)]


def components(dag: Dag, variables: Variables) -> tuple[Component, ...]:
    """The components of a network, in the order of their first nodes."""
    label: dict[str, str] = {}
    for node in dag.nodes:
        if node in variables.states:
            continue
        linked = {label[parent] for parent in dag.parents[node] if parent in label}
        label[node] = node
        for other in [name for name, mark in label.items() if mark in linked]:
            label[other] = node
    return tuple(
        _component([n for n in label if label[n] == mark], dag, variables) for mark in dict.fromkeys(label.values())
    )


def _component(nodes: list[str], dag: Dag, variables: Variables) -> Component:
    place, cards = variables.place, variables.cards
    above = [tuple(place[p] for p in dag.parents[node] if p in variables.states) for node in nodes]
    scope = tuple(sorted({p for parents in above for p in parents}))
    shape = tuple(cards[p] for p in scope)
    if math.prod(shape) > MOST_CONFIGURATIONS:
        raise DataError(
            f"the continuous nodes around {nodes[0]!r} have {math.prod(shape):,} configurations of discrete parents, "
            f"more than {MOST_CONFIGURATIONS:,}: take edges away, or merge states"
        )
    component = Component(tuple(nodes), tuple(place[n] for n in nodes), scope, shape, ())
    digits = component.digits()
    family_group = []
    for parents in above:
        own = np.zeros(len(digits), np.int64)
        for parent in parents:
            own = own * cards[parent] + digits[:, scope.index(parent)]
        family_group.append(own)
    return Component(component.nodes, component.columns, scope, shape, tuple(family_group))


@dataclass(frozen=True)
class JointGaussian:
    """A component with numbers: lines by node, and the mean (Q, C) and covariance (Q, C, C) that they make."""

    component: Component
    lines: tuple[GaussianFamily, ...]
    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, component: Component, families: Mapping[str, Family]) -> JointGaussian:
        """Put the nodes together, parents first."""
        lines = tuple(line for node in component.nodes if isinstance(line := families[node], GaussianFamily))
        q, c = component.n_configurations, len(lines)
        mean, covariance = np.zeros((q, c)), np.zeros((q, c, c))
        for i, (line, group) in enumerate(zip(lines, component.family_group, strict=True)):
            along = [component.nodes.index(node) for node in line.regressors]
            intercept, weights, variance = (part[group] for part in flat_line(line))
            mean[:, i] = intercept + (weights * mean[:, along]).sum(axis=1)
            covariance[:, i, :] = (weights[:, :, None] * covariance[:, along, :]).sum(axis=1)
            covariance[:, :, i] = covariance[:, i, :]
            spread = (weights * covariance[:, along, i]).sum(axis=1)
            covariance[:, i, i] = variance + spread
        return cls(component, lines, mean, covariance)

    def completed(self, numbers: Floats) -> Completed:
        """What the known values of rows say, in every configuration; numbers (n, all continuous nodes)."""
        x = numbers[:, list(self.component.columns)]
        density = np.zeros((len(x), self.component.n_configurations))
        gaps = []
        for rows, known in groups(x):
            if known.all():
                density[rows] = self._whole(x[rows])
            elif known.any():
                slope, log_density = self._condition(x[rows][:, known], known)
                density[rows] = log_density
                gaps.append(Gap(rows, known, slope, self._rest(known, slope)))
            else:
                gaps.append(Gap(rows, known, np.empty((len(self.mean), len(known), 0)), self.covariance))
        return Completed(self, x, density, tuple(gaps))

    def _whole(self, x: Floats) -> Floats:
        """Log densities (n, Q) of rows without a gap, node by node, which a small variance does not spoil."""
        total = np.zeros((len(x), self.component.n_configurations))
        for i, (line, group) in enumerate(zip(self.lines, self.component.family_group, strict=True)):
            along = [self.component.nodes.index(node) for node in line.regressors]
            intercept, weights, variance = flat_line(line)
            guess = intercept + x[:, along] @ weights.T
            total += (-0.5 * ((x[:, i, None] - guess) ** 2 / variance + np.log(variance) + LN_2PI))[:, group]
        return total

    def _condition(self, x: Floats, known: Any) -> tuple[Floats, Floats]:
        """B (Q, m, o), and the log densities (n, Q) of the known values."""
        try:
            lower = np.linalg.cholesky(self.covariance[:, known][:, :, known])
        except np.linalg.LinAlgError:
            names = ", ".join(repr(n) for n, k in zip(self.component.nodes, known, strict=True) if k)
            raise DataError(f"the covariance of {names} is singular, so nothing follows from them: drop one") from None
        cross = self.covariance[:, ~known][:, :, known]
        half = np.linalg.solve(lower, cross.swapaxes(1, 2))
        slope = np.linalg.solve(lower.swapaxes(1, 2), half).swapaxes(1, 2)
        gap = x[None] - self.mean[:, None, known]
        scaled = np.linalg.solve(lower, gap.swapaxes(1, 2))
        log_det = 2.0 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        density = -0.5 * ((scaled**2).sum(axis=1) + (log_det + LN_2PI * x.shape[1])[:, None])
        return slope, density.T

    def _rest(self, known: Any, slope: Floats) -> Floats:
        """The covariance (Q, m, m) of the missing values given the known ones."""
        covariance = self.covariance
        rest = covariance[:, ~known][:, :, ~known] - slope @ covariance[:, known][:, :, ~known]
        return (rest + rest.swapaxes(1, 2)) / 2.0

    def possible(self, codes: Codes) -> Any:
        """Whether each configuration agrees with the known states of each row: (n, Q)."""
        agrees = np.ones((len(codes), self.component.n_configurations), bool)
        for k, place in enumerate(self.component.scope):
            state = codes[:, place, None]
            agrees &= (state < 0) | (state == self.component.digits()[None, :, k])
        return agrees


@dataclass(frozen=True)
class Gap:
    """Rows that miss the same values, and how these follow from the known ones in each configuration."""

    rows: Any
    known: Any
    slope: Floats  # (Q, m, o)
    covariance: Floats  # (Q, m, m)


@dataclass(frozen=True)
class Completed:
    """Rows of a component: log densities (n, Q) of what is known, and means and covariances of what is not."""

    joint: JointGaussian
    x: Floats
    log_density: Floats
    gaps: tuple[Gap, ...]

    def filled(self, q: int) -> Floats:
        """The rows with missing values replaced by their means in configuration q."""
        if not self.gaps:
            return self.x
        x, mean = self.x.copy(), self.joint.mean[q]
        for gap in self.gaps:
            seen = self.x[gap.rows][:, gap.known] - mean[gap.known]
            x[np.ix_(gap.rows, ~gap.known)] = mean[~gap.known] + seen @ gap.slope[q].T
        return x

    def moments(self, share: Floats) -> GroupMoments:
        """Expected moments of the component in each configuration, rows being in it by their shares (n, Q)."""
        q, c = self.joint.mean.shape
        found = GroupMoments.zero(q, c)
        for k in range(q):
            weight = share[:, k]
            total = weight.sum()
            if total > 0.0:
                x = self.filled(k)
                found.weight[k], found.mean[k] = total, weight @ x / total
                gap = x - found.mean[k]
                found.scatter[k] = (gap * weight[:, None]).T @ gap
                for hole in self.gaps:
                    missing = np.ix_(~hole.known, ~hole.known)
                    found.scatter[k][missing] += weight[hole.rows].sum() * hole.covariance[k]
        return found

    def node(self, i: int) -> tuple[Floats, Floats]:
        """Mean and variance (n, Q) of node i in each configuration; a known value has no variance."""
        q = len(self.joint.mean)
        mean = np.stack([self.filled(k)[:, i] for k in range(q)], axis=1)
        variance = np.zeros((len(self.x), q))
        for gap in self.gaps:
            if not gap.known[i]:
                own = int((~gap.known[:i]).sum())
                variance[gap.rows] = gap.covariance[:, own, own]
        return mean, variance
