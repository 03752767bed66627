"""The work of a chain: the last step of learning from its expected counts, and a sequence worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.graph.hmm.blocks import SequenceBlock
from novacula.graph.hmm.figures import climb_figure, lattice_figure, transition_figure
from novacula.graph.hmm.forward_backward import filtered, scaled, smoothed
from novacula.graph.hmm.viterbi import best_paths, lattice
from novacula.learner.figure import few_digits
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.hmm.base import HiddenMarkovModel

STATES = 4  # written out
STEPS = 3  # of a sequence, written out
SHOWN = 12  # steps in tables and in the drawing of paths
TABLED = 12  # states in a table


def derive_model(model: HiddenMarkovModel) -> Work:
    """The last M-step, the climb to it, and the chain as a graph."""
    states = [str(state) for state in model.states_]
    steps = [_overview(model, states)]
    if hasattr(model, "transition_counts_"):
        steps += _start_steps(model, states)
        steps += _transition_steps(model, states)
        steps += model._emission_steps()
    steps.append(_stationary_step(model, states))
    if hasattr(model, "history_"):
        steps += [_climb(model), _bic(model)]
    steps.append(Step("The chain", figure=transition_figure(model.transition_, states)))
    left = len(states) - STATES
    notes = [f"{left} more states are derived alike."] if left > 0 else []
    return Work(f"A hidden Markov model of {len(states)} states", steps, notes)


def _overview(model: HiddenMarkovModel, states: list[str]) -> Step:
    rows: list[tuple[Cell, ...]] = [
        (name, float(first), *map(float, row[:TABLED]))
        for name, first, row in zip(states[:TABLED], model.start_, model.transition_, strict=False)
    ]
    cut = f", the first {TABLED} states" if len(states) > TABLED else ""
    return Step(
        "The model",
        formula="p(x, z) = π(z₁) p(x₁|z₁) Π A(zₜ₋₁, zₜ) p(xₜ|zₜ);  E: expected counts Ñ;  "
        "M: π = Ñ(start) / Σ Ñ(start), A = Ñ(i → j) / Σ Ñ(i → ·)",
        table=WorkTable(("state", "start", *(f"→ {s}" for s in states[:TABLED])), tuple(rows), f"π and A{cut}"),
        note=getattr(model, "outcome_", "The parameters were given."),
    )


def share_step(
    title: str, formula: str, count: float, counts: Floats, chance: Floats, k: int, m: float, of: tuple[Any, ...]
) -> Step:
    """One probability from counts: (n + m) / (N + m·a), a the number of cells that are allowed."""
    total, result = float(counts.sum()), float(chance[k])
    if total == 0.0 and m == 0.0:
        return Step(title, result=result, of=of, note="Nothing was counted, so what is allowed is divided evenly.")
    if m == 0.0 or result == 0.0:
        return Step(title, formula, "n / N", {"n": count, "N": total}, result, of)
    values = {"n": count, "m": m, "N": total, "a": float((chance > 0.0).sum())}
    return Step(title, formula, "(n + m) / (N + m * a)", values, result, of)


def _start_steps(model: HiddenMarkovModel, states: list[str]) -> Iterator[Step]:
    counts = model.start_counts_
    for k, name in enumerate(states[:STATES]):
        title, of = f"Start in {name}", ("start_", k)
        yield share_step(title, "π = Ñ / Σ Ñ", float(counts[k]), counts, model.start_, k, float(model.m), of)


def _transition_steps(model: HiddenMarkovModel, states: list[str]) -> Iterator[Step]:
    for i, name in enumerate(states[:STATES]):
        counts, chance = model.transition_counts_[i], model.transition_[i]
        for j, other in enumerate(states[:STATES]):
            title, of = f"Transition {name} → {other}", ("transition_", i, j)
            yield share_step(
                title, "A = Ñ(i → j) / Σ Ñ(i → ·)", float(counts[j]), counts, chance, j, float(model.m), of
            )


def _stationary_step(model: HiddenMarkovModel, states: list[str]) -> Step:
    long_run = model.stationary_
    j = int(np.argmax(long_run))
    values = {f"p{i}": float(p) for i, p in enumerate(long_run)}
    values |= {f"a{i}": float(a) for i, a in enumerate(model.transition_[:, j])}
    rows = tuple((s, float(p)) for s, p in zip(states[:TABLED], long_run, strict=False))
    return Step(
        f"Share of {states[j]} in the long run",
        "p(j) = Σ p(i) A(i, j)",
        " + ".join(f"p{i} * a{i}" for i in range(len(states))),
        values,
        float(long_run[j]),
        ("stationary_", j),
        table=WorkTable(("state", "share"), rows),
    )


def _climb(model: HiddenMarkovModel) -> Step:
    history = model.history_
    return Step(
        "Objective of the last parameters",
        formula="ln p(x)" + (" + ln prior" if model.m else ""),
        expression="L + P" if model.m else "L",
        values={"L": model.log_likelihood_} | ({"P": history[-1] - model.log_likelihood_} if model.m else {}),
        result=float(history[-1]),
        of=("history_", len(history) - 1),
        labels={"L": "ln p(x)"} | ({"P": "ln prior"} if model.m else {}),
        figure=climb_figure(history) if len(history) > 1 else None,
    )


def _bic(model: HiddenMarkovModel) -> Step:
    values = {"p": model.n_parameters_, "N": model.n_steps_, "L": model.log_likelihood_}
    formula, expression = "BIC = p ln N − 2 ln L", "p * log(N) - 2 * L"
    return Step("Bayesian information criterion", formula, expression, values, model.bic(), (), {"L": "ln L"})


# --- a sequence -------------------------------------------------------------------------------------------------


def derive_predictions(model: HiddenMarkovModel, block: SequenceBlock, listed: bool) -> Work:
    """Filtering, smoothing and the best path of the first sequence of a block."""
    n, alone = int(block.bounds[1]), len(block.bounds) == 2
    one = SequenceBlock(block.first, block.values, block.code[:n], block.label[:n], block.bounds[:2], block.weight[:1])
    where: tuple[int, ...] = (0,) if listed else ()
    passage = Passage(model, one)
    steps: list[Step] = []
    for t in range(min(n, STEPS)):
        steps.append(passage.filter_step(t, where))
    for t in range(min(n - 1, STEPS) - 1, -1, -1):
        steps.append(passage.beta_step(t))
    steps += [passage.smooth_step(0, where), passage.table()]
    steps += passage.path_steps(alone)
    notes = [] if alone else ["The first sequence is derived; the others are alike."]
    if n > STEPS:
        notes.append(f"{STEPS} steps are written out, and up to {SHOWN} shown.")
    return Work("States behind a sequence", steps, notes)


class Passage:
    """One sequence under a model: likelihoods, α, β, γ and the best path."""

    def __init__(self, model: HiddenMarkovModel, block: SequenceBlock) -> None:
        self.parameters = model._parameters()
        self.block = block
        self.states = [str(state) for state in model.states_]
        self.logs = self.parameters.emission.log_likelihood(block.values)
        shown = slice(0, SHOWN + 1)
        own = self.logs[block.code[shown]]
        usual = bool((own.max(axis=1) > -600.0).all())
        self.likelihood = np.exp(own) if usual else scaled(np.ascontiguousarray(own))[0]
        self.note = "" if usual else "Likelihoods are relative to the largest of their step."
        self.alpha, self.gamma = filtered(block, self.parameters), smoothed(block, self.parameters)
        self.seen = [_words(row) for row in model._observations(block.values[block.code[shown]])]

    def ahead(self, t: int) -> Floats:
        """P(state at t | steps before)."""
        before: Floats = self.parameters.start if t == 0 else self.alpha[t - 1] @ self.parameters.transition
        return before

    def beta(self, t: int) -> Floats:
        """β of a step, scaled so that Σαβ = 1."""
        out = np.zeros_like(self.alpha[t])
        return np.divide(self.gamma[t], self.alpha[t], out=out, where=self.alpha[t] > 0.0)

    def filter_step(self, t: int, where: tuple[int, ...]) -> Step:
        """α of the likeliest state at a step."""
        k, before, likelihood = int(np.argmax(self.alpha[t])), self.ahead(t), self.likelihood[t]
        own = {f"p{i}": float(before[i]) for i in range(len(before))}
        own |= {f"b{i}": float(likelihood[i]) for i in range(len(before))}
        total = " + ".join(f"p{i} * b{i}" for i in range(len(before)))
        past = "π" if t == 0 else "Σᵢ α(i) A(i, j) of the step before"
        return Step(
            f"Step {t + 1}, {self.seen[t]}: {self.states[k]} given the steps so far",
            f"α(j) = p(j) b(j) / Σ p b, with p = {past}, b = p(x | j)",
            f"p{k} * b{k} / ({total})",
            own,
            float(self.alpha[t, k]),
            ("filter", *where, t, k),
            note=self.note,
        )

    def beta_step(self, t: int) -> Step:
        """β of the likeliest state at a step, from the step after it."""
        k, onward, likelihood = int(np.argmax(self.gamma[t])), self.beta(t + 1), self.likelihood[t + 1]
        transition = self.parameters.transition[k]
        own = {f"a{j}": float(a) for j, a in enumerate(transition)}
        own |= {f"b{j}": float(b) for j, b in enumerate(likelihood)} | {f"s{j}": float(s) for j, s in enumerate(onward)}
        top = " + ".join(f"a{j} * b{j} * s{j}" for j in range(len(onward)))
        return Step(
            f"Step {t + 1}: what follows, seen from {self.states[k]}",
            "β(i) = Σⱼ A(i, j) b(j) β(j) / c, all of the step after; c = Σ p b there",
            f"({top}) / c",
            own | {"c": float(self.ahead(t + 1) @ likelihood)},
            float(self.beta(t)[k]),
            labels={f"s{j}": f"β({self.states[j]})" for j in range(len(onward))},
            note=self.note,
        )

    def smooth_step(self, t: int, where: tuple[int, ...]) -> Step:
        """γ of the likeliest state at a step."""
        k, beta = int(np.argmax(self.gamma[t])), self.beta(t)
        own = {f"a{i}": float(a) for i, a in enumerate(self.alpha[t])} | {f"s{i}": float(s) for i, s in enumerate(beta)}
        total = " + ".join(f"a{i} * s{i}" for i in range(len(beta)))
        title = f"Step {t + 1}: {self.states[k]} given all steps"
        expression, result = f"a{k} * s{k} / ({total})", float(self.gamma[t, k])
        return Step(title, "γ(j) = α(j) β(j) / Σ α β", expression, own, result, ("smooth", *where, t, k))

    def table(self) -> Step:
        """α, β and γ of the steps."""
        names = self.states[:STATES]
        header = ("step", "seen", *(f"{greek}({name})" for greek in "αβγ" for name in names))
        rows: list[tuple[Cell, ...]] = []
        for t in range(min(len(self.block), SHOWN)):
            parts = self.alpha[t], self.beta(t), self.gamma[t]
            rows.append((t + 1, self.seen[t], *(float(v) for part in parts for v in part[: len(names)])))
        return Step("Forward, backward, both", table=WorkTable(header, tuple(rows), "α, β (scaled) and γ"))

    def path_steps(self, alone: bool) -> Iterator[Step]:
        """The best path, drawn among the best ways to each state."""
        n = min(len(self.block), SHOWN)
        path, score = best_paths(self.block, self.parameters)
        best, back = lattice(self.logs, self.block.code[:n], self.parameters)
        if n == len(self.block):
            ends = {f"d{k}": float(d) for k, d in enumerate(best[-1]) if np.isfinite(d)}
            yield Step(
                "The best path of all",
                "ln δ(j) = maxᵢ [ln δ(i) + ln A(i, j)] + ln b(j);  the best end is the largest",
                f"max({', '.join(ends)})",
                ends,
                float(score[0]),
                ("decode", 1) if alone else (),
                {f"d{k}": f"ln δ({self.states[k]})" for k in range(len(self.states)) if f"d{k}" in ends},
            )
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
