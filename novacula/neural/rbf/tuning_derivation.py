"""One step of fine-tuning: the gradient, the direction that L-BFGS makes of it, and where centres and widths go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.derivation import cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.optimize.lbfgs import MEMORY, StepMemory, downhill
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neural.rbf.network import RadialNetwork
    from novacula.neural.rbf.trace import TuningTrace

ENTRIES = 6
"""Coordinates whose moves are written out."""
FALLS = 1e-4
"""The share of what the slope promises that the error must fall by."""
MEANINGS = {"g": "gradient of the error over its start", "t": "length of the step"}


def derive_tuning(model: RadialNetwork, trace: TuningTrace, iteration: int, options: WorkOptions) -> Work:
    """What went in, the direction, the step, and what came out."""
    K, d = model.centers_.shape
    size = (K * d + K,)
    before, after = trace.path.step(iteration, size)
    gradient, t = trace.gradients.at(iteration - 1, size), float(trace.steps.at(iteration, ()))
    if len(model.history_) <= iteration:
        raise ModelFileError(f"its history has {len(model.history_)} errors, too few for iteration {iteration}")
    names = [f"centre {k + 1}, {column.name}" for k in range(K) for column in model.schema_.features]
    names += [f"ln width {k + 1}" for k in range(K)]
    at = int(np.searchsorted(trace.path.iterations, iteration))
    direction, pairs = _direction(trace, iteration, size)
    steps = list[Step]()
    if direction is not None:
        rows = list(zip(names, before.tolist(), gradient.tolist(), direction.tolist(), after.tolist(), strict=True))
        header = ("coordinate ⟦j⟧", "⟦u⟧", "⟦g⟧", "⟦d⟧", "new ⟦u⟧")
        steps.append(Step("What goes down", table=cut_table(header, rows, len(rows))))
        steps += _direction_steps(gradient, direction, pairs)
        moves = tuple(
            Equation(
                f"u[{j + 1}]", f"u[{j + 1}] + t * d[{j + 1}]",
                {f"u[{j + 1}]": float(before[j]), "t": t, f"d[{j + 1}]": float(direction[j])},
                of=("trace_", "path", "states", at, j), sign="←",
                where={"t": MEANINGS["t"], f"u[{j + 1}]": names[j]},
            )
            for j in range(len(before))[: None if options.is_full else ENTRIES]
        )  # fmt: skip
        steps.append(Step("The step", moves))
        steps += _fall(model, iteration, t * float(gradient @ direction))
    if iteration == model.n_iter_:
        widths = tuple(
            Equation(f"σ[{k + 1}]", f"exp(u[{K * d + k + 1}])", {f"u[{K * d + k + 1}]": float(after[K * d + k])},
                     of=("widths_", k))
            for k in range(K)[: None if options.is_full else ENTRIES]
        )  # fmt: skip
        steps.append(Step("The widths at the end", widths))
    notes = [
        "Centres are counted in mean widths from where they began, widths by their logarithms.",
        "The weights of the outputs are solved for at each place, so the error is of centres and widths alone.",
    ]
    if direction is None:
        notes.append("The steps before are not all kept, so the direction, which is made of them, is not shown.")
        steps.insert(0, _length(iteration, before, after))
    return Work(f"Step {iteration} of fine-tuning", steps, notes)


def _direction(trace: TuningTrace, iteration: int, size: tuple[int, ...]) -> tuple[Floats | None, StepMemory]:
    """What L-BFGS makes of the gradients so far, if all of them are kept."""
    memory = StepMemory(MEMORY)
    if not np.array_equal(trace.path.iterations[: iteration + 1], np.arange(iteration + 1)):
        return None, memory
    for i in range(iteration - 1):
        gradient, following = trace.gradients.at(i, size), trace.gradients.at(i + 1, size)
        downhill(memory, gradient)
        memory.remember(trace.path.at(i + 1, size) - trace.path.at(i, size), following - gradient)
    return downhill(memory, trace.gradients.at(iteration - 1, size)), memory


def _direction_steps(gradient: Floats, direction: Floats, memory: StepMemory) -> list[Step]:
    """Straight down at first; later by the changes of place and gradient in the steps before."""
    if not memory.pairs:
        return [Step("Straight down", Equation("d", "-g", {"g": gradient}, where={"g": MEANINGS["g"]}))]
    s, y, _ = memory.pairs[-1]
    where = {"s": "last change of the place", "y": "last change of the gradient", "γ": "what a slope is taken to last"}
    scale = Equation("γ", "dot(s, y) / dot(y, y)", {"s": s, "y": y}, where=where)
    slope = Equation("dot(g, d)", "0", {"g": gradient, "d": direction}, sign="<", where={"g": MEANINGS["g"]})
    made = f"⟦d⟧ is made of ⟦g⟧ by the two loops of L-BFGS over {len(memory.pairs)} such pairs, from ⟦γ⟧ on."
    return [Step("The direction", (scale, slope), note=made)]


def _fall(model: RadialNetwork, iteration: int, promised: float) -> list[Step]:
    """That the error falls by at least a share of what the slope promises, unless that is rounding."""
    before, after = float(model.history_[iteration - 1]), float(model.history_[iteration])
    if after > before + FALLS * promised:
        return []
    values = {"E_1": after, "E_0": before, "c": FALLS, "p": promised}
    where = {"E_1": "error over its start, after", "E_0": "and before", "p": "⟦t * dot(g, d)⟧, what the slope promises"}
    return [Step("The error falls", Equation("E_1", "E_0 + c * p", values, sign="≤", where=where))]


def _length(iteration: int, before: Floats, after: Floats) -> Step:
    """How far it went."""
    moved = Equation("l", "norm(a - b)", {"a": after, "b": before}, where={"a": "after", "b": "before"})
    return Step(f"How far step {iteration} went", moved)
