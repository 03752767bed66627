"""A table as a lasso to be solved: the sums that its solver asks for, the terms, and folds for cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from novacula.learner.iterate import Outcome, Run, warn_unless_converged
from novacula.linear.lasso.folds import fold_moments, validate_rows, validate_sums
from novacula.linear.lasso.path import LassoPath, LassoTerms, solve_path
from novacula.linear.lasso.sums import GramSums, RowsSums
from novacula.linear.rows import is_flat, require_squares, stored_precision
from novacula.linear.solve import NormalEquations
from novacula.statistics import Bundle, CoMoments
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.table.parallel import tree_sum


class DealtFolds(NamedTuple):
    """How rows are dealt out to folds: into how many, and by which seed."""

    n_folds: int
    seed: int


@dataclass(frozen=True)
class LassoProblem:
    """Sums over the rows, by fold too where there are folds and columns are few."""

    sums: GramSums | RowsSums
    terms: LassoTerms
    intercept: bool
    folds: DealtFolds | None = None
    fold_sums: Bundle | None = None

    @classmethod
    def of(cls, table: Table, terms: LassoTerms, intercept: bool, folds: DealtFolds | None, few: int) -> Self:
        """All products of columns by one pass where these are at most `few`, by fold if there are folds."""
        precision, flat = stored_precision(table), is_flat(table)
        if not len(precision) <= min(few, len(table)):
            sums, first = RowsSums.of(table, precision, intercept, flat)
            require_squares(table, first.squares)
            return cls(sums, terms, intercept, folds)
        fold_sums = None if folds is None else table.reduce(fold_moments, *folds)
        moments: Any = table.reduce(CoMoments.observe) if fold_sums is None else tree_sum(fold_sums.parts)
        require_squares(table, moments.scatter)
        gram = GramSums(moments, NormalEquations.of(moments, precision, intercept), flat, table)
        return cls(gram, terms, intercept, folds, fold_sums)

    def validate(self, alphas: Floats) -> tuple[Floats, Floats]:
        """Mean squared errors of folds that are left out and their standard errors (m, k)."""
        if self.fold_sums is not None:
            return validate_sums(self.fold_sums, alphas, self.terms, self.intercept)
        table: Any = self.sums.table
        folds: Any = self.folds
        return validate_rows(table, alphas, self.terms, self.intercept, *folds)

    def path(self, alphas: Floats, names: Sequence[str], learner: str) -> LassoPath:
        """The coefficients for each α, with the errors of folds that are left out if there are folds."""
        coef, gaps, converged = solve_path(self.sums, self.terms, alphas)
        if not converged:
            run = Run(None, tuple(np.zeros(self.terms.max_iter + 1)), Outcome.MAX_ITER)
            warn_unless_converged(run, f"the path of {learner}")
        errors = (None, None) if self.folds is None else self.validate(alphas)
        centre, d = self.sums.columns.centre, coef.shape[2]
        arrays = (coef, centre[d:] - coef @ centre[:d], gaps, (coef != 0.0).sum(axis=2), *errors)
        coef, intercept, gaps, df, error, std_error = (
            values if values is None or not self.sums.flat else values[:, 0] for values in arrays
        )
        return LassoPath(alphas, coef, intercept, list(names), gaps, df, error, std_error)
