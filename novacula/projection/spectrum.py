"""Eigenvalues and directions of a covariance, from sums, from a triangle, or from the rows themselves.

    C = (1/(N−1)) Σ w (x − μ)(x − μ)ᵀ = V diag(λ) Vᵀ        N = Σ w

1. covariance: eigenvectors of C from the sums of one pass. An eigenvalue is right to about 1e-16 · λ₁.
2. svd: singular values s of a factor F with FᵀF = (N−1) C that was made without squaring: the triangle of a second
   pass, or the centred rows. λ = s²/(N−1), right to about 1e-16 · √(λ₁λ) and so also where it is tiny.
3. dual: with fewer rows than columns the Gram matrix ZZᵀ of the centred rows is smaller and has the same
   eigenvalues; its eigenvectors a become directions by v = Zᵀa/√λ.

A direction without variance is arbitrary, so a rule fixes it; another one fixes the signs (`directions`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from novacula.errors import DataError
from novacula.projection.eigen import eigenvalues
from novacula.projection.rows import EPS, CentredRows, still_columns
from novacula.statistics import CoMoments, Triangle
from novacula.table.chunk import Floats

TIE = 1e-6
"""Entries of a direction that differ by this share count as equal when its sign is chosen."""


@dataclass(frozen=True)
class CovarianceSpectrum:
    """The eigenvalues of a covariance, falling, and a function that gives the first k directions (k, d)."""

    weight: float  # N
    mean: Floats  # (d,)
    values: Floats  # (m,), all that can differ from 0, or the largest of them; 0 where there is only rounding
    total: float  # the trace of C: the sum of all eigenvalues
    basis: Callable[[int], Floats]
    whole: bool = True  # whether `values` are all that can differ from 0

    def first(self, k: int) -> Floats:
        """The k largest eigenvalues (k,)."""
        return np.pad(self.values[:k], (0, max(k - len(self.values), 0)))

    def noise(self, k: int) -> float:
        """The variance of each direction but the first k, on average: what is left, over d − k."""
        left = self.values[k:].sum() if self.whole else self.total - self.values[:k].sum()
        rounding = 4.0 * len(self.mean) * EPS * self.total
        return float(left) / (len(self.mean) - k) if k < len(self.mean) and (self.whole or left > rounding) else 0.0

    @property
    def rank(self) -> int:
        """The number of directions with variance, among those known."""
        return int(np.count_nonzero(self.values))

    def directions(self, k: int) -> Floats:
        """The first k directions (k, d), orthonormal.

        The largest entry of each is positive; ties go to the first. Directions without variance are axes made
        orthogonal to those before, the first axes of which enough is left.
        """
        found = signed(np.ascontiguousarray(self.basis(min(k, self.rank))))
        return found if len(found) == k else complete_basis(found, k)


def solve_covariance(moments: CoMoments) -> CovarianceSpectrum:
    """From the sums of one pass."""
    with np.errstate(over="ignore", invalid="ignore"):
        covariance = covariance_of(moments)
    if not (np.isfinite(moments.scatter).all() and np.isfinite(covariance).all()):
        raise DataError("the columns hold numbers whose squares overflow when they are added: scale them")
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1].T
    return CovarianceSpectrum(
        moments.weight,
        moments.mean,
        cut(values, 4.0 * len(values) * EPS),
        float(np.trace(covariance)),
        lambda k: vectors[:k],
    )


def covariance_of(moments: CoMoments) -> Floats:
    """C (d, d), with zeros for columns that do not vary."""
    still = still_columns(moments.weight, moments.mean, np.diagonal(moments.scatter))
    covariance = moments.scatter / (moments.weight - 1.0)
    covariance[still] = 0.0
    covariance[:, still] = 0.0
    return covariance


def solve_triangle(moments: CoMoments, triangle: Triangle) -> CovarianceSpectrum:
    """From the triangle of the columns about the mean of the moments, with scale 1."""
    still = still_columns(moments.weight, moments.mean, np.diagonal(moments.scatter))
    return from_factor(moments.weight, moments.mean, np.where(still, 0.0, triangle.r))


def solve_rows(rows: CentredRows) -> CovarianceSpectrum:
    """From the singular values of the centred rows."""
    return from_factor(rows.weight, rows.mean, rows.dense())


def from_factor(weight: float, mean: Floats, factor: Floats) -> CovarianceSpectrum:
    """From F (m, d) with FᵀF = (N−1) C."""
    _, lengths, vectors = np.linalg.svd(factor, full_matrices=False)
    values = cut(lengths**2, (4.0 * factor.shape[1] * EPS) ** 2)
    total = float(np.einsum("ij,ij->", factor, factor))
    return CovarianceSpectrum(weight, mean, values / (weight - 1.0), total / (weight - 1.0), lambda k: vectors[:k])


def solve_dual(rows: CentredRows) -> CovarianceSpectrum:
    """From the Gram matrix of the centred rows."""
    gram = rows.gram()
    values, vectors = eigenvalues(gram)
    values = cut(values, 4.0 * len(gram) * EPS)
    total = max(float(np.trace(gram)), float(values.sum()))  # of large numbers that cancel the trace may lose its sign

    def mapped(k: int) -> Floats:
        directions = rows.mapped(vectors(k))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)  # √λ, without the rounding of λ
        return directions

    return CovarianceSpectrum(rows.weight, rows.mean, values / (rows.weight - 1.0), total / (rows.weight - 1.0), mapped)


def cut(values: Floats, floor: float) -> Floats:
    """Falling eigenvalues, those that are no more than a share `floor` of the largest put to 0."""
    return np.where(values > floor * max(values[0], 0.0), values, 0.0)


def signed(directions: Floats) -> Floats:
    """Turn each direction such that its largest entry is positive, the first of those that tie for it."""
    sizes = np.abs(directions)
    first = np.argmax(sizes >= (1.0 - TIE) * sizes.max(axis=1, keepdims=True, initial=0.0), axis=1)
    sign = np.where(directions[np.arange(len(directions)), first] < 0.0, -1.0, 1.0)
    return directions * sign[:, None]


def complete_basis(directions: Floats, k: int) -> Floats:
    """Orthonormal directions (m, d), completed to k by axes from which the others are taken out."""
    d = directions.shape[1]
    basis = np.zeros((k, d))
    basis[: len(directions)] = directions
    size, axis = len(directions), 0
    while size < k:
        rest = np.zeros(d)
        rest[axis] = 1.0
        for _ in range(2):  # twice, since once leaves rounding where little is left
            rest -= basis[:size].T @ (basis[:size] @ rest)
        length = np.linalg.norm(rest)
        # The squares of what is left of all d axes sum to d − size, so an axis with enough of it comes.
        if length**2 >= (d - size) / (2.0 * d):
            basis[size] = rest / length
            size += 1
        axis = (axis + 1) % d
    basis[len(directions) :] = signed(basis[len(directions) :])
    return basis
