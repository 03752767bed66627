"""The delta rule on sums and on rows: how a linear unit descends ½Σ(t − o)².

In a batch the gradient is Xᵀt − XᵀXw, with a column of ones for the intercept, so a step needs sums alone. Along each
eigenvector of XᵀX a step multiplies the distance to the solution by 1 − ηλ: it shrinks if η < 2/λ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import linalg

from novacula.learner.iterate import Outcome
from novacula.linear.online.passes import OrderedRows, dense_blocks, rate, require_showable
from novacula.linear.solve import require_finite_sums
from novacula.statistics import CoMoments
from novacula.table import Chunk
from novacula.table.chunk import Floats

ROUNDING = 1e-13
"""The share of the largest eigenvalue below which there is only rounding."""
GROWN = 1e6
"""How many times the error of weights of zero an epoch's error may be before the weights are said to diverge."""


@dataclass(frozen=True)
class Bowl:
    """½Σ(t − o)² as a function of w, from the sums of q = d or, with a column of ones, d + 1 columns."""

    gram: Floats  # (q, q), XᵀX
    cross: Floats  # (q, k), Xᵀt
    squares: Floats  # (k,), Σt²
    moments: CoMoments

    @classmethod
    def of(cls, moments: CoMoments, d: int, intercept: bool) -> Self:
        """Take the sums about zero from moments of [X, t]; the column of ones comes last."""
        n, mean = moments.weight, moments.mean
        with np.errstate(over="ignore"):
            sums = moments.scatter + n * np.outer(mean, mean)
        require_finite_sums(sums, n)
        gram, cross = sums[:d, :d], sums[:d, d:]
        if intercept:
            ones = n * mean[:d]
            gram = np.block([[gram, ones[:, None]], [ones[None], np.array([[n]])]])
            cross = np.vstack([cross, n * mean[d:]])
        return cls(gram, cross, np.diagonal(sums)[d:].copy(), moments)

    @cached_property
    def eigenvalues(self) -> Floats:
        """Those of XᵀX, from the smallest that is more than rounding to the largest; one zero if all are."""
        values = linalg.eigvalsh(self.gram)
        kept = values[values > ROUNDING * values[-1]]
        return kept if len(kept) else np.zeros(1)

    @property
    def largest_rate(self) -> float:
        """2/λ_max, from which on steps no longer lead downwards."""
        return 2.0 / float(self.eigenvalues[-1]) if self.eigenvalues[-1] > 0.0 else np.inf

    @property
    def best_rate(self) -> float:
        """2/(λ_min + λ_max), with which the slowest direction shrinks fastest; 1 where nothing is to be learned."""
        ends = float(self.eigenvalues[0] + self.eigenvalues[-1])
        return 2.0 / ends if ends > 0.0 else 1.0

    def gradient(self, w: Floats) -> Floats:
        """The direction of steepest descent Xᵀt − XᵀXw, (q, k)."""
        return self.cross - self.gram @ w

    def error(self, w: Floats) -> float:
        """½Σ(t − o)² for w (q, k), from sums about the means, where less cancels; rounding does not take it below 0."""
        d = len(self.moments.mean) - w.shape[1]
        slopes, n = np.vstack([-w[:d], np.eye(w.shape[1])]), self.moments.weight
        bias = w[d] if len(w) > d else 0.0
        left = slopes.T @ self.moments.mean - bias
        spread = (slopes * (self.moments.scatter @ slopes)).sum(axis=0)
        return 0.5 * max(float((spread + n * left**2).sum()), 0.0)

    def is_still(self, move: Floats, tol: float) -> bool:
        """Whether a move changes no column's share of o by more than tol of the size of t."""
        lengths = np.sqrt(np.diagonal(self.gram))[:, None]
        return bool((np.abs(move) * lengths <= tol * np.sqrt(self.squares)).all())


@dataclass(frozen=True)
class BowlDescent:
    """A place on the way down a bowl: w (q, k) after `number` steps."""

    w: Floats
    number: int = 0


def descend(at: BowlDescent, bowl: Bowl, eta: float, schedule: str, tol: float) -> tuple[BowlDescent | Outcome, float]:
    """One step w ← w + η(Xᵀt − XᵀXw), or the end where it would not move; and the error of where it was."""
    with np.errstate(over="ignore", invalid="ignore"):  # a rate that is too large shows in the error
        gradient, error = bowl.gradient(at.w), bowl.error(at.w)
    if bowl.is_still(eta * gradient, tol):
        return Outcome.CONVERGED, error
    return BowlDescent(at.w + rate(eta, schedule, at.number) * gradient, at.number + 1), error


# --- row by row ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DeltaPassState:
    """The state of a pass: weights (k, d + 1), and what was counted (k, 2)."""

    weights: Floats
    tally: Floats
    sound: bool = True  # every value so far was finite


def show(state: DeltaPassState, chunk: Chunk, eta: float, intercept: bool, signed: bool) -> DeltaPassState:
    """Show the rows of a chunk to each target's unit; `signed`: the target is two classes, −1 and +1."""
    from novacula.linear.online._kernels import descend_rows

    if not state.sound:
        return state
    require_showable(chunk)
    weights, tally, sound = state.weights.copy(), state.tally.copy(), True
    for x, piece in dense_blocks(chunk):
        targets = target_rows(piece, signed)
        for k in range(len(weights)):
            sound = sound and descend_rows(x, targets[k], piece.weight, eta, intercept, weights[k], tally[k])
    return DeltaPassState(weights, tally, sound)


def target_rows(chunk: Chunk, signed: bool) -> Floats:
    """The targets of a chunk (k, n); of two classes −1 and +1."""
    targets = np.asarray(chunk.target, np.float64).reshape(len(chunk), -1).T
    return np.ascontiguousarray(2.0 * targets - 1.0 if signed else targets)


@dataclass(frozen=True)
class DeltaPass:
    """An epoch of linear units."""

    number: int
    weights: Floats  # (k, d + 1), after it
    objective: float = 0.0  # ½Σ(t − o)², each row's as it was shown
    done: bool = False
    sound: bool = True  # the weights stay within bounds


@dataclass(frozen=True)
class DeltaCourse:
    """How rows are shown."""

    rows: OrderedRows
    eta: float
    schedule: str
    intercept: bool
    signed: bool
    tol: float

    def show(self, last: DeltaPass) -> DeltaPass:
        """Show the rows once more; it is done when the weights moved by no more than tol of their size."""
        from novacula.linear.online._kernels import ERROR, TARGET

        if last.number:
            self.rows.next_epoch()
        eta = rate(self.eta, self.schedule, last.number)
        start = DeltaPassState(last.weights, np.zeros((len(last.weights), 2)))
        after = self.rows.fold(show, start, eta, self.intercept, self.signed)
        error = float(after.tally[:, ERROR].sum())
        bound = GROWN * float(after.tally[:, TARGET].sum())
        if not (after.sound and error <= bound):
            return DeltaPass(last.number + 1, after.weights, done=True, sound=False)
        move = np.abs(after.weights - last.weights).max() * self.eta / eta
        return DeltaPass(last.number + 1, after.weights, error, bool(move <= self.tol * np.abs(after.weights).max()))
