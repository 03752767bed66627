"""Where the units of a radial basis network are, and how wide.

centres    by k-means, or given; with fewer distinct rows than centres, each row is one
widths     σᵢ² = (1/(K−1)) Σ_{j≠i} ‖μⱼ − μᵢ‖², or the distance to the nearest other centre, or given
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from novacula.arguments import as_numbers
from novacula.errors import DataError, DataWarning, ParameterError, warn_user
from novacula.mixture import KMeans
from novacula.mixture.gaussian.start import RowSample
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.table.equal_rows import equal_rows


def place_centers(centers: Any, table: Table, random_state: Any) -> Floats:
    """The centres (K, d): those given, checked, or those that k-means finds in the rows."""
    if np.ndim(centers) == 0:
        return cluster_centers(int(centers), table, random_state)
    placed = as_numbers(centers, "centers")
    d = len(table.layout.features)
    if placed.ndim != 2 or placed.shape[1] != d or not len(placed):
        raise ParameterError(
            f"centers has shape {placed.shape}; it must be a number of centres, or have shape (K, {d})"
        )
    if not np.isfinite(placed).all():
        i, j = np.argwhere(~np.isfinite(placed))[0].tolist()
        column = table.layout.features[j].name
        raise ParameterError(f"centers holds {placed[i, j]} in row {i + 1}, column {column!r}: give finite numbers")
    same = equal_rows(placed)
    if len(same) < len(placed):
        origin = same.first[same.kind]
        i = int(np.flatnonzero(origin != np.arange(len(placed)))[0])
        raise ParameterError(f"rows {origin[i] + 1} and {i + 1} of centers are the same centre: drop one of them")
    return placed


def cluster_centers(n_centers: int, table: Table, random_state: Any) -> Floats:
    """The centres of k-means (K, d), found without the targets; fewer where there are fewer rows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # centres serve as well before they are quite at rest
            return KMeans(n_centers, random_state=random_state).fit(table).cluster_centers_
    except DataError:
        distinct = table.drop(table.layout.target).reduce(RowSample.observe, 0, n_centers).rows
        if len(distinct) in (0, n_centers):  # it is something else
            raise
        shortage = f"centers={n_centers}, and {table.source.name} has n_samples={len(distinct)} distinct"
        if len(distinct) < 2:
            raise DataError(f"{shortage} rows: between two at least there is something to learn") from None
        warn_user(f"{shortage} rows: each is a centre", DataWarning)
        return np.asarray(distinct)


def measure_widths(width: Any, centers: Floats) -> Floats:
    """The width of each unit (K,), by the distances of centres or as given."""
    if not isinstance(width, str):
        return given_widths(width, len(centers))
    if len(centers) < 2:
        raise ParameterError(
            f"width is {width!r}, which takes the distances between centres, but there is one centre only: "
            "give width as a number"
        )
    return mean_distances(centers) if width == "mean_distance" else nearest_distances(centers)


def mean_distances(centers: Floats) -> Floats:
    """The root mean square of the distances from each centre to the others (K,)."""
    squares = cdist(centers, centers, "sqeuclidean").sum(axis=1) / (len(centers) - 1)
    return np.asarray(np.sqrt(squares))


def nearest_distances(centers: Floats) -> Floats:
    """The distance from each centre to the nearest other one (K,)."""
    apart = cdist(centers, centers)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1))


def given_widths(width: Any, n_centers: int) -> Floats:
    """One width for all units, or one each, checked."""
    values = as_numbers(width, "width")
    if values.shape not in ((), (n_centers,)):
        raise ParameterError(
            f"width has shape {values.shape}; it must be one number, or one for each of {n_centers} centres"
        )
    if not (np.isfinite(values) & (values > 0.0)).all():
        worst = values[~(np.isfinite(values) & (values > 0.0))].flat[0]
        raise ParameterError(f"width holds {worst}; widths must be finite and above 0")
    return np.broadcast_to(values, n_centers).copy()
