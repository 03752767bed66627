"""Principal components of rows that miss values, by expectation-maximisation.

Only the missing values are hidden. The E-step fills each row with what the normal model expects and adds the
covariance that is left; the M-step is ordinary PCA of those expected moments, which is the maximum of the expected
likelihood in closed form (Tipping and Bishop 1999). So the likelihood of the known values never falls, and without
missing values the first step is ordinary PCA and the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from novacula.learner.iterate import Run, iterate
from novacula.projection.gaussian import Normal, condition, least_variance
from novacula.projection.trace import MOST_COLUMNS, FillingRecorder, FillingTrace
from novacula.statistics import ClassMoments, CoMoments, Statistic
from novacula.table import Table
from novacula.table.chunk import Chunk, Floats


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedMoments(Statistic):
    """Moments of filled rows, the covariance that is left, and a log-likelihood: 2 + d + 2d² numbers.

    Rows without any value say nothing and are left out.
    """

    filled: CoMoments
    left: Floats  # (d, d), Σ w Cov[x | known]
    log_likelihood: float

    @classmethod
    def zero(cls, n_columns: int) -> Self:
        """No rows."""
        return cls(CoMoments.zero(n_columns), np.zeros((n_columns, n_columns)), 0.0)

    @classmethod
    def observe(cls, chunk: Chunk, normal: Normal) -> Self:
        """What the model expects of the rows, given what they know."""
        x = chunk.dense()
        counted = (chunk.weight > 0.0) & ~np.isnan(x).all(axis=1)
        x, weight = x[counted], chunk.weight[counted]
        if not len(x):
            return cls.zero(x.shape[1])
        expected = condition(x, weight, normal)
        none = np.empty((len(x), 0), np.int32)
        filled = CoMoments.observe(Chunk(expected.filled, none, weight))
        return cls(filled, expected.spread, float(weight @ expected.log_density))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.filled + other.filled, self.left + other.left, self.log_likelihood + other.log_likelihood
        )

    @property
    def moments(self) -> CoMoments:
        """The expected moments of the rows had they missed nothing."""
        return CoMoments(self.filled.weight, self.filled.mean, self.filled.scatter + self.left)


def observe_known(chunk: Chunk) -> ClassMoments:
    """Weight, mean and squared deviations of the known values of each column."""
    return ClassMoments.observe(Chunk(chunk.dense(), np.empty((len(chunk), 0), np.int32), chunk.weight))


@dataclass(frozen=True)
class NormalEstimate:
    """Where an iteration stands: expected moments, None at the start, and the model made of them."""

    expected: ExpectedMoments | None
    normal: Normal


def likeliest_normal(
    table: Table, moments: ClassMoments, n_directions: int, *, max_iter: int, tol: float
) -> tuple[Run[NormalEstimate], FillingTrace | None]:
    """From the moments of the known values (1, d) to the likeliest model with `n_directions` directions of their own.

    The objective is the mean log-likelihood of a row. The way there is kept where columns are few.
    """
    mean, variance = moments.mean[0], moments.ssd[0] / moments.weight[0]
    floor = least_variance(float(variance.max()))
    # The start is of the same family, with axes for directions, or the first step could make the likelihood worse.
    weight = float(moments.weight.max())
    start = solve_normal(CoMoments(weight, mean, weight * np.diag(variance)), n_directions, floor)

    def step(now: NormalEstimate) -> tuple[NormalEstimate, float]:
        expected = table.reduce(ExpectedMoments.observe, now.normal)
        following = NormalEstimate(expected, solve_normal(expected.moments, n_directions, floor))
        return following, expected.log_likelihood / expected.filled.weight

    recorder = FillingRecorder(n_directions) if len(mean) <= MOST_COLUMNS else None
    run = iterate(
        step, NormalEstimate(None, start), max_iter=max_iter, tol=tol, atol=tol, direction="up", monotone=True,
        monitor=recorder,
    )  # fmt: skip
    return run, None if recorder is None else recorder.kept(table)


def solve_normal(moments: CoMoments, n_directions: int, floor: float) -> Normal:
    """The likeliest normal density with n_directions variances of their own and one for all other directions."""
    values, vectors = np.linalg.eigh(moments.scatter / moments.weight)
    values, vectors = values[::-1], vectors[:, ::-1].T
    noise = float(values[n_directions:].mean()) if n_directions < len(values) else 0.0
    return Normal.of(moments.mean, vectors[:n_directions], values[:n_directions], noise, floor)
