"""What the works of a logistic model share: its planes by name, its penalty, and the first rows at some weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novacula.linear.logistic.trace import FirstLogisticRows
from novacula.linear.plane import TARGETS
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.logistic.logistic_regression import LogisticRegression


def shown_planes(model: LogisticRegression, is_full: bool) -> range:
    """The planes that are derived."""
    return range(len(model.coef_) if is_full else min(TARGETS, len(model.coef_)))


def plane_name(model: LogisticRegression, k: int) -> str:
    """The class for which plane k speaks."""
    return str(model.classes_[1 if len(model.coef_) == 1 else k])


def penalties(model: LogisticRegression) -> tuple[float, float]:
    """The prices of ‖w‖₁ and of ½‖w‖²."""
    l1 = {"l1": 1.0, "elasticnet": model.l1_ratio}.get(model.penalty or "", 0.0)
    return l1, 0.0 if model.penalty is None else 1.0 - l1


def objective(model: LogisticRegression, loss: float, w: Floats, of: tuple[str | int, ...]) -> Equation:
    """What is made smallest, at weights (planes, d)."""
    if model.penalty is None:
        return Equation("f", "L", {"L": loss}, of)
    one = len(w) == 1
    entry, over = ("w[j]", "for j in _") if one else ("w[k, j]", "for k in _ for j in _")
    squares, sizes = f"sum({entry}**2 {over})", f"sum(abs({entry}) {over})"
    costs = {"l2": f"{squares} / 2", "l1": sizes, "elasticnet": f"(1 - ρ) / 2 * {squares} + ρ * {sizes}"}
    values: dict[str, Any] = {"C": float(model.C), "L": loss, "w": w[0] if one else w}
    if model.penalty == "elasticnet":
        values["ρ"] = float(model.l1_ratio)
    return Equation("f", f"C * L + {costs[model.penalty]}", values, of)


class RowsAt(NamedTuple):
    """The first rows of a fit at the weights of a kept state: margins, probabilities, targets and weights."""

    w: Floats  # (planes, q), of columns about their centre
    m: Floats  # (r, planes)
    h: Floats  # (r, planes)
    first: FirstLogisticRows
    loss: float  # of the other rows
    gradient: Floats  # (planes, q), of the other rows

    @classmethod
    def of(cls, model: LogisticRegression, place: int) -> RowsAt:
        """At the state that is kept at a place."""
        trace, planes = model.trace_, len(model.coef_)
        shape = planes, model.n_features_in_ + int(model.fit_intercept)
        w = trace.path.at(int(trace.path.iterations[place]), (shape[0] * shape[1],)).reshape(shape)
        first = FirstLogisticRows.of(trace.rows, trace.classes, trace.weights, model.centre_, shape)
        return cls(w, *first.probabilities(w), first, float(trace.losses[place]), trace.gradients[place].reshape(shape))

    @property
    def are_counted_once(self) -> bool:
        """Whether no row has another weight than 1."""
        return bool((self.first.weights == 1.0).all())


def loss_equation(model: LogisticRegression, rows: RowsAt, of: tuple[str | int, ...] = ()) -> Equation:
    """The logarithm of the likelihood, or the squares, of the first rows one by one and of the others together."""
    s = "" if rows.are_counted_once else "s[i] * "
    weights = {} if rows.are_counted_once else {"s": rows.first.weights}
    rest = {} if model.trace_.complete else {"i": -rows.loss}
    if model.loss == "squared":
        right, values = f"sum(-{s}(t[i] - h[i])**2 / 2 for i in _)", {"t": rows.first.t[:, 0], "h": rows.h[:, 0]}
    elif len(rows.w) == 1:
        right = f"sum({s}(t[i] * log(h[i]) + (1 - t[i]) * log(1 - h[i])) for i in _)"
        values = {"t": rows.first.t[:, 0], "h": rows.h[:, 0]}
    else:
        right, values = f"sum({s}log(p[i]) for i in _)", {"p": (rows.h * rows.first.t).sum(axis=1)}
    return Equation("-L", right, {**values, **weights}, of, rest=rest)


def pull_equation(model: LogisticRegression, rows: RowsAt, k: int, j: int, of: tuple[str | int, ...] = ()) -> Equation:
    """What the rows pull at parameter j of plane k: the first rows one by one, and the others together."""
    d, i = model.n_features_in_, j + 1
    s = "" if rows.are_counted_once else "s[i] * "
    slope = " * h[i] * (1 - h[i])" if model.loss == "squared" else ""
    column = "" if j == d else f" * (x[i, {i}] - x̄[{i}])" if model.centre_.any() else f" * x[i, {i}]"
    body = f"sum({s}(t[i] - h[i]){slope}{column} for i in _)"
    values: dict[str, Any] = {"h": rows.h[:, k], "t": rows.first.t[:, k]}
    values |= {} if rows.are_counted_once else {"s": rows.first.weights}
    if j < d:
        values |= {"x": model.trace_.rows} | ({"x̄": model.centre_} if model.centre_.any() else {})
    rest = {} if model.trace_.complete else {"i": -float(rows.gradient[k, j])}
    if model.penalty is not None:
        body, values["C"] = f"C * {body}", float(model.C)
    return Equation(f"p[{i}]", body, values, of, rest=rest)


def is_computable(rows: RowsAt) -> bool:
    """Whether no row's class has a probability that is 0 in floating point, and there are rows."""
    own = np.where(rows.first.t == 1.0, rows.h, 1.0 - rows.h) if rows.h.shape[1] == 1 else rows.h[rows.first.t == 1.0]
    return bool(len(rows.h) and np.all(own > 1e-12))


def column_names(model: LogisticRegression, q: int) -> list[str]:
    """The columns of the parameters, with the intercept if there is one."""
    return [*model.schema_.column_names()[: model.n_features_in_], "intercept"][:q]
