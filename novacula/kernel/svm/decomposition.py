"""The dual problem by decomposition: solve for the variables that violate most, hold the others, and repeat.

A round costs the q × q kernel values of its working set, within which pairs are optimised until little is left to
gain (`solve_pairs`, and `free_step` where that takes long), and the kernel rows of the variables that have moved,
which are few. Rows whose variables sit at a bound, and whose scores say that they will stay there, are left out for a
while (shrinking). The end is believed only once these rows are in again, with f = Kβ computed again.

Osuna, Freund and Girosi (1997); Joachims, Making large-scale SVM learning practical (1999).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np

from novacula.kernel.svm.dual import Dual, DualSolution, Places
from novacula.kernel.svm.effort import Effort
from novacula.kernel.svm.free_step import free_step
from novacula.kernel.svm.kernel_rows import KernelRows
from novacula.kernel.svm.row_cache import RowCache, products
from novacula.learner.iterate import Outcome, Run, iterate
from novacula.learner.trace import FitPath, PathRecorder
from novacula.table.chunk import Floats
from novacula.table.parallel import one_blas_thread

WHOLE = 2000
"""Rows up to which all variables are one working set."""
SET = 1000
"""Variables that are chosen for a working set because they violate; others are because they are free."""
INNER = 0.1
"""The share of the violation down to which a working set is solved."""
PAIRS, FACTOR = 2_000, 500
"""After how many pairs all free variables take a step: 2,000, and q²/500 more for what a factor of q rows costs."""
STEPS = 20_000
"""Steps of a round, at most, so that limits are checked in between."""
PATIENCE = 10
"""Rounds without any gain after which rounding is all that is left."""
SINGLE = 6e-8
"""Relative rounding of numbers in single precision."""
GAIN = 1e-13
"""The share of the objective that a round may gain by rounding alone."""
ROUNDING = 1e-6
"""How far below 0 a curvature may be, as a share of its terms, before a kernel is refused."""
EXTREME, EXTREME_STEPS = 1e9, 50_000
"""Scales so far apart, by weights as a rule, that steps are lost in rounding, and how many are made nevertheless."""
LEAST = 1e-3
"""Kernel values of less count as if they had this size: where there is no curvature, steps end at 1e12."""
FEW, WATCHED = 30, 200
"""Rows up to which pairs are solved one by one for the sake of a derivation, and for how many of them."""
SHRINK = 0.5
"""The share of rows that may be busy for the others to be left out."""


class ConcaveError(Exception):
    """Two rows between which the kernel has negative curvature, so that no kernel can be behind it."""

    def __init__(self, *rows: int) -> None:
        super().__init__("the kernel is not positive semi-definite")
        self.rows = rows


def solve_dual(dual: Dual, rows: KernelRows, effort: Effort) -> DualSolution:
    """Multipliers that violate the KKT conditions by at most tol, or the best that the effort allows."""
    size = float(np.abs(rows.diagonal()).max())
    unseen = np.finfo(float).eps * float(np.abs(dual.target).max()) > effort.tol  # targets round to more than tol
    if unseen or dual.reach(max(size, LEAST)) > EXTREME:
        effort = replace(effort, max_iter=min(effort.max_iter, EXTREME_STEPS))
    with one_blas_thread():  # blocks of kernel values are what runs side by side
        search = Decomposition(dual, rows, effort)
        run = iterate(
            search.step,
            search,
            tol=None,
            direction="up",
            monitor=effort.watch,
            count=lambda made: made.n_iter,
            **effort.limits(),
        )
        return search.solution(run)


class Decomposition:
    """A search under way: the multipliers β, f = Kβ of the active rows, and the kernel rows that are kept."""

    def __init__(self, dual: Dual, rows: KernelRows, effort: Effort) -> None:
        self.dual, self.rows, self.effort = dual, rows, effort
        self.beta, self.f = dual.start.copy(), np.zeros(len(rows))
        self.noise = math.inf if rows.kernel.positive else ROUNDING
        room = math.isqrt(int(effort.cache_bytes / 16.0))  # rows whose square takes half of the memory
        self.whole = len(rows) <= min(WHOLE, room)
        self.room = max(0, room - SET)
        self.dtype = self._precision()
        self.shrinks = True
        self.square: tuple[Places, Floats] = (np.empty(0, np.int64), np.empty((0, 0)))
        self._activate(np.arange(len(rows)))
        if self.beta.any():
            self._renew(self.active)
        self.n_iter, self.objective, self.gain = 0, dual.objective(self.beta, self.f), math.inf
        self.violation = self.best = math.inf
        self.idle = 0
        self.path = PathRecorder() if self.whole and len(rows) <= FEW else None
        self.plan: tuple[Floats, Floats] | None = None  # scores and multipliers from which the next round sets out

    def _precision(self) -> Any:
        """Single where the rounding of kernel rows moves no score by a tenth of tol."""
        reach = np.maximum(np.abs(self.dual.lower), np.abs(self.dual.upper))
        size = float(np.abs(self.rows.diagonal()).max()) * float(np.linalg.norm(reach))
        return np.float32 if SINGLE * size < 0.1 * self.effort.tol else np.float64

    def _activate(self, places: Places) -> None:
        """Go on with the rows at these places only."""
        self.active = places
        is_active = np.zeros(len(self.rows), bool)
        is_active[places] = True
        self.variables = np.flatnonzero(is_active[self.dual.row])
        self.part = self.dual.take(self.variables)
        self.cache = RowCache(self.rows, places, 0.5 * self.effort.cache_bytes, self.dtype)

    def step(self, search: Self) -> tuple[Self | Outcome, float]:
        """Make the round that was planned, and plan the next, unless nothing violates or rounding is all that is left.

        The start needs no round, so that no round is made beyond a limit.
        """
        if self.plan is not None:
            self._round(*self.plan)
        while True:
            beta = self.beta[self.variables]
            scores = self.part.scores(beta, self.f)
            self._judge(self.part.violation(scores, beta))
            settled = self.violation <= self.effort.tol
            if settled or self.idle >= PATIENCE:
                if len(self.active) == len(self.rows) and (settled or self.dtype == np.float64):
                    return Outcome.CONVERGED if settled else Outcome.STALLED, self.objective
                self._make_exact()
            elif not self._shrink(scores, beta):
                self.plan = scores, beta
                return search, self.objective

    def _judge(self, violation: float) -> None:
        """Count the rounds in a row that neither lowered the violation nor gained more than rounding."""
        gained = self.gain > GAIN * abs(self.objective)
        self.idle = 0 if violation < self.best or gained else self.idle + 1
        self.best = min(self.best, violation)
        self.violation = violation

    def _make_exact(self) -> None:
        """Take in what was left out, rows first and then digits, before the end is believed."""
        if len(self.active) < len(self.rows):
            self._restore()
        else:
            self._sharpen()
        self.idle, self.best = 0, math.inf

    # --- a round --------------------------------------------------------------------------------------------

    def _round(self, scores: Floats, beta: Floats) -> None:
        """Solve for a working set, and bring f up to date."""
        chosen = self._working_set(scores, beta)
        variables, before = self.variables[chosen], scores[chosen]
        dual, start = self.dual.take(variables), beta[chosen]
        rows, place = np.unique(dual.row, return_inverse=True)
        K, after, beta = self._square(rows), before.copy(), start.copy()
        self._optimise(place, dual, beta, after, max(0.5 * self.effort.tol, INNER * self.violation))
        self.beta[variables], change = beta, beta - start
        self.gain = 0.5 * float(change @ (before + after))  # exact for a quadratic
        self.objective += self.gain
        self._move(rows, np.asarray(np.bincount(place, change, len(rows)), np.float64), K)

    def _optimise(self, place: Places, dual: Dual, beta: Floats, score: Floats, tol: float) -> None:
        """Solve for a working set by pairs, and where they take long by steps of all that is free."""
        from novacula.kernel.svm._kernels import CONCAVE, SETTLED, UNSETTLED, solve_pairs

        rows, K = self.square
        last = min(self.n_iter + STEPS, self.effort.max_iter)
        start = np.searchsorted(dual.group, np.arange(self.dual.n_groups + 1))
        problem = K, place, start, dual.ridge, dual.lower, dual.upper, beta, score, tol, self.noise
        pairs = PAIRS + len(K) ** 2 // FACTOR
        end = self._watched(problem, last)
        if end == SETTLED or self.n_iter >= last:
            return
        while True:
            beta_before, score_before = beta.copy(), score.copy()
            steps, end, *pair = solve_pairs(*problem, int(min(pairs, last - self.n_iter)))
            self.n_iter += steps
            if end == CONCAVE:
                raise ConcaveError(*rows[pair].tolist())
            if end != UNSETTLED or self.n_iter >= last:
                return
            gain = 0.5 * (beta - beta_before) @ (score + score_before)
            if free_step(K, place, dual, beta, score) < gain:
                pairs *= 2  # they are worth more here
            self.n_iter += 1

    def _watched(self, problem: tuple[Any, ...], last: float) -> int:
        """Solve the first pairs of a small problem one by one, and keep where each step led; say how it ended."""
        from novacula.kernel.svm._kernels import CONCAVE, UNSETTLED, solve_pairs

        end, beta = UNSETTLED, problem[6]
        if self.path is None:
            return end
        if self.n_iter == 0:
            self.path(0, 0.0, beta)
        while end == UNSETTLED and self.n_iter < min(last, WATCHED):
            steps, end, *pair = solve_pairs(*problem, 1)
            self.n_iter += steps
            if steps:
                self.path(self.n_iter, 0.0, beta)
            if end == CONCAVE:
                raise ConcaveError(*self.square[0][pair].tolist())
        return end

    def _working_set(self, scores: Floats, beta: Floats) -> Places:
        """Places of the variables to solve for, group after group: the worst violators, and free ones up to the room.

        Free variables hang together: were some of them held while others move, the search would go to and fro.
        """
        if self.whole:
            return np.argsort(self.part.group, kind="stable")
        part, n_groups, picks = self.part, self.dual.n_groups, list[Places]()
        for group in range(n_groups):
            own = part.group == group
            grows, falls = own & (beta < part.upper), own & (beta > part.lower)
            middle = np.mean(part.bounds_of(scores, beta, group))
            picks.append(_largest(scores, grows, SET // (2 * n_groups)))
            picks.append(_largest(-scores, falls, SET // (2 * n_groups)))
            picks.append(_largest(np.abs(scores - middle), grows & falls, self.room // n_groups))
        chosen = np.unique(np.concatenate(picks))
        return chosen[np.argsort(part.group[chosen], kind="stable")]

    def _square(self, rows: Places) -> Floats:
        """The kernel values of a working set; those of the last one are kept, in case it is the same."""
        if not np.array_equal(rows, self.square[0]):
            self.square = rows, self.rows.gram(rows)
        return self.square[1]

    def _move(self, rows: Places, change: Floats, K: Floats) -> None:
        """Add to f what the changes of the working set make: at its own rows by K, elsewhere by kernel rows."""
        here = self.f[rows] + K @ change
        if len(rows) < len(self.active):
            moved = change != 0.0
            self.f[self.active] += self.cache.product(rows[moved], change[moved])
        self.f[rows] = here

    # --- rows that are left out, and precision ----------------------------------------------------------------

    def _shrink(self, scores: Floats, beta: Floats) -> bool:
        """Leave out rows whose variables sit at a bound beyond all violation, and say whether that was done.

        To take them in again costs a kernel row for each support vector. So it is done once as many rows have been
        computed in vain, and only if many are idle, since a new cache begins empty.
        """
        if not self.shrinks or self.cache.repeated <= np.count_nonzero(self.beta):
            return False
        busy = np.zeros(len(scores), bool)
        for group in range(self.dual.n_groups):
            most, least = self.part.bounds_of(scores, beta, group)
            grows, falls = beta < self.part.upper, beta > self.part.lower
            busy |= (self.part.group == group) & ((grows & (scores >= least)) | (falls & (scores <= most)))
        active = np.unique(self.part.row[busy])
        if len(active) > SHRINK * len(self.active):
            return False
        self._activate(active)
        return True

    def _restore(self) -> None:
        """Take all rows in again, with the f that they would have had."""
        self.shrinks = False
        if len(self.active) < len(self.rows):
            self._renew(np.setdiff1d(np.arange(len(self.rows)), self.active))
            self._activate(np.arange(len(self.rows)))

    def _sharpen(self) -> None:
        """Go on in full precision."""
        self.dtype = np.float64
        self._activate(self.active)
        self._renew(self.active)

    def _renew(self, places: Places) -> None:
        """Compute f = Kβ at some rows again."""
        coefficients = self.dual.sums(self.beta)
        nonzero = np.flatnonzero(coefficients)
        self.f[places] = products(self.rows, places, nonzero, coefficients[nonzero])

    def solution(self, run: Run[Any]) -> DualSolution:
        """What the search came to, and how it went."""
        self._restore()
        scores = self.dual.scores(self.beta, self.f)
        return DualSolution(
            beta=self.beta,
            f=self.f,
            objective=self.dual.objective(self.beta, self.f),
            violation=self.dual.violation(scores, self.beta),
            intercept=self.dual.intercept(scores, self.beta),
            run=replace(run, params=None),
            path=self._kept_path(),
        )

    def _kept_path(self) -> FitPath | None:
        """The first and the last steps, where they were made one by one."""
        if self.path is None or not self.path.early:
            return None
        if self.n_iter > WATCHED:
            self.path.late.clear()
            self.path(self.n_iter, 0.0, self.beta)
        return self.path.kept()


def _largest(values: Floats, allowed: Any, count: int) -> Places:
    """Places of the largest values among those allowed."""
    places = np.flatnonzero(allowed)
    if len(places) <= count:
        return places
    return places[np.argpartition(-values[places], count)[:count]]
