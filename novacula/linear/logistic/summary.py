"""What a logistic fit says beyond its weights: how sure they are, and how much likelier it makes the classes.

Without a penalty the estimates are normal for many rows, with the inverse of the observed information (the Hessian
of −log L) as covariance, so z = w / se and w ± z·se are tests and intervals (Wald's), and eʷ is the factor by which
a unit multiplies the odds. Where this does not hold, a sentence replaces the numbers. With more than two
classes the weights are those of each class against the first one: only differences are determined.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg, special

from novacula.learner.figure import Figure, bar_figure
from novacula.learner.information_criteria import aic, bic
from novacula.learner.render import table_lines
from novacula.learner.render_html import escape_html, table_parts
from novacula.learner.work import WorkTable
from novacula.linear.logistic.newton import curve_shared_directions
from novacula.linear.logistic.objective import LogisticObjective
from novacula.linear.summary import DRAWN, SHOWN, finite_or_none, require_level
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.logistic.logistic_regression import LogisticRegression

FIELDS = ("coef", "std_error", "z", "p", "low", "high", "odds", "odds_low", "odds_high")
FACTS = {
    "n": "rows, or the sum of their weights",
    "parameters": "parameters",
    "log_likelihood": "log-likelihood",
    "null_log_likelihood": "log-likelihood without columns",
    "deviance": "deviance",
    "null_deviance": "deviance without columns",
    "chi2": "likelihood ratio χ²",
    "chi2_p": "p of χ²",
    "mcfadden_r2": "McFadden's R²",
    "aic": "AIC",
    "bic": "BIC",
}


@dataclass(frozen=True, eq=False)
class ClassSummary:
    """The weights of one class against another, the intercept first if there is one."""

    label: str
    against: str
    intercept: bool  # whether the first weight is the intercept
    names: list[str]
    spread: Floats  # (d,), standard deviations of the columns
    coef: Floats  # (q,), as are the others
    std_error: Floats
    z: Floats
    p: Floats
    low: Floats
    high: Floats
    odds: Floats
    odds_low: Floats
    odds_high: Floats

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain values, None where there are none."""
        rows = [
            {"name": name} | {field: finite_or_none(getattr(self, field)[i]) for field in FIELDS}
            for i, name in enumerate(self.names)
        ]
        return {"class": self.label, "against": self.against, "coefficients": rows}

    def table(self, level: float) -> WorkTable:
        """The weights, one row per column."""
        heads = ["coefficient", "std. error", "z", "p", f"{level:.0%} low", f"{level:.0%} high", "odds ratio"]
        heads += [f"{level:.0%} low", f"{level:.0%} high"]
        printed = [bool(np.isfinite(getattr(self, field)).all()) or field in ("coef", "odds") for field in FIELDS]
        fields = [getattr(self, field) for field, shown in zip(FIELDS, printed, strict=True) if shown]
        rows = [(name, *map(float, values)) for name, *values in zip(self.names, *fields, strict=True)]
        caption = f"Log odds of {self.label!r} against {self.against!r}"
        caption += f": the first {SHOWN} of {len(rows)}" if len(rows) > SHOWN else ""
        shown_heads = [head for head, shown in zip(heads, printed, strict=True) if shown]
        return WorkTable(("column", *shown_heads), tuple(rows[:SHOWN]), caption)

    def figure(self, level: float) -> Figure:
        """Bars of what one standard deviation of a column adds to the log odds, with intervals where known."""
        features = slice(int(self.intercept), None)
        names, effect = self.names[features], self.coef[features] * self.spread
        limits = np.column_stack([self.low[features] * self.spread, self.high[features] * self.spread])
        order = np.argsort(-np.abs(effect), kind="stable")[:DRAWN]
        sure = bool(np.isfinite(limits).all())
        cut = f", the largest {DRAWN} of {len(names)}" if len(names) > DRAWN else ""
        return bar_figure(
            [names[j] for j in order],
            effect[order],
            intervals=limits[order] if sure else None,
            title=f"What one standard deviation of a column does to the odds of {self.label}{cut}",
            xlabel=f"change of the log odds{f', with {level:.0%} intervals' if sure else ''}",
        )


@dataclass(frozen=True, eq=False)
class LogisticSummary:
    """One table for two classes, one for each class but the first for more; prints, and shows itself in a notebook."""

    level: float
    classes: tuple[ClassSummary, ...]
    facts: dict[str, float]
    note: str

    def __getitem__(self, place: int) -> ClassSummary:
        return self.classes[place]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        facts = {name: finite_or_none(value) for name, value in self.facts.items()}
        return {"level": self.level, "classes": [one.to_dict() for one in self.classes], **facts, "note": self.note}

    def figure(self, place: int = 0) -> Figure:
        """Bars of the weights of a class, times the standard deviations of their columns."""
        return self.classes[place].figure(self.level)

    def tables(self) -> Iterator[WorkTable]:
        """The weights of each class, then the fit."""
        yield from (one.table(self.level) for one in self.classes)
        facts = [(FACTS[name], value) for name, value in self.facts.items() if math.isfinite(value)]
        yield WorkTable(("fit", "value"), tuple(facts))

    def __str__(self) -> str:
        blocks = ["\n".join(table_lines(table)) for table in self.tables()]
        return "\n\n".join([*blocks, self.note] if self.note else blocks)

    def _repr_html_(self) -> str:
        parts = ['<section class="nv-summary tex2jax_ignore mathjax_ignore">']
        for table in self.tables():
            parts += table_parts(table)
        parts += [f'<p class="nv-note">{escape_html(self.note)}</p>'] if self.note else []
        return "\n".join([*parts, "</section>"])


def covariance(hessian: Floats, objective: LogisticObjective) -> Floats:
    """The covariance of the estimates, class by class against the first, weights and then intercept of each.

    Parameters about the means become those of the columns as they are; the inverse is taken of a Hessian whose
    diagonal is one, so that units cost no digits.
    """
    planes, q = objective.shape
    matrix = curve_shared_directions(hessian, planes)
    scale = np.sqrt(np.diagonal(matrix))
    inverse = linalg.inv(matrix / scale / scale[:, None], assume_a="pos") / scale / scale[:, None]
    back = np.eye(q)
    if objective.frame.intercept:
        back[-1, :-1] = -objective.frame.centre
    change = np.eye(1) if planes == 1 else np.column_stack([-np.ones(planes - 1), np.eye(planes - 1)])
    turn = np.kron(change, back)
    return np.asarray(turn @ inverse @ turn.T)


def summarise(model: LogisticRegression, level: float) -> LogisticSummary:
    """Make the summary of a fitted model."""
    require_level(level)
    d, first = model.n_features_in_, 0 if model.fit_intercept else 1
    weights = np.column_stack([model.intercept_, model.coef_])[:, first:]
    if len(weights) > 1:
        weights = weights[1:] - weights[0]
    errors = np.full_like(weights, np.nan)
    if model.covariance_ is not None:
        held = np.sqrt(np.diagonal(model.covariance_)).reshape(len(weights), -1)
        errors = np.roll(held, 1, axis=1) if model.fit_intercept else held
    labels = [str(label) for label in model.classes_]
    names = ["intercept"][first:] + model.schema_.column_names()[:d]
    reach = float(special.ndtri(0.5 + level / 2))
    found = tuple(
        _of_class(labels[k + 1], labels[0], names, model, weights[k], errors[k], reach) for k in range(len(weights))
    )
    return LogisticSummary(level, found, _facts(model), why_not(model))


def _of_class(
    label: str, against: str, names: list[str], model: LogisticRegression, coef: Floats, error: Floats, reach: float
) -> ClassSummary:
    z = coef / error
    low, high = coef - reach * error, coef + reach * error
    with np.errstate(over="ignore"):  # an infinite factor is what weights beyond 709 come to
        odds = [np.exp(values) for values in (coef, low, high)]
    p = 2.0 * special.ndtr(-np.abs(z))
    return ClassSummary(label, against, model.fit_intercept, names, model.spread_, coef, error, z, p, low, high, *odds)


def why_not(model: LogisticRegression) -> str:
    """Why there are no standard errors; empty where there are."""
    q = model.n_features_in_ + int(model.fit_intercept)
    without = "there are no standard errors, z or p."
    if model.covariance_ is not None:
        return ""
    if model.loss != "cross_entropy":
        return f"Squared errors are not a likelihood, so {without}"
    if model.penalty is not None:
        return f"The penalty pulls the weights towards zero, a bias that standard errors know nothing of, so {without}"
    if model.class_weight is not None:
        return f"Weights of classes make the sum of losses another one than the likelihood, so {without}"
    if model.separated_ is not None:
        return (
            f"The classes are separated ({model.separated_} separation) and the likelihood has no maximum, so {without}"
        )
    if model.rank_ < q:
        return f"The columns span {model.rank_} of {q} directions, so the weights are one choice of many and {without}"
    if not model.converged_:
        return f"The fit did not converge, so {without}"
    return f"There are too many parameters for the matrix that standard errors are made of, so {without}"


def _facts(model: LogisticRegression) -> dict[str, float]:
    count = model.class_count_
    n, d = float(count.sum()), model.n_features_in_
    facts = {"n": n, "parameters": float((len(count) - 1) * model.rank_)}
    if model.loss != "cross_entropy" or model.class_weight is not None:
        return facts
    shares = count / n if model.fit_intercept else np.full(len(count), 1.0 / len(count))
    null, likelihood = float(count @ np.log(shares)), model.log_likelihood_
    facts |= {"log_likelihood": likelihood, "null_log_likelihood": null}
    facts |= {"deviance": -2.0 * likelihood, "null_deviance": -2.0 * null, "mcfadden_r2": 1.0 - likelihood / null}
    if model.penalty is not None or model.separated_ is not None:
        return facts
    free, chi2 = facts["parameters"], 2.0 * (likelihood - null)
    tested = free - (len(count) - 1) * int(model.fit_intercept)
    if d and tested > 0:
        facts |= {"chi2": chi2, "chi2_p": float(special.chdtrc(tested, max(chi2, 0.0)))}
    return facts | {"aic": aic(likelihood, free), "bic": bic(likelihood, free, n)}
