"""A mixture as a density: ln p(x) = ln Σₖ wₖ N(x; μₖ, Σₖ), of rows of which any value may be missing.

Missing values are integrated out. That leaves a mixture of Gaussians over the values that are known, and given
these and the component, the missing ones are normal too:

    E[x_m | x_o] = μ_m + B (x_o − μ_o)      Cov[x_m | x_o] = Σ_mm − B Σ_om      B = Σ_mo Σ_oo⁻¹

Rows are grouped by which values are missing, so that this is solved once per group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.table.answering import unjudged
from novacula.table.chunk import Chunk, Floats
from novacula.table.equal_rows import equal_rows

Mask: TypeAlias = npt.NDArray[np.bool_]

LN_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, slots=True, eq=False)
class GaussianComponents:
    """Weights, means and covariances of K Gaussians; a covariance that is diagonal is kept as one row."""

    weights: Floats  # (K,)
    means: Floats  # (K, d)
    covariances: Floats  # (K, d, d) or (K, 1, d)

    @property
    def diagonal(self) -> bool:
        """Whether the covariances are kept as rows."""
        return self.covariances.shape[1] == 1

    def matrices(self) -> Floats:
        """The covariances (K, d, d)."""
        return self.covariances * np.eye(self.means.shape[1]) if self.diagonal else self.covariances


@dataclass(frozen=True, slots=True, eq=False)
class MixtureDensity:
    """Components, and what their log densities at x need: `offset` − ½|`factor` (x − μ)|²."""

    components: GaussianComponents
    factor: Floats  # (K, d, d), the inverses of Cholesky factors, or (K, 1, d)
    offset: Floats  # (K,)

    @classmethod
    def of(cls, components: GaussianComponents) -> Self:
        """Factor the covariances; one that is singular is refused."""
        covariances = components.covariances
        factor = 1.0 / np.sqrt(covariances) if components.diagonal else inverse_factors(covariances)
        roots = factor[:, 0] if components.diagonal else np.diagonal(factor, axis1=1, axis2=2)
        with np.errstate(divide="ignore"):  # a component that lost all its weight stays without any
            offset = np.log(components.weights) + np.log(roots).sum(axis=1) - 0.5 * LN_2PI * roots.shape[1]
        return cls(components, np.ascontiguousarray(factor), offset)

    def marginal(self, known: Mask) -> MixtureDensity:
        """The density of the known columns alone."""
        components = self.components
        covariances = (
            components.covariances[:, :, known]
            if components.diagonal
            else components.covariances[:, known][:, :, known]
        )
        return MixtureDensity.of(
            GaussianComponents(components.weights, np.ascontiguousarray(components.means[:, known]), covariances)
        )

    def posterior(self, x: Floats) -> Floats:
        """Responsibilities and, in a last column, log densities of complete rows: (n, K + 1)."""
        from novacula.mixture.gaussian._kernels import expect

        n_components, d = self.components.means.shape
        out = np.empty((len(x), n_components + 1))
        nothing = np.empty(0), np.empty((0, d)), np.empty((0, *self.factor.shape[1:]))
        expect(x, np.ones(len(x)), self.components.means, self.factor, self.offset, out, *nothing)
        return out

    def regression(self, known: Mask) -> tuple[Floats, Floats]:
        """B (K, m, o) and the covariance (K, m, m) of the missing values given the known ones."""
        covariances, missing = self.components.matrices(), ~known
        cross = covariances[:, missing][:, :, known]
        factor = inverse_factors(covariances[:, known][:, :, known])
        slope = cross @ factor.swapaxes(1, 2) @ factor
        return slope, covariances[:, missing][:, :, missing] - slope @ cross.swapaxes(1, 2)


def lower_factors(covariances: Floats) -> Floats:
    """The Cholesky factors (K, d, d) of covariances (K, d, d)."""
    try:
        return np.linalg.cholesky(covariances).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        lowest = np.linalg.eigvalsh(covariances)[:, 0]
        raise DataError(
            f"the covariance of component {int(np.argmin(lowest))} became singular: it has collapsed onto too few rows "
            "or onto columns that depend on each other; raise reg_covar or lower n_components"
        ) from None


def inverse_factors(covariances: Floats) -> Floats:
    """The inverses (K, d, d) of the Cholesky factors of covariances (K, d, d)."""
    lower = lower_factors(covariances)
    inverse = np.zeros_like(lower)
    for j in range(lower.shape[1]):  # forward substitution, all components at once
        pivot = 1.0 / lower[:, j, j]
        inverse[:, j, j] = pivot
        inverse[:, j, :j] = -pivot[:, None] * (lower[:, j, None, :j] @ inverse[:, :j, :j])[:, 0]
    return inverse


def groups(x: Floats) -> Iterator[tuple[Any, Mask]]:
    """Rows of x (n, d) that have the same values missing, and which columns they know (d,)."""
    missing = np.isnan(x)
    if not missing.any():
        yield slice(None), np.ones(x.shape[1], bool)
        return
    same = equal_rows(missing)
    order = np.argsort(same.kind, kind="stable")
    for rows, example in zip(np.split(order, np.cumsum(np.bincount(same.kind))[:-1]), same.first, strict=True):
        yield rows, ~missing[example]


def part(x: Floats, rows: Any, known: Mask) -> Floats:
    """The known columns of some rows, as a C-ordered array; x itself where that is all of it."""
    return np.ascontiguousarray(x[rows]) if known.all() else np.ascontiguousarray(x[rows][:, known])


# --- functions of chunks, for Table.map ---------------------------------------------------------------------


@unjudged
def posteriors(chunk: Chunk, density: MixtureDensity) -> Floats:
    """Responsibilities and log densities of a chunk's rows: (n, K + 1)."""
    x = chunk.numeric
    out = np.empty((len(x), len(density.offset) + 1))
    for rows, known in groups(x):
        out[rows] = (density if known.all() else density.marginal(known)).posterior(part(x, rows, known))
    return out


def imputed_rows(chunk: Chunk, density: MixtureDensity) -> Floats:
    """The rows with each missing value replaced by its mean given those that are known: Σₖ pₖ E[x_m | x_o, k]."""
    x = chunk.numeric.copy()
    means = density.components.means
    for rows, known in groups(x):
        if known.all():
            continue
        known_values = part(x, rows, known)
        share = density.marginal(known).posterior(known_values)[:, :-1]
        slope, _ = density.regression(known)
        gap = known_values[None] - means[:, None, known]  # (K, n, o)
        guess = means[:, None, ~known] + gap @ slope.swapaxes(1, 2)
        x[np.ix_(rows, ~known)] = np.einsum("nk,knm->nm", share, guess)
    return x
