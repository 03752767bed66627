"""Principal components of many rows, and of rows with many columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

KEPT = 50
"""Directions compared."""
CENTRED = (
    "Three quarters of the processor time are BLAS, which the rival runs too, and a quarter takes the mean off the "
    "rows, which the rival leaves out at the price of digits. The columns are filled up to a multiple of four, since "
    "BLAS takes a tenth less for 104 than for 101; the mean no longer needs a pass of its own."
)
"""What bounds the covariance."""
WHOLE_FIT = (
    "By a profile 38 % is the product, at the speed of the machine, 37 % the eigenvalues and the 50 eigenvectors that "
    "are kept, which took twice as long when all were found, 10 % takes the mean off, 7 % maps back and 5 % is the "
    "schema of 20,000 columns."
)
"""What bounds many columns."""


def described(variance: Any, directions: Any) -> dict[str, Any]:
    """Variances, and what the first directions project on, which no sign changes."""
    first = directions[:5]
    return {"variances": variance, "projection": first.T[:200] @ first[:, :200]}


def ours(data: Data) -> dict[str, Any]:
    """The method that the shape suggests."""
    from novacula.projection import PCA

    model = PCA(KEPT).fit(data["X"])
    return described(model.explained_variance_, model.components_)


def scikit_learn(data: Data, solver: str) -> dict[str, Any]:
    """One of its exact solvers."""
    from sklearn.decomposition import PCA

    model = PCA(KEPT, svd_solver=solver).fit(data["X"])
    return described(model.explained_variance_, model.components_)


def gram_by_hand(data: Data) -> dict[str, Any]:
    """Eigenvectors of the centred rows' products, mapped back."""
    import numpy as np

    Z = data["X"] - data["X"].mean(axis=0)
    values, vectors = np.linalg.eigh(Z @ Z.T)
    values, vectors = values[::-1][:KEPT], vectors[:, ::-1][:, :KEPT]
    return described(values / (len(Z) - 1), (vectors / np.sqrt(values)).T @ Z)


class Components(Race):
    """From rows to directions and their variances."""

    def data(self, size: Size, folder: Path) -> Data:
        """Columns that lean on each other, with means up to their number."""
        import numpy as np

        rng = np.random.default_rng(0)
        n, d = size["rows"], size["columns"]
        hidden = rng.normal(size=(n, 60)) * np.linspace(10.0, 1.0, 60)
        X = rng.normal(size=(n, d))
        X += hidden @ rng.normal(size=(60, d))
        X += np.arange(d)
        return {"X": X}

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same variances and first directions."""
        return same_numbers(ours, theirs, 1e-6)


class ManyRows(Components):
    """The covariance from one pass."""

    name = "pca_many_rows"
    title = "Principal components of many rows"
    full = ({"rows": 1_000_000, "columns": 100},)
    quick = ({"rows": 100_000, "columns": 100},)

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn's solver for this shape."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender(
                "scikit-learn covariance_eigh",
                "scikit-learn",
                lambda d: scikit_learn(d, "covariance_eigh"),
                goal=1.2,
                because=CENTRED,
            ),
        ]

    def limit(self, data: Data) -> Limit:
        """Read X once; n·d² operations make the half of XᵀX that is needed."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes, n * d * (d + 1.0))


class ManyColumns(Components):
    """The Gram matrix of the rows."""

    name = "pca_many_columns"
    title = "Principal components of many columns"
    full = ({"rows": 2_000, "columns": 20_000},)
    quick = ({"rows": 500, "columns": 5_000},)

    def contenders(self) -> Sequence[Contender]:
        """NumPy by hand, and scikit-learn's exact solver."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("dual Gram by hand", "numpy", gram_by_hand, goal=1.0, because=WHOLE_FIT),
            Contender("scikit-learn full", "scikit-learn", lambda d: scikit_learn(d, "full"), goal=1.0),
        ]

    def limit(self, data: Data) -> Limit:
        """Read X once; n²·d operations make half of XXᵀ, and the directions are mapped back."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes, n * (n + 1.0) * d + 2.0 * n * d * KEPT)
