"""What boosting lowers: of a row of target y and raw score s its loss, the gradient g and the Hessian h.

squared_error   ½(y − s)²              g = s − y        h = 1
absolute_error  |y − s|                g = sign(s − y)  h = 1, and leaves hold medians
poisson         eˢ − y·s               g = eˢ − y       h = eˢ
log_loss        ln(1 + eˢ) − y·s       g = p − y        h = p(1 − p),  p = 1/(1 + e⁻ˢ)
softmax         −ln p_y                g = p_k − [y=k]  h = p_k(1 − p_k),  p_k = e^s_k / Σ e^s_l
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from novacula.errors import DataError
from novacula.table.chunk import Floats

STEEPEST = 10.0
"""The longest step of a leaf where scores are exponents, before shrinkage: from there on e¹⁰ is as good as certain."""
RAREST = 1e-9
"""The smallest share of a class at the start, which has no logarithm otherwise."""


class BoostingLoss(ABC):
    """Of K scores (K, n) and targets (n,)."""

    name: ClassVar[str]
    longest_step: ClassVar[float] = np.inf
    by_medians: ClassVar[bool] = False
    """Whether leaves hold medians of residuals instead of Newton steps."""

    n_scores = 1

    @abstractmethod
    def constant(self, means: Floats) -> Floats:
        """The scores (K,) to start from; means are those of what `measured` gives."""

    def measured(self, target: Floats) -> Floats:
        """The numbers (M, n) whose means the start is made of."""
        return target[None]

    @abstractmethod
    def losses(self, target: Floats, scores: Floats) -> Floats:
        """The loss of each row (n,)."""

    @abstractmethod
    def slopes(self, target: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Gradients and Hessians (K, n)."""

    def answers(self, scores: Floats) -> Floats:
        """What scores (n, K) stand for."""
        return scores


class SquaredError(BoostingLoss):
    """Steps to means."""

    name = "squared_error"

    def constant(self, means: Floats) -> Floats:
        """The mean."""
        return means

    def losses(self, target: Floats, scores: Floats) -> Floats:
        """½(y − s)²."""
        with np.errstate(over="ignore"):
            return 0.5 * (target - scores[0]) ** 2

    def slopes(self, target: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """The residual with its sign changed."""
        return scores - target, np.ones_like(scores)


class AbsoluteError(SquaredError):
    """Steps to medians."""

    name = "absolute_error"
    by_medians = True

    def losses(self, target: Floats, scores: Floats) -> Floats:
        """|y − s|."""
        return np.abs(target - scores[0])

    def slopes(self, target: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """The side on which a row is."""
        return np.sign(scores - target), np.ones_like(scores)


class PoissonLoss(BoostingLoss):
    """Counts, or other numbers of at least 0, whose logarithm is the score."""

    name = "poisson"
    longest_step = STEEPEST

    def constant(self, means: Floats) -> Floats:
        """The logarithm of the mean."""
        if not means[0] > 0.0:
            raise DataError("loss='poisson' needs targets of which some are above 0, but all are 0")
        return np.log(means)

    def losses(self, target: Floats, scores: Floats) -> Floats:
        """Without what depends on the target alone."""
        return np.exp(scores[0]) - target * scores[0]

    def slopes(self, target: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Of the rate eˢ."""
        rate = np.exp(scores)
        return rate - target, rate

    def answers(self, scores: Floats) -> Floats:
        """The rate."""
        return np.exp(scores)


class LogisticLoss(BoostingLoss):
    """Two classes: the score is the logarithm of the odds of the second."""

    name = "log_loss"
    longest_step = STEEPEST

    def constant(self, means: Floats) -> Floats:
        """The log odds, within bounds where a class has no weight."""
        share = np.clip(means, RAREST, 1.0 - RAREST)
        return np.log(share / (1.0 - share))

    def losses(self, target: Floats, scores: Floats) -> Floats:
        """ln(1 + eˢ) − y·s."""
        away = np.where(target > 0.0, -scores[0], scores[0])  # how far the score is on the wrong side
        return np.log1p(np.exp(-np.abs(away))) + np.maximum(away, 0.0)

    def slopes(self, target: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Of the probability of the second class."""
        p = _second(scores)
        return p - target, p * (1.0 - p)

    def answers(self, scores: Floats) -> Floats:
        """Probabilities (n, 2)."""
        p = _second(scores)
        return np.hstack([1.0 - p, p])


class SoftmaxLoss(BoostingLoss):
    """K classes, each with a score and a tree per round."""

    name = "softmax"
    longest_step = STEEPEST

    def __init__(self, n_classes: int) -> None:
        self.n_scores = n_classes

    def measured(self, target: Floats) -> Floats:
        """Whether a row is of each class."""
        return (target == np.arange(self.n_scores)[:, None]).astype(np.float64)

    def constant(self, means: Floats) -> Floats:
        """The logarithms of the shares."""
        return np.log(np.maximum(means, RAREST))

    def losses(self, target: Floats, scores: Floats) -> Floats:
        """−ln of the probability of the row's class."""
        top = scores.max(axis=0)
        own = scores[target.astype(np.intp), np.arange(len(target))]
        return np.log(np.exp(scores - top).sum(axis=0)) - (own - top)

    def slopes(self, target: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Of the probability of each class."""
        p = _shares(scores)
        return p - self.measured(target), p * (1.0 - p)

    def answers(self, scores: Floats) -> Floats:
        """Probabilities (n, K)."""
        return np.ascontiguousarray(_shares(scores.T).T)


def _second(scores: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-scores))


def _shares(scores: Floats) -> Floats:
    """Of scores (K, n), class by class, so that every sum has one order."""
    p = np.exp(scores - scores.max(axis=0))
    total = p[0].copy()
    for row in p[1:]:
        total += row
    return p / total
