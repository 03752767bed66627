"""The normal density behind principal components, whole or with values missing.

    C = V diag(λ) Vᵀ + σ²(I − VVᵀ)        probabilistic PCA (Tipping and Bishop 1999)

The k directions kept have their own variance, all others share σ². Of a row with known part o and missing part m,

    E[x_m | x_o] = μ_m + C_mo C_oo⁻¹ (x_o − μ_o)        Cov[x_m | x_o] = C_mm − C_mo C_oo⁻¹ C_om

and its likelihood is the density of x_o alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import linalg

from novacula.errors import DataError
from novacula.table.chunk import Floats

FLOOR = 1e-9
"""The share of the largest variance that the model gives to every direction, at least: C must have an inverse."""


def least_variance(largest: float) -> float:
    """The variance that every direction has at least, where the largest of the columns is this."""
    return FLOOR * max(largest, np.finfo(float).tiny)


@dataclass(frozen=True)
class Normal:
    """A normal density with mean μ (d,) and covariance C (d, d)."""

    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, mean: Floats, directions: Floats, variances: Floats, noise: float, floor: float) -> Self:
        """From directions (k, d), their variances, and the variance of all others; none is below `floor`."""
        rest = max(noise, floor)
        own = np.maximum(variances, floor) - rest
        covariance = (directions.T * own) @ directions
        covariance[np.diag_indices(len(mean))] += rest
        return cls(mean, (covariance + covariance.T) / 2.0)


@dataclass(frozen=True)
class FilledRows:
    """Rows with what is expected where they miss values, and how likely the known values are."""

    filled: Floats  # (n, d)
    log_density: Floats  # (n,), of the known values
    spread: Floats  # (d, d), Σ w Cov[x | known]


def condition(x: Floats, weight: Floats, normal: Normal) -> FilledRows:
    """Fill rows (n, d) in which values may be missing (NaN); a row without values has density 1."""
    filled, log_density, spread = x.copy(), np.zeros(len(x)), np.zeros_like(normal.covariance)
    for rows, known in patterns(~np.isnan(x)):
        place, gap = np.flatnonzero(known), np.flatnonzero(~known)
        factor = lower_factor(normal.covariance[np.ix_(place, place)])
        deviation = (x[np.ix_(rows, place)] - normal.mean[place]).T
        white = linalg.solve_triangular(factor, deviation, lower=True, check_finite=False)
        log_density[rows] = log_densities(white, np.diagonal(factor))
        if len(gap):
            bridge = linalg.solve_triangular(
                factor, normal.covariance[np.ix_(place, gap)], lower=True, check_finite=False
            )
            with np.errstate(over="ignore", invalid="ignore"):
                expected = normal.mean[gap] + white.T @ bridge
            if not np.isfinite(expected).all():
                raise DataError(
                    "a row that misses values lies so far from those of the fit that what is expected of it overflows: "
                    "scale the columns"
                )
            filled[np.ix_(rows, gap)] = expected
            left = normal.covariance[np.ix_(gap, gap)] - bridge.T @ bridge
            spread[np.ix_(gap, gap)] += weight[rows].sum() * left
    return FilledRows(filled, log_density, spread)


def lower_factor(covariance: Floats) -> Floats:
    """The Cholesky factor of the covariance of known values."""
    try:
        return np.asarray(linalg.cholesky(covariance, lower=True, check_finite=False))
    except linalg.LinAlgError:
        raise DataError(
            "the model's covariance of the known values has no inverse, so nothing follows for missing ones: fit the "
            "model again, on columns of one scale"
        ) from None


def log_densities(white: Floats, scale: Floats) -> Floats:
    """Log density of columns (d, n) that were divided by scale (d,) to be standard normal."""
    constant = len(scale) * math.log(2.0 * math.pi) + 2.0 * float(np.log(scale).sum())
    return np.asarray(-0.5 * (constant + np.einsum("ij,ij->j", white, white)))


def patterns(known: npt.NDArray[np.bool_]) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]]:
    """The rows that know the same columns, and those columns, for each pattern that occurs."""
    packed = np.ascontiguousarray(np.packbits(known, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, group = np.unique(keys, return_inverse=True)
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(group))[:-1]):
        yield rows, known[rows[0]]
