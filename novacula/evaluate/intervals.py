"""How far a measured error may be from the true one: intervals of a proportion and of a mean.

Wilson              (p̂ + z²/2n ± z·√(p̂(1 − p̂)/n + z²/4n²)) / (1 + z²/n)
Clopper–Pearson     the p for which this few, or this many, errors have a probability of α/2
Student             x̄ ± t·s/√n
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import as_numbers, proportion
from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.intervals import (
    derive_clopper_pearson,
    derive_student,
    derive_whole_line,
    derive_wilson,
)
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.words import quoted

ProportionMethod: TypeAlias = Literal["wilson", "clopper_pearson"]


class Ends(NamedTuple):
    """Two ends."""

    low: float
    high: float


class Interval(ShowsWork, Ends):
    """From low to high: a pair that says how it was found."""

    derive: Callable[[], Work] | None

    def __new__(cls, low: float, high: float, derive: Callable[[], Work] | None = None) -> Self:
        """The two ends, and a function that derives them."""
        interval = super().__new__(cls, low, high)
        interval.derive = derive
        return interval

    def _derive(self, options: WorkOptions) -> Work:
        if self.derive is None:
            raise ParameterError("this interval is part of another result: the work of that derives it")
        return self.derive()


def proportion_interval(errors: float, n: float, level: float = 0.95, method: ProportionMethod = "wilson") -> Interval:
    """Give an interval of the error rate of a predictor with `errors` mistakes in n rows.

    Wilson's has its coverage on average, Clopper and Pearson's at least that for every error rate. Weights may make
    both numbers fractions.

    >>> low, high = proportion_interval(12, 40)
    >>> print(f"{low:.4f} to {high:.4f}")
    0.1807 to 0.4543
    >>> print("{:.4f} to {:.4f}".format(*proportion_interval(0, 40, method="clopper_pearson")))
    0.0000 to 0.0881
    """
    are_numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in (errors, n))
    if not are_numbers or not 0 < n < math.inf or not 0 <= errors <= n:
        raise ParameterError(
            f"{quoted(errors)} errors in {quoted(n)} rows are not a proportion: give 0 ≤ errors ≤ n, n > 0"
        )
    alpha = 1.0 - float(proportion(level, "level"))
    if method == "wilson":
        return _wilson(float(errors), float(n), alpha)
    if method == "clopper_pearson":
        return _clopper_pearson(float(errors), float(n), alpha)
    raise ParameterError(f"method is {quoted(method)}; it must be 'wilson' or 'clopper_pearson'")


def _wilson(errors: float, n: float, alpha: float) -> Interval:
    from scipy.special import ndtri

    z, p = float(ndtri(1.0 - alpha / 2)), errors / n
    centre, scale = p + z**2 / (2 * n), 1.0 + z**2 / n
    half = z * math.sqrt(p * (1.0 - p) / n + (z / (2 * n)) ** 2)
    # Rounding must not put an end beyond a proportion that it meets exactly.
    low = 0.0 if errors == 0 else (centre - half) / scale
    high = 1.0 if errors == n else (centre + half) / scale
    return Interval(low, high, partial(derive_wilson, errors=errors, n=n, z=z))


def _clopper_pearson(errors: float, n: float, alpha: float) -> Interval:
    from scipy.special import betaincinv

    low = 0.0 if errors == 0 else float(betaincinv(errors, n - errors + 1, alpha / 2))
    high = 1.0 if errors == n else float(betaincinv(errors + 1, n - errors, 1.0 - alpha / 2))
    return Interval(low, high, partial(derive_clopper_pearson, low, high, errors=errors, n=n, alpha=alpha))


def mean_interval(values: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Give Student's interval of the mean of independent numbers, such as the losses of test rows.

    One number says nothing about its spread: the interval is the whole line.

    >>> print("{:.3f} to {:.3f}".format(*mean_interval([1.0, 2.0, 4.0])))
    -1.461 to 6.128
    """
    numbers = as_numbers(values, "the values", DataError).ravel()
    if not len(numbers) or not np.isfinite(numbers).all():
        raise DataError("an interval of a mean needs at least one value, and none may be NaN or infinite")
    alpha = 1.0 - float(proportion(level, "level"))
    if len(numbers) == 1:
        return Interval(-math.inf, math.inf, derive_whole_line)
    from scipy.special import stdtrit

    t = float(stdtrit(len(numbers) - 1, 1.0 - alpha / 2))
    half, mean = t * standard_error(numbers), float(numbers.mean())
    return Interval(mean - half, mean + half, partial(derive_student, values=numbers, t=t))


def standard_error(values: npt.NDArray[np.float64]) -> float:
    """The standard error of a mean, s/√n; NaN for one value, and where a value is infinite or NaN."""
    if len(values) < 2 or not np.isfinite(values).all():
        return math.nan
    return float(values.std(ddof=1) / math.sqrt(len(values)))
