"""The lasso with many columns, few of which matter, tall and wide."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

PREPARED = (
    "The rivals are given columns one after the other in memory; ours takes rows, and any scale. By a profile of the "
    "wide table a third is the first pass, for means, lengths and products with the target, 30 % the passes for "
    "residuals, 15 % the products of the working set and a fifth the schema of 20,000 columns, which took half as much "
    "again before. The first pass by blocks of columns that stay in the cache was no faster."
)
"""What bounds the lasso."""
TRUE = 100
"""Columns that matter."""


def ours(data: Data) -> dict[str, Any]:
    """A working set of columns, solved exactly, until the duality gap is closed."""
    from novacula.linear import Lasso

    return plane(Lasso(alpha=data["alpha"], tol=1e-7).fit(data["X"], data["y"]), data)


def celer(data: Data) -> dict[str, Any]:
    """Working sets with extrapolated dual points."""
    from celer import Lasso

    return plane(Lasso(alpha=data["alpha"], tol=1e-6).fit(data["X"], data["y"]), data)


def skglm(data: Data) -> dict[str, Any]:
    """Working sets with accelerated coordinate descent."""
    from skglm import Lasso

    return plane(Lasso(alpha=data["alpha"], tol=1e-6).fit(data["X"], data["y"]), data)


def scikit_learn(data: Data) -> dict[str, Any]:
    """Coordinate descent over all columns."""
    from sklearn.linear_model import Lasso

    return plane(Lasso(alpha=data["alpha"], tol=1e-6).fit(data["X"], data["y"]), data)


def plane(model: Any, data: Data) -> dict[str, Any]:
    """The objective that a model reaches."""
    import numpy as np

    residual = data["y"] - data["X"] @ model.coef_ - model.intercept_
    return {"objective": residual @ residual / 2 / len(residual) + data["alpha"] * np.abs(model.coef_).sum()}


def by_columns(data: Data) -> Data:
    """The layout that coordinate descent reads."""
    import numpy as np

    return data | {"X": np.asfortranarray(data["X"])}


class SparseRegression(Race):
    """From rows to few coefficients, at a share of the penalty that makes all of them zero."""

    name = "lasso"
    title = "Lasso"
    full = (
        {"rows": 20_000, "columns": 2_000, "percent": 10},
        {"rows": 20_000, "columns": 2_000, "percent": 1},
        {"rows": 2_000, "columns": 20_000, "percent": 10},
    )
    quick = (
        {"rows": 5_000, "columns": 1_000, "percent": 10},
        {"rows": 5_000, "columns": 1_000, "percent": 1},
        {"rows": 500, "columns": 5_000, "percent": 10},
    )

    def data(self, size: Size, folder: Path) -> Data:
        """Columns that depend on their neighbours, a hundred of which matter; α is a share of the largest that does."""
        import numpy as np

        rng = np.random.default_rng(0)
        n, d = size["rows"], size["columns"]
        X = rng.normal(size=(n, d))
        X[:, 1:] += 0.5 * X[:, :-1].copy()
        weights = np.zeros(d)
        weights[rng.choice(d, TRUE, replace=False)] = rng.normal(size=TRUE)
        y = X @ weights + 3.0 * rng.normal(size=n)
        largest = np.abs(X.T @ (y - y.mean())).max() / n
        return {"X": X, "y": y, "alpha": float(largest * size["percent"] / 100)}

    def contenders(self) -> Sequence[Contender]:
        """The rivals read columns, so they get the layout that they would copy to."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("celer", "celer", celer, by_columns, goal=1.0, because=PREPARED),
            Contender("skglm", "skglm", skglm, by_columns, goal=1.0, because=PREPARED),
            Contender("scikit-learn Lasso", "scikit-learn", scikit_learn, by_columns, goal=1.0, because=PREPARED),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same objective; a time counts from 1e-6 on."""
        gap = (theirs["objective"] - ours["objective"]) / ours["objective"]
        return Agreement(bool(abs(gap) <= 1e-6), f"objective {gap:+.0e}")

    def limit(self, data: Data) -> Limit:
        """Read X twice: once to see which columns matter, once to see that no other does."""
        n, d = data["X"].shape
        return Limit(2 * data["X"].nbytes, 4.0 * n * d)
