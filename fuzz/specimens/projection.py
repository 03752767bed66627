"""Principal components by each way to them, and rankings by each score of each kind of target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from novacula.checks.samples import sample
from novacula.projection import PCA, FeatureRanker


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 4)) @ random.normal(size=(4, 4))
    gaps = np.where(random.random(X.shape) < 0.1, np.nan, X)
    yield "pca-two", PCA(2), X, None
    yield "pca-svd", PCA(2, method="svd", whiten=True), X, None
    yield "pca-dual", PCA(), X.T[:3], None
    yield "pca-randomized", PCA(2, method="randomized", random_state=0), X, None
    yield "pca-em", PCA(2, max_iter=20), gaps, None
    yield "pca-share", PCA(0.9), np.column_stack([X, np.ones(30)]), None
    yield "pca-sparse", PCA(2), sparse.csr_array(np.where(X > 0.0, X, 0.0)), None
    data = sample(FeatureRanker.card, n=40, missing=True)
    classes = np.digitize(data.target, [0.0, 1.0])
    for score in ("correlation", "mutual_information", "gain", "anova"):
        yield f"ranker-{score.split('_')[0]}-numbers", FeatureRanker(score, k=2), data.X, data.target
        rows = data.X if score != "anova" else np.asarray(data.X.to_pandas().iloc[:, :3], float)
        yield f"ranker-{score.split('_')[0]}-classes", FeatureRanker(score, k=2), rows, classes
