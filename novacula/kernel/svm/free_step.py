"""Newton's step for the variables that are free: where pairs would go to and fro, all of them move at once.

The best change δ of the free variables keeps the sum of each group, and those that meet a bound on the way stay there:

    minimise ½ δᵀHδ − sᵀδ  subject to Eᵀδ = g        δ = H⁻¹(s − Eλ),  EᵀH⁻¹E λ = EᵀH⁻¹s − g

H is K + r of the free variables and s are their scores. A column of E says who is in a group, or who has met its
bound. H is factored once: a bound that is met adds a column, and the others go on.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from novacula.kernel.svm.dual import Dual, Places
from novacula.table.chunk import Floats

JITTER = 1e-10
"""What is added to the diagonal, as a share of its largest entry, since kernel matrices may have no full rank."""
STOPS = 30
"""Bounds that are met before it is the turn of pairs, which can also leave bounds."""


def free_step(K: Floats, row: Places, dual: Dual, beta: Floats, score: Floats) -> float:
    """Move the free ones of m variables, which belong to rows of K (q, q); beta and score (m,) change in place.

    Gives what the objective gains.
    """
    free = np.flatnonzero((beta > dual.lower) & (beta < dual.upper))
    if len(free) < 2:
        return 0.0
    part, own, start = dual.take(free), row[free], beta[free]
    H = K[np.ix_(own, own)]
    H[np.diag_indices_from(H)] += part.ridge + JITTER * H.diagonal().max()
    try:
        factor = linalg.cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return 0.0
    goal = _minimum(factor, part, start, score[free])
    change = np.zeros(len(beta))
    change[free] = goal - start
    after = score - (K @ np.bincount(row, change, len(K)))[row] - dual.ridge * change
    gain = 0.5 * float(change @ (score + after))
    if gain <= 0.0:  # rounding is all that there is to gain
        return 0.0
    beta[free], score[:] = goal, after
    return gain


def _minimum(factor: tuple[Floats, bool], part: Dual, beta: Floats, score: Floats) -> Floats:
    """Where the free variables go (m,), given the Cholesky factor of H."""
    groups = (part.group[:, None] == np.unique(part.group)).astype(np.float64)
    E, g = groups, np.zeros(groups.shape[1])
    best, solved = (linalg.cho_solve(factor, side, check_finite=False) for side in (score, E))
    change, lower, upper, goes = np.zeros(len(beta)), part.lower - beta, part.upper - beta, np.ones(len(beta), bool)
    for _ in range(STOPS):
        try:
            d = best - solved @ np.linalg.solve(E.T @ solved, E.T @ best - g) - change
        except np.linalg.LinAlgError:
            break
        d = _balanced(np.where(goes, d, 0.0), groups * goes[:, None])
        room = np.full(len(d), np.inf)
        np.divide(np.where(d > 0.0, upper, lower) - change, d, out=room, where=d != 0.0)
        first = int(room.argmin())
        change += min(1.0, room[first]) * d
        if room[first] >= 1.0:
            break
        change[first], goes[first] = upper[first] if d[first] > 0.0 else lower[first], False
        unit = np.zeros((len(d), 1))
        unit[first] = 1.0
        E, g = np.hstack([E, unit]), np.append(g, change[first])
        solved = np.hstack([solved, linalg.cho_solve(factor, unit, check_finite=False)])
    inside = np.clip(beta + change, part.lower, part.upper)
    return np.where(change == upper, part.upper, np.where(change == lower, part.lower, inside))


def _balanced(d: Floats, groups: Floats) -> Floats:
    """A direction without the sums that rounding gives it in each group, by a column for the members of each."""
    return np.asarray(d - groups @ (groups.T @ d / np.maximum(groups.sum(axis=0), 1.0)))
