"""Bayesian linear regression whose precisions are chosen by the evidence, with many more rows than columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.workload import Contender, Data
from benchmarks.workloads.least_squares import LeastSquares, coefficients


def ours(data: Data) -> dict[str, Any]:
    """Centred cross-products by blocks of rows, then eigenvalues and Newton's steps on the evidence."""
    from novacula.linear import BayesianLinearRegression

    return coefficients(BayesianLinearRegression(noise="evidence").fit(data["X"], data["y"]))


def scikit_learn(data: Data) -> dict[str, Any]:
    """MacKay's fixed point, without gamma priors of the precisions."""
    from sklearn.linear_model import BayesianRidge

    flat = dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 0.0)
    return coefficients(BayesianRidge(**flat).fit(data["X"], data["y"]))


class BayesianRegression(LeastSquares):
    """From rows to the posterior mean under the likeliest precisions."""

    name = "bayesian_regression"
    title = "Bayesian linear regression by the evidence"
    full = ({"rows": 1_000_000, "columns": 50},)
    quick = ({"rows": 100_000, "columns": 50},)

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn BayesianRidge", "scikit-learn", scikit_learn, goal=1.0),
        ]
