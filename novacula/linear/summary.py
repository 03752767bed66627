"""What a fit by least squares says beyond its coefficients: how sure they are, and how well the plane fits.

With normal errors (ŵ − w) / se has Student's t distribution with n − rank degrees of freedom, where se² is s²
times the diagonal of (XᵀX)⁻¹ and s² = Σ (y − ŷ)² / (n − rank); an intercept counts as one more column.
Weights are repetitions, so n is their sum. Where this does not hold, a sentence replaces the
numbers. AIC and BIC count the coefficients but not σ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from novacula.errors import ParameterError
from novacula.learner.figure import Figure, bar_figure
from novacula.learner.information_criteria import aic, bic
from novacula.learner.render import table_lines
from novacula.learner.render_html import escape_html, table_parts
from novacula.learner.work import WorkTable
from novacula.linear.plane import intercept_of, of_target
from novacula.linear.solve import EPS, NOISE
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.least_squares import LinearRegression

SHOWN = 200
"""Rows of a printed table."""
DRAWN = 30
"""Bars of a figure."""


@dataclass(frozen=True, eq=False)
class TargetSummary:
    """The coefficients of one target, the intercept first if there is one, and the fit as a whole."""

    target: str
    intercept: bool  # whether the first coefficient is the intercept
    names: list[str]
    coef: Floats  # (q,), as are the next five
    std_error: Floats
    t: Floats
    p: Floats
    low: Floats
    high: Floats
    std: Floats | None  # (d,), standard deviations of the columns, None where they are not known
    facts: dict[str, float]
    note: str

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain values, None where there are none."""
        columns = ("coef", "std_error", "t", "p", "low", "high")
        rows = [
            {"name": name} | {column: finite_or_none(getattr(self, column)[i]) for column in columns}
            for i, name in enumerate(self.names)
        ]
        facts = {name: finite_or_none(value) for name, value in self.facts.items()}
        return {"target": self.target, "coefficients": rows, **facts, "note": self.note}

    def tables(self, level: float) -> Iterator[WorkTable]:
        """The coefficients, then the fit."""
        known = np.isfinite(self.std_error).all()
        heads = ("column", "coefficient")
        more = ("std. error", "t", "p", f"{level:.0%} low", f"{level:.0%} high") if known else ()
        fields = (self.coef, self.std_error, self.t, self.p, self.low, self.high) if known else (self.coef,)
        rows = [(name, *map(float, values)) for name, *values in zip(self.names, *fields, strict=True)]
        left_out = len(rows) - SHOWN
        caption = f"Target {self.target!r}" + (f": the first {SHOWN} of {len(rows)}" if left_out > 0 else "")
        yield WorkTable((*heads, *more), tuple(rows[:SHOWN]), caption)
        facts = [(FACTS[name], value) for name, value in self.facts.items() if math.isfinite(value)]
        yield WorkTable(("fit", "value"), tuple(facts))

    def figure(self, level: float) -> Figure:
        """Bars of what one standard deviation of a column does to the target, with intervals where known."""
        features = slice(int(self.intercept), None)
        names, unit = self.names[features], 1.0 if self.std is None else self.std
        effect = self.coef[features] * unit
        limits = np.column_stack([self.low[features] * unit, self.high[features] * unit])
        order = np.argsort(-np.abs(effect), kind="stable")[:DRAWN]
        sure = bool(np.isfinite(limits).all())
        cut = f", the largest {DRAWN} of {len(names)}" if len(names) > DRAWN else ""
        what = "one unit" if self.std is None else "one standard deviation"
        return bar_figure(
            [names[j] for j in order],
            effect[order],
            intervals=limits[order] if sure else None,
            title=f"What {what} of a column does to {self.target}{cut}",
            xlabel=f"change of {self.target}{f', with {level:.0%} intervals' if sure else ''}",
        )


FACTS = {
    "n": "rows, or the sum of their weights",
    "df_model": "degrees of freedom of the model",
    "df_resid": "degrees of freedom that are left",
    "r2": "R²",
    "r2_uncentred": "R² about zero",
    "adjusted_r2": "adjusted R²",
    "s": "residual standard error s",
    "sigma": "σ by maximum likelihood",
    "f": "F",
    "f_p": "p of F",
    "log_likelihood": "log-likelihood",
    "aic": "AIC",
    "bic": "BIC",
}


@dataclass(frozen=True, eq=False)
class RegressionSummary:
    """One table a target; prints, and shows itself in a notebook."""

    level: float
    targets: tuple[TargetSummary, ...]

    def __getitem__(self, target: int) -> TargetSummary:
        return self.targets[target]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {"level": self.level, "targets": [target.to_dict() for target in self.targets]}

    def figure(self, target: int = 0) -> Figure:
        """Bars of the coefficients of a target, times the standard deviations of their columns."""
        return self.targets[target].figure(self.level)

    def __str__(self) -> str:
        blocks = []
        for target in self.targets:
            blocks += ["\n".join(table_lines(table)) for table in target.tables(self.level)]
            blocks += [target.note] if target.note else []
        return "\n\n".join(blocks)

    def _repr_html_(self) -> str:
        parts = ['<section class="nv-summary tex2jax_ignore mathjax_ignore">']
        for target in self.targets:
            for table in target.tables(self.level):
                parts += table_parts(table)
            parts += [f'<p class="nv-note">{escape_html(target.note)}</p>'] if target.note else []
        return "\n".join([*parts, "</section>"])


def summarise(model: LinearRegression, level: float) -> RegressionSummary:
    """Make the summary of a fitted model."""
    require_level(level)
    return RegressionSummary(level, tuple(_of_target(model, k, level) for k in range(len(model.target_names_))))


def _of_target(model: LinearRegression, k: int, level: float) -> TargetSummary:
    d, n, first = model.n_features_in_, model.weight_, 0 if model.fit_intercept else 1
    coef = np.append(intercept_of(model, k), of_target(model.coef_, k))[first:]
    sigma = float(np.atleast_1d(model.sigma_)[k])
    total = _total(model, k)
    left = n - model.rank_ - int(model.fit_intercept)
    note = _why_not(model, left, n * (sigma * sigma), total)
    s = sigma * math.sqrt(n / left) if left > 0 else math.nan
    std_error = model.unit_errors_[first:] * (math.nan if note else s)
    t = coef / std_error
    reach = float(special.stdtrit(left, 0.5 + level / 2)) if left > 0 else math.nan
    return TargetSummary(
        target=model.target_names_[k],
        intercept=model.fit_intercept,
        names=["intercept"][first:] + model.schema_.column_names(),
        coef=coef,
        std_error=std_error,
        t=t,
        p=2.0 * special.stdtr(left, -np.abs(t)),
        low=coef - reach * std_error,
        high=coef + reach * std_error,
        std=None if model.moments_ is None else np.sqrt(np.diagonal(model.moments_.scatter)[:d] / n),
        facts=_facts(model, k, total, s),
        note=note,
    )


def _total(model: LinearRegression, k: int) -> float:
    """Σ (y − ȳ)², or Σ y² for a fit through the origin; NaN where no sums were kept."""
    if model.moments_ is None:
        return math.nan
    place = model.n_features_in_ + k
    lever = 0.0 if model.fit_intercept else model.weight_ * model.moments_.mean[place] ** 2
    return float(model.moments_.scatter[place, place] + lever)


def _why_not(model: LinearRegression, left: float, error: float, total: float) -> str:
    """Why there can be no standard errors; empty where there can."""
    if model.rank_ < model.n_features_in_:
        return (
            f"The columns span {model.rank_} of {model.n_features_in_} directions, so the coefficients are "
            "one choice of many: they have no standard errors, t or p."
        )
    if left <= 0:
        return (
            "There are no more rows than coefficients, so nothing is left to estimate the noise from: there "
            "are no standard errors, t or p."
        )
    if error <= total * (1e-10 if model.solver_ == "sums" else (NOISE * EPS) ** 2):
        return "The plane meets every target up to rounding, so there is no noise for t and p to speak of."
    return ""


def _facts(model: LinearRegression, k: int, total: float, s: float) -> dict[str, float]:
    n, rank, c = model.weight_, model.rank_, int(model.fit_intercept)
    sigma, r2 = float(np.atleast_1d(model.sigma_)[k]), float(np.atleast_1d(model.r2_)[k])
    error, left, q = n * (sigma * sigma), n - rank - c, rank + c
    about = r2 if c else 1.0 - error / total if total > 0 else math.nan
    noisy = error > total * (NOISE * EPS) ** 2
    tested = rank > 0 and left > 0 and noisy
    f = (total - error) / rank / (s * s) if tested else math.nan
    likelihood = -n / 2 * (math.log(2 * math.pi * (sigma * sigma)) + 1) if noisy else math.nan
    facts = {"n": n, "df_model": float(rank), "df_resid": left, "r2": r2}
    if not c:
        facts["r2_uncentred"] = about
    return facts | {
        "adjusted_r2": 1.0 - (1.0 - about) * (n - c) / left if left > 0 else math.nan,
        "s": s,
        "sigma": sigma,
        "f": f,
        "f_p": float(special.fdtrc(rank, left, f)) if tested else math.nan,
        "log_likelihood": likelihood,
        "aic": aic(likelihood, q),
        "bic": bic(likelihood, q, n),
    }


def require_level(level: float) -> None:
    """Refuse what is not the probability of an interval."""
    if not 0.0 < level < 1.0:
        raise ParameterError(f"level is {level!r}; it must be between 0 and 1, as 0.95 is")


def finite_or_none(value: Any) -> float | None:
    """A number that JSON can hold, or None."""
    return float(value) if math.isfinite(value) else None
