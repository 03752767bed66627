"""Networks that were built rather than learned: why each weight is what it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from novacula.learner.derivation import cut_table
from novacula.learner.figure import COLOURS, INK, Figure
from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.neural.derivation.passage import RowPassage
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.neural.multilayer import MultilayerNetwork

UNITS = 4
"""Hidden units whose weights are explained one by one, unless everything is asked for."""
DRAWN = 40
"""Bumps that are drawn one by one."""


def built_steps(model: MultilayerNetwork, is_full: bool) -> Iterator[Step]:
    """What the construction is, if it is one of ours, and the reason for its weights."""
    if model.architecture_.n_layers != 2 or model.architecture_.sizes[-1] != 1:
        return
    (n, units, _), W, V = model.architecture_.sizes, np.asarray(model.coefs_[0]), np.asarray(model.coefs_[1][:, 0])
    if is_boolean(model):
        yield from boolean_steps(model, is_full)
    is_plain = not hasattr(model, "classes_") and n == 1 and units % 2 == 0
    if is_plain and np.ptp(W) == 0.0 and np.array_equal(V[0::2], -V[1::2]):
        yield from bump_steps(model, is_full)


def is_boolean(model: MultilayerNetwork) -> bool:
    """Whether it has one hidden unit for each row of a truth table, as the construction gives it."""
    sizes, W = model.architecture_.sizes, np.asarray(model.coefs_[0])
    is_shaped = hasattr(model, "classes_") and len(sizes) == 3 and sizes[1:] == (2 ** sizes[0], 1)
    return is_shaped and np.array_equal(W, np.abs(W).max() * (2 * truth_rows(sizes[0]) - 1).T)


def truth_rows(n: int) -> Floats:
    """The rows of a truth table of n inputs."""
    return np.array(list(product((0.0, 1.0), repeat=n)))


# --- boolean functions ----------------------------------------------------------------------------------------


def boolean_steps(model: MultilayerNetwork, is_full: bool) -> Iterator[Step]:
    """A unit for each row of the truth table, and the table."""
    n, units, _ = model.architecture_.sizes
    rows = truth_rows(n)
    passage = RowPassage.of(model.architecture_, model.weights_, rows)
    c = float(np.abs(model.coefs_[0]).max())
    for j in range(units if is_full else min(units, UNITS)):
        w, b, r = np.asarray(model.coefs_[0][:, j], np.float64), float(model.intercepts_[0][j]), rows[j]
        yield Step(
            f"Hidden unit {j + 1} is for the row {' '.join(str(int(bit)) for bit in r)}",
            (
                *(Equation(f"w[{i + 1}]", f"c * (2 * r[{i + 1}] - 1)", {"c": c, "r": r}, ("coefs_", 0, i, j))
                  for i in range(n)),
                Equation("b", "-c * (sum(r[i] for i in _) - 1 / 2)", {"c": c, "r": r}, ("intercepts_", 0, j)),
                Equation("net(r)", ("b + sum(w[i] * r[i] for i in _)", "c / 2"), {"b": b, "w": w, "r": r, "c": c}),
            ),
            note="" if j else "A bit that differs takes ⟦c⟧ from the net input: it is ⟦-c / 2⟧ or less for any other "
            "row, so the unit answers 1 for its own row and 0 for the others.",
        )  # fmt: skip
    V, bias = np.asarray(model.coefs_[1][:, 0], np.float64), float(model.intercepts_[1][0])
    top = -bias
    wanted = (V > 0.0).astype(float)
    chosen = range(units if is_full else min(units, UNITS))
    yield Step(
        "The output adds the rows that are true",
        (
            *(Equation(f"v[{j + 1}]", f"2 * u * f[{j + 1}]", {"u": top, f"f[{j + 1}]": float(wanted[j])},
                       ("coefs_", 1, j, 0)) for j in chosen),
            Equation("b__2", "-u", {"u": top}, ("intercepts_", 1, 0)),
        ),
        note="⟦f[j]⟧ is the value of the function for row ⟦j⟧. The net input of the output is ⟦u⟧ where a true row "
        "answers, and ⟦-u⟧ where none does.",
    )  # fmt: skip
    heads = [f"⟦x[{i + 1}]⟧" for i in range(n)]
    fired = [f"⟦o__1[{j + 1}]⟧" for j in chosen]
    cells = [
        (*row.tolist(), *passage.outputs[0][k, list(chosen)].round(6).tolist(),
         float(passage.outputs[1][k, 0].round(6)), float(wanted[k])) for k, row in enumerate(rows)
    ]  # fmt: skip
    table = cut_table((*heads, *fired, "⟦o__2[1]⟧", "⟦f⟧"), cells, len(cells), "Outputs at six decimals.")
    yield Step("The truth table", table=table)


# --- bumps ----------------------------------------------------------------------------------------------------


def bump_steps(model: MultilayerNetwork, is_full: bool) -> Iterator[Step]:
    """Pairs of units that rise and fall."""
    W, b = np.asarray(model.coefs_[0][0], np.float64), np.asarray(model.intercepts_[0], np.float64)
    V = np.asarray(model.coefs_[1][:, 0], np.float64)
    edges, n = -b / W, len(W) // 2
    for j in range(n if is_full else min(n, UNITS // 2)):
        rise, fall = 2 * j, 2 * j + 1
        middle = float(edges[rise] + edges[fall]) / 2.0
        values: dict[str, Any] = {"c": W[rise], "x": middle, "a": edges[rise], "e": edges[fall]}
        form = "1 / (1 + exp(-c * (x - a))) - 1 / (1 + exp(-c * (x - e)))"
        yield Step(
            f"Bump {j + 1} is hidden unit {rise + 1} less hidden unit {fall + 1}",
            (
                Equation("b[1]", "-c * a", {"c": W[rise], "a": edges[rise]}, ("intercepts_", 0, rise)),
                Equation("b[2]", "-c * e", {"c": W[fall], "e": edges[fall]}, ("intercepts_", 0, fall)),
                Equation("bump(x)", form, values),
                Equation("v[2]", "-v[1]", {"v[1]": V[rise]}, ("coefs_", 1, fall, 0)),
            ),
            note=""
            if j
            else "It rises at ⟦a⟧ and falls at ⟦e⟧; ⟦x⟧ is its middle, and ⟦v[1]⟧ its height, the function there.",
        )
    cells = [(j + 1, float(edges[2 * j]), float(edges[2 * j + 1]), float(V[2 * j])) for j in range(n)]
    table = cut_table(("bump", "from", "to", "height"), cells, n)
    yield Step("The bumps and their sum", table=table, figure=bump_figure(model))


def bump_figure(model: MultilayerNetwork) -> Figure:
    """Each bump, and what they add up to."""
    W, b = np.asarray(model.coefs_[0][0], np.float64), np.asarray(model.intercepts_[0], np.float64)
    V = np.asarray(model.coefs_[1][:, 0], np.float64)
    edges, n = -b / W, len(W) // 2
    margin = 0.05 * float(np.ptp(edges))
    x = np.linspace(edges.min() - margin, edges.max() + margin, 1201)
    parts = special.expit(np.outer(x, W) + b) * V
    bumps = parts[:, 0::2] + parts[:, 1::2]

    def draw(axes: Axes) -> None:
        for j in range(min(n, DRAWN)):
            axes.plot(x, bumps[:, j], color=COLOURS[0], linewidth=0.8, label="bumps" if j == 0 else None)
        axes.plot(x, bumps.sum(axis=1), color=INK, linewidth=2.0, linestyle="--", label="their sum")
        axes.set_xlabel("x")
        axes.set_ylabel("output")
        axes.legend()
        axes.grid()

    return Figure(draw, f"{n} bumps from {edges.min():.4g} to {edges.max():.4g}, and their sum.", "Bumps and their sum")
