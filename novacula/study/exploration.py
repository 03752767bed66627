"""What `explore` found in a table without a target."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from novacula.learner.render import table_lines
from novacula.learner.work import WorkTable
from novacula.mixture.lloyd.search import ClusterSearch
from novacula.prepare.preparation import Preparation
from novacula.projection import PCA
from novacula.study.clusters import Clusters, TriedMixture
from novacula.study.densities import DensityScore, density_sentence
from novacula.study.finding import Finding
from novacula.study.profile import ClusterProfile
from novacula.study.question import rows_hash
from novacula.study.trouble.columns import percent
from novacula.table import Table
from novacula.table.names import printable

if TYPE_CHECKING:
    from novacula.learner.figure import Figure

DIRECTIONS = 4
"""Principal components whose loadings are shown."""
COLUMNS_SHOWN = 40
"""Columns of a table of profiles or loadings, at most."""
CELL = 40
"""Characters of a name or a category in a table, at most."""


@dataclass(frozen=True, eq=False)
class Exploration:
    """What `novacula.learn` returns for a table without a target: components, clusters, densities, and a report.

    `best_` is a Gaussian mixture of the columns that have a density, as they are; where none has, k-means on the
    `prepared` ones. `labels_` is the cluster of each row that was explored.
    """

    table: Table  # the rows that were explored, without what was left out
    prepared: Table  # numbers on one scale, categories as 0 and 1
    preparation: Preparation
    pca: PCA  # of the prepared columns
    clusterings: ClusterSearch  # k-means of every size, of the prepared columns
    clusters: Clusters
    density: tuple[DensityScore, ...]  # the best first; empty where rows were few, or no column has a density
    profiles: tuple[ClusterProfile, ...]
    findings: tuple[Finding, ...]
    seed: int
    seconds: float
    stopped: str = ""  # why it ended before its time, if it did
    command: str = ""  # what repeats this exploration

    is_foreign: ClassVar[bool] = False  # the model is this library's, so that a file can hold it

    @property
    def fingerprint(self) -> str:
        """A hash of the rows that were explored."""
        return rows_hash(self.table)

    @property
    def best_(self) -> Any:
        """The model of the clusters, fitted; it can be saved."""
        return self.clusters.model

    @property
    def labels_(self) -> npt.NDArray[np.intp]:
        """The cluster of each row."""
        return self.clusters.labels

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return self.clusters.n_clusters

    @property
    def reason(self) -> str:
        """Why there are this many clusters, and how sure that is."""
        return self.clusters.reason

    @property
    def mixtures(self) -> tuple[TriedMixture, ...]:
        """The mixtures that were tried, in the order of their sizes."""
        return self.clusters.mixtures

    @property
    def density_reason(self) -> str:
        """Which density describes the rows best; empty where none was compared."""
        return density_sentence(self.density)

    # --- tables ------------------------------------------------------------------------------------------------

    def profile_table(self) -> WorkTable:
        """Columns by clusters: means in their units, and most frequent categories."""
        header = ("column", *(f"cluster {one.cluster}" for one in self.profiles))
        rows: list[tuple[str, ...]] = [("rows", *(f"{one.size:,} ({percent(one.share)})" for one in self.profiles))]
        for column in self.table.layout.features[:COLUMNS_SHOWN]:
            rows.append((printable(column.name, CELL), *(_cell(one, column.name) for one in self.profiles)))
        left = len(self.table.layout.features) - COLUMNS_SHOWN
        return WorkTable(header, tuple(rows), "Clusters" + (f", {left} more columns not shown" if left > 0 else ""))

    def loadings_table(self) -> WorkTable:
        """Prepared columns by the first principal components, with the share of the variance of each."""
        n_shown = min(DIRECTIONS, len(self.pca.components_))
        shares = self.pca.explained_variance_ratio_[:n_shown]
        header = ("column", *(f"direction {i + 1}" for i in range(n_shown)))
        names = [printable(column.name, CELL) for column in self.prepared.layout.features]
        strongest = np.argsort(-np.abs(self.pca.components_[:n_shown]).max(axis=0), kind="stable")[:COLUMNS_SHOWN]
        rows = [("share of the variance", *map(percent, shares.tolist()))]
        rows += [(names[j], *(f"{v:.2f}" for v in self.pca.components_[:n_shown, j])) for j in sorted(strongest)]
        return WorkTable(header, tuple(rows), "Principal components of the prepared columns")

    def density_table(self) -> WorkTable:
        """Densities by −ln p of rows left out, lower is better."""
        header = ("density", "−ln p of rows left out ↓", "± s.e.", "note")
        rows = tuple(
            (one.name, *("–" if math.isnan(v) else v for v in (one.error, one.standard_error)), one.note)
            for one in self.density
        )
        return WorkTable(header, rows, "Densities, compared on the same folds")

    def mixture_table(self) -> WorkTable:
        """Mixtures by size and family."""
        header = ("Gaussians", "covariances", "BIC ↓", "parameters", "note")
        rows = tuple(
            (one.candidate.n_components, one.candidate.covariance_type, round(one.candidate.score, 2),
             one.candidate.n_parameters, "chosen" if one.model is self.best_ else one.candidate.note)
            for one in self.mixtures if math.isfinite(one.candidate.score)
        )  # fmt: skip
        return WorkTable(header, rows, "Gaussian mixtures")

    # --- out ---------------------------------------------------------------------------------------------------

    def figures(self) -> list[tuple[str, Figure]]:
        """The pictures, each with its title: clusters, profiles, sizes, components, densities."""
        from novacula.study.exploration_figures import figures

        return figures(self)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report: one page that needs nothing else."""
        from novacula.report import write_report

        write_report(self, path)

    def __repr__(self) -> str:
        return f"<Exploration of {printable(self.table.source.name)!r}: {self.n_clusters} clusters>"

    def __str__(self) -> str:
        shares = self.pca.explained_variance_ratio_[:DIRECTIONS]
        first = "The first direction has" if len(shares) == 1 else f"The first {len(shares)} directions have"
        variance = f"{first} {percent(float(shares.sum()))} of the variance."
        special = "\n".join(f"Cluster {one.cluster}: {'; '.join(one.traits)}." for one in self.profiles if one.traits)
        table = "\n".join(table_lines(self.profile_table()))
        blocks = [self.reason, table, special, variance, self.density_reason, self.stopped]
        blocks += [finding.sentence for finding in self.findings]
        return "\n\n".join(filter(None, blocks))

    def to_dict(self) -> dict[str, Any]:
        """The exploration as values that JSON can hold."""
        return {
            "task": "exploration",
            "rows": len(self.table),
            "columns": [column.name for column in self.table.layout.features],
            "n_clusters": self.n_clusters,
            "reason": self.reason,
            "stability": _number(self.clusters.stability),
            "agreement": _number(self.clusters.agreement),
            "clusters": [_plain(one) for one in self.profiles],
            "mixtures": [
                {"n_components": c.n_components, "covariance_type": c.covariance_type, "bic": _number(c.score)}
                for c in (one.candidate for one in self.mixtures)
            ],
            "k_means": [
                {"n_clusters": s.n_clusters, "inertia": _number(s.inertia), "silhouette": _number(s.silhouette)}
                for s in self.clusterings.sizes
            ],
            "variance_shares": self.pca.explained_variance_ratio_.tolist(),
            "densities": [
                {"name": one.name, "error": _number(one.error), "standard_error": _number(one.standard_error),
                 "note": one.note}
                for one in self.density
            ],
            "findings": [vars(finding) | {"columns": list(finding.columns)} for finding in self.findings],
            "seconds": self.seconds,
            "stopped": self.stopped,
            "command": self.command,
        }  # fmt: skip


def _cell(profile: ClusterProfile, name: str) -> str:
    if name in profile.means:
        mean = profile.means[name]
        return "–" if math.isnan(mean) else f"{mean:.4g}"
    category, share = profile.categories[name]
    return f"{printable(category, CELL)} ({percent(share)})"


def _plain(profile: ClusterProfile) -> dict[str, Any]:
    return {
        "cluster": profile.cluster,
        "rows": profile.size,
        "means": {name: _number(mean) for name, mean in profile.means.items()},
        "categories": {name: list(most) for name, most in profile.categories.items()},
        "special": list(profile.traits),
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
