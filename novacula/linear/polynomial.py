"""Polynomials of one column by least squares: the powers of x are the columns of a linear model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.arguments import as_numbers
from novacula.errors import DataError, ParameterError
from novacula.learner.figure import Figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Step, Work
from novacula.linear.derivation import derive_least_squares
from novacula.linear.least_squares import LinearRegression
from novacula.linear.line_figure import line_figure
from novacula.mathematics.symbols import SUPERSCRIPTS
from novacula.table.chunk import Floats

MOST = 30
"""The largest degree."""


@dataclass(frozen=True, eq=False)
class PolynomialFit(ShowsWork):
    """ŷ = b + w₁x + w₂x² + …, with the least Σ (y − ŷ)²; `model` is the linear model of the powers."""

    x: Floats  # (n,)
    y: Floats  # (n,)
    model: LinearRegression

    @property
    def degree(self) -> int:
        """The largest power."""
        return len(self.coef_)

    @property
    def coef_(self) -> Floats:
        """w₁, w₂, … (degree,)."""
        return np.asarray(self.model.coef_)

    @property
    def intercept_(self) -> float:
        """b, the value at 0."""
        return float(self.model.intercept_)

    @property
    def sigma_(self) -> float:
        """The standard deviation of the errors by maximum likelihood."""
        return float(self.model.sigma_)

    @property
    def r2_(self) -> float:
        """The share of the spread that is explained."""
        return float(self.model.r2_)

    def predict(self, x: Any) -> Floats:
        """The polynomial at places (m,)."""
        return np.asarray(self.model.predict(_powers(_numbers(x, "x"), self.degree)))

    def figure(self) -> Figure:
        """The data, and the polynomial through them."""
        return polynomial_figure(self.x, self.y, (self.degree,))

    def _derive(self, options: WorkOptions) -> Work:
        work = derive_least_squares(self.model, options)
        note = "Column ⟦j⟧ holds ⟦x**j⟧, so that ⟦ŷ⟧ is a polynomial of ⟦x⟧ and linear in what is sought."
        steps = (work[0], Step("The columns are powers", note=note), *work[1:], Step("The line", figure=self.figure()))
        return replace(work, title=f"A polynomial of degree {self.degree}", steps=steps)


def fit_polynomial(x: Any, y: Any, degree: int) -> PolynomialFit:
    """Fit a polynomial of a degree to points.

    >>> fit = fit_polynomial([0, 1, 2, 3], [1, 2, 5, 10], degree=2)
    >>> round(fit.intercept_, 6) + 0.0, fit.coef_.round(6).tolist()
    (1.0, [0.0, 1.0])
    """
    places, target = _numbers(x, "x"), _numbers(y, "y")
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or not 1 <= degree <= MOST:
        raise ParameterError(f"degree is {degree!r}; it must be a whole number from 1 to {MOST}")
    if len(places) != len(target):
        raise DataError(f"x has {len(places)} numbers and y {len(target)}: give one target for each")
    if len(np.unique(places)) <= degree:
        raise DataError(
            f"x has {len(np.unique(places))} different numbers, and a polynomial of degree {degree} needs "
            f"{degree + 1}: give more, or a smaller degree"
        )
    return PolynomialFit(places, target, LinearRegression().fit(_powers(places, int(degree)), target))


def polynomial_figure(x: Any, y: Any, degrees: Sequence[int] = (1, 3, 9)) -> Figure:
    """The data, and the polynomials of these degrees through them."""
    if not len(degrees):
        raise ParameterError("degrees are none: name at least one")
    fits = [fit_polynomial(x, y, degree) for degree in degrees]
    lines = {f"degree {fit.degree}": fit.predict for fit in fits}
    title = f"Polynomial{'s' * (len(fits) > 1)} of degree {', '.join(str(fit.degree) for fit in fits)}"
    return line_figure(_numbers(x, "x"), _numbers(y, "y"), lines, "x", "y", title)


def _powers(x: Floats, degree: int) -> pa.Table:
    """The columns x, x², … of places (n,)."""
    return pa.table({f"x{raised(j)}": x ** float(j) for j in range(1, degree + 1)})


def raised(j: int) -> str:
    """A number as an exponent; 1 is not written."""
    return "" if j == 1 else "".join(SUPERSCRIPTS[digit] for digit in str(j))


def _numbers(values: Any, name: str) -> Floats:
    array = as_numbers(values, name, DataError)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise DataError(f"{name} of shape {array.shape} is not a row of finite numbers")
    return array
