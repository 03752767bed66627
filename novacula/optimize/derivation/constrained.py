"""The work of a problem with constraints: its system, the conditions at the end, and which constraints bind and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.arguments import Floats
from novacula.learner.derivation import SHOWN, cut_table, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.optimize.derivation.cases import BINDING, case_steps
from novacula.optimize.derivation.run import path_step, value_of
from novacula.optimize.derivation.smooth import derive_smooth
from novacula.optimize.program import QuadraticProgram

if TYPE_CHECKING:
    from novacula.optimize.kkt import ConstrainedResult

MEANINGS = {
    "P": "the matrix of the objective ⟦dot(x, P @ x) / 2 + dot(q, x)⟧",
    "q": "its vector",
    "A": "rows of the equalities ⟦A @ x == b⟧",
    "b": "what they must come to",
    "G": "rows of the inequalities ⟦G @ x <= h⟧",
    "h": "what they may come to at most",
    "α": "multipliers of the equalities",
    "z": "multipliers of the inequalities",
    "x": "where it ends",
}


def derive_constrained(result: ConstrainedResult, options: WorkOptions) -> Work:
    """The system or the path, the conditions of Karush, Kuhn and Tucker, and which constraints bind."""
    program = result.program
    if not isinstance(program, QuadraticProgram):
        return derive_smooth(result, options)
    if result.certificate:
        steps = list(certificate_steps(result, program))
        return Work(result.method, steps, [result.reason])
    steps = list(system_steps(result, program))
    if result.n_iter:
        steps.append(path_step(result, options))
    elif value_of(result):
        steps.append(Step("The value", value_of(result)))
    steps += condition_steps(result, program)
    notes = [result.reason]
    if len(result.inequality_multipliers):
        most = len(result.inequality_multipliers) if options.is_full else SHOWN
        steps += binding_steps(result, program, most)
        notes += only_first(min(most, len(result.inequality_multipliers)), len(result.inequality_multipliers), "row")
        steps += case_steps(result)
    if result.path is not None and len(result.x) <= 2:
        steps.append(Step("The path", figure=result.figure()))
    return Work(result.method, steps, notes)


def chosen(*names: str) -> dict[str, str]:
    """What some names mean."""
    return {name: MEANINGS[name] for name in names}


def system_steps(result: ConstrainedResult, program: QuadraticProgram) -> Iterator[Step]:
    """With equalities only: Lagrange's system, whose solution is x with its multipliers."""
    P, q, G, _, A, b = program.arrays
    if len(G) or not len(A):
        return
    lagrangian = Equation(
        "L(x, α)", "dot(x, P @ x) / 2 + dot(q, x) - dot(α, A @ x - b)", where=chosen("P", "q", "A", "b")
    )
    yield Step("The Lagrangian", lagrangian)
    K = np.block([[P, -A.T], [A, np.zeros((len(A), len(A)))]])
    if np.linalg.matrix_rank(K) < len(K):
        yield Step(
            "Its system", note="Equalities repeat each other, or the objective is flat: many x solve the system."
        )
        return
    right = np.concatenate([-q, b])
    found = np.concatenate([result.x, result.multipliers])
    where = {
        "K": "⟦P⟧ and minus ⟦A.T⟧, and below ⟦A⟧ and zeros",
        "c": "minus ⟦q⟧, and below ⟦b⟧",
        "u": "⟦x⟧, and below ⟦α⟧",
    }
    system = Equation("K @ u", "c", {"K": K, "c": right, "u": found}, where=where)
    solved = Equation("u", "inv(K) @ c", {"K": K, "c": right})
    solution = np.asarray(solved.value)
    parts = [Equation(f"x[{j + 1}]", f"u[{j + 1}]", {"u": solution}, of=("x", j)) for j in range(min(len(q), SHOWN))]
    parts += [
        Equation(f"α[{i + 1}]", f"u[{len(q) + i + 1}]", {"u": solution}, of=("multipliers", i))
        for i in range(min(len(A), SHOWN))
    ]
    yield Step("No slope of the Lagrangian: a linear system", (system, solved, *parts))


def condition_steps(result: ConstrainedResult, program: QuadraticProgram) -> Iterator[Step]:
    """The conditions of Karush, Kuhn and Tucker, each with what it is missed by."""
    P, q, G, h, A, b = program.arrays
    x, z, α = result.x, result.inequality_multipliers, result.multipliers
    right, values, names = "P @ x + q", {"P": P, "x": x, "q": q}, ["P", "q", "x"]
    if len(G):
        right, values, names = f"{right} + G.T @ z", values | {"G": G, "z": z}, [*names, "G", "z"]
    if len(A):
        right, values, names = f"{right} - A.T @ α", values | {"A": A, "α": α}, [*names, "A", "α"]
    slope = Equation("g_L", right, values, of=("gradient",), where={**chosen(*names), "g_L": "slope of the Lagrangian"})
    yield Step("Stationarity: the Lagrangian has no slope", slope)
    if len(A):
        yield Step("The equalities hold", Equation("A @ x", "b", {"A": A, "x": x, "b": b}, where=chosen("A", "b")))
    if len(G) and np.isfinite(h).all():
        slack = "sum(G[j, i] * x[i] for i in _) - h[j]"
        values = {"G": G, "x": x, "h": h, "z": z}
        both = Equation(
            "ε", f"max(abs(z[j] * ({slack})) for j in _)", values, of=("residuals", "complementary_slackness"),
            where=chosen("h", "z"),
        )  # fmt: skip
        yield Step("Complementary slackness: a price, or room to spare, but not both", both)


def binding_steps(result: ConstrainedResult, program: QuadraticProgram, most: int) -> Iterator[Step]:
    """Which inequalities bind, and why: what they hold back the free minimum from."""
    P, q, G, h, _, _ = program.arrays
    z, x = result.inequality_multipliers, result.x
    binds = z > BINDING * max(1.0, float(np.abs(z).max()))
    reached = G @ x
    rows = [
        (j + 1, float(reached[j]), float(h[j]), float(h[j] - reached[j]), float(z[j]), "binds" if b else "is slack")
        for j, b in enumerate(binds)
    ]
    header = ("row ⟦j⟧ of ⟦G⟧", "⟦G @ x⟧", "⟦h⟧", "slack", "price ⟦z⟧", "")
    yield Step("Which constraints bind", table=cut_table(header, rows, len(rows), most=most))
    free = None
    if np.linalg.matrix_rank(P) == len(P):
        minimum = Equation("x_0", "-(inv(P) @ q)", {"P": P, "q": q}, where={"x_0": "the minimum without constraints"})
        free = np.asarray(minimum.value)
        yield Step("Where the objective would be least without constraints", minimum)
    for j in np.flatnonzero(binds)[:most]:
        yield Step(f"Row {j + 1} binds", tuple(_why(G[j], h[j], z[j], free, int(j))))
    if (~binds).any():
        j = int(np.flatnonzero(~binds)[0])
        room: dict[str, Any] = {f"G[{j + 1}]": G[j], "x": x, f"h[{j + 1}]": h[j]}
        if float(G[j] @ x) < h[j] - BINDING * max(1.0, abs(float(h[j]))) and np.isfinite(h[j]):
            left = f"dot(G[{j + 1}], x)"
            yield Step(f"Row {j + 1} is slack: it could be dropped", Equation(left, f"h[{j + 1}]", room, sign="<"))


def _why(row: Floats, side: float, price: float, free: Floats | None, j: int) -> Iterator[Equation]:
    """The price of a row that binds, and that the free minimum lies beyond it, if it does."""
    yield Equation(f"z[{j + 1}]", "0", {f"z[{j + 1}]": price}, sign=">")
    if free is not None and float(row @ free) > side:
        values = {f"G[{j + 1}]": row, "x_0": free, f"h[{j + 1}]": side}
        yield Equation(f"dot(G[{j + 1}], x_0)", f"h[{j + 1}]", values, sign=">")


def certificate_steps(result: ConstrainedResult, program: QuadraticProgram) -> Iterator[Step]:
    """Why there is no solution: multipliers that no point can satisfy, or a direction without end."""
    _, q, G, h, _, b = program.arrays
    proof = result.certificate
    if "direction" in proof:
        d = proof["direction"]
        falls = Equation("dot(q, d)", "0", {"q": q, "d": d}, sign="<", where={"d": "a direction without curvature"})
        yield Step("Along this direction it falls without end", falls)
        if len(G):
            worst = Equation(
                "max(sum(G[j, i] * d[i] for i in _) for j in _)", "ε", {"G": G, "d": d, "ε": 1e-6}, sign="≤"
            )
            yield Step("No inequality stops it, up to rounding", worst)
    elif np.isfinite(h).all():
        z, α = proof["inequalities"], proof["equalities"]
        left = "dot(h, z)" if len(h) else "0"
        right = "dot(b, α)" if len(b) else "0"
        values = ({"h": h, "z": z} if len(h) else {}) | ({"b": b, "α": α} if len(b) else {})
        yield Step(
            "Weighted by ⟦z⟧ and ⟦α⟧ the constraints contradict each other",
            Equation(left, right, values, sign="<"),
            note="So weighted, their left sides are the same for every x.",
        )
    kind = Equation("x", word(result.kind), {}, of=("kind",), therefore=True)
    yield Step("So it has no solution", kind)
