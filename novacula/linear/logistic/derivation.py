"""The work of a logistic model: one step of Newton's method in numbers, the gradient where it ended, the odds.

With X, each row's weighted sum and the probability that it gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from novacula.learner.figure import Figure, curve_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.linear.derivation import FEW, eliminated, matrix_table
from novacula.linear.plane import SHOWN, TARGETS, TERMS, weighted_sum
from novacula.linear.solve import WELL_CONDITIONED, cholesky
from novacula.state import State, floats
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.logistic.logistic_regression import LogisticRegression
    from novacula.linear.logistic.newton import Newton

ROUNDED = 1e-13
"""The share of its terms below which a sum is rounding."""
HELD = 1e-4
"""The share of the whole step from which a part of it keeps the digits that are compared."""
LARGEST = 700.0
"""The largest weight whose exponential is a number."""


@dataclass(frozen=True, eq=False)
class FirstStep:
    """Newton's step from zero: its equations are sums over rows, which a fitted model no longer has."""

    state: ClassVar[State] = {
        "gradient": floats("weights"),
        "hessian": floats("weights", "weights"),
        "step": floats("weights"),
    }

    gradient: Floats  # (q,)
    hessian: Floats  # (q, q)
    step: Floats  # (q,)

    @classmethod
    def of(cls, newton: Newton) -> Self | None:
        """Keep the step of two classes and few columns; None of others."""
        planes, q = newton.objective.shape
        point = newton.first
        if planes > 1 or q > FEW or newton.basis is not None or point.hessian is None:
            return None
        scale = np.sqrt(np.diagonal(point.hessian))
        if not scale.all() or cholesky(point.hessian / scale / scale[:, None])[1] < WELL_CONDITIONED:
            return None
        # Sums that vanish, as those of columns about their means do, are zero but for rounding.
        hessian = without_rounding(point.hessian, np.outer(scale, scale))
        gradient = without_rounding(point.gradient, scale * np.sqrt(newton.objective.weight))
        return cls(gradient, hessian, np.asarray(np.linalg.solve(hessian, -gradient), np.float64))


def without_rounding(sums: Floats, size: Floats) -> Floats:
    """Put zero where a sum is nothing against the size of its terms."""
    return np.where(np.abs(sums) <= ROUNDED * size, 0.0, sums)


def derive_logistic(model: LogisticRegression) -> Work:
    """The work of a fitted model."""
    steps = [objective_step(model)]
    if model.first_step_ is not None:
        steps += newton_steps(model, model.first_step_)
    steps.append(history_step(model))
    for k in shown_planes(model):
        steps += plane_steps(model, k)
    notes = (
        [] if len(model.coef_) <= TARGETS else [f"Only the first {TARGETS} of {len(model.coef_)} planes are derived."]
    )
    if model.separated_ is not None:
        notes.append(f"The classes are separated ({model.separated_} separation): the weights have no finite optimum.")
    return Work("Logistic regression", steps, notes)


def shown_planes(model: LogisticRegression) -> range:
    """The planes that are derived."""
    return range(min(TARGETS, len(model.coef_)))


def plane_name(model: LogisticRegression, k: int) -> str:
    """The class for which plane k speaks."""
    return str(model.classes_[1 if len(model.coef_) == 1 else k])


def penalties(model: LogisticRegression) -> tuple[float, float]:
    """The prices of ‖w‖₁ and of ½‖w‖²."""
    l1 = {"l1": 1.0, "elasticnet": model.l1_ratio}.get(model.penalty or "", 0.0)
    return l1, 0.0 if model.penalty is None else 1.0 - l1


def objective_step(model: LogisticRegression) -> Step:
    """The objective, and what it came to."""
    l1, l2 = penalties(model)
    loss = "½(t − h)²" if model.loss == "squared" else "−log P(class)"
    parts, values = ["C * L"], {"C": float(model.C) if model.penalty else 1.0, "L": -model.log_likelihood_}
    words = "C Σ "
    if l2:
        parts.append("l2 * S / 2")
        values |= {"l2": l2, "S": float((model.coef_**2).sum())}
    if l1:
        parts.append("l1 * A")
        values |= {"l1": l1, "A": float(np.abs(model.coef_).sum())}
    words += loss + (" + l2 Σw²/2" if l2 else "") + (" + l1 Σ|w|" if l1 else "")
    return Step(
        "What is made smallest",
        formula=f"f = {words}",
        expression=" + ".join(parts),
        values=values,
        of=("history_", len(model.history_) - 1),
        note="h is the probability that the model gives, t is 1 for the class of the row and 0 otherwise.",
    )


def newton_steps(model: LogisticRegression, first: FirstStep) -> Iterator[Step]:
    """The equations of the first step, and their solution."""
    q = len(first.gradient)
    names = [*model.schema_.column_names()[: model.n_features_in_], "intercept"][:q]
    rows = np.column_stack([first.hessian, -first.gradient])
    header = ("equation", *(f"δ_{j + 1}: {names[j]}" for j in range(q)), "−gradient")
    about = " Columns are about their means." if model.fit_intercept else ""
    yield Step(
        "Newton's first step: from w = 0, where every h is ½",
        formula="H δ = −g,  g = C Σ (h − t) x,  H = C Σ h(1 − h) x xᵀ + l2·I",
        table=matrix_table(header, rows),
        note=f"l2·I is the curvature of the penalty, 0 without one and for the intercept.{about}",
    )
    upper = eliminated(rows)
    parts = np.abs(first.step) * np.sqrt(np.diagonal(first.hessian))
    yield Step("Each column eliminated from the equations below it", table=matrix_table(header, upper))
    for j in range(q)[::-1]:
        terms = [f"u_{i + 1} * d_{i + 1}" for i in range(j + 1, q)]
        values = {"z": upper[j, q], f"u_{j + 1}": upper[j, j]}
        for i in range(j + 1, q):
            values |= {f"u_{i + 1}": upper[j, i], f"d_{i + 1}": first.step[i]}
        yield Step(
            f"δ_{j + 1}, the step of {names[j]}",
            expression=f"({' - '.join(['z', *terms])}) / u_{j + 1}",
            values=values,
            of=("first_step_", "step", j) if parts[j] >= HELD * parts.max() else (),
        )


def history_step(model: LogisticRegression) -> Step:
    """The objective from step to step."""
    history = np.array(model.history_)
    shown = sorted({*range(min(10, len(history))), len(history) - 1})
    figure = None
    if len(history) > 2:
        figure = curve_figure(
            np.arange(len(history)),
            {"objective": history},
            title="The objective falls from step to step",
            xlabel="iteration",
            ylabel="objective",
        )
    return Step(
        f"{model.n_iter_} {'step' if model.n_iter_ == 1 else 'steps'} by {model.solver_}",
        table=WorkTable(("iteration", "objective"), tuple((i, float(history[i])) for i in shown)),
        figure=figure,
    )


def plane_steps(model: LogisticRegression, k: int) -> Iterator[Step]:
    """The gradient where the fit ended, the intercept, and the odds of one plane."""
    yield gradient_step(model, k)
    if model.fit_intercept:
        total, values = weighted_sum("w", model.coef_[k], "m", model.centre_)
        yield Step(
            f"The intercept of {plane_name(model, k)}: from columns about their centre back to their zero",
            formula="b = b₀ − Σ wⱼx̄ⱼ",
            expression=f"b_0 - ({total})",
            values={"b_0": model.centred_intercept_[k], **values},
            of=("intercept_", k),
        )
    yield from odds_steps(model, k)


def gradient_step(model: LogisticRegression, k: int) -> Step:
    """What the rows pull and what the penalty holds, which are in balance at the minimum."""
    w, pull = model.coef_[k], model.pull_[k]
    l1, l2 = penalties(model)
    shown = largest(w)
    held = l2 * w + l1 * np.sign(w)
    names = model.schema_.column_names(shown)
    rows = [
        (name, float(w[j]), float(pull[j]), float(held[j]), float(pull[j] - held[j]))
        for j, name in zip(shown, names, strict=True)
    ]
    if model.fit_intercept:
        rows.append(("intercept", float(model.centred_intercept_[k]), float(pull[-1]), 0.0, float(pull[-1])))
    slope = "C Σ (t − h) h(1 − h) x" if model.loss == "squared" else "C Σ (t − h) x"
    return Step(
        f"The gradient for {plane_name(model, k)}: rows and penalty are in balance",
        formula=f"{slope} = ∂penalty/∂w",
        table=WorkTable(("column", "w", slope, "∂penalty/∂w", "difference"), tuple(rows)),
        note=f"Where w = 0, the difference may be anything between −{l1:g} and {l1:g}." if l1 else "",
    )


def odds_steps(model: LogisticRegression, k: int) -> Iterator[Step]:
    """What a unit of each column does to the odds."""
    w = model.coef_[k]
    top = int(np.argmax(np.abs(w)))
    two, label = len(model.coef_) == 1, plane_name(model, k)
    what = f"The odds of {label} against {model.classes_[0]}" if two else f"The part of {label} in the softmax, e^m"
    if abs(w[top]) < LARGEST:
        name = model.schema_.column_names([top])[0]
        yield Step(
            f"{what}: one unit more of {name} multiplies {'them' if two else 'it'}",
            formula="odds(x + 1) / odds(x) = eʷ" if two else "e^m(x + 1) / e^m(x) = eʷ",
            expression="exp(w)",
            values={"w": w[top]},
        )
    shown = largest(w)
    names = model.schema_.column_names(shown)
    rows = tuple(
        (name, float(w[j]), float(np.exp(np.clip(w[j], -LARGEST, LARGEST))), float(w[j] * model.spread_[j]))
        for j, name in zip(shown, names, strict=True)
    )
    caption = f"The {SHOWN} largest of {len(w)}." if len(w) > SHOWN else ""
    header = ("column", "w", "odds ratio eʷ" if two else "factor eʷ", "w · standard deviation")
    figure = probability_figure(model) if len(w) == 1 and two else None
    yield Step(f"The plane of {label}", table=WorkTable(header, rows, caption), figure=figure)
    if figure is None and two:
        yield Step("Columns by what they do to the odds", figure=model.summary().figure())


def probability_figure(model: LogisticRegression) -> Figure:
    """The probability of the second class over the one column there is."""
    name = model.schema_.column_names([0])[0]
    middle, reach = float(model.centre_[0]), 3.0 * max(float(model.spread_[0]), 1e-300)
    x = np.linspace(middle - reach, middle + reach, 121)
    h = 0.5 * (1.0 + np.tanh(0.5 * (model.intercept_[0] + model.coef_[0, 0] * x)))
    label = plane_name(model, 0)
    return curve_figure(x, {label: h}, title=f"Probability of {label}", xlabel=name, ylabel="probability")


def largest(w: Floats) -> list[int]:
    """The columns that a table has room for: those with the largest weights, in their order."""
    order = np.argsort(-np.abs(w), kind="stable")[:SHOWN]
    return np.sort(order).tolist()


# --- predictions --------------------------------------------------------------------------------------------


def derive_probabilities(model: LogisticRegression, x: Floats, cut: bool) -> Work:
    """The probabilities of rows x (n, d); `cut`: there were more rows."""
    steps = list[Step]()
    for i in range(len(x)):
        margin = model.intercept_ + model.coef_ @ x[i]
        best = 0 if len(margin) == 1 else int(np.argmax(margin))
        steps.append(margin_step(model, x[i], i, best))
        steps.append(two_classes_step(model, margin[0], i) if len(margin) == 1 else classes_step(model, margin, i))
    return Work(
        "Predictions of logistic regression", steps, [f"Only the first {len(x)} rows are derived."] if cut else []
    )


def margin_step(model: LogisticRegression, x: Floats, i: int, k: int) -> Step:
    """The weighted sum of a row."""
    total, values = weighted_sum("w", model.coef_[k], "x", x)
    return Step(
        f"Row {i + 1}: the sum for {plane_name(model, k)}",
        formula="m = b + Σ wⱼxⱼ",
        expression=f"b + {total}",
        values={"b": model.intercept_[k], **values},
        of=("decision_function", i) if len(model.coef_) == 1 else ("decision_function", i, k),
    )


def two_classes_step(model: LogisticRegression, margin: float, i: int) -> Step:
    """The logistic function of the sum, written so that it cannot overflow."""
    positive = margin >= 0.0
    return Step(
        f"Row {i + 1}: the probability of {plane_name(model, 0)}",
        formula="h = σ(m) = 1 / (1 + e⁻ᵐ)" if positive else "h = σ(m) = eᵐ / (1 + eᵐ)",
        expression="1 / (1 + exp(-m))" if positive else "exp(m) / (1 + exp(m))",
        values={"m": margin},
        of=("predict_proba", i, 1),
    )


def classes_step(model: LogisticRegression, margin: Floats, row: int) -> Step:
    """The softmax for the most probable class, whose exponents are not positive."""
    best = int(np.argmax(margin))
    order = np.argsort(-margin, kind="stable")
    shown, rest = np.sort(order[:TERMS]), order[TERMS:]
    terms = [f"exp(m_{i + 1} - m_{best + 1})" for i in shown]
    values = {f"m_{i + 1}": margin[i] for i in shown}
    labels = {f"m_{i + 1}": str(model.classes_[i]) for i in shown}
    if len(rest):
        terms.append("rest")
        values["rest"] = float(np.exp(margin[rest] - margin[best]).sum())
    return Step(
        f"Row {row + 1}: the probability of {model.classes_[best]}",
        formula="P(k) = 1 / Σ e^(m_l − m_k)",
        expression=f"1 / sum({', '.join(terms)})",
        values=values,
        labels=labels,
        of=("predict_proba", row, best),
    )
