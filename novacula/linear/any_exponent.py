"""Least squares with a price on Σ |wⱼ|^q, for any q from 1 on.

    f(w) = Σ (yᵢ − b − Σ wⱼxᵢⱼ)² + α Σ |wⱼ|^q

q = 2 is ridge and q = 1 the lasso. For q below 1 f is not convex: it may have many minima, so it is refused. Each step
solves (A + α(q/2)D) w = c, with A and c from columns about their means and D = diag |wⱼ|^(q−2): squares that have the
slope of |wⱼ|^q. It leads down, since that matrix is positive definite, and is shortened until f is less.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novacula.arguments import as_numbers, positive_number
from novacula.errors import DataError, ParameterError
from novacula.learner.derivation import cut_table, heaviest, only_first_rows
from novacula.learner.figure import curve_figure
from novacula.learner.iterate import Outcome, Run, iterate, warn_unless_converged
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Step, Work
from novacula.linear.penalty_figure import complexity, require_exponent
from novacula.linear.plane import plane_value, weighted_columns
from novacula.linear.quadratic import solve_quadratic
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

MAX_ITER = 2000
STILL = 1e-13
"""A step that moves every weight by less, as a share of the largest, is none."""
LEAST = 1e-150
"""The least weight whose price has a slope: weights of 0 are taken for it."""


@dataclass(frozen=True, eq=False)
class PricedFit(ShowsWork):
    """ŷ = b + Σ wⱼxⱼ with the least Σ (y − ŷ)² + α Σ |wⱼ|^q."""

    coef: Floats
    """The weights (d,)."""
    intercept: float
    q: float
    alpha: float
    history: Floats = field(repr=False)
    """f before each step and at the end."""
    rows: Floats = field(repr=False)
    targets: Floats = field(repr=False)

    @property
    def objective(self) -> float:
        """f at the weights."""
        gaps = self.targets - self.predict(self.rows)
        return float(gaps @ gaps) + self.alpha * float(self.complexity)

    @property
    def complexity(self) -> float:
        """Σ |wⱼ|^q: of all weights that cost no more, these have the least squared error."""
        return complexity(self.coef, self.q)

    def predict(self, X: Any) -> Floats:
        """ŷ for each row of X."""
        rows = _numbers(X, "X", 2)
        if rows.shape[1] != len(self.coef):
            raise DataError(f"X has {rows.shape[1]} columns, and the fit has weights for {len(self.coef)}")
        return np.asarray(rows @ self.coef + self.intercept)

    def _derive(self, options: WorkOptions) -> Work:
        said = self.predict(self.rows)
        shown, rest = heaviest((self.targets - said) ** 2)
        known = {"y": self.targets[shown], "ŷ": said[shown]}
        errors = Equation("E", "sum((y[i] - ŷ[i])**2 for i in _)", known, rest=rest)
        cost = Equation("c", "sum(abs(w[j]) ** q for j in _)", {"w": self.coef, "q": self.q}, ("complexity",))
        values = {"E": errors.value, "α": self.alpha, "c": cost.value}
        whole = Equation("f", "E + α * c", values, ("objective",))
        steps = [
            Step("The model", Equation("ŷ", weighted_columns(True))),
            Step("What is made smallest", (errors, cost, whole), note="Of all weights with a complexity of no more "
                 "than ⟦c⟧ these have the least squared error."),
            self._balance_step(self.targets - said),
        ]  # fmt: skip
        if len(self.history) > 2:
            steps.append(Step("The objective from step to step", figure=self._descent()))
        return Work(f"Least squares with a price on ⟦abs(w[j]) ** q⟧, ⟦q⟧ = {self.q:g}", steps)

    def _balance_step(self, gaps: Floats) -> Step:
        """What the rows pull at each weight, and what its price holds."""
        pull = 2.0 * gaps @ (self.rows - self.rows.mean(axis=0))
        w = self.coef
        held = self.alpha * self.q * np.sign(w) * np.abs(w) ** (self.q - 1.0)
        rule = Equation("2 * sum((y[i] - ŷ[i]) * x[i, j] for i in _)", "α * q * sign(w[j]) * abs(w[j]) ** (q - 1)")
        rows = ((f"⟦w[{j + 1}]⟧", float(w[j]), float(pull[j]), float(held[j])) for j in range(len(w)))
        note = f"At a weight of 0 the rows may pull by up to ⟦{self.alpha!r}⟧ either way." if self.q == 1.0 else ""
        table = cut_table(("", "weight", "rows pull", "price holds"), rows, len(w))
        return Step("Where it ended, rows and price are in balance", rule, table, note=note)

    def _descent(self) -> Any:
        places = np.arange(len(self.history))
        return curve_figure(places, {"f": self.history}, title="The objective falls", xlabel="step", ylabel="f")

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        rows = _numbers(X, "X", 2)
        steps = [
            Step(f"Row {i + 1}", plane_value("ŷ", self.coef, self.intercept, row, ("predict", i)))
            for i, row in enumerate(rows[: options.rows])
        ]
        return Work("Predictions", steps, only_first_rows(len(steps), len(rows) > options.rows))


def fit_priced(X: Any, y: Any, q: float, alpha: float) -> PricedFit:
    """Fit rows X (n, d) to y (n,) with the price α Σ |wⱼ|^q, q at least 1; the intercept costs nothing.

    >>> x = np.arange(6.0)
    >>> fit = fit_priced(x[:, None] ** [1, 2], 2 * x + 1, q=1.5, alpha=1.0)
    >>> fit.coef.round(4).tolist(), round(fit.intercept, 4), round(fit.complexity, 4)
    ([1.3908, 0.1117], 1.4988, 1.6775)
    """
    rows, targets = _numbers(X, "X", 2), _numbers(y, "y", 1)
    if len(rows) != len(targets) or not rows.size:
        raise DataError(f"X has {len(rows)} rows and y has {len(targets)} numbers; give as many of both, and some")
    power, price = require_exponent(q), positive_number(alpha, "alpha")
    if power < 1.0:
        raise ParameterError(
            f"q is {q!r}, and below 1 the objective is not convex: it may have many minima, of which none can be "
            "shown to be the least; take q from 1 on"
        )
    run = _PricedSquares.of(rows, targets, power, price).run()
    w = run.params
    intercept = float(targets.mean() - rows.mean(axis=0) @ w)
    return PricedFit(w, intercept, power, price, np.array(run.history), rows, targets)


@dataclass(frozen=True, eq=False)
class _PricedSquares:
    """f of weights (d,), from the sums of columns about their means."""

    gram: Floats  # (d, d)
    cross: Floats  # (d,)
    squares: float
    q: float
    alpha: float

    @classmethod
    def of(cls, rows: Floats, targets: Floats, q: float, alpha: float) -> _PricedSquares:
        x, t = rows - rows.mean(axis=0), targets - targets.mean()
        return cls(x.T @ x, x.T @ t, float(t @ t), q, alpha)

    def value(self, w: Floats) -> float:
        error = self.squares - 2.0 * float(self.cross @ w) + float(w @ self.gram @ w)
        return max(error, 0.0) + self.alpha * float((np.abs(w) ** self.q).sum())

    def run(self) -> Run[Floats]:
        """The weights, from those of ridge on."""
        price = self.alpha * np.eye(len(self.cross))
        start: Floats = np.linalg.solve(self.gram + price, self.cross).astype(np.float64)
        run = iterate(self.step, start, max_iter=MAX_ITER, tol=None)
        if self.q == 1.0:  # the steps make weights small, and this makes zeros of them
            prices = np.full(len(start), self.alpha)
            best = solve_quadratic(2.0 * self.gram, 2.0 * self.cross, prices, False, run.params)
            return Run(best, (*run.history, self.value(best)), Outcome.CONVERGED)
        if run.outcome is not Outcome.STALLED:  # where no step is less, rounding is reached
            warn_unless_converged(run, "fit_priced")
        return run

    def step(self, w: Floats) -> tuple[Floats | Outcome, float]:
        """One step down."""
        value, size = self.value(w), np.maximum(np.abs(w), LEAST ** (1.0 / max(self.q, 2.0)))
        slopes = 0.5 * self.alpha * self.q * size ** (self.q - 2.0)
        root = 1.0 / np.sqrt(np.diagonal(self.gram) + slopes)  # brings the diagonal to 1, so that units do not matter
        matrix = root[:, None] * (self.gram + np.diag(slopes)) * root
        move = root * np.linalg.solve(matrix, root * self.cross) - w
        if np.abs(move).max() <= STILL * max(float(np.abs(w).max()), LEAST):
            return Outcome.CONVERGED, value
        share = 1.0 / max(1.0, self.q - 1.0)
        while share > STILL:
            if self.value(w + share * move) < value:
                return w + share * move, value
            share /= 2.0
        return Outcome.STALLED, value


def _numbers(values: Any, name: str, dimensions: int) -> Floats:
    array = as_numbers(values, name, DataError)
    if array.ndim != dimensions or not np.isfinite(array).all():
        raise DataError(f"{name} of shape {array.shape} must be finite numbers in {dimensions} dimensions")
    return array
