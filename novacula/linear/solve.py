"""Least squares and ridge, solved from sums, from a triangle, or from the rows.

    (XᵀX + αI) w = Xᵀy        least squares is α = 0

1. From the sums of one pass, by Cholesky: fast, and exact to nine digits unless columns are nearly dependent.
2. Otherwise from a factor F with FᵀF = XᵀX that was made without squaring (`Triangle`, or the rows), by its
   singular values. Where directions are lost in rounding, the solution of least norm is given.
3. With fewer rows than columns and α > 0, from the n × n equations (XXᵀ + αI) a = y with w = Xᵀa.

Columns are brought to length 1 before 1 and 2, so that units neither cost digits nor decide the rank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import linalg

from novacula.errors import DataError
from novacula.statistics import CoMoments, Triangle
from novacula.statistics.comoments import counted_rows, deviations
from novacula.table import Chunk
from novacula.table.chunk import Floats

EPS = float(np.finfo(np.float64).eps)
WELL_CONDITIONED = 1e-6
"""Reciprocal condition of the scaled XᵀX down to which its Cholesky factor keeps nine digits."""
NOISE = 100.0
"""A direction that is shorter than this many rounding errors is taken for none."""
TRUSTED = 1e-6
"""Relative error of coefficients above which a warning is due."""
SUMS_NOISE = 20.0 * EPS
"""Rounding of the squares of columns of length 1, as it is met in sums."""
BOUND_MET = 0.2
"""How much of the bound on their error coefficients come to have: rounding errors seldom all add up."""


@dataclass(frozen=True)
class CentredColumns:
    """The columns of [X, y] about a centre: their means, or zero for a fit through the origin."""

    weight: float
    centre: Floats  # (d + k,)
    squares: Floats  # (d + k,), Σ w (z − centre)² of each column z
    noise: Floats  # (d,), the share of a feature's length that is rounding; infinite where there is no length
    grain: Floats  # (d,), the same for values as they are stored, which may be coarser: float32
    spread: Floats  # (k,), Σ w (y − ȳ)² of each target

    @cached_property
    def varies(self) -> npt.NDArray[np.bool_]:
        """The features that are longer than their rounding: only they can have a coefficient (d,)."""
        return self.noise * NOISE < 1.0

    @cached_property
    def lengths(self) -> Floats:
        """The square roots of `squares`, and 1 for columns that do not vary (d + k,)."""
        known = np.append(self.varies, self.squares[len(self.noise) :] > 0.0)
        return np.sqrt(np.where(known, self.squares, 1.0))

    @cached_property
    def floor(self) -> Floats:
        """Squares of a target below which there is only rounding (k,)."""
        d = len(self.noise)
        return (NOISE * EPS) ** 2 * (self.squares[d:] + self.weight * self.centre[d:] ** 2)


@dataclass(frozen=True)
class NormalEquations(CentredColumns):
    """The sums that the normal equations are made of."""

    gram: Floats  # (d, d), XᵀX
    cross: Floats  # (d, k), Xᵀy

    @classmethod
    def of(cls, moments: CoMoments, precision: Floats, centred: bool) -> Self:
        """Take the sums from moments; `precision` is the relative rounding of the stored features (d,)."""
        d, mean = len(precision), moments.mean
        centre = mean if centred else np.zeros_like(mean)
        lever = np.sqrt(moments.weight) * mean
        with np.errstate(over="ignore"):  # what overflows is refused, or is noise
            sums = moments.scatter if centred else moments.scatter + np.outer(lever, lever)
            raw = np.diagonal(moments.scatter) + lever**2
        require_finite_sums(sums, moments.weight)
        squares = np.diagonal(sums).copy()
        noise = rounding(squares, raw)[:d]
        grain = noise * precision / EPS
        spread = np.diagonal(moments.scatter)[d:].copy()
        return cls(moments.weight, centre, squares, noise, grain, spread, sums[:d, :d], sums[:d, d:])


@dataclass(frozen=True)
class LeastSquaresSolution:
    """Coefficients, and what is known of how good they are."""

    coef: Floats  # (d, k)
    error: Floats  # (k,), Σ w (y − ŷ)²
    rank: int  # directions that are determined: all with a penalty, otherwise those that the columns span
    doubt: float  # relative error of the coefficients that rounding may have made
    factor: Floats  # (m, d), F with FᵀF = XᵀX
    solver: str  # cholesky, qr, svd (columns are dependent), sums (no rows to go back to) or dual


def require_finite_sums(sums: Floats, weight: float) -> None:
    """Refuse sums that overflowed when they were added, or do so as means: nothing can be solved from them."""
    with np.errstate(over="ignore"):
        largest = np.abs(sums).max(initial=0.0) / min(weight, 1.0)
    if not np.isfinite(largest):
        raise DataError("the columns hold numbers whose squares overflow when they are added: scale them")


def rounding(squares: Floats, raw: Floats) -> Floats:
    """The share of a length that is rounding, from the squares about the centre and about zero."""
    return EPS * np.sqrt(np.divide(raw, squares, out=np.full_like(raw, np.inf), where=squares > 0.0))


def centred_rows(chunk: Chunk, precision: Floats, centred: bool) -> tuple[CentredColumns, Floats]:
    """The rows of [X, y] that count, about their centre and times √weight (n, d + k)."""
    x, y, weight = counted_rows(chunk)
    total, d = float(weight.sum()), x.shape[1]
    with np.errstate(invalid="ignore", over="ignore"):  # infinite values are for the learner to report
        mean = np.concatenate([weight @ x, weight @ y]) / total
        centre = mean if centred else np.zeros_like(mean)
        z = deviations(x, y, centre) * np.sqrt(weight)[:, None]
        squares = np.einsum("ij,ij->j", z, z)
        noise = rounding(squares, squares + total * centre**2)[:d]
        spread = weight @ (y - mean[d:]) ** 2
    return CentredColumns(total, centre, squares, noise, noise * precision / EPS, spread), z


def solve_cholesky(system: NormalEquations, alpha: float = 0.0) -> LeastSquaresSolution | None:
    """Solve from the sums; None where too many digits would be lost in them."""
    live = np.flatnonzero(system.varies)
    scale = np.sqrt(system.squares[live] + alpha)
    matrix = system.gram[np.ix_(live, live)] / scale / scale[:, None]
    np.fill_diagonal(matrix, 1.0)
    upper, rcond = cholesky(matrix)
    if rcond < WELL_CONDITIONED or system.noise[live].max(initial=0.0) > TRUSTED * np.sqrt(rcond):
        return None
    coef = np.zeros_like(system.cross)
    coef[live] = linalg.cho_solve((upper, False), system.cross[live] / scale[:, None]) / scale[:, None]
    error = squared_error(system, coef)
    if alpha == 0.0 and np.any(error < 1e-10 * system.squares[len(system.gram) :]):
        return None  # nearly all of yᵀy cancels, and with it the digits of what is left
    factor = np.zeros_like(system.gram)
    factor[: len(live), live] = np.triu(upper) * scale
    rank = len(live) if alpha == 0.0 else len(coef)
    return LeastSquaresSolution(coef, error, rank, EPS / rcond, factor, "cholesky")


def cholesky(matrix: Floats) -> tuple[Floats, float]:
    """The upper factor, and an estimate of the reciprocal condition number: 0 where there is no factor."""
    if not len(matrix):
        return matrix, 1.0
    upper, failed = linalg.lapack.dpotrf(matrix, lower=0)
    norm = float(np.abs(matrix).sum(axis=0).max())
    return upper, 0.0 if failed else float(linalg.lapack.dpocon(upper, norm)[0])


def solve_triangle(system: NormalEquations, triangle: Triangle, alpha: float = 0.0) -> LeastSquaresSolution:
    """Solve from R of the columns over their lengths."""
    d = len(system.gram)
    return solve_factor(system, triangle.r[:, :d], triangle.r[:, d:] * system.lengths[d:], alpha)


def solve_sums(system: NormalEquations, alpha: float = 0.0) -> LeastSquaresSolution:
    """Solve from sums that Cholesky refused, with no rows to go back to: half of the digits are gone."""
    scale = system.lengths[: len(system.gram)]
    values, vectors = np.linalg.eigh(system.gram / scale / scale[:, None])
    root = np.sqrt(np.maximum(values, 0.0))[:, None]
    cross = vectors.T @ (system.cross / scale[:, None])
    g = np.divide(cross, root, out=np.zeros_like(cross), where=root > 0.0)
    solution = solve_factor(system, root * vectors.T, g, alpha, squared=True)
    return replace(solution, error=squared_error(system, solution.coef), solver="sums")


def solve_factor(
    columns: CentredColumns, f: Floats, g: Floats, alpha: float = 0.0, *, squared: bool = False
) -> LeastSquaresSolution:
    """Minimise ‖f (length · w) − g‖² + α‖w‖² for f with columns of length 1; `squared`: f was made from sums.

    Rounding blurs a direction v by b, b² = Σ (vⱼ noiseⱼ)². The direction counts if its singular value is more
    than NOISE times as large.
    """
    live = np.flatnonzero(columns.varies)
    scale, bare = columns.lengths[live], f[:, live]
    matrix, aim = bare, g
    if alpha > 0.0:  # a penalty amounts to more rows, each of which asks one coefficient to be zero
        matrix = np.vstack([bare, np.diag(np.sqrt(alpha) / scale)])
        aim = np.vstack([g, np.zeros((len(live), g.shape[1]))])
    u, s, vt = linalg.svd(matrix, full_matrices=False)
    sharp = blurs(vt, s, columns.grain[live], squared) * NOISE < 1.0
    along = (u.T @ aim)[sharp] / s[sharp, None]
    full = sharp.sum() == len(live)
    short = vt[sharp].T @ along / scale[:, None] if full else least_norm(vt[sharp], scale, along)
    misfit = np.linalg.norm(aim - matrix @ (scale[:, None] * short), axis=0)
    coef = np.zeros((f.shape[1], g.shape[1]))
    coef[live] = short
    return LeastSquaresSolution(
        coef,
        ((g - bare @ (scale[:, None] * short)) ** 2).sum(axis=0),
        int(sharp.sum()) if alpha == 0.0 else len(coef),
        doubt(blurs(vt, s, columns.noise[live], squared)[sharp], s[sharp], along, misfit),
        f * columns.lengths[: f.shape[1]] * columns.varies,
        "qr" if full else "svd",
    )


def blurs(vt: Floats, s: Floats, noise: Floats, squared: bool) -> Floats:
    """Rounding along each direction, over its singular value; of sums it is that of the squares."""
    with np.errstate(divide="ignore", invalid="ignore"):
        blur = np.sqrt(vt**2 @ noise**2) / s + (SUMS_NOISE / s**2 if squared else 0.0)
    return np.where(s > 0.0, blur, np.inf)


def doubt(blur: Floats, s: Floats, along: Floats, misfit: Floats) -> float:
    """Relative error of coefficients: the blur, and more by the residual's angle over s (Wedin's bound)."""
    size = np.linalg.norm(along, axis=0)
    angle = np.divide(misfit, size, out=np.zeros_like(size), where=size > 0.0)
    return BOUND_MET * float((blur[:, None] * (1.0 + angle / s[:, None])).max(initial=0.0))


def least_norm(directions: Floats, scale: Floats, along: Floats) -> Floats:
    """The shortest w with directions · (scale w) = along, for orthonormal directions (r, d)."""
    q, r = np.linalg.qr(scale[:, None] * directions.T)
    w = q @ linalg.solve_triangular(r, along, trans="T")
    # Where units lie far apart this loses digits of the fit; what is missing is put back.
    return w + directions.T @ (along - directions @ (scale[:, None] * w)) / scale[:, None]


def solve_rows(columns: CentredColumns, z: Floats, alpha: float = 0.0) -> LeastSquaresSolution:
    """Solve from rows of which there are fewer than columns."""
    d = len(columns.noise)
    x, y = z[:, :d], z[:, d:]
    if alpha == 0.0:
        return solve_factor(columns, x / columns.lengths[:d], y)
    kernel = x @ x.T
    kernel[np.diag_indices_from(kernel)] += alpha
    upper, rcond = cholesky(kernel)
    if rcond >= WELL_CONDITIONED:
        coef = x.T @ linalg.cho_solve((upper, False), y)
    else:
        u, s, vt = linalg.svd(x, full_matrices=False)
        coef = vt.T @ ((s / (s**2 + alpha))[:, None] * (u.T @ y))
    return LeastSquaresSolution(coef, ((y - x @ coef) ** 2).sum(axis=0), d, 0.0, x, "dual")


def squared_error(system: NormalEquations, coef: Floats) -> Floats:
    """Σ w (y − ŷ)² from the sums, yᵀy − wᵀ(2Xᵀy − XᵀXw), which rounding must not make negative."""
    explained = (coef * (2.0 * system.cross - system.gram @ coef)).sum(axis=0)
    return np.maximum(system.squares[len(system.gram) :] - explained, 0.0)
