"""A logistic model drawn: over one column beside the step that it smooths, over two as lines of equal probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from novacula.learner.figure import COLOURS, INK, Figure, few_digits, literal
from novacula.linear.classes_figure import first_rows
from novacula.linear.logistic.derivation.planes import plane_name
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.linear.logistic.logistic_regression import LogisticRegression

GRID = 601
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Probabilities whose lines are drawn over two columns."""


def probability_figure(model: LogisticRegression) -> Figure:
    """A step where the probability is one half and, beside it, the probability; the first rows at 0 and 1."""
    [name], label = model.schema_.column_names([0]), plane_name(model, 0)
    x = span(model, 0)
    w, b = float(model.coef_[0, 0]), float(model.intercept_[0])
    rows, t = model.trace_.rows[:, 0], model.trace_.classes

    def draw(axes: Axes) -> None:
        figure = axes.figure
        axes.remove()
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        for panel, title, h in ((left, "step", np.where(b + w * x > 0.0, 1.0, 0.0)),
                                (right, "logistic", special.expit(b + w * x))):  # fmt: skip
            for k in (0, 1):
                own = rows[t == k]
                panel.plot(own, np.full(len(own), float(k)), "os"[k], color=COLOURS[k], markersize=5, alpha=0.7)
            panel.plot(x, h, color=INK)
            panel.set_title(title)
            panel.set_xlabel(literal(shortened(name)))
            panel.grid()
        left.set_ylabel(literal(shortened(f"probability of {label}")))

    turn = f", which is one half at {few_digits(-b / w)}" if w else ""
    about = first_rows(model, t)
    alt = f"A step, and the probability of {label}{turn}; at 0 and 1 {about}."
    return Figure(draw, alt, f"A step, the probability of {label}, and {about}", (8.0, 3.6))


def contour_figure(model: LogisticRegression) -> Figure:
    """The first rows of two columns by class, and where the second class has some probabilities."""
    across, up = span(model, 0), span(model, 1)
    grid = np.stack(np.meshgrid(across, up), axis=-1)
    h = special.expit(grid @ model.coef_[0] + model.intercept_[0])
    rows, t, names = model.trace_.rows, model.trace_.classes, model.schema_.column_names(range(2))

    def draw(axes: Axes) -> None:
        for k in (0, 1):
            label = literal(shortened(str(model.classes_[k])))
            axes.plot(*rows[t == k].T, "os"[k], color=COLOURS[k], markersize=6, label=label)
        levels = [level for level in LEVELS if h.min() < level < h.max()]
        if levels:
            lines = axes.contour(across, up, h, levels=levels, colors=INK, linewidths=1.0)
            axes.clabel(lines, fontsize=8)
        axes.set_xlabel(literal(shortened(names[0])))
        axes.set_ylabel(literal(shortened(names[1])))
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))

    label, about = plane_name(model, 0), first_rows(model, t)
    alt = f"Lines of equal probability of {label}, and {about}."
    return Figure(draw, alt, f"Where {label} has the same probability, and {about}")


def span(model: LogisticRegression, j: int) -> Floats:
    """Places along a column, as far as most of its values reach."""
    rows = model.trace_.rows[:, j]
    middle = float(model.centre_[j]) if model.centre_.any() else float(rows.mean())
    reach = 3.0 * max(float(model.spread_[j]), 1e-300)
    return np.linspace(min(middle - reach, float(rows.min())), max(middle + reach, float(rows.max())), GRID)
