"""Mixtures of each family of covariances, and clusters from each start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.mixture import GaussianMixture, KMeans


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 3)) + 4.0 * random.integers(0, 2, 30)[:, None]
    gaps = np.where(random.random(X.shape) < 0.1, np.nan, X)
    for family in ("full", "tied", "diag", "spherical"):
        yield f"mixture-{family}", GaussianMixture(2, covariance_type=family, random_state=0), X, None
    yield "mixture-gaps", GaussianMixture(2, n_init=2, random_state=0), gaps, None
    yield "mixture-line", GaussianMixture(2, weights="equal", variance=1.0, random_state=0), X[:, :1], None
    yield "mixture-plane", GaussianMixture(2, random_state=0), X[:, :2], None
    yield "mixture-collapsed", GaussianMixture(3, random_state=0), np.repeat(X[:4, :2], 3, axis=0), None
    yield "k-means-two", KMeans(2), X, None
    yield "k-means-plane", KMeans(3, init="random"), X[:, :2], None
    yield "k-means-far", KMeans(2), X + 1e6, None
    yield "k-means-given", KMeans(2, init=X[:2]), X[:2], None
