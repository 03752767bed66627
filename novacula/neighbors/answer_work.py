"""The work of an answer: who the neighbours of a row are, how far away, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.figure import bar_figure
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.neighbors.metric import MIXED
from novacula.neighbors.places import Neighbours
from novacula.neighbors.votes import cast_votes, strengths, winners
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.neighbors.base import NeighborsLearner
    from novacula.neighbors.k_neighbors_classifier import KNeighborsClassifier
    from novacula.neighbors.k_neighbors_density import KNeighborsDensity
    from novacula.neighbors.k_neighbors_regressor import KNeighborsRegressor

ROWS = 5
"""Rows of X that are derived."""
TERMS = 12
"""Terms of a sum that are written out; the others are one number."""
LISTED = 20
"""Neighbours in a table."""
TARGETS = 4
"""Targets that are derived."""


def derive_votes(model: KNeighborsClassifier, X: Any) -> Work:
    """For each of the first rows its neighbours, and the share of the winner in their votes."""
    steps = list[Step]()
    asked, n = _first_rows(model, X)
    for i, row, found in asked:
        share = found.shares(model.n_neighbors_)
        strength = strengths(share, found.distance, model.weights)
        code = model.examples_["target"][found.row]
        votes = cast_votes(share, strength, found.distance, code, len(model.classes_))
        best = int(winners(votes)[0])
        labels = [str(model.classes_[c]) for c in code[0]]
        steps += [_distance_step(model, i, row, found), _neighbour_table(i, found, share, strength, "class", labels)]
        steps.append(_vote_step(model, i, strength[0], code[0] == best, votes[0], best))
    return Work("k nearest neighbours: the votes", steps, _notes(model, n))


def derive_means(model: KNeighborsRegressor, X: Any) -> Work:
    """For each of the first rows its neighbours, and the mean of their targets."""
    steps = list[Step]()
    asked, n = _first_rows(model, X)
    for i, row, found in asked:
        share = found.shares(model.n_neighbors_)
        strength = strengths(share, found.distance, model.weights)
        targets = model._targets[found.row[0]]
        steps += [
            _distance_step(model, i, row, found),
            _neighbour_table(i, found, share, strength, "target", targets[:, 0].tolist()),
        ]
        several = targets.shape[1] > 1
        for t in range(min(targets.shape[1], TARGETS)):
            above, values = _sum(strength[0], "rest_y", targets[:, t])
            below, more = _sum(strength[0], "rest")
            steps.append(
                Step(
                    f"Row {i + 1}, the mean" + (f" of target {t + 1}" if several else ""),
                    formula="ŷ = Σ s·y / Σ s",
                    expression=f"({above}) / ({below})",
                    values=values | more,
                    of=("predict", i, t) if several else ("predict", i),
                )
            )
    return Work("k nearest neighbours: the means", steps, _notes(model, n))


def derive_densities(model: KNeighborsDensity, X: Any) -> Work:
    """For each of the first rows the radius of its ball, and k over what the ball would hold at density 1."""
    steps = list[Step]()
    asked, n = _first_rows(model, X)
    for i, row, found in asked:
        k = model.n_neighbors_
        share = found.shares(k)
        radius = float(found.distance[0, found.place(k)[0]])
        steps += [_distance_step(model, i, row, found), _neighbour_table(i, found, share)]
        steps.append(
            Step(
                f"Row {i + 1}, the logarithm of the density",
                formula="ln p̂ = ln k − ln N − ln V − d · ln r_k",
                expression="log(k) - log(N) - ln_V - d * log(r_k)",
                values={"k": k, "N": model._total, "ln_V": model.log_volume_, "d": model._dimension, "r_k": radius},
                of=("score_samples", i),
                note="" if radius > 0.0 else f"{k} rows of the fit are at this very place: the ball has no volume.",
            )
        )
    return Work("Nearest-neighbour density: the balls", steps, _notes(model, n))


def _first_rows(model: NeighborsLearner, X: Any) -> tuple[list[tuple[int, Floats, Neighbours]], int]:
    """Number, laid-out row and neighbours of each of the first rows, and how many rows there are."""
    table = model._query(X, model.unseen)
    queries = model.scaling_.lay_out(table.head(ROWS).to_chunk())
    rows = [queries[i : i + 1] for i in range(len(queries))]
    return [(i, row[0], model._neighbours(row, model.n_neighbors_)) for i, row in enumerate(rows)], len(table)


def _notes(model: NeighborsLearner, n: int) -> list[str]:
    notes = ["Of rows at one distance the one with the smaller number comes first."]
    if model.metric == MIXED or model.scale is not None:
        notes.append("Gaps are taken on the common scale of the columns.")
    return [*notes, f"The first {ROWS} of {n} rows are derived."] if n > ROWS else notes


def _distance_step(model: NeighborsLearner, i: int, row: Floats, found: Neighbours) -> Step:
    """The distance to the nearest row, from the gaps of the columns."""
    first = int(found.place(1)[0])
    other = model.examples_["rows"][found.row[0, first]]
    n_numbers, p = len(model.scaling_.unit), model._power
    gaps = np.abs(row - other)
    gaps[n_numbers:] = gaps[n_numbers:] > 0.0
    gaps = np.where(np.isnan(row - other), 1.0, gaps)
    names = [column.name for kind in ("numeric", "categorical") for column in model.schema_.of_kind(kind)]
    order = np.sort(np.argsort(-gaps, kind="stable")[:TERMS])
    held = {f"g_{j + 1}": float(gaps[j]) for j in order}
    labels = {f"g_{j + 1}": f"the gap in {names[j]}" for j in order}
    rest = np.delete(gaps, order)
    formula, expression = _metric_words(p, list(held), float(rest.max(initial=0.0) if p == np.inf else (rest**p).sum()))
    nearest = int(found.row[0, first]) + 1
    return Step(
        f"Row {i + 1}, distance to its nearest, row {nearest} of the fit",
        formula=formula,
        expression=expression,
        values=held,
        result=float(found.distance[0, first]),
        of=("kneighbors", 0, i, 0),
        labels=labels if len(held) <= TERMS else {},
    )


def _metric_words(p: float, gaps: list[str], rest: float) -> tuple[str, str]:
    """A metric as a formula, and as an expression of gaps; `rest` is what the gaps that have no name come to."""
    more = [repr(rest)] if rest else []
    if p == np.inf:
        return "d = max |gap|", f"max({', '.join([*gaps, *more])})"
    if p == 1.0:
        return "d = Σ |gap|", " + ".join([*gaps, *more])
    if p == 2.0:
        return "d = √Σ gap²", f"sqrt({' + '.join([*(f'{g}**2' for g in gaps), *more])})"
    return f"d = (Σ |gap|^{p:g})^(1/{p:g})", f"({' + '.join([*(f'{g}**{p!r}' for g in gaps), *more])})**(1 / {p!r})"


def _neighbour_table(
    i: int,
    found: Neighbours,
    share: Floats,
    strength: Floats | None = None,
    what: str = "",
    says: list[Any] | None = None,
) -> Step:
    """Who takes the k places: number, distance, places, and where there are targets what they say and how strongly."""
    taking = np.flatnonzero(share[0] > 0.0)
    rows = list[tuple[Cell, ...]]()
    for j in taking[:LISTED]:
        cells: tuple[Cell, ...] = (f"row {int(found.row[0, j]) + 1}", float(found.distance[0, j]), float(share[0, j]))
        said = () if says is None or strength is None else (says[j], float(strength[0, j]))
        rows.append((*cells, *said))
    header = ("neighbour", "distance", "places", *((what, "strength s") if says is not None else ()))
    caption = f"The first {LISTED} of {len(taking)}." if len(taking) > LISTED else ""
    return Step(f"Row {i + 1}, its neighbours", table=WorkTable(header, tuple(rows), caption))


def _vote_step(model: KNeighborsClassifier, i: int, strength: Floats, mine: Any, votes: Floats, best: int) -> Step:
    above, values = _sum(np.where(mine, strength, 0.0), "rest_t")
    below, more = _sum(strength, "rest")
    labels = [str(label) for label in model.classes_]
    order = np.argsort(-votes[:, 0], kind="stable")[:TERMS]
    even = int((votes[:, 0] == votes[best, 0]).sum()) > 1
    return Step(
        f"Row {i + 1}, the share of {labels[best]}",
        formula="P(t|x) = Σ s of the neighbours of class t / Σ s of all",
        expression=f"({above}) / ({below})",
        values=values | more,
        of=("predict_proba", i, best),
        figure=bar_figure(
            [labels[t] for t in order],
            votes[order, 0] / votes[:, 0].sum(),
            title=f"Row {i + 1}: the votes",
            xlabel="share of the votes",
        ),
        note="Classes have as many votes; the one whose voters are nearer in sum wins, then the first." if even else "",
    )


def _sum(strength: Floats, rest: str, times: Floats | None = None) -> tuple[str, dict[str, float]]:
    """Σ s or Σ s·y as an expression over those that are not 0, and the values of its names; `rest` is one of them."""
    heard = np.flatnonzero(strength)
    terms, held = list[str](), dict[str, float]()
    for j in heard[:TERMS]:
        held[f"s_{j + 1}"] = float(strength[j])
        terms.append(f"s_{j + 1}")
        if times is not None:
            held[f"y_{j + 1}"] = float(times[j])
            terms[-1] += f" * y_{j + 1}"
    if len(heard) > TERMS:
        products = strength if times is None else strength * times
        terms.append(rest)
        held[rest] = float(products[heard[TERMS:]].sum())
    return " + ".join(terms), held
