"""How many clusters: by the BIC of Gaussian mixtures, by silhouettes where there are no numbers, and how sure that is.

The choice is the simplest mixture whose BIC is within 10 of the least: smaller differences do not decide (Kass and
Raftery, Bayes factors, 1995). Mixtures with a component that collapsed onto a point or a plane do not count. How sure:
models of two halves of the rows, and k-means, label the same rows; the adjusted Rand index is 1 where two clusterings
agree and about 0 where they agree no more than chance would.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.errors import DataError
from novacula.mixture import GaussianMixture, KMeans
from novacula.mixture.gaussian.covariance import CovarianceType
from novacula.mixture.gaussian.search import MixtureCandidate
from novacula.mixture.lloyd.search import ClusterSearch
from novacula.prepare import PreparedClusterer
from novacula.study.leaderboard import short
from novacula.table import Table

LARGEST = 10
"""Gaussians of a mixture, at most."""
PATIENCE = 3
"""Sizes without a better one, after which no larger one is tried."""
DECISIVE = 10.0
"""The difference of BIC that decides."""
WIDE = 30
"""Columns beyond which covariances are not tried: only variances."""
STRUCTURE = {0.7: "strong", 0.5: "reasonable", 0.25: "weak"}
"""Mean silhouettes, and the structure that they show; below there is none (Kaufman and Rousseeuw, 1990)."""
AGREED, HALF = 0.8, 0.5
"""Rand indices from which clusterings agree, or agree in part."""
ENOUGH = 40
"""Rows below which a half has too few."""


@dataclass(frozen=True, eq=False)
class TriedMixture:
    """A mixture that was fitted, its BIC, and whether it counts."""

    candidate: MixtureCandidate
    model: GaussianMixture

    @property
    def counts(self) -> bool:
        """Whether it has a BIC, and no component collapsed."""
        return math.isfinite(self.candidate.score) and not self.model.collapsed_

    @property
    def words(self) -> str:
        """What it is."""
        k, kind = self.candidate.n_components, self.candidate.covariance_type
        return f"one {kind} Gaussian" if k == 1 else f"{k} {kind} Gaussians"


@dataclass(frozen=True, eq=False)
class Clusters:
    """The model that was chosen, the cluster of each row, the reason, and how far others agree."""

    model: Any  # a GaussianMixture of columns as they are, or KMeans behind its preparation
    labels: npt.NDArray[np.intp]
    reason: str
    mixtures: tuple[TriedMixture, ...]  # in the order of their sizes; none where no column has a density
    stability: float = math.nan  # Rand index of models of two halves; NaN: not measured
    agreement: float = math.nan  # Rand index with k-means of as many clusters

    @property
    def n_clusters(self) -> int:
        """How many clusters the chosen model has."""
        mixture = isinstance(self.model, GaussianMixture)
        return int(self.model.n_components if mixture else self.model.learner.n_clusters)


def find_clusters(
    table: Table, dense: Table | None, prepared: Table, sizes: ClusterSearch, seed: int, deadline: float | None
) -> Clusters:
    """Choose: by mixtures of the columns that have a density, else by k-means behind its preparation."""
    if dense is None:
        k, reason = _by_silhouette(sizes)
        model: Any = PreparedClusterer(KMeans(k, random_state=seed)).fit(table)
        return _confirmed(model, table, prepared, reason, (), seed)
    tried = try_mixtures(dense, seed, deadline)
    chosen, reason = _by_bic(tried)
    return _confirmed(chosen.model, dense, prepared, reason, tuple(tried), seed)


def out_of_time(deadline: float | None) -> bool:
    """Whether a deadline, if there is one, has passed."""
    return deadline is not None and time.monotonic() > deadline


def try_mixtures(table: Table, seed: int, deadline: float | None) -> list[TriedMixture]:
    """Mixtures of 1, 2, … Gaussians of every family, until larger ones are no better, or time is up."""
    kinds: tuple[CovarianceType, ...] = ("full", "tied", "diag", "spherical")
    if len(table.layout.features) > WIDE:
        kinds = ("diag", "spherical")
    tried: list[TriedMixture] = []
    for k in range(1, LARGEST + 1):
        for kind in kinds:
            if tried and out_of_time(deadline):
                return tried
            try:
                search = GaussianMixture.search(table, (k,), (kind,), random_state=seed)
            except DataError:  # fewer distinct rows than components
                return tried
            tried.append(TriedMixture(search.leaderboard[0], search.best))
        if _counting(tried)[0].candidate.n_components <= k - PATIENCE:
            return tried
    return tried


def _counting(tried: list[TriedMixture]) -> list[TriedMixture]:
    """The mixtures that count, least BIC first; if none counts, all."""
    return sorted([one for one in tried if one.counts] or tried, key=lambda one: one.candidate.score)


def _by_bic(tried: list[TriedMixture]) -> tuple[TriedMixture, str]:
    counting = _counting(tried)
    least = counting[0]
    near = [one for one in counting if one.candidate.score <= least.candidate.score + DECISIVE]
    taken = min(near, key=lambda one: one.candidate.n_components)
    k, bic = taken.candidate.n_components, short(taken.candidate.score)
    what = f"One cluster: {taken.words}" if k == 1 else f"{k} clusters: a mixture of {taken.words}"
    reason = f"{what} describes the rows, with BIC {bic}"
    if taken is not least:
        behind = taken.candidate.score - least.candidate.score
        return taken, (
            f"{reason}. The least has {least.words}, {short(least.candidate.score)}, but a difference of "
            f"{short(behind)} does not decide (below {DECISIVE:g}), and the smaller number is simpler."
        )
    rival = next((one for one in counting if one.candidate.n_components != k), None)
    if rival is None:
        return taken, f"{reason}; no other number was tried."
    collapsed = " without a component that collapsed" if len(counting) < len(tried) else ""
    next_best = f"{rival.words} {'has' if rival.candidate.n_components == 1 else 'have'} {short(rival.candidate.score)}"
    return taken, f"{reason}, the least of {len(counting)} mixtures{collapsed}; {next_best}."


def _by_silhouette(sizes: ClusterSearch) -> tuple[int, str]:
    """The smallest number of clusters among those that show the strongest structure."""
    judged = [size for size in sizes.sizes if math.isfinite(size.silhouette)]
    best = max(size.silhouette for size in judged)
    tried = f"no column has a density, and of k-means with 2 to {judged[-1].n_clusters} clusters"
    level = next((least for least in STRUCTURE if best > least), None)
    if level is None:
        least = min(STRUCTURE)
        return 1, f"One cluster: {tried} the best silhouette is {short(best)}, below the {least} of a weak structure."
    taken = next(size for size in judged if size.silhouette > level)
    return taken.n_clusters, (
        f"{taken.n_clusters} clusters: {tried} this is the first that shows {STRUCTURE[level]} structure, with a "
        f"silhouette of {short(taken.silhouette)}; the best is {short(best)}."
    )


# --- how sure -----------------------------------------------------------------------------------------------


def _confirmed(
    model: Any, rows: Table, prepared: Table, reason: str, tried: tuple[TriedMixture, ...], seed: int
) -> Clusters:
    labels = np.asarray(model.predict(rows), np.intp)
    clusters = Clusters(model, labels, reason, tried)
    k = clusters.n_clusters
    if k == 1:
        return clusters
    stability = _stability(model, rows, seed) if len(rows) >= ENOUGH else math.nan
    agreement = math.nan
    if tried:
        agreement = _rand(labels, KMeans(k, random_state=seed).fit(prepared).predict(prepared))
    words = [reason]
    if not math.isnan(stability):
        words.append(
            f"Models of two halves of the rows {_agree(stability)} on the clusters (Rand index {stability:.2f})."
        )
    if not math.isnan(agreement):
        words.append(f"K-means with as many clusters {_agrees(agreement)} (Rand index {agreement:.2f}).")
    return Clusters(model, labels, " ".join(words), tried, stability, agreement)


def _agree(index: float) -> str:
    return "agree" if index >= AGREED else "agree in part" if index >= HALF else "do not agree"


def _agrees(index: float) -> str:
    return "agrees" if index >= AGREED else "agrees in part" if index >= HALF else "finds others"


def _stability(model: Any, rows: Table, seed: int) -> float:
    from sklearn.base import clone

    half = np.random.default_rng(seed).permutation(len(rows)) < len(rows) // 2
    try:
        first, second = (clone(model).fit(rows.take(part)).predict(rows) for part in (half, ~half))
    except DataError:  # a half may lack what the model needs
        return math.nan
    return _rand(first, second)


def _rand(first: Any, second: Any) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(first, second))
