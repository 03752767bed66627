"""The work of a smooth problem with constraints: its path, the conditions at the end, and what each constraint does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.arguments import Floats
from novacula.learner.derivation import SHOWN, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.optimize.derivation.cases import BINDING, case_steps
from novacula.optimize.derivation.run import derive_run

if TYPE_CHECKING:
    from novacula.optimize.kkt import ConstrainedResult
    from novacula.optimize.program import QuadraticProgram, SmoothProgram

WHERE = {
    "g_f": "gradient of the objective",
    "J": "gradients of the inequalities ⟦c[j] >= 0⟧, a row each",
    "z": "multipliers of the inequalities",
    "E": "gradients of the equalities, a row each",
    "α": "multipliers of the equalities",
    "g_L": "gradient of the Lagrangian",
}


def derive_smooth(result: ConstrainedResult, options: WorkOptions) -> Work:
    """The path, and the conditions of Karush, Kuhn and Tucker at the end; or why there is no solution."""
    work = derive_run(result, options, is_free=False)
    program = result.program
    if program is None or not np.isfinite(result.x).all():
        return work
    if result.certificate:
        return replace(work, steps=(*work.steps, *proof_steps(result, program)))
    steps = [*condition_steps(result, program), *inequality_steps(result, program, options), *case_steps(result)]
    return replace(work, steps=(*work.steps, *steps))


def condition_steps(result: ConstrainedResult, program: QuadraticProgram | SmoothProgram) -> Iterator[Step]:
    """Stationarity, and the equalities."""
    (h, H), (g, E) = program.at_most_zero(result.x), program.zero(result.x)
    right, values = "g_f", {"g_f": program.slope(result.x)}
    if len(h):
        right, values = f"{right} - J.T @ z", values | {"J": -H, "z": result.inequality_multipliers}
    if len(g):
        right, values = f"{right} - E.T @ α", values | {"E": E, "α": result.multipliers}
    where = {name: WHERE[name] for name in ("g_L", *values)}
    yield Step("At the end the gradients balance", Equation("g_L", right, values, of=("gradient",), where=where))
    if len(g):
        of = () if len(h) else ("residuals", "primal_feasibility")
        missed = Equation("ε", "max(abs(e[i]) for i in _)", {"e": g}, of=of)
        note = "⟦e⟧ is what the equalities come to; it should be 0."
        yield Step("The equalities hold, up to rounding", missed, note=note)


def inequality_steps(
    result: ConstrainedResult, program: QuadraticProgram | SmoothProgram, options: WorkOptions
) -> Iterator[Step]:
    """For each inequality which of three cases it is: it binds, it only touches, or it has room to spare."""
    slack, z = -program.levels(result.x)[0], result.inequality_multipliers
    if not len(slack):
        return
    both = Equation(
        "ε", "max(abs(z[j] * c[j]) for j in _)", {"z": z, "c": slack}, of=("residuals", "complementary_slackness"),
        where={"c": "what the inequalities come to"},
    )  # fmt: skip
    rows = [(j + 1, float(slack[j]), float(z[j]), case_of(slack[j], z[j], z)) for j in range(len(z))]
    most = len(rows) if options.is_full else SHOWN
    table = cut_table(("⟦j⟧", "⟦c[j]⟧", "price ⟦z[j]⟧", "case"), rows, len(rows), most=most)
    yield Step("Complementary slackness: a price, or room to spare, but not both", both, table)
    for j in range(min(len(z), most)):
        name = {"binds": ("z", z[j]), "has room": ("c", slack[j])}.get(case_of(slack[j], z[j], z).split(":")[0])
        if name is not None:
            symbol = f"{name[0]}[{j + 1}]"
            words = "binds: its price is above 0" if name[0] == "z" else "has room: it could be dropped"
            yield Step(f"Inequality {j + 1} {words}", Equation(symbol, "0", {symbol: float(name[1])}, sign=">"))


def case_of(slack: float, price: float, prices: Floats) -> str:
    """What an inequality does at the end."""
    if price > BINDING * max(1.0, float(np.abs(prices).max())):
        return "binds: it holds f back"
    if abs(slack) <= BINDING * 10:
        return "touches: without it the end were the same"
    return "has room: it could be dropped"


def proof_steps(result: ConstrainedResult, program: QuadraticProgram | SmoothProgram) -> Iterator[Step]:
    """A direction without end, or weights with which the gradients of constraints cancel though they are missed."""
    proof = result.certificate
    if "direction" in proof:
        t, d = 1e8, proof["direction"]
        far: dict[str, Any] = {"f(x + t * d)": float(result.objective(result.x + t * d)), "f(x)": result.value}
        where = {"d": "the direction", "t": f"{t:g}"}
        falls = Equation("f(x + t * d)", "f(x)", far, sign="<", where=where)
        yield Step("Along this direction it falls without end", falls)
    else:
        (h, H), (g, E) = program.at_most_zero(result.x), program.zero(result.x)
        z, α = proof["inequalities"], proof["equalities"]
        sides = [("J.T @ z", "dot(z, c)", {"J": -H, "z": z}, {"z": z, "c": -h})] if len(h) else []
        sides += [("E.T @ α", "dot(α, e)", {"E": E, "α": α}, {"α": α, "e": g})] if len(g) else []
        slopes = {name: value for side in sides for name, value in side[2].items()}
        levels = {name: value for side in sides for name, value in side[3].items()}
        where = WHERE | {"z": "weights of the inequalities", "α": "weights of the equalities"}
        weighted = f"norm({' + '.join(side[0] for side in sides)})"
        meanings = {name: where[name] for name in slopes}
        cancel = Equation(weighted, "ε", {**slopes, "ε": 1e-3}, sign="≤", where=meanings)
        yield Step("So weighted, the gradients of the constraints cancel, up to rounding", cancel)
        falls = Equation(" + ".join(side[1] for side in sides), "0", levels, sign="<")
        yield Step("But they are missed: where all hold this is at least 0", falls)
    yield Step("So it has no solution", Equation("x", word(result.kind), {}, of=("kind",), therefore=True))
