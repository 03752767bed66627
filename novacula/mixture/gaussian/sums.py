"""Expected sufficient statistics of a mixture: the E-step of a chunk, which adds up over chunks.

With responsibilities p of component k, sums are taken about its present mean μ, so that large offsets cost nothing:

    n = Σp      first = Σp(x − μ)      second = Σp(x − μ)(x − μ)ᵀ

Where values are missing, x stands for its expectation given the known values, and `second` gains the covariance that
remains. Both are linear in the sums over the known columns: with T = [I; B], first = T first_o and
second = T second_o Tᵀ + n Cov[x_m | x_o].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, reduce
from operator import add
from typing import ClassVar, Self

import numpy as np

from novacula.mixture.gaussian.density import GaussianComponents, Mask, MixtureDensity, groups, part
from novacula.state import State, floats, one_of
from novacula.statistics.base import Statistic, require_same_layout
from novacula.table.chunk import Chunk, Floats

NOTHING = 1e-280
"""Expected rows below which a component is taken to have none."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Expected number of rows, mean and covariance of each component, about its own mean."""

    state: ClassVar[State] = {
        "weight": floats("components", least=0.0),
        "mean": floats("components", "columns"),
        "covariance": one_of(floats("components", "columns", "columns"), floats("components", 1, "columns", least=0.0)),
    }

    weight: Floats  # (K,)
    mean: Floats  # (K, d)
    covariance: Floats  # (K, d, d) or (K, 1, d)


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedSums(Statistic):
    """Log-likelihood, and Σp, Σp(x − μ) and Σp(x − μ)(x − μ)ᵀ per component: 1 + K(1 + d + d²) numbers at most."""

    log_likelihood: float
    weight: Floats  # (K,)
    first: Floats  # (K, d)
    second: Floats  # (K, d, d) or (K, 1, d)

    @classmethod
    def zero(cls, n_components: int, n_columns: int, diagonal: bool) -> Self:
        """No rows."""
        second = np.zeros((n_components, 1 if diagonal else n_columns, n_columns))
        return cls(0.0, np.zeros(n_components), np.zeros((n_components, n_columns)), second)

    @classmethod
    def observe(cls, chunk: Chunk, density: MixtureDensity) -> Self:
        """The E-step: what rows are expected to add under a density."""
        x, weight = chunk.numeric, chunk.weight
        weighs = weight > 0.0
        if not weighs.all():
            x, weight = x[weighs], weight[weighs]
        return reduce(add, (cls.of_alike(part(x, *group), weight[group[0]], density, group[1]) for group in groups(x)))

    @classmethod
    def of_alike(cls, known_values: Floats, weight: Floats, density: MixtureDensity, known: Mask) -> Self:
        """The E-step of rows in which the same values are known."""
        if known.all():
            return cls.of_complete(known_values, weight, density)
        return cls.of_complete(known_values, weight, density.marginal(known)).lifted(density, known)

    @classmethod
    def of_complete(cls, x: Floats, weight: Floats, density: MixtureDensity) -> Self:
        """The E-step of rows in which every value is known."""
        from novacula.mixture.gaussian._kernels import expect

        components = density.components
        zero = cls.zero(*x_shape(density), components.diagonal)
        nowhere = np.empty((0, len(components.weights) + 1))
        log_likelihood = expect(
            x, weight, components.means, density.factor, density.offset, nowhere, zero.weight, zero.first, zero.second
        )
        second = zero.second
        if not components.diagonal:
            second = second + np.where(below_diagonal(second.shape[1]), second, 0.0).swapaxes(1, 2)
        return cls(log_likelihood, zero.weight, zero.first, second)

    def lifted(self, density: MixtureDensity, known: Mask) -> Self:
        """Sums over the known columns as expected sums over all columns of the density."""
        lifted = type(self).zero(*x_shape(density), density.components.diagonal)
        lifted.first[:, known] = self.first
        if density.components.diagonal:
            lifted.second[:, :, known] = self.second
            left = density.components.covariances[:, :, ~known]
            lifted.second[:, :, ~known] = self.weight[:, None, None] * left
            return type(self)(self.log_likelihood, self.weight, lifted.first, lifted.second)
        slope, left = density.regression(known)
        lift = np.zeros((len(self.weight), len(known), int(known.sum())))
        lift[:, known] = np.eye(lift.shape[2])
        lift[:, ~known] = slope
        second = lift @ self.second @ lift.swapaxes(1, 2)
        place = np.ix_(np.arange(len(second)), ~known, ~known)
        second[place] += self.weight[:, None, None] * left
        first = np.einsum("kdo,ko->kd", lift, self.first)
        return type(self)(self.log_likelihood, self.weight, first, second)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.second.shape, other.second.shape)
        return type(self)(
            self.log_likelihood + other.log_likelihood,
            self.weight + other.weight,
            self.first + other.first,
            self.second + other.second,
        )

    def moments(self, components: GaussianComponents) -> Moments:
        """Means and covariances, given the components that the sums are about.

        A component that explains no row keeps its place and shape: any would be as likely.
        """
        has_rows = self.weight > NOTHING
        weight = np.where(has_rows, self.weight, 1.0)
        step = self.first / weight[:, None]
        square = step[:, None] ** 2 if components.diagonal else step[:, :, None] * step[:, None]
        covariance = self.second / weight[:, None, None] - square
        if components.diagonal:
            covariance = np.maximum(covariance, 0.0)
        return Moments(
            np.where(has_rows, self.weight, 0.0),
            components.means + np.where(has_rows[:, None], step, 0.0),
            np.where(has_rows[:, None, None], covariance, components.covariances),
        )


@cache
def below_diagonal(d: int) -> Mask:
    """Which entries of a matrix (d, d) are below its diagonal."""
    return np.tri(d, k=-1, dtype=bool)


def x_shape(density: MixtureDensity) -> tuple[int, int]:
    """Components and columns."""
    n_components, n_columns = density.components.means.shape
    return n_components, n_columns


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """What an E-step came to: expected sums, the moments that follow, and of a mixture the density that it is under."""

    sums: ExpectedSums
    moments: Moments
    under: MixtureDensity | None = None

    @classmethod
    def of(cls, sums: ExpectedSums, about: GaussianComponents, under: MixtureDensity | None = None) -> Self:
        """From sums about the means of components."""
        return cls(sums, sums.moments(about), under)
