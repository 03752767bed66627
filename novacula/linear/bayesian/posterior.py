"""The posterior of a linear model with normal errors, from sums, in units of the noise variance σ².

    prior       w | σ² ~ N(m₀, σ²P⁻¹),  b | σ² ~ N(0, σ²/τ)
    posterior   w | σ² ~ N(m, σ²V⁻¹),   V = P + S,  V (m − m₀) = Xᵀy − S m₀
                b | w, σ² ~ N(ȳ′ − x̄′·w, σ²/k),  k = n + τ

The intercept is integrated out first. What is left of it is how S = XᵀX, Xᵀy and yᵀy are taken: about the means if
it is flat (τ = 0), about zero if there is none (τ = ∞), and in between as scatter + n·τ/(n + τ)·mean meanᵀ. The
means that the plane passes through, x̄′ and ȳ′, are n/(n + τ) times the means. So a mean of 1e8 costs no digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg, special

from novacula.errors import DataError
from novacula.linear.bayesian.prior import WeightPrior
from novacula.linear.solve import BOUND_MET, EPS, SUMS_NOISE, NormalEquations, cholesky, squared_error
from novacula.statistics import CoMoments
from novacula.table import Chunk
from novacula.table.chunk import Floats

HOPELESS = 0.1
"""Relative error from which on a solution is none."""
EXACT = 1e-13
"""The share of yᵀy that a plane may miss and yet meet every target up to the rounding of sums."""


def system_about(moments: CoMoments, intercept: float) -> NormalEquations:
    """The sums of [X, y] with an intercept of this precision integrated out; columns that do not vary have none."""
    n, d = moments.weight, len(moments.mean) - 1
    share = 1.0 if math.isinf(intercept) else intercept / (n + intercept)
    lever = math.sqrt(share * n) * moments.mean
    with np.errstate(over="ignore"):  # what overflows is refused below
        sums = CoMoments(n, moments.mean, moments.scatter + np.outer(lever, lever))
    system = NormalEquations.of(sums, np.full(d, EPS), True)
    live = system.varies
    return replace(
        system,
        centre=(1.0 - share) * moments.mean,
        gram=system.gram if live.all() else system.gram * np.outer(live, live),
        cross=np.where(live[:, None], system.cross, 0.0),
    )


@dataclass(frozen=True)
class WeightPosterior:
    """The weights given the rows, in units of the noise variance."""

    system: NormalEquations
    prior: WeightPrior
    coef: Floats  # (d,), the posterior mean
    root: Floats  # (d, d), root rootᵀ = V⁻¹
    log_det: float  # ln |V|
    doubt: float  # relative error of the mean that rounding may have made

    @property
    def pivot(self) -> float:
        """The precision k of the plane at the means that it passes through."""
        return self.system.weight + self.prior.intercept

    @property
    def count(self) -> float:
        """Rows that inform about the noise: those that are not used up by flat directions."""
        return self.system.weight - self.prior.flat

    @cached_property
    def misfit(self) -> float:
        """The squares that the mean leaves, Σ (y − ŷ)² + τb²."""
        return float(squared_error(self.system, self.coef[:, None])[0])

    @cached_property
    def penalty(self) -> float:
        """How far the mean has moved from that of the prior, (m − m₀)ᵀP(m − m₀)."""
        moved = self.coef - self.prior.mean
        return float(moved @ self.prior.precision @ moved)

    @property
    def log_volumes(self) -> tuple[float, float]:
        """ln |precision| of prior and posterior, with the intercept, flat directions left out of the prior's."""
        before, after = self.prior.log_det, self.log_det
        if math.isinf(self.prior.intercept):
            return before, after
        if self.prior.intercept > 0.0:
            before += math.log(self.prior.intercept)
        return before, after + math.log(self.pivot)

    def log_evidence(self, noise: float) -> float:
        """ln p(y) for a known noise variance."""
        before, after = self.log_volumes
        spent = (self.misfit + self.penalty) / noise
        return 0.5 * (before - after - self.count * math.log(2.0 * math.pi * noise) - spent)

    def noise(self, shape: float, scale: float) -> tuple[float, float]:
        """Shape and scale of the inverse gamma posterior of σ²."""
        return shape + self.count / 2.0, scale + (self.misfit + self.penalty) / 2.0

    def log_evidence_of_unknown_noise(self, shape: float, scale: float) -> float:
        """ln p(y) with σ² ~ IG(shape, scale) integrated out; an improper prior of σ² has density σ^(−2(shape + 1))."""
        before, after = self.log_volumes
        a, b = self.noise(shape, scale)
        proper = shape > 0.0 and scale > 0.0
        known = shape * math.log(scale) - float(special.gammaln(shape)) if proper else 0.0
        found = float(special.gammaln(a)) - a * math.log(b)
        return 0.5 * (before - after - self.count * math.log(2.0 * math.pi)) + known + found

    def precision(self) -> Floats:
        """The precision of [b, w], of w alone where there is no intercept, over σ²."""
        matrix = self.prior.precision + self.system.gram
        if math.isinf(self.pivot):
            return matrix
        centre = self.system.centre[:-1]
        return bordered(self.pivot, self.pivot * centre, matrix + self.pivot * np.outer(centre, centre))

    def covariance(self) -> Floats:
        """The covariance of [b, w], of w alone where there is no intercept, over σ²."""
        matrix = self.root @ self.root.T
        if math.isinf(self.pivot):
            return matrix
        centre = self.system.centre[:-1]
        lever = centre @ self.root
        return bordered(1.0 / self.pivot + float(lever @ lever), -self.root @ lever, matrix)


def bordered(corner: float, edge: Floats, matrix: Floats) -> Floats:
    """A symmetric matrix with one more row and column in front."""
    return np.block([[np.array([[corner]]), edge[None, :]], [edge[:, None], matrix]])


def solve_posterior(system: NormalEquations, prior: WeightPrior) -> WeightPosterior:
    """The posterior, by Cholesky with columns brought to one length."""
    matrix = prior.precision + system.gram
    scale = np.sqrt(np.diagonal(matrix))
    upper, rcond = cholesky(matrix / scale / scale[:, None])
    blur = SUMS_NOISE + 2.0 * column_noise(system, scale).max(initial=0.0)
    if BOUND_MET * blur > HOPELESS * rcond:
        raise DataError(
            f"{system.weight:g} rows leave directions undetermined of which prior_precision says too little, for "
            "columns that are dependent or more than the rows: raise prior_precision, or drop columns"
        )
    gap = system.cross[:, 0] - system.gram @ prior.mean
    if not np.isfinite(gap).all():
        raise DataError("prior_mean is so large that its products with the columns overflow: scale them")
    moved = linalg.cho_solve((upper, False), gap / scale) / scale
    inverse, _ = linalg.lapack.dtrtri(upper)
    root = np.ascontiguousarray(inverse / scale[:, None])
    log_det = 2.0 * float(np.log(np.diagonal(upper)).sum() + np.log(scale).sum())
    doubt = BOUND_MET * blur / rcond
    return WeightPosterior(system, prior, prior.mean + moved, root, log_det, doubt)


def column_noise(system: NormalEquations, scale: Floats) -> Floats:
    """Rounding of each column that varies, as a share of its length together with its prior's (d,)."""
    lengths = np.sqrt(np.diagonal(system.gram))
    return np.where(system.varies, system.noise, 0.0) * lengths / scale


def plane_variances(chunk: Chunk, centre: Floats, root: Floats, pivot: float) -> Floats:
    """The variance of the plane at each row, over σ²: 1/k + |(x − x̄′) root|²."""
    return variances_at(chunk.dense(), centre, root, pivot)


def variances_at(rows: Floats, centre: Floats, root: Floats, pivot: float) -> Floats:
    """The same for rows (n, d)."""
    along = (rows - centre) @ root
    return 1.0 / pivot + np.einsum("ij,ij->i", along, along)
