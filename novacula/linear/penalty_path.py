"""Paths of penalties: which of them to take, given the error of each on rows that were left out, and their picture.

"best" is that of the least error. "one_standard_error" is the largest penalty whose error is within one standard error
of the least: by the errors it is no worse than the best, and its model is the simplest of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.learner.figure import Figure, curve_figure
from novacula.table.chunk import Floats

Choice: TypeAlias = Literal["best", "one_standard_error"]

CURVES = 7
"""Curves of a figure."""


@dataclass(frozen=True, eq=False)
class PenaltyPath:
    """A linear model for m penalties; arrays have an axis k after the first if y had columns."""

    alphas: Floats  # (m,)
    coef: Floats  # (m, d) or (m, k, d)
    intercept: Floats  # (m,) or (m, k)
    names: list[str]  # d

    def errors(self) -> tuple[Floats, Floats]:
        """Mean squared errors of rows that were left out, and their standard errors: (m,) or (m, k)."""
        raise NotImplementedError(f"{type(self).__name__} must say what its errors are")

    def choose(self, choice: str = "best", target: int = 0) -> int:
        """The place of the α with the least error, or with choice "one_standard_error" of the largest as good."""
        error, std_error = (e if e.ndim == 1 else e[:, target] for e in self.errors())
        return choose_penalty(self.alphas, error, std_error, choice)

    def figure(self, target: int = 0) -> Figure:
        """The coefficients of a target over log α, those that are largest somewhere."""
        return coefficient_figure(self.alphas, self.coef if self.coef.ndim == 2 else self.coef[:, target], self.names)


def choose_penalty(alphas: Floats, error: Floats, std_error: Floats, choice: str) -> int:
    """The place of the penalty in the grid (m,).

    >>> alphas, error = np.array([0.1, 1.0, 10.0]), np.array([5.0, 5.2, 9.0])
    >>> [choose_penalty(alphas, error, np.full(3, 0.4), how) for how in ("best", "one_standard_error")]
    [0, 1]
    """
    if choice not in get_args(Choice):
        raise ParameterError(f"choice is {choice!r}; it must be 'best' or 'one_standard_error'")
    if not np.isfinite(error).any():
        raise DataError("no penalty has an error that is finite: give more rows")
    best = int(np.nanargmin(error))
    if choice == "best":
        return best
    within = np.flatnonzero(error <= error[best] + std_error[best])
    return int(within[np.argmax(alphas[within])]) if len(within) else best


def coefficient_figure(alphas: Floats, coef: Floats, names: Sequence[str]) -> Figure:
    """The coefficients (m, d) over log α, those that are largest somewhere."""
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")[:CURVES]
    cut = f", the largest {CURVES} of {len(names)}" if len(names) > CURVES else ""
    places = np.argsort(alphas)
    places = places[alphas[places] > 0.0]  # zero has no logarithm
    return curve_figure(
        np.log10(alphas[places]),
        {names[j]: coef[places, j] for j in order},
        title=f"Coefficients as the penalty grows{cut}",
        xlabel="log₁₀ α",
        ylabel="coefficient",
    )
