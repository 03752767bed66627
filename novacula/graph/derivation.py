"""The work of a network: where its tables and lines come from, and how the posterior of a node follows for a row."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.families import CategoricalFamily, Family, GaussianFamily
from novacula.graph.inference.elimination_trace import EliminationTrace, elimination_trace
from novacula.graph.inference.rows import Inference, Structure
from novacula.graph.learning.estimates import TablePrior
from novacula.graph.learning.family_counts import GroupMoments
from novacula.graph.learning.family_layout import FamilyLayout
from novacula.graph.learning.trace import expected_in
from novacula.graph.network import Network
from novacula.graph.network_learner import NetworkLearner
from novacula.graph.variables import Variables
from novacula.learner.derivation import cut_table, only_first
from novacula.learner.figure import curve_figure, few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.words import counted, shortened

FAMILIES = 8  # families written out
CONFIGURATIONS = 12  # rows of a table
STATES = 6  # columns of a table
ENTRIES = 4  # entries of a table that an iteration derives
DRAWN = 60  # nodes up to which the network is drawn
TINY = 1e-280  # products below this are scaled before they are shown
JOINT = Equation("P(x)", "product(P(x[i] | u[i]) for i in _)", where={"u[i]": "the parents of node i"})
"""What a network says."""


# --- the model ----------------------------------------------------------------------------------------------


def derive_model(model: NetworkLearner, prior: TablePrior, options: WorkOptions) -> Work:
    """The graph, the climb of EM, and the estimates of the first families."""
    steps, states = list(_overview(model)), model.network_.states
    most = len(model.families_) if options.is_full else FAMILIES
    layout = layout_of(model.network_)
    for place, (family, sums) in enumerate(zip(model.families_.values(), layout.each(model.counts_), strict=True)):
        if place >= most:
            break
        if isinstance(family, CategoricalFamily):
            steps.append(_table_step(family, sums, prior, model.init is not None, states))
        else:
            steps += _line_steps(family, sums, states)
    notes = [model.outcome_]
    if model.history_.size > 1:
        notes.append(
            "Counts are expected ones: a row with empty cells counts by the probability of what they may hold."
        )
    return Work("Bayesian network: the estimates", steps, notes + only_first(most, len(model.families_), "node"))


def derive_given(model: NetworkLearner) -> Work:
    """A network that nothing was learned for: its tables are as they were given."""
    steps = list(_overview(model))
    for family in list(model.families_.values())[:FAMILIES]:
        if isinstance(family, CategoricalFamily):
            steps.append(_entry_step(family, model.network_.states))
    return Work("Bayesian network: as it was given", steps, "No rows were seen: the tables were given.")


def layout_of(network: Network) -> FamilyLayout:
    """Where the tables of a network are, side by side."""
    return FamilyLayout.of(network.dag.parents.items(), Variables.of_families(network.families, ()))


def _overview(model: NetworkLearner) -> Iterator[Step]:
    network = model.network_
    figure = network.plot() if len(network.nodes) <= DRAWN else None
    counts = f"{len(network.nodes)} nodes, {len(network.dag.edges)} edges, {network.n_parameters} parameters."
    yield Step("The graph", JOINT, figure=figure, note=counts)
    last = len(getattr(model, "history_", ())) - 1
    if last > 0:
        curve = {"objective": model.history_}
        climb = curve_figure(np.arange(last + 1), curve, xlabel="iteration", ylabel="ln p")
        rise = _rise(model, last)
        yield Step("The climb of EM", rise or (), figure=climb)


def _rise(model: NetworkLearner, k: int) -> Equation | None:
    """The objective does not fall; None where rounding makes it."""
    values = {f"L[{k}]": model.history_[k], f"L[{k - 1}]": model.history_[k - 1]}
    if model.history_[k] < model.history_[k - 1]:
        return None
    where = {f"L[{k}]": f"the objective after {counted(k, 'iteration')}"}
    return Equation(f"L[{k}]", f"L[{k - 1}]", values, ("history_", k - 1), where, sign="≥")


def _event(family: Family, place: Sequence[int], states: Mapping[str, Sequence[Any]]) -> tuple[str, str]:
    """A state of a node, and the configuration of its discrete parents, as expressions."""
    own = _equal(family.node, family.states[place[-1]]) if family.states else word(shortened(family.node, 20))
    above = [_equal(name, states[name][k]) for name, k in zip(family.parents, place, strict=False)]
    return own, ", ".join(above)


def _equal(name: str, state: Any) -> str:
    return f"{word(shortened(name, 20))} == {word(shortened(str(state), 20))}"


def _conditional(own: str, above: str) -> str:
    return f"P({own} | {above})" if above else f"P({own})"


def _estimate(
    family: CategoricalFamily, place: tuple[int, ...], counts: Floats, cells: Floats,
    states: Mapping[str, Sequence[Any]], of: tuple[str | int, ...],
) -> Equation:  # fmt: skip
    """One probability from its counts, and the prior's where there is one."""
    own, above = _event(family, place, states)
    row, key = counts[place[:-1]], str(family.states[place[-1]])
    keys = [str(state) for state in family.states]
    keys = keys if len(set(keys)) == len(keys) else [str(k) for k in range(len(keys))]
    cell, every = f"n[{word(shortened(key, 20))}]", "n[k]"
    if float(row.sum() + cells[place[:-1]].sum()) == 0.0:
        return Equation(_conditional(own, above), "1 / r", {"r": float((family.table[place[:-1]] > 0.0).sum())}, of,
                        {"r": "states that may be, since nothing was counted"})  # fmt: skip
    values: dict[str, Any] = {cell: float(row[place[-1]]), every: dict(zip(keys, map(float, row), strict=True))}
    if not cells.any():
        return Equation(_conditional(own, above), f"{cell} / sum({every} for k in _)", values, of)
    values |= {"a": float(cells[place]), "A": float(cells[place[:-1]].sum())}
    where = {"a": "rows that the prior adds to a state", "A": "and to all"} if cells.min() == cells.max() else {}
    return Equation(_conditional(own, above), f"({cell} + a) / (sum({every} for k in _) + A)", values, of, where)


def _table_step(
    family: CategoricalFamily, counts: Floats, prior: TablePrior, zeros_stay: bool, states: Mapping[str, Sequence[Any]]
) -> Step:
    """The table with its counts, and the entry with the largest count written out."""
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(counts)), family.table.shape))
    # With a prior a table holds a zero only where the start had one.
    cells = prior.cells(family.table.shape, family.table > 0.0 if zeros_stay else None)
    equation = _estimate(family, place, counts, cells, states, ("families_", family.node, "table", *place))
    return Step(f"The table of {family.node}", equation, _shown_table(family, counts, states))


def _entry_step(family: CategoricalFamily, states: Mapping[str, Sequence[Any]]) -> Step:
    """A table as it was given: its first row sums to 1."""
    place = (0,) * family.table.ndim
    own, above = _event(family, place, states)
    row = {str(k): float(p) for k, p in enumerate(family.table[place[:-1]])}
    others = {key: p for key, p in row.items() if key != "0"}
    right = "1 - sum(p[k] for k in _)" if others else "1"
    values = {"p[k]": others} if others else {}
    equation = Equation(_conditional(own, above), right, values, ("families_", family.node, "table", *place),
                        {"p[k]": "the other states"} if others else {})  # fmt: skip
    return Step(f"The table of {family.node}", equation)


def _shown_table(family: CategoricalFamily, counts: Floats, states: Mapping[str, Sequence[Any]]) -> WorkTable:
    """Counts and probabilities by configuration, the first of them."""
    own = [str(state) for state in family.states[:STATES]]
    parts = counts.reshape(-1, counts.shape[-1]), family.table.reshape(-1, counts.shape[-1])
    rows: list[tuple[Cell, ...]] = []
    for q in range(min(len(parts[0]), CONFIGURATIONS)):
        where = map(int, np.unravel_index(q, family.cards)) if family.parents else ()
        labels = (str(states[name][k]) for name, k in zip(family.parents, where, strict=True))
        rows.append((*labels, *(float(v) for part in parts for v in part[q, : len(own)])))
    header = (*family.parents, *(f"rows {s}" for s in own), *(f"P({s})" for s in own))
    left = len(parts[0]) - len(rows), len(family.states) - len(own)
    caption = f"{left[0]} more configurations and {left[1]} more states are not shown." if any(left) else ""
    return WorkTable(header, tuple(rows), caption)


def _line_steps(family: GaussianFamily, moments: GroupMoments, states: Mapping[str, Sequence[Any]]) -> Iterator[Step]:
    """Intercept and variance in the configuration with the most rows."""
    q, k = int(np.argmax(moments.weight)), len(family.regressors)
    place = tuple(int(i) for i in np.unravel_index(q, family.cards)) if family.parents else ()
    weights, mean, n = family.flat[1], moments.mean[q], float(moments.weight[q])
    given = ", ".join(f"{name} = {states[name][i]}" for name, i in zip(family.parents, place, strict=False))
    title = f"The line of {family.node}" + (f" given {given}" if given else "")
    if n == 0.0:
        yield Step(title, note="No row says anything of it, so it is as its column is.")
        return
    of: tuple[str | int, ...] = ("families_", family.node, "intercept", *place)
    equations = [Equation("a", "x̄", {"x̄": float(mean[k])}, of)]
    if k:
        values = {"x̄": float(mean[k]), "b[j]": weights[q], "z̄[j]": mean[:k]}
        where = {"b[j]": "the weight of regressor j", "z̄[j]": "its mean"}
        equations = [Equation("a", "x̄ - sum(b[j] * z̄[j] for j in _)", values, of, where)]
    along, scatter = np.append(-weights[q], 1.0), moments.scatter[q]
    values = {"e": along, "S": scatter, "n": n}
    where = {"e": "minus the weights, and 1 for the node itself", "S": "squares and products about the means"}
    right, variance = "dot(e, S @ e) / n", float(family.variance[place])
    held = float(along @ scatter @ along) / n < variance * (1.0 - 1e-9)
    of = ("families_", family.node, "variance", *place)
    if held:
        right, values, where = (
            f"max({right}, f)",
            {**values, "f": variance},
            {**where, "f": "the floor of var_smoothing"},
        )
    if k < 1 and not held:
        right, values, where = "Q / n", {"Q": float(scatter[0, 0]), "n": n}, {"Q": "squares about the mean"}
    equations.append(Equation("σ**2", right, values, of, where))
    regressors = "".join(f"; ⟦z[{j + 1}]⟧ is {name}" for j, name in enumerate(family.regressors))
    yield Step(title, tuple(equations), note=f"⟦x⟧ is {family.node}{regressors}.")


# --- an iteration -------------------------------------------------------------------------------------------


def derive_iteration(model: NetworkLearner, prior: TablePrior, iteration: int, options: WorkOptions) -> Work:
    """One iteration of EM: what went in, the posteriors of what was not seen, expected counts, and new tables."""
    if not hasattr(model, "trace_"):
        raise ParameterError(
            f"no iterations are kept, so there is no iteration {iteration!r} to show: they are kept where EM goes over "
            "distinct rows of discrete nodes"
        )
    trace, after, layout = model.trace_, model.network_, layout_of(model.network_)
    size = trace.path.states.shape[1]
    old, new = trace.path.step(iteration, (size,))
    before, states = _with_tables(after, layout, old), after.states
    structure = Structure.of(before.dag, Variables.of_families(before.families, ()))
    inference = Inference.of(structure, {family.node: family for family in before.families})
    nodes = list(states)
    unseen = [name for d, name in enumerate(nodes) if (trace.codes[:, d] < 0).any()]
    steps = [_pattern_table(trace, nodes, states)]
    whole = [name for d, name in enumerate(nodes) if (trace.codes[:, d] < 0).all()]
    for p in range(min(options.rows, len(trace.codes))):
        gap = next(name for d, name in enumerate(nodes) if trace.codes[p, d] < 0)
        known = {name: states[name][c] for name, c in zip(nodes, trace.codes[p], strict=True) if c >= 0}
        steps += _posterior_steps(elimination_trace(before, gap, known), gap, f"Rows like {p + 1}", ())
    each = np.array([expected_in(trace.codes[p : p + 1], np.ones(1), inference) for p in range(len(trace.codes))])
    others = None if trace.others is None else trace.others.at(iteration, (size,))
    if whole:
        steps.append(_kinds_step(before, trace, nodes, whole[0], others is not None))
    total = trace.weight @ each + (0.0 if others is None else others)
    at = int(np.searchsorted(trace.path.iterations, iteration))
    families = [family for family in after.families if isinstance(family, CategoricalFamily)]
    concerned = [f for f in families if {f.node, *f.parents} & set(unseen)] or families
    for family in concerned[: None if options.is_full else FAMILIES]:
        offset = int(layout.offsets[families.index(family)])
        cells = prior.cells(family.table.shape, family.table > 0.0 if model.init is not None else None)
        table = new[offset : offset + family.table.size].reshape(family.table.shape)
        shown = [i for i in np.ndindex(family.table.shape) if i[-1] < family.table.shape[-1] - 1]
        for place in shown[: None if options.is_full else ENTRIES]:
            flat = offset + int(np.ravel_multi_index(place, family.table.shape))
            counts = total[offset : offset + family.table.size].reshape(family.table.shape)
            made = CategoricalFamily(family.node, family.states, family.parents, table)
            own, above = _event(family, place, states)
            left = f"n[{word(shortened(str(family.states[place[-1]]), 20))}]"
            both = f"P({own}, {above} | x[p])" if above else f"P({own} | x[p])"
            rest = {} if others is None else {"p": float(others[flat])}
            values = {"c[p]": trace.weight, both: each[:, flat]}
            where = {"c[p]": "how many rows are like p", "x[p]": "what is known of them"}
            count = Equation(left, f"sum(c[p] * {both} for p in _)", values, where=where, rest=rest)
            of = ("trace_", "path", "states", at, flat)
            equations = count, _estimate(made, place, counts, cells, states, of)
            given = above.replace(" == ", " = ").replace("'", "")
            title = f"{family.node} = {family.states[place[-1]]}" + (f" given {given}" if above else "")
            steps.append(Step(title, equations))
    steps.append(_tables_step(concerned, before, _with_tables(after, layout, new)))
    rise = _rise(model, iteration)
    if rise is not None:
        steps.append(Step("The objective does not fall", rise))
    return Work(f"Iteration {iteration} of EM in a Bayesian network", steps)


def _tables_of(network: Network) -> dict[str, Floats]:
    """The table of each discrete node."""
    return {family.node: family.table for family in network.families if isinstance(family, CategoricalFamily)}


def _tables_step(families: Sequence[CategoricalFamily], before: Network, after: Network) -> Step:
    """Every probability of the families before and after an iteration."""
    rows = []
    for family in families:
        old, new = (tables[family.node] for tables in (_tables_of(before), _tables_of(after)))
        for place in np.ndindex(family.table.shape):
            name = _conditional(*_event(family, place, before.states))
            rows.append((f"⟦{name}⟧", float(old[place]), float(new[place])))
    return Step("The tables, before and after", table=cut_table(("", "before", "after"), rows, len(rows)))


def _with_tables(network: Network, layout: FamilyLayout, numbers: Floats) -> Network:
    """The network with other numbers in its tables."""
    tables, families = iter(layout.split(numbers)), list[Family]()
    for family in network.families:
        if isinstance(family, CategoricalFamily):
            families.append(CategoricalFamily(family.node, family.states, family.parents, next(tables)))
        else:
            families.append(family)
    return Network(tuple(families))


def _pattern_table(trace: Any, nodes: list[str], states: Mapping[str, Sequence[Any]]) -> Step:
    rows = list[tuple[Cell, ...]]()
    for p, (codes, n) in enumerate(zip(trace.codes, trace.weight, strict=True)):
        cells = ("?" if c < 0 else str(states[name][c]) for name, c in zip(nodes, codes, strict=True))
        rows.append((p + 1, *cells, float(n)))
    caption = "" if trace.others is None else "The other rows are one number in each sum."
    table = cut_table(("⟦p⟧", *nodes, "rows ⟦c[p]⟧"), rows, len(rows), caption)
    return Step("Distinct rows, and how many are like each", table=table)


def _kinds_step(network: Network, trace: Any, nodes: list[str], hidden: str, is_cut: bool) -> Step:
    """For each kind of row what it adds to the share of the first state of a hidden node."""
    states = network.states
    event, total = _equal(hidden, states[hidden][0]), float(trace.weight.sum())
    joint = []
    for codes in trace.codes:
        known = {name: states[name][c] for name, c in zip(nodes, codes, strict=True) if c >= 0}
        whole = math.exp(network.log_probability(known))
        joint.append((math.exp(network.log_probability(known | {hidden: states[hidden][0]})), whole))
    shares = [both / whole for both, whole in joint]
    added = [float(w) / total * share for w, share in zip(trace.weight, shares, strict=True)]
    rows = [(p + 1, float(w), shares[p], added[p]) for p, w in enumerate(trace.weight)]
    most = int(np.argmax(trace.weight))
    p, (both, whole) = most + 1, joint[most]
    first = Equation(
        f"q[{p}]",
        f"c[{p}] / N * (P({event}, x[{p}]) / P(x[{p}]))",
        {f"c[{p}]": float(trace.weight[most]), "N": total, f"P({event}, x[{p}])": both, f"P(x[{p}])": whole},
        where={f"q[{p}]": f"what rows like {p} add", "N": "all rows of the table" if is_cut else "all rows"},
    )
    values = {"q[p]": added}
    name = f"P({event})" if not is_cut and not network[hidden].all_parents else "q"
    theta = Equation(name, "sum(q[p] for p in _)", values)
    header = ("⟦p⟧", "⟦c[p]⟧", f"⟦P({event} | x[p])⟧", "⟦q[p]⟧")
    table = cut_table(header, rows, len(rows))
    return Step(f"What each kind of row adds to {hidden} = {states[hidden][0]}", (first, theta), table=table)


# --- predictions --------------------------------------------------------------------------------------------


def derive_predictions(
    model: NetworkLearner, inference: Inference, target: str, codes: Any, numbers: Floats, cut: bool, tied: bool
) -> Work:
    """For each row of codes and numbers of all nodes the posterior of the target; `tied`: predict gives it."""
    network, steps = model.network_, [Step("The network", JOINT)]
    continuous = [family.node for family in network.families if not family.states]
    family = network[target]
    for row in range(len(codes)):
        if isinstance(family, CategoricalFamily):
            known = {name: own[c] for (name, own), c in zip(network.states.items(), codes[row], strict=True) if c >= 0}
            known |= {n: float(v) for n, v in zip(continuous, numbers[row], strict=True) if v == v}
            trace = elimination_trace(network, target, known)
            steps += _elimination_steps(trace, row)
            steps += _posterior_steps(trace, target, f"Row {row + 1}", ("predict_proba", row) if tied else ())
            if tied:
                steps.append(_choice(trace, target, row))
        else:
            steps.append(_mean_step(inference, codes[row : row + 1], numbers[row : row + 1], target, row, tied))
    if isinstance(family, CategoricalFamily):
        steps += [] if tied else [_entry_step(family, network.states)]
    elif not tied:
        place = (0,) * family.variance.ndim
        values = {"v": float(family.variance[place])}
        of: tuple[str | int, ...] = ("families_", target, "variance", *place)
        steps.append(Step(f"The noise of {target}", Equation("σ**2", "v", values, of)))
    notes = [f"The first {len(codes)} rows are derived."] if cut else []
    return Work("Bayesian network: the predictions", steps, [*notes, "Empty cells are summed out."])


def _choice(trace: EliminationTrace, target: str, row: int) -> Step:
    """The most probable state."""
    own = trace.distribution.states[0]
    posterior = {str(s): float(p) for s, p in zip(own, np.asarray(trace.distribution.table), strict=True)}
    choice = Equation("state", "argmax(P(s | e) for s in _)", {"P(s | e)": posterior}, ("predict", row), therefore=True)
    return Step(f"Row {row + 1}: the answer for {target}", choice)


def _elimination_steps(trace: EliminationTrace, row: int) -> Iterator[Step]:
    """What is eliminated in which order."""
    shown = trace.steps[:CONFIGURATIONS]
    rows = tuple(
        (step.variable, " · ".join(f.name for f in step.factors), step.result.name, _numbers(step.result.table))
        for step in shown
    )
    left = f"{len(trace.steps) - len(shown)} more steps are not shown." if len(trace.steps) > len(shown) else ""
    if rows:
        table = WorkTable(("summed out", "product of", "leaves", "numbers"), rows, left)
        yield Step(f"Row {row + 1}: elimination", Equation("τ(u)", "sum(product(φ[f] for f in _) for x in _)"), table)


def _numbers(table: Floats | None) -> str:
    """The entries of a factor, the first of them."""
    if table is None:
        return "…"
    entries = table.ravel()
    return ", ".join(map(few_digits, entries[:STATES])) + (", …" if entries.size > STATES else "")


def _posterior_steps(trace: EliminationTrace, target: str, title: str, of: tuple[str | int, ...]) -> Iterator[Step]:
    """The joint probability of the likeliest state as a product, and its share of the sum over all states."""
    posterior = np.asarray(trace.distribution.table, np.float64)
    best, states = int(np.argmax(posterior)), [str(state) for state in trace.distribution.states[0]]
    states = states if len(set(states)) == len(states) else [str(k) for k in range(len(states))]
    joint, factors = np.ones(len(posterior)), dict[str, float]()
    for factor in trace.remaining:
        if factor.table is not None:
            joint = joint * factor.table
            factors[factor.name] = float(np.broadcast_to(factor.table, joint.shape)[best])
    scaled = sum(f.table is not None for f in trace.remaining) < len(trace.remaining)
    scaled = scaled or not TINY < joint.sum() < 1.0 / TINY
    joint, event = posterior if scaled else joint, _equal(target, states[best])
    equations = []
    if not scaled and len(factors) == len(trace.remaining) > 1:
        equations.append(Equation(f"P({event}, e)", "product(φ[f] for f in _)", {"φ[f]": factors}))
    values = {"P(s, e)": dict(zip(states, map(float, joint), strict=True)), f"P({event}, e)": float(joint[best])}
    share = f"P({event}, e) / sum(P(s, e) for s in _)"
    equations.append(Equation(f"P({event} | e)", share, values, (*of, best) if of else (), {"e": "what is known"}))
    note = "The products are scaled to a sum of 1." if scaled else f"The factors ⟦φ⟧ are {', '.join(factors)}."
    yield Step(f"{title}: posterior of {target} = {states[best]}", tuple(equations), note=note)


def _mean_step(inference: Inference, codes: Any, numbers: Floats, target: str, row: int, tied: bool) -> Step:
    """The mean of a continuous node: that of each configuration, weighted by its posterior."""
    answer = inference.answer(codes, numbers, np.zeros(1))
    i = next(i for i, component in enumerate(inference.structure.components) if target in component.nodes)
    share = answer.share[i][0]
    means = answer.completed[i].node(inference.structure.components[i].nodes.index(target))[0][0]
    values = {"P(q | e)": share, "E(x | q, e)": means}
    right = "sum(P(q | e) * E(x | q, e) for q in _)"
    where = {"e": "what is known", **({"q": "states of discrete parents"} if len(share) > 1 else {})}
    mean = Equation("E(x | e)", right, values, ("predict", row) if tied else (), where)
    if not math.isfinite(float(mean.value)):
        return Step(f"Row {row + 1}: mean of {target}", note="The row cannot be under the network.")
    return Step(f"Row {row + 1}: mean of {target}", mean)
