"""Ridge for every α from one decomposition, and its leave-one-out error in closed form.

With XᵀX = V diag(λ) Vᵀ the coefficients are w(α) = V diag(1/(λ + α)) Vᵀ Xᵀy. A row that is left out is missed
by e / (1 − h), where e is its residual and h = 1/n + Σ (x·vⱼ)² / (λⱼ + α) its leverage, without 1/n where
there is no intercept. So one more pass over the rows gives what n fits, each without one row, would give.

Columns may pay a factor fⱼ of the penalty. Divided by √fⱼ they pay the same, and columns free of charge are taken out
of the others first; both only choose other directions v, with vᵢᵀXᵀXvⱼ = 0, of which those of free columns pay nothing.

Weights are repetitions: of a row of weight 3 one copy is left out, and two stay. A row of weight below 1 is
left out whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import linalg

from novacula.linear.solve import EPS, NOISE
from novacula.statistics import Statistic
from novacula.statistics.comoments import counted_rows
from novacula.table import Chunk
from novacula.table.chunk import Floats


@dataclass(frozen=True)
class RidgeSpectrum:
    """The r directions in which the columns vary, how much they do, Xᵀy along them, and whether they pay."""

    vectors: Floats  # (d, r)
    values: Floats  # (r,)
    cross: Floats  # (r, k)
    share: Floats  # (r,), 1, or 0 for directions free of charge

    @classmethod
    def of_gram(cls, gram: Floats, cross: Floats) -> Self:
        """From XᵀX and Xᵀy."""
        values, vectors = np.linalg.eigh(gram)
        return cls(vectors, np.maximum(values, 0.0), vectors.T @ cross, np.ones(len(values)))

    @classmethod
    def of_factor(cls, f: Floats, g: Floats) -> Self:
        """From f and g with fᵀf = XᵀX and fᵀg = Xᵀy, without squaring."""
        u, s, vt = linalg.svd(f, full_matrices=False)
        return cls(vt.T, s**2, s[:, None] * (u.T @ g), np.ones(len(s)))

    @classmethod
    def of_prices(cls, f: Floats, g: Floats, factor: Floats) -> Self:
        """The same for columns that pay `factor` (d,) of the penalty."""
        free, paying = np.flatnonzero(factor == 0.0), np.flatnonzero(factor)
        lengths = np.linalg.norm(f[:, free], axis=0)
        lengths[lengths == 0.0] = 1.0
        u, s, vt = linalg.svd(f[:, free] / lengths, full_matrices=False)
        kept = s > NOISE * EPS * s.max(initial=0.0)
        u, s, vt = u[:, kept], s[kept], vt[kept]
        root, along = np.sqrt(factor[paying]), u.T @ f[:, paying]
        rest = cls.of_factor((f[:, paying] - u @ along) / root, g - u @ (u.T @ g))
        vectors = np.zeros((len(factor), len(s) + len(rest.values)))
        vectors[free, : len(s)] = (vt / s[:, None]).T / lengths[:, None]
        vectors[paying, len(s) :] = rest.vectors / root[:, None]
        vectors[free, len(s) :] = -vectors[free, : len(s)] @ along @ vectors[paying, len(s) :]
        return cls(
            vectors,
            np.append(np.ones(len(s)), rest.values),
            np.vstack([u.T @ g, rest.cross]),
            np.append(np.zeros(len(s)), rest.share),
        )

    def inverses(self, alphas: Floats) -> Floats:
        """1/(λ + α) for each α and direction (m, r); 0 where both are lost in rounding: the least norm."""
        sums = self.values + alphas[:, None] * self.share
        floor = (NOISE * EPS) ** 2 * self.values.max(initial=0.0, where=self.share > 0.0) * self.share
        return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > floor)

    def coefficients(self, alphas: Floats) -> Floats:
        """w(α) for each α: (m, d, k)."""
        return self.vectors @ (self.inverses(alphas)[:, :, None] * self.cross)


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOutSums(Statistic):
    """Weight of the rows, and squared errors and their squares when each is left out, by α and target: 1 + 2mk."""

    weight: float
    squares: Floats  # (m, k)
    fourths: Floats  # (m, k)

    @classmethod
    def zero(cls, n_alphas: int, n_targets: int) -> Self:
        """No rows."""
        return cls(0.0, np.zeros((n_alphas, n_targets)), np.zeros((n_alphas, n_targets)))

    @classmethod
    def observe(
        cls, chunk: Chunk, centre: Floats, vectors: Floats, inverses: Floats, cross: Floats, share: float
    ) -> Self:
        """Leave each row out; `share` is 1/n, which the intercept adds to each leverage, or 0 without one."""
        x, y, weight = counted_rows(chunk)
        d = x.shape[1]
        along = (x - centre[:d]) @ vectors
        leverage = share + along**2 @ inverses.T
        weights = inverses.T[:, :, None] * cross[:, None, :]  # (r, m, k)
        fitted = np.tensordot(along, weights, axes=1)  # (n, m, k)
        stays = 1.0 - np.minimum(weight, 1.0)[:, None, None] * leverage[:, :, None]
        missed = (y - centre[d:])[:, None, :] - fitted
        # A row with leverage 1 decides its own fit: without it there is nothing to predict it from.
        alone = stays < 1e-9
        missed = np.where(alone, np.inf, missed / np.where(alone, 1.0, stays))
        squares = missed**2
        with np.errstate(over="ignore"):  # the standard error is infinite then
            fourths = np.tensordot(weight, squares**2, axes=1)
        return cls(float(weight.sum()), np.tensordot(weight, squares, axes=1), fourths)

    def __add__(self, other: Self) -> Self:
        return type(self)(self.weight + other.weight, self.squares + other.squares, self.fourths + other.fourths)

    @property
    def error(self) -> Floats:
        """The mean squared error of rows that were left out (m, k)."""
        return self.squares / self.weight

    @property
    def std_error(self) -> Floats:
        """The standard error of that mean: the standard deviation of the squared errors over √n (m, k).

        It is infinite where a row cannot be left out, and where fourth powers overflow.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            variance = self.fourths / self.weight - self.error**2
        return np.where(np.isfinite(variance), np.sqrt(np.maximum(variance, 0.0) / self.weight), np.inf)
