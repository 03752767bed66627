"""The dual problem of every support vector machine, in one form.

    minimise ½ βᵀKβ + ½ Σ rᵥβᵥ² − cᵀβ        subject to lower ≤ β ≤ upper and a fixed sum of β in each group

A variable is a multiplier with its sign, β = yα, and belongs to a row of the kernel matrix; a row may have two.
At the solution there is a number b for each group so that c − Kβ − rβ is at most b where β can grow, and at least b
where it can fall: the KKT conditions. In classification and regression b is the intercept.

    classification   c = y, 0 ≤ yβ ≤ C            squared hinge: r = 1/2C, without a bound above
    regression       c = t − ε for 0 ≤ β ≤ C, and c = t + ε for −C ≤ β ≤ 0
    nearest points   c = 0, Σβ = ±1 for the two classes: the points of their convex hulls that are nearest
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.learner.iterate import Run
from novacula.learner.trace import FitPath
from novacula.table.chunk import Floats

Places: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dual:
    """A dual problem of m variables over n rows."""

    row: Places  # (m,)
    target: Floats  # (m,)
    lower: Floats  # (m,)
    upper: Floats  # (m,)
    ridge: Floats  # (m,)
    group: Places  # (m,)
    start: Floats = field(default_factory=lambda: np.empty(0))  # (m,), zeros where it is left out

    def __post_init__(self) -> None:
        if not len(self.start):
            object.__setattr__(self, "start", np.zeros(len(self.row)))

    @classmethod
    def classification(cls, y: Floats, cost: Floats, loss: str) -> Self:
        """Two classes y = ±1 (n,), with the price of each row's loss (n,)."""
        reach, ridge = _priced(cost, loss)
        n = len(y)
        lower, upper = np.where(y > 0.0, 0.0, -reach), np.where(y > 0.0, reach, 0.0)
        return cls(np.arange(n), y, lower, upper, ridge, np.zeros(n, np.int64))

    @classmethod
    def regression(cls, t: Floats, cost: Floats, epsilon: float, loss: str) -> Self:
        """Numbers t (n,); a distance of up to epsilon from them is free of charge."""
        reach, ridge = _priced(cost, loss)
        n, zeros = len(t), np.zeros(len(t))
        return cls(
            np.tile(np.arange(n), 2),
            np.concatenate([t - epsilon, t + epsilon]),
            np.concatenate([zeros, -reach]),
            np.concatenate([reach, zeros]),
            np.tile(ridge, 2),
            np.zeros(2 * n, np.int64),
        )

    @classmethod
    def nearest_points(cls, y: Floats) -> Self:
        """Two classes y = ±1 (n,): each hull begins at its first row."""
        n = len(y)
        start = np.zeros(n)
        start[[int(np.argmax(y > 0.0)), int(np.argmax(y < 0.0))]] = 1.0, -1.0
        lower, upper = np.minimum(y, 0.0), np.maximum(y, 0.0)
        return cls(np.arange(n), np.zeros(n), lower, upper, np.zeros(n), (y > 0.0).astype(np.int64), start)

    def take(self, variables: Places) -> Self:
        """Some of the variables."""
        return type(self)(**{part.name: getattr(self, part.name)[variables] for part in fields(self)})

    @property
    def n_groups(self) -> int:
        """How many sums are fixed."""
        return int(self.group.max()) + 1

    def reach(self, size: float) -> float:
        """How far apart the scales of the problem lie, where kernel values have this size: 1 is best.

        The largest multiplier times kernel value over the targets, or the ratio of the largest bound to the least.
        """
        bound = np.maximum(-self.lower, self.upper)
        price = np.divide(0.5, self.ridge, out=np.ones_like(bound), where=self.ridge > 0.0)
        bound = np.where(np.isfinite(bound), bound, price)
        largest, least = float(bound.max()), float(bound[bound > 0.0].min(initial=np.inf))
        target = float(np.abs(self.target).max())
        return max(largest * size / (target or 1.0), largest / least)

    def scores(self, beta: Floats, f: Floats) -> Floats:
        """c − Kβ − rβ (m,) for f = Kβ (n,): how much the objective falls where a variable grows."""
        return np.asarray(self.target - f[self.row] - self.ridge * beta)

    def objective(self, beta: Floats, f: Floats) -> float:
        """cᵀβ − ½ βᵀKβ − ½ Σ rβ², to be maximised: the sign of the textbooks."""
        return float(beta @ (self.target - 0.5 * f[self.row] - 0.5 * self.ridge * beta))

    def sums(self, beta: Floats) -> Floats:
        """The coefficient of each row (n,): its variables in sum."""
        return np.asarray(np.bincount(self.row, beta), np.float64)

    def bounds_of(self, scores: Floats, beta: Floats, group: int = 0) -> tuple[float, float]:
        """The largest score of a variable that can grow, and the least of one that can fall; between them is b."""
        own = self.group == group
        most = scores[own & (beta < self.upper)].max(initial=-np.inf)
        least = scores[own & (beta > self.lower)].min(initial=np.inf)
        return float(most), float(least)

    def violation(self, scores: Floats, beta: Floats) -> float:
        """By how much the worst pair violates the KKT conditions; 0 where none does."""
        ends = [self.bounds_of(scores, beta, group) for group in range(self.n_groups)]
        return max(0.0, *(most - least for most, least in ends))

    def intercept(self, scores: Floats, beta: Floats) -> float:
        """The b of the first group: the mean over free variables, or else the middle of where it can be."""
        free = (beta > self.lower) & (beta < self.upper)
        if free.any():
            return float(scores[free].mean())
        most, least = self.bounds_of(scores, beta)
        ends = [end for end in (most, least) if np.isfinite(end)]
        return float(np.mean(ends)) if ends else 0.0


def _priced(cost: Floats, loss: str) -> tuple[Any, Floats]:
    """The bound of each multiplier, and what a squared loss adds to the diagonal."""
    if loss == "squared_hinge":
        return np.full(len(cost), np.inf), 0.5 / cost
    return cost, np.zeros(len(cost))


@dataclass(frozen=True, eq=False)
class DualSolution:
    """Multipliers with their signs, and how the search for them went."""

    beta: Floats  # (m,)
    f: Floats  # (n,), Kβ
    objective: float  # to be maximised
    violation: float
    intercept: float
    run: Run[Any]  # of which the history is the objective from one working set to the next
    path: FitPath | None = None  # of the variables, in a small problem
