"""Viterbi: the most probable states behind a sequence, all steps taken together.

    δₜ(j) = maxᵢ δₜ₋₁(i) Aᵢⱼ · p(xₜ | j), and the i that gave it; the best end is followed back

It works on logarithms, so nothing underflows. Of equally probable states the lowest is taken.
"""

from __future__ import annotations

import numpy as np

from novacula.graph.hmm.blocks import SequenceBlock
from novacula.graph.hmm.forward_backward import log_chain, refuse_impossible
from novacula.graph.hmm.parameters import Parameters
from novacula.table.chunk import Codes, Floats


def best_paths(block: SequenceBlock, parameters: Parameters) -> tuple[Codes, Floats]:
    """The best path (n,) through each sequence, and ln p of path and sequence (S,)."""
    from novacula.graph.hmm._kernels import best_paths as follow

    logs = parameters.emission.log_likelihood(block.values)
    back = np.empty((len(block), parameters.n_states), np.int32)
    path, score = np.empty(len(block), np.int32), np.empty(len(block.weight))
    follow(logs, block.code, block.label, block.bounds, *log_chain(parameters), back, path, score)
    for s in np.flatnonzero(np.isneginf(score)).tolist():
        best = lattice(logs, block.code[block.bounds[s] : block.bounds[s + 1]], parameters)[0]
        refuse_impossible(block.first + s, int(np.argmax(np.isneginf(best).all(axis=1))))
    return path, score


def lattice(logs: Floats, code: Codes, parameters: Parameters) -> tuple[Floats, Codes]:
    """δ (n, K) as logarithms and back pointers (n, K) of one sequence: what `work` shows."""
    log_start, log_transition = log_chain(parameters)
    best = np.empty((len(code), parameters.n_states))
    back = np.zeros((len(code), parameters.n_states), np.int32)
    best[0] = log_start + logs[code[0]]
    for t in range(1, len(code)):
        onward = best[t - 1][:, None] + log_transition
        back[t] = np.argmax(onward, axis=0)
        best[t] = onward.max(axis=0) + logs[code[t]]
    return best, back
