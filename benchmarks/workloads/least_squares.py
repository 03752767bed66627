"""Ordinary least squares with many more rows than columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import regression
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

CENTRED = (
    "About half of the processor time is BLAS, which the rival runs too, and a third takes the mean off the rows, "
    "which the rival leaves out and so loses half of the digits. Rows are taken about the mean of the first ones "
    "with a column of ones, so that the mean needs no pass of its own. On two threads a quarter of the time is lost "
    "to the lock of the interpreter: blocks of 4,096 rows take a seventh to a quarter less than blocks of 1,024."
)
"""What bounds the sums."""


def coefficients(model: Any) -> dict[str, Any]:
    """What every linear model calls its parameters."""
    return {"coefficients": model.coef_, "intercept": model.intercept_}


def ours(data: Data) -> dict[str, Any]:
    """Centred cross-products by blocks of rows, then Cholesky."""
    from novacula.linear import LinearRegression

    return coefficients(LinearRegression().fit(data["X"], data["y"]))


def scikit_learn(data: Data) -> dict[str, Any]:
    """A singular value decomposition of X."""
    from sklearn.linear_model import LinearRegression

    return coefficients(LinearRegression().fit(data["X"], data["y"]))


def normal_equations(data: Data, alpha: float = 0.0) -> dict[str, Any]:
    """(XᵀX − n·x̄x̄ᵀ + αI) w = Xᵀy − n·x̄ȳ: it loses digits where means are large."""
    import numpy as np

    X, y = data["X"], data["y"]
    n, d = X.shape
    mean, centre = X.mean(axis=0), y.mean()
    scatter = X.T @ X - n * np.outer(mean, mean) + alpha * np.eye(d)
    w = np.linalg.solve(scatter, X.T @ y - n * centre * mean)
    return {"coefficients": w, "intercept": centre - mean @ w}


class LeastSquares(Race):
    """From rows to coefficients."""

    name = "least_squares"
    title = "Ordinary least squares"
    full = ({"rows": 2_000_000, "columns": 50},)
    quick = ({"rows": 200_000, "columns": 50},)

    def data(self, size: Size, folder: Path) -> Data:
        """Columns that lean on each other, with means up to their number."""
        X, y = regression(size["rows"], size["columns"])
        return {"X": X, "y": y}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, and NumPy by hand."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn LinearRegression", "scikit-learn", scikit_learn, goal=10.0),
            Contender("normal equations by hand", "numpy", normal_equations, goal=1.0, because=CENTRED),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same coefficients."""
        return same_numbers(ours, theirs, 1e-6)

    def limit(self, data: Data) -> Limit:
        """Read X and y once; n·d² operations make the half of XᵀX that is needed."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes + data["y"].nbytes, n * d * (d + 1.0))
