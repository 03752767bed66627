"""Continuous nodes that hang together, as one Gaussian for each configuration of their discrete parents.

    mean_i = a_i(q) + Σ_j w_ij(q) mean_j     cov_ik = Σ_j w_ij(q) cov_jk     cov_ii = v_i(q) + Σ_j w_ij(q) cov_ij
    E[x_m | x_o, q] = μ_m + B (x_o − μ_o)    Cov[x_m | x_o, q] = Σ_mm − B Σ_om      B = Σ_mo Σ_oo⁻¹

Rows are grouped by which of their values are missing, so that this is solved once per group; a query is a single row.
What all rows know alike, such as the evidence of a query, makes components smaller: a discrete parent then has one
state, and a regressor moves the intercept and ties nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.graph.families import LOG_2PI, GaussianFamily
from novacula.graph.inference.normal import Conditional, flat_variable
from novacula.graph.learning.family_counts import GroupMoments
from novacula.graph.learning.family_layout import Places
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Variables
from novacula.mixture.gaussian.density import groups
from novacula.table.chunk import Codes, Floats

Known = Mapping[str, float]
"""What all rows know alike: the code of a state by discrete node, the value by continuous one."""
NOTHING: Known = {}
MOST_CONFIGURATIONS = 2**14
"""Configurations of discrete parents, each of which has a Gaussian of its own, where rows are many."""


@dataclass(frozen=True)
class Component:
    """Nodes joined by continuous edges, parents first, and the discrete parents that they have together."""

    nodes: tuple[str, ...]
    columns: tuple[int, ...]  # among all continuous nodes
    scope: tuple[int, ...]  # discrete parents, ascending, those of known state left out
    shape: tuple[int, ...]  # their states
    family_group: tuple[Places, ...]  # for each node the configuration of its own parents in each of ours

    @property
    def n_configurations(self) -> int:
        """Of all discrete parents."""
        return math.prod(self.shape)

    @cached_property
    def digits(self) -> Places:
        """The states of the discrete parents in each configuration: (Q, parents)."""
        return _digits(self.shape)


def _digits(shape: tuple[int, ...]) -> Places:
    return np.array(np.unravel_index(np.arange(math.prod(shape)), shape or (1,))).T[:, : len(shape)]


def require_few(nodes: Sequence[str], shape: Sequence[int]) -> None:
    """Refuse a component of more configurations than rows should be compared with."""
    if math.prod(shape) > MOST_CONFIGURATIONS:
        raise DataError(
            f"the continuous nodes around {nodes[0]!r} have {math.prod(shape):,} configurations of discrete parents, "
            f"more than {MOST_CONFIGURATIONS:,}: take edges away, or merge states"
        )


def components(
    dag: Dag,
    variables: Variables,
    known: Known = NOTHING,
    relevant: Container[str] | None = None,
    check: Callable[[Sequence[str], Sequence[int]], None] = require_few,
) -> tuple[Component, ...]:
    """The components of a network, or of its relevant nodes, in the order of their first nodes.

    `check` refuses nodes whose discrete parents have too many states, before anything is made for each of them.
    """
    label: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    for node in dag.nodes:
        if node in variables.states or (relevant is not None and node not in relevant):
            continue
        linked = {label[parent] for parent in dag.parents[node] if parent in label and parent not in known}
        label[node], members[node] = node, [node]
        for mark in linked:
            joined = members.pop(mark)
            members[node] += joined
            label |= dict.fromkeys(joined, node)
    place = {node: i for i, node in enumerate(label)}
    groups = sorted((sorted(group, key=place.__getitem__) for group in members.values()), key=lambda g: place[g[0]])
    return tuple(_component(group, dag, variables, known, check) for group in groups)


def _component(
    nodes: list[str],
    dag: Dag,
    variables: Variables,
    known: Known,
    check: Callable[[Sequence[str], Sequence[int]], None],
) -> Component:
    place, cards = variables.place, variables.cards
    above = [[parent for parent in dag.parents[node] if parent in variables.states] for node in nodes]
    scope = tuple(sorted({place[p] for parents in above for p in parents if p not in known}))
    shape = tuple(cards[p] for p in scope)
    check(nodes, shape)
    digits = _digits(shape)
    family_group = []
    for parents in above:
        own = np.zeros(len(digits), np.int64)
        for parent in parents:
            state = int(known[parent]) if parent in known else digits[:, scope.index(place[parent])]
            own = own * cards[place[parent]] + state
        family_group.append(own)
    return Component(tuple(nodes), tuple(place[n] for n in nodes), scope, shape, tuple(family_group))


@dataclass(frozen=True)
class ComponentLine:
    """A node of a component given the others: a line for each configuration of its own discrete parents."""

    intercept: Floats  # (q,)
    weights: Floats  # (q, k)
    variance: Floats  # (q,)
    along: tuple[int, ...]  # the regressors' places in the component
    group: Places  # (Q,), the configuration of its own parents in each of the component's

    @classmethod
    def of(cls, family: GaussianFamily, component: Component, group: Places, known: Known) -> ComponentLine:
        """The line of a family; regressors of known value move its intercept."""
        intercept, weights, variance = family.flat
        fixed = [j for j, name in enumerate(family.regressors) if name in known]
        free = [j for j, name in enumerate(family.regressors) if name not in known]
        if fixed:
            intercept = intercept + weights[:, fixed] @ [known[family.regressors[j]] for j in fixed]
            weights = weights[:, free]
        along = tuple(component.nodes.index(family.regressors[j]) for j in free)
        return cls(intercept, weights, variance, along, group)


@dataclass(frozen=True)
class JointGaussian:
    """A component with numbers: lines by node, and the mean (Q, C) and covariance (Q, C, C) that they make."""

    component: Component
    lines: tuple[ComponentLine, ...]
    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, component: Component, families: Mapping[str, GaussianFamily], known: Known = NOTHING) -> JointGaussian:
        """Put the nodes together, parents first."""
        lines = tuple(
            ComponentLine.of(families[node], component, group, known)
            for node, group in zip(component.nodes, component.family_group, strict=True)
        )
        q, c = component.n_configurations, len(lines)
        mean, covariance = np.zeros((q, c)), np.zeros((q, c, c))
        for i, line in enumerate(lines):
            along = list(line.along)
            intercept, weights, variance = line.intercept[line.group], line.weights[line.group], line.variance
            mean[:, i] = intercept + (weights * mean[:, along]).sum(axis=1)
            covariance[:, i, :] = (weights[:, :, None] * covariance[:, along, :]).sum(axis=1)
            covariance[:, :, i] = covariance[:, i, :]
            spread = (weights * covariance[:, along, i]).sum(axis=1)
            covariance[:, i, i] = variance[line.group] + spread
        return cls(component, lines, mean, covariance)

    def require_density(self, known: Any) -> None:
        """Refuse known values (C,) of which one follows from the others, so that it has no density."""
        flat = flat_variable(self.covariance[:, known][:, :, known]) if known.any() else None
        if flat is not None:
            node = self.component.nodes[np.flatnonzero(known)[flat]]
            raise ParameterError(
                f"the evidence on {node!r} has no density: given the other evidence its variance is zero in some "
                "configuration of discrete nodes; leave it out, or give its family a variance"
            )

    def completed(self, numbers: Floats) -> Completed:
        """What the known values of rows say, in every configuration; numbers (n, all continuous nodes)."""
        x = numbers[:, list(self.component.columns)]
        density = np.zeros((len(x), self.component.n_configurations))
        gaps = []
        for rows, known in groups(x):
            if known.all():
                density[rows] = self._whole(x[rows])
            elif known.any():
                given = self._conditional(known)
                density[rows] = given.log_density(x[rows][:, known] - self.mean[:, None, known]).T
                gaps.append(Gap(rows, known, given.slope, given.covariance))
            else:
                gaps.append(Gap(rows, known, np.empty((len(self.mean), len(known), 0)), self.covariance))
        return Completed(self, x, density, tuple(gaps))

    def _whole(self, x: Floats) -> Floats:
        """Log densities (n, Q) of rows without a gap, node by node, which a small variance does not spoil."""
        total = np.zeros((len(x), self.component.n_configurations))
        for i, line in enumerate(self.lines):
            guess = line.intercept + x[:, list(line.along)] @ line.weights.T
            spread = (x[:, i, None] - guess) ** 2 / line.variance
            total += (-0.5 * (spread + np.log(line.variance) + LOG_2PI))[:, line.group]
        return total

    def _conditional(self, known: Any) -> Conditional:
        try:
            return Conditional.of(self.covariance, known)
        except np.linalg.LinAlgError:
            names = ", ".join(repr(n) for n, k in zip(self.component.nodes, known, strict=True) if k)
            raise DataError(f"the covariance of {names} is singular, so nothing follows from them: drop one") from None

    def possible(self, codes: Codes) -> Any:
        """Whether each configuration agrees with the known states of each row: (n, Q)."""
        agrees = np.ones((len(codes), self.component.n_configurations), bool)
        for k, place in enumerate(self.component.scope):
            state = codes[:, place, None]
            agrees &= (state < 0) | (state == self.component.digits[None, :, k])
        return agrees


@dataclass(frozen=True)
class Gap:
    """Rows that miss the same values, and how these follow from the known ones in each configuration."""

    rows: Any
    known: Any
    slope: Floats  # (Q, m, o)
    covariance: Floats  # (Q, m, m)

    def place(self, i: int) -> int:
        """The place of a missing node among those that are missing."""
        return int((~self.known[:i]).sum())


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
            off = self.x[gap.rows][:, gap.known] - mean[gap.known]
            x[np.ix_(gap.rows, ~gap.known)] = mean[~gap.known] + off @ gap.slope[q].T
        return x

    def moments(self, share: Floats) -> GroupMoments:
        """Expected moments of the component in each configuration, rows being in it by their shares (n, Q)."""
        q, c = self.joint.mean.shape
        moments = GroupMoments.zero(q, c)
        for k in range(q):
            weight = share[:, k]
            total = weight.sum()
            if total > 0.0:
                x = self.filled(k)
                moments.weight[k], moments.mean[k] = total, weight @ x / total
                off = x - moments.mean[k]
                moments.scatter[k] = (off * weight[:, None]).T @ off
                for gap in self.gaps:
                    missing = np.ix_(~gap.known, ~gap.known)
                    moments.scatter[k][missing] += weight[gap.rows].sum() * gap.covariance[k]
        return moments

    def node(self, i: int) -> tuple[Floats, Floats]:
        """Mean and variance (n, Q) of node i in each configuration; a known value has no variance."""
        mean = np.repeat(self.x[:, i, None], len(self.joint.mean), axis=1)
        variance = np.zeros(mean.shape)
        for gap in self.gaps:
            if not gap.known[i]:
                own = gap.place(i)
                off = self.x[gap.rows][None, :, gap.known] - self.joint.mean[:, None, gap.known]  # (Q, n, o)
                mean[gap.rows] = (self.joint.mean[:, None, i] + (off @ gap.slope[:, own, :, None])[..., 0]).T
                variance[gap.rows] = gap.covariance[:, own, own]
        return mean, variance
