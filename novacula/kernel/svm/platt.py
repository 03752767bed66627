"""Probabilities from the values of a decision function: Platt's sigmoid, and coupling for several classes.

    P(+|f) = 1 / (1 + exp(a·f + b))        a, b: the least of −Σ s (t log P + (1 − t) log(1 − P))

The targets t are not 0 and 1 but what Laplace's rule makes of the counts, (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2), so that
classes that are separated without a mistake give finite a and b. Newton's method with halved steps finds them.
Lin, Lin and Weng (Machine Learning 68, 2007) say how to keep the digits where exp(a·f + b) is huge or tiny; Wu, Lin
and Weng (JMLR 5, 2004), in their second method, how pairs of classes make one distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from novacula.learner.iterate import Outcome, iterate
from novacula.state import State, number
from novacula.table.chunk import Floats

MAX_ITER = 100
SMALL = 1e-10
"""The length of the gradient, for each unit of weight, at which Newton's method ends."""
DAMPING = 1e-12
"""What is added to the curvature, so that decisions that are all alike have a step too."""
BLOCK = 1 << 20
"""Numbers in the systems that are solved at a time."""
CERTAIN = 1e-7
"""How near to 0 and 1 a probability of a pair may come: beyond, the system of the coupling is singular."""


@dataclass(frozen=True)
class Sigmoid:
    """P(+|f) = 1 / (1 + exp(a·f + b))."""

    state: ClassVar[State] = {"a": number(), "b": number()}

    a: float
    b: float

    def probabilities(self, decisions: Floats) -> Floats:
        """The probability of the positive class for each value of the decision function."""
        return np.asarray(expit(-(self.a * decisions + self.b)))


def fit_sigmoid(decisions: Floats, is_positive: Any, weight: Floats) -> Sigmoid:
    """The sigmoid that makes the smoothed targets most probable: arrays (n,), the weights being repetitions.

    >>> fit = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]), np.ones(4))
    >>> fit.probabilities(np.array([-1.5, 0.0, 1.5])).round(3).tolist()
    [0.267, 0.5, 0.733]
    """
    positive, total = float(weight @ is_positive), float(weight.sum())
    negative = total - positive
    target = np.where(is_positive, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0))
    unit = float(np.abs(decisions).max(initial=0.0)) or 1.0  # a is found for decisions of at most 1
    f = decisions / unit
    first = np.array([0.0, np.log((negative + 1.0) / (positive + 1.0))])

    def step(point: tuple[Floats, float]) -> tuple[tuple[Floats, float] | Outcome, float]:
        at, value = point
        gradient, move = newton_step(at, f, target, weight)
        if np.abs(gradient).max() <= SMALL * total:
            return Outcome.CONVERGED, value
        size, slope = 1.0, float(gradient @ move)
        while (new := deviance(at + size * move, f, target, weight)) > value + 1e-4 * size * slope:
            size /= 2.0
            if size < SMALL:  # rounding is all that is left
                return Outcome.STALLED, value
        return (at + size * move, new), value

    at, _ = iterate(step, (first, deviance(first, f, target, weight)), max_iter=MAX_ITER, tol=None).params
    return Sigmoid(float(at[0]) / unit, float(at[1]))


def deviance(at: Floats, f: Floats, target: Floats, weight: Floats) -> float:
    """−Σ s (t log P + (1 − t) log(1 − P)) = Σ s (t·m + log(1 + e⁻ᵐ)), m = a·f + b."""
    m = at[0] * f + at[1]
    return float(weight @ (target * m + np.logaddexp(0.0, -m)))


def newton_step(at: Floats, f: Floats, target: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """The gradient by a and b, and the step H δ = −g."""
    p = expit(-(at[0] * f + at[1]))
    pull, bend = weight * (target - p), weight * p * (1.0 - p)
    gradient = np.array([pull @ f, pull.sum()])
    cross = bend @ f
    hessian = np.array([[bend @ (f * f), cross], [cross, bend.sum()]])
    hessian[np.diag_indices(2)] += DAMPING * weight.sum()
    return gradient, -np.linalg.solve(hessian, gradient)


def couple(pairwise: Floats) -> Floats:
    """One distribution (n, k) of the classes from those of all pairs (n, k, k).

    r[i, j] is the probability of class i where it is one of i and j; r[i, j] + r[j, i] = 1, and the diagonal is not
    used. The distribution makes Σᵢ Σⱼ (r[j, i] pᵢ − r[i, j] pⱼ)² least, which is one linear system per row.

    >>> p = np.array([0.2, 0.3, 0.5])
    >>> couple((p[:, None] / (p[:, None] + p))[None]).round(6).tolist()
    [[0.2, 0.3, 0.5]]
    """
    n, k = pairwise.shape[:2]
    size = max(1, BLOCK // (k + 1) ** 2)
    return np.concatenate([coupled(pairwise[i : i + size]) for i in range(0, n, size)]) if n else np.empty((0, k))


def coupled(pairwise: Floats) -> Floats:
    """The coupling of a block of rows: [Q 1; 1ᵀ 0] [p; λ] = [0; 1]."""
    n, k = pairwise.shape[:2]
    every = np.arange(k)
    r = np.clip(pairwise, CERTAIN, 1.0 - CERTAIN)
    r[:, every, every] = 0.0
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -r * r.transpose(0, 2, 1)
    system[:, every, every] = (r**2).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    shares = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)  # negative by rounding only
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
