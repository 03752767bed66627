"""Logistic regression with many more rows than columns: two classes, and ten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size


def overlapping(rows: int, columns: int, classes: int) -> Data:
    """Columns that lean on each other and classes drawn by a logistic model of them."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((rows, columns))
    X[:, 1:] += 0.5 * X[:, :1]
    margin = 0.4 * X @ rng.standard_normal((columns, classes))
    X += np.linspace(-2.0, 2.0, columns)
    return {"X": X, "y": (margin + rng.gumbel(size=margin.shape)).argmax(axis=1)}


def objective(model: Any, data: Data) -> float:
    """Σ −log P(class) + ½‖w‖² of a fitted model."""
    import numpy as np
    from scipy.special import log_softmax

    margin = data["X"] @ model.coef_.T + model.intercept_
    if margin.shape[1] == 1:
        margin = np.hstack([np.zeros_like(margin), margin])
    loss = -log_softmax(margin, axis=1)[np.arange(len(margin)), data["y"]].sum()
    return float(loss + 0.5 * (model.coef_**2).sum())


PRECISION = 1e-4
"""Our tol in a race: it leaves 3e-7 of the objective. The default of 1e-10 is for digits that no rival gives."""


def ours(data: Data) -> Any:
    """Newton for two classes, L-BFGS with Böhning's bound for ten."""
    from novacula.linear import LogisticRegression

    return LogisticRegression(tol=PRECISION).fit(data["X"], data["y"]), data


def scikit_learn(solver: str, tol: float) -> Contender:
    """One of its solvers, with the precision that it takes to reach our objective to 1e-6."""

    def run(data: Data) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(solver=solver, tol=tol, max_iter=1000).fit(data["X"], data["y"]), data

    return Contender(f"scikit-learn LogisticRegression ({solver})", "scikit-learn", run, goal=2.0)


class Logistic(Race):
    """From rows to the planes of two classes."""

    name = "logistic"
    title = "Logistic regression, two classes"
    full: ClassVar[Sequence[Size]] = ({"rows": 1_000_000, "columns": 50, "classes": 2},)
    quick: ClassVar[Sequence[Size]] = ({"rows": 100_000, "columns": 50, "classes": 2},)
    solvers: ClassVar[Mapping[str, float]] = {"lbfgs": 1e-5, "newton-cholesky": 1e-4}

    def data(self, size: Size, folder: Path) -> Data:
        """Classes that overlap."""
        return overlapping(size["rows"], size["columns"], size["classes"])

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn's solvers that are fastest for this shape."""
        return [Contender("Novacula", "novacula", ours), *map(scikit_learn, self.solvers, self.solvers.values())]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same objective to 1e-6, either way."""
        mine, other = objective(*ours), objective(*theirs)
        gap = (other - mine) / mine
        return Agreement(bool(abs(gap) <= 1e-6), f"objective {gap:+.0e}")

    def limit(self, data: Data) -> Limit:
        """Read X and y once; n·d² operations make one Hessian of two classes."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes + data["y"].nbytes, n * d * (d + 1.0))


class Softmax(Logistic):
    """From rows to the planes of ten classes."""

    name = "softmax"
    title = "Logistic regression, ten classes"
    full = ({"rows": 200_000, "columns": 50, "classes": 10},)
    quick = ({"rows": 2_000, "columns": 50, "classes": 10},)
    solvers: ClassVar[Mapping[str, float]] = {"newton-cg": 1e-5, "lbfgs": 1e-5}

    def limit(self, data: Data) -> Limit:
        """Read X and y once; margins and gradient are two products with ten planes."""
        n, d = data["X"].shape
        return Limit(data["X"].nbytes + data["y"].nbytes, 4.0 * n * d * (data["y"].max() + 1))
