"""Decision trees on numbers, exact and on bins, and on categories; and the classes that a tree predicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_labels

BINS = 255
DEPTH = 8
LEAVES = 2**DEPTH
CATEGORY_LEVELS = 4
"""Levels of the tree on categories; one with two branches per test asks about as much in twice as many."""

BINNING = (
    "By a profile 39 % of the processor time finds the edges of bins, which are quantiles of all rows: every column is "
    "sorted, where LightGBM and scikit-learn take 200,000 rows; 15 % finds the bins and 38 % counts, most of it on "
    "one thread. Codes row by row instead of column by column and fewer arrays besides the sorted one took a tenth off."
)
"""Why a tree on bins is behind where it is."""
ONE_A_CLASS = (
    "Of more than two classes a round is a tree for each, and five trees are more accurate than one by more than the "
    "two per cent up to which times count. With two classes, where a round is one tree, they do."
)
"""Why XGBoost may have no time."""


def accuracy(model: Any, data: Data) -> dict[str, Any]:
    """The model, and the data it was fitted on, by which it is judged."""
    return {"model": model, "X": data["X"], "y": data["y"]}


def as_good(ours: Any, theirs: Any, slack: float) -> Agreement:
    """Whether training accuracies differ by no more than the slack, or ours is the better."""
    mine, other = (
        float((answer["model"].predict(answer["X"]).ravel() == answer["y"]).mean()) for answer in (ours, theirs)
    )
    return Agreement(mine >= other - slack, f"accuracy {other:.4f} beside {mine:.4f}")


def ours(**parameters: Any) -> Callable[[Data], dict[str, Any]]:
    """Our tree with these parameters."""

    def run(data: Data) -> dict[str, Any]:
        from novacula.tree import DecisionTreeClassifier

        return accuracy(DecisionTreeClassifier(max_depth=data["depth"], **parameters).fit(data["X"], data["y"]), data)

    return run


def scikit_learn(data: Data) -> dict[str, Any]:
    """Exact, by entropy."""
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(criterion="entropy", max_depth=data["depth"], random_state=0)
    return accuracy(model.fit(data["X"], data["y"]), data)


def xgboost(method: str) -> Callable[[Data], dict[str, Any]]:
    """One round of boosting, which is one tree per class."""

    def run(data: Data) -> dict[str, Any]:
        from xgboost import XGBClassifier

        depth = data["depth"] or 0
        model = XGBClassifier(
            n_estimators=1, tree_method=method, max_depth=depth, max_bin=BINS, learning_rate=1.0, min_child_weight=0,
            reg_lambda=0, n_jobs=2,
        )  # fmt: skip
        return accuracy(model.fit(data["X"], data["y"]), data)

    return run


def lightgbm(data: Data) -> dict[str, Any]:
    """One round of boosting, which is one tree per class, on bins."""
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        n_estimators=1, learning_rate=1.0, num_leaves=LEAVES, max_depth=DEPTH, max_bin=BINS, min_child_samples=1,
        min_child_weight=0, n_jobs=2, verbose=-1,
    )  # fmt: skip
    return accuracy(model.fit(data["X"], data["y"]), data)


def hist_gradient_boosting(data: Data) -> dict[str, Any]:
    """One iteration, which is one tree per class, on bins; codes are categories where the data say so."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=1, learning_rate=1.0, max_leaf_nodes=LEAVES, max_depth=DEPTH, min_samples_leaf=1, max_bins=BINS,
        early_stopping=False, categorical_features=data.get("categorical"),
    )  # fmt: skip
    return accuracy(model.fit(data["X"], data["y"]), data)


class NumericTree(Race):
    """Exact growth until every leaf is pure."""

    name = "exact_tree"
    title = "Decision tree, exact, grown to the end"
    full = ({"rows": 500_000, "columns": 20, "classes": 2}, {"rows": 500_000, "columns": 20, "classes": 5})
    quick = ({"rows": 20_000, "columns": 20, "classes": 2}, {"rows": 20_000, "columns": 20, "classes": 5})
    depth: ClassVar[int | None] = None

    def data(self, size: Size, folder: Path) -> Data:
        """Classes by a score of half of the columns that is not linear, with a tenth of the labels changed."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d, classes = size["rows"], size["columns"], size["classes"]
        X = rng.standard_normal((n, d))
        half = d // 2
        score = X[:, :half] @ rng.standard_normal(half) + X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2])
        y = np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
        y = np.where(rng.random(n) < 0.1, rng.integers(0, classes, n), y)
        return {"X": X, "y": y, "depth": self.depth}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, exact too."""
        return [
            Contender("Novacula", "novacula", ours()),
            Contender("scikit-learn DecisionTreeClassifier", "scikit-learn", scikit_learn, goal=5.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same training accuracy, to half of a per cent."""
        return as_good(ours, theirs, 0.005)

    def limit(self, data: Data) -> Limit:
        """Read X and y once."""
        return Limit(data["X"].nbytes + data["y"].nbytes)


class ShallowTree(NumericTree):
    """Exact growth to a few levels."""

    name = "exact_tree_depth_8"
    title = "Decision tree, exact, 8 levels"
    depth = DEPTH

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn and XGBoost, both exact."""
        rival = Contender("XGBoost, exact, one round", "xgboost", xgboost("exact"), goal=1.0, because=ONE_A_CLASS)
        return [*super().contenders(), rival]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same training accuracy, to two per cent: boosting minimises another loss."""
        return as_good(ours, theirs, 0.02)


class BinnedTree(ShallowTree):
    """The same on bins."""

    name = "binned_tree_depth_8"
    title = "Decision tree on 255 bins, 8 levels"

    def contenders(self) -> Sequence[Contender]:
        """Histogram boosting, one round."""
        return [
            Contender("Novacula, max_bins", "novacula", ours(max_bins=BINS)),
            Contender("LightGBM, one round", "lightgbm", lightgbm, goal=1.0, because=BINNING),
            Contender(
                "scikit-learn HistGradientBoosting, one round",
                "scikit-learn",
                hist_gradient_boosting,
                goal=1.0,
                because=BINNING,
            ),
            Contender("XGBoost, hist, one round", "xgboost", xgboost("hist"), goal=1.0, because=BINNING),
        ]


class CategoricalTree(NumericTree):
    """Codes of categories, with one branch per category."""

    name = "categorical_tree"
    title = "Decision tree on categories, 4 levels"
    full = ({"rows": 1_000_000, "columns": 12, "classes": 4},)
    quick = ({"rows": 50_000, "columns": 12, "classes": 4},)

    def data(self, size: Size, folder: Path) -> Data:
        """Classes by a few columns together, with a fifth of the labels changed."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        n, d, classes = size["rows"], size["columns"], size["classes"]
        sizes = [4 + j % 7 for j in range(d)]
        X = rng.integers(0, sizes, (n, d))
        y = (X[:, 0] + X[:, 1] * X[:, 2] + (X[:, 3] > 2)) % classes
        y = np.where(rng.random(n) < 0.2, rng.integers(0, classes, n), y)
        return {"X": X, "y": y, "depth": CATEGORY_LEVELS, "categorical": list(range(d))}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn's boosting, which groups categories; its tree would need a column for each of them."""
        return [
            Contender("Novacula", "novacula", ours(), as_categories),
            Contender("scikit-learn HistGradientBoosting, one round", "scikit-learn", hist_gradient_boosting, goal=3.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """A training accuracy that is no worse, to half of a per cent."""
        return as_good(ours, theirs, 0.005)


class PredictedClasses(NumericTree):
    """The classes of rows by a tree that was grown to the end, each library by its own."""

    name = "tree_predict"
    title = "Decision tree, predict"
    full = ({"rows": 200_000, "columns": 20, "classes": 2}, {"rows": 200_000, "columns": 20, "classes": 5})

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn, on rows of the same layout."""
        return [
            Contender("Novacula", "novacula", predicted, ours()),
            Contender("scikit-learn DecisionTreeClassifier", "scikit-learn", predicted, scikit_learn, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The training rows, which both trees know by heart."""
        return same_labels(ours, theirs, 0.995)


def predicted(answer: dict[str, Any]) -> Any:
    """The classes of all rows."""
    return answer["model"].predict(answer["X"])


def as_categories(data: Data) -> Data:
    """The codes as categories of an Arrow table, which is what a frame of categories holds."""
    import pyarrow as pa

    columns = {
        f"a{j}": pa.DictionaryArray.from_arrays(
            pa.array(column.astype("int32")), pa.array([f"v{c}" for c in range(column.max() + 1)])
        )
        for j, column in enumerate(data["X"].T)
    }
    return {**data, "X": pa.table(columns)}
