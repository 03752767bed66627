"""Radial basis networks: centres by k-means with ridge weights, and interpolation with a centre on every row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

ALPHA = 1.0
FACTOR = (
    "60 % is the factorisation of 2,000 equations, 30 % the distances. Cholesky on the weights that sum to 0 has half "
    "the arithmetic of LU, and on one thread takes 0.10 s for 0.17 s; on two threads of this machine both take 0.11 s."
)
"""What bounds interpolation."""
WIDTH = 0.3
"""Of the multiquadrics: SciPy's ε is one over it."""


def network(data: Data) -> float:
    """K-means, widths from its centres, and ridge regression on sums over blocks of rows."""
    from novacula.neural import RBFNetworkRegressor

    model = RBFNetworkRegressor(data["units"], alpha=ALPHA).fit(data["X"], data["y"])
    return mean_square(model.predict(data["X"]) - data["y"])


def pipeline(data: Data) -> float:
    """The same of scikit-learn's parts: k-means from one start, distances, the exponential, ridge."""
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.linear_model import Ridge
    from sklearn.metrics import euclidean_distances

    X, k = data["X"], data["units"]
    centres = KMeans(k, n_init=1, random_state=0).fit(X).cluster_centers_
    squares = euclidean_distances(centres, squared=True).sum(axis=1) / (k - 1)
    answers = np.exp(-euclidean_distances(X, centres, squared=True) / (2.0 * squares))
    model = Ridge(ALPHA, solver="cholesky").fit(answers, data["y"])
    return mean_square(model.predict(answers) - data["y"])


def mean_square(residuals: Any) -> float:
    """The mean squared residual."""
    return float(residuals @ residuals / len(residuals))


class RadialBasisNetwork(Race):
    """From rows to a fitted network and its predictions."""

    name = "rbf_network"
    title = "Radial basis network"
    full = ({"rows": 200_000, "columns": 3, "units": 50},)
    quick = ({"rows": 20_000, "columns": 3, "units": 50},)

    def data(self, size: Size, folder: Path) -> Data:
        """A smooth function of normal columns, with noise."""
        import numpy as np

        rng = np.random.default_rng(0)
        X = rng.normal(size=(size["rows"], size["columns"]))
        y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=len(X))
        return {"X": X, "y": y, "units": size["units"]}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn has no such network, but its parts."""
        return [
            Contender("Novacula", "novacula", network),
            Contender("scikit-learn KMeans, distances and Ridge", "scikit-learn", pipeline, goal=1.5),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Errors as large: k-means may end elsewhere from another start."""
        gap = abs(theirs - ours) / ours
        return Agreement(bool(gap <= 0.05), f"the same error to {gap:.0e}")

    def limit(self, data: Data) -> Limit:
        """One pass for the distances to the centres, one for the products of answers."""
        (n, d), k = data["X"].shape, data["units"]
        return Limit(2.0 * data["X"].nbytes, n * k * (3.0 * d + k))


def interpolation(data: Data) -> dict[str, Any]:
    """The equations on weights that sum to 0, where multiquadrics are definite, by Cholesky."""
    from novacula.neural import RBFNetworkRegressor

    model = RBFNetworkRegressor(data["X"], basis="multiquadric", width=WIDTH).fit(data["X"], data["y"])
    return {"values": model.predict(data["asked"])}


def scipy_interpolation(data: Data) -> dict[str, Any]:
    """The same equations with the side condition as one more, by LU."""
    from scipy.interpolate import RBFInterpolator

    found = RBFInterpolator(data["X"], data["y"], kernel="multiquadric", epsilon=1.0 / WIDTH, degree=0)
    return {"values": found(data["asked"])}


class RadialInterpolation(Race):
    """From rows to values between them."""

    name = "rbf_interpolation"
    title = "Interpolation by multiquadrics"
    full = ({"rows": 2_000, "columns": 3},)
    quick = ({"rows": 500, "columns": 3},)

    def data(self, size: Size, folder: Path) -> Data:
        """A smooth function at random places."""
        import numpy as np

        rng = np.random.default_rng(0)
        X, asked = rng.uniform(size=(2, size["rows"], size["columns"]))
        return {"X": X, "y": np.sin(3.0 * X.sum(axis=1)), "asked": asked}

    def contenders(self) -> Sequence[Contender]:
        """SciPy."""
        return [
            Contender("Novacula", "novacula", interpolation),
            Contender("SciPy RBFInterpolator", "scipy", scipy_interpolation, goal=1.5, because=FACTOR),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same values, up to what the condition of the equations leaves."""
        return same_numbers(ours, theirs, rtol=1e-6)

    def limit(self, data: Data) -> Limit:
        """One Cholesky decomposition."""
        return Limit(data["X"].nbytes, len(data["X"]) ** 3 / 3.0)
