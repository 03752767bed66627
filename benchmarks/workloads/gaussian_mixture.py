"""Gaussian mixtures with full covariances: thirty steps of EM from one start."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

STEPS = 30


def parameters(model: Any) -> dict[str, Any]:
    """What every mixture calls its parameters."""
    return {"weights": model.weights_, "means": model.means_, "covariances": model.covariances_}


def ours(data: Data) -> dict[str, Any]:
    """Blocks of rows through one compiled loop, on threads."""
    from novacula.mixture import GaussianMixture

    means = data["means"]
    model = GaussianMixture(len(means), init=means, tol=0.0, max_iter=STEPS, reg_covar=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # thirty steps are not meant to converge
        return parameters(model.fit(data["X"]))


def scikit_learn(data: Data) -> dict[str, Any]:
    """The same start: equal weights, and the variances of columns."""
    import numpy as np
    from sklearn.mixture import GaussianMixture

    X, means = data["X"], data["means"]
    k = len(means)
    model = GaussianMixture(
        k,
        means_init=means,
        weights_init=np.full(k, 1.0 / k),
        precisions_init=np.tile(np.diag(1.0 / X.var(axis=0)), (k, 1, 1)),
        tol=0.0,
        max_iter=STEPS,
        reg_covar=0.0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parameters(model.fit(X))


class Mixture(Race):
    """From rows to weights, means and covariances."""

    name = "gaussian_mixture"
    title = "Gaussian mixture, 30 iterations"
    full = ({"rows": 200_000, "columns": 10, "components": 8},)
    quick = ({"rows": 5_000, "columns": 10, "components": 8},)

    def data(self, size: Size, folder: Path) -> Data:
        """Overlapping ellipsoids, and rows to start from."""
        import numpy as np

        rng = np.random.default_rng(0)
        n, d, k = size["rows"], size["columns"], size["components"]
        label = rng.integers(0, k, n)
        shape = rng.normal(size=(k, d, d)) / np.sqrt(d)
        X = 2.0 * rng.normal(size=(k, d))[label] + np.einsum("nij,nj->ni", shape[label], rng.normal(size=(n, d)))
        return {"X": X, "means": X[rng.choice(n, k, replace=False)]}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, from the same start."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn GaussianMixture", "scikit-learn", scikit_learn, goal=8.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same parameters after the same number of steps."""
        return same_numbers(ours, theirs, 1e-6)

    def limit(self, data: Data) -> Limit:
        """Read X at each step; distances and second moments take K·d² operations per row each."""
        n, d = data["X"].shape
        steps = STEPS + 1
        return Limit(steps * data["X"].nbytes, steps * n * len(data["means"]) * 2.0 * d * (d + 1.0))
