"""Linear support vector machines on many rows: the problem of SMO, solved for w instead of for the Gram matrix.

Few columns: Newton's method, whose systems are as small as the columns are few. Many: coordinate descent.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from novacula.errors import ParameterError
from novacula.kernel.svm.linear.clock import Clock
from novacula.kernel.svm.linear.few_columns import solve_plain, solve_squared
from novacula.kernel.svm.linear.many_columns import solve_by_coordinates
from novacula.kernel.svm.linear.problem import LinearSolution, Problem
from novacula.kernel.svm.linear.products import Rows, column_means
from novacula.table.chunk import Floats, without_duplicates
from novacula.table.parallel import one_blas_thread

FEW_COLUMNS = {"dense": 2_000, "sparse": 500}
"""Columns up to which Newton's method, whose steps cost their square, gets ahead of coordinate descent."""


def solve_linear(
    X: Rows,
    y: Floats,
    cost: Floats,
    *,
    loss: str,
    tol: float,
    max_iter: int,
    time_budget: float | None,
    seed: int,
) -> LinearSolution:
    """The plane between classes y = ±1 with a cost Cᵢ a row; the loss is "hinge" or "squared_hinge"."""
    return _solve(X, y, cost, None, loss, tol, Clock(max_iter, time_budget), seed)


def solve_linear_regression(
    X: Rows,
    y: Floats,
    cost: Floats,
    epsilon: float,
    *,
    loss: str,
    tol: float,
    max_iter: int,
    time_budget: float | None,
    seed: int,
) -> LinearSolution:
    """The plane through numbers y, which costs nothing within epsilon of them; `alpha` is the signed multiplier."""
    return _solve(X, y, cost, epsilon, loss, tol, Clock(max_iter, time_budget), seed)


def _solve(
    X: Rows, y: Floats, cost: Floats, epsilon: float | None, loss: str, tol: float, clock: Clock, seed: int
) -> LinearSolution:
    if not np.isfinite(cost).all():
        raise ParameterError("a linear solution over many rows takes a finite C: for a hard margin use solver='smo'")
    counted = np.flatnonzero(cost > 0.0)
    if len(counted) < len(cost):  # a row without weight is no row
        found = _solve(X[counted], y[counted], cost[counted], epsilon, loss, tol, clock, seed)
        alpha = np.zeros(len(cost))
        alpha[counted] = found.alpha
        return replace(found, alpha=alpha)
    rng, sparse = np.random.default_rng(seed), issparse(X)
    X = without_duplicates(X) if sparse else X
    with one_blas_thread():  # the blocks of rows have the threads, and so the bits do not depend on their number
        problem = Problem(X, y, cost, loss.startswith("squared"), epsilon, column_means(X))
        if X.shape[1] > FEW_COLUMNS["sparse" if sparse else "dense"]:
            beta = solve_by_coordinates(problem, tol, clock, rng)
        elif problem.squared:
            beta = solve_squared(problem, clock, rng)
        else:
            beta = solve_plain(problem, tol, clock, rng)
        return problem.solution(beta, clock.n_iter, tol, clock.reason)


__all__ = ["LinearSolution", "solve_linear", "solve_linear_regression"]
