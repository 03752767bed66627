"""From rows to how each column goes with the target: one pass, one statistic per kind of column.

| score | numeric column | categorical column |
|---|---|---|
| correlation, anova of a numeric target | a line (`PairMoments`) | means of the target by category |
| correlation, anova of classes | means of the column by class | counts (correlation: Cramér's V) |
| mutual_information, gain | a sketch of quantiles per class, cut into bins or once | counts |

For the last row a numeric target is cut into bins first, by a pass over the target alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import cast

import numpy as np

from novacula.errors import ModelFileError
from novacula.projection.association import Crossing, Variation, best_cut
from novacula.projection.pairs import PairMoments
from novacula.state import Form, Scope, StateError, parts, record
from novacula.statistics import Bundle, ClassMoments, Contingency, QuantileSketch
from novacula.statistics.base import weighted_counts
from novacula.statistics.quantiles import merged
from novacula.table import Chunk
from novacula.table.chunk import Codes, Floats

CAPACITY = 2048
"""Buckets of a sketch: columns of as many distinct values are exact, others to about a thousandth of the rows."""


@dataclass(frozen=True)
class RankingPlan:
    """What is counted: by which score, and how the target comes."""

    score: str
    n_classes: int  # classes of the target, or bins; 0 for numbers as they are
    sizes: tuple[int, ...]  # categories of each categorical column
    edges: Floats | None = None  # that cut a numeric target into bins

    @property
    def informs(self) -> bool:
        """Whether the score is made of counts for every kind of column."""
        return self.score in ("mutual_information", "gain")


def observe_target(chunk: Chunk) -> QuantileSketch:
    """The quantiles of a numeric target."""
    target = np.ascontiguousarray(np.asarray(chunk.target, np.float64).reshape(-1, 1))
    return QuantileSketch.observe(Chunk(target, np.empty((len(chunk), 0), np.int32), chunk.weight), capacity=CAPACITY)


def observe(chunk: Chunk, plan: RankingPlan) -> Bundle:
    """What a chunk says of numeric columns, then of categorical ones."""
    if plan.edges is not None:
        chunk = with_target(chunk, np.searchsorted(plan.edges, np.asarray(chunk.target).ravel()).astype(np.int32))
    if not plan.n_classes:
        groups = (observe_groups(chunk, j, size) for j, size in enumerate(plan.sizes))
        return Bundle((PairMoments.observe(chunk), *groups))
    categories = Contingency.observe(chunk, plan.n_classes, plan.sizes)
    if plan.informs:
        return Bundle((QuantileSketch.observe(chunk, plan.n_classes, capacity=CAPACITY), categories))
    return Bundle((ClassMoments.observe(chunk, plan.n_classes), categories))


def observe_groups(chunk: Chunk, j: int, size: int) -> ClassMoments:
    """Moments of a numeric target by the categories of column j, where it is known."""
    known = (chunk.codes[:, j] >= 0) & (chunk.weight > 0.0)
    target = np.ascontiguousarray(np.asarray(chunk.target)[known].reshape(-1, 1))
    codes = np.ascontiguousarray(chunk.codes[known, j])
    rows = Chunk(target, np.empty((len(codes), 0), np.int32), chunk.weight[known], target=codes)
    if size <= 1:  # ClassMoments takes one class for all rows
        return ClassMoments.observe(rows)
    return ClassMoments.observe(rows, size)


def with_target(chunk: Chunk, target: Codes) -> Chunk:
    """The same rows with other classes."""
    return Chunk(chunk.numeric, chunk.codes, chunk.weight, chunk.sparse, chunk.text, target)


def require_parts(plan: RankingPlan, statistic: Bundle, n_numeric: int) -> None:
    """Refuse sums from a file that are not those which the plan counts for as many columns."""
    if plan.informs and not plan.n_classes:
        raise ModelFileError("its target has neither classes_ nor bins")
    try:
        form_of(plan, n_numeric).check(statistic.parts, "statistic_.parts", Scope())
    except StateError as error:
        raise ModelFileError(f"its {error}") from error
    if plan.n_classes and np.diff(cast("Contingency", statistic.parts[1]).offsets).tolist() != list(plan.sizes):
        raise ModelFileError("its statistic_ counts other categories than those of its schema_")


def form_of(plan: RankingPlan, n_numeric: int) -> Form:
    """What `observe` gives."""
    if not plan.n_classes:
        groups = (record(ClassMoments, classes=max(size, 1), columns=1) for size in plan.sizes)
        return parts(record(PairMoments, columns=n_numeric), *groups)
    k = plan.n_classes
    categories = record(Contingency, classes=k, columns=len(plan.sizes))
    if plan.informs:
        return parts(record(QuantileSketch, classes=k, columns=n_numeric, cells=k * n_numeric), categories)
    return parts(record(ClassMoments, classes=k, columns=n_numeric), categories)


# --- one column ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Binned:
    """Counts of one numeric column (K, m) in bins with these inner edges (m − 1,)."""

    counts: Floats
    edges: Floats


def associate(plan: RankingPlan, statistic: Bundle, kind: str, j: int, n_bins: int) -> Variation | Crossing:
    """How column j of its kind goes with the target."""
    if kind == "numeric":
        if plan.informs:
            return Crossing.of(binned(plan, statistic, j, n_bins).counts)
        return numeric_variation(statistic, j)
    return Crossing.of(category_counts(statistic, j)) if plan.n_classes else group_variation(statistic, j)


def numeric_variation(statistic: Bundle, j: int) -> Variation:
    """Numeric column j, for correlation and anova."""
    part = statistic.parts[0]
    if isinstance(part, ClassMoments):
        return Variation.of_groups(part.weight[:, j], part.mean[:, j], part.ssd[:, j])
    return Variation.of_pair(cast("PairMoments", part), j)


def group_variation(statistic: Bundle, j: int) -> Variation:
    """A numeric target, by the categories of column j."""
    part = cast("ClassMoments", statistic.parts[1 + j])
    return Variation.of_groups(part.weight[:, 0], part.mean[:, 0], part.ssd[:, 0])


def category_counts(statistic: Bundle, j: int) -> Floats:
    """Target by categories of column j (K, c)."""
    return cast("Contingency", statistic.parts[1]).column(j)


def binned(plan: RankingPlan, statistic: Bundle, j: int, n_bins: int) -> Binned:
    """Numeric column j in bins of equal weight; for the gain in two, at the best threshold."""
    part = cast("QuantileSketch", statistic.parts[0])
    cells = [part.cell(k, j) for k in range(plan.n_classes)]
    pooled = reduce(lambda a, b: merged(a, b, CAPACITY), cells)
    buckets = len(pooled.bucket)
    whole = QuantileSketch(CAPACITY, np.array([[pooled.level]]), np.array([0, buckets]), *pooled[1:])
    [edges] = whole.edges(max(buckets, 1) if plan.score == "gain" else n_bins)
    # Each bucket of a class lies within one of all classes together, and edges lie between those.
    counts = np.stack([weighted_counts(np.searchsorted(edges, c.low), c.weight, len(edges) + 1) for c in cells])
    if plan.score != "gain" or not len(edges):
        return Binned(counts, edges)
    cut = best_cut(counts)
    return Binned(np.stack([counts[:, :cut].sum(axis=1), counts[:, cut:].sum(axis=1)], axis=1), edges[cut - 1 : cut])


def score_of(plan: RankingPlan, association: Variation | Crossing) -> tuple[float, float]:
    """Score and p-value of a column; the p-value is NaN for the gain, whose threshold was chosen."""
    if isinstance(association, Variation):
        return (association.correlation if plan.score == "correlation" else association.f), association.p_value
    if plan.score == "correlation":
        return association.cramers_v, association.chi_square_p_value
    if plan.score == "gain":
        return association.gain, float("nan")
    return association.information, association.information_p_value
