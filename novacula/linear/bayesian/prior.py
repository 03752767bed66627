"""What is believed of the weights before any row is seen: w ~ N(m₀, Λ₀⁻¹).

Λ₀ is the precision, the inverse of the covariance. A direction of precision zero is flat: its density is 1
everywhere, which is not a distribution, but rows that speak of it make it one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import linalg

from novacula.errors import ParameterError
from novacula.linear.solve import EPS, cholesky
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression

UNEVEN = 1e-8
"""The share of its size by which a precision may miss being symmetric or positive: what inverting a matrix leaves."""


@dataclass(frozen=True)
class WeightPrior:
    """Mean and precision of d weights, and the precision of an intercept about zero."""

    mean: Floats  # (d,)
    precision: Floats  # (d, d)
    rank: int  # directions that are not flat
    log_det: float  # logarithm of the determinant of the precision along those directions
    intercept: float  # 0 is flat, infinite means that there is no intercept

    @classmethod
    def of(cls, precision: Any, mean: Any, intercept: float, d: int) -> Self:
        """Read the parameters of a learner for d columns; ParameterError says what is wrong with them."""
        matrix = as_precision(precision, d)
        rank, log_det = determinant(matrix)
        return cls(as_mean(mean, d), matrix, rank, log_det, intercept)

    def times(self, weights: float, intercept: float = 1.0) -> Self:
        """The prior with its precisions multiplied, of the weights and of the intercept."""
        if not 0.0 < weights < math.inf:
            raise ParameterError(f"prior_precision would be multiplied by {weights:g}, which leaves nothing of it")
        return replace(
            self,
            precision=self.precision * weights,
            log_det=self.log_det + self.rank * math.log(weights),
            intercept=self.intercept * intercept,
        )

    @property
    def flat(self) -> int:
        """Flat directions, a flat intercept among them."""
        return len(self.mean) - self.rank + int(self.intercept == 0.0)


def prior_of(model: BayesianLinearRegression) -> WeightPrior:
    """The prior of a learner; for known noise in its units, as it is relative to it otherwise."""
    if not model.fit_intercept and model.intercept_precision > 0.0:
        raise ParameterError("intercept_precision has no meaning with fit_intercept=False: leave it out")
    intercept = float(model.intercept_precision) if model.fit_intercept else math.inf
    prior = WeightPrior.of(model.prior_precision, model.prior_mean, intercept, model.n_features_in_)
    return prior.times(model.noise_variance, model.noise_variance) if model.noise == "known" else prior


def as_mean(mean: Any, d: int) -> Floats:
    """The prior mean of each weight (d,)."""
    values = _numbers(mean, "prior_mean")
    if values.shape not in ((), (d,)):
        raise ParameterError(
            f"prior_mean has shape {values.shape}; it must be a number, or one for each of {d} columns"
        )
    return np.broadcast_to(values, d).copy()


def as_precision(precision: Any, d: int) -> Floats:
    """The prior precision as a matrix (d, d) that is symmetric and not negative in any direction."""
    values = _numbers(precision, "prior_precision")
    if values.shape in ((), (d,)):
        if values.min() < 0.0:
            raise ParameterError(f"prior_precision holds {values.min():g}; a precision must not be negative")
        return np.diag(np.broadcast_to(values, d))
    if values.shape != (d, d):
        raise ParameterError(
            f"prior_precision has shape {values.shape}; it must be a number, one for each of {d} columns, "
            f"or a matrix of {d} × {d}"
        )
    uneven = np.abs(values - values.T)
    if uneven.max() > UNEVEN * np.abs(values).max():
        i, j = np.unravel_index(np.argmax(uneven), uneven.shape)
        raise ParameterError(
            f"prior_precision is not symmetric: it holds {values[i, j]:g} at ({i}, {j}) and {values[j, i]:g} at "
            f"({j}, {i})"
        )
    matrix = (values + values.T) / 2.0
    least = float(linalg.eigvalsh(matrix, subset_by_index=(0, 0))[0])
    if least < -UNEVEN * np.abs(values).max():
        raise ParameterError(
            f"prior_precision has the eigenvalue {least:g}; it must be positive semi-definite, with none below zero"
        )
    return matrix


def determinant(matrix: Floats) -> tuple[int, float]:
    """Rank of a precision, and the logarithm of the product of its eigenvalues that are not zero."""
    diagonal = np.diagonal(matrix)
    if np.count_nonzero(matrix) == np.count_nonzero(diagonal):  # units may lie far apart: zero is zero only
        values = diagonal[diagonal > 0.0]
    elif (factor := unit_factor(matrix)) is not None:
        return len(matrix), 2.0 * float(np.log(np.diagonal(factor)).sum() + np.log(diagonal).sum() / 2.0)
    else:
        values = linalg.eigvalsh(matrix)
        values = values[values > len(matrix) * EPS * values.max()]
    return len(values), float(np.log(values).sum())


def unit_factor(matrix: Floats) -> Floats | None:
    """The Cholesky factor of a matrix brought to a diagonal of ones; None where it is singular up to rounding."""
    scale = np.sqrt(np.diagonal(matrix))
    if not scale.all():
        return None
    factor, rcond = cholesky(matrix / scale / scale[:, None])
    return factor if rcond > len(matrix) * EPS else None


def _numbers(value: Any, name: str) -> Floats:
    try:
        values = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} is {value!r}; it must hold numbers") from None
    if not np.isfinite(values).all():
        raise ParameterError(f"{name} is {value!r}; its numbers must be finite")
    return values
