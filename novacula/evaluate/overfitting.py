"""Overfitting: of two hypotheses one is better on the rows that it was learned from, and worse on others.

h overfits D if there is an h′ with error_D(h) < error_D(h′) and error(h) > error(h′)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from novacula.errors import ParameterError
from novacula.evaluate.derivation.overfitting import derive_overfitting
from novacula.evaluate.loss import LossLike, metric_name
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.rows import loss_for, rows_for
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.table import Table
from novacula.words import capitalised, quoted


@dataclass(frozen=True, eq=False)
class Overfitting(TabularResult):
    """The errors of two hypotheses on the rows of the fit and on fresh ones, and which of them overfits, if any."""

    names: tuple[str, str]
    seen: tuple[float, float]
    fresh: tuple[float, float]
    rows: tuple[int, int]  # of the fit, and fresh ones
    loss: str
    weights: tuple[float, float]  # of all rows of the fit, and of the fresh ones: their numbers where each counts once

    @property
    def overfits(self) -> str | None:
        """The name of the hypothesis that overfits; None if none does."""
        for i, j in ((0, 1), (1, 0)):
            if self.seen[i] < self.seen[j] and self.fresh[i] > self.fresh[j]:
                return self.names[i]
        return None

    def verdict(self) -> str:
        """Which of the two overfits, and by what, in a sentence."""
        if self.overfits is None:
            better = [
                quoted(self.names[errors.index(min(errors))]) if errors[0] != errors[1] else "neither"
                for errors in (self.seen, self.fresh)
            ]
            return (
                f"Neither overfits against the other: on the rows of the fit {better[0]} has the smaller error, on "
                f"fresh rows {better[1]}"
            )
        i = self.names.index(self.overfits)
        j = 1 - i
        return (
            f"{quoted(self.names[i])} overfits: its error on the rows of the fit is smaller than that of "
            f"{quoted(self.names[j])}, {few_digits(self.seen[i])} against {few_digits(self.seen[j])}, and on fresh "
            f"rows it is larger, {few_digits(self.fresh[i])} against {few_digits(self.fresh[j])}"
        )

    def _derive(self, options: WorkOptions) -> Work:
        return derive_overfitting(self)

    def table(self) -> WorkTable:
        """Both errors of both hypotheses, and the verdict."""
        plain = self.errors_table()
        return replace(plain, caption=f"{plain.caption}. {self.verdict()}")

    def errors_table(self) -> WorkTable:
        """Both errors of both hypotheses."""
        header = ("hypothesis", f"{self.rows[0]} rows of the fit", f"{self.rows[1]} fresh rows")
        rows = tuple(zip(self.names, self.seen, self.fresh, strict=True))
        return WorkTable(header, rows, f"{capitalised(metric_name(self.loss))}, lower is better")


def overfitting(hypotheses: Mapping[str, Any], seen: Any, fresh: Any, *, loss: LossLike | None = None) -> Overfitting:
    """Compare two fitted models on the rows that they were fitted on and on fresh ones.

    `hypotheses` are two models by their names; `seen` and `fresh` are tables that name their target, or pairs (X, y).

    >>> import numpy as np
    >>> from novacula.neighbors import KNeighborsRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, Z = rng.uniform(0, 6, (2, 80, 1))
    >>> y, t = (np.sin(part[:, 0]) + rng.normal(0, 0.4, 80) for part in (X, Z))
    >>> models = {f"{k} neighbours": KNeighborsRegressor(k).fit(X, y) for k in (1, 8)}
    >>> overfitting(models, (X, y), (Z, t)).overfits
    '1 neighbours'
    """
    if len(hypotheses) != 2:
        raise ParameterError(f"there are {len(hypotheses)} hypotheses; overfitting compares two, by their names")
    first, second = hypotheses
    parts = [_pair(part, name) for part, name in ((seen, "seen"), (fresh, "fresh"))]
    errors, which = list[tuple[float, float]](), loss_for(hypotheses[first], loss)
    counts, weights = list[int](), list[float]()
    for X, y in parts:
        rows = {name: rows_for(model, X, y) for name, model in hypotheses.items()}
        errors.append((rows[first].loss(hypotheses[first], which), rows[second].loss(hypotheses[second], which)))
        counts.append(len(rows[first]))
        weight = rows[first].weight
        weights.append(float(counts[-1] if weight is None else weight.sum()))
    names, sums = (first, second), (weights[0], weights[1])
    return Overfitting(names, errors[0], errors[1], (counts[0], counts[1]), which.name, sums)


def _pair(part: Any, name: str) -> tuple[Any, Any]:
    """Rows and their target, which is None where a table brings it."""
    if isinstance(part, Table):
        return part, None
    if not isinstance(part, tuple) or len(part) != 2:
        raise ParameterError(f"{name} is {quoted(part)}; give a Table that names its target, or a pair (X, y)")
    return part
