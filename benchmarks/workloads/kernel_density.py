"""Kernel densities: one column on a grid, and three columns at places of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

RTOL = 1e-4
OWN_ROWS = (
    "Of 9 ms the model takes 4 to check its rows and to hold a copy of them, with weights, since it answers more than "
    "one question; sharing them out takes 3, more on two threads, and the transform 1. The rival keeps a view and has "
    "1,000 points, ours 64 per bandwidth, whose error is bounded."
)
"""What bounds the grid."""


def ours_on_grid(data: Data) -> Any:
    """Rows shared out on a grid of 64 points per width, and one Fourier transform."""
    from novacula.neighbors import KernelDensity

    x = data["points"]
    model = KernelDensity(data["width"], algorithm="grid").fit(data["X"])
    return {"density": model.density_on_grid(len(x), x[0], x[-1]).density}


def kdepy_on_grid(data: Data) -> Any:
    """Rows shared out on the points themselves, and one Fourier transform."""
    from KDEpy import FFTKDE

    return {"density": FFTKDE(kernel="gaussian", bw=data["width"]).fit(data["X"]).evaluate(data["points"])}


class DensityOnGrid(Race):
    """From one column to its density at equally spaced points."""

    name = "kernel_density_grid"
    title = "Kernel density on a grid"
    full = ({"rows": 1_000_000, "points": 1_000},)
    quick = ({"rows": 200_000, "points": 1_000},)

    def data(self, size: Size, folder: Path) -> Data:
        """A normal column, with Scott's width."""
        import numpy as np

        X = np.random.default_rng(0).normal(size=(size["rows"], 1))
        width = float(X.std() * size["rows"] ** -0.2)
        points = np.linspace(X.min() - 4.0 * width, X.max() + 4.0 * width, size["points"])
        return {"X": X, "points": points, "width": width}

    def contenders(self) -> Sequence[Contender]:
        """KDEpy is the one to beat."""
        return [
            Contender("Novacula", "novacula", ours_on_grid),
            Contender("KDEpy FFTKDE", "KDEpy", kdepy_on_grid, goal=1.0, because=OWN_ROWS),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """To one in a hundred of the highest density: so coarse are the points themselves as a grid."""
        return same_numbers(ours, theirs, 1e-2)

    def limit(self, data: Data) -> Limit:
        """Reading the column."""
        return Limit(data["X"].nbytes)


def ours_by_tree(data: Data) -> Any:
    """A tree whose boxes stand for their rows within rtol."""
    from novacula.neighbors import KernelDensity

    return {"ln p": KernelDensity(data["width"], rtol=RTOL).fit(data["X"]).score_samples(data["Q"])}


def scikit_learn(data: Data) -> Any:
    """A tree, with the same promise."""
    from sklearn.neighbors import KernelDensity

    return {"ln p": KernelDensity(bandwidth=data["width"], rtol=RTOL).fit(data["X"]).score_samples(data["Q"])}


def scipy(data: Data) -> Any:
    """All pairs; its width is a multiple of the data's covariance, which here is the identity but for rounding."""
    from scipy.stats import gaussian_kde

    return {"ln p": gaussian_kde(data["X"].T, bw_method=data["width"]).logpdf(data["Q"].T)}


class DensityByTree(Race):
    """From rows of three columns to the logarithm of the density at other places."""

    name = "kernel_density_tree"
    title = "Kernel density, three columns"
    full = ({"rows": 50_000, "queries": 5_000},)
    quick = ({"rows": 20_000, "queries": 1_000},)

    def data(self, size: Size, folder: Path) -> Data:
        """Independent normal columns with covariance 1 to the last digit, and Scott's width."""
        import numpy as np

        rng = np.random.default_rng(0)
        X, Q = rng.normal(size=(size["rows"], 3)), rng.normal(size=(size["queries"], 3))
        X -= X.mean(axis=0)
        X = X @ np.linalg.inv(np.linalg.cholesky(np.cov(X.T))).T
        return {"X": X, "Q": Q, "width": float(size["rows"] ** (-1.0 / 7.0))}

    def contenders(self) -> Sequence[Contender]:
        """scikit-learn prunes as we do; SciPy sums up all pairs."""
        return [
            Contender("Novacula", "novacula", ours_by_tree),
            Contender("scikit-learn KernelDensity", "scikit-learn", scikit_learn, goal=5.0),
            Contender("SciPy gaussian_kde", "scipy", scipy, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The logarithms, to what both promise."""
        return same_numbers(ours, theirs, RTOL)

    def limit(self, data: Data) -> Limit:
        """Reading the rows; what pruning can leave out depends on rtol."""
        return Limit(data["X"].nbytes + data["Q"].nbytes)
