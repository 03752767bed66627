"""The lasso for a whole grid of penalties, each fit started from the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.linear.lasso.working_set import LassoPrice, LassoState, LassoSums, WorkingSet, null_state, solve_sparse
from novacula.linear.penalty_path import PenaltyPath
from novacula.table.chunk import Floats


@dataclass(frozen=True)
class LassoTerms:
    """The parameters of a lasso but for α: the shares of the prices, and when to stop."""

    l1_ratio: float
    factor: Floats  # (d,)
    positive: bool
    tol: float
    max_iter: int

    def price(self, alpha: float) -> LassoPrice:
        """The prices for one α."""
        return LassoPrice.of(alpha, self.l1_ratio, self.factor, self.positive)


@dataclass(frozen=True, eq=False)
class LassoPath(PenaltyPath):
    """Lasso or elastic net for m penalties, as they were given or falling from the least that makes all weights zero.

    Arrays have an axis k after the first if y had columns.
    """

    dual_gap: Floats  # (m,) or (m, k), a bound on what is left to gain
    df: Any  # (m,) or (m, k), coefficients that are not zero
    cv_error: Floats | None = None  # (m,) or (m, k), mean squared error of folds that were left out
    cv_std_error: Floats | None = None  # its standard error

    def errors(self) -> tuple[Floats, Floats]:
        """The errors of folds that were left out and their standard errors, if the path was cross-validated."""
        if self.cv_error is None or self.cv_std_error is None:
            raise ParameterError("this path knows no errors to choose by: ask for them with cross_validate=True")
        return self.cv_error, self.cv_std_error


def largest_penalties(working: WorkingSet, terms: LassoTerms) -> tuple[list[LassoState], Floats]:
    """The fit of the free columns alone, and the least α that leaves it at that, for each target (k,)."""
    price, live = terms.price(1.0), working.sums.squares > 0.0
    free = np.flatnonzero(live & (terms.factor == 0.0))
    starts = [null_state(working, k, free, price) for k in range(working.sums.cross.shape[1])]
    charged = live & (price.l1 > 0.0)
    pulls = [price.pull(start.correlation[charged]) / price.l1[charged] for start in starts]
    return starts, np.array([pull.max(initial=0.0) for pull in pulls])


def penalty_grid(alpha_max: Floats, terms: LassoTerms, n_alphas: int, eps: float) -> Floats:
    """From the largest α that changes anything down to a share eps of it, in equal ratios."""
    if terms.l1_ratio == 0.0:
        raise ParameterError("with l1_ratio=0 no α is the largest that matters: give alphas")
    top = float(alpha_max.max())
    return np.geomspace(top, top * eps, n_alphas) if top > 0.0 else np.zeros(1)


def solve_path(sums: LassoSums, terms: LassoTerms, alphas: Floats) -> tuple[Floats, Floats, bool]:
    """Coefficients (m, k, d) and gaps (m, k) from the largest α to the least, and whether all converged."""
    working = WorkingSet(sums)
    states, _ = largest_penalties(working, terms)
    coef, gaps = np.zeros((len(alphas), len(states), len(terms.factor))), np.zeros((len(alphas), len(states)))
    converged = True
    for i in np.argsort(-alphas, kind="stable"):
        for k, state in enumerate(states):
            solved = solve_sparse(working, k, terms.price(float(alphas[i])), state, terms.tol, terms.max_iter)
            states[k], coef[i, k], gaps[i, k] = solved.state, solved.state.coef, solved.gap
            converged &= solved.run.converged
    return coef, gaps, converged
