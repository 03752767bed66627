"""Numbers: p(x | state k) = N(x; μₖ, Σₖ), solved as a Gaussian mixture is, with γ in place of responsibilities.

Densities, families of covariances and what becomes of missing values are those of `novacula.mixture`. A prior counts as
m steps more in each state, with the mean and the variances of all steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from novacula.errors import DataError
from novacula.graph.hmm.parameters import Emission, EmissionSolver, Forecast, StepOverview, sampled
from novacula.mixture.gaussian.covariance import CovarianceFamily, CovarianceType
from novacula.mixture.gaussian.density import GaussianComponents, MixtureDensity, groups, lower_factors, part
from novacula.mixture.gaussian.start import MixtureOverview
from novacula.mixture.gaussian.sums import Expectation, ExpectedSums, Moments
from novacula.mixture.gaussian.trace import flat, parted, size_of
from novacula.table.chunk import Floats


@dataclass(frozen=True, slots=True, eq=False)
class StateSums(ExpectedSums):
    """Sums about the means as a mixture has them, of rows whose shares are known: K(1 + d + d²) numbers at most."""

    @classmethod
    def observe_shares(cls, x: Floats, share: Floats, density: MixtureDensity) -> Self:
        """What rows x (n, d) add that belong to states by `share` (n, K)."""
        k, d = density.components.means.shape
        total = cls.zero(k, d, density.components.diagonal)
        for rows, known in groups(x):
            seen = part(x, rows, known)
            sums = cls._of_known(seen, share[rows], density.components.means[:, known], density.components.diagonal)
            total += sums if known.all() else sums.lifted(density, known)
        return total

    @classmethod
    def _of_known(cls, x: Floats, share: Floats, means: Floats, diagonal: bool) -> Self:
        from novacula.graph.hmm._kernels import add_moments

        zero = cls.zero(means.shape[0], means.shape[1], diagonal)
        add_moments(x, share, np.ascontiguousarray(means), zero.weight, zero.first, zero.second)
        second = zero.second if diagonal else zero.second + np.tril(zero.second, -1).swapaxes(1, 2)
        return cls(0.0, zero.weight, zero.first, second)


@dataclass(frozen=True, slots=True, eq=False)
class GaussianEmission(Emission):
    """Means and covariances of the states, as the components of a mixture; their weights are ignored."""

    components: GaussianComponents

    @classmethod
    def of(cls, means: Floats, covariances: Floats) -> Self:
        """Means (K, d) and covariances (K, d, d) or (K, 1, d)."""
        return cls(GaussianComponents(np.ones(len(means)), np.ascontiguousarray(means), covariances))

    @property
    def n_states(self) -> int:
        """Components."""
        return len(self.components.means)

    def log_likelihood(self, values: Floats) -> Floats:
        """Log densities of the known values."""
        from novacula.graph.hmm._kernels import log_densities

        whole, out = MixtureDensity.of(self.components), np.empty((len(values), self.n_states))
        for rows, known in groups(values):
            seen, held = part(values, rows, known), whole if known.all() else whole.marginal(known)
            found = np.empty((len(seen), self.n_states))
            log_densities(seen, held.components.means, held.factor, held.offset, found)
            out[rows] = found
        return out

    def expect(self, values: Floats, visits: Floats) -> StateSums:
        """Expected sums about the means."""
        return StateSums.observe_shares(values, visits, MixtureDensity.of(self.components))

    def summary(self, sums: StateSums) -> Expectation:
        """Expected steps, means and covariances of the states."""
        return Expectation.of(sums, self.components)

    def forecast(self, states: Floats) -> Forecast:
        """Mean and covariance of a mixture."""
        means = self.components.means
        mean = states @ means
        gap = means - mean[:, None]  # (steps, K, d)
        between = np.einsum("sk,ski,skj->sij", states, gap, gap)
        within = np.tensordot(states, self.components.matrices(), axes=1)
        return Forecast(states, mean=mean, covariance=within + between)

    def draw(self, path: Any, rng: np.random.Generator) -> Floats:
        """Normal deviates."""
        lower = lower_factors(self.components.matrices())
        noise = rng.standard_normal((len(path), self.components.means.shape[1]))
        return self.components.means[path] + np.einsum("nij,nj->ni", lower[path], noise)

    def numbers(self) -> Floats:
        """Means and covariances."""
        return flat(self.components.means, self.components.covariances)

    def with_numbers(self, numbers: Floats) -> Self:
        """Other means and covariances."""
        shape = self.components.covariances.shape
        return type(self).of(*parted(np.concatenate([np.ones(shape[0]), numbers]), shape)[1:])

    @property
    def n_sums(self) -> int:
        """Expected steps, first and second sums."""
        return size_of(self.components.covariances.shape)

    def sum_numbers(self, sums: Any) -> Floats:
        """Sums about the means before the step."""
        held = sums.sums if isinstance(sums, Expectation) else sums
        return flat(held.weight, held.first, held.second)


@dataclass(frozen=True, slots=True, eq=False)
class GaussianSolver(EmissionSolver[GaussianEmission]):
    """Means and covariances of a family, with m steps more at the mean and the variances of all."""

    family: CovarianceFamily
    mean: Floats  # (d,)
    variance: Floats  # (d,)
    m: float

    def solve(self, sums: Expectation) -> GaussianEmission:
        """The most probable ones."""
        total = self.with_prior(sums.moments)
        covariances = self.family.solve(total)
        spread = covariances[:, 0] if self.family.diagonal else np.diagonal(covariances, axis1=1, axis2=2)
        if not (spread > 0.0).all():
            k = int(np.argmin((spread > 0.0).all(axis=1)))
            raise DataError(
                f"state {k} of {len(spread)} shows the same value at all of its steps, so its variance is 0: raise "
                "reg_covar, lower n_states, or drop columns that do not vary"
            )
        return GaussianEmission.of(total.mean, covariances)

    def with_prior(self, moments: Moments) -> Moments:
        """Moments of the steps and of the m that the prior counts as."""
        if not self.m:
            return moments
        weight = moments.weight + self.m
        own, other = (moments.weight / weight)[:, None], (self.m / weight)[:, None]
        mean = own * moments.mean + other * self.mean
        spread = np.diag(self.variance)[None]
        parts = moments.covariance, spread.diagonal(axis1=1, axis2=2)[:, None] if self.family.diagonal else spread
        moved = [_outer(gap, self.family.diagonal) for gap in (moments.mean - mean, self.mean - mean)]
        covariance = own[:, None] * (parts[0] + moved[0]) + other[:, None] * (parts[1] + moved[1])
        return Moments(weight, mean, covariance)

    def log_prior(self, emission: GaussianEmission) -> float:
        """m times the expected log density of a step at the mean and the variances of all."""
        if not self.m:
            return 0.0
        density = MixtureDensity.of(emission.components)
        gap = self.mean - emission.components.means
        factor = density.factor
        turned = factor[:, 0] * gap if emission.components.diagonal else np.einsum("kij,kj->ki", factor, gap)
        spread = (factor**2 * self.variance).sum(axis=(1, 2))
        return float(self.m * (density.offset - 0.5 * (spread + (turned**2).sum(axis=1))).sum())

    def n_parameters(self, n_states: int) -> int:
        """Means and what the family of covariances has."""
        return n_states * len(self.mean) + self.family.n_parameters(n_states)


def _outer(gap: Floats, diagonal: bool) -> Floats:
    """Squares of rows (K, d): (K, 1, d), or (K, d, d)."""
    return gap[:, None] ** 2 if diagonal else gap[:, :, None] * gap[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class GaussianOverview(StepOverview):
    """Means and variances of the columns, and a sample of rows, from which a mixture of Gaussians can start."""

    rows: MixtureOverview
    family: CovarianceFamily

    @classmethod
    def of(cls, values: Floats, weight: Floats, covariance_type: CovarianceType, reg_covar: float, seed: int) -> Self:
        """Look at all steps (n, d); a column that does not vary counts as one of variance 1."""
        known = ~np.isnan(values)
        total = weight @ known
        mean = weight @ np.where(known, values, 0.0) / total
        gap = np.where(known, values - mean, 0.0)
        with np.errstate(over="ignore"):  # the learner refuses such columns by name
            variance = weight @ gap**2 / total
        variance = np.where(variance > (np.finfo(float).eps * np.abs(mean)) ** 2, variance, 1.0)
        rows = sampled(len(values), seed)
        sample = gap[rows] / np.sqrt(variance)
        held = MixtureOverview(float(weight.sum()), mean, variance, sample, weight[rows])
        return cls(held, CovarianceFamily(covariance_type, None, reg_covar * variance))

    def start(self, how: str, n_states: int, seed: int) -> GaussianEmission:
        """Clusters of rows, or random rows with the variances of all."""
        found = self.rows.start("k-means++" if how == "kmeans" else how, n_states, self.family, seed)
        return GaussianEmission.of(found.means, found.covariances)

    def blank(self, n_states: int) -> GaussianEmission:
        """Every state as all steps are."""
        variance = self.rows.variance
        one = variance[None] if self.family.diagonal else np.diag(variance)
        return GaussianEmission.of(np.tile(self.rows.mean, (n_states, 1)), np.tile(one, (n_states, 1, 1)))

    def solver(self, m: float, start: Emission) -> GaussianSolver:
        """The family, with a prior at the mean and the variances of all."""
        return GaussianSolver(self.family, self.rows.mean, self.rows.variance, m)
