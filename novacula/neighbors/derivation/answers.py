"""The work of an answer: who the neighbours of a row are, how far away, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import SHOWN, TABLE_ROWS, cut_table, only_first
from novacula.learner.figure import bar_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work
from novacula.mathematics import Equation, word
from novacula.neighbors.metric import MIXED, power
from novacula.neighbors.places import Asked, Neighbours
from novacula.neighbors.votes import TIE, cast_votes, strengths, winners
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neighbors.base import NeighborsLearner
    from novacula.neighbors.k_neighbors_classifier import KNeighborsClassifier
    from novacula.neighbors.k_neighbors_density import KNeighborsDensity
    from novacula.neighbors.k_neighbors_regressor import KNeighborsRegressor

TARGETS = 4
"""Targets that are derived, unless everything is asked for."""
LARGEST = 700.0
"""The size of logarithms up to which the numbers themselves are written."""


def derive_votes(model: KNeighborsClassifier, asked: Asked, options: WorkOptions) -> Work:
    """For each row its neighbours, the share of each class in their votes, and the class that wins."""
    steps = list[Step]()
    for i, found in enumerate(asked.nearest):
        share = found.shares(model.n_neighbors_)
        strength = strengths(share, found.distance, model.weights)
        code = model.examples_["target"][found.row]
        votes = cast_votes(share, strength, found.distance, code, len(model.classes_))[0]
        labels = [str(label) for label in model.classes_]
        said = [labels[c] for c in code[0]]
        steps.append(_distance_step(model, i, asked.rows[i], found, options))
        steps.append(_neighbour_step(model, i, found, options, strength, "class", said))
        heard = np.flatnonzero(strength[0])
        ranked = np.argsort(-votes[:, 0], kind="stable")
        best = int(winners(votes[None])[0])
        shown = [best, *(int(t) for t in ranked if t != best and votes[t, 0] > 0.0)]
        shown = shown if options.is_full else shown[:SHOWN]
        shares = tuple(
            _share(labels[t], strength[0, heard], [said[j] for j in heard], ("predict_proba", i, t)) for t in shown
        )
        figure = bar_figure(
            [labels[t] for t in ranked[:SHOWN]],
            votes[ranked[:SHOWN], 0] / votes[:, 0].sum(),
            title=f"Row {i + 1}: the votes",
            xlabel="share of the votes",
        )
        note = "⟦s⟧ is the strength of each neighbour's vote, and ⟦y⟧ its class."
        steps.append(Step(f"Row {i + 1}, the votes", shares, figure=figure, note=note))
        steps.append(_winner_step(labels, votes, i))
    return Work("k nearest neighbours: the votes", steps, asked.notes())


def _share(label: str, strength: Floats, said: list[str], of: tuple[str | int, ...]) -> Equation:
    """The share of a class in the votes."""
    return Equation(
        f"P({word(label)} | x)",
        f"sum(s[i] for i in _ if y[i] == {word(label)}) / sum(s[i] for i in _)",
        {"s": strength, "y": said},
        of=of,
    )


def _winner_step(labels: list[str], votes: Floats, i: int) -> Step:
    """The class with most votes; of several the one with the nearer voters."""
    strength, far = votes.T
    leads = strength >= strength.max() * (1.0 - TIE)
    if leads.sum() == 1:
        shares = dict(zip(labels, (strength / strength.sum()).tolist(), strict=True))
        most = Equation("ŷ", "argmax(P(t | x) for t in _)", {"P(t | x)": shares}, ("predict", i), therefore=True)
        return Step(f"Row {i + 1}, the class", most)
    least = far[leads].min()
    sums = np.where(far <= least * (1.0 + TIE), least, far)  # what differs by rounding is the same
    tied = {labels[t]: float(sums[t]) for t in np.flatnonzero(leads)}
    return Step(
        f"Row {i + 1}, the class",
        Equation(
            "ŷ",
            "argmin(D[t] for t in _)",
            {"D[t]": tied},
            ("predict", i),
            where={"D[t]": "the distances of the voters for a class, in sum"},
            therefore=True,
        ),
        note="Classes have as many votes; the one whose voters are nearer in sum wins, then the first.",
    )


def derive_means(model: KNeighborsRegressor, asked: Asked, options: WorkOptions) -> Work:
    """For each row its neighbours, and the mean of their targets."""
    steps, target = list[Step](), model.examples_["target"]
    several = target.ndim == 2
    n_targets = target.shape[1] if several else 1
    shown = n_targets if options.is_full else min(n_targets, TARGETS)
    for i, found in enumerate(asked.nearest):
        share = found.shares(model.n_neighbors_)
        strength = strengths(share, found.distance, model.weights)
        targets = target[found.row[0]].reshape(len(found.row[0]), -1)
        heard = np.flatnonzero(strength[0])
        steps.append(_distance_step(model, i, asked.rows[i], found, options))
        steps.append(_neighbour_step(model, i, found, options, strength, "target", targets[:, 0].tolist()))
        means = tuple(
            Equation(
                f"ŷ[{t + 1}]" if several else "ŷ",
                "sum(s[i] * y[i] for i in _) / sum(s[i] for i in _)",
                {"s": strength[0, heard], "y": targets[heard, t]},
                of=("predict", i, t) if several else ("predict", i),
                where={"s": "the strength of each neighbour", "y": "its target"},
            )
            for t in range(shown)
        )
        steps.append(Step(f"Row {i + 1}, the mean", means))
    notes = [*asked.notes(), *only_first(shown, n_targets, "target")]
    return Work("k nearest neighbours: the means", steps, notes)


def derive_densities(model: KNeighborsDensity, asked: Asked, options: WorkOptions) -> Work:
    """For each row the radius of its ball, and k over what the ball would hold at density 1."""
    steps = list[Step]()
    for i, found in enumerate(asked.nearest):
        steps.append(_distance_step(model, i, asked.rows[i], found, options))
        steps.append(_neighbour_step(model, i, found, options))
        steps.append(_ball_step(model, i, found))
    return Work("Nearest-neighbour density: the balls", steps, asked.notes())


def _ball_step(model: KNeighborsDensity, i: int, found: Neighbours) -> Step:
    k = model.n_neighbors_
    distances = found.listed(k)[0][0]
    radius, weight = float(distances[-1]), model.examples_["weight"]
    values = {"k": k, "N": float(weight.sum()), "d": int(np.isfinite(model.scaling_.unit).sum()), "r_k": radius}
    where = {"N": "the rows of the fit, by weight", "V": "the volume of the ball of radius 1", "d": "columns"}
    furthest = Equation(
        "r_k",
        "max(δ[i] for i in range(k))",
        {"δ": distances, "k": k},
        of=("kneighbors", 0, i, k - 1),
        where={"δ": "the distance of the row in each of the k places"},
    )
    logarithm = Equation(
        "log(p̂(x))",
        "log(k) - log(N) - log(V) - d * log(r_k)",
        {**values, "log(V)": model.log_volume_},
        of=("score_samples", i),
    )
    plain: tuple[Equation, ...] = ()
    size = values["d"] * abs(math.log(radius)) + abs(model.log_volume_) if radius > 0.0 else math.inf
    if size < LARGEST:
        held = {**values, "V": math.exp(model.log_volume_)}
        plain = (Equation("p̂(x)", "k / (N * V * r_k**d)", held, where=where),)
    note = "" if radius > 0.0 else f"{k} rows of the fit are at this very place: the ball has no volume."
    return Step(f"Row {i + 1}, the density", (furthest, *plain, logarithm), note=note)


# --- distances ------------------------------------------------------------------------------------------------


def _distance_step(model: NeighborsLearner, i: int, row: Floats, found: Neighbours, options: WorkOptions) -> Step:
    """The distance to the nearest row, from the columns."""
    first = int(found.place(1)[0])
    number = int(found.row[0, first])
    other = model.examples_["rows"][number]
    title, of = f"Row {i + 1}, distance to its nearest, row {number + 1} of the fit", ("kneighbors", 0, i, 0)
    if model.metric == MIXED:
        return _mixed_step(model, title, row, other, number, of, options)
    unit = model.scaling_.unit
    kept = np.flatnonzero(np.isfinite(unit))
    here, there = (model.scaling_.original(place[None])[0, kept] for place in (row, other))
    gap, values = f"x[j] - r[{number + 1}, j]", {"x": here, f"r[{number + 1}, j]": there}
    where = {f"r[{number + 1}, j]": f"row {number + 1} of the fit"}
    if model.scale is not None:
        gap, values, where = f"(({gap}) / u[j])", {**values, "u": unit[kept]}, {**where, "u": "the unit of each column"}
    formula, more = _metric(power(model.metric, model.p), gap)
    distance = Equation(f"d(x, r[{number + 1}])", formula, {**values, **more}, of, where)
    return Step(title, distance)


def _metric(p: float, gap: str) -> tuple[str, dict[str, float]]:
    """A distance of gaps as a formula, and the values it needs beside them."""
    inner = gap if gap.startswith("(") else f"({gap})"
    if p == np.inf:
        return f"max(abs({gap}) for j in _)", {}
    if p == 1.0:
        return f"sum(abs({gap}) for j in _)", {}
    if p == 2.0:
        return f"sqrt(sum({inner}**2 for j in _))", {}
    return f"sum(abs({gap})**p for j in _)**(1 / p)", {"p": p}


def _mixed_step(
    model: NeighborsLearner,
    title: str,
    row: Floats,
    other: Floats,
    number: int,
    of: tuple[str | int, ...],
    options: WorkOptions,
) -> Step:
    """HEOM: gaps of numbers as shares of their range, of categories 0 or 1, of what is missing 1."""
    n_numbers = len(model.scaling_.unit)
    gaps = np.abs(row - other)
    gaps[n_numbers:] = gaps[n_numbers:] > 0.0
    gaps = np.where(np.isnan(row - other), 1.0, gaps)
    columns = [column for kind in ("numeric", "categorical") for column in model.schema_.of_kind(kind)]
    originals = [model.scaling_.original(place[None])[0] for place in (row, other)]

    def cell(j: int, place: Floats, numbers: Floats) -> Cell:
        if np.isnan(place[j]):
            return "missing"
        return float(numbers[j]) if j < n_numbers else str(columns[j].categories[int(place[j])])

    rows = (
        (column.name, cell(j, row, originals[0]), cell(j, other, originals[1]), float(gaps[j]))
        for j, column in enumerate(columns)
    )
    header = ("column", "⟦x⟧", f"⟦r[{number + 1}]⟧", "gap ⟦g[j]⟧")
    most = len(columns) if options.is_full else TABLE_ROWS
    distance = Equation(f"d(x, r[{number + 1}])", "sqrt(sum(g[j]**2 for j in _))", {"g": gaps}, of)
    return Step(title, distance, cut_table(header, rows, len(columns), most=most))


def _neighbour_step(
    model: NeighborsLearner,
    i: int,
    found: Neighbours,
    options: WorkOptions,
    strength: Floats | None = None,
    what: str = "",
    says: Sequence[Any] = (),
) -> Step:
    """Who takes the k places: number, distance, places, and where there are targets what they say and how strongly."""
    share, distance = found.shares(model.n_neighbors_)[0], found.distance[0]
    taking = np.flatnonzero(share > 0.0)
    rows = list[tuple[Cell, ...]]()
    for j in taking.tolist():
        cells: tuple[Cell, ...] = (f"row {int(found.row[0, j]) + 1}", float(distance[j]), float(share[j]))
        rows.append(cells if strength is None else (*cells, says[j], float(strength[0, j])))
    header = ("neighbour", "distance ⟦δ⟧", "places ⟦m⟧", *((what, "strength ⟦s⟧") if strength is not None else ()))
    table = cut_table(header, rows, len(rows), most=len(rows) if options.is_full else TABLE_ROWS)
    by_distance = getattr(model, "weights", "") == "distance" and distance[taking[0]] > 0.0
    values = {"m": share[taking], "δ": distance[taking]}
    first = (Equation("s[1]", "m[1] / δ[1]", values),) if by_distance else ()
    return Step(f"Row {i + 1}, its neighbours", first, table)
