"""Pictures of support vector machines: the margin between classes in two columns, the tube about a curve over one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from novacula.kernel.algebra.rows import dense
from novacula.kernel.svm.shown_machine import ShownMachine
from novacula.learner.figure import COLOURS, INK, Figure, literal
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novacula.kernel.svc import SVC
    from novacula.kernel.svm.base import SupportVectorMachine
    from novacula.kernel.svr import SVR

GRID = 160
"""Points along a side of the grid on which decisions are taken."""
POINTS = 2_000
"""Rows that are drawn, at most."""
ALIKE = 3.0
"""How many times as long as the other may a side be for both to have one scale."""
LABEL = 20
"""Letters of a class in the legend."""
MARKERS = "osD^vPX*"


def margin_figure(model: SVC) -> Figure:
    """Rows by class, the border, the margins on both sides of it, and rings about the support vectors."""
    points, codes, support = _drawn(model)
    low, high = _frame(points, 0.12)
    side = GRID if model.support_vectors_.shape[0] <= 20_000 else GRID // 4
    across, up = (np.linspace(low[j], high[j], side) for j in range(2))
    grid = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
    decisions = _decisions(model, grid)
    two = len(model.classes_) == 2
    regions = model.chosen_codes(decisions).reshape(side, side)

    def draw(axes: Axes) -> None:
        for k in range(len(model.classes_)):
            shade = COLOURS[k % len(COLOURS)]
            axes.contourf(across, up, regions == k, levels=[0.5, 1.5], colors=[shade], alpha=0.12)
            if not two and (regions == k).any():
                axes.contour(across, up, regions == k, levels=[0.5], colors=INK, linewidths=0.8)
        if two:
            f = decisions[:, 0].reshape(side, side)
            axes.contour(across, up, f, levels=[0.0], colors=INK, linewidths=1.6)
            axes.contour(across, up, f, levels=[-1.0, 1.0], colors=INK, linewidths=1.0, linestyles="dashed")
        _draw_rows(axes, model, points, codes, support)
        if max(high - low) < ALIKE * min(high - low):
            axes.set_aspect("equal")  # so that the margin is seen at a right angle to the border
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        names = model.schema_.column_names(range(2))
        axes.set_xlabel(literal(shortened(names[0])))
        axes.set_ylabel(literal(shortened(names[1])))

    lines = "the border f = 0 and the margins f = ±1" if two else "the regions of the classes"
    alt = f"The support vectors by class, and {lines}."
    if not support.all():
        alt = f"{len(points)} rows by class, {lines}, and rings about {int(support.sum())} support vectors."
    title = ("The margin" if two else "Where the classes meet") + ", and the support vectors" * bool(support.all())
    return Figure(draw, alt, title, (6.8, 4.6))


def _drawn(model: SVC) -> tuple[Floats, Any, Any]:
    """Rows (n, 2), the number of the class of each, and whether it is a support vector."""
    vectors = dense(model.support_vectors_)
    codes = np.repeat(np.arange(len(model.classes_)), model.n_support_)
    if model.examples_ is None:
        every = -(-len(vectors) // POINTS)
        return vectors[::every], codes[::every], np.ones(len(vectors[::every]), bool)
    points, own = dense(model.examples_.rows), model.examples_.target
    return points, own, ((points[:, None] == vectors).all(axis=2) & (own[:, None] == codes)).any(axis=1)


def _draw_rows(axes: Axes, model: SVC, points: Floats, codes: Any, support: Any) -> None:
    for k in np.unique(codes):
        label, own = literal(shortened(str(model.classes_[k]), LABEL)), codes == k
        marker, size = MARKERS[k % len(MARKERS)], 6 if len(points) < 100 else 4
        axes.plot(*points[own].T, marker, color=COLOURS[k % len(COLOURS)], markersize=size, label=label)
    if not support.all():
        _ring(axes, *points[support].T)
    if len(model.classes_) == 2:
        axes.plot([], [], color=INK, linewidth=1.6, label="f = 0")
        axes.plot([], [], color=INK, linewidth=1.0, linestyle="dashed", label="f = ±1")
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))


def _ring(axes: Axes, x: Floats, y: Floats) -> None:
    """Rings about the support vectors."""
    axes.plot(x, y, "o", markersize=12, markerfacecolor="none", markeredgecolor=INK, label="support vector")


def tube_figure(model: SVR, machine: ShownMachine) -> Figure:
    """The function over one column, the tube of ε about it, the rows, and rings about the support vectors."""
    x, support = machine.rows[:, 0], machine.beta != 0.0
    low, high = _frame(np.vstack([machine.rows, dense(model.support_vectors_)]), 0.05)
    across = np.linspace(low[0], high[0], 2 * GRID)
    f = _decisions(model, across[:, None])[:, 0]

    def draw(axes: Axes) -> None:
        axes.plot(across, f, color=COLOURS[0], label="f(x)")
        axes.fill_between(across, f - model.epsilon, f + model.epsilon, color=COLOURS[0], alpha=0.15, label="f ± ε")
        if machine.target is not None:
            axes.plot(x, machine.target, "s", color=COLOURS[1], markersize=5, label="rows")
            _ring(axes, x[support], machine.target[support])
        axes.set_xlabel(literal(shortened(model.schema_.column_names(range(1))[0])))
        axes.set_ylabel("target")
        axes.grid()
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))

    alt = f"The function over one column with its tube, and rings about {int(support.sum())} support vectors."
    return Figure(draw, alt, "The function and its tube", (6.8, 4.2))


def _decisions(model: SupportVectorMachine, points: Floats) -> Floats:
    """The decisions at points, which take the form of the rows of the fit."""
    return model.row_decisions(csr_matrix(points) if issparse(model.support_vectors_) else points)


def _frame(points: Floats, share: float) -> tuple[Floats, Floats]:
    """The least and the largest value to be seen of each column."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = share * np.where(high > low, high - low, 1.0)
    return low - margin, high + margin
