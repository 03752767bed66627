"""The work of a line search: the slope along its direction, the step, and the conditions that it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.optimize.line_search import LineSearch


def derive_line_search(found: LineSearch) -> Work:
    """The slope at the start, the step, and the conditions that it meets."""
    c1, c2 = found.limits
    slope = Equation(
        "φ′(0)",
        "dot(g, p)",
        {"g": found.start_gradient, "p": found.direction},
        of=("slopes", 0),
        where={"φ′(0)": "slope of f along the direction", "g": "gradient at the start", "p": "direction"},
    )
    steps = [Step("The slope along the direction", slope)]
    if not found.step:
        return Work("Line search", steps, [found.reason])
    moved = {"x": found.start, "t": found.step, "p": found.direction}
    steps.append(Step("The step", Equation("x", "x + t * p", moved, of=("x",), sign="←")))
    armijo = {"φ(t)": found.value, "φ(0)": found.start_value, "c_1": c1, "t": found.step, "φ′(0)": found.slopes[0]}
    enough = found.value <= found.start_value + c1 * found.step * found.slopes[0]
    if enough:
        decrease = Equation("φ(t)", "φ(0) + c_1 * t * φ′(0)", armijo, sign="≤")
        steps.append(Step("Sufficient decrease (Armijo)", decrease))
    if c2 is not None:
        holds = abs(found.slopes[1]) <= c2 * abs(found.slopes[0])
        values = {"φ′(t)": found.slopes[1], "c_2": c2, "φ′(0)": found.slopes[0]}
        flat = Equation("abs(φ′(t))", "c_2 * abs(φ′(0))", values, sign="≤" if holds else ">")
        steps.append(Step("Curvature (strong Wolfe)", flat))
    notes = [found.reason] if enough else [found.reason, "The decrease is less than rounding shows."]
    return Work("Line search", steps, notes)
