"""An iteration of Baum–Welch: expected counts of a sequence and of the others, and the shares that they become."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.hmm.derivation.chain_step import ChainStep, share_equation
from novacula.graph.hmm.derivation.passage import STATES, Passage, state_names
from novacula.graph.hmm.figures import climb_figure, transition_figure
from novacula.graph.hmm.parameters import Parameters
from novacula.graph.hmm.trace import block_of
from novacula.learner.derivation import cut_table, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.graph.hmm.base import HiddenMarkovModel

TABLED = 12
"""States of a table."""
RULES = (
    Equation("p(x, z)", "π[z[1]] * p(x[1] | z[1]) * product(A[z[s], z[t]] * p(x[t] | z[t]) for t in _)",
             where={"s": "the step before t"}),
    Equation("π[k]", "Ñ_π[k] / sum(Ñ_π[i] for i in _)", sign="←", where={"Ñ_π[k]": "expected starts in k"}),
    Equation("A[i, j]", "Ñ[i, j] / sum(Ñ[i, k] for k in _)", sign="←", where={"Ñ[i, j]": "expected transitions i → j"}),
)  # fmt: skip
"""The model, and what the M-step makes of expected counts."""


def derive_model(model: HiddenMarkovModel, parameters: Parameters, options: WorkOptions) -> Work:
    """The last M-step, the climb to it, and the chain as a graph."""
    names = state_names(model.states_)
    note = getattr(model, "outcome_", "The parameters were given.")
    steps = [Step("The model", RULES, _table(parameters, names, "Start and transitions"), note=note)]
    if hasattr(model, "trace_"):
        step = ChainStep(
            model, parameters.emission, model.n_iter_, _passage(model, parameters, model.n_iter_, None), True
        )
        steps += _learning_steps(step, options)
    steps.append(_stationary_step(model, names))
    if hasattr(model, "history_"):
        steps += [_climb(model), _bic(model)]
    steps.append(Step("The chain", figure=transition_figure(model.transition_, names)))
    notes = [] if options.is_full else only_first(min(len(names), STATES), len(names), "state")
    return Work(f"A hidden Markov model of {len(names)} states", steps, notes)


def derive_iteration(
    model: HiddenMarkovModel, parameters: Parameters, iteration: int, seen: Any, options: WorkOptions
) -> Work:
    """One iteration: what went in, the first sequence forwards and backwards, expected counts, and what came out."""
    model.trace_.path.step(iteration, (model.trace_.path.states.shape[1],))  # says why, where it was not kept
    if len(model.history_) <= iteration:
        raise ParameterError("every state was known, so the counts were solved once: work() derives them")
    names = state_names(model.states_)
    passage = _passage(model, parameters, iteration, seen)
    before = model.trace_.parameters(iteration - 1, parameters.emission)
    steps = [Step("The step", RULES), Step("What went in", table=_table(before, names, f"Iteration {iteration - 1}"))]
    if passage is None:
        steps.append(Step("The sequences", note="They are long, so that none is kept; expected counts of all are."))
    else:
        steps += passage.written(min(len(passage.b), options.rows), (), tied=False)
        steps.append(passage.table())
        i, j = np.unravel_index(int(np.argmax(model.trace_.parameters(iteration, parameters.emission).transition)),
                                before.transition.shape)  # fmt: skip
        if len(passage.b) > 1:
            steps.append(passage.pair_step(0, int(i), int(j)))
    steps += _learning_steps(ChainStep(model, parameters.emission, iteration, passage, False), options)
    new, old = f"L[{iteration}]", f"L[{iteration - 1}]"
    values = {new: model.history_[iteration], old: model.history_[iteration - 1]}
    if values[new] >= values[old]:  # it is, but for rounding
        rises = Equation(new, old, values, ("history_", iteration - 1), {new: "the objective"}, sign="≥")
        steps.append(Step("The objective does not fall", rises))
    notes = [] if options.is_full else only_first(min(len(names), STATES), len(names), "state")
    return Work(f"Iteration {iteration} of Baum–Welch", steps, notes)


def _passage(model: HiddenMarkovModel, parameters: Parameters, iteration: int, seen: Any) -> Passage | None:
    """The kept sequence under the parameters before an iteration."""
    trace = model.trace_
    if not len(trace.values):
        return None
    block = block_of(trace.values, trace.weight, np.int32 if model.discrete_codes else np.float64)
    before = trace.parameters(iteration - 1, parameters.emission)
    return Passage(before, block, state_names(model.states_), trace.values if seen is None else seen)


def _table(parameters: Parameters, names: list[str], caption: str) -> Any:
    rows: list[tuple[Cell, ...]] = [(name, float(first), *map(float, row[:TABLED]))
            for name, first, row in zip(names, parameters.start, parameters.transition, strict=True)]  # fmt: skip
    return cut_table(("state", "⟦π⟧", *(f"→ {s}" for s in names[:TABLED])), rows, len(rows), caption, TABLED)


def _learning_steps(step: ChainStep, options: WorkOptions) -> Iterator[Step]:
    """Starts, transitions and emissions from their expected counts."""
    names = step.names[: None if options.is_full else STATES]
    m = float(step.model.m)
    for k, name in enumerate(names):
        w, equations = word(name), []
        if step.passage is not None:
            values = {f"γ_1[{w}]": step.passage.gamma[0, k]} | step.weights
            right = f"{step.times}γ_1[{w}]" + ("" if step.others is None else f" + R_π[{w}]")
            rest = {} if step.others is None else {f"R_π[{w}]": step.others[k]}
            where = {f"R_π[{w}]": "starts of the other sequences"} if rest else {}
            equations.append(Equation(f"Ñ_π[{w}]", right, values | rest, step.tie("start_counts_", k), where))
        of = step.tie("start_", k) or step.path(k)
        share = share_equation(
            f"π[{w}]", f"Ñ_π[{w}]", "Ñ_π[k]", step.named(step.starts), name, m, step.after.start, k, of
        )
        yield _share_step(f"Start in {name}", equations, share)
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            yield _transition(step, i, j, name, other, m)
    yield from step.model.emission_step(step, options).steps()


def _transition(step: ChainStep, i: int, j: int, name: str, other: str, m: float) -> Step:
    a, b, k = word(name), word(other), len(step.names)
    counts, equations = step.transitions[i], []
    if step.passage is not None:
        pairs = {str(t + 1): float(x) for t, x in enumerate(step.passage.pairs(i, j))}
        rest = {} if step.others is None else {"t": float(step.others[k + i * k + j])}
        right, values = f"sum({step.times}ξ[t, {a}, {b}] for t in _)", {f"ξ[t, {a}, {b}]": pairs, **step.weights}
        of = step.tie("transition_counts_", i, j)
        equations.append(Equation(f"Ñ[{a}, {b}]", right, values, of, rest=rest))
    of = step.tie("transition_", i, j) or step.path(k + i * k + j)
    row = step.after.transition[i]
    share = share_equation(f"A[{a}, {b}]", f"Ñ[{a}, {b}]", f"Ñ[{a}, k]", step.named(counts), other, m, row, j, of)
    return _share_step(f"Transition {name} → {other}", equations, share)


def _share_step(title: str, equations: list[Equation], share: Equation | str) -> Step:
    if isinstance(share, str):
        return Step(title, tuple(equations), note=share)
    return Step(title, (*equations, share))


def _stationary_step(model: HiddenMarkovModel, names: list[str]) -> Step:
    long_run: Floats = model.stationary_
    j = int(np.argmax(long_run))
    w, shares = word(names[j]), dict(zip(names, map(float, long_run), strict=True))
    column = dict(zip(names, map(float, model.transition_[:, j]), strict=True))
    values = {"p[i]": shares, f"A[i, {w}]": column}
    share = Equation(f"p[{w}]", f"sum(p[i] * A[i, {w}] for i in _)", values, ("stationary_", j))
    table = cut_table(("state", "share"), shares.items(), len(names), most=TABLED)
    return Step(f"Share of {names[j]} in the long run", share, table)


def _climb(model: HiddenMarkovModel) -> Step:
    last, values = len(model.history_) - 1, {"log(p(x))": model.log_likelihood_}
    right = "log(p(x))"
    if model.m:
        right, values = f"{right} + log(p(h))", {**values, "log(p(h))": model.history_[-1] - model.log_likelihood_}
    of = ("history_", last)
    figure = climb_figure(model.history_) if last else None
    return Step("Objective of the last parameters", Equation(f"L[{last}]", right, values, of), figure=figure)


def _bic(model: HiddenMarkovModel) -> Step:
    values = {"q": model.n_parameters_, "n": model.n_steps_, "log(p(x))": model.log_likelihood_}
    where = {"q": "parameters", "n": "steps"}
    return Step("Bayesian information criterion", Equation("BIC", "q * log(n) - 2 * log(p(x))", values, where=where))
