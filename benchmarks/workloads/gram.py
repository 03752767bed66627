"""The Gram matrix of the Gaussian kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

GAMMA = 0.02


def ours(data: Data) -> dict[str, Any]:
    """Blocks above the diagonal, mirrored."""
    from novacula.kernel import Gaussian

    return {"gram": Gaussian(GAMMA)(data["X"])}


def scikit_learn(data: Data) -> dict[str, Any]:
    """One product of matrices, and one exponential of all entries."""
    from sklearn.metrics.pairwise import rbf_kernel

    return {"gram": rbf_kernel(data["X"], gamma=GAMMA)}


def by_hand(data: Data) -> dict[str, Any]:
    """The same in NumPy, in place where that can be."""
    import numpy as np

    X = data["X"]
    squares = np.einsum("ij,ij->i", X, X)
    K = X @ X.T
    K *= 2.0 * GAMMA
    K -= GAMMA * squares
    K -= GAMMA * squares[:, None]
    return {"gram": np.exp(K, out=K)}


class Gram(Race):
    """From rows to the similarity of all pairs."""

    name = "gram"
    title = "Gaussian Gram matrix"
    full = ({"rows": 5_000, "columns": 50},)
    quick = ({"rows": 2_000, "columns": 50},)

    def data(self, size: Size, folder: Path) -> Data:
        """Normal columns."""
        import numpy as np

        return {"X": np.random.default_rng(0).normal(size=(size["rows"], size["columns"]))}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, and NumPy by hand."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn rbf_kernel", "scikit-learn", scikit_learn, goal=1.0),
            Contender("NumPy by hand", "numpy", by_hand, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same entries."""
        return same_numbers(ours, theirs, 1e-12)

    def limit(self, data: Data) -> Limit:
        """Read X and write n² numbers; n²·d operations make half of the products."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes + 8.0 * n * n, n * (n + 1.0) * d)
