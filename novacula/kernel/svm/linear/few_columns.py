"""Problems of few columns: a sample of the rows first, then all, then those near their limit.

The solution for a sample is near that of all rows and costs little. As the corner of the plain loss gets narrower,
only rows near their limit can still change zone; the others are set aside. In the end all are checked, and those
that turn out to be in another zone than was thought take part again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg

from novacula.kernel.svm.linear.newton import FEW, ZoneDescent
from novacula.kernel.svm.linear.problem import PlaneProblem, Search
from novacula.kernel.svm.linear.products import centred, combined, squared_lengths
from novacula.table.chunk import Floats

FEWEST = 4_000
"""Rows of a sample, at least."""
PER_COLUMN = 80
"""Rows of a sample for each column, at least."""
WORTH = 4
"""How many times as many rows there must be for a sample to be worth its while."""
COARSE = 1 / 16
"""The width for all rows after the sample, as a share of that of the start."""
NARROWER = 4.0
"""By how much a corner is narrower than the last."""
REACH = 8.0
"""Rows farther from their limit than this many widths are set aside."""
FINE, COARSEST = 0.1, 0.5
"""The width at the end, as a share of tol: the first, or up to the second where digits would be lost."""
STIFFEST = 2e12
"""The largest c·‖x‖²/h at which the equations of a step keep enough digits."""
HALF_SQUARE = 0.5
"""The width at which c·e²/2h is the squared loss."""


def solve_squared(problem: PlaneProblem, rng: np.random.Generator) -> Search:
    """β of the squared loss."""
    v = start(problem)
    sample = sample_rows(problem, rng)
    if sample is not None:
        sampled = ZoneDescent(problem.of_rows(*sample), v, HALF_SQUARE)
        yield from sampled.settle(HALF_SQUARE)
        v = sampled.v
    at = ZoneDescent(problem, v, HALF_SQUARE)
    yield from at.settle(HALF_SQUARE)
    return multipliers(problem, at.shares())


def solve_plain(problem: PlaneProblem, tol: float, rng: np.random.Generator) -> Search:
    """β of the plain loss."""
    v, fine = start(problem), finest(problem, tol)
    wide = max(2.0 * float(problem.shortfall(problem.plane(v)).max()), fine)
    sample = sample_rows(problem, rng)
    if sample is not None:
        sampled = ZoneDescent(problem.of_rows(*sample), v, wide)
        for width in widths(wide, COARSE * wide):
            yield from sampled.settle(width)
        v, wide = sampled.v, COARSE * wide
    at = ZoneDescent(problem, v, wide)
    near_limit, shares = np.ones(len(problem.cost), bool), np.zeros(problem.sign.shape)
    narrowing = len(near_limit) > FEWEST
    while True:
        for width in widths(wide, fine):
            cut = yield from at.settle(width)
            shares[:, near_limit] = at.shares()
            near = np.abs(at.problem.shortfall(at.f)).min(axis=0) <= REACH * width
            if narrowing and 0 < 2 * near.sum() <= len(near):
                at.set_aside(near)
                near_limit[near_limit] = near
        short = problem.shortfall(problem.plane(at.v))
        wrong = np.where(near_limit, 0.0, np.where(shares == 1.0, -short, short).max(axis=0))
        wide, narrowing = float(wrong.max()), False  # rows that take part again stay, or it might never end
        if wide <= fine or cut:
            return refined(problem, shares, at.width)
        near_limit |= (wrong > fine) | (np.abs(short).min(axis=0) <= wide)
        at = ZoneDescent(problem, at.v, wide)
        at.set_aside(near_limit)


def start(problem: PlaneProblem) -> Floats:
    """A plane without slope, through the mean of the targets where they are numbers."""
    v = np.zeros(len(problem.centre) + 1)
    if problem.epsilon is not None:
        v[-1] = np.average(problem.target, weights=problem.cost)
    return v


def finest(problem: PlaneProblem, tol: float) -> float:
    """The width at the end."""
    spread = float(squared_lengths(problem.X).mean() - problem.centre @ problem.centre)
    return min(COARSEST * tol, max(FINE * tol, float(problem.cost.max()) * spread / STIFFEST))


def widths(first: float, last: float) -> list[float]:
    """From the first width to the last, each a part of the one before."""
    count = max(0, math.ceil(math.log(first / last, NARROWER) - 1e-9))
    return [first / NARROWER**i for i in range(count)] + [last]


def multipliers(problem: PlaneProblem, shares: Floats) -> Floats:
    """β of each row, from the shares of its sides."""
    return np.asarray((problem.sign * shares).sum(axis=0) * problem.cost)


def refined(problem: PlaneProblem, shares: Floats, width: float) -> Floats:
    """β of each row, those between their bounds by their own equations, f(x) + βh/c = p·s.

    Made of v they are differences of large numbers, divided by h; the equations give them to all digits.
    """
    beta, bending = multipliers(problem, shares), (shares > 0.0) & (shares < 1.0)
    rows = np.flatnonzero(bending.any(axis=0))
    if not 0 < len(rows) <= FEW:
        return beta
    side = bending[:, rows].argmax(axis=0)
    sign, limit, cost = problem.sign[side, rows], problem.limit[side, rows], problem.cost[rows]
    rest = beta.copy()
    rest[rows] = 0.0
    total = float(rest.sum())
    z = centred(problem.X, rows, problem.centre)
    system = np.zeros((len(rows) + 1, len(rows) + 1))
    system[:-1, :-1] = z[:, :-1] @ z[:, :-1].T + np.diag(width / cost)
    system[-1, :-1] = system[:-1, -1] = 1.0
    plane = combined(problem.X, rest) - total * problem.centre
    exact = linalg.lstsq(system, np.append(sign * limit - z[:, :-1] @ plane, -total), lapack_driver="gelsy")[0]
    beta[rows] = sign * np.clip(sign * exact[:-1], 0.0, cost)
    return beta


def sample_rows(problem: PlaneProblem, rng: np.random.Generator) -> tuple[Any, Floats] | None:
    """Rows drawn without replacement, as many of each class, with costs that stand for all; None for few rows."""
    n, d = problem.X.shape
    size = max(FEWEST, PER_COLUMN * d)
    if n < WORTH * size:
        return None
    groups = [np.arange(n)] if problem.epsilon is not None else [np.flatnonzero(problem.target == s) for s in (-1, 1)]
    rows, costs = [], []
    for group in groups:
        drawn = group if len(group) <= size // len(groups) else np.sort(rng.choice(group, size // len(groups), False))
        rows.append(drawn)
        costs.append(problem.cost[drawn] * (problem.cost[group].sum() / problem.cost[drawn].sum()))
    return np.concatenate(rows), np.concatenate(costs)
