"""Where Baum–Welch starts: what is given, else what known states say, else clusters of the steps or chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.hmm.baum_welch import Model, labelled_counts
from novacula.graph.hmm.blocks import SequenceBlock, map_blocks
from novacula.graph.hmm.parameters import Emission, Parameters, StepOverview, shares
from novacula.statistics.base import weighted_counts
from novacula.table.chunk import Floats

FAINT = 0.1
"""What a random start gives to a start or a transition at least, compared with 1 on average."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The parameters that a user gave, each perhaps None."""

    start: Floats | None = None
    transition: Floats | None = None
    emission: Emission | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is left to choose."""
        return self.start is not None and self.transition is not None and self.emission is not None

    def over(self, default: Parameters) -> Parameters:
        """What is given in place of the default."""
        return Parameters(
            default.start if self.start is None else self.start,
            default.transition if self.transition is None else self.transition,
            default.emission if self.emission is None else self.emission,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ChainStarts:
    """All that starts need to know; a seed makes one."""

    blocks: list[SequenceBlock]
    model: Model
    overview: StepOverview
    given: Given
    how: str  # "kmeans" or "random"
    labelled: bool  # whether some states are known

    def start(self, seed: int) -> Parameters:
        """Parameters to climb from."""
        k = len(self.model.start_allowed)
        if self.labelled:
            counts = labelled_counts(self.blocks, self.model, self.overview.blank(k), seed)
            return self.given.over(self.model.solve(counts))
        emission = self.given.emission or self.overview.start(self.how, k, seed)
        clustered = self.how == "kmeans" and not self.given.complete
        default = clustered_chain(self.blocks, emission, self.model) if clustered else None
        return self.given.over(default or random_chain(emission, self.model, seed))


def random_chain(emission: Emission, model: Model, seed: int) -> Parameters:
    """Random starts and transitions where they are allowed."""
    rng = np.random.default_rng(seed)
    begin, onward = model.start_allowed, model.transition_allowed
    start = shares(rng.gamma(1.0, size=begin.shape) + FAINT, begin, 0.0)
    return Parameters(start, shares(rng.gamma(1.0, size=onward.shape) + FAINT, onward, 0.0), emission)


def clustered_chain(blocks: list[SequenceBlock], emission: Emission, model: Model) -> Parameters:
    """Each step goes to the state that explains it best; starts and transitions are counted, and one is added."""
    k = emission.n_states
    starts, pairs = np.zeros(k), np.zeros((k, k))
    for label, block in zip(map_blocks(lambda block: best_states(block, emission), blocks), blocks, strict=True):
        opening, weight = block.opening, block.step_weight
        inside = np.flatnonzero(~opening)
        starts += weighted_counts(label[opening], weight[opening], k)
        pairs += weighted_counts(label[inside - 1] * k + label[inside], weight[inside], k * k).reshape(k, k)
    return Parameters(shares(starts, model.start_allowed, 1.0), shares(pairs, model.transition_allowed, 1.0), emission)


def best_states(block: SequenceBlock, emission: Emission) -> Any:
    """The state that explains each step best, without its neighbours (n,)."""
    return np.argmax(emission.log_likelihood(block.values), axis=1)[block.code]


def allowed_transitions(mask: Any, transition: Floats | None, n_states: int) -> Any:
    """Which transitions (K, K) may be: those that the mask allows and, where they are given, that are not 0."""
    allowed = np.ones((n_states, n_states), bool) if mask is None else np.asarray(mask)
    if allowed.shape != (n_states, n_states) or not np.isin(allowed, (0, 1)).all():
        raise ParameterError(
            f"transition_mask must hold true or false for each of {n_states} × {n_states} transitions, but has shape "
            f"{allowed.shape}"
        )
    allowed = allowed.astype(bool)
    if not allowed.any(axis=1).all():
        raise ParameterError(f"transition_mask lets state {int(np.argmin(allowed.any(axis=1)))} go nowhere")
    if transition is None:
        return allowed
    wrong = np.argwhere((transition > 0.0) & ~allowed)
    if len(wrong):
        i, j = wrong[0]
        raise ParameterError(f"init gives the transition {i} → {j} a chance, but transition_mask does not allow it")
    return transition > 0.0
