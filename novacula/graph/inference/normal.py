"""Normal densities, many at once, and their mixtures: what a query for continuous nodes answers.

x_H | x_E = e  ~  N(μ_H + Σ_HE Σ_EE⁻¹ (e − μ_E),  Σ_HH − Σ_HE Σ_EE⁻¹ Σ_EH)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.graph.families import numbers
from novacula.graph.inference.factor import normalised
from novacula.table.chunk import Floats
from novacula.words import listed

LOG_2PI = math.log(2.0 * math.pi)
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
        logs = [log_density(row - self.means, self.covariances) for row in rows]
        values = np.exp(np.array(logs)) @ self.weights
        return float(values[0]) if points.ndim == 0 or points.shape == (d,) else values

    def marginal(self, variables: str | Sequence[str]) -> NormalMixture:
        """The mixture of some of the variables."""
        names = (variables,) if isinstance(variables, str) else tuple(variables)
        at = [self._place(name) for name in names]
        return NormalMixture(names, self.weights, self.means[:, at], self.covariances[:, at][:, :, at])

    def condition(self, on: Mapping[str, float]) -> NormalMixture:
        """The other variables, given the values of these."""
        seen = [self._place(name) for name in on]
        hidden = [i for i in range(len(self.variables)) if i not in seen]
        if not seen or not hidden:
            raise ParameterError(f"condition on some of the variables {listed(self.variables)}, not on none or all")
        values = numbers(list(on.values()), "what is conditioned on")
        fault = flat_variable(self.covariances[:, seen][:, :, seen])
        if fault is not None:
            raise ParameterError(f"{list(on)[fault]!r} is fixed without its value, so there is no density to condition")
        log, mean, cov = conditioned(self.means, self.covariances, seen, hidden, values)
        with np.errstate(divide="ignore"):
            weights, _ = normalised(log + np.log(self.weights))
        return NormalMixture(tuple(self.variables[i] for i in hidden), weights, mean, cov)

    def _place(self, name: str) -> int:
        if name not in self.variables:
            raise ParameterError(f"{name!r} is none of the variables {listed(self.variables)}")
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


def log_density(gap: Floats, cov: Floats) -> Floats:
    """log N(gap; 0, cov) for gaps (…, d) and covariances (…, d, d), none of them flat."""
    root = np.linalg.cholesky(cov)
    whitened = np.linalg.solve(root, gap[..., None])[..., 0]
    log_det = np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(axis=-1)
    return -0.5 * ((whitened**2).sum(axis=-1) + gap.shape[-1] * LOG_2PI) - log_det


def conditioned(
    mean: Floats, cov: Floats, seen: Sequence[int], hidden: Sequence[int], values: Floats
) -> tuple[Floats, Floats, Floats]:
    """Of Gaussians (…, d): the log density of the values that were seen, mean and covariance of what is hidden."""
    gap = values - mean[..., seen]
    between = cov[..., seen, :][..., hidden]  # (…, e, h)
    inner = cov[..., seen, :][..., seen]
    gain = np.linalg.solve(inner, between)
    moved = mean[..., hidden] + (gap[..., None] * gain).sum(axis=-2)
    left = cov[..., hidden, :][..., hidden] - np.swapaxes(between, -1, -2) @ gain
    return log_density(gap, inner), moved, 0.5 * (left + np.swapaxes(left, -1, -2))
