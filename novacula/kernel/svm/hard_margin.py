"""The hard margin: the widest strip between two classes that no row is in.

Its middle is halfway between the two points of the classes' convex hulls that are nearest to each other, p and q:

    w = 2(p − q) / ‖p − q‖²        margin = ‖p − q‖ / 2        dual objective = 2 / ‖p − q‖²

If the hulls meet, ‖p − q‖ = 0, then no strip exists, and the rows of which p and q are made prove it.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from novacula.kernel.svm.decomposition import Effort, solve_dual
from novacula.kernel.svm.dual import Dual, DualSolution, Places
from novacula.kernel.svm.kernel_rows import KernelRows
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
    dual, scale, began = Dual.nearest_points(y), float(rows.diagonal().max()), time.monotonic()
    tol, n_iter, history = scale, 0, list[float]()
    while True:
        left = effort.time_budget - (time.monotonic() - began)
        found = solve_dual(dual, rows, replace(effort, tol=tol, max_iter=effort.max_iter - n_iter, time_budget=left))
        n_iter += found.n_iter
        square = float(found.beta @ found.f)
        if square <= TOUCHING * scale:
            held = np.flatnonzero(found.beta)
            raise HullsMeetError(held, found.beta[held])
        history.append(2.0 / square)
        # Multipliers are 2/‖p − q‖² times the shares, and a violation may come from both classes.
        enough = 0.25 * effort.tol * square
        if found.violation <= enough or not found.converged:
            return _multipliers(replace(found, n_iter=n_iter, history=tuple(history)), y)
        tol, dual = max(SHARPER * tol, enough), replace(dual, start=found.beta)


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
