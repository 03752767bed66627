"""The line between two classes over two columns, its normal, and how many mistakes its margin allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import COLOURS, INK, LINES, Figure, literal
from novacula.learner.work import Step
from novacula.linear.classes_figure import first_rows
from novacula.linear.online.trace import OnlineShowings
from novacula.mathematics import Equation
from novacula.optimize import quadratic_program
from novacula.table.chunk import Floats
from novacula.words import counted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONG = 4.0
"""How many times longer one side of a picture may be for both to have one scale."""


def line_step(w: Floats, bias: float, name: str = "") -> Step:
    """Where b + w₁x₁ + w₂x₂ is 0: the slope and the height of the line, and its normal."""
    known = {"w[1]": float(w[0]), "w[2]": float(w[1])}
    found = [Equation("n", "w / norm(w)", {"w": w}, where={"n": "the normal, which points to the side of the class"})]
    if w[1]:
        line = Equation("x[2]", "-(w[1] / w[2]) * x[1] - b / w[2]")
        slope = Equation("slope", "-w[1] / w[2]", known)
        found = [line, slope, Equation("height", "-b / w[2]", {"b": bias, "w[2]": known["w[2]"]}), *found]
    else:
        found = [Equation("x[1]", "-b / w[1]", {"b": bias, "w[1]": known["w[1]"]}), *found]
    return Step(f"The line{name}", tuple(found))


def margin_steps(
    showings: OnlineShowings, positive: int, w: Floats, bias: float | None, mistakes: int, unless: str
) -> Iterator[Step]:
    """R, γ and (R/γ)² of rows that a plane separates; `unless` says why that does not bound these mistakes."""
    x = showings.rows if bias is None else np.column_stack([np.ones(len(showings.rows)), showings.rows])
    u = w if bias is None else np.append(bias, w)
    t = np.where(showings.targets == positive, 1.0, -1.0)
    best = quadratic_program(np.eye(len(u)), np.zeros(len(u)), G=-t[:, None] * x, h=-np.ones(len(t))).x
    if not np.isfinite(best).all():
        return  # a row must lie on any plane between the classes
    longest = Equation("R", "max(norm(x[i]) for i in _)", {"x": x})
    own = Equation("γ_u", "min(t[i] * dot(u, x[i]) for i in _) / norm(u)", {"t": t, "u": u, "x": x})
    margin = Equation("γ", "min(t[i] * dot(v, x[i]) for i in _) / norm(v)", {"t": t, "v": best, "x": x})
    bound = {"R": longest.value, "γ": margin.value}
    most = Equation("B", "(R / γ) ** 2", bound)
    told = f"⟦B⟧ bounds the mistakes from weights of zero at one rate; {unless}, where there may be more."
    if not unless:
        most, told = Equation("M", "(R / γ) ** 2", {"M": mistakes, **bound}, sign="≤"), "⟦M⟧ are the mistakes."
    ones = ", of which the first is the bias" if bias is not None else ""
    yield Step(
        "How many mistakes there can be",
        (longest, own, margin, most),
        note=f"⟦x[i]⟧ are the rows{' with a 1 before them' if ones else ''}, ⟦t[i]⟧ is 1 or ⟦-1⟧, ⟦u⟧ the weights that "
        f"were found{ones}, and ⟦v⟧ those with the widest margin. {told}",
    )


def line_figure(model: Any, coef: Floats, intercept: Floats, names: list[str]) -> Figure:
    """The first rows by class, the lines b + w₁x₁ + w₂x₂ = 0 of planes (planes, 2), and their normals."""
    showings = model.trace_.kept_showings
    points, codes = showings.rows, showings.targets
    drawn = [k for k in range(len(coef)) if coef[k].any()]
    centre = points.mean(axis=0)
    # the point of each line that is nearest to the rows
    feet = {k: centre - (coef[k] @ centre + intercept[k]) / (coef[k] @ coef[k]) * coef[k] for k in drawn}
    seen = np.vstack([points, *feet.values()])
    low, high = seen.min(axis=0), seen.max(axis=0)
    sides = np.where(high > low, high - low, 1.0)
    is_square = sides.max() <= LONG * sides.min()  # only then does a normal look like one

    def draw(axes: Axes) -> None:
        for k in np.unique(codes):
            label, marker = literal(shortened(str(model.classes_[k]))), "osD^vPX*"[k % 8]
            axes.plot(*points[codes == k].T, marker, color=COLOURS[k % len(COLOURS)], markersize=7, label=label)
        for i, k in enumerate(drawn):
            w, foot, style = coef[k], feet[k], LINES[i % len(LINES)]
            label = literal(shortened("b + w·x = 0" + names[k]))
            axes.axline(foot, foot + np.array([-w[1], w[0]]), color=INK, linestyle=style, label=label)
            if is_square:
                tip = foot + 0.25 * sides.max() * w / np.linalg.norm(w)
                axes.annotate("", tip, foot, arrowprops={"arrowstyle": "->", "color": INK})
        if is_square:
            axes.set_aspect("equal")
        axes.set_xlim(low[0] - 0.15 * sides[0], high[0] + 0.15 * sides[0])
        axes.set_ylim(low[1] - 0.15 * sides[1], high[1] + 0.15 * sides[1])
        across, up = model.schema_.column_names(range(2))
        axes.set_xlabel(literal(shortened(across)))
        axes.set_ylabel(literal(shortened(up)))
        axes.grid()
        axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))

    about = first_rows(model, codes)
    alt = f"{counted(len(drawn), 'line')} between the classes, and {about}."
    return Figure(draw, alt, f"Where the classes meet, and {about}")
