"""Problems of many columns, sparse or dense: coordinate descent on the dual, w being kept up to date.

Each β in turn goes to its best value, which costs as much as its row is long (Hsieh, Chang, Lin, Keerthi and
Sundararajan, 2008). The condition Σ β = 0, which belongs to a free intercept, is kept by the method of multipliers:

    minimise dual + λ Σ β + ½ρ (Σ β)²,    λ ← λ + ρ Σ β after a pass.

That is one more column, of √ρ, whose weight is drawn to its last value, not to zero as in liblinear, so that
the pull fades. Rows that are well on the safe side of their bound are left out until the others are settled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from novacula.kernel.svm.linear.problem import PlaneProblem, Search
from novacula.kernel.svm.linear.products import Rows, squared_lengths

SETTLED = 0.45
"""The largest violation met in a pass over all rows at which it ends, as a share of tol."""


def solve_by_coordinates(problem: PlaneProblem, tol: float, rng: np.random.Generator) -> Search:
    """β of either loss."""
    from novacula.kernel.svm.linear._kernels import descend

    lengths = squared_lengths(problem.X)
    stiffness = float(lengths.mean())
    bend, epsilon = lengths + stiffness + problem.ridge, problem.epsilon or 0.0
    rows = (*row_places(problem.X), problem.target, problem.low, problem.high, bend, problem.ridge)
    n, d = problem.X.shape
    beta, w, balance = np.zeros(n), np.zeros(d), np.zeros(2)
    active, calm = np.ones(n, np.int64), np.inf
    while not (yield problem.dual(beta, w)):
        order = rng.permutation(np.flatnonzero(active))
        worst = descend(*rows, epsilon, stiffness, calm, order, active, beta, w, balance)
        balance[0] += stiffness * balance[1]
        calm = worst
        if max(worst, stiffness * abs(balance[1])) <= SETTLED * tol:
            if len(order) == n:
                break
            active[:], calm = 1, np.inf
    return beta


def row_places(X: Rows) -> tuple[Any, ...]:
    """Numbers and their columns, and for each row where both begin and how many there are.

    A dense row is a sparse one that has all columns, so all of them share one list of columns.
    """
    n, d = X.shape
    if issparse(X):
        begin = X.indptr.astype(np.int64)
        return X.data, X.indices.astype(np.int32, copy=False), begin[:-1], begin[:-1], np.diff(begin)
    return X.ravel(), np.arange(d, dtype=np.int32), np.arange(n) * d, np.zeros(n, np.int64), np.full(n, d)
