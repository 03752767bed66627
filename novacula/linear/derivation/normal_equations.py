"""The coefficients of a plane from the normal equations, with the numbers in them, solved step by step.

One column is the formula of the textbook. A few are eliminated in turn and put back. Of many, some equations
are shown, each solved for its own coefficient: that gives the coefficient only if the gradient is zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novacula.learner.derivation import TABLE_ROWS, largest
from novacula.learner.trace import FEW_NUMBERS, FEW_ROWS
from novacula.learner.work import Cell, Step, WorkTable
from novacula.linear.plane import coefficient_table, of_target, place
from novacula.linear.solve import EPS, NormalEquations
from novacula.mathematics import Equation
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.linear.model import LinearModel

FEW = 6
"""Columns up to which all equations are shown and solved."""
DIGITS = 1e-10
"""The share of a coefficient that rounding may move for an equation to be held to it; comparison is by nine digits."""
BOUNDED = "coordinate"
"""The solver of weights that must not be negative."""
ROUNDING = "Rounding in these sums reaches the digits shown"
FAR = 1e5
"""Distance from zero, in widths of a column, beyond which its rows about the mean are not written out."""
SMALL = 1e-2
"""Share of the largest coefficient below which one is not held to the equations of the rows."""
CONDITION = 1e6
"""The condition of the equations of rows up to which they are written out."""
CANCELS = 1e4
"""How many times its difference from n·x̄² may Σx² be for the textbook's formula to keep its digits."""


class Charge(NamedTuple):
    """What the squares of the weights cost: α times the factor of each column (d,)."""

    alpha: float
    factor: Floats

    @property
    def prices(self) -> Floats:
        """αf (d,)."""
        return self.alpha * self.factor

    @property
    def matrix(self) -> str:
        """The matrix of the equations, in letters."""
        if not self.prices.any():
            return "A"
        return "(A + α * I)" if (self.factor == 1.0).all() else "(A + α * F)"

    def of_column(self, j: int) -> tuple[str, dict[str, float]]:
        """What is added to entry (j, j), in letters, and their values."""
        if not self.prices[j]:
            return "", {}
        if (self.factor == 1.0).all():
            return " + α", {"α": self.alpha}
        return f" + α * f[{j + 1}]", {"α": self.alpha, f"f[{j + 1}]": float(self.factor[j])}


def free_of_charge(model: LinearModel) -> Charge:
    """No price."""
    return Charge(0.0, np.ones(model.n_features_in_))


def equations(model: LinearModel) -> NormalEquations | None:
    """The sums of the normal equations, None where there were fewer rows than columns."""
    if model.moments_ is None:
        return None
    return NormalEquations.of(model.moments_, np.full(model.n_features_in_, EPS), model.fit_intercept)


def coefficient_steps(
    model: LinearModel, system: NormalEquations | None, k: int, charge: Charge, is_full: bool
) -> Iterator[Step]:
    """How the coefficients of target k come about, and its intercept."""
    d, bounded = model.n_features_in_, model.solver_ == BOUNDED
    if system is None:
        yield dual_step(model, k, charge)
    elif d == 1 and system.varies.all() and not bounded:
        yield one_column_step(model, system, k, charge.alpha * float(charge.factor[0]))
    else:
        yield sums_step(model, charge)
        if d <= FEW and model.solver_ == "cholesky" and system.varies.all():
            yield from elimination_steps(model, system, k, charge)
        else:
            yield from equation_steps(model, system, k, charge, is_full)
        yield gradient_step(model, system, k, charge)
    yield coefficient_table(model, k)
    yield intercept_step(model, k)


def one_column_step(model: LinearModel, system: NormalEquations, k: int, alpha: float) -> Step:
    """The slope of a line, as in every textbook; the sums are those of the rows."""
    n, x, y = system.weight, float(system.centre[0]), float(system.centre[1 + k])
    xx, xy = float(system.gram[0, 0]), float(system.cross[0, k])
    if model.fit_intercept and n * (x * x) > CANCELS * xx:
        over, under = "sum((x[i] - x̄) * (y[i] - ȳ) for i in _)", "sum((x[i] - x̄)**2 for i in _)"
        values = {over: xy, under: xx}
    else:
        over, under = "sum(x[i] * y[i] for i in _)", "sum(x[i]**2 for i in _)"
        values = {over: xy + n * x * y, under: xx + n * (x * x)}  # without an intercept the centre is zero
        if model.fit_intercept:
            over, under = f"({over} - n * x̄ * ȳ)", f"({under} - n * x̄**2)"
            values |= {"n": n, "x̄": x, "ȳ": y}
    if alpha:
        under, values["α"] = f"({under} + α)", alpha
    return Step("The slope", Equation("w[1]", f"{over} / {under}", values, place(model, "coef_", k, 0)))


def sums_step(model: LinearModel, charge: Charge) -> Step:
    """The normal equations in letters, and what their letters are."""
    x, z, y = "x[i, j]", "x[i, l]", "y[i]"
    if model.fit_intercept:
        x, z, y = "(x[i, j] - x̄[j])", "(x[i, l] - x̄[l])", "(y[i] - ȳ)"
    gram, cross = Equation("A[j, l]", f"sum({x} * {z} for i in _)"), Equation("c[j]", f"sum({x} * {y} for i in _)")
    bounded = "They hold where a weight is not zero: none may be negative. " if model.solver_ == BOUNDED else ""
    factors = "⟦F⟧ has the factors ⟦f[j]⟧ of the columns on its diagonal." if "F" in charge.matrix else ""
    normal = Equation(f"{charge.matrix} @ w", "c")
    return Step("The normal equations: half the gradient is zero", (gram, cross, normal), note=bounded + factors)


def elimination_steps(model: LinearModel, system: NormalEquations, k: int, charge: Charge) -> Iterator[Step]:
    """The equations, what is left when columns are eliminated in turn, and the coefficients put back."""
    d = len(system.gram)
    names, w = model.schema_.column_names(range(d)), of_target(model.coef_, k)
    rows = np.column_stack([system.gram + np.diag(charge.prices), system.cross[:, k]])
    price = f"With ⟦α⟧ = ⟦{charge.alpha!r}⟧ on the diagonal." if charge.alpha else ""
    yield from eliminated_steps([f"⟦w[{j + 1}]⟧: {name}" for j, name in enumerate(names)], "⟦c⟧", rows, price)
    upper = eliminated(rows)
    for j in range(d)[::-1]:
        of, note = tied(model, system, k, j, charge, float(upper[j, j]))
        yield Step(f"⟦w[{j + 1}]⟧, the coefficient of {names[j]}", put_back("w", upper, w, j, of), note=note)


def eliminated_steps(unknowns: Sequence[str], right: str, rows: Floats, caption: str = "") -> Iterator[Step]:
    """Equations in numbers, and what is left of them when unknowns are eliminated in turn."""
    yield Step("Their numbers", table=matrix_table(("equation", *unknowns, right), rows, caption))
    yield Step(
        "Each column eliminated from the equations below it",
        table=matrix_table(("equation", *unknowns, "⟦z⟧"), eliminated(rows), "What is left of the matrix is ⟦U⟧."),
    )


def eliminated(rows: Floats) -> Floats:
    """Gauss's elimination of positive definite equations, which needs no exchange of rows."""
    upper = rows.copy()
    for j in range(len(upper) - 1):
        upper[j + 1 :] -= np.outer(upper[j + 1 :, j] / upper[j, j], upper[j])
        upper[j + 1 :, j] = 0.0
    return upper


def put_back(name: str, upper: Floats, found: Floats, j: int, of: tuple[str | int, ...]) -> Equation:
    """Unknown j from its eliminated equation and the unknowns after it; the right side is the last of `upper`."""
    d, i = len(upper), j + 1
    values: dict[str, Any] = {"z": upper[:, d], "U": upper[:, :d]}
    if i == d:
        return Equation(f"{name}[{i}]", f"z[{i}] / U[{i}, {i}]", values, of)
    others = f"sum(U[{i}, l] * {name}[l] for l in _ if l > {i})"
    return Equation(f"{name}[{i}]", f"(z[{i}] - {others}) / U[{i}, {i}]", {**values, name: found}, of)


def equation_steps(
    model: LinearModel, system: NormalEquations, k: int, charge: Charge, is_full: bool
) -> Iterator[Step]:
    """Some of the equations, each solved for its own coefficient, or for zero where that must not be negative."""
    w = of_target(model.coef_, k)
    live = np.flatnonzero(system.varies)
    shown = live if len(live) <= 4 or is_full else live[[0, 1, 2, -1]]
    for j, name in zip(shown.tolist(), model.schema_.column_names(shown), strict=True):
        of, note = tied(model, system, k, j, charge, float(system.gram[j, j] + charge.prices[j]))
        solved, values = own_equation("w", "A", "c", len(w), j, charge.of_column(j))
        values |= {"A": system.gram, "c": system.cross[:, k]} | ({"w": w} if len(w) > 1 else {})
        solved = f"max(0, {solved})" if model.solver_ == BOUNDED else solved
        title = f"Equation {j + 1} of {len(w)}, for the coefficient of {name}"
        yield Step(title, Equation(f"w[{j + 1}]", solved, values, of), note=note)


def own_equation(
    name: str, matrix: str, right: str, d: int, j: int, added: tuple[str, dict[str, float]] = ("", {})
) -> tuple[str, dict[str, Any]]:
    """Equation j of d in letters, solved for its own unknown; `added` to its entry of the diagonal, with its values."""
    i, (more, values) = j + 1, added
    others = f" - sum({matrix}[{i}, l] * {name}[l] for l in _ if l != {i})" if d > 1 else ""
    divisor = f"({matrix}[{i}, {i}]{more})" if more else f"{matrix}[{i}, {i}]"
    return f"({right}[{i}]{others}) / {divisor}", dict(values)


def tied(
    model: LinearModel, system: NormalEquations, k: int, j: int, charge: Charge, divisor: float
) -> tuple[tuple[str | int, ...], str]:
    """Hold equation j to the coefficient, unless rounding leaves its sums fewer digits than are compared.

    A column is known but for the share `noise` of its length, so that its product with another one, times that one's
    coefficient, may be off by that share of ‖xⱼ‖‖xᵢ‖|wᵢ|; the equation divides that by its own divisor.
    """
    w, length = of_target(model.coef_, k), np.sqrt(np.diagonal(system.gram) + charge.prices)
    uncertain = length[j] * float(((system.noise[j] + system.noise) * length) @ np.abs(w))
    held_at_zero = model.solver_ == BOUNDED and w[j] == 0.0
    if held_at_zero or uncertain <= DIGITS * divisor * abs(w[j]):
        return place(model, "coef_", k, j), ""
    return (), rounded(float(w[j]))


def rounded(value: float) -> str:
    """That an equation has not the digits that the model has."""
    return f"{ROUNDING}; the model says ⟦{value!r}⟧."


def gradient_step(model: LinearModel, system: NormalEquations, k: int, charge: Charge) -> Step:
    """The gradient at the solution, which must vanish, or hold a weight at zero that must not be negative."""
    w = of_target(model.coef_, k)
    shown = np.array(largest(w, TABLE_ROWS))
    left = (system.gram[shown] @ w) + charge.prices[shown] * w[shown]
    right = system.cross[shown, k]
    columns = (model.schema_.column_names(shown), left.tolist(), right.tolist(), (left - right).tolist())
    head = f"{charge.matrix} @ w"
    bounded = " where a weight is not, and nowhere negative" if model.solver_ == BOUNDED else ""
    return Step(
        f"Half the gradient at the solution is zero{bounded}, up to rounding",
        table=WorkTable(("column", f"⟦{head}⟧", "⟦c⟧", f"⟦{head} - c⟧"), tuple(zip(*columns, strict=True))),
    )


def written_dual(model: LinearModel, k: int, charge: Charge) -> tuple[Equation, ...]:
    """The equations of few rows with their numbers; none where columns pay differently, or rows are dependent."""
    rows = getattr(model, "trace_", None)
    if rows is None or model.solver_ == BOUNDED or (charge.prices.any() and not (charge.factor == 1.0).all()):
        return ()
    d = model.n_features_in_
    if dropped := bool(model.fit_intercept and not charge.alpha):
        rows = replace(rows, rows=rows.rows[:-1])  # rows about their means add up to zero: the last follows
    x, y = rows.rows[:, :d], rows.rows[:, d + k]
    gram = x @ x.T + charge.alpha * np.eye(len(x))
    if not len(x) or np.linalg.cond(gram) > CONDITION or (model.fit_intercept and _are_far(x, model.x_centre_)):
        return ()
    price = {"α": charge.alpha, "I": np.eye(len(x))} if charge.alpha else {}
    solved = np.linalg.inv(gram)
    w = np.abs(of_target(model.coef_, k))  # rounding is that of the largest, of which a small one has few digits
    tie = place(model, "coef_", k) if w.min() >= SMALL * w.max() else ()
    rows_said = "the rows, each times the root of its weight"
    if dropped:
        rows_said += ", but for the last: they add up to zero, so that it follows from the others"
    return (
        Equation("G", "X @ X.T + α * I" if price else "X @ X.T", {"X": x, **price}, where={"X": rows_said}),
        Equation("H", "inv(G)", {"G": gram}),
        Equation("a", "H @ y", {"H": solved, "y": y}),
        Equation("w", "X.T @ a", {"X": x, "a": solved @ y}, tie),
    )


def _why_unwritten(model: LinearModel, charge: Charge) -> str:
    """Why the equations of the rows are left to letters."""
    if model.solver_ == BOUNDED or (charge.prices.any() and not (charge.factor == 1.0).all()):
        return "they are written for weights of any sign at one price"
    if not hasattr(model, "trace_"):
        return f"they are written for up to {FEW_ROWS} rows and {FEW_NUMBERS} numbers, with the targets"
    return "their rounded numbers would not give ⟦w⟧"


def _are_far(x: Floats, centre: Floats) -> bool:
    """Whether some column lies so far from zero that little is left of its digits about its mean."""
    reach = np.abs(x).max(axis=0)
    return bool(((reach > 0.0) & (np.abs(centre) > FAR * reach)).any())


def dual_step(model: LinearModel, k: int, charge: Charge) -> Step:
    """With fewer rows than columns: the equations of the rows, and the length of what they give."""
    title = "There are fewer rows than columns, so the equations of the rows are solved"
    rows: tuple[Equation, ...] = (Equation("(X @ X.T + α * I) @ a", "y"), Equation("w", "X.T @ a"))
    note = "⟦X⟧ and ⟦y⟧ are about their means. " if model.fit_intercept else ""
    if model.solver_ == BOUNDED:
        title, rows = "No weight is negative", (Equation(f"{charge.matrix} @ w".replace("A", "X.T @ X"), "X.T @ y"),)
        note += "The equations hold where a weight is not zero. "
    elif not charge.prices.any():
        rows = (Equation("w", "X.T @ inv(X @ X.T) @ y"),)
        note += "Of all coefficients that fit as well, these are the shortest."
    elif not charge.prices.all():
        rows = (Equation("(X.T @ X + α * F) @ w", "X.T @ y"),)
    elif "F" in charge.matrix:
        rows = (Equation("(X @ inv(F) @ X.T + α * I) @ a", "y"), Equation("w", "inv(F) @ X.T @ a"))
    length = Equation("norm(w)**2", "sum(w[j]**2 for j in _)", {"w": of_target(model.coef_, k)})
    written = written_dual(model, k, charge)
    if not written:
        note = f"{note.strip()} The matrices are left out: {_why_unwritten(model, charge)}."
    return Step(title, (*rows, *written, length), note=note.strip())


def intercept_step(model: LinearModel, k: int) -> Step:
    """The plane passes through the means, or through the origin."""
    of = place(model, "intercept_", k) if model.fit_intercept else ("intercept_",)
    if not model.fit_intercept:
        return Step("The plane passes through the origin", Equation("b", "0", {}, of))
    values = {"ȳ": model.y_centre_[k], "w": of_target(model.coef_, k), "x̄": model.x_centre_}
    mean = Equation("b", "ȳ - sum(w[j] * x̄[j] for j in _)", values, of)
    return Step("The intercept: the plane passes through the means", mean)


def matrix_table(header: Sequence[str], rows: Floats, caption: str = "") -> WorkTable:
    """Equations as a table."""
    cells: list[tuple[Cell, ...]] = [(i + 1, *row.tolist()) for i, row in enumerate(rows)]
    return WorkTable(tuple(header), tuple(cells), caption)
