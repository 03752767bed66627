"""Forward and backward through a block of sequences, with scaling.

    αₜ(j) ∝ Σᵢ αₜ₋₁(i) Aᵢⱼ · p(xₜ | j)      βₜ(i) = Σⱼ Aᵢⱼ p(xₜ₊₁ | j) βₜ₊₁(j) / cₜ₊₁      γₜ ∝ αₜ βₜ

α is divided by its sum cₜ at each step, so nothing underflows however long a sequence is, and ln p = Σ ln cₜ. A path
can still get lost where one step makes it unlikely beyond the range of doubles and zeros among the transitions keep
others from leading back to it. Such a sequence is done again in logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp

from novacula.errors import DataError
from novacula.graph.hmm.blocks import SequenceBlock
from novacula.graph.hmm.parameters import Parameters
from novacula.table.chunk import Codes, Floats

RARE = 1e-100
"""A transition below this does not bring back a path that was lost."""


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A block under a model, processed forwards; sequences in `logs_of` were done in logarithms."""

    block: SequenceBlock
    parameters: Parameters
    logs: Floats  # (P, K), ln p(x | k)
    table: Floats  # (P, K), the same as likelihoods relative to the largest
    alpha: Floats  # (n, K), P(state | steps so far)
    scale: Floats  # (n,)
    score: Floats  # (S,), ln p of each sequence, −∞ where it cannot be
    logs_of: dict[int, Floats]  # sequence → ln p(steps so far, state)

    @classmethod
    def of(cls, block: SequenceBlock, parameters: Parameters) -> Self:
        """Go forwards."""
        from novacula.graph.hmm._kernels import forward

        logs = parameters.emission.log_likelihood(block.values)
        table, shift = scaled(logs)
        n, k = len(block), parameters.n_states
        alpha, scale, score = np.empty((n, k)), np.empty(n), np.empty(len(block.weight))
        strict = bool(parameters.transition.min() < RARE)
        chain = parameters.start, parameters.transition, strict
        forward(table, shift, block.code, block.label, block.bounds, *chain, alpha, scale, score)
        lattice = cls(block, parameters, logs, table, alpha, scale, score, {})
        for s in np.flatnonzero(np.isnan(score)).tolist():
            lattice._in_logs(s)
        return lattice

    def _in_logs(self, s: int) -> None:
        from novacula.graph.hmm._kernels import log_forward

        rows = self.rows(s)
        log_alpha = np.empty((rows.stop - rows.start, self.parameters.n_states))
        self.score[s] = log_forward(
            self.logs, self.block.code[rows], self.block.label[rows], *self._log_chain, log_alpha
        )
        self.logs_of[s] = log_alpha
        if np.isfinite(self.score[s]):
            self.alpha[rows] = np.exp(log_alpha - logsumexp(log_alpha, axis=1, keepdims=True))

    @property
    def _log_chain(self) -> tuple[Floats, Floats]:
        return log_chain(self.parameters)

    def rows(self, s: int) -> slice:
        """The steps of a sequence of the block."""
        return slice(int(self.block.bounds[s]), int(self.block.bounds[s + 1]))

    def expect(self, place: Codes, n_places: int) -> tuple[Floats, Floats, Floats]:
        """Expected starts (K,), transitions (K, K), and visits (n_places, K) of step t at row place[t]."""
        from novacula.graph.hmm._kernels import backward, log_backward

        block, transition = self.block, self.parameters.transition
        k = len(transition)
        starts, pairs, visits = np.zeros(k), np.zeros((k, k)), np.zeros((n_places, k))
        score = self.score.copy()
        score[list(self.logs_of)] = np.nan
        found = self.alpha, self.scale, score
        backward(self.table, block.code, place, block.bounds, block.weight, transition, *found, visits, starts, pairs)
        pairs = np.where(transition > 0.0, pairs, 0.0) * transition
        for s, log_alpha in self.logs_of.items():
            rows, weight = self.rows(s), float(block.weight[s])
            arguments = self.logs, block.code[rows], place[rows], weight, self._log_chain[1], log_alpha
            log_backward(*arguments, float(self.score[s]), visits, starts, pairs)
        return starts, pairs, visits

    def require_possible(self) -> Self:
        """Refuse sequences that the model rules out, with the first step that does."""
        for s in np.flatnonzero(np.isneginf(self.score)).tolist():
            step = int(np.argmax(np.isneginf(self.logs_of[s]).all(axis=1)))
            refuse_impossible(self.block.first + s, step)
        return self


def filtered(block: SequenceBlock, parameters: Parameters) -> Floats:
    """P(state | steps so far), (n, K)."""
    return Lattice.of(block, parameters).require_possible().alpha


def smoothed(block: SequenceBlock, parameters: Parameters) -> Floats:
    """P(state | all steps of the sequence), (n, K); the sequences of the block must have weight 1."""
    place = np.arange(len(block), dtype=np.int32)
    return Lattice.of(block, parameters).require_possible().expect(place, len(block))[2]


def scores(block: SequenceBlock, parameters: Parameters) -> Floats:
    """ln p of each sequence (S,)."""
    return Lattice.of(block, parameters).score


def scaled(logs: Floats) -> tuple[Floats, Floats]:
    """Log-likelihoods (P, K) as likelihoods relative to the largest of each row, and its logarithm (P,)."""
    from novacula.graph.hmm._kernels import scale_rows

    table, shift = np.empty_like(logs), np.empty(len(logs))
    scale_rows(logs, table, shift)
    return table, shift


def log_chain(parameters: Parameters) -> tuple[Floats, Floats]:
    """Logarithms of start and transition; of 0 it is −∞."""
    with np.errstate(divide="ignore"):
        return np.log(parameters.start), np.log(parameters.transition)


def refuse_impossible(sequence: int, step: int) -> Any:
    """Say which sequence has probability zero, and from which step on."""
    raise DataError(
        f"sequence {sequence + 1} has probability zero from its step {step + 1} on: the model rules it out; "
        "fit with m > 0, or correct the sequence, the start or the transition_mask"
    )
