"""What the fit of a mixture keeps for its derivation: the way of the parameters, first rows, and sums of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from novacula.learner.em.path import flat_path
from novacula.learner.expectation_maximization import EMResult, EMState
from novacula.learner.first_rows import FirstRows
from novacula.learner.trace import FitPath
from novacula.mixture.gaussian.density import GaussianComponents, MixtureDensity
from novacula.mixture.gaussian.sums import Expectation, ExpectedSums
from novacula.state import State, nullable, record
from novacula.table import Table
from novacula.table.chunk import Chunk, Floats


class RowShares(NamedTuple):
    """What the E-step makes of n rows: their shares in K components, and what they are expected to hold in each."""

    share: Floats  # (n, K), responsibilities
    x: Floats  # (n, K, d), the values; where one is missing, its mean given the known ones
    spread: Floats  # (n, K, d or 1, d), the covariance that is left of missing values


@dataclass(frozen=True, eq=False)
class MixtureTrace:
    """The way of EM: up to 25 states of K(1 + d + d²) numbers, up to 20 rows, and as many sums as states."""

    state: ClassVar[State] = {
        "rows": record(FirstRows, columns="columns"),
        "path": record(FitPath),
        "others": nullable(record(FitPath)),
    }

    rows: FirstRows
    path: FitPath  # weights, means and covariances
    others: FitPath | None  # Σp, Σp(x − μ), Σp(x − μ)(x − μ)ᵀ of rows that are not kept, μ of the state before

    @classmethod
    def of(cls, table: Table, run: EMResult[GaussianComponents, Expectation]) -> Self:
        """Keep the way of a run over a table."""
        rows = FirstRows.of(table)
        path = flat_path(run.path, lambda state: flat(*_arrays(state.params)))
        if rows.is_all:
            return cls(rows, path, None)
        first = rows.chunk()
        return cls(rows, path, flat_path(run.path, lambda state: _sums_of_others(state, first)))

    def components(self, iteration: int, shape: tuple[int, ...]) -> GaussianComponents:
        """The components after an iteration; `shape` is that of the covariances (K, d or 1, d)."""
        return GaussianComponents(*parted(self.path.at(iteration, (size_of(shape),)), shape))

    def sums_of_others(self, iteration: int, shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
        """Σp, Σp(x − μ) and Σp(x − μ)(x − μ)ᵀ of the other rows in the E-step of an iteration."""
        if self.others is None:
            return parted(np.zeros(size_of(shape)), shape)
        return parted(self.others.at(iteration, (size_of(shape),)), shape)


def shares_of_rows(rows: FirstRows, density: MixtureDensity) -> RowShares:
    """The E-step of rows, one by one."""
    means = density.components.means
    one = [ExpectedSums.observe(row, density) for row in (rows.chunk().rows(i, i + 1) for i in range(len(rows)))]
    held = np.array([sums.weight for sums in one])[:, :, None]
    step = np.divide([sums.first for sums in one], held, out=np.zeros((len(one), *means.shape)), where=held > 0.0)
    gap = np.isnan(rows.x)[:, None]
    x = np.where(gap, means + step, np.nan_to_num(rows.x)[:, None])
    second, both = np.array([sums.second for sums in one]), gap[:, :, None] & gap[..., None]
    square, held = step[:, :, None] * step[..., None], held[..., None]
    if density.components.diagonal:
        both, square = gap[:, :, None], step[:, :, None] ** 2
    left = np.divide(second, held, out=np.zeros_like(second), where=held > 0.0) - square
    return RowShares(held[..., 0, 0] / rows.weight[:, None], x, np.where(both, left, 0.0))


def parted(numbers: Floats, shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """Numbers as arrays of the shapes (K,), (K, d) and (K, d or 1, d), which are views."""
    k, _, d = shape
    return numbers[:k], numbers[k : k + k * d].reshape(k, d), numbers[k + k * d :].reshape(shape)


def size_of(shape: tuple[int, ...]) -> int:
    """How many numbers these are."""
    k, rows, d = shape
    return k * (1 + d + rows * d)


def flat(*arrays: Floats) -> Floats:
    """Arrays as one row of numbers."""
    return np.concatenate([array.ravel() for array in arrays])


def _arrays(components: GaussianComponents) -> tuple[Floats, Floats, Floats]:
    return components.weights, components.means, components.covariances


def _sums_of_others(state: EMState[GaussianComponents, Expectation], first: Chunk) -> Floats:
    if state.statistics is None or state.statistics.under is None:
        return np.zeros(size_of(state.params.covariances.shape))
    own = ExpectedSums.observe(first, state.statistics.under)
    found = state.statistics.sums
    return flat(found.weight - own.weight, found.first - own.first, found.second - own.second)
