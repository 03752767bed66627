"""The hard margin: the widest strip between two classes that no row is in.

Its middle is halfway between the two points of the classes' convex hulls that are nearest to each other, p and q:

    w = 2(p − q) / ‖p − q‖²        margin = ‖p − q‖ / 2        dual objective = 2 / ‖p − q‖²

If the hulls meet, ‖p − q‖ = 0, then no strip exists, and the rows of which p and q are made prove it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from novacula.kernel.svm.decomposition import solve_dual
from novacula.kernel.svm.dual import Dual, DualSolution, Places
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.kernel_rows import KernelRows
from novacula.learner.iterate import Outcome, Run, iterate
from novacula.table.chunk import Floats

TOUCHING = 1e-10
"""The share of the largest k(x, x) below which ‖p − q‖² is nothing."""
SHARPER = 0.1
"""By how much the violation is lowered from one search to the next."""


class HullsMeetError(Exception):
    """The places of rows whose mixtures are a point of both hulls, and the share of each: its sign is its class."""

    def __init__(self, rows: Places, share: Floats) -> None:
        super().__init__("the convex hulls of the classes meet")
        self.rows, self.share = rows, share


def solve_hard_margin(rows: KernelRows, y: Floats, effort: Effort) -> DualSolution:
    """The multipliers of the hard margin for classes y = ±1 (n,), or HullsMeetError.

    How precise the nearest points must be depends on how near they are, so that it takes a few searches.
    """
    search = NearestPoints(rows, y, effort)
    run: Run[Any] = iterate(
        search.step, search, tol=None, direction="up", count=lambda made: made.n_iter, **effort.limits()
    )
    return _multipliers(replace(search.solution, run=replace(run, params=None)), y)


class NearestPoints:
    """Searches for the nearest points of two hulls, each from where the last one ended and more precise than that."""

    solution: DualSolution

    def __init__(self, rows: KernelRows, y: Floats, effort: Effort) -> None:
        self.rows, self.effort, self.dual = rows, effort, Dual.nearest_points(y)
        self.scale = self.tol = float(rows.diagonal().max())
        self.n_iter = 0

    def step(self, search: Self) -> tuple[Self | Outcome, float]:
        """Search once, and plan a more precise search unless this one was precise enough."""
        effort = replace(self.effort, tol=self.tol, max_iter=self.effort.max_iter - self.n_iter)
        self.solution = nearest = solve_dual(self.dual, self.rows, effort)
        self.n_iter += nearest.run.n_iter
        square = float(nearest.beta @ nearest.f)
        if square <= TOUCHING * self.scale:
            rows = np.flatnonzero(nearest.beta)
            raise HullsMeetError(rows, nearest.beta[rows])
        # Multipliers are 2/‖p − q‖² times the shares, and a violation may come from both classes.
        enough = 0.25 * self.effort.tol * square
        if nearest.violation <= enough or not nearest.run.converged:
            return nearest.run.outcome, 2.0 / square
        self.tol, self.dual = max(SHARPER * self.tol, enough), replace(self.dual, start=nearest.beta)
        return search, 2.0 / square


def _multipliers(nearest: DualSolution, y: Floats) -> DualSolution:
    """From shares in the nearest points to multipliers, for which the rows at the margin have y·(f + b) = 1."""
    factor = 2.0 / float(nearest.beta @ nearest.f)
    beta, f = factor * nearest.beta, factor * nearest.f
    dual = Dual.classification(y, np.full(len(y), np.inf), "hinge")
    return replace(
        nearest,
        beta=beta,
        f=f,
        objective=dual.objective(beta, f),
        violation=dual.violation(dual.scores(beta, f), beta),
        intercept=-0.5 * float(f[y > 0.0].min() + f[y < 0.0].max()),
    )
