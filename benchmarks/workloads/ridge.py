"""Ridge regression with many more rows than columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.workload import Contender, Data
from benchmarks.workloads.least_squares import CENTRED, LeastSquares, coefficients, normal_equations

ALPHA = 10.0


def ours(data: Data) -> dict[str, Any]:
    """Centred cross-products by blocks of rows, then Cholesky."""
    from novacula.linear import Ridge

    return coefficients(Ridge(alpha=ALPHA).fit(data["X"], data["y"]))


def scikit_learn(data: Data) -> dict[str, Any]:
    """Its fastest solver for this shape."""
    from sklearn.linear_model import Ridge

    return coefficients(Ridge(alpha=ALPHA, solver="cholesky").fit(data["X"], data["y"]))


class RidgeRegression(LeastSquares):
    """From rows to coefficients that are pulled towards zero."""

    name = "ridge"
    title = "Ridge regression"

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, and NumPy by hand."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn Ridge (cholesky)", "scikit-learn", scikit_learn, goal=3.0),
            Contender(
                "normal equations by hand",
                "numpy",
                lambda data: normal_equations(data, ALPHA),
                goal=1.0,
                because=CENTRED,
            ),
        ]
