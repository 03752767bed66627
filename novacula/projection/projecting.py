"""A chunk of rows seen through a fitted PCA: scores, what they leave out, and log densities.

Rows that miss values are filled with what the normal model expects of them first (`gaussian`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novacula.projection.gaussian import Normal, condition, log_densities
from novacula.table import Chunk
from novacula.table.chunk import Floats

BLOCK_BYTES = 1 << 25
"""Rows that are made dense at once take no more than this."""


@dataclass(frozen=True)
class View:
    """Directions (k, d) and their variances (k,), the variance of all others, and the model that fills rows."""

    mean: Floats
    directions: Floats
    variances: Floats
    noise: float
    normal: Normal | None  # None while no row misses values


def scores(chunk: Chunk, view: View) -> Floats:
    """V(x − μ) of each row (n, k)."""
    if chunk.sparse is not None and chunk.numeric.shape[1] == 0 and view.normal is None:
        return np.asarray(chunk.sparse @ view.directions.T - view.directions @ view.mean)
    return np.asarray((fill_rows(chunk.dense(), view) - view.mean) @ view.directions.T)


def squared_errors(chunk: Chunk, view: View) -> Floats:
    """‖x − x̂‖² of each row, over the values it has."""
    found = [_squared_errors(x, view) for x in blocks(chunk)]
    return np.concatenate([np.empty(0), *found])


def _squared_errors(x: Floats, view: View) -> Floats:
    deviation = fill_rows(x, view) - view.mean
    deviation -= (deviation @ view.directions.T) @ view.directions
    if view.normal is not None:
        deviation[np.isnan(x)] = 0.0
    return np.asarray(np.einsum("ij,ij->i", deviation, deviation))


def log_density(chunk: Chunk, view: View) -> Floats:
    """Log density of each row under the model, of its known values where some are missing."""
    found = [_log_density(x, view) for x in blocks(chunk)]
    return np.concatenate([np.empty(0), *found])


def _log_density(x: Floats, view: View) -> Floats:
    deviation = x - view.mean
    z = deviation @ view.directions.T
    density = log_densities((z / np.sqrt(view.variances)).T, np.sqrt(view.variances))
    others = len(view.mean) - len(view.variances)
    if others:
        rest = deviation - z @ view.directions
        constant = others * np.log(2.0 * np.pi * view.noise)
        density -= 0.5 * (constant + np.einsum("ij,ij->i", rest, rest) / view.noise)
    gaps = np.isnan(x).any(axis=1)
    if view.normal is not None and gaps.any():
        density[gaps] = condition(x[gaps], np.ones(int(gaps.sum())), view.normal).log_density
    return density


def fill_rows(x: Floats, view: View) -> Floats:
    """Rows with what the model expects where values are missing."""
    gaps = np.isnan(x).any(axis=1)
    if view.normal is None or not gaps.any():
        return x
    x = x.copy()
    x[gaps] = condition(x[gaps], np.ones(int(gaps.sum())), view.normal).filled
    return x


def blocks(chunk: Chunk) -> Iterator[Floats]:
    """The rows as dense blocks, no larger than they need be: a sparse chunk may be long."""
    width = chunk.numeric.shape[1] + (0 if chunk.sparse is None else chunk.sparse.shape[1])
    step = max(1, BLOCK_BYTES // (8 * width))
    for start in range(0, len(chunk), step):
        yield chunk.rows(start, start + step).dense()
