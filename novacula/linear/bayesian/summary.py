"""A posterior as a table: mean, standard deviation and credible interval of each weight.

A weight lies in its interval with the stated probability, given rows, prior and noise. Of a normal posterior the
interval is mean ± z·sd, of Student's t it is mean ± t·scale, both exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import Figure, bar_figure
from novacula.learner.render import table_lines
from novacula.learner.render_html import table_parts
from novacula.learner.work import Cell, WorkTable
from novacula.linear.summary import DRAWN, SHOWN, finite_or_none
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.bayesian.regression import BayesianLinearRegression

FACTS = {
    "n": "rows, or the sum of their weights",
    "noise_variance": "noise variance σ²",
    "shape": "shape of the noise's inverse gamma",
    "scale": "scale of the noise's inverse gamma",
    "alpha": "size α of the prior precision",
    "log_evidence": "log evidence",
}


@dataclass(frozen=True, eq=False)
class PosteriorSummary:
    """The weights, the intercept first if there is one; prints, and shows itself in a notebook."""

    target: str
    level: float
    intercept: bool  # whether the first weight is the intercept
    names: list[str]
    mean: Floats  # (q,), as are the next three
    std: Floats
    low: Floats
    high: Floats
    facts: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold, None for what is infinite."""
        columns = ("mean", "std", "low", "high")
        rows = [
            {"name": name} | {column: finite_or_none(getattr(self, column)[i]) for column in columns}
            for i, name in enumerate(self.names)
        ]
        facts = {name: finite_or_none(value) for name, value in self.facts.items()}
        return {"target": self.target, "level": self.level, "weights": rows, **facts}

    def tables(self) -> Iterator[WorkTable]:
        """The weights, then the rest."""
        header = ("column", "mean", "std. deviation", f"{self.level:.0%} low", f"{self.level:.0%} high")
        fields = (self.mean, self.std, self.low, self.high)
        rows: list[tuple[Cell, ...]] = [
            (name, *map(float, values)) for name, *values in zip(self.names, *fields, strict=True)
        ]
        cut = f": the first {SHOWN} of {len(rows)}" if len(rows) > SHOWN else ""
        yield WorkTable(header, tuple(rows[:SHOWN]), f"Target {self.target!r}{cut}")
        yield WorkTable(("model", "value"), tuple((FACTS[name], value) for name, value in self.facts.items()))

    def figure(self) -> Figure:
        """Bars of the posterior means of the columns' weights, with their intervals."""
        features = slice(int(self.intercept), None)
        names, mean = self.names[features], self.mean[features]
        limits = np.column_stack([self.low[features], self.high[features]])
        order = np.argsort(-np.abs(mean), kind="stable")[:DRAWN]
        cut = f", the largest {DRAWN} of {len(names)}" if len(names) > DRAWN else ""
        return bar_figure(
            [names[j] for j in order],
            mean[order],
            intervals=limits[order],
            title=f"Weights of columns for {self.target}{cut}",
            xlabel=f"posterior mean, with {self.level:.0%} credible intervals",
        )

    def __str__(self) -> str:
        return "\n\n".join("\n".join(table_lines(table)) for table in self.tables())

    def _repr_html_(self) -> str:
        parts = [part for table in self.tables() for part in table_parts(table)]
        return "\n".join(['<section class="nv-summary tex2jax_ignore mathjax_ignore">', *parts, "</section>"])


def summarise_posterior(model: BayesianLinearRegression, level: float, reach: float) -> PosteriorSummary:
    """Make the summary; an interval goes `reach` to either side, for weights whose variance over σ² is 1."""
    first = 0 if model.fit_intercept else 1
    mean = np.append(model.intercept_, model.coef_)[first:]
    lever = model.x_centre_ @ model.root_
    relative = np.append(1.0 / model.pivot_ + lever @ lever, (model.root_**2).sum(axis=1))[first:]
    half = reach * np.sqrt(relative)
    facts = {
        name: getattr(model, f"{name}_", None) for name in ("noise_variance", "shape", "scale", "alpha", "log_evidence")
    }
    return PosteriorSummary(
        target=model.target_names_[0],
        level=level,
        intercept=model.fit_intercept,
        names=["intercept"][first:] + model.schema_.column_names(),
        mean=mean,
        std=np.sqrt(np.diagonal(model.covariance_)),
        low=mean - half,
        high=mean + half,
        facts={"n": model.weight_} | {name: value for name, value in facts.items() if value is not None},
    )
