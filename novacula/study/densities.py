"""Which density describes rows best: −ln p of rows that were left out, lower is better, on the same folds for all.

Size and family of the mixture were chosen on all rows; its parameters are fitted without the rows left out, as those of
all others are. The density of nearest neighbours does not integrate to one, so it is shown and not chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.evaluate.folds import Folds, folds
from novacula.evaluate.intervals import standard_error
from novacula.mixture import GaussianMixture
from novacula.mixture.gaussian.covariance import CovarianceType
from novacula.neighbors import KernelDensity, KNeighborsDensity
from novacula.study.clusters import WIDE, Clusters, out_of_time
from novacula.study.leaderboard import short
from novacula.table import Table
from novacula.table.chunk import Floats

FOLDS = 5
FEWEST_ROWS = 30
"""Rows below which folds of them show little."""
MAX_ROWS = 1_000
"""Rows on which densities are compared: widths of kernels are chosen over all pairs."""


@dataclass(frozen=True, eq=False)
class DensityScore:
    """A density and its mean −ln p of rows left out; NaN with a note where it has none."""

    name: str
    error: float
    standard_error: float
    fold_errors: Floats
    n_rows: int
    normalised: bool = True  # it integrates to one, so that it can be compared
    note: str = ""

    @property
    def comparable(self) -> bool:
        """Whether it may be chosen."""
        return self.normalised and math.isfinite(self.error)


def compare_densities(
    table: Table, clusters: Clusters, seed: int, deadline: float | None = None
) -> tuple[DensityScore, ...]:
    """The densities of the columns, the best first; empty where rows are few or time is up."""
    if len(table) < FEWEST_ROWS or out_of_time(deadline):
        return ()
    if len(table) > MAX_ROWS:
        table = table.take(np.sort(np.random.default_rng(seed).choice(len(table), MAX_ROWS, replace=False)))
    parts = folds(len(table), FOLDS, random_state=seed)
    gappy = bool(np.isnan(table.to_chunk().numeric).any())
    models = _models(clusters, seed, len(table.layout.features))
    scores = [_score(name, model, table, parts, gappy) for name, model in models]
    return tuple(sorted(scores, key=lambda one: one.error if one.comparable else math.inf))


def _models(clusters: Clusters, seed: int, width: int) -> Iterator[tuple[str, Any]]:
    kind: CovarianceType = "full" if width <= WIDE else "diag"
    yield "One Gaussian", GaussianMixture(covariance_type=kind, random_state=seed)
    model = clusters.model
    if (model.n_components, model.covariance_type) != (1, kind):
        chosen = next(one for one in clusters.mixtures if one.model is model)
        yield f"Mixture of {chosen.words}" if model.n_components > 1 else chosen.words.replace("one", "One", 1), model
    yield "Kernel density", KernelDensity("cv_ml")
    yield "Nearest neighbours", KNeighborsDensity("loo", scale="standard")


def _score(name: str, model: Any, table: Table, parts: Folds, gappy: bool) -> DensityScore:
    normalised = not isinstance(model, KNeighborsDensity)

    def nothing(why: str) -> DensityScore:
        return DensityScore(name, math.nan, math.nan, np.full(len(parts), np.nan), len(table), normalised, why)

    if gappy and not model.card.admits.missing:
        return nothing("takes no missing values")
    try:
        losses = np.array([_loss(model, table.take(train), table.take(held_out)) for train, held_out in parts])
    except DataError as error:
        return nothing(str(error))
    if not np.isfinite(losses).all():
        return nothing("infinite where rows are equal")
    note = "" if normalised else "does not integrate to one: not compared"
    return DensityScore(name, float(losses.mean()), standard_error(losses), losses, len(table), normalised, note)


def _loss(model: Any, train: Table, held_out: Table) -> float:
    from sklearn.base import clone

    scores = clone(model).fit(train).score_samples(held_out)
    return -float(np.average(scores, weights=held_out.to_chunk().weight))


def density_sentence(scores: Sequence[DensityScore]) -> str:
    """Which density is best, and whether a simpler one is as good."""
    compared = [one for one in scores if one.comparable]
    if not compared:
        return ""
    best = compared[0]
    near = [one.name for one in compared[1:] if one.error <= best.error + best.standard_error]
    words = f"{best.name} describes rows that were left out best: −ln p is {short(best.error)} ± "
    words += f"{short(best.standard_error)} on average, over {len(best.fold_errors)} folds of {best.n_rows:,} rows"
    return f"{words}; within one standard error: {', '.join(near)}." if near else f"{words}."
