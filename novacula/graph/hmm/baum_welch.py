"""Baum–Welch: expectation-maximization for a chain of hidden states.

    E   expected starts, transitions and emissions, by forward and backward passes
    M   πᵢ ← Ñ(start i) / Σ Ñ      Aᵢⱼ ← Ñ(i → j) / Σⱼ Ñ(i → j)      emissions from their own expected sums

A prior adds m to every count that is allowed; what is not allowed stays 0. The log-likelihood, or with a prior the log
posterior, cannot fall.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from novacula.errors import DataError
from novacula.graph.hmm.blocks import SequenceBlock, map_blocks
from novacula.graph.hmm.forward_backward import Lattice, refuse_impossible
from novacula.graph.hmm.parameters import Emission, EmissionSolver, Parameters, log_pseudo, shares
from novacula.learner.expectation_maximization import EMResult, expectation_maximization
from novacula.statistics.base import weighted_counts
from novacula.table.chunk import Floats
from novacula.table.parallel import tree_sum


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedCounts:
    """Log-likelihood, expected starts (K,) and transitions (K, K), and the expected sums of emissions."""

    log_likelihood: float
    start: Floats
    transition: Floats
    emission: Any
    under: Parameters | None = None  # the parameters under which they are expected

    @classmethod
    def observe(cls, block: SequenceBlock, parameters: Parameters) -> Self:
        """What the sequences of a block are expected to add."""
        lattice = Lattice.of(block, parameters).require_possible()
        starts, pairs, visits = lattice.expect(block.code, len(block.values))
        sums = parameters.emission.expect(block.values, visits)
        return cls(float(block.weight @ lattice.score), starts, pairs, sums)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.log_likelihood + other.log_likelihood,
            self.start + other.start,
            self.transition + other.transition,
            self.emission + other.emission,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What the M-step may do: which starts and transitions are allowed, the prior, and the emission's solver."""

    start_allowed: Any  # (K,)
    transition_allowed: Any  # (K, K)
    m: float
    solver: EmissionSolver[Any]

    def solve(self, counts: ExpectedCounts) -> Parameters:
        """The M-step."""
        start = shares(counts.start, self.start_allowed, self.m)
        transition = shares(counts.transition, self.transition_allowed, self.m)
        return Parameters(start, transition, self.solver.solve(counts.emission))

    def log_prior(self, parameters: Parameters) -> float:
        """Of starts, transitions and emissions, up to a constant."""
        chain = log_pseudo(parameters.start, self.start_allowed, self.m)
        chain += log_pseudo(parameters.transition, self.transition_allowed, self.m)
        return chain + self.solver.log_prior(parameters.emission)

    @property
    def n_parameters(self) -> int:
        """How many parameters can be chosen."""
        k = len(self.start_allowed)
        chain = int(self.start_allowed.sum()) - 1 + int(self.transition_allowed.sum()) - k
        return chain + self.solver.n_parameters(k)


def expected_counts(blocks: list[SequenceBlock], parameters: Parameters) -> ExpectedCounts:
    """The E-step over all blocks."""
    counts = tree_sum(map_blocks(partial(ExpectedCounts.observe, parameters=parameters), blocks))
    return replace(counts, emission=parameters.emission.summary(counts.emission), under=parameters)


def climb(
    blocks: list[SequenceBlock],
    model: Model,
    start: Callable[[int], Parameters],
    n_init: int,
    tol: float,
    max_iter: int,
) -> EMResult[Parameters, ExpectedCounts]:
    """EM from `n_init` starts; the best end is kept."""

    def e_step(parameters: Parameters) -> tuple[ExpectedCounts, float]:
        counts = expected_counts(blocks, parameters)
        return counts, counts.log_likelihood

    log_prior = model.log_prior if model.m else None
    result = expectation_maximization(
        e_step, model.solve, start, n_init=n_init, tol=tol, max_iter=max_iter, log_prior=log_prior
    )
    if result.statistics is None:
        raise DataError(f"no step of Baum–Welch could be made from the start: {result.sentence}")
    return result


def labelled_counts(blocks: list[SequenceBlock], model: Model, about: Emission, seed: int = 0) -> ExpectedCounts:
    """Counts of states that are known, `SequenceBlock.label`; steps of unknown state are spread over all, at random.

    With every state known these are the counts of the complete data; else they are where EM starts. Sums of emissions
    are taken `about` an emission.
    """
    counts = tree_sum(_labelled(block, model, about, seed) for block in blocks)
    return replace(counts, emission=about.summary(counts.emission))


def _labelled(block: SequenceBlock, model: Model, about: Emission, seed: int) -> ExpectedCounts:
    rng = np.random.default_rng([seed, block.first])
    n, k = len(block), about.n_states
    states = rng.uniform(0.5, 1.5, (n, k))
    states /= states.sum(axis=1, keepdims=True)
    known = block.label >= 0
    states[known] = np.eye(k)[block.label[known]]
    _refuse_forbidden(block, model, known)
    weight, opening = block.step_weight[:, None], block.opening
    inside = np.flatnonzero(~opening)
    pairs = states[inside - 1].T @ (states[inside] * weight[inside])
    weighed = states * weight
    visits = np.column_stack([weighted_counts(block.code, own, len(block.values)) for own in weighed.T])
    sums = about.expect(block.values, visits)
    return ExpectedCounts(0.0, weighed[opening].sum(axis=0), pairs, sums)


def _refuse_forbidden(block: SequenceBlock, model: Model, known: Any) -> None:
    """Known states must not make a start or a transition that is not allowed."""
    opening, label = block.opening, block.label
    wrong = np.zeros(len(block), bool)
    first = opening & known
    wrong[first] = ~model.start_allowed[label[first]]
    pair = np.flatnonzero(~opening & known & np.roll(known, 1))
    wrong[pair] |= ~model.transition_allowed[label[pair - 1], label[pair]]
    if wrong.any():
        t = int(np.argmax(wrong))
        s = int(np.searchsorted(block.bounds, t, side="right")) - 1
        refuse_impossible(block.first + s, t - int(block.bounds[s]))
