"""The work of an optimiser: x, f, f′ and f″ in each row, single steps with their directions, and why it ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.arguments import Floats
from novacula.errors import ParameterError
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.optimize.program import Quadratic
from novacula.words import counted

if TYPE_CHECKING:
    from novacula.optimize.result import Result

SHOWN = 5
"""Rows of the path that are listed at its beginning and at its end, unless everything is asked for."""
COORDINATES = 4
"""Coordinates of x that are listed."""
MEANINGS = {
    "x": "where it is",
    "d": "the direction",
    "η": "the step, a factor of the direction",
    "g": "the gradient",
    "H": "the Hessian",
    "β": "share of the last direction",
    "d′": "the direction before",
    "g′": "the gradient before",
}


def derive_run(result: Result, options: WorkOptions, is_free: bool = True) -> Work:
    """The path in a table, the first step and the last, and the end, with its curvature if nothing constrains it."""
    steps: list[Step] = [path_step(result, options)]
    if result.path is not None:
        for k in dict.fromkeys(k for k in (1, result.n_iter) if 1 <= k <= result.n_iter):
            steps += step_steps(result, k)
    steps += end_steps(result, is_free)
    steps.append(Step("The path" if result.path is not None else "The history", figure=result.figure()))
    notes = [result.reason] if result.path is not None else [result.reason, "The path was not kept."]
    return Work(result.method, steps, notes)


def derive_step(result: Result, iteration: int) -> Work:
    """One step: where it was, the slope there, the direction, how far it went, and where it came to."""
    is_number = isinstance(iteration, int) and not isinstance(iteration, bool)
    if not is_number or not 1 <= iteration <= result.n_iter:
        made = counted(result.n_iter, "iteration")
        raise ParameterError(f"iteration is {iteration!r}; the run made {made}, counted from 1")
    if result.path is None:
        raise ParameterError("the path was not kept, so no iteration can be shown: run it with keep_path=True")
    return Work(f"{result.method}, iteration {iteration}", step_steps(result, iteration))


def meanings(*names: str) -> dict[str, str]:
    """What some names mean."""
    return {name: MEANINGS[name] for name in names}


def path_step(result: Result, options: WorkOptions) -> Step:
    """x, f, f′ and f″ row by row; of several coordinates ‖∇f‖ in place of the derivatives."""
    n, path = result.n_iter, result.path
    places = range(n + 1)
    if not options.is_full and n >= 2 * SHOWN:
        places = [*range(SHOWN), *range(n + 1 - SHOWN, n + 1)]  # type: ignore[assignment]
    d = len(result.x)
    columns = [] if path is None else ["⟦x⟧"] if d == 1 else [f"⟦x[{j + 1}]⟧" for j in range(min(d, COORDINATES))]
    with_derivatives = d == 1 and path is not None and result.problem is not None
    header = ["⟦k⟧", *columns, "⟦f⟧", *(["⟦f′⟧", "⟦f′′⟧"] if with_derivatives else ["⟦norm(g)⟧"]), "step ⟦η⟧"]
    rows = []
    for k in places:
        row: list[Any] = [k, *([] if path is None else path[k, :COORDINATES].tolist()), float(result.values[k])]
        row += derivatives(result, k) if with_derivatives else [float(result.gradient_norms[k])]
        rows.append((*row, float(result.steps[k]) if k else ""))
    cut = [f"{d - COORDINATES} more coordinates are left out."] if d > COORDINATES and columns else []
    cut += [f"The first {SHOWN} and the last {SHOWN} of {n + 1} rows."] if len(places) < n + 1 else []
    return Step("The path", value_of(result), table=WorkTable(tuple(header), tuple(rows), " ".join(cut)))


def value_of(result: Result) -> tuple[Equation, ...]:
    """The value at the end, where the function is a quadratic and can be written down."""
    f = result.objective
    if not isinstance(f, Quadratic) or not np.isfinite(result.x).all():
        return ()
    values = dict(zip("Pq", f.matrices, strict=True)) | {"x": result.x, "r": f.r}
    return (Equation("f(x)", "dot(x, P @ x) / 2 + dot(q, x) + r", values, of=("value",)),)


def derivatives(result: Result, k: int) -> list[float]:
    """f′ and f″ at a row of the path, of a function of one variable."""
    x = np.asarray(result.path)[k]
    return [float(gradient_at(result, x)[0]), float(hessian_at(result, x)[0, 0])]


def gradient_at(result: Result, x: Floats) -> Floats:
    """The gradient of f, as it was given or by central differences."""
    problem: Any = result.problem
    return np.asarray(problem.sign * problem.gradient(x))


def hessian_at(result: Result, x: Floats) -> Floats:
    """The Hessian of f, as it was given or by central differences, as a matrix."""
    problem: Any = result.problem
    return np.asarray(problem.sign * (problem.hessian(x) @ np.eye(len(x))))


# --- one step -------------------------------------------------------------------------------------------------


def step_steps(result: Result, k: int) -> Iterator[Step]:
    """Step k: the direction by the rule of the method, and x moved along it."""
    before, after = np.asarray(result.path)[k - 1 : k + 1]
    title, directions = f"Iteration {k}", result.directions
    if directions is None or np.isnan(directions[k]).any():
        of: tuple[str | int, ...] = ("steps", k) if result.method == "Levenberg–Marquardt" else ()
        far = {"x": before, "x′": after}
        moved = Equation("norm(x′ - x)", "sqrt(sum((x′[j] - x[j]) ** 2 for j in _))", far, of=of)
        yield Step(f"{title}: how far it goes", moved)
        yield from arrival_steps(result, k)
    else:
        yield from direction_steps(result, k, directions)
        values = {"x": before, "η": float(result.steps[k]), "d": directions[k]}
        move = Equation("x", "x + η * d", values, of=("path", k), sign="←", where=meanings("x", "η", "d"))
        yield Step(f"{title}: the step", move)
    fell = {"f(x′)": float(result.values[k]), "f(x)": float(result.values[k - 1])}
    if fell["f(x′)"] != fell["f(x)"]:
        sign = "<" if fell["f(x′)"] < fell["f(x)"] else ">"
        yield Step(f"{title}: what it brings", Equation("f(x′) - f(x)", "0", fell, sign=sign))


def arrival_steps(result: Result, k: int) -> Iterator[Step]:
    """The slope where a step comes to, where it is that of the function itself."""
    if result.problem is None:
        return
    g = gradient_at(result, np.asarray(result.path)[k])
    if np.isclose(np.linalg.norm(g), result.gradient_norms[k], rtol=1e-12, atol=0.0):
        length = Equation("norm(g)", "sqrt(sum(g[j] ** 2 for j in _))", {"g": g}, of=("gradient_norms", k))
        yield Step(f"Iteration {k}: the slope where it comes to", length)


def direction_steps(result: Result, k: int, directions: Floats) -> Iterator[Step]:
    """The direction of step k from the gradient, where the rule of the method is known."""
    if result.problem is None:
        return
    path, sign = np.asarray(result.path), result.problem.sign
    x, d, title = path[k - 1], directions[k], f"Iteration {k}: the direction"
    g = sign * gradient_at(result, x)  # of what is made smallest
    of: tuple[str | int, ...] = ("directions", k)
    minus = "-g" if sign > 0 else "g"
    shown = sign * g
    if np.array_equal(d, -g):
        yield Step(title, Equation("d", minus, {"g": shown}, of, meanings("d", "g")))
    elif result.method == "Newton's method" and k not in result.modified:
        H = hessian_at(result, x)
        yield Step(title, Equation("d", "-(inv(H) @ g)", {"H": H, "g": shown}, of, meanings("H", "d", "g")))
    elif result.method.startswith("Gradient"):
        values = {"g": shown, "β": result.momentum, "d′": directions[k - 1]}
        yield Step(title, Equation("d", f"{minus} + β * d′", values, of, meanings("d", "g", "β", "d′")))
    elif result.method == "Conjugate gradients":
        before = gradient_at(result, path[k - 2])
        share = Equation("β", "dot(g, g - g′) / dot(g′, g′)", {"g": g, "g′": before}, where=meanings("β", "g", "g′"))
        turned = {"g": g, "β": share.value, "d′": directions[k - 1]}
        yield Step(title, (share, Equation("d", "-g + β * d′", turned, of, meanings("d", "d′"))))
    if float(g @ d) < 0.0:
        below, way = ("<", "downhill") if sign > 0 else (">", "uphill")
        slope = Equation("dot(g, d)", "0", {"g": shown, "d": d}, sign=below, where=meanings("g", "d"))
        yield Step(f"Iteration {k}: it leads {way}", slope)


# --- the end --------------------------------------------------------------------------------------------------


def end_steps(result: Result, is_free: bool) -> Iterator[Step]:
    """The slope at the end, and what the curvature there says."""
    norm, most = result.gradient_norm, result.tol * max(1.0, abs(result.value))
    length = Equation("norm(g)", "sqrt(sum(g[j] ** 2 for j in _))", {"g": result.gradient}, of=("gradient_norm",))
    equations = [length]
    if norm <= most:
        values = {"norm(g)": norm, "tol": result.tol, "f(x)": result.value}
        equations.append(Equation("norm(g)", "tol * max(1, abs(f(x)))", values, sign="≤"))
    yield Step("The slope at the end", tuple(equations))
    settled = result.converged and len(result.x) <= 2 and bool(np.isfinite(result.x).all())
    if not is_free or result.problem is None or not settled:
        return
    H = hessian_at(result, result.x)
    bend = 1.0 if H[0, 0] > 0 else -1.0
    if len(H) == 1 and H[0, 0] != 0.0:
        sign, kind = (">", "minimum") if bend > 0 else ("<", "maximum")
        second = Equation("f′′(x)", "0", {"f′′(x)": H[0, 0]}, sign=sign)
        yield Step(f"It bends {'upwards' if bend > 0 else 'downwards'}: a {kind}", second)
    elif len(H) == 2 and H[0, 0] * H[1, 1] - H[0, 1] ** 2 > 0.0:
        positive = Equation("H[1, 1] * H[2, 2] - H[1, 2] ** 2", "0", {"H": H}, sign=">")
        first = Equation("H[1, 1]", "0", {"H": H}, sign=">" if bend > 0 else "<")
        yield Step(f"The Hessian ⟦H⟧ has one sign: a {'minimum' if bend > 0 else 'maximum'}", (positive, first))
