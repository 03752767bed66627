"""The razor: the simplest of the sizes that are as good as the best one, within its standard error.

rule "min"       argminᵢ eᵢ, ties go to the simplest
rule "one_se"    the first i with eᵢ ≤ e_b + s_b, where b is the best and s_b the standard error of its mean
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError, ParameterError
from novacula.words import quoted

Rule: TypeAlias = Literal["min", "one_se"]


def choose(mean: npt.ArrayLike, standard_error: npt.ArrayLike, rule: Rule = "min") -> int:
    """Give the place of the error that the rule prefers; entries go from the simplest on, NaN was not tried.

    A standard error that is not known, as for one fold, counts as 0.

    >>> mean, error = [0.30, 0.21, 0.20, 0.25], [0.05, 0.05, 0.04, 0.05]
    >>> choose(mean, error, "min"), choose(mean, error, "one_se")
    (2, 1)
    """
    if rule not in get_args(Rule):
        raise ParameterError(f"rule is {quoted(rule)}; it must be 'min' or 'one_se'")
    errors, spread = np.asarray(mean, np.float64), np.asarray(standard_error, np.float64)
    if errors.ndim != 1 or errors.shape != spread.shape:
        raise ParameterError(f"means of shape {errors.shape} and standard errors of shape {spread.shape} do not fit")
    tried = np.flatnonzero(~np.isnan(errors))
    if not len(tried):
        raise DataError("nothing was tried, so nothing can be chosen: every error is NaN")
    best = int(tried[np.argmin(errors[tried])])
    if rule == "min":
        return best
    slack = 0.0 if np.isnan(spread[best]) else spread[best]
    return int(np.flatnonzero(errors <= errors[best] + slack)[0])
