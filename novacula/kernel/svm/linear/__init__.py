"""Linear support vector machines on many rows: the problem of SMO, solved for w instead of for the Gram matrix.

Few columns: Newton's method, whose systems are as small as the columns are few. Many: coordinate descent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from novacula.errors import ParameterError
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.linear.few_columns import solve_plain, solve_squared
from novacula.kernel.svm.linear.many_columns import solve_by_coordinates
from novacula.kernel.svm.linear.problem import LinearSolution, PlaneProblem, Search
from novacula.kernel.svm.linear.products import Rows, column_means
from novacula.learner.iterate import Outcome, iterate
from novacula.table.chunk import Floats, without_duplicates
from novacula.table.parallel import one_blas_thread

FEW_COLUMNS = {"dense": 2_000, "sparse": 500}
"""Columns up to which Newton's method, whose steps cost their square, gets ahead of coordinate descent."""


def solve_linear(
    X: Rows, y: Floats, cost: Floats, epsilon: float | None = None, *, loss: str, effort: Effort, seed: int
) -> LinearSolution:
    """The plane between classes y = ±1, or with ε the plane through numbers y, free of charge within ε of them.

    Each row has a cost Cᵢ; the loss is "hinge" or "squared_hinge". `alpha` of numbers is the signed multiplier.
    """
    if not np.isfinite(cost).all():
        raise ParameterError("a linear solution over many rows takes a finite C: for a hard margin use solver='smo'")
    used = np.flatnonzero(cost > 0.0)
    if len(used) < len(cost):  # a row without weight does not count as a row
        solution = solve_linear(X[used], y[used], cost[used], epsilon, loss=loss, effort=effort, seed=seed)
        alpha = np.zeros(len(cost))
        alpha[used] = solution.alpha
        return replace(solution, alpha=alpha)
    X = without_duplicates(X) if issparse(X) else X
    with one_blas_thread():  # the blocks of rows have the threads, and so the bits do not depend on their number
        problem = PlaneProblem(X, y, cost, loss.startswith("squared"), epsilon, column_means(X))
        under_way = SearchUnderWay(search_for(problem, effort.tol, np.random.default_rng(seed)))
        run = iterate(under_way.step, under_way, tol=None, **effort.limits())
        return problem.solution(under_way.finish(), run, effort.tol)


def search_for(problem: PlaneProblem, tol: float, rng: np.random.Generator) -> Search:
    """The search that suits the number of columns, and the loss."""
    X = problem.X
    if X.shape[1] > FEW_COLUMNS["sparse" if issparse(X) else "dense"]:
        return solve_by_coordinates(problem, tol, rng)
    return solve_squared(problem, rng) if problem.squared else solve_plain(problem, tol, rng)


@dataclass
class SearchUnderWay:
    """A search step by step, as `iterate` takes it."""

    search: Search
    objective: float = 0.0
    beta: Floats | None = None

    def step(self, under_way: SearchUnderWay) -> tuple[SearchUnderWay | Outcome, float]:
        """Make a step, the first time none; at the end the objective is the one from which the last step set out."""
        try:
            self.objective = next(self.search)
        except StopIteration as end:
            self.beta = end.value
            return Outcome.CONVERGED, self.objective
        return under_way, self.objective

    def finish(self) -> Floats:
        """β at the end, or where the search is cut short what its last step comes to."""
        while self.beta is None:
            try:
                self.search.send(True)
            except StopIteration as end:
                self.beta = end.value
        return self.beta


__all__ = ["LinearSolution", "solve_linear"]
