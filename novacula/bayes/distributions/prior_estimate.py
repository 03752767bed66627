"""The p of the m-estimate: all values alike, as often as in all classes together, or as it is stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from novacula.bayes.probabilities import as_probabilities
from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.words import listed, quoted


def estimate_of(prior_estimate: Any, column: str | None) -> Any:
    """What is asked for a column: a word, a number, or a table; `None` stands for what is no column of categories."""
    if isinstance(prior_estimate, Mapping):
        return prior_estimate.get(column, "uniform")
    return prior_estimate


def stated_values(prior_estimate: Any, column: str | None, values: Sequence[Any]) -> Floats | None:
    """p of each value as it is stated; None where it is not."""
    stated = estimate_of(prior_estimate, column)
    if isinstance(stated, Mapping):
        for value in values:
            if value not in stated:
                raise ParameterError(
                    f"prior_estimate has nothing for {quoted(value)} of {quoted(column)}; give one for each "
                    f"of {listed(list(values))}"
                )
        return np.array([float(stated[value]) for value in values])
    return np.full(len(values), float(stated)) if isinstance(stated, Real) else None


def refuse_strange_estimates(prior_estimate: Any, columns: Sequence[str]) -> None:
    """Refuse a table for what is no column of categories, and probabilities that are none."""
    if not isinstance(prior_estimate, Mapping):
        return
    for column, stated in prior_estimate.items():
        if column not in columns:
            raise ParameterError(
                f"prior_estimate names {quoted(column)}, which is none of the columns of categories: {listed(columns)}"
            )
        if isinstance(stated, Mapping):
            as_probabilities(stated, list(stated), f"prior_estimate of {quoted(column)}")
        elif isinstance(stated, Real) and not isinstance(stated, bool):
            if not 0 <= float(stated) <= 1:
                raise ParameterError(f"prior_estimate of {quoted(column)} is {stated!r}; it must be from 0 to 1")
        elif stated not in ("uniform", "empirical"):
            raise ParameterError(
                f"prior_estimate of {quoted(column)} is {quoted(stated)}; give a number, a mapping of its values to "
                f"probabilities, 'uniform' or 'empirical'"
            )
