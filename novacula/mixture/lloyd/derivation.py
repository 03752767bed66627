"""The work of k-means: centres as means, the inertia as a sum, and for rows distances, clusters and the first step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.mixture.lloyd.assignment import Assignment, Centres, Space, distances
from novacula.mixture.lloyd.figures import cells_figure, fall_figure
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.mixture.k_means import KMeans

CLUSTERS = 4  # written out
COLUMNS = 3  # written out of each centre
LISTED = 20  # clusters in a table
ROWS = 5  # rows derived
TERMS = 12  # of a sum that is written out


def derive_model(model: KMeans, names: tuple[str, ...]) -> Work:
    """The centres from their sums, the inertia from the clusters', and the way to them."""
    shown, columns = range(min(CLUSTERS, model.n_clusters)), range(min(COLUMNS, len(names)))
    steps = [_overview(model, names)]
    steps += [_centre(model, k, j, names[j]) for k in shown for j in columns]
    steps += [_inertia(model), _bic(model), Step("The way down", figure=fall_figure(model.history_))]
    cells = cells_figure(model, names)
    if cells is not None:
        steps.append(Step("The cells", figure=cells))
    left = [
        f"{count - len(part)} more {what} are derived alike."
        for count, part, what in ((model.n_clusters, shown, "clusters"), (len(names), columns, "columns"))
        if count > len(part)
    ]
    return Work(f"{model.n_clusters} centres by Lloyd's algorithm", steps, left)


def _overview(model: KMeans, names: tuple[str, ...]) -> Step:
    header = ("cluster", "rows", "inertia", *names[:COLUMNS])
    rows: list[tuple[Cell, ...]] = [
        (k, float(model.cluster_weight_[k]), float(model.cluster_inertia_[k]), *map(float, centre[:COLUMNS]))
        for k, centre in enumerate(model.cluster_centers_[:LISTED])
    ]
    cut = f", the first {LISTED} of {model.n_clusters}" if model.n_clusters > LISTED else ""
    reseeded = f" Clusters were started again {model.n_reseeded_} times." if model.n_reseeded_ else ""
    return Step(
        "The model, and the step that is repeated",
        formula="J = Σ w‖x − c‖²;  each row goes to its nearest centre c;  then c = Σwx / Σw over the rows that it has",
        table=WorkTable(header, tuple(rows), f"Clusters{cut}"),
        note=f"{model.outcome_}{reseeded}",
    )


def _centre(model: KMeans, k: int, j: int, name: str) -> Step:
    """One coordinate of a centre, as the mean of the rows that the last move was made from."""
    title, of, result = f"Centre {k}, {name}", ("cluster_centers_", k, j), float(model.cluster_centers_[k, j])
    if model.sums_ is None:
        return Step(title, result=result, of=of, note="No centre had to move from where it started.")
    values = {"S": float(model.sums_.total[k, j]), "n": float(model.sums_.weight[k])}
    origin = float(model.origin_[j])
    if origin == 0.0:
        return Step(title, "c = Σx / n", "S / n", values, result, of, {"S": "Σx"})
    return Step(
        title, "c = o + Σ(x − o) / n", "o + S / n", {"o": origin, **values}, result, of,
        {"o": "an origin amid the rows, which keeps the digits of sums", "S": "Σ(x − o)"},
    )  # fmt: skip


def _inertia(model: KMeans) -> Step:
    parts = model.cluster_inertia_
    first = {f"J{k}": float(value) for k, value in enumerate(parts[:TERMS])}
    rest = {"rest": float(parts[TERMS:].sum())} if len(parts) > TERMS else {}
    return Step(
        "Inertia: the sum over clusters",
        "J = Σₖ Jₖ",
        " + ".join([*first, *rest]),
        {**first, **rest},
        model.inertia_,
        ("inertia_",),
        {"rest": f"of the other {len(parts) - TERMS} clusters"} if rest else {},
    )


def _bic(model: KMeans) -> Step:
    total, (k, d) = float(model.cluster_weight_.sum()), model.cluster_centers_.shape
    if model.inertia_ == 0.0:
        return Step("Bayesian information criterion", note="The inertia is 0, so no variance is left to judge by.")
    variance = model.inertia_ / (total * d)
    held = model.cluster_weight_[model.cluster_weight_ > 0.0]
    values = {"K": k, "d": d, "N": total, "H": float(held @ np.log(held / total)), "v": variance}
    return Step(
        "Bayesian information criterion of equal spherical Gaussians",
        "BIC = (Kd + K) ln N − 2 (Σ nₖ ln(nₖ/N) − (Nd/2)(ln 2πσ² + 1)),  σ² = J / Nd",
        f"(K * d + K) * log(N) - 2 * (H - N * d / 2 * (log({2.0 * np.pi!r} * v) + 1))",
        values,
        model.bic(),
        labels={"H": "Σ nₖ ln(nₖ/N)", "v": "σ²"},
    )


# --- rows -----------------------------------------------------------------------------------------------------


def derive_rows(model: KMeans, x: Floats, names: tuple[str, ...]) -> Work:
    """Distances and cluster of the first rows; then the first step of the algorithm, were these rows all."""
    centres = model._centres()
    steps: list[Step] = []
    for i in range(min(ROWS, len(x))):
        steps += _row(i, x[i], model, centres, names)
    steps.append(_first_step(model, x))
    steps += _first_centres(model, x, names)
    cells = cells_figure(model, names, x)
    if cells is not None:
        steps.append(Step("The rows in their cells", figure=cells))
    notes = [f"The first {ROWS} rows are derived; the others are alike."] if len(x) > ROWS else []
    return Work("The nearest centres", steps, notes)


def _row(i: int, x: Floats, model: KMeans, centres: Centres, names: tuple[str, ...]) -> Iterator[Step]:
    """The distances to the nearest few centres, and which is the nearest."""
    offset = centres.space.offsets(x[None])
    found, nearest = distances(offset, centres)[0], int(Assignment.of(offset, centres).label[0])
    order = np.argsort(found, kind="stable")[:CLUSTERS]
    for k in order[: CLUSTERS - 1]:
        title, of, result = f"Row {i + 1}, distance to centre {k}", ("transform", i, int(k)), float(found[k])
        centre = model.cluster_centers_[k]
        if len(x) > TERMS:
            yield Step(title, result=result, of=of, note=f"Over {len(x)} columns.")
            continue
        values = {f"x{j}": float(v) for j, v in enumerate(x)} | {f"c{j}": float(c) for j, c in enumerate(centre)}
        inside = " + ".join(f"(x{j} - c{j}) ** 2" for j in range(len(x)))
        labels = {f"x{j}": name for j, name in enumerate(names)} if k == order[0] else {}
        yield Step(title, "‖x − c‖ = √Σ(x − c)²", f"sqrt({inside})", values, result, of, labels)
    near = {f"d{k}": float(found[k]) for k in order}
    yield Step(
        f"Row {i + 1}, cluster",
        formula="the nearest centre",
        result=nearest,
        of=("predict", i),
        note=", ".join(f"{name[0]}({name[1:]}) = {value:.6g}" for name, value in near.items()),
    )


def _started(model: KMeans, x: Floats) -> tuple[npt.NDArray[np.int32], Floats]:
    """The nearest centre of the start of each row, and the squared distance to it."""
    space = Space.around(model.origin_, model.start_)
    centres, offset = Centres.of(space, model.start_ - model.origin_), space.offsets(x)
    found = Assignment.of(offset, centres)
    return found.label, found.square


def _first_step(model: KMeans, x: Floats) -> Step:
    """The inertia of these rows around the start."""
    label, square = _started(model, x)
    terms = {f"q{i + 1}": float(q) for i, q in enumerate(square[:TERMS])}
    rest = {"rest": float(square[TERMS:].sum())} if len(x) > TERMS else {}
    table = WorkTable(
        ("row", "cluster", "squared distance"),
        tuple((i + 1, int(label[i]), float(square[i])) for i in range(min(len(x), TERMS))),
        "Where the start puts these rows",
    )
    return Step(
        "The first step, if these rows were all: inertia around the start",
        "J = Σ‖x − c‖²",
        " + ".join([*terms, *rest]),
        {**terms, **rest},
        labels={"rest": f"of the other {len(x) - TERMS} rows"} if rest else {},
        table=table,
    )


def _first_centres(model: KMeans, x: Floats, names: tuple[str, ...]) -> Iterator[Step]:
    """Where the first step would put the centres that have some of these rows."""
    label, _ = _started(model, x)
    for k in np.unique(label)[:CLUSTERS]:
        held = np.flatnonzero(label == k)
        if len(held) > TERMS:
            values = {"S": float(x[held, 0].sum()), "n": float(len(held))}
            yield Step(f"… the next centre {k}, {names[0]}", "c = Σx / n", "S / n", values, labels={"S": "Σx"})
            continue
        values = {f"x{i + 1}": float(x[i, 0]) for i in held}
        expression = f"({' + '.join(values)}) / {len(held)}"
        yield Step(f"… the next centre {k}, {names[0]}", "c = Σx / n", expression, values)
