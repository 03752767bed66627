"""Squares with an L1 price, solved on a working set and stopped by the duality gap.

    minimise P(w) = ½‖y − Xw‖²/n + Σ lⱼ|wⱼ| + ½ Σ qⱼwⱼ²        over all w, or over w ≥ 0

Few coefficients are not zero, so few columns need their products: those of the working set. On it the problem is a
small quadratic one, solved to rounding. Then one pass gives gⱼ = xⱼᵀr/n − qⱼwⱼ for every column; the columns with
|gⱼ| > lⱼ want to enter, the worst of them do, and so on until the gap says that nothing is left to gain.

The quadratic term amounts to more rows of X, and r/n times s = min lⱼ/|gⱼ| is a point of the dual problem, so that

    P(w) − min P ≤ gap = Σ (lⱼ|wⱼ| − wⱼgⱼ) + δ wᵀg + ½δ² (‖r‖²/n + Σ qⱼwⱼ²)        δ = 1 − s

Columns with lⱼ = 0 bound no s. They are always in the working set, where half of gᵀH⁻¹g is what they can still gain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from novacula.learner.iterate import Monitor, Outcome, Run, iterate
from novacula.learner.trace import FitPath, PathRecorder
from novacula.linear.quadratic import solve_quadratic
from novacula.state import State, record
from novacula.table.chunk import Floats
from novacula.table.parallel import one_blas_thread

Places = npt.NDArray[np.intp]

FIRST = 200
"""Columns that enter an empty working set; later it doubles."""
FLOOR = 1e-14
"""The share of ½‖y‖²/n below which a gap is rounding."""


class LassoSums(Protocol):
    """What the solver asks of the data: columns about their centre, sums over n, the total weight."""

    @property
    def cross(self) -> Floats:
        """Xᵀy/n (d, k)."""

    @property
    def squares(self) -> Floats:
        """Σx²/n of each column (d,), 0 for columns that do not vary."""

    @property
    def spread(self) -> Floats:
        """‖y‖²/n of each target (k,)."""

    def products(self, rows: Places, columns: Places) -> Floats:
        """XᵀX/n of these columns with those."""

    def residual(self, target: int, coef: Floats) -> tuple[Floats, float]:
        """Xᵀr/n (d,) and ‖r‖²/n of a target's residual r = y − Xw."""


@dataclass(frozen=True)
class LassoPrice:
    """What coefficients cost: Σ lⱼ|wⱼ| + ½ Σ qⱼwⱼ², and whether they must not be negative."""

    l1: Floats  # (d,)
    l2: Floats  # (d,)
    positive: bool = False

    @classmethod
    def of(cls, alpha: float, l1_ratio: float, factor: Floats, positive: bool) -> Self:
        """The elastic net's: α·ratio·fⱼ and α·(1 − ratio)·fⱼ."""
        return cls(alpha * l1_ratio * factor, alpha * (1.0 - l1_ratio) * factor, positive)

    def pull(self, gradient: Floats) -> Floats:
        """How strongly a coefficient is pulled away from zero: either way, or upwards only."""
        return np.maximum(gradient, 0.0) if self.positive else np.abs(gradient)


@dataclass(frozen=True)
class LassoState:
    """Coefficients of one target, with what a pass over the rows says of them."""

    coef: Floats  # (d,)
    correlation: Floats  # (d,), Xᵀr/n
    error: float  # ‖r‖²/n

    def objective(self, price: LassoPrice) -> float:
        """What is made smallest."""
        w = self.coef
        return float(0.5 * self.error + price.l1 @ np.abs(w) + 0.5 * price.l2 @ w**2)

    def gradient(self, price: LassoPrice) -> Floats:
        """xⱼᵀr/n − qⱼwⱼ."""
        return self.correlation - price.l2 * self.coef


@dataclass(frozen=True)
class LassoTrace:
    """The way of the first target: weights, how columns go along with the residual, and its mean square, by round."""

    state: ClassVar[State] = {"path": record(FitPath, m="columns+columns+1")}

    path: FitPath  # states of 2d + 1 numbers

    @staticmethod
    def recorder() -> PathRecorder:
        """What notes it while a fit runs."""
        return PathRecorder(lambda state: np.concatenate([state.coef, state.correlation, [state.error]]))


@dataclass(frozen=True)
class LassoSolution:
    """Where an iteration came to, how far from the minimum that is at most, and how it went."""

    state: LassoState
    gap: float
    run: Run[LassoState]


@dataclass
class WorkingSet:
    """Columns whose products are known; it grows, and serves every target and every penalty."""

    sums: LassoSums
    columns: Places = field(default_factory=lambda: np.empty(0, np.intp))
    gram: Floats = field(default_factory=lambda: np.empty((0, 0)))

    def add(self, new: Places) -> None:
        """Take in columns that are not yet there."""
        if not len(new):
            return
        size, self.columns = len(self.columns), np.concatenate([self.columns, new])
        block = self.sums.products(self.columns, new)
        gram = np.empty((len(self.columns), len(self.columns)))
        gram[:size, :size] = self.gram
        gram[:, size:] = block
        gram[size:, :size] = block[:size].T
        self.gram = gram

    def missing(self, columns: Places) -> Places:
        """Those of the columns that are not yet there."""
        return columns[~np.isin(columns, self.columns)]

    def solve(self, target: int, price: LassoPrice, coef: Floats, gap: float = 0.0) -> Floats:
        """The best coefficients (d,) that are zero outside of the set, found from those given.

        With a `gap` they need not be the best: to close most of it is enough.
        """
        places, l2 = self.columns, price.l2[self.columns]
        hessian = self.gram + np.diag(l2) if l2.any() else self.gram
        linear, l1 = self.sums.cross[places, target], price.l1[places]
        best = np.zeros_like(coef)
        with one_blas_thread():  # systems this small, with sweeps between them, cost more on several
            best[places] = solve_quadratic(hessian, linear, l1, price.positive, coef[places], gap)
        return best


def null_state(working: WorkingSet, target: int, free: Places, price: LassoPrice) -> LassoState:
    """The fit of the free columns alone, from which the path of penalties starts."""
    sums = working.sums
    coef = np.zeros(len(sums.squares))
    if not len(free):
        return LassoState(coef, sums.cross[:, target], float(sums.spread[target]))
    working.add(working.missing(free))
    only = np.isin(np.arange(len(coef)), free)
    barred = LassoPrice(np.where(only, 0.0, np.inf), np.zeros(len(coef)), price.positive)
    coef = working.solve(target, barred, coef)
    return LassoState(coef, *sums.residual(target, coef))


def solve_sparse(
    working: WorkingSet,
    target: int,
    price: LassoPrice,
    start: LassoState,
    tol: float,
    max_iter: int,
    monitor: Monitor[LassoState] | None = None,
) -> LassoSolution:
    """Solve for one target from a start."""
    sums = working.sums
    varies = sums.squares > 0.0
    working.add(working.missing(np.flatnonzero(varies & ((price.l1 == 0.0) | (start.coef != 0.0)))))

    def step(state: LassoState) -> tuple[LassoState | Outcome, float]:
        objective, gap = state.objective(price), duality_gap(working, price, state)
        if gap <= tol * objective + FLOOR * 0.5 * sums.spread[target]:
            return Outcome.CONVERGED, objective
        pull = price.pull(state.gradient(price))
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(varies, pull / price.l1, 0.0)
        wanting = working.missing(np.flatnonzero(score > 1.0))
        room = max(FIRST, len(working.columns))
        working.add(np.sort(wanting[np.argsort(-score[wanting], kind="stable")[:room]]))
        # Where not all could enter, another round is sure to come, and the best of this set is not worth its sweeps.
        coef = working.solve(target, price, state.coef, gap if len(wanting) > room else 0.0)
        if np.array_equal(coef, state.coef):
            coef = working.solve(target, price, state.coef)
        if np.array_equal(coef, state.coef):
            return Outcome.STALLED, objective
        return LassoState(coef, *sums.residual(target, coef)), objective

    run = iterate(step, start, max_iter=max_iter, tol=None, monitor=monitor)
    return LassoSolution(run.params, duality_gap(working, price, run.params), run)


def duality_gap(working: WorkingSet, price: LassoPrice, state: LassoState) -> float:
    """A bound on how far the objective is above its minimum; not negative."""
    paid, gained, size, delta = gap_parts(price, state)
    gap = paid - gained + delta * gained + 0.5 * delta**2 * size
    return max(gap, 0.0) + free_gain(working, price, state.coef, state.gradient(price))


def gap_parts(price: LassoPrice, state: LassoState) -> tuple[float, float, float, float]:
    """Σ lⱼ|wⱼ|, wᵀg, ‖r‖²/n + Σ qⱼwⱼ², and δ: the best that keeps the dual point s·r/n allowed."""
    w, gradient, l1 = state.coef, state.gradient(price), price.l1
    size, gained = float(state.error + price.l2 @ w**2), float(w @ gradient)
    charged = l1 > 0.0
    over = float((price.pull(gradient)[charged] / l1[charged]).max(initial=0.0))
    best = 1.0 + gained / size if size > 0.0 else 1.0
    delta = 1.0 - max(min(best, 1.0 / over if over > 0.0 else np.inf), 0.0)
    return float(l1 @ np.abs(w)), gained, size, delta


def free_gain(working: WorkingSet, price: LassoPrice, w: Floats, gradient: Floats) -> float:
    """½gᵀH⁻¹g of the columns without an L1 price, those excepted that have to stay at zero."""
    places = working.columns
    free = price.l1[places] == 0.0
    if price.positive:
        free &= (w[places] > 0.0) | (gradient[places] > 0.0)
    if not free.any():
        return 0.0
    hessian = working.gram[np.ix_(free, free)] + np.diag(price.l2[places[free]])
    g = gradient[places[free]]
    return max(0.5 * float(g @ np.linalg.lstsq(hessian, g, rcond=None)[0]), 0.0)
