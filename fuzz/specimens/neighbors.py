"""Neighbours and densities with weights, gaps, bounds, every metric, scale and search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.checks.samples import sample
from novacula.neighbors import KernelDensity, KNeighborsClassifier, KNeighborsDensity, KNeighborsRegressor

ROWS = 40


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 2)).round(3)
    three, targets = np.digitize(x[:, 1], [-0.5, 0.5]), np.column_stack([x[:, 0], x[:, 1] ** 2])
    gaps = sample(KNeighborsClassifier(metric="heom").card, n=ROWS, missing=True)
    yield "neighbors-two", KNeighborsClassifier(3, weights="distance", scale="range"), x, x[:, 0] > 0.0
    yield "neighbors-loo", KNeighborsClassifier("loo", metric="manhattan", scale="standard"), x, three
    yield "neighbors-mixed", KNeighborsClassifier(metric="heom"), gaps.X, gaps.target
    yield "neighbors-brute", KNeighborsClassifier(algorithm="brute"), np.tile(x, (1, 5)), three
    yield "means-targets", KNeighborsRegressor(weights="distance"), x, targets
    yield "means-mixed", KNeighborsRegressor(2, metric="heom"), gaps.X, rng.normal(size=ROWS)
    yield "means-loo", KNeighborsRegressor("loo", metric="minkowski", p=3), x[:, :1], x[:, 1]
    yield "balls-chosen", KNeighborsDensity("loo", metric="chebyshev", scale="standard"), x, None
    yield "balls-line", KNeighborsDensity(3), x[:, :1], None
    yield from densities(x)


def densities(x: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Every way to a width, the shapes, bounds and the grid."""
    within = {"boundary": "reflect", "bounds": (-4.0, None)}
    yield "hills-scott", KernelDensity("scott", spread="full", kernel="epanechnikov"), x, None
    yield "hills-silverman", KernelDensity("silverman", kernel="tophat", algorithm="exact"), x, None
    yield "hills-chosen", KernelDensity("cv_ml", kernel="exponential"), x, None
    yield "hills-fixed", KernelDensity("isj", kernel="cosine", **within), x, None
    yield "hills-widths", KernelDensity([0.5, 1.0], spread="diagonal", atol=1e-3), x, None
    yield "hills-grid", KernelDensity(0.5, kernel="linear", algorithm="grid"), x[:, :1], None
    yield "hills-bounds", KernelDensity(0.3, boundary="reflect", bounds=[(-4.0, 4.0), (-4.0, 5.0)]), x, None
