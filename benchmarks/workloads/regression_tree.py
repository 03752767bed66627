"""Regression trees grown to the end, exact, and a few levels on bins; and the numbers that a tree predicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

BINS = 255
DEPTH = 8


def mean_square(model: Any, data: Data) -> dict[str, Any]:
    """The model, and what it leaves of the variance of rows like those it was fitted on."""
    error = float(((model.predict(data["fresh"]) - data["target"]) ** 2).mean())
    return {"model": model, "X": data["X"], "left": error / float(data["target"].var())}


def ours(**parameters: Any) -> Callable[[Data], dict[str, Any]]:
    """Our tree with these parameters."""

    def run(data: Data) -> dict[str, Any]:
        from novacula.tree import DecisionTreeRegressor

        model = DecisionTreeRegressor(max_depth=data["depth"], **parameters)
        return mean_square(model.fit(data["X"], data["y"]), data)

    return run


def scikit_learn(data: Data) -> dict[str, Any]:
    """Exact, by squared error."""
    from sklearn.tree import DecisionTreeRegressor

    model = DecisionTreeRegressor(max_depth=data["depth"], random_state=0)
    return mean_square(model.fit(data["X"], data["y"]), data)


def lightgbm(data: Data) -> dict[str, Any]:
    """One round of boosting."""
    from lightgbm import LGBMRegressor

    model = LGBMRegressor(
        n_estimators=1, learning_rate=1.0, num_leaves=2**DEPTH, max_depth=DEPTH, max_bin=BINS, min_child_samples=1,
        min_child_weight=0, n_jobs=2, verbose=-1,
    )  # fmt: skip
    return mean_square(model.fit(data["X"], data["y"]), data)


def hist_gradient_boosting(data: Data) -> dict[str, Any]:
    """One iteration."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        max_iter=1, learning_rate=1.0, max_leaf_nodes=2**DEPTH, max_depth=DEPTH, min_samples_leaf=1, max_bins=BINS,
        early_stopping=False,
    )  # fmt: skip
    return mean_square(model.fit(data["X"], data["y"]), data)


class GrownRegressionTree(Race):
    """Exact growth until the numbers of every leaf are equal."""

    name = "regression_tree"
    title = "Regression tree, exact, grown to the end"
    full: ClassVar[tuple[Size, ...]] = ({"rows": 500_000, "columns": 20},)
    quick: ClassVar[tuple[Size, ...]] = ({"rows": 20_000, "columns": 20},)
    depth: ClassVar[int | None] = None

    def data(self, size: Size, folder: Path) -> Data:
        """A function of half of the columns that is not linear, with noise; and fresh rows of it."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d, fresh = size["rows"], size["columns"], 20_000
        X, slopes = rng.standard_normal((n + fresh, d)), rng.standard_normal(d // 2)
        y = X[:, : d // 2] @ slopes + X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + rng.standard_normal(n + fresh)
        return {"X": X[:n], "y": y[:n], "fresh": X[n:], "target": y[n:], "depth": self.depth}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, exact too."""
        return [
            Contender("Novacula", "novacula", ours()),
            Contender("scikit-learn DecisionTreeRegressor", "scikit-learn", scikit_learn, goal=5.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same share of the variance of fresh rows is left, to one per cent, or less."""
        mine, other = ours["left"], theirs["left"]
        return Agreement(mine <= 1.01 * other, f"{other:.4f} of the variance left beside {mine:.4f}")

    def limit(self, data: Data) -> Limit:
        """Read X and y once."""
        return Limit(data["X"].nbytes + data["y"].nbytes)


class BinnedRegressionTree(GrownRegressionTree):
    """A few levels on bins."""

    name = "binned_regression_tree"
    title = "Regression tree on 255 bins, 8 levels"
    depth = DEPTH

    def contenders(self) -> Sequence[Contender]:
        """Histogram boosting, one round."""
        return [
            Contender("Novacula, max_bins", "novacula", ours(max_bins=BINS)),
            Contender("LightGBM, one round", "lightgbm", lightgbm, goal=1.0),
            Contender(
                "scikit-learn HistGradientBoosting, one round", "scikit-learn", hist_gradient_boosting, goal=1.0
            ),
        ]  # fmt: skip


class PredictedNumbers(GrownRegressionTree):
    """The numbers of rows by a tree that was grown to the end, each library by its own."""

    name = "regression_tree_predict"
    title = "Regression tree, predict"
    full = ({"rows": 200_000, "columns": 20},)

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, on rows of the same layout."""
        return [
            Contender("Novacula", "novacula", predicted, ours()),
            Contender("scikit-learn DecisionTreeRegressor", "scikit-learn", predicted, scikit_learn, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The training rows, which both trees know by heart."""
        import numpy as np

        gap = float(np.abs(ours - theirs).max())
        return Agreement(gap <= 1e-9 * float(np.abs(theirs).max()), f"largest difference {gap:.1e}")


def predicted(answer: dict[str, Any]) -> Any:
    """The numbers of all rows."""
    return answer["model"].predict(answer["X"])
