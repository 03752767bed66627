"""A table as a least squares problem: as sums, or as rows where there are fewer of them than columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from novacula.errors import ParameterError
from novacula.linear.solve import (
    WELL_CONDITIONED,
    Columns,
    Solution,
    System,
    solve_cholesky,
    solve_rows,
    solve_sums,
    solve_triangle,
)
from novacula.linear.spectrum import LeaveOneOut, Spectrum
from novacula.statistics import CoMoments, Triangle
from novacula.table import Table
from novacula.table.chunk import Floats


class Problem(Protocol):
    """What a learner may ask, however the data came."""

    @property
    def flat(self) -> bool:
        """Whether the target is one column given as such, so that predictions are (n,) rather than (n, 1)."""

    @property
    def table(self) -> Table | None:
        """The rows, None where they are gone."""

    @property
    def moments(self) -> CoMoments | None:
        """The sums to which later rows can be added, None where there are none."""

    @property
    def columns(self) -> Columns:
        """Centre and size of the columns."""

    def solve(self, alpha: float = 0.0) -> Solution:
        """The coefficients for one penalty."""

    def spectrum(self, alpha: float) -> Spectrum:
        """The decomposition that serves every penalty from alpha upwards."""


@dataclass(frozen=True)
class SumsProblem:
    """Sums, and the table to go back to where they are not enough."""

    moments: CoMoments
    system: System
    table: Table | None
    flat: bool

    @property
    def columns(self) -> System:
        """Centre and size of the columns, and their products."""
        return self.system

    @cached_property
    def triangle(self) -> Triangle | None:
        """R of the columns over their lengths, by a second pass."""
        if self.table is None:
            return None
        return self.table.reduce(Triangle.observe, self.system.centre, self.system.lengths)

    def solve(self, alpha: float = 0.0) -> Solution:
        """By Cholesky, or else by singular values."""
        solution = solve_cholesky(self.system, alpha)
        if solution is not None:
            return solution
        if self.triangle is None:
            return solve_sums(self.system, alpha)
        return solve_triangle(self.system, self.triangle, alpha)

    def spectrum(self, alpha: float) -> Spectrum:
        """From the sums, or from R where that would cost digits."""
        spectrum = Spectrum.of_gram(self.system.gram, self.system.cross)
        ratio = (spectrum.values.min() + alpha) / max(spectrum.values.max() + alpha, np.finfo(float).tiny)
        if ratio >= WELL_CONDITIONED or self.triangle is None:
            return spectrum
        r, d = self.triangle.r * self.system.lengths, len(self.system.gram)
        return Spectrum.of_factor(r[:, :d] * self.system.varies, r[:, d:])


@dataclass(frozen=True)
class RowsProblem:
    """Rows about their centre, times √weight (n, d + k)."""

    columns: Columns
    rows: Floats
    table: Table
    flat: bool

    @property
    def moments(self) -> None:
        """There are none: they would take more memory than the rows."""

    def solve(self, alpha: float = 0.0) -> Solution:
        """In the space of the rows."""
        return solve_rows(self.columns, self.rows, alpha)

    def spectrum(self, alpha: float) -> Spectrum:
        """From the rows."""
        d = len(self.columns.noise)
        return Spectrum.of_factor(self.rows[:, :d], self.rows[:, d:])


def leave_one_out(problem: Problem, spectrum: Spectrum, alphas: Floats, intercept: bool) -> Floats:
    """Mean squared error of rows that are left out, by α and target (m, k), from one pass over the rows."""
    if problem.table is None:
        raise ParameterError("to leave rows out, all of them are needed: use fit rather than partial_fit")
    share = 1.0 / problem.columns.weight if intercept else 0.0
    inverses = spectrum.inverses(alphas)
    centre, vectors, cross = problem.columns.centre, spectrum.vectors, spectrum.cross
    return problem.table.reduce(LeaveOneOut.observe, centre, vectors, inverses, cross, share).error
