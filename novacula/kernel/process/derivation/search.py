"""The work of one iteration of the search for a Gaussian process's parameters: L-BFGS over their logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.kernel.process.derivation.posterior import likelihood_steps
from novacula.kernel.process.evidence import ConditionedProcess
from novacula.kernel.process.search import REACH, Climb
from novacula.learner.trace import FIRST
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.optimize.lbfgs import StepMemory
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.kernel.process.fitted import FittedProcess

MEMORY = 10
"""Pairs of changes that the search makes its directions from."""


def derive_search_step(model: FittedProcess, climb: Climb, iteration: int) -> Work:
    """From the parameters before an iteration to those after it, and how probable they make the targets."""
    path, names = model.trace_.path, climb.names
    before, after = path.step(iteration, (len(names) + 1,))
    u, following = before[:-1], after[:-1]
    old, new = (climb.start + REACH * np.tanh(place / REACH) for place in (u, following))
    rows = tuple(
        (name, math.exp(old[j]), math.exp(new[j]), float(u[j]), float(following[j])) for j, name in enumerate(names)
    )
    header = ("parameter ⟦θ⟧", "before", "after", "⟦u⟧ before", "⟦u⟧ after")
    steps = [Step("What went in, and what came out", table=WorkTable(header, rows))]
    steps += _move_steps(model, climb, iteration, float(after[-1]))
    kernel, noise = climb.parameters(following)
    if (point := climb.evidence.at(kernel, noise)) is not None:
        kept = ("history_", iteration)
        steps += likelihood_steps(climb.evidence, point.factor, point.dual, noise, kept)
        values = {"ℓ_1": point.log_likelihood, "ℓ_0": float(model.history_[iteration - 1])}
        where = {"ℓ_0": "⟦log(p(y))⟧ before", "ℓ_1": "⟦log(p(y))⟧ after"}
        gain = Equation("ℓ_1", "ℓ_0", values, sign="≥", where=where)
        steps += [Step("The targets became more probable", gain)] if gain.fault() is None else []
    notes = [f"Iteration {iteration} of {model.n_iter_}."]
    return Work(f"Gaussian process regression: iteration {iteration} of the search", steps, notes)


def _move_steps(model: FittedProcess, climb: Climb, iteration: int, length: float) -> Iterator[Step]:
    """The slopes, the direction made of them, and how far it was followed, for each parameter."""
    path, m = model.trace_.path, len(climb.names)
    u, following = (state[:-1] for state in path.step(iteration, (m + 1,)))
    slopes = climb.evidence.gradient(_point(climb, u))[:m]
    gradient, direction = climb.gradient(u), _direction(model, climb, iteration)
    place, is_last = int(np.searchsorted(path.iterations, iteration)), iteration == model.n_iter_
    for j, name in enumerate(climb.names):
        at = f"[{j + 1}]"
        scale = {"R": REACH, "N": climb.evidence.size, f"u{at}": float(u[j]), f"d{at}": float(slopes[j])}
        where = {
            f"d{at}": f"the slope of ⟦log(p(y))⟧ by ⟦log(θ{at})⟧",
            "N": "targets",
            "R": "how far logarithms may go",
        }
        equations = [Equation(f"g{at}", f"-d{at} * (1 - tanh(u{at} / R)**2) / N", scale, where=where)]
        if iteration == 1:
            equations.append(Equation(f"p{at}", f"-g{at}", {f"g{at}": float(gradient[j])}))
        if direction is not None:
            values = {f"u{at}": float(u[j]), "t": length, f"p{at}": float(direction[j])}
            where = {"t": "how far the direction was followed"}
            equations.append(
                Equation(
                    f"u{at}", f"u{at} + t * p{at}", values, ("trace_", "path", "states", place, j), where, sign="←"
                )
            )
        values = {f"a{at}": float(climb.start[j]), "R": REACH, f"u{at}": float(following[j])}
        where = {f"a{at}": "the logarithm of what was given"}
        equations.append(
            Equation(f"log(θ{at})", f"a{at} + R * tanh(u{at} / R)", values, ("theta_", j) if is_last else (), where)
        )
        yield Step(f"The step of {name}", tuple(equations))
    if direction is not None:
        downhill = Equation("dot(g, p)", "0", {"g": gradient, "p": direction}, sign="<")
        made = (
            "L-BFGS makes ⟦p⟧ of ⟦g⟧ and of the last changes of ⟦u⟧ and ⟦g⟧" if iteration > 1 else "⟦p⟧ begins as ⟦-g⟧"
        )
        note = f"⟦g⟧ is the gradient of what is minimised, ⟦-log(p(y)) / N⟧; {made}."
        yield Step("The direction leads downhill", downhill, note=note)


def _point(climb: Climb, u: Floats) -> ConditionedProcess:
    point = climb.evidence.at(*climb.parameters(u))
    assert point is not None  # noqa: S101  (the search was there)
    return point


def _direction(model: FittedProcess, climb: Climb, iteration: int) -> Floats | None:
    """The direction of an iteration, from all places before it; None where not all of them were kept."""
    if iteration > FIRST:
        return None
    memory = StepMemory(MEMORY)
    places = [model.trace_.path.at(i, (len(climb.names) + 1,))[:-1] for i in range(iteration)]
    gradients = [climb.gradient(u) for u in places]
    for i in range(1, iteration):
        memory.remember(places[i] - places[i - 1], gradients[i] - gradients[i - 1])
    direction = -memory.product(gradients[-1], memory.scaled)
    return direction if gradients[-1] @ direction < 0.0 else -gradients[-1]
