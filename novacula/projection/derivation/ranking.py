"""The work of a ranking: the scores of the best columns, each from its own sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from novacula.learner.derivation import cut_table, only_first
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.projection.association import Crossing, Variation
from novacula.projection.ranking import RankingPlan, associate, binned, category_counts
from novacula.table.chunk import Floats

if TYPE_CHECKING:
    from novacula.projection.feature_ranker import FeatureRanker

DERIVED = 5
"""Columns whose scores are derived, unless everything is asked for."""
CELLS = 8
"""Classes and categories of a table of counts."""


def derive_ranking(model: FeatureRanker, plan: RankingPlan, options: WorkOptions) -> Work:
    """The ranks, then the arithmetic behind the best of them."""
    best = np.argsort(model.ranks_)
    most = len(best) if options.is_full else min(DERIVED, len(best))
    steps = [rank_table(model, best)]
    for j in map(int, best[:most]):
        steps += column_steps(model, plan, j)
    steps.append(Step("The scores", figure=model.figure()))
    notes = ["A row that misses a column is left out for that column.", *only_first(most, len(best), "column")]
    return Work(f"Columns ranked by {model.score.replace('_', ' ')} with {model.target_names_[0]}", steps, notes)


def rank_table(model: FeatureRanker, best: np.ndarray) -> Step:
    """Rank, score and p-value of the best columns."""
    rows = []
    for j in map(int, best):
        p = "" if model.pvalues_ is None else few_digits(model.pvalues_[j])
        score = float(model.scores_[j])
        rows.append((int(model.ranks_[j]), model.schema_.features[j].name, score if np.isfinite(score) else "∞", p))
    return Step("The ranks", table=cut_table(("rank", "column", model.score, "p-value"), rows, len(rows)))


def column_steps(model: FeatureRanker, plan: RankingPlan, j: int) -> Iterator[Step]:
    """How the score of column j comes about."""
    column = model.schema_.features[j]
    place, title = model.schema_.of_kind(column.kind).index(column), f"Score of {column.name}"
    found = associate(plan, model.statistic_, column.kind, place, model.n_bins)
    if isinstance(found, Variation):
        yield variation_step(model, j, found, title)
        return
    yield Step(f"Counts of {column.name}", table=count_table(model, plan, j), note=threshold_note(model, plan, j))
    if not found.freedom:
        yield Step(title, note="It has one value only, or the target one class.")
    elif model.score == "correlation":
        yield Step(title, cramer_equations(j, found))
    else:
        yield Step(title, gain_equations(j, found) if model.score == "gain" else (information_equation(j, found),))


def variation_step(model: FeatureRanker, j: int, found: Variation, title: str) -> Step:
    """R = √(B / (B + W)), or F."""
    if found.explained == 0.0 or not np.isfinite(model.scores_[j]):
        said = "nothing is explained" if found.explained == 0.0 else "nothing is left unexplained"
        return Step(title, note=f"Of the squares about the mean {said}.")
    of, values = ("scores_", j), {"B": found.explained, "W": found.left}
    where = {"B": "squares explained", "W": "squares left"}
    if model.score == "correlation":
        return Step(title, Equation("R", "sqrt(B / (B + W))", values, of, where))
    values, where = {**values, "a": found.freedom, "b": found.left_freedom}, {**where, "a": "degrees of freedom of B"}
    return Step(title, Equation("F", "(B / a) / (W / b)", values, of, {**where, "b": "those of W"}))


def cramer_equations(j: int, found: Crossing) -> tuple[Equation, ...]:
    """χ² from counts, and V from it."""
    counts = {"n[k, c]": found.counts, "e[k, c]": found.expected}
    right = "sum((n[k, c] - e[k, c])**2 / e[k, c] for k in _ for c in _)"
    where = {"n[k, c]": "rows of class k and category c", "e[k, c]": "those expected of independent ones"}
    square = Equation("χ**2", right, counts, where=where)
    values = {"χ**2": square.value, "N": found.total, "m": min(found.counts.shape) - 1}
    where = {"m": "classes or categories, the fewer of them, less 1"}
    return square, Equation("V", "sqrt(χ**2 / (N * m))", values, ("scores_", j), where)


def information_equation(j: int, found: Crossing) -> Equation:
    """I = Σ (n_kc / N) ln(n_kc · N / (n_k · n_c))."""
    values = {"n[k, c]": found.counts, "r[k]": found.counts.sum(axis=1), "s[c]": found.counts.sum(axis=0)}
    right = "sum(n[k, c] / N * log(n[k, c] * N / (r[k] * s[c])) for k in _ for c in _)"
    where = {"n[k, c]": "rows of class k in bin or category c", "r[k]": "all of class k", "s[c]": "all in c"}
    return Equation("I", right, {**values, "N": found.total}, ("scores_", j), where)


def gain_equations(j: int, found: Crossing) -> tuple[Equation, ...]:
    """H − Σ (n_c / N) H_c, and the entropy of the target before."""
    classes, sizes = found.counts.sum(axis=1), found.counts.sum(axis=0)
    before = Equation("H", "-sum(n[k] / N * log2(n[k] / N) for k in _)", {"n[k]": classes, "N": found.total})
    parts = [entropy(found.counts[:, c]) for c in range(len(sizes))]
    values = {"H": before.value, "s[c]": sizes, "N": found.total, "H[c]": parts}
    where = {"H[c]": "the entropy of the target within c", "s[c]": "rows in c"}
    return before, Equation("Gain", "H - sum(s[c] / N * H[c] for c in _)", values, ("scores_", j), where)


def entropy(counts: Floats) -> float:
    """−Σ p log₂ p."""
    p = counts[counts > 0.0] / counts.sum()
    return float(-(p * np.log2(p)).sum()) + 0.0  # no −0


# --- counts -------------------------------------------------------------------------------------------------


def count_table(model: FeatureRanker, plan: RankingPlan, j: int) -> WorkTable:
    """Target by category or bin, the first of each."""
    counts, names = counted(model, plan, j)
    classes = target_labels(model, len(counts))
    shown = zip(classes[:CELLS], counts[:CELLS, :CELLS].tolist(), strict=True)
    rows = tuple((label, *row) for label, row in shown)
    k, c = counts.shape
    caption = f"The first of {k} rows and {c} columns." if k > CELLS or c > CELLS else ""
    return WorkTable((model.target_names_[0], *names[:CELLS]), rows, caption)


def counted(model: FeatureRanker, plan: RankingPlan, j: int) -> tuple[Floats, list[str]]:
    """Counts (K, c) of column j, and what its categories or bins are called."""
    column = model.schema_.features[j]
    place = model.schema_.of_kind(column.kind).index(column)
    if column.kind == "categorical":
        return category_counts(model.statistic_, place), [str(category) for category in column.categories]
    found = binned(plan, model.statistic_, place, model.n_bins)
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


def threshold_note(model: FeatureRanker, plan: RankingPlan, j: int) -> str:
    """Where a numeric column was cut."""
    if model.schema_.features[j].kind != "numeric":
        return ""
    _, names = counted(model, plan, j)
    if model.score == "gain":
        return f"The best threshold is {names[0][2:]}." if len(names) > 1 else "There is nothing to cut."
    return f"The column is cut into {len(names)} bins of about equal weight."
