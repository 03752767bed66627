"""The work of a network: where its tables and lines come from, and how the posterior of a node follows for a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from novacula.graph.families import CategoricalFamily, Family, GaussianFamily
from novacula.graph.inference.elimination_trace import EliminationTrace, elimination_trace
from novacula.graph.inference.rows import Inference
from novacula.graph.learning.estimates import TablePrior
from novacula.graph.learning.family_counts import GroupMoments
from novacula.graph.network_learner import NetworkLearner
from novacula.learner.figure import curve_figure, few_digits
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.table.chunk import Floats

_FAMILIES = 8  # families written out
_CONFIGURATIONS = 12  # rows of a table
_STATES = 6  # columns of a table
_DRAWN = 60  # nodes up to which the network is drawn
_ROWS = 3  # predictions derived
_TERMS = 8  # terms of a sum
_TINY = 1e-280  # products below this are scaled before they are shown


# --- the model ----------------------------------------------------------------------------------------------


def derive_model(model: NetworkLearner, prior: TablePrior) -> Work:
    """The graph, the climb of EM, and the estimates of the first families."""
    steps, states = list(_overview(model)), model.network_.states
    tables, lines = iter(model._layout().split(model.counts_.counts)), iter(model.counts_.moments)
    for place, family in enumerate(model.families_.values()):
        if isinstance(family, CategoricalFamily):
            found = [_table_step(family, next(tables), prior, model.init is not None, states)]
        else:
            found = _line_steps(family, next(lines), states)
        steps += found if place < _FAMILIES else []
    notes = [model.outcome_]
    if model.history_.size > 1:
        notes.append(
            "Counts are expected ones: a row with empty cells counts by the probability of what they may hold."
        )
    if len(model.families_) > _FAMILIES:
        notes.append(f"The first {_FAMILIES} of {len(model.families_)} families are derived; families_ holds them all.")
    return Work("Bayesian network: the estimates", steps, notes)


def derive_given(model: NetworkLearner) -> Work:
    """The graph of a network that nothing was learned for."""
    return Work("Bayesian network: as it was given", _overview(model), "No rows were seen: the tables were given.")


def _overview(model: NetworkLearner) -> Iterator[Step]:
    network = model.network_
    figure = network.plot() if len(network.nodes) <= _DRAWN else None
    counts = f"{len(network.nodes)} nodes, {len(network.dag.edges)} edges, {network.n_parameters} parameters."
    yield Step("The graph", figure=figure, note=counts)
    if len(getattr(model, "history_", ())) > 1:
        climb = curve_figure(
            np.arange(len(model.history_)), {"objective": model.history_}, xlabel="iteration", ylabel="ln p"
        )
        last = len(model.history_) - 1
        yield Step("The climb of EM", result=model.history_[-1], of=("history_", last), figure=climb)


def _table_step(
    family: CategoricalFamily, counts: Floats, prior: TablePrior, zeros_stay: bool, states: Mapping[str, Sequence[Any]]
) -> Step:
    """The table with its counts, and the entry with the largest count written out."""
    shape = family.table.shape
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(counts)), shape))
    # With a prior a table holds a zero only where the start had one.
    cells = prior.cells(shape, family.table > 0.0 if zeros_stay else None)
    rows, cell, total = float(cells[place[:-1]].sum()), float(cells[place]), float(counts[place[:-1]].sum())
    if total + rows > 0.0:
        arithmetic = _estimate(float(counts[place]), total, cell, rows)
    else:
        arithmetic = "1 / r", {"r": float(shape[-1])}
    return Step(
        f"P({family.node} = {family.states[place[-1]]}{_given(family, place, states)})",
        formula="P(x|u) = (n_xu + A/r) / (n_u + A)" if rows else "P(x|u) = n_xu / n_u",
        expression=arithmetic[0],
        values=arithmetic[1],
        result=float(family.table[place]),
        of=("families_", family.node, "table", *place),
        table=_shown_table(family, counts, states),
    )


def _estimate(n_xu: float, n_u: float, cell: float, rows: float) -> tuple[str, dict[str, float]]:
    if rows == 0.0:
        return "n_xu / n_u", {"n_xu": n_xu, "n_u": n_u}
    return "(n_xu + a) / (n_u + A)", {"n_xu": n_xu, "a": cell, "n_u": n_u, "A": rows}


def _given(family: Family, place: tuple[int, ...], states: Mapping[str, Sequence[Any]]) -> str:
    """The configuration of the discrete parents, as it stands behind a bar."""
    parents = ", ".join(f"{name} = {states[name][k]}" for name, k in zip(family.parents, place, strict=False))
    return f" | {parents}" if parents else ""


def _shown_table(family: CategoricalFamily, counts: Floats, states: Mapping[str, Sequence[Any]]) -> WorkTable:
    """Counts and probabilities by configuration, the first of them."""
    own = [str(state) for state in family.states[:_STATES]]
    parts = counts.reshape(-1, counts.shape[-1]), family.table.reshape(-1, counts.shape[-1])
    rows: list[tuple[Cell, ...]] = []
    for q in range(min(len(parts[0]), _CONFIGURATIONS)):
        where = map(int, np.unravel_index(q, family.cards)) if family.parents else ()
        labels = (str(states[name][k]) for name, k in zip(family.parents, where, strict=True))
        rows.append((*labels, *(float(v) for part in parts for v in part[q, : len(own)])))
    header = (*family.parents, *(f"n({s})" for s in own), *(f"P({s})" for s in own))
    left = len(parts[0]) - len(rows), len(family.states) - len(own)
    caption = f"{left[0]} more configurations and {left[1]} more states are not shown." if any(left) else ""
    return WorkTable(header, tuple(rows), caption)


def _line_steps(family: GaussianFamily, moments: GroupMoments, states: Mapping[str, Sequence[Any]]) -> list[Step]:
    """Intercept and variance in the configuration with the most rows."""
    q, k = int(np.argmax(moments.weight)), len(family.regressors)
    place = tuple(int(i) for i in np.unravel_index(q, family.cards)) if family.parents else ()
    weights = family.flat[1]
    mean, n = moments.mean[q], float(moments.weight[q])
    where = f"{family.node}{_given(family, place, states)}"
    slopes = {f"b{j}": float(weights[q, j]) for j in range(k)}
    values = {"mean_x": float(mean[k]), **slopes, **{f"mean_z{j}": float(mean[j]) for j in range(k)}}
    intercept = Step(
        f"Intercept of {where}",
        formula="a = x̄ − Σ b_j z̄_j" if k else "a = x̄",
        expression=" - ".join(["mean_x", *(f"b{j} * mean_z{j}" for j in range(k))]),
        values=values,
        result=float(family.intercept[place]),
        of=("families_", family.node, "intercept", *place),
        labels={f"b{j}": f"the weight of {name}" for j, name in enumerate(family.regressors)},
    )
    total, variance = float(moments.squares(weights)[q]), float(family.variance[place])
    if n == 0.0:
        return [Step(f"The line of {where}", note="No row says anything of it, so it is as its column is.")]
    held = total / n < variance * (1.0 - 1e-9)
    spread = Step(
        f"Variance of {where}",
        formula="σ² = Σ(x − a − Σ b_j z_j)² / n" if k else "σ² = Σ(x − a)² / n",
        expression="max(s / n, floor)" if held else "s / n",
        values={"s": total, "n": n, **({"floor": variance} if held else {})},
        result=variance,
        of=("families_", family.node, "variance", *place),
        note="It is held at the floor of var_smoothing." if held else "",
    )
    return [intercept, spread]


# --- predictions --------------------------------------------------------------------------------------------


def derive_predictions(model: NetworkLearner, X: Any, target: str) -> Work:
    """For each of the first rows the posterior of the target."""
    table = model._rows(X, without=target)
    cells, variables = model._cells(table, target), model._variables()
    chunk = table.head(_ROWS).to_chunk()
    codes, numbers = cells.codes(chunk), cells.numbers(chunk)
    steps: list[Step] = []
    for row in range(len(chunk)):
        if isinstance(model.families_[target], CategoricalFamily):
            known = {
                name: states[code]
                for (name, states), code in zip(variables.states.items(), codes[row], strict=True)
                if code >= 0
            }
            known |= {n: float(v) for n, v in zip(variables.continuous, numbers[row], strict=True) if v == v}
            steps += _elimination_steps(elimination_trace(model.network_, target, known), target, row)
        else:
            steps.append(_mean_step(model._inference(), codes[row : row + 1], numbers[row : row + 1], target, row))
    notes = [f"The first {_ROWS} rows are derived."] if len(table) > _ROWS else []
    return Work("Bayesian network: the predictions", steps, [*notes, "Empty cells are summed out."])


def _elimination_steps(trace: EliminationTrace, target: str, row: int) -> list[Step]:
    """What is eliminated in which order, and the posterior from what is left."""
    shown = trace.steps[:_CONFIGURATIONS]
    rows = tuple(
        (step.variable, " · ".join(f.name for f in step.factors), step.result.name, _numbers(step.result.table))
        for step in shown
    )
    left = f"{len(trace.steps) - len(shown)} more steps are not shown." if len(trace.steps) > len(shown) else ""
    steps = []
    if rows:
        table = WorkTable(("summed out", "product of", "leaves", "numbers"), rows, left)
        steps.append(Step(f"Row {row + 1}: elimination", formula="τ = Σ Π φ", table=table))
    return [*steps, *_posterior_steps(trace, target, row)]


def _numbers(table: Floats | None) -> str:
    """The entries of a factor, the first of them."""
    if table is None:
        return "…"
    entries = table.ravel()
    return ", ".join(map(few_digits, entries[:_STATES])) + (", …" if entries.size > _STATES else "")


def _posterior_steps(trace: EliminationTrace, target: str, row: int) -> list[Step]:
    posterior = np.asarray(trace.distribution.table, np.float64)
    best = int(np.argmax(posterior))
    states = trace.distribution.states[0]
    joint = np.ones(len(posterior))
    factors: dict[str, float] = {}
    for i, factor in enumerate(trace.remaining):
        if factor.table is not None:
            joint = joint * factor.table
            factors[f"f{i}"] = float(np.broadcast_to(factor.table, joint.shape)[best])
    scaled = len(factors) < len(trace.remaining) or not _TINY < joint.sum() < 1.0 / _TINY
    joint = posterior if scaled else joint
    steps = []
    if not scaled and 1 < len(factors) <= _TERMS:
        labels = {f"f{i}": factor.name for i, factor in enumerate(trace.remaining)}
        title = f"Row {row + 1}: P({target} = {states[best]}, evidence)"
        product = " * ".join(factors)
        steps.append(Step(title, "Π of what is left", product, factors, float(joint[best]), labels=labels))
    order = np.argsort(-joint, kind="stable")[:_TERMS]
    values = {f"j{k}": float(joint[k]) for k in order}
    rest = float(joint.sum() - joint[order].sum())
    if len(joint) > len(order):
        values["rest"] = rest
    steps.append(
        Step(
            f"Row {row + 1}: posterior of {target} = {states[best]}",
            formula="P(x | evidence) = P(x, evidence) / Σ",
            expression=f"j{best} / ({' + '.join(values)})",
            values=values,
            result=float(posterior[best]),
            of=("predict_proba", row, best),
            labels={f"j{k}": f"{target} = {states[k]}" for k in order},
            note="The products are scaled to a sum of 1." if scaled else "",
        )
    )
    return steps


def _mean_step(inference: Inference, codes: Any, numbers: Floats, target: str, row: int) -> Step:
    """The mean of a continuous node: that of each configuration, weighted by its posterior."""
    answer = inference.answer(codes, numbers, np.zeros(1))
    i = next(i for i, component in enumerate(inference.structure.components) if target in component.nodes)
    share = answer.share[i][0]
    means = answer.completed[i].node(inference.structure.components[i].nodes.index(target))[0][0]
    order = np.argsort(-share, kind="stable")[:_TERMS]
    values = {f"p{q}": float(share[q]) for q in order} | {f"m{q}": float(means[q]) for q in order}
    terms = [f"p{q} * m{q}" for q in order]
    if len(share) > len(order):
        values["rest"] = float(share @ means - share[order] @ means[order])
        terms.append("rest")
    return Step(
        f"Row {row + 1}: mean of {target}",
        formula="E[x | evidence] = Σ_q P(q | evidence) · E[x | q, evidence]",
        expression=" + ".join(terms),
        values=values,
        result=float(share @ means),
        of=("predict", row),
        note="q runs through the states of discrete parents." if len(share) > 1 else "",
    )
