"""What the fit of a chain keeps for its derivation: the way of its parameters, a sequence, and counts of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.graph.hmm.baum_welch import ExpectedCounts
from novacula.graph.hmm.blocks import SequenceBlock
from novacula.graph.hmm.parameters import Emission, Parameters
from novacula.learner.em.path import flat_path
from novacula.learner.expectation_maximization import EMState
from novacula.learner.trace import FitPath
from novacula.state import State, flag, floats, nullable, number, record
from novacula.table.chunk import Floats

STEPS, CELLS = 200, 2**12
"""Steps and numbers of a sequence up to which it is kept."""


@dataclass(frozen=True, eq=False)
class ChainTrace:
    """The way of Baum–Welch: up to 25 states of its parameters, a sequence of up to 200 steps, and expected counts."""

    state: ClassVar[State] = {
        "values": floats("steps", "columns", finite=False),
        "weight": number(above=0.0),
        "is_all": flag(),
        "path": record(FitPath),
        "others": nullable(record(FitPath)),
    }

    values: Floats  # (n, d) of the first sequence; no step where it is long, or where some of its states are known
    weight: float  # of that sequence
    is_all: bool  # whether there is no other sequence
    path: FitPath  # start, transition, emission
    others: FitPath | None  # expected starts, transitions and emission sums of all that is not kept

    @classmethod
    def of(cls, block: SequenceBlock, alone: bool, path: tuple[EMState[Parameters, ExpectedCounts], ...]) -> Self:
        """Keep the way of a fit, and the first sequence of its first block; `alone`: there is no other block."""
        n = int(block.bounds[1])
        values = block.values[block.code[:n]].astype(np.float64)
        held = n <= STEPS and values.size <= CELLS and not (block.label[:n] >= 0).any() and len(path) > 1
        is_all = held and alone and len(block.bounds) == 2
        first = block_of(values, float(block.weight[0]), block.values.dtype) if held else None
        counts = None if is_all else flat_path(path, lambda state: _counts_of_others(state, first))
        ways = flat_path(path, lambda state: flat_parameters(state.params))
        return cls(values if held else values[:0], float(block.weight[0]), is_all, ways, counts)

    def parameters(self, iteration: int, like: Emission) -> Parameters:
        """The parameters after an iteration."""
        k = like.n_states
        numbers = self.path.at(iteration, (k + k * k + like.numbers().size,))
        return Parameters(numbers[:k], numbers[k : k + k * k].reshape(k, k), like.with_numbers(numbers[k + k * k :]))


def block_of(values: Floats, weight: float, dtype: Any) -> SequenceBlock:
    """One sequence as a block, each step with a row of its own."""
    n = len(values)
    code, label = np.arange(n, dtype=np.int32), np.full(n, -1, np.int32)
    own = np.ascontiguousarray(values.astype(dtype))
    return SequenceBlock(0, own, code, label, np.array([0, n]), np.array([weight]))


def flat_parameters(parameters: Parameters) -> Floats:
    """Start, transition and emission as one row of numbers."""
    return np.concatenate([parameters.start, parameters.transition.ravel(), parameters.emission.numbers()])


def flat_counts(counts: ExpectedCounts, emission: Emission) -> Floats:
    """Expected starts, transitions and emission sums as one row of numbers."""
    return np.concatenate([counts.start, counts.transition.ravel(), emission.sum_numbers(counts.emission)])


def _counts_of_others(state: EMState[Parameters, ExpectedCounts], first: SequenceBlock | None) -> Floats:
    emission = state.params.emission
    if state.statistics is None:
        k = emission.n_states
        return np.zeros(k + k * k + emission.n_sums)
    found = flat_counts(state.statistics, emission)
    if first is None or state.statistics.under is None:
        return found
    own = ExpectedCounts.observe(first, state.statistics.under)
    return found - np.concatenate([own.start, own.transition.ravel(), emission.sum_numbers(own.emission)])
