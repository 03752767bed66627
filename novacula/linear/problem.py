"""A table as a least squares problem: as sums, or as rows where there are fewer of them than columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import linalg

from novacula.errors import ParameterError
from novacula.linear.quadratic import solve_quadratic
from novacula.linear.rows import is_flat, require_squares, stored_precision
from novacula.linear.solve import (
    WELL_CONDITIONED,
    CentredColumns,
    LeastSquaresSolution,
    NormalEquations,
    centred_rows,
    solve_cholesky,
    solve_rows,
    solve_sums,
    solve_triangle,
    squared_error,
)
from novacula.linear.spectrum import LeaveOneOutSums, RidgeSpectrum
from novacula.statistics import CoMoments, Triangle
from novacula.table import Table
from novacula.table.chunk import Floats


class ObservedColumns(Protocol):
    """What is known of the data, however they came."""

    @property
    def flat(self) -> bool:
        """Whether the target is one column given as such, so that predictions are (n,) rather than (n, 1)."""

    @property
    def moments(self) -> CoMoments | None:
        """The sums to which later rows can be added, None where there are none."""

    @property
    def columns(self) -> CentredColumns:
        """Centre and size of the columns."""


class LeastSquaresProblem(ObservedColumns, Protocol):
    """What a learner may ask to be solved."""

    @property
    def table(self) -> Table | None:
        """The rows, None where they are gone."""

    def solve(self, alpha: float = 0.0) -> LeastSquaresSolution:
        """The coefficients for one penalty."""

    def spectrum(self, alpha: float) -> RidgeSpectrum:
        """The decomposition that serves every penalty from alpha upwards."""

    def factor(self) -> tuple[Floats, Floats]:
        """F (m, d) and g (m, k) with FᵀF = XᵀX and Fᵀg = Xᵀy."""

    def equations(self) -> tuple[Floats, Floats]:
        """XᵀX (d, d) and Xᵀy (d, k)."""

    def error(self, coef: Floats) -> Floats:
        """Σ w (y − ŷ)² of coefficients (d, k), for each target (k,)."""


@dataclass(frozen=True)
class SumsProblem:
    """Sums, and the table to go back to where they are not enough."""

    moments: CoMoments
    system: NormalEquations
    table: Table | None
    flat: bool

    @property
    def columns(self) -> NormalEquations:
        """Centre and size of the columns, and their products."""
        return self.system

    @cached_property
    def triangle(self) -> Triangle | None:
        """R of the columns over their lengths, by a second pass."""
        if self.table is None:
            return None
        return self.table.reduce(Triangle.observe, self.system.centre, self.system.lengths)

    def solve(self, alpha: float = 0.0) -> LeastSquaresSolution:
        """By Cholesky, or else by singular values."""
        solution = solve_cholesky(self.system, alpha)
        if solution is not None:
            return solution
        if self.triangle is None:
            return solve_sums(self.system, alpha)
        return solve_triangle(self.system, self.triangle, alpha)

    def spectrum(self, alpha: float) -> RidgeSpectrum:
        """From the sums, or from R where that would cost digits."""
        spectrum = RidgeSpectrum.of_gram(self.system.gram, self.system.cross)
        ratio = (spectrum.values.min() + alpha) / max(spectrum.values.max() + alpha, np.finfo(float).tiny)
        if ratio >= WELL_CONDITIONED or self.triangle is None:
            return spectrum
        return RidgeSpectrum.of_factor(*self.bare_factor(self.triangle))

    def bare_factor(self, triangle: Triangle) -> tuple[Floats, Floats]:
        """R of the columns as they are, without those that do not vary."""
        r, d = triangle.r * self.system.lengths, len(self.system.gram)
        return r[:, :d] * self.system.varies, r[:, d:]

    def factor(self) -> tuple[Floats, Floats]:
        """From Cholesky, or from R where that would cost digits."""
        solution = solve_cholesky(self.system)
        if solution is None and self.triangle is not None:
            return self.bare_factor(self.triangle)
        f = (solution or solve_sums(self.system)).factor
        g: Floats = linalg.lstsq(f.T, self.system.cross)[0]
        return f, g

    def equations(self) -> tuple[Floats, Floats]:
        """The sums as they are."""
        live = self.system.varies
        return self.system.gram * live * live[:, None], self.system.cross * live[:, None]

    def error(self, coef: Floats) -> Floats:
        """From the sums."""
        return squared_error(self.system, coef)


@dataclass(frozen=True)
class RowsProblem:
    """Rows about their centre, times √weight (n, d + k)."""

    columns: CentredColumns
    rows: Floats
    table: Table
    flat: bool

    @property
    def moments(self) -> None:
        """There are none: they would take more memory than the rows."""

    def solve(self, alpha: float = 0.0) -> LeastSquaresSolution:
        """In the space of the rows."""
        return solve_rows(self.columns, self.rows, alpha)

    def spectrum(self, alpha: float) -> RidgeSpectrum:
        """From the rows."""
        return RidgeSpectrum.of_factor(*self.factor())

    def factor(self) -> tuple[Floats, Floats]:
        """The rows themselves."""
        d = len(self.columns.noise)
        return self.rows[:, :d], self.rows[:, d:]

    def equations(self) -> tuple[Floats, Floats]:
        """From the rows: more memory than these take."""
        x, y = self.factor()
        x = x * self.columns.varies
        return x.T @ x, x.T @ y

    def error(self, coef: Floats) -> Floats:
        """From the rows."""
        x, y = self.factor()
        return ((y - x @ coef) ** 2).sum(axis=0)


def observe_moments(table: Table) -> CoMoments:
    """The cross-products of columns and targets, by one pass."""
    moments = table.reduce(CoMoments.observe)
    require_squares(table, moments.scatter)
    return moments


def observe_problem(table: Table, intercept: bool) -> LeastSquaresProblem:
    """One pass for sums, or all rows at once where they are fewer than columns."""
    precision, flat = stored_precision(table), is_flat(table)
    if len(table) >= len(precision):
        moments = observe_moments(table)
        return SumsProblem(moments, NormalEquations.of(moments, precision, intercept), table, flat)
    columns, rows = centred_rows(table.to_chunk(), precision, intercept)
    require_squares(table, columns.squares)
    return RowsProblem(columns, rows, table, flat)


def spectrum_of(problem: LeastSquaresProblem, alpha: float, factor: Floats) -> RidgeSpectrum:
    """The decomposition for columns that pay `factor` (d,) of every penalty from alpha upwards."""
    if (factor == 1.0).all():
        return problem.spectrum(alpha)
    return RidgeSpectrum.of_prices(*problem.factor(), factor)


def solve_prices(problem: LeastSquaresProblem, alpha: float, factor: Floats) -> LeastSquaresSolution:
    """Ridge for columns that pay `factor` (d,) of the penalty."""
    if alpha == 0.0 or (factor == 1.0).all():
        return problem.solve(alpha)
    spectrum = spectrum_of(problem, alpha, factor)
    coef = spectrum.coefficients(np.array([alpha]))[0]
    lost = int((factor == 0.0).sum() - (spectrum.share == 0.0).sum())  # free columns that depend on each other
    return LeastSquaresSolution(coef, problem.error(coef), len(coef) - lost, 0.0, problem.factor()[0], "spectrum")


def solve_positive(problem: LeastSquaresProblem, alpha: float, factor: Floats) -> LeastSquaresSolution:
    """Ridge over weights that are not negative: each is zero with a gradient that holds it there, or has none."""
    gram, cross = problem.equations()
    hessian, nothing = gram + alpha * np.diag(factor), np.zeros(len(gram))
    coef = np.column_stack([solve_quadratic(hessian, c, nothing, True, nothing) for c in cross.T])
    pull = cross - hessian @ coef
    violation = np.where(coef > 0.0, np.abs(pull), np.maximum(pull, 0.0))
    scale = np.sqrt(np.where(np.diagonal(hessian) > 0.0, np.diagonal(hessian), 1.0))[:, None]
    size = np.abs(cross / scale).max(initial=0.0)
    doubt = float((violation / scale).max(initial=0.0) / size) if size > 0.0 else 0.0
    return LeastSquaresSolution(coef, problem.error(coef), len(coef), doubt, problem.factor()[0], "coordinate")


def leave_one_out(
    problem: LeastSquaresProblem, spectrum: RidgeSpectrum, alphas: Floats, intercept: bool
) -> tuple[Floats, Floats]:
    """Mean squared error of rows that are left out and its standard error, by α and target (m, k), from one pass."""
    if problem.table is None:
        raise ParameterError("to leave rows out, all of them are needed: use fit rather than partial_fit")
    share = 1.0 / problem.columns.weight if intercept else 0.0
    inverses = spectrum.inverses(alphas)
    centre, vectors, cross = problem.columns.centre, spectrum.vectors, spectrum.cross
    left_out = problem.table.reduce(LeaveOneOutSums.observe, centre, vectors, inverses, cross, share)
    return left_out.error, left_out.std_error
