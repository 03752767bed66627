"""The work of a ranking: the scores of the best columns, each from its own sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.figure import few_digits
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.projection.association import Crossing, Variation
from novacula.projection.ranking import binned, category_counts
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.projection.feature_ranker import FeatureRanker

DERIVED = 5
"""Columns whose scores are derived."""
SHOWN = 20
"""Rows of the table of ranks."""
CELLS = 8
"""Classes and categories of a table of counts, and terms of a sum."""


def derive_ranking(model: FeatureRanker) -> Work:
    """The ranks, then the arithmetic behind the best of them."""
    best = np.argsort(model.ranks_)
    steps = [rank_table(model, best[:SHOWN])]
    for j in map(int, best[:DERIVED]):
        steps += column_steps(model, j)
    steps.append(Step("The scores", figure=model.figure()))
    notes = ["A row that misses a column is left out for that column."]
    if len(best) > DERIVED:
        notes.append(f"The scores of the best {DERIVED} of {len(best)} columns are derived.")
    return Work(f"Columns ranked by {model.score.replace('_', ' ')} with {model.target_names_[0]}", steps, notes)


def rank_table(model: FeatureRanker, best: np.ndarray) -> Step:
    """Rank, score and p-value of the best columns."""
    rows = []
    for j in map(int, best):
        p = "" if model.pvalues_ is None else few_digits(model.pvalues_[j])
        score = float(model.scores_[j])
        rows.append((int(model.ranks_[j]), model.schema_.features[j].name, score if np.isfinite(score) else "∞", p))
    caption = f"The best {len(best)} of {len(model.ranks_)} columns." if len(best) < len(model.ranks_) else ""
    table = WorkTable(("rank", "column", model.score, "p-value"), tuple(rows), caption)
    return Step("The ranks", table=table)


def column_steps(model: FeatureRanker, j: int) -> Iterator[Step]:
    """How the score of column j comes about."""
    found, name = model._association(j), model.schema_.features[j].name
    if isinstance(found, Variation):
        yield variation_step(model, j, found, name)
        return
    yield Step(f"Counts of {name}", table=count_table(model, j), note=threshold_note(model, j))
    if model.score == "correlation":
        yield cramer_step(j, found, name)
    elif model.score == "gain":
        yield gain_step(j, found, name)
    else:
        yield information_step(j, found, name)


def variation_step(model: FeatureRanker, j: int, found: Variation, name: str) -> Step:
    """R = √(B / (B + W)), or F."""
    of: tuple[str | int, ...] = ("scores_", j)
    if found.explained == 0.0 or not np.isfinite(model.scores_[j]):
        said = "nothing is explained" if found.explained == 0.0 else "nothing is left unexplained"
        return Step(f"Score of {name}", note=f"Of the squares about the mean {said}.")
    values = {"B": found.explained, "W": found.left}
    labels = {"B": "squares explained", "W": "squares left"}
    if model.score == "correlation":
        formula = "R = √(B / (B + W))"
        return Step(f"Score of {name}", formula, "sqrt(B / (B + W))", values, of=of, labels=labels)
    values |= {"a": found.freedom, "b": found.left_freedom}
    return Step(f"Score of {name}", "F = (B / a) / (W / b)", "(B / a) / (W / b)", values, of=of, labels=labels)


def cramer_step(j: int, found: Crossing, name: str) -> Step:
    """V = √(χ² / (N · m))."""
    if not found.freedom:
        return Step(f"Score of {name}", note="It has one category only, or the target one class.")
    values = {"chi2": found.chi_square, "N": found.total, "m": min(found.counts.shape) - 1}
    expression = "sqrt(chi2 / (N * m))"
    return Step(f"Score of {name}", "V = √(χ² / (N · min(r − 1, c − 1)))", expression, values, of=("scores_", j))


def information_step(j: int, found: Crossing, name: str) -> Step:
    """I = Σ (n_kc / N) ln(n_kc · N / (n_k · n_c)), the largest terms written out."""
    if not found.freedom:
        return Step(f"Score of {name}", note="It has one value only, or the target one class.")
    rows, columns, total = found.counts.sum(axis=1), found.counts.sum(axis=0), found.total
    places = [place for place in np.ndindex(found.counts.shape) if found.counts[place] > 0.0]
    sizes = {(k, c): found.counts[k, c] / total * np.log(found.counts[k, c] * total / rows[k] / columns[c])
             for k, c in places}  # fmt: skip
    shown = sorted(sorted(sizes, key=lambda place: -abs(sizes[place]))[:CELLS])
    values, terms = {"N": total}, []
    for k, c in shown:
        cell, row, column = f"n_{k + 1}_{c + 1}", f"r_{k + 1}", f"c_{c + 1}"
        terms.append(f"{cell} / N * log({cell} * N / ({row} * {column}))")
        values |= {cell: float(found.counts[k, c]), row: float(rows[k]), column: float(columns[c])}
    if len(shown) < len(sizes):
        terms.append("rest")
        values["rest"] = float(sum(size for place, size in sizes.items() if place not in shown))
    formula = "I = Σ (n_kc / N) · ln(n_kc · N / (n_k · n_c))"
    return Step(f"Score of {name}", formula, " + ".join(terms), values, of=("scores_", j))


def gain_step(j: int, found: Crossing, name: str) -> Step:
    """H − Σ (n_c / N) H_c, the heaviest parts written out."""
    if not found.freedom:
        return Step(f"Score of {name}", note="It has one value only, or the target one class.")
    sizes, total = found.counts.sum(axis=0), found.total
    parts = np.array([entropy(found.counts[:, c]) for c in range(len(sizes))])
    shown = np.sort(np.argsort(-sizes, kind="stable")[:CELLS])
    values = {"H": entropy(found.counts.sum(axis=1)), "N": total}
    terms = []
    for c in map(int, shown):
        terms.append(f"n_{c + 1} / N * H_{c + 1}")
        values |= {f"n_{c + 1}": float(sizes[c]), f"H_{c + 1}": float(parts[c])}
    if len(shown) < len(sizes):
        terms.append("rest")
        values["rest"] = float(np.delete(sizes * parts, shown).sum()) / total
    formula = "gain = H(target) − Σ (n_c / N) · H(target | c)"
    return Step(f"Score of {name}", formula, f"H - ({' + '.join(terms)})", values, of=("scores_", j))


def entropy(counts: Floats) -> float:
    """−Σ p log₂ p."""
    p = counts[counts > 0.0] / counts.sum()
    return float(-(p * np.log2(p)).sum()) + 0.0  # no −0


# --- counts -------------------------------------------------------------------------------------------------


def count_table(model: FeatureRanker, j: int) -> WorkTable:
    """Target by category or bin, the first of each."""
    counts, names = counted(model, j)
    classes = target_labels(model, len(counts))
    shown = zip(classes[:CELLS], counts[:CELLS, :CELLS].tolist(), strict=True)
    rows = tuple((label, *row) for label, row in shown)
    k, c = counts.shape
    caption = f"The first of {k} rows and {c} columns." if k > CELLS or c > CELLS else ""
    return WorkTable((model.target_names_[0], *names[:CELLS]), rows, caption)


def counted(model: FeatureRanker, j: int) -> tuple[Floats, list[str]]:
    """Counts (K, c) of column j, and what its categories or bins are called."""
    column = model.schema_.features[j]
    place = model.schema_.of_kind(column.kind).index(column)
    if column.kind == "categorical":
        return category_counts(model.statistic_, place), [str(category) for category in column.categories]
    found = binned(model._fitted_plan, model.statistic_, place, model.n_bins)
    return found.counts, interval_names(found.edges)


def target_labels(model: FeatureRanker, n: int) -> list[str]:
    """What the classes, or the bins of a numeric target, are called."""
    if model.classes_ is not None:
        return [str(label) for label in model.classes_]
    return [f"bin {k + 1}" for k in range(n)]


def interval_names(edges: Floats) -> list[str]:
    """Names for the bins between edges."""
    ends = [few_digits(edge) for edge in edges]
    return [f"≤ {end}" for end in ends] + [f"> {ends[-1]}" if ends else "all"]


def threshold_note(model: FeatureRanker, j: int) -> str:
    """Where a numeric column was cut."""
    if model.schema_.features[j].kind != "numeric":
        return ""
    _, names = counted(model, j)
    if model.score == "gain":
        return f"The best threshold is {names[0][2:]}." if len(names) > 1 else "There is nothing to cut."
    return f"The column is cut into {len(names)} bins of about equal weight."
