"""The work of one step of sequential minimal optimisation: which two multipliers move, why, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.kernel.svm.dual import Dual
from novacula.kernel.svm.shown_machine import classifies, show_machine
from novacula.learner.trace import FitPath
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

FLAT = 1e-12
"""What a curvature of nothing counts as."""


@dataclass(frozen=True, eq=False)
class ShownPair:
    """A dual problem before a step, and the two variables that the step moves: i grows, j falls."""

    dual: Dual
    names: list[str]  # of the variables
    K: Floats  # (n, n)
    before: Floats  # (m,): the variables
    after: Floats  # (m,)
    i: int
    j: int

    @property
    def f(self) -> Floats:
        """Kβ of each row (n,)."""
        return np.asarray(self.K @ self.dual.sums(self.before))

    @property
    def score(self) -> Floats:
        """How much the objective grows with each variable (m,)."""
        return self.dual.scores(self.before, self.f)

    @property
    def bend(self) -> Floats:
        """The curvature of the objective where i grows and another variable falls (m,)."""
        own, row, ridge = self.K.diagonal()[self.dual.row], self.dual.row, self.dual.ridge
        bend = own[self.i] + own - 2.0 * self.K[row[self.i], row] + ridge[self.i] + ridge
        return np.asarray(np.maximum(bend, FLAT))

    def named(self, letter: str, v: int) -> str:
        """A quantity of a variable."""
        return f"{letter}[{word(self.names[v])}]"

    def ranked(self, values: Floats, chosen: Any, by: Floats) -> dict[str, float]:
        """Values of some variables, by name, those that are largest `by` something first."""
        places = np.flatnonzero(chosen)
        return {self.names[v]: float(values[v]) for v in places[np.argsort(-by[places], kind="stable")]}


def derive_pair_step(model: Any, path: FitPath, iteration: int) -> Work:
    """One step of the first machine of a small fit, from the multipliers before it to those after it."""
    machine = show_machine(model, 0)
    target = np.asarray(machine.target, float)
    if classifies(model):
        dual, names = Dual.classification(target, machine.cost, model.loss), list(map(str, machine.number))
    else:
        dual = Dual.regression(target, machine.cost, float(model.epsilon), model.loss)
        names = [f"{number}{side}" for side in "+-" for number in machine.number]
    before, after = path.step(iteration, (len(names),))
    i, j = int(np.argmax(after - before)), int(np.argmin(after - before))
    K = np.asarray(model.kernel_.block(machine.rows, machine.rows))
    pair = ShownPair(dual, names, K, before, after, i, j)
    of = ("trace_", "path", "states", int(np.searchsorted(path.iterations, iteration)))
    steps = [_table_step(pair), _score_step(pair), _choice_step(pair), _move_step(pair, of), _gain_step(pair)]
    last = int(np.atleast_1d(model.n_iter_)[0])
    title = machine.titled(f"Sequential minimal optimisation: step {iteration} of {last}")
    notes = ["⟦β⟧ is ⟦α * y⟧, and its score ⟦G⟧ is how much the objective grows with it."]
    if not classifies(model):
        notes = ["Each row has a ⟦β⟧ above 0 and one below; a score ⟦G⟧ is how much the objective grows with one."]
    return Work(title, steps, notes)


def _table_step(pair: ShownPair) -> Step:
    """Where all variables are, within which bounds, and where they come to be."""
    dual = pair.dual
    columns = (dual.lower, dual.upper, pair.before, pair.score, pair.after)
    cells = tuple(zip(pair.names, *(column.tolist() for column in columns), strict=True))
    header = ("row", "least", "most", "⟦β⟧ before", "⟦G⟧", "⟦β⟧ after")
    return Step("What went in, and what came out", table=WorkTable(header, cells))


def _score_step(pair: ShownPair) -> Step:
    """The scores of the two."""
    equations, sums = [], pair.dual.sums(pair.before)
    held = np.flatnonzero(sums)
    for v in (pair.i, pair.j):
        row, own = int(pair.dual.row[v]), pair.named("β", v)
        kernels = f"{pair.named('K', v)[:-1]}, r]"
        formula = f"{pair.named('c', v)} - sum({kernels} * β[r] for r in _)"
        values = {pair.named("c", v): pair.dual.target[v], kernels: pair.K[row, held], "β[r]": sums[held]}
        if pair.dual.ridge[v]:
            formula = f"{formula} - {pair.named('ρ', v)} * {own}"
            values |= {pair.named("ρ", v): pair.dual.ridge[v], own: pair.before[v]}
        equations.append(Equation(pair.named("G", v), formula, {**values, pair.named("G", v): pair.score[v]}))
    return Step("The scores of the two that move", tuple(equations))


def _choice_step(pair: ShownPair) -> Step:
    """Why these two: the one gains most by growing, the other makes most of it."""
    i, j, score, bend = pair.i, pair.j, pair.score, pair.bend
    grows, falls = pair.before < pair.dual.upper, pair.before > pair.dual.lower
    gap = score[i] - score
    top = Equation(
        pair.named("G", i),
        "max(G[v] for v in grows)",
        {"G[v]": pair.ranked(score, grows, score), pair.named("G", i): score[i]},
        where={"grows": "what can still grow"},
    )
    able = falls & (gap > 0.0)
    worth = gap**2 / bend
    values = {"G[v]": pair.ranked(score, able, worth), "η[v]": pair.ranked(bend, able, worth)}
    best = Equation(
        pair.named("q", j),
        f"max(({pair.named('G', i)} - G[v])**2 / η[v] for v in falls)",
        {**values, pair.named("G", i): score[i], pair.named("q", j): worth[j]},
        where={"falls": "what can still fall", "η[v]": "the curvature along the pair"},
    )
    return Step("Which two move: the one that gains most, and its best partner", (top, best))


def _move_step(pair: ShownPair, of: tuple[str | int, ...]) -> Step:
    """How far they move: to the top of the parabola, or to a bound before it."""
    i, j, dual, K = pair.i, pair.j, pair.dual, pair.K
    G, H, b, c = (pair.named(letter, v) for letter, v in (("G", i), ("G", j), ("β", i), ("β", j)))
    bend, upper, lower = pair.named("η", j), pair.named("u", i), pair.named("l", j)
    a, z = dual.row[i], dual.row[j]
    own, ridge = {"k_ii": K[a, a], "k_jj": K[z, z], "k_ij": K[a, z]}, dual.ridge[i] + dual.ridge[j]
    formula = "k_ii + k_jj - 2 * k_ij" + (" + ρ" if ridge else "")
    curvature = Equation(bend, f"max({formula}, {FLAT!r})", {**own, **({"ρ": ridge} if ridge else {})})
    length = Equation(
        "Δ",
        f"min(({G} - {H}) / {bend}, {upper} - {b}, {c} - {lower})",
        {
            G: pair.score[i],
            H: pair.score[j],
            bend: pair.bend[j],
            upper: dual.upper[i],
            lower: dual.lower[j],
            b: pair.before[i],
            c: pair.before[j],
        },
        where={upper: "the most that it may be", lower: "the least that it may be"},
    )
    moves = (
        Equation(b, f"{b} + Δ", {b: pair.before[i], "Δ": length.value}, (*of, i), sign="←"),
        Equation(c, f"{c} - Δ", {c: pair.before[j], "Δ": length.value}, (*of, j), sign="←"),
    )
    return Step("How far they move", (curvature, length, *moves))


def _gain_step(pair: ShownPair) -> Step:
    """What the step adds to the objective."""
    i, j = pair.i, pair.j
    rows = [np.asarray(pair.K @ pair.dual.sums(beta)) for beta in (pair.before, pair.after)]
    values = {
        "W_0": pair.dual.objective(pair.before, rows[0]),
        "W_1": pair.dual.objective(pair.after, rows[1]),
        "Δ": pair.after[i] - pair.before[i],
        "G_i": pair.score[i],
        "G_j": pair.score[j],
        "η": pair.bend[j],
    }
    where = {"W_0": "the objective before", "W_1": "the objective after"}
    gain = Equation("W_1 - W_0", "Δ * (G_i - G_j) - η * Δ**2 / 2", values, where=where)
    return Step("What the objective gains", gain)
