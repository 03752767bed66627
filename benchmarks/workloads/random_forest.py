"""Random forests of classes and of numbers, to the end, and their answers for many rows and for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size

TREES = 100
BINS = 255
SHARE = 0.632
"""The share of the rows that a bootstrap sample holds: the rivals' forest modes draw without replacement."""
MOST_LEAVES = 16_384
"""Leaves of LightGBM's trees, about as many as trees have here that are grown to the end; room is taken for all."""
POOL = 512.0
"""Megabytes of histograms that LightGBM keeps: without a limit those of so many leaves fill the memory."""


def ours(data: Data) -> Any:
    """Our forest, fitted."""
    from novacula.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if data["classes"] else RandomForestRegressor
    return kind(n_estimators=TREES, max_features=data["columns"]).fit(data["X"], data["y"])


def scikit_learn(data: Data) -> Any:
    """Scikit-learn's, on all cores."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if data["classes"] else RandomForestRegressor
    model = kind(n_estimators=TREES, max_features=data["columns"], n_jobs=-1, random_state=0)
    return model.fit(data["X"], data["y"])


def lightgbm(data: Data) -> Any:
    """LightGBM's forest mode, with trees grown to the end."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if data["classes"] else LGBMRegressor
    share = data["columns"] / data["X"].shape[1]
    model = kind(
        boosting_type="rf", n_estimators=TREES, num_leaves=MOST_LEAVES, max_bin=BINS, min_child_samples=1,
        min_child_weight=0, subsample=SHARE, subsample_freq=1, feature_fraction_bynode=share, histogram_pool_size=POOL,
        n_jobs=2, verbose=-1,
    )  # fmt: skip
    return model.fit(data["X"], data["y"])


def xgboost(data: Data) -> Any:
    """XGBoost's forest, one round of many trees."""
    from xgboost import XGBRFClassifier, XGBRFRegressor

    kind = XGBRFClassifier if data["classes"] else XGBRFRegressor
    model = kind(
        n_estimators=TREES, tree_method="hist", max_depth=0, max_bin=BINS, min_child_weight=0, reg_lambda=0,
        subsample=SHARE, colsample_bynode=data["columns"] / data["X"].shape[1], n_jobs=2,
    )  # fmt: skip
    return model.fit(data["X"], data["y"])


def judged(fit: Callable[[Data], Any]) -> Callable[[Data], dict[str, Any]]:
    """A fit, and the rows by which its model is judged."""
    return lambda data: {"model": fit(data), **data}


def error(answer: dict[str, Any]) -> float:
    """The error on rows that were held out: of classes, or the mean square."""
    said, truth = answer["model"].predict(answer["X_test"]).ravel(), answer["y_test"]
    return float((said != truth).mean() if answer["classes"] else ((said - truth) ** 2).mean())


class ForestOfClasses(Race):
    """A hundred trees of two classes, some columns at each node."""

    name = "forest_of_classes"
    title = "Random forest, 100 trees, two classes"
    full: ClassVar[Sequence[Size]] = ({"rows": 100_000, "columns": 20},)
    quick: ClassVar[Sequence[Size]] = ({"rows": 5_000, "columns": 20},)
    classes: ClassVar[int] = 2
    drawn: ClassVar[int] = 4

    def data(self, size: Size, folder: Path) -> Data:
        """A score of half of the columns that is not linear, with noise."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d = size["rows"], size["columns"]
        X = rng.standard_normal((n + n // 5, d))
        score = X[:, : d // 2] @ rng.standard_normal(d // 2) + X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2])
        y = score + rng.standard_normal(len(X))
        y = (y > 0).astype(np.int64) if self.classes else y
        held = {"X_test": X[n:], "y_test": y[n:]}
        return {"X": X[:n], "y": y[:n], **held, "classes": self.classes, "columns": self.drawn}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, and the forest modes of the boosters."""
        return [
            Contender("Novacula", "novacula", judged(ours)),
            Contender("scikit-learn, all cores", "scikit-learn", judged(scikit_learn), goal=5.0),
            Contender("LightGBM, rf", "lightgbm", judged(lightgbm), goal=1.0),
            Contender("XGBoost, rf", "xgboost", judged(xgboost), goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Ours is no worse on held-out rows, by more than a hundredth of the error."""
        mine, other = error(ours), error(theirs)
        return Agreement(mine <= 1.01 * other, f"error {other:.4g} beside {mine:.4g}")

    def limit(self, data: Data) -> Limit:
        """Read X and y once."""
        return Limit(data["X"].nbytes + data["y"].nbytes)


class ForestOfNumbers(ForestOfClasses):
    """The same of numbers, with every column at each node."""

    name = "forest_of_numbers"
    title = "Random forest, 100 trees, numbers"
    classes = 0
    drawn = 20


class ForestAnswers(ForestOfClasses):
    """The answers of a forest for many rows."""

    name = "forest_answers"
    title = "Random forest, predict many rows"
    full = ({"rows": 200_000, "columns": 20},)

    def contenders(self) -> Sequence[Contender]:
        """Each by its own forest of a part of the rows."""
        return [
            Contender("Novacula", "novacula", answered, fitted(ours)),
            Contender("scikit-learn, all cores", "scikit-learn", answered, fitted(scikit_learn), goal=1.0),
            Contender("LightGBM, rf", "lightgbm", answered, fitted(lightgbm), goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """Nearly all classes alike."""
        share = float((ours == theirs).mean())
        return Agreement(share > 0.93, f"{share:.1%} the same classes")


class ForestAnswer(ForestAnswers):
    """The answer of a forest for one row, many times."""

    name = "forest_answer"
    title = "Random forest, predict one row"

    def contenders(self) -> Sequence[Contender]:
        """The same, row by row."""
        return [
            Contender("Novacula", "novacula", answered_one_by_one, fitted(ours)),
            Contender("scikit-learn", "scikit-learn", answered_one_by_one, fitted(scikit_learn), goal=1.0),
            Contender("LightGBM, rf", "lightgbm", answered_one_by_one, fitted(lightgbm), goal=1.0),
        ]


FIT_ROWS = 20_000
"""Rows that the forests are fitted on whose answers are timed."""
ONE_BY_ONE = 20
"""Rows that are answered one by one."""


def fitted(fit: Callable[[Data], Any]) -> Callable[[Data], dict[str, Any]]:
    """A forest of the first rows, and all rows."""

    def ready(data: Data) -> dict[str, Any]:
        model = fit({**data, "X": data["X"][:FIT_ROWS], "y": data["y"][:FIT_ROWS]})
        return {"model": model, "X": data["X"]}

    return ready


def answered(answer: dict[str, Any]) -> Any:
    """The classes of all rows."""
    return answer["model"].predict(answer["X"])


def answered_one_by_one(answer: dict[str, Any]) -> Any:
    """The classes of some rows, one at a time."""
    import numpy as np

    return np.concatenate([answer["model"].predict(answer["X"][i : i + 1]) for i in range(ONE_BY_ONE)])
