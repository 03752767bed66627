"""The output layer of a radial basis network: the weights that make its error smallest, in closed form.

    minimise Σ (y − b − Σ wₖφₖ(x))² + α Σ wₖ²        for each output, the bias b free of charge

That is ridge regression on the answers φ of the units, so sums over rows are all it takes, and a triangular factor
of φ where these would lose digits.

With a centre on every row and α = 0 the network passes through the targets. Then bias and weights are one number more
than equations, and the side condition of interpolation decides (as in SciPy's RBFInterpolator with degree 0):

    b + Σ wₖφₖ(μᵢ) = yᵢ        Σ wₖ = 0

Among weights that sum to 0 the matrix of most bases is definite, so that Cholesky solves them; else LU does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Self

import numpy as np
from scipy import linalg

from novacula.errors import DataError, ParameterError
from novacula.learner.trace import FewRows
from novacula.linear.solve import EPS, NormalEquations, solve_cholesky, solve_triangle
from novacula.neural.rbf.basis import FUNCTIONS, RadialBasis
from novacula.statistics import CoMoments, Statistic, Triangle
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

ON_CENTRE = 1e-9
"""How far a row may be from its centre, in widths: k-means rounds, and no answer distinguishes so little."""


@dataclass(frozen=True, eq=False)
class OutputLayer:
    """Weights and bias of k outputs, the means they pass through, and how they were found."""

    coef: Floats  # (K, k)
    feature_mean: Floats  # (K,), mean answer of each unit
    target_mean: Floats  # (k,)
    rank: int
    solver: str  # interpolation, cholesky, qr or svd
    system: Floats | None = None  # (K, K + k), the equations of the weights and their right sides, where they are few

    @property
    def intercept(self) -> Floats:
        """b = ȳ − Σ wₖφ̄ₖ: the sum of all residuals is zero (k,)."""
        return np.asarray(self.target_mean - self.feature_mean @ self.coef)


def solve_outputs(table: Table, basis: RadialBasis, n_classes: int, alpha: float) -> OutputLayer:
    """The output layer for a basis: by interpolation where there is a centre on every row, else by least squares.

    Targets are numbers or, with `n_classes` above 0, the indicators of classes.
    """
    if alpha == 0.0:
        if len(table) < len(basis):
            raise ParameterError(
                f"there are {len(basis)} centres for {len(table)} rows, so that many weights fit them equally well: "
                "give fewer centres, or alpha above 0"
            )
        occupancy = table.reduce(Occupancy.observe, basis, n_classes)
        layer = interpolate(basis, occupancy) if occupancy.everywhere else None
        if layer is not None:
            return layer
    return solve_least_squares(table, basis, n_classes, alpha)


def solve_least_squares(table: Table, basis: RadialBasis, n_classes: int, alpha: float) -> OutputLayer:
    """Ridge regression on the answers of the units, from their sums or, where these lose digits, from R."""
    moments = table.reduce(observe_moments, basis, n_classes)
    if not np.isfinite(moments.scatter).all():
        raise DataError(
            f"{table.source.name} holds numbers for which the radial functions overflow: scale the columns, "
            "or widen the units"
        )
    K = len(basis)
    system = NormalEquations.of(moments, np.full(K, EPS), centred=True)
    solution = solve_cholesky(system, alpha)
    if solution is None:
        triangle = table.reduce(observe_triangle, basis, n_classes, system.centre, system.lengths)
        solution = solve_triangle(system, triangle, alpha)
    few = FewRows.are_few(K, len(moments.mean))
    written = np.hstack([system.gram + alpha * np.eye(K), system.cross]) if few else None
    return OutputLayer(solution.coef, moments.mean[:K], moments.mean[K:], solution.rank, solution.solver, written)


def observe_moments(chunk: Chunk, basis: RadialBasis, n_classes: int) -> CoMoments:
    """The joint moments of answers and targets."""
    return reduce(add, (CoMoments.observe(answered(piece, basis, n_classes)) for piece in basis.blocks(chunk)))


def observe_triangle(chunk: Chunk, basis: RadialBasis, n_classes: int, centre: Floats, scale: Floats) -> Triangle:
    """The triangular factor of answers and targets."""
    pieces = (answered(piece, basis, n_classes) for piece in basis.blocks(chunk))
    return reduce(add, (Triangle.observe(piece, centre, scale) for piece in pieces))


def answered(chunk: Chunk, basis: RadialBasis, n_classes: int) -> Chunk:
    """The same rows with the answers of the units in place of their columns, those without weight left out."""
    chunk = chunk.counted()
    return Chunk(basis.answers(chunk.numeric), chunk.codes, chunk.weight, target=targets_of(chunk, n_classes))


def targets_of(chunk: Chunk, n_classes: int) -> Floats:
    """What the outputs should be (n, k): the targets, or 1 for the class of a row and 0 for the others."""
    if n_classes:
        return np.eye(n_classes)[chunk.target]
    target = np.asarray(chunk.target, np.float64)
    return target[:, None] if target.ndim == 1 else target


# --- interpolation --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy(Statistic):
    """Weight and summed targets of the rows on each centre: 1 + K + Kk numbers; only `strays`, if a row is on none."""

    strays: bool
    weight: Floats  # (K,)
    total: Floats  # (K, k)

    @classmethod
    def zero(cls, n_centers: int, n_targets: int) -> Self:
        """No rows."""
        return cls(False, np.zeros(n_centers), np.zeros((n_centers, n_targets)))

    @classmethod
    def observe(cls, chunk: Chunk, basis: RadialBasis, n_classes: int) -> Self:
        """Look for the centre under each row, up to the first piece of the chunk with a row that has none."""
        chunk = chunk.counted()
        weight, total = np.zeros(len(basis)), np.zeros((len(basis), targets_of(chunk, n_classes).shape[1]))
        for piece in basis.blocks(chunk):
            squares = basis.squares(piece.numeric)
            on = squares.argmin(axis=1)
            if not (squares[np.arange(len(piece)), on] <= ON_CENTRE**2).all():
                return cls(True, np.zeros_like(weight), np.zeros_like(total))
            np.add.at(weight, on, piece.weight)
            np.add.at(total, on, piece.weight[:, None] * targets_of(piece, n_classes))
        return cls(False, weight, total)

    def __add__(self, other: Self) -> Self:
        if self.strays or other.strays:
            return type(self)(True, np.zeros_like(self.weight), np.zeros_like(self.total))
        return type(self)(False, self.weight + other.weight, self.total + other.total)

    @property
    def everywhere(self) -> bool:
        """Whether every row is on a centre, and every centre under a row."""
        return not self.strays and bool((self.weight > 0.0).all())


def interpolate(basis: RadialBasis, occupancy: Occupancy) -> OutputLayer | None:
    """Pass through the mean target on each centre; None where the equations have no digits to give."""
    answers, target = basis.answers(basis.centers), occupancy.total / occupancy.weight[:, None]
    sign = FUNCTIONS[basis.function].sign if (basis.widths == basis.widths[0]).all() else 0.0
    coef = solve_definite(answers, target, sign) if sign else None
    if coef is None:
        coef = solve_bordered(answers, target)
    if coef is None:
        return None
    share = occupancy.weight / occupancy.weight.sum()
    written = np.hstack([answers, target]) if FewRows.are_few(len(basis), len(basis) + target.shape[1]) else None
    return OutputLayer(coef, share @ answers, share @ target, len(basis), "interpolation", written)


def solve_definite(answers: Floats, target: Floats, sign: float) -> Floats | None:
    """The weights (K, k) by Cholesky, half the work of LU; None where they have no digits that way.

    The reflection Q = I − βvvᵀ takes (1, …, 1) to the last axis. So w = Qz sums to 0 if the last entry of z is 0, and
    QAQ = A − vuᵀ − uvᵀ without its last row and column is definite, with this sign.
    """
    K = len(answers)
    if K == 1 or not np.isfinite(answers).all():
        return None
    v = np.ones(K)
    v[-1] += np.sqrt(K)
    beta = 1.0 / (K + np.sqrt(K))
    u = beta * (answers @ v)
    u -= 0.5 * beta * (u @ v) * v
    matrix = (sign * answers[:-1, :-1]).T  # symmetric, and so in the order of LAPACK
    matrix = linalg.blas.dsyr2(-sign, v[:-1], u[:-1], a=matrix, lower=1, overwrite_a=1)
    factor, fault = linalg.lapack.dpotrf(matrix, lower=1, clean=0, overwrite_a=1)
    if fault or linalg.lapack.dpocon(factor, linalg.lapack.dlange("1", answers.T), uplo="L")[0] < EPS:
        return None
    reflected = sign * (target - np.outer(v, beta * (v @ target)))
    z = linalg.cho_solve((factor, True), reflected[:-1], check_finite=False)
    return np.asarray(np.vstack([z, np.zeros_like(z[:1])]) - np.outer(v, beta * z.sum(axis=0)))


def solve_bordered(answers: Floats, target: Floats) -> Floats | None:
    """The weights (K, k) by LU, with the side condition as a last row and column; None where they have no digits."""
    K, k = target.shape
    matrix = np.ones((K + 1, K + 1), order="F")
    matrix[:K, :K], matrix[K, K] = answers, 0.0
    norm = linalg.lapack.dlange("1", matrix)
    factor, pivots, singular = linalg.lapack.dgetrf(matrix, overwrite_a=True)
    if singular or linalg.lapack.dgecon(factor, norm)[0] < EPS:
        return None
    return np.asarray(linalg.lapack.dgetrs(factor, pivots, np.vstack([target, np.zeros((1, k))]))[0][:K])
