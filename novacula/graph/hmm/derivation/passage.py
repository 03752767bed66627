"""One sequence under a chain, worked out by hand: forwards, backwards, both, and the best path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.graph.hmm.blocks import SequenceBlock
from novacula.graph.hmm.figures import lattice_figure
from novacula.graph.hmm.forward_backward import filtered, scaled, smoothed
from novacula.graph.hmm.parameters import Parameters
from novacula.graph.hmm.viterbi import best_paths, lattice
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.hmm.base import HiddenMarkovModel

STATES = 4
"""States of a table, and those that are derived one by one."""
SHOWN = 12
"""Steps in tables and in the drawing of paths."""


def derive_predictions(
    model: HiddenMarkovModel, parameters: Parameters, block: SequenceBlock, seen: Any, listed: bool, alone: bool,
    options: WorkOptions,
) -> Work:  # fmt: skip
    """Filtering, smoothing and the best path of one sequence; `listed`: answers come as a list of sequences."""
    passage = Passage(parameters, block, state_names(model.states_), seen)
    n, where = len(block), (0,) if listed else ()
    steps = list(passage.written(min(n, options.rows), where, tied=True))
    steps += [passage.table(), *passage.path_steps(alone)]
    notes = [] if alone else ["The first sequence is derived; the others are alike."]
    if n > options.rows:
        notes.append(f"{options.rows} steps are written out, and up to {SHOWN} shown.")
    return Work("States behind a sequence", steps, notes)


def state_names(states: Sequence[Any]) -> list[str]:
    """What states are called in equations: numbers from 1, where two would read alike."""
    names = [str(state) for state in states]
    return names if len(set(names)) == len(names) else [str(i + 1) for i in range(len(names))]


class Passage:
    """A sequence under parameters: likelihoods b, forward α, backward β, both γ, and ξ for pairs of steps."""

    def __init__(self, parameters: Parameters, block: SequenceBlock, states: list[str], seen: Any) -> None:
        self.parameters, self.states = parameters, states
        self.block = SequenceBlock(block.first, block.values, block.code, block.label, block.bounds, np.ones(1))
        self.logs = parameters.emission.log_likelihood(block.values)
        own = np.ascontiguousarray(self.logs[block.code])
        usual = bool((own.max(axis=1) > -600.0).all())
        self.b: Floats = np.exp(own) if usual else scaled(own)[0]
        self.note = "" if usual else "Likelihoods are relative to the largest of their step."
        self.alpha, self.gamma = filtered(self.block, parameters), smoothed(self.block, parameters)
        self.beta = np.divide(self.gamma, self.alpha, out=np.zeros_like(self.gamma), where=self.alpha > 0.0)
        self.ahead = np.vstack([parameters.start, self.alpha[:-1] @ parameters.transition])
        self.c = (self.ahead * self.b).sum(axis=1)
        self.seen = [_words(row) for row in seen]

    def pairs(self, i: int, j: int) -> Floats:
        """ξ of a transition between each two steps (n − 1,)."""
        onward = self.b[1:, j] * self.beta[1:, j] / self.c[1:]
        return np.asarray(self.alpha[:-1, i] * self.parameters.transition[i, j] * onward)

    def named(self, numbers: Floats) -> dict[str, float]:
        """Numbers by state."""
        return dict(zip(self.states, map(float, numbers), strict=True))

    def written(self, count: int, where: tuple[int, ...], tied: bool) -> Iterator[Step]:
        """The first steps forwards, back again, and both together at the first."""
        for t in range(count):
            yield self.filter_step(t, ("filter", *where, t) if tied else ())
        for t in range(min(len(self.b) - 1, count) - 1, -1, -1):
            yield self.beta_step(t)
        yield self.smooth_step(0, ("smooth", *where, 0) if tied else ())

    def filter_step(self, t: int, of: tuple[str | int, ...]) -> Step:
        """α of the likeliest state at a step."""
        k, n = int(np.argmax(self.alpha[t])), t + 1
        w, before, equations = word(self.states[k]), "π" if t == 0 else f"p_{n}", []
        if t > 0:
            values = {f"α_{t}": self.named(self.alpha[t - 1])}
            values[f"A[i, {w}]"] = self.named(self.parameters.transition[:, k])
            right = f"sum(α_{t}[i] * A[i, {w}] for i in _)"
            equations.append(Equation(f"{before}[{w}]", right, values))
        equations.append(
            Equation(
                f"α_{n}[{w}]",
                f"{before}[{w}] * b_{n}[{w}] / sum({before}[k] * b_{n}[k] for k in _)",
                {before: self.named(self.ahead[t]), f"b_{n}": self.named(self.b[t])},
                (*of, k) if of else (),
                {f"b_{n}": f"how likely what is seen at step {n} is in each state"},
            )
        )
        title = f"Step {n}, {self.seen[t]}: {self.states[k]} given the steps so far"
        return Step(title, tuple(equations), note=self.note)

    def beta_step(self, t: int) -> Step:
        """β of the likeliest state at a step, from the step after it."""
        k, n = int(np.argmax(self.gamma[t])), t + 2
        w, before = word(self.states[k]), f"p_{n}"
        b = {f"b_{n}": self.named(self.b[t + 1])}
        scale = Equation(
            f"c_{n}", f"sum({before}[k] * b_{n}[k] for k in _)", {before: self.named(self.ahead[t + 1]), **b}
        )
        values = {f"A[{w}, k]": self.named(self.parameters.transition[k]), f"β_{n}": self.named(self.beta[t + 1])}
        right = f"sum(A[{w}, k] * b_{n}[k] * β_{n}[k] for k in _) / c_{n}"
        back = Equation(f"β_{n - 1}[{w}]", right, {**values, **b, f"c_{n}": scale.value})
        return Step(f"Step {n - 1}: what follows, seen from {self.states[k]}", (scale, back), note=self.note)

    def smooth_step(self, t: int, of: tuple[str | int, ...]) -> Step:
        """γ of the likeliest state at a step."""
        k, n = int(np.argmax(self.gamma[t])), t + 1
        w, values = word(self.states[k]), {f"α_{n}": self.named(self.alpha[t]), f"β_{n}": self.named(self.beta[t])}
        right = f"α_{n}[{w}] * β_{n}[{w}] / sum(α_{n}[k] * β_{n}[k] for k in _)"
        both = Equation(f"γ_{n}[{w}]", right, values, (*of, k) if of else ())
        return Step(f"Step {n}: {self.states[k]} given all steps", both)

    def pair_step(self, t: int, i: int, j: int) -> Step:
        """ξ of one transition between two steps."""
        n, a, b = t + 2, word(self.states[i]), word(self.states[j])
        values = {f"α_{n - 1}[{a}]": self.alpha[t, i], f"A[{a}, {b}]": self.parameters.transition[i, j]}
        values |= {f"b_{n}[{b}]": self.b[t + 1, j], f"β_{n}[{b}]": self.beta[t + 1, j], f"c_{n}": self.c[t + 1]}
        right = f"α_{n - 1}[{a}] * A[{a}, {b}] * b_{n}[{b}] * β_{n}[{b}] / c_{n}"
        pair = Equation(f"ξ_{n - 1}[{a}, {b}]", right, values)
        return Step(f"Steps {n - 1} and {n}: how likely {self.states[i]} → {self.states[j]} is", pair)

    def table(self) -> Step:
        """α, β and γ of the steps."""
        names, shown = self.states[:STATES], min(len(self.b), SHOWN)
        header = ("step", "seen", *(f"⟦{greek}⟧ {name}" for greek in "αβγ" for name in names))
        parts = np.hstack([part[:shown, : len(names)] for part in (self.alpha, self.beta, self.gamma)])
        rows: list[tuple[Cell, ...]] = [(t + 1, self.seen[t], *map(float, parts[t])) for t in range(shown)]
        caption = "⟦α⟧, ⟦β⟧ (scaled so that they give 1 together) and ⟦γ⟧"
        return Step("Forward, backward, both", table=WorkTable(header, tuple(rows), caption))

    def path_steps(self, alone: bool) -> Iterator[Step]:
        """The best path, drawn among the best ways to each state."""
        n = min(len(self.block), SHOWN)
        path, _ = best_paths(self.block, self.parameters)
        best, back = lattice(self.logs, self.block.code[:n], self.parameters)
        where = {"δ_t[j]": "how likely the best way to j at step t is", "δ_s[i]": "the same at the step before"}
        rule = Equation("log(δ_t[j])", "max(log(δ_s[i]) + log(A[i, j]) for i in _) + log(b_t[j])", where=where)
        if n == len(self.block):
            ends = {name: float(d) for name, d in zip(self.states, best[-1], strict=True) if np.isfinite(d)}
            right = f"max(log(δ_{n}[k]) for k in _)"
            of = ("decode", 1) if alone else ()
            yield Step("The best path of all", (rule, Equation("log(P)", right, {f"log(δ_{n}[k])": ends}, of)))
        figure = lattice_figure(best, back, path[:n], self.states, self.seen[:n])
        yield Step("The best way to each state at each step, and the best of all", figure=figure)


def _words(row: Any) -> str:
    """An observation in a few characters; what is missing is a question mark."""
    cells = []
    for value in np.atleast_1d(row).tolist():
        if value is None or value != value:
            cells.append("?")
        else:
            cells.append(few_digits(value) if isinstance(value, float) else str(value))
    return ", ".join(cells)
