"""Normal densities, many at once, and their mixtures: what a query for continuous nodes answers.

x_H | x_E = e  ~  N(μ_H + Σ_HE Σ_EE⁻¹ (e − μ_E),  Σ_HH − Σ_HE Σ_EE⁻¹ Σ_EH)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.graph.families import LOG_2PI, numbers
from novacula.graph.inference.factor import normalised
from novacula.table.chunk import Floats
from novacula.words import listed

FLAT = 1e-13
"""The share of a variable's variance below which what others leave of it is rounding: it has no density."""


@dataclass(frozen=True, eq=False)
class NormalMixture:
    """Σ_k weight_k N(mean_k, covariance_k) over named variables; with one component, a normal density.

    >>> joint = NormalMixture(("x", "y"), [1.0], [[0.0, 1.0]], [[[1.0, 2.0], [2.0, 5.0]]])
    >>> joint.condition({"y": 3.0}).mean
    array([0.8])
    """

    variables: tuple[str, ...]
    weights: Floats  # (k,)
    means: Floats  # (k, d)
    covariances: Floats  # (k, d, d)

    def __post_init__(self) -> None:
        k, d = len(self.weights), len(self.variables)
        for name, shape in (("weights", (k,)), ("means", (k, d)), ("covariances", (k, d, d))):
            array = numbers(getattr(self, name), f"the {name} of the mixture")
            if array.shape != shape:
                raise ParameterError(f"the {name} of the mixture have shape {array.shape}, not {shape}")
            object.__setattr__(self, name, array)

    @property
    def mean(self) -> Floats:
        """E[x] = Σ weight_k mean_k: (d,)."""
        return self.weights @ self.means

    @property
    def cov(self) -> Floats:
        """Within components and between their means: (d, d)."""
        gap = self.means - self.mean
        return np.tensordot(self.weights, self.covariances, 1) + (gap * self.weights[:, None]).T @ gap

    @property
    def std(self) -> Floats:
        """Standard deviation of each variable: (d,)."""
        return np.sqrt(np.diagonal(self.cov))

    def density(self, x: npt.ArrayLike) -> float | Floats:
        """p(x): of one point (d,), or of n of them (n, d); of one variable also of a number or of n numbers."""
        points, d = np.asarray(x, dtype=np.float64), len(self.variables)
        if not (points.shape[-1:] == (d,) and points.ndim <= 2) and not (d == 1 and points.ndim <= 1):
            raise ParameterError(f"points of shape {points.shape} are not points of {d} variables: give (d,) or (n, d)")
        rows = points.reshape(-1, d)
        fault = flat_variable(self.covariances)
        if fault is not None:
            raise ParameterError(f"{self.variables[fault]!r} is fixed by the others, so there is no density")
        logs = log_density(rows - self.means[:, None], np.asarray(np.linalg.cholesky(self.covariances), np.float64))
        values = self.weights @ np.exp(logs)
        return float(values[0]) if points.ndim == 0 or points.shape == (d,) else values

    def marginal(self, variables: str | Sequence[str]) -> NormalMixture:
        """The mixture of some of the variables."""
        names = (variables,) if isinstance(variables, str) else tuple(variables)
        at = [self._place(name) for name in names]
        return NormalMixture(names, self.weights, self.means[:, at], self.covariances[:, at][:, :, at])

    def condition(self, on: Mapping[str, float]) -> NormalMixture:
        """The other variables, given the values of these."""
        places = [self._place(name) for name in on]
        known = np.isin(np.arange(len(self.variables)), places)
        if not known.any() or known.all():
            raise ParameterError(f"condition on some of the variables {listed(self.variables)}, not on none or all")
        values = numbers(list(on.values()), "what is conditioned on")[np.argsort(places)]
        fault = flat_variable(self.covariances[:, known][:, :, known])
        if fault is not None:
            name = self.variables[np.flatnonzero(known)[fault]]
            raise ParameterError(f"{name!r} is fixed without its value, so there is no density to condition")
        given = Conditional.of(self.covariances, known)
        gap = values - self.means[:, known]
        means = self.means[:, ~known] + (given.slope @ gap[..., None])[..., 0]
        with np.errstate(divide="ignore"):
            weights, _ = normalised(given.log_density(gap[:, None])[:, 0] + np.log(self.weights))
        rest = tuple(name for name, fixed in zip(self.variables, known, strict=True) if not fixed)
        return NormalMixture(rest, weights, means, given.covariance)

    def _place(self, name: str) -> int:
        if name not in self.variables:
            raise ParameterError(f"{name!r} is not one of the variables {listed(self.variables)}")
        return self.variables.index(name)


def flat_variable(cov: Floats) -> int | None:
    """The first variable that those before it fix, in any of the covariances (…, d, d); None if none is."""
    d = cov.shape[-1]
    scale = np.sqrt(np.diagonal(cov, axis1=-2, axis2=-1))
    for i in np.flatnonzero((scale == 0.0).any(axis=tuple(range(scale.ndim - 1)))):
        return int(i)
    unit = cov / (scale[..., :, None] * scale[..., None, :])
    if _is_steep(unit):
        return None
    return next(i for i in range(d) if not _is_steep(unit[..., : i + 1, : i + 1]))


def _is_steep(unit: Floats) -> bool:
    """Whether each variable keeps a share of its variance, 1, once those before it are known."""
    try:
        root = np.linalg.cholesky(unit)
    except np.linalg.LinAlgError:
        return False
    return bool((np.diagonal(root, axis1=-2, axis2=-1) ** 2 > FLAT).all())


@dataclass(frozen=True, eq=False)
class Conditional:
    """Gaussians (…, d) given some of their variables: how the others follow from these, and how dense these are."""

    root: Floats  # (…, o, o), lower triangular: the covariance of the known variables is root rootᵀ
    slope: Floats  # (…, h, o)
    covariance: Floats  # (…, h, h), of the others given the known ones

    @classmethod
    def of(cls, cov: Floats, known: npt.NDArray[np.bool_]) -> Conditional:
        """Of covariances (…, d, d), of which `known` (d,) says which variables are; these must not be flat."""
        root = np.asarray(np.linalg.cholesky(cov[..., known, :][..., known]), np.float64)
        half = np.linalg.solve(root, cov[..., known, :][..., ~known])
        slope = np.swapaxes(np.linalg.solve(np.swapaxes(root, -1, -2), half), -1, -2)
        left = cov[..., ~known, :][..., ~known] - np.swapaxes(half, -1, -2) @ half
        return cls(root, slope, 0.5 * (left + np.swapaxes(left, -1, -2)))

    def log_density(self, gap: Floats) -> Floats:
        """The log densities (…, n) of points whose known values are off their mean by gap (…, n, o)."""
        return log_density(gap, self.root)


def log_density(gap: Floats, root: Floats) -> Floats:
    """log N(gap; 0, root rootᵀ) of n gaps (…, n, d) for each lower triangular root (…, d, d)."""
    whitened = np.linalg.solve(root, np.swapaxes(gap, -1, -2))
    log_det = np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
    return -0.5 * ((whitened**2).sum(axis=-2) + gap.shape[-1] * LOG_2PI) - log_det[..., None]
