"""Families of covariances: what the M-step makes of expected second moments Sₖ of nₖ rows.

    full       Σₖ = Sₖ                      diag       the diagonal of Sₖ
    tied       Σ = Σₖ nₖSₖ / N              spherical  σₖ² = mean of the diagonal of Sₖ
    known      Σₖ = σ² I, for every family

No variance may fall below a floor: Σₖ − F must not have a negative direction, F being a diagonal of small shares of
the columns' variances. The most likely such Σₖ has the eigenvalues of F^−½ Sₖ F^−½ raised to 1 where they are less.
So a floor leaves alone what is above it, and EM still cannot fall, which it might if F were added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from novacula.mixture.gaussian.sums import Moments
from novacula.table.chunk import Floats

CovarianceType: TypeAlias = Literal["full", "tied", "diag", "spherical"]

ON_THE_FLOOR = 1.0 + 1e-9
LOADING = 0.3
"""The share of a direction that a column must have to be named for it."""


@dataclass(frozen=True, slots=True, eq=False)
class CovarianceFamily:
    """A family of covariances of d columns, with the variance where it is known, and the floor otherwise."""

    covariance_type: CovarianceType
    variance: float | None
    floor: Floats  # (d,)

    @property
    def diagonal(self) -> bool:
        """Whether covariances are kept as rows."""
        return self.covariance_type in ("diag", "spherical")

    def solve(self, moments: Moments) -> Floats:
        """The most likely covariances: (K, d, d), or (K, 1, d) of diagonals."""
        n_components, d = moments.mean.shape
        if self.variance is not None:
            one = np.full((1, d), self.variance) if self.diagonal else self.variance * np.eye(d)
            return np.tile(one, (n_components, 1, 1))
        if self.covariance_type == "full":
            return raise_to_floor(moments.covariance, self.floor)
        if self.covariance_type == "tied":
            share = moments.weight / moments.weight.sum()
            pooled = np.tensordot(share, moments.covariance, axes=1)
            return np.repeat(raise_to_floor(pooled[None], self.floor), n_components, axis=0)
        if self.covariance_type == "diag":
            return np.maximum(moments.covariance, self.floor)
        return np.maximum(moments.covariance.mean(axis=2, keepdims=True), self.floor.mean()).repeat(d, axis=2)

    def compact(self, covariances: Floats) -> Floats:
        """Covariances as they are shown: (K, d, d), (d, d), (K, d) or (K,)."""
        if self.covariance_type == "tied":
            return covariances[0]
        if self.covariance_type == "diag":
            return covariances[:, 0]
        return covariances[:, 0, 0].copy() if self.covariance_type == "spherical" else covariances

    def expanded(self, compacted: Floats, n_components: int) -> Floats:
        """What `compact` shows, as it was."""
        d = len(self.floor)
        if self.covariance_type == "tied":
            return np.repeat(compacted[None], n_components, axis=0)
        if self.covariance_type == "diag":
            return compacted[:, None]
        return np.repeat(compacted[:, None, None], d, axis=2) if self.covariance_type == "spherical" else compacted

    def n_parameters(self, n_components: int) -> int:
        """Free parameters."""
        if self.variance is not None:
            return 0
        d = len(self.floor)
        each = {"full": d * (d + 1) // 2, "tied": 0, "diag": d, "spherical": 1}[self.covariance_type]
        return d * (d + 1) // 2 if self.covariance_type == "tied" else n_components * each

    def on_floor(self, covariance: Floats) -> bool:
        """Whether one covariance, (d, d) or (1, d), is held at the floor in some direction."""
        if self.variance is not None or not self.floor.all():
            return False
        if self.diagonal:
            floor = self.floor.mean() if self.covariance_type == "spherical" else self.floor
            return bool((covariance[0] <= floor * ON_THE_FLOOR).any())
        return bool(np.linalg.eigvalsh(covariance / np.sqrt(np.outer(self.floor, self.floor)))[0] <= ON_THE_FLOOR)

    def collapsed(self, covariances: Floats) -> dict[int, list[int]]:
        """Components that lie on the floor, each with the columns along which they do."""
        if self.variance is not None or not self.floor.all():
            return {}
        collapsed: dict[int, list[int]] = {}
        for k, covariance in enumerate(covariances):
            if self.diagonal:
                floor = self.floor.mean() if self.covariance_type == "spherical" else self.floor
                low = covariance[0] <= floor * ON_THE_FLOOR
            else:
                values, vectors = np.linalg.eigh(covariance / np.sqrt(np.outer(self.floor, self.floor)))
                low = (np.abs(vectors[:, values <= ON_THE_FLOOR]) > LOADING).any(axis=1)
            if low.any():
                collapsed[k] = np.flatnonzero(low).tolist()
        return collapsed


def raise_to_floor(covariances: Floats, floor: Floats) -> Floats:
    """Covariances (K, d, d) with no direction below the floor (d,); those that have none stay as they are."""
    if not floor.all():
        return covariances
    root = np.sqrt(floor)
    scaled = covariances / np.outer(root, root)
    values, vectors = np.linalg.eigh(scaled)
    low = values[:, 0] < 1.0
    if not low.any():
        return covariances
    above = (vectors * np.maximum(values, 1.0)[:, None]) @ vectors.swapaxes(1, 2) * np.outer(root, root)
    return np.where(low[:, None, None], 0.5 * (above + above.swapaxes(1, 2)), covariances)
