"""What the clusters are: their sizes, the means of their columns, and the columns that set them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from novacula.study.trouble.columns import NAME_WIDTH, percent
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.table.names import printable

MOST_TRAITS = 3
"""Columns that are named as traits of a cluster."""
NOTABLE = 0.3
"""Deviations from the mean of all rows, from which a column is a trait."""


@dataclass(frozen=True, eq=False)
class ClusterProfile:
    """A cluster: its rows, the mean or the most frequent category of each column, and what is special about it."""

    cluster: int
    size: int
    share: float
    means: Mapping[str, float]  # of numeric columns, in their units
    categories: Mapping[str, tuple[str, float]]  # of categorical columns: the most frequent one, and its share
    deviations: Floats  # of the means of the prepared columns from those of all rows, in deviations
    traits: tuple[str, ...]


def profile_clusters(table: Table, prepared: Table, labels: npt.NDArray[np.intp]) -> tuple[ClusterProfile, ...]:
    """A profile of each cluster that has rows."""
    rows = prepared.to_chunk().numeric
    spread = rows.std(axis=0)
    standard = (rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return tuple(_profile(int(k), labels == k, table, prepared, standard) for k in np.unique(labels))


def _profile(
    cluster: int, inside: npt.NDArray[np.bool_], table: Table, prepared: Table, standard: Floats
) -> ClusterProfile:
    chunk = table.to_chunk().take(inside)
    means = {
        column.name: float(values[~np.isnan(values)].mean()) if not np.isnan(values).all() else np.nan
        for column, values in zip(table.layout.of_kind("numeric"), chunk.numeric.T, strict=True)
    }
    categories = {}
    for column, codes in zip(table.layout.of_kind("categorical"), chunk.codes.T, strict=True):
        count = np.bincount(codes[codes >= 0], minlength=len(column.categories))
        categories[column.name] = str(column.categories[count.argmax()]), float(count.max() / max(count.sum(), 1))
    deviations = standard[inside].mean(axis=0)
    traits = _traits(deviations, prepared, prepared.to_chunk().numeric[inside].mean(axis=0), means)
    return ClusterProfile(cluster, int(inside.sum()), float(inside.mean()), means, categories, deviations, traits)


def _traits(deviations: Floats, prepared: Table, average: Floats, means: Mapping[str, float]) -> tuple[str, ...]:
    """The columns whose mean is farthest from that of all rows: a number in its unit, or the share of rows."""
    names = [column.name for column in prepared.layout.features]
    traits = []
    for j in np.argsort(-np.abs(deviations), kind="stable")[:MOST_TRAITS]:
        if abs(deviations[j]) < NOTABLE:
            break
        name = printable(names[j], NAME_WIDTH)
        if names[j] in means:
            traits.append(f"{name} {'high' if deviations[j] > 0 else 'low'} ({means[names[j]]:.4g})")
        else:
            traits.append(f"{name} in {percent(float(average[j]))}")
    return tuple(traits)
