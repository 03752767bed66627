"""The work of k-means: centres as means of rows, the inertia as a sum, and for rows distances and clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.errors import ParameterError
from novacula.learner.derivation import cut_table, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.mixture.lloyd.assignment import Assignment, Centres, centres_at, distances
from novacula.mixture.lloyd.figures import cells_figure, fall_figure
from novacula.table.chunk import Floats
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.mixture.k_means import KMeans

CLUSTERS, COLUMNS = 4, 3
"""Written out, unless everything is asked for."""
RULES = (
    Equation("J", "sum(norm(x[i] - c[k[i]])**2 for i in _)", where={"k[i]": "the cluster of row i"}),
    Equation("k[i]", "argmin(norm(x[i] - c[k]) for k in _)", sign="←"),
    Equation("c[k]", "sum(x[i] for i in _ if k[i] == k) / n[k]", sign="←"),
)
"""What is minimised, and the two halves of a step."""


def derive_model(model: KMeans, options: WorkOptions) -> Work:
    """The last move of the centres, the inertia from the clusters', and the way down."""
    names = tuple(model.schema_.column_names())
    reseeded = f" Clusters were started again {model.n_reseeded_} times." if model.n_reseeded_ else ""
    rows = [(k, float(model.cluster_weight_[k]), float(model.cluster_inertia_[k]), *map(float, centre[:COLUMNS]))
            for k, centre in enumerate(model.cluster_centers_)]  # fmt: skip
    table = cut_table(("cluster", "rows", "inertia", *names[:COLUMNS]), rows, len(rows), "Where it ended")
    steps = [Step("The model, and the step that is repeated", RULES, table, note=f"{model.outcome_}{reseeded}")]
    if model.n_iter_ == 0:
        steps.append(Step("The centres", note="No centre had to move from where it started."))
    else:
        try:
            steps += _move_steps(model, model.n_iter_, options, is_last=True)
        except ParameterError as error:  # the states of many centres are not all kept
            steps.append(Step("The last move", note=f"It is not derived: {error}."))
    inertia = Equation("J", "sum(J[k] for k in _)", {"J[k]": model.cluster_inertia_}, ("inertia_",))
    steps += [Step("Inertia: the sum over clusters", inertia), _bic(model)]
    steps.append(Step("The way down", table=_passes(model, names), figure=fall_figure(model.history_)))
    cells = cells_figure(model, names, model.trace_.rows.x)
    if cells is not None:
        steps.append(Step("The cells", figure=cells))
    return Work(f"{model.n_clusters} centres by Lloyd's algorithm", steps, _left(model, options))


def derive_iteration(model: KMeans, iteration: int, options: WorkOptions) -> Work:
    """One step: what went in, the clusters of the first rows, their sums, and where the centres came to."""
    model.trace_.path.step(iteration, (model.cluster_centers_.size,))  # says why, where it was not kept
    names = tuple(model.schema_.column_names())
    before = model.trace_.path.at(iteration - 1, model.cluster_centers_.shape)
    rows = [(k, *map(float, centre[:COLUMNS])) for k, centre in enumerate(before)]
    steps = [Step("The step that is repeated", RULES)]
    steps.append(Step("What went in", table=cut_table(("cluster", *names[:COLUMNS]), rows, len(rows))))
    centres = centres_at(model.origin_, before)
    for i, x in enumerate(model.trace_.rows.x[: options.rows]):
        steps += _row_steps(i, x, centres, before, options, tied=False)
    steps += _move_steps(model, iteration, options)
    new, old = f"J[{iteration}]", f"J[{iteration - 1}]"
    values = {new: model.history_[iteration], old: model.history_[iteration - 1]}
    if values[new] <= values[old]:  # it is, but for rounding
        falls = Equation(new, old, values, ("history_", iteration - 1), sign="≤")
        steps.append(Step("The inertia of all rows does not rise", falls))
    return Work(f"Iteration {iteration} of Lloyd's algorithm", steps, _left(model, options))


def _passes(model: KMeans, names: tuple[str, ...]) -> WorkTable:
    """The inertia after each pass, by how much it fell, and where the centres were, if that was kept."""
    k, d = model.cluster_centers_.shape
    shown = [(c, j) for c in range(min(k, CLUSTERS)) for j in range(min(d, COLUMNS))]
    states = model.trace_.path.states.reshape(-1, k, d)
    kept = dict(zip(model.trace_.path.iterations.tolist(), states, strict=True))
    rows = [
        (
            i,
            float(inertia),
            float(model.history_[i - 1] - inertia) if i else "",
            *((float(kept[i][c, j]) for c, j in shown) if i in kept else ("",) * len(shown)),
        )
        for i, inertia in enumerate(model.history_)
    ]
    centres = (f"⟦c[{c}]⟧" if d == 1 else f"{shortened(names[j], 20)} of {c}" for c, j in shown)
    return cut_table(("pass", "⟦J⟧", "fall", *centres), rows, len(rows))


def _left(model: KMeans, options: WorkOptions) -> list[str]:
    if options.is_full:
        return []
    k, d = model.cluster_centers_.shape
    return only_first(min(k, CLUSTERS), k, "cluster") + only_first(min(d, COLUMNS), d, "column")


def _move_steps(model: KMeans, iteration: int, options: WorkOptions, is_last: bool = False) -> Iterator[Step]:
    """The clusters of the first rows around the centres before, and each new centre as the mean of its rows."""
    trace, shape, names = model.trace_, model.cluster_centers_.shape, tuple(model.schema_.column_names())
    k, d = shape
    before, _ = trace.path.step(iteration, shape)
    others = trace.sums_of_others(iteration, (k, d))
    centres = centres_at(model.origin_, before)
    found = Assignment.of(centres.space.offsets(trace.rows.x), centres)
    rows = [(i + 1, *map(float, x[:COLUMNS]), int(found.label[i]), float(found.square[i]))
            for i, x in enumerate(trace.rows.x)]  # fmt: skip
    caption = "All rows." if trace.rows.is_all else "The first rows; the others are one number in each sum."
    header = ("row", *names[:COLUMNS], "cluster", "squared distance")
    place, weighs = int(np.searchsorted(trace.path.iterations, iteration)), bool((trace.rows.weight != 1.0).any())
    inertia = Equation(
        f"J[{iteration - 1}]",
        f"sum({'a[i] * ' if weighs else ''}d[i]**2 for i in _)",
        {"d[i]**2": found.square, **({"a[i]": trace.rows.weight} if weighs else {})},
        ("history_", iteration - 1),
        {"d[i]": "the distance of row i to its centre"},
        {} if trace.others is None else {"i": float(others.inertia.sum())},
    )
    table = cut_table(header, rows, len(rows), caption)
    yield Step("Each row goes to the nearest centre", inertia, table)
    where = {"a[i]": "the weight of row i" if weighs else "1 for each row"}
    for c in range(k if options.is_full else min(k, CLUSTERS)):
        held = np.flatnonzero(found.label == c)
        rest = {} if trace.others is None else {"i": float(others.weight[c])}
        weight = {str(i + 1): float(trace.rows.weight[i]) for i in held}
        of: tuple[str | int, ...] = ("sums_", "weight", c) if is_last else ()
        size = Equation(f"n[{c}]", "sum(a[i] for i in _)", {"a[i]": weight}, of, where, rest)
        equations = [size]
        for j in range(d if options.is_full else min(d, COLUMNS)):
            cell = f"x[i, {word(shortened(names[j], 20))}]" if d > 1 else "x[i]"
            left = f"c[{c}, {word(shortened(names[j], 20))}]" if d > 1 else f"c[{c}]"
            values = {cell: {str(i + 1): float(trace.rows.x[i, j]) for i in held}, f"n[{c}]": size.value}
            values |= {"a[i]": weight} if weighs else {}
            rest = (
                {} if trace.others is None else {"i": float(others.total[c, j] + others.weight[c] * model.origin_[j])}
            )
            of = ("cluster_centers_", c, j) if is_last else ("trace_", "path", "states", place, c * d + j)
            right = f"sum({'a[i] * ' if weighs else ''}{cell} for i in _) / n[{c}]"
            equations.append(Equation(left, right, values, of, rest=rest))
        yield Step(f"Centre {c}: the mean of its rows", tuple(equations))


def _bic(model: KMeans) -> Step:
    total, (k, d) = float(model.cluster_weight_.sum()), model.cluster_centers_.shape
    if model.inertia_ == 0.0:
        return Step("Bayesian information criterion", note="The inertia is 0, so no variance is left to judge by.")
    variance = Equation("σ**2", "J / (n * d)", {"J": model.inertia_, "n": total, "d": d})
    held = model.cluster_weight_[model.cluster_weight_ > 0.0]
    likelihood = Equation(
        "log(L)",
        "sum(n[k] * log(n[k] / n) for k in _) - n * d / 2 * (log(2 * π * σ**2) + 1)",
        {"n[k]": held, "n": total, "d": d, "σ**2": variance.value},
    )
    values = {"K": k, "d": d, "n": total, "log(L)": likelihood.value}
    bic = Equation("BIC", "(K * d + K) * log(n) - 2 * log(L)", values)
    return Step("Bayesian information criterion of equal spherical Gaussians", (variance, likelihood, bic))


# --- rows -----------------------------------------------------------------------------------------------------


def derive_rows(model: KMeans, x: Floats, cut: bool, options: WorkOptions) -> Work:
    """Distances and cluster of the first rows."""
    names, centres = tuple(model.schema_.column_names()), centres_at(model.origin_, model.cluster_centers_)
    columns = WorkTable(("⟦j⟧", "column"), tuple(enumerate(names[:20], start=1)))
    steps = [Step("The columns", table=columns)] if len(names) > 1 else []
    for i, row in enumerate(x):
        steps += _row_steps(i, row, centres, model.cluster_centers_, options, tied=True)
    cells = cells_figure(model, names, x)
    if cells is not None:
        steps.append(Step("The rows in their cells", figure=cells))
    notes = [f"The first {len(x)} rows are derived; the others are alike."] if cut else []
    return Work("The nearest centres", steps, notes)


def _row_steps(i: int, x: Floats, centres: Centres, places: Floats, options: WorkOptions, tied: bool) -> Iterator[Step]:
    """The distances to the nearest few centres, and which is the nearest."""
    found, n = distances(centres.space.offsets(x[None]), centres)[0], i + 1
    order = np.argsort(found, kind="stable")
    equations = []
    for k in order[: None if options.is_full else CLUSTERS - 1].tolist():
        values = {f"x[{n}, j]": x, f"c[{k}, j]": places[k]}
        right = f"sqrt(sum((x[{n}, j] - c[{k}, j])**2 for j in _))"
        if len(x) == 1:
            values, right = {f"x[{n}]": x[0], f"c[{k}]": places[k, 0]}, f"abs(x[{n}] - c[{k}])"
        equations.append(Equation(f"d[{n}, {k}]", right, values, ("transform", i, k) if tied else ()))
    named = {str(k): float(found[k]) for k in sorted(order[: None if options.is_full else 20].tolist())}
    of = ("predict", i) if tied else ()
    equations.append(Equation("cluster", f"argmin(d[{n}, k] for k in _)", {f"d[{n}, k]": named}, of, therefore=True))
    yield Step(f"Row {n}: distances, and the nearest centre", tuple(equations))
