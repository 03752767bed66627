"""Exact inference in many rows at once: expected counts, likelihoods and posteriors, for any cells that are empty.

Discrete nodes go through a tree of cliques, one compiled loop over rows. Continuous nodes come in as evidence on their
discrete parents, log p(x_o | q) for each configuration q, and take back the posterior of q, by which their expected
moments are weighted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from novacula.errors import DataError
from novacula.graph.families import Family, lines_of
from novacula.graph.inference.clique_tree import CliqueTree
from novacula.graph.inference.components import Completed, Component, JointGaussian, components
from novacula.graph.learning.estimates import flat_tables
from novacula.graph.learning.family_counts import FamilyCounts, GroupMoments
from novacula.graph.learning.family_layout import FamilyLayout, Places, configuration
from novacula.graph.learning.patterns import distinct_rows
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Cells, Variables
from novacula.statistics.base import Statistic
from novacula.table.answering import unbounded
from novacula.table.chunk import Chunk, Codes, Floats

TOGETHER = 2**16
"""States of rows whose probabilities are multiplied at a time, which keeps them in the cache."""


@dataclass(frozen=True)
class Structure:
    """A graph over variables, compiled: families, cliques, components, and the evidence that components give."""

    dag: Dag
    variables: Variables
    layout: FamilyLayout
    components: tuple[Component, ...]
    evidence: tuple[tuple[int, ...], ...]  # sets of discrete nodes on which components give evidence together
    part: tuple[int, ...]  # which of these sets each component speaks of; −1 for none

    @classmethod
    def of(cls, dag: Dag, variables: Variables) -> Self:
        """Compile a graph; the same for all parameters."""
        layout = FamilyLayout.of(dag.parents.items(), variables)
        parts = components(dag, variables)
        # Components inside one set add their logarithms there, so that none of them vanishes on its own.
        scopes = sorted({component.scope for component in parts if component.scope}, key=len, reverse=True)
        evidence: list[tuple[int, ...]] = []
        for scope in scopes:
            if not any(set(scope) <= set(other) for other in evidence):
                evidence.append(scope)
        part = tuple(
            next(k for k, scope in enumerate(evidence) if set(component.scope) <= set(scope)) if component.scope else -1
            for component in parts
        )
        return cls(dag, variables, layout, parts, tuple(evidence), part)

    @cached_property
    def tree(self) -> CliqueTree:
        """The cliques; rows that know every cell are counted without them."""
        return CliqueTree.of(self.layout, self.variables.cards, self.evidence)

    def shape(self, k: int) -> tuple[int, ...]:
        """States of the nodes of a set of evidence."""
        return tuple(self.variables.cards[v] for v in self.evidence[k])

    def within(self, i: int) -> Places:
        """For each configuration of the set that component i speaks of, the component's own configuration."""
        scope, own = self.evidence[self.part[i]], self.components[i]
        shape = self.shape(self.part[i])
        digits = np.array(np.unravel_index(np.arange(int(np.prod(shape))), shape), np.int32).T
        return configuration(digits[:, [scope.index(v) for v in own.scope]], own.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Expected(Statistic):
    """Expected counts and moments of all families, and the log-likelihood: as large as the tables."""

    counts: FamilyCounts
    log_likelihood: float

    def __add__(self, other: Self) -> Self:
        return type(self)(self.counts + other.counts, self.log_likelihood + other.log_likelihood)


@dataclass(frozen=True)
class Answer:
    """What a network says of rows: log p of their known cells, −∞ if impossible, and what follows from them."""

    log_likelihood: Floats  # (n,)
    counts: Floats  # (T,), expected, of the discrete families
    marginal: Floats  # (n, K), of the discrete target, if there is one
    completed: tuple[Completed, ...]  # of each component
    share: tuple[Floats, ...]  # (n, Q) of each component, the posterior of its configurations


@dataclass(frozen=True)
class Inference:
    """A structure with parameters."""

    structure: Structure
    theta: Floats
    joints: tuple[JointGaussian, ...]

    @classmethod
    def of(cls, structure: Structure, families: Mapping[str, Family]) -> Self:
        """Lay the parameters out for the kernel; families in the order of the graph."""
        lines = lines_of(families)
        joints = tuple(JointGaussian.of(component, lines) for component in structure.components)
        return cls(structure, flat_tables(families), joints)

    def answer(self, codes: Codes, numbers: Floats, weight: Floats, target: int = -1) -> Answer:
        """Everything about rows of codes (n, D) and numbers (n, C); `target` is a discrete node that they miss."""
        from novacula.graph.inference._kernels import expect

        tree, states = self.structure.tree, self.structure.variables.cards
        completed = tuple(joint.completed(numbers) for joint in self.joints)
        log_evidence, log_density = self._evidence(codes, completed)
        evidence = np.exp(log_evidence)
        counts, posterior, log_likelihood = np.zeros_like(self.theta), np.zeros_like(evidence), np.zeros(len(codes))
        marginal = np.zeros((len(codes), states[target] if target >= 0 else 0))
        if states:
            room, home = tree.room(codes < 0), tree.home[target] if target >= 0 else -1
            expect(
                codes, weight, self.theta, evidence, log_evidence, tree.n_tables, tree.flat, room, target, home,
                counts, posterior, log_likelihood, marginal,
            )  # fmt: skip
        share = tuple(self._share(i, posterior) for i in range(len(completed)))
        return Answer(log_likelihood + log_density, counts, marginal, completed, share)

    def posterior_of_last(self, codes: Codes, target: int) -> tuple[Floats, Floats]:
        """P(target | row) (n, K) and log p of rows that know every other cell of a network without continuous nodes.

        Only the target is summed out, so the product of the tables is the whole of the work: no clique is needed.
        """
        with np.errstate(divide="ignore"):
            log_theta = np.log(self.theta)
        rows = max(1, TOGETHER // self.structure.variables.cards[target])
        log_joint = np.concatenate(
            [self._log_joint(codes[i : i + rows], target, log_theta) for i in range(0, len(codes), rows)]
        )
        top = log_joint.max(axis=1, keepdims=True)
        share = np.exp(log_joint - np.where(np.isneginf(top), 0.0, top))
        total = share.sum(axis=1, keepdims=True)
        total[total == 0.0] = 1.0  # of rows that are impossible: their logarithm stays −∞
        return share / total, (top + np.log(total))[:, 0]

    def _log_joint(self, codes: Codes, target: int, log_theta: Floats) -> Floats:
        """log P(row, state) of each state of the target (n, K)."""
        layout, states = self.structure.layout, np.arange(self.structure.variables.cards[target])
        codes = codes.copy()
        codes[:, target] = 0
        total = np.zeros((len(codes), len(states)))
        for scope, shape, start in zip(layout.tables, layout.shapes, layout.offsets[:-1], strict=True):
            place = (start + configuration(codes[:, scope], shape))[:, None]
            if target in scope:
                place = place + math.prod(shape[scope.index(target) + 1 :]) * states
            total += log_theta[place]
        return total

    def _evidence(self, codes: Codes, completed: Sequence[Completed]) -> tuple[Floats, Floats]:
        """Log densities of components in each configuration, less the largest of the row, and these largest."""
        structure = self.structure
        pieces, log_scale = [], np.zeros(len(codes))
        for k in range(len(structure.evidence)):
            total = np.zeros((len(codes), int(np.prod(structure.shape(k)))))
            for i, own in enumerate(completed):
                if structure.part[i] == k:
                    agrees = own.joint.possible(codes)
                    total += np.where(agrees, own.log_density, -np.inf)[:, structure.within(i)]
            scale = total.max(axis=1, initial=-np.inf)
            log_scale += scale
            pieces.append(total - np.where(np.isneginf(scale), 0.0, scale)[:, None])  # −∞ of a row that cannot be
        for i, own in enumerate(completed):
            if structure.part[i] < 0:
                log_scale += own.log_density[:, 0]
        return np.concatenate(pieces, axis=1) if pieces else np.zeros((len(codes), 0)), log_scale

    def _share(self, i: int, posterior: Floats) -> Floats:
        """The posterior (n, Q) of the configurations of component i."""
        k = self.structure.part[i]
        if k < 0:
            return np.ones((len(posterior), 1))
        sizes = [int(np.prod(self.structure.shape(j))) for j in range(k + 1)]
        held = posterior[:, sum(sizes[:-1]) : sum(sizes)]
        own = np.zeros((len(held), self.structure.components[i].n_configurations))
        np.add.at(own.T, self.structure.within(i), held.T)
        return own

    def _moments(self, answer: Answer, weight: Floats) -> tuple[GroupMoments, ...]:
        """Expected moments of the continuous families, in the order of the graph."""
        moments = {}
        for component, completed, share in zip(self.structure.components, answer.completed, answer.share, strict=True):
            joint = completed.moments(weight[:, None] * share)
            for i, (line, node) in enumerate(zip(completed.joint.lines, component.nodes, strict=True)):
                moments[node] = joint.columns([*line.along, i]).merged(line.group, line.intercept.size)
        return tuple(moments[node] for node in self.structure.dag.nodes if node in moments)

    def expected(self, codes: Codes, numbers: Floats, weight: Floats) -> Expected:
        """Expected counts of rows, each of which must be possible."""
        answer = self.answer(codes, numbers, weight)
        lost = np.isneginf(answer.log_likelihood) & (weight > 0.0)
        if lost.any():
            row = int(np.argmax(lost))
            raise DataError(
                f"a row has probability zero under the parameters that EM starts from ({self.row_text(codes[row])}): "
                "give a start without that zero, or leave the row out"
            )
        log_likelihood = np.where(weight > 0.0, answer.log_likelihood, 0.0)
        moments = self._moments(answer, weight)
        family_counts = FamilyCounts(answer.counts, moments, float(weight.sum()), float(weight.sum()))
        return Expected(family_counts, float(weight @ log_likelihood))

    def row_text(self, codes: Codes) -> str:
        """The known discrete cells of a row, in words."""
        cells = zip(self.structure.variables.states.items(), codes, strict=True)
        return ", ".join(f"{name} = {states[code]}" for (name, states), code in cells if code >= 0) or "all unknown"


# --- functions of chunks, for Table.reduce and Table.map ----------------------------------------------------


def expect_incomplete(chunk: Chunk, cells: Cells, inference: Inference) -> Expected:
    """Expected counts of a chunk's rows with an empty cell, once for all that are equal if all nodes are discrete."""
    codes, numbers = cells.codes(chunk), cells.numbers(chunk)
    empty = (codes < 0).any(axis=1) | np.isnan(numbers).any(axis=1)
    if not numbers.shape[1]:
        return expect_patterns(distinct_rows(codes[empty], chunk.weight[empty]), inference)
    return inference.expected(np.ascontiguousarray(codes[empty]), numbers[empty], chunk.weight[empty])


@unbounded
def row_likelihoods(chunk: Chunk, cells: Cells, inference: Inference) -> Floats:
    """log p of each row's known cells."""
    codes, numbers = cells.codes(chunk), cells.numbers(chunk)
    return inference.answer(codes, numbers, np.zeros(len(chunk))).log_likelihood


@unbounded
def state_posteriors(chunk: Chunk, cells: Cells, inference: Inference, target: int) -> Floats:
    """Probabilities of a discrete node's states, then log p of the row: (n, K + 1)."""
    codes, numbers = cells.codes(chunk), cells.numbers(chunk)
    answers = np.empty((len(codes), inference.structure.variables.cards[target] + 1))
    last = np.zeros(len(codes), bool) if inference.joints else (codes < 0).sum(axis=1) == 1  # the target's own cell
    if last.any():
        answers[last, :-1], answers[last, -1] = inference.posterior_of_last(codes[last], target)
    if not last.all():
        others = np.ascontiguousarray(codes[~last]), numbers[~last], np.zeros(len(codes) - int(last.sum()))
        answer = inference.answer(*others, target)
        answers[~last, :-1], answers[~last, -1] = answer.marginal, answer.log_likelihood
    return answers


@unbounded
def value_posteriors(chunk: Chunk, cells: Cells, inference: Inference, target: str) -> Floats:
    """Mean and deviation of a continuous node, then log p of the row: (n, 3)."""
    answer = inference.answer(cells.codes(chunk), cells.numbers(chunk), np.zeros(len(chunk)))
    i = next(i for i, component in enumerate(inference.structure.components) if target in component.nodes)
    share, completed = answer.share[i], answer.completed[i]
    means, variances = completed.node(inference.structure.components[i].nodes.index(target))
    mean = (share * means).sum(axis=1)
    variance = (share * (variances + (means - mean[:, None]) ** 2)).sum(axis=1)
    return np.column_stack([mean, np.sqrt(variance), answer.log_likelihood])


def expect_patterns(block: tuple[Codes, Floats], inference: Inference) -> Expected:
    """Expected counts of a block of patterns."""
    codes, weight = block
    return inference.expected(codes, np.empty((len(codes), 0)), weight)
