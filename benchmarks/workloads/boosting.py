"""Gradient boosting: 100 rounds of 31 leaves, for two classes, numbers, many columns and many classes; and answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

ROUNDS, LEAVES, BINS, RATE = 100, 31, 255, 0.1
SLACK = 0.01
"""By how much a score may be lower."""


def fitted(model: Any, data: Data) -> dict[str, Any]:
    """The model, and the data that it is judged by."""
    return {"model": model.fit(data["X"], data["y"]), **data}


def named(classes: int, prefix: str) -> str:
    """The name of a library's class for classes, or for numbers."""
    return prefix + ("Classifier" if classes else "Regressor")


def novacula(data: Data) -> dict[str, Any]:
    """Ours."""
    from novacula import ensemble

    model = getattr(ensemble, named(data["classes"], "GradientBoosting"))
    return fitted(model(max_iter=ROUNDS, max_leaf_nodes=LEAVES, max_bins=BINS, early_stopping=False), data)


def lightgbm(data: Data) -> dict[str, Any]:
    """With its defaults, which are the same."""
    import lightgbm as rival

    model = getattr(rival, named(data["classes"], "LGBM"))
    return fitted(model(n_estimators=ROUNDS, num_leaves=LEAVES, max_bin=BINS, n_jobs=2, verbose=-1), data)


def xgboost(data: Data) -> dict[str, Any]:
    """On bins and leaf by leaf."""
    import xgboost as rival

    model = getattr(rival, named(data["classes"], "XGB"))
    return fitted(
        model(
            n_estimators=ROUNDS, tree_method="hist", grow_policy="lossguide", max_leaves=LEAVES, max_depth=0,
            max_bin=BINS, learning_rate=RATE, n_jobs=2,
        ),
        data,
    )  # fmt: skip


def scikit_learn(data: Data) -> dict[str, Any]:
    """The same settings."""
    from sklearn import ensemble

    model = getattr(ensemble, named(data["classes"], "HistGradientBoosting"))
    return fitted(model(max_iter=ROUNDS, max_leaf_nodes=LEAVES, max_bins=BINS, early_stopping=False), data)


class BoostedClasses(Race):
    """Two classes, many rows."""

    name = "boosting"
    title = "Gradient boosting, 100 rounds of 31 leaves, two classes"
    full: ClassVar[Sequence[Size]] = ({"rows": 500_000, "columns": 20, "classes": 2},)
    quick = ({"rows": 20_000, "columns": 20, "classes": 2},)

    def data(self, size: Size, folder: Path) -> Data:
        """A score of half of the columns that is not linear, with noise; its classes, or the score itself."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d, classes = size["rows"], size["columns"], size["classes"]
        X = rng.standard_normal((n, d))
        half = d // 2
        score = X[:, :half] @ rng.standard_normal(half) + X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2])
        score += rng.standard_normal(n)
        cuts: Any = np.quantile(score, np.arange(1, classes) / classes) if classes else []
        return {"X": X, "y": np.searchsorted(cuts, score) if classes else score, "classes": classes}

    def contenders(self) -> Sequence[Contender]:
        """All on bins."""
        return [
            Contender("Novacula", "novacula", novacula),
            Contender("LightGBM", "lightgbm", lightgbm, goal=1.0),
            Contender("XGBoost, hist", "xgboost", xgboost, goal=1.0),
            Contender("scikit-learn HistGradientBoosting", "scikit-learn", scikit_learn, goal=1.3),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Accuracy or R² on the training rows that is no worse."""
        mine, other = (float(answer["model"].score(answer["X"], answer["y"])) for answer in (ours, theirs))
        return Agreement(mine >= other - SLACK, f"score {other:.4f} beside {mine:.4f}")

    def limit(self, data: Data) -> Limit:
        """Read X and y once."""
        return Limit(data["X"].nbytes + data["y"].nbytes)


class BoostedNumbers(BoostedClasses):
    """The same for numbers."""

    name = "boosting_numbers"
    title = "Gradient boosting, 100 rounds of 31 leaves, numbers"
    full = ({"rows": 500_000, "columns": 20, "classes": 0},)
    quick = ({"rows": 20_000, "columns": 20, "classes": 0},)


class WideBoosting(BoostedClasses):
    """Many columns."""

    name = "boosting_wide"
    title = "Gradient boosting, 200 columns"
    full = ({"rows": 50_000, "columns": 200, "classes": 2},)
    quick = ({"rows": 5_000, "columns": 200, "classes": 2},)


class ManyClasses(BoostedClasses):
    """A tree for each class in a round."""

    name = "boosting_classes"
    title = "Gradient boosting, 7 classes"
    full = ({"rows": 50_000, "columns": 20, "classes": 7},)
    quick = ({"rows": 5_000, "columns": 20, "classes": 7},)


class BoostedAnswers(BoostedClasses):
    """Answers of 100 trees."""

    name = "boosting_predict"
    title = "Gradient boosting, predict"
    full = ({"rows": 200_000, "columns": 20, "classes": 2}, {"rows": 200_000, "columns": 20, "classes": 0})
    quick = ({"rows": 10_000, "columns": 20, "classes": 2}, {"rows": 10_000, "columns": 20, "classes": 0})
    contestants: ClassVar[tuple[tuple[str, str, Callable[[Data], dict[str, Any]]], ...]] = (
        ("Novacula", "novacula", novacula),
        ("LightGBM", "lightgbm", lightgbm),
        ("scikit-learn HistGradientBoosting", "scikit-learn", scikit_learn),
    )

    def contenders(self) -> Sequence[Contender]:
        """Each by its own trees."""
        return [
            Contender(name, package, predicted, fit, goal=None if fit is novacula else 1.0)
            for name, package, fit in self.contestants
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Answers that go together."""
        import numpy as np

        share = float(np.corrcoef(ours, theirs)[0, 1])
        return Agreement(share > 0.97, f"correlation {share:.4f}")


def predicted(answer: dict[str, Any]) -> Any:
    """The answers for all rows."""
    return answer["model"].predict(answer["X"])
