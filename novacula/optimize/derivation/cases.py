"""The conditions of Karush, Kuhn and Tucker case by case: which inequalities bind is guessed, and judged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from novacula.arguments import Floats
from novacula.errors import ParameterError
from novacula.learner.figure import few_digits
from novacula.learner.work import Cell, Step, WorkTable

if TYPE_CHECKING:
    from novacula.optimize.kkt import ConstrainedResult

BINDING = 1e-7
"""Multipliers and slacks below this share of the largest are 0."""
MOST = 3
"""Inequalities and coordinates up to which the cases are told: of m inequalities there are 2^m."""


def case_steps(result: ConstrainedResult) -> Iterator[Step]:
    """Each case, where it leads, and why it is the answer or not; of few inequalities."""
    count = len(result.inequality_multipliers)
    if not 1 <= count <= MOST or len(result.x) > MOST or not result.converged:
        return
    subsets = chain.from_iterable(combinations(range(count), k) for k in range(count + 1))
    rows = tuple(_case(result, list(subset)) for subset in subsets)
    header = ("binding", *(f"⟦x[{j + 1}]⟧" for j in range(len(result.x))), "⟦f(x)⟧", "verdict")
    note = (
        "Each inequality either has no price, ⟦z[j] == 0⟧, or binds, ⟦c[j] == 0⟧, where ⟦c[j]⟧ is what it has to "
        "spare: a system of equations for each case."
    )
    yield Step("Case by case", table=WorkTable(header, rows), note=note)


def _case(result: ConstrainedResult, binding: list[int]) -> tuple[Cell, ...]:
    """One case: the stationary point where these inequalities are equalities, and whether it meets the conditions."""
    name = ", ".join(f"⟦c[{j + 1}]⟧" for j in binding) or "none"
    found = _stationary(result, binding)
    if found is None:
        return (name, *[""] * len(result.x), "", "no stationary point found")
    x, z = found
    slack = -np.asarray(result.program.levels(x)[0] if result.program else ())
    tolerance = 1e-6 * max(1.0, float(np.abs(z).max(initial=0.0)), float(np.abs(slack).max(initial=0.0)))
    verdict = "all conditions hold"
    if slack.min(initial=0.0) < -tolerance:
        j = int(slack.argmin())
        verdict = f"⟦c[{j + 1}]⟧ is {few_digits(slack[j])}, below 0: not allowed"
    elif z.min(initial=0.0) < -tolerance:
        j = binding[int(z.argmin())]
        verdict = f"⟦z[{j + 1}]⟧ is {few_digits(z.min())}, below 0: f falls towards the inside"
    return (name, *x.tolist(), float(result.objective(x)), verdict)


def _stationary(result: ConstrainedResult, binding: list[int]) -> tuple[Floats, Floats] | None:
    """The stationary point with these inequalities as equalities, and their multipliers; None if there is none."""
    from novacula.optimize.lagrange import lagrange
    from novacula.optimize.newton import newton

    program, start = result.program, result.x if result.path is None else result.path[0]
    if program is None:
        return None
    equalities = len(result.multipliers)

    def together(x: Floats) -> Floats:
        h, g = program.levels(x)
        return np.append(g, h[binding])

    def jacobian(x: Floats) -> Floats:
        return np.vstack([program.zero(x)[1], program.at_most_zero(x)[1][binding]])

    try:
        if not binding and not equalities:
            free = newton(result.objective, program.slope, None, start)
            return (free.x, np.empty(0)) if free.converged else None
        held = lagrange(result.objective, together, start, gradient=program.slope, jacobian=jacobian)
    except ParameterError:
        return None
    return (held.x, -held.multipliers[equalities:]) if held.converged else None
