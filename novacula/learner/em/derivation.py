"""The work of a climb by expectation-maximization: objectives that never fall, and what a single iteration did."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import cut_table
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.trace import FitPath
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.learner.expectation_maximization import EMResult

RULE = Equation(
    "h", "argmax(Q(h′ | h) for h′ in _)", sign="←", where={"Q(h′ | h)": "E[ln p(D | h′) | h, what is seen]"}
)
"""The step that is repeated."""


def derive_climb(result: EMResult[Any, Any]) -> Work:
    """The objective from step to step, and which start was kept."""
    history, last = result.history, len(result.history) - 1
    expected = result.q_history
    rises = [
        (k, history[k], history[k] - history[k - 1] if k else "", *(expected.get(k, ("", "")) if expected else ()))
        for k in range(len(history))
    ]
    header = ("iteration", "objective ⟦L⟧", "rise", *(("⟦Q(h | h)⟧", "⟦Q(h′ | h)⟧") if expected else ()))
    table, figure = cut_table(header, rises, len(rises)), climb_figure(result)
    steps = [Step("The step that is repeated", RULE), Step("The climb", table=table, figure=figure)]
    if last >= 0:
        steps.append(Step("Objective at the end", _objective(result, last), note=result.sentence))
    if last > 0:
        steps.append(Step("The last step does not fall", _rise(result, last)))
    numbers = list(_numbers("h", result.params))
    if numbers:
        steps.append(Step("Where it ended", table=cut_table(("parameter", "value"), numbers, len(numbers))))
    starts = {str(i): restart.objective for i, restart in enumerate(result.restarts)}
    if len(starts) > 1:
        best = Equation("best", "argmax(L[s] for s in _)", {"L[s]": starts}, ("best",), therefore=True)
        steps.append(Step("The best of all starts", best))
    return Work("Expectation-maximization", steps)


def climb_figure(result: EMResult[Any, Any]) -> Figure:
    """The objective from the start on."""
    history = result.history
    return curve_figure(range(len(history)), {"objective": history}, xlabel="iteration", ylabel="L")


def derive_rise(result: EMResult[Any, Any], iteration: int) -> Work:
    """What went into an iteration, the statistics between, and what came out."""
    at = [state.iteration for state in result.path]
    objectives = np.array([result.history[k] for k in at])[:, None]
    FitPath(np.array(at, np.int64), objectives).step(iteration)  # says why, where there is none
    before, after = (result.path[at.index(k)] for k in (iteration - 1, iteration))
    steps = [Step("The step", RULE)]
    for title, name, value in (
        ("What went in", "h", before.params),
        ("E: expected statistics", "s", after.statistics),
        ("M: what came out", "h′", after.params),
    ):
        numbers = list(_numbers(name, value))
        if numbers:
            steps.append(Step(title, table=cut_table(("", "value"), numbers, len(numbers))))
    if iteration in result.q_history:
        steps.append(_expected_step(result, iteration))
    steps.append(Step("The objective does not fall", _rise(result, iteration)))
    return Work(f"Iteration {iteration} of expectation-maximization", steps)


def _expected_step(result: EMResult[Any, Any], k: int) -> Step:
    """Q of what went in and of what came out; where there is no prior, the objective rises by at least as much.

    A step that maximises Q raises it; where it falls, or the objective rises by less, the functions do not belong
    together, and a note says so.
    """
    old, new = result.q_history[k]
    if not (math.isfinite(old) and math.isfinite(new)):
        return Step("The expected log-likelihood", note="It is not finite.")
    values = {"Q(h′ | h)": new, "Q(h | h)": old}
    rises = [Equation("Q(h′ | h)", "Q(h | h)", values, ("q_history", k, 0), sign="≥")]
    faults = ["Q falls, so the M-step does not make it as large as it can be."]
    if _prior(result) is None:
        left = {f"L[{k}]": result.history[k], f"L[{k - 1}]": result.history[k - 1]}
        rises.append(Equation(f"L[{k}] - L[{k - 1}]", "Q(h′ | h) - Q(h | h)", left | values, sign="≥"))
        faults.append("L rises by less than Q, so Q is not that of this likelihood.")
    equations = [rise for rise in rises if rise.fault() is None]
    note = " ".join(fault for rise, fault in zip(rises, faults, strict=False) if rise.fault() is not None)
    rows = (("⟦Q(h | h)⟧", old), ("⟦Q(h′ | h)⟧", new))
    table = WorkTable(("expected log-likelihood of the complete data", "value"), rows)
    return Step("The expected log-likelihood", tuple(equations), table=table, note=note)


def _prior(result: EMResult[Any, Any]) -> float | None:
    """The log prior at the end; None where there is none."""
    prior = result.history[-1] - result.log_likelihood
    return None if math.isclose(prior, 0.0, abs_tol=1e-9 * abs(result.history[-1])) else prior


def _objective(result: EMResult[Any, Any], k: int) -> Equation:
    """The objective at the end, which is made of likelihood and prior."""
    prior = _prior(result)
    if prior is None:
        return Equation(f"L[{k}]", "log(p(D | h))", {"log(p(D | h))": result.log_likelihood}, ("history", k))
    values = {"log(p(D | h))": result.log_likelihood, "log(p(h))": prior}
    return Equation(f"L[{k}]", "log(p(D | h)) + log(p(h))", values, ("history", k))


def _rise(result: EMResult[Any, Any], k: int) -> Equation:
    """What came out is at least what went in, but for rounding, which is told."""
    new, old = result.history[k], result.history[k - 1]
    values = {f"L[{k}]": new, f"L[{k - 1}]": old}
    if new >= old:
        return Equation(f"L[{k}]", f"L[{k - 1}]", values, ("history", k - 1), sign="≥")
    return Equation(f"L[{k}]", f"L[{k - 1}] - ε", {**values, "ε": 2.0 * (old - new)}, sign="≥", where={"ε": "rounding"})


def _numbers(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """The numbers that parameters or statistics hold, each with a name."""
    if isinstance(value, bool | str | bytes) or value is None:
        return
    if isinstance(value, int | float | np.number):
        yield f"⟦{name}⟧", float(value)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        for place, entry in np.ndenumerate(value):
            indices = ", ".join(str(i + 1) for i in place)
            yield f"⟦{name}[{indices}]⟧" if place else f"⟦{name}⟧", float(entry)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _numbers(f"{name}[{field.name!r}]", getattr(value, field.name))
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _numbers(f"{name}[{str(key)!r}]", part)
    elif isinstance(value, tuple | list):
        for i, part in enumerate(value):
            yield from _numbers(f"{name}[{i + 1}]", part)
