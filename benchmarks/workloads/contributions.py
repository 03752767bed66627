"""What columns add to predictions: the same trees divided by us and by shap; and importance beside scikit-learn's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import SEED
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size


class GrownTrees:
    """A mean of trees, each fitted to rows drawn with replacement, in the form that contributions are computed from."""

    def __init__(self, X: Any, y: Any, count: int, depth: int) -> None:
        import numpy as np

        from novacula.tree import DecisionTreeRegressor

        rng, n = np.random.default_rng(SEED), len(X)
        drawn = [np.arange(n)] if count == 1 else [rng.integers(0, n, n) for _ in range(count)]
        self.trees = [DecisionTreeRegressor(max_depth=depth).fit(X[rows], y[rows]) for rows in drawn]

    def predict(self, X: Any) -> Any:
        """The mean of what the trees say."""
        return sum(tree.predict(X) for tree in self.trees) / len(self.trees)

    def additive_trees(self) -> Any:
        """All trees, each with its share of the answer."""
        from dataclasses import replace

        parts = [tree.additive_trees() for tree in self.trees]
        values = tuple(part.values[0] / len(parts) for part in parts)
        return replace(parts[0], trees=tuple(part.trees[0] for part in parts), values=values)

    def shap_trees(self) -> dict[str, Any]:
        """The same trees in the form that shap takes."""
        import numpy as np

        def described(tree: Any, share: float) -> dict[str, Any]:
            arrays, leaf = tree.tree_, tree.tree_.is_leaf
            below = np.where(leaf, -1, arrays.child)
            return {
                "children_left": below,
                "children_right": np.where(leaf, -1, below + 1),
                "children_default": below,
                "features": np.where(leaf, -2, arrays.feature),
                "thresholds": np.where(leaf, -2.0, arrays.threshold),
                "values": share * arrays.value[:, None],
                "node_sample_weight": arrays.weight,
            }

        return {"trees": [described(tree, 1.0 / len(self.trees)) for tree in self.trees]}


def grown(data: Data) -> Data:
    """The rows and the trees, fitted before the clock runs."""
    return {**data, "model": GrownTrees(data["X"], data["y"], data["trees"], data["depth"])}


def ours(data: Data) -> Any:
    """By `contributions`."""
    from novacula.explain import contributions

    return contributions(data["model"], data["X"]).values[:, :, 0]


def shap(data: Data) -> Any:
    """By shap's TreeExplainer, along the paths of the trees, as ours."""
    from shap import TreeExplainer

    explainer = TreeExplainer(data["model"].shap_trees(), feature_perturbation="tree_path_dependent")
    return explainer.shap_values(data["X"], check_additivity=False)


class TreeContributions(Race):
    """Contributions of every column to every row, by one tree and by a hundred."""

    name = "tree_contributions"
    title = "Contributions of trees (TreeSHAP)"
    full = (
        {"rows": 20_000, "columns": 20, "trees": 1, "depth": 10},
        {"rows": 2_000, "columns": 20, "trees": 100, "depth": 8},
    )
    quick = (
        {"rows": 2_000, "columns": 20, "trees": 1, "depth": 8},
        {"rows": 500, "columns": 20, "trees": 10, "depth": 8},
    )

    def data(self, size: Size, folder: Path) -> Data:
        """Numbers by sums, products and waves of columns."""
        import numpy as np

        rng = np.random.default_rng(SEED)
        X = rng.standard_normal((size["rows"], size["columns"]))
        y = X[:, :5] @ np.arange(1.0, 6.0) + 3 * X[:, 0] * X[:, 5] + np.sin(3 * X[:, 6]) + rng.standard_normal(len(X))
        return {"X": X, "y": y, "trees": size["trees"], "depth": size["depth"]}

    def contenders(self) -> Sequence[Contender]:
        """shap, which divides the same trees."""
        return [
            Contender("Novacula", "novacula", ours, grown),
            Contender("shap TreeExplainer", "shap", shap, grown, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same contributions, to a millionth of the largest."""
        import numpy as np

        gap = float(np.abs(ours - theirs).max() / np.abs(ours).max())
        return Agreement(gap < 1e-6, f"contributions differ by {gap:.1e} of the largest")

    def limit(self, data: Data) -> Limit:
        """Read X, and write as much."""
        return Limit(2 * data["X"].nbytes)


def fitted(data: Data) -> Data:
    """The rows and one model, a plane or a tree."""
    from novacula.linear import LinearRegression
    from novacula.tree import DecisionTreeRegressor

    model = LinearRegression() if data["plane"] else DecisionTreeRegressor(max_depth=data["depth"])
    return {**data, "model": model.fit(data["X"], data["y"])}


def our_importance(data: Data) -> Any:
    """By `importance`."""
    from novacula.explain import importance

    return importance(data["model"], data["X"], data["y"], repeats=5, rows=len(data["X"])).rise


def their_importance(data: Data) -> Any:
    """By scikit-learn, of the same model."""
    from sklearn.inspection import permutation_importance

    how = {"scoring": "neg_mean_squared_error", "n_repeats": 5, "random_state": 0}
    return permutation_importance(data["model"], data["X"], data["y"], **how).importances_mean


class PermutedColumns(TreeContributions):
    """Importance by permutation, of a tree and of a plane, five times each column."""

    name = "permutation_importance"
    title = "Importance by permutation"
    full = ({"rows": 10_000, "columns": 20, "plane": 0}, {"rows": 10_000, "columns": 20, "plane": 1})
    quick = ({"rows": 2_000, "columns": 20, "plane": 0}, {"rows": 2_000, "columns": 20, "plane": 1})

    def data(self, size: Size, folder: Path) -> Data:
        """The same rows."""
        return {**super().data({**size, "trees": 1, "depth": 8}, folder), "plane": bool(size["plane"])}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn asks the same model; ours also finds intervals."""
        return [
            Contender("Novacula", "novacula", our_importance, fitted),
            Contender("scikit-learn permutation_importance", "scikit-learn", their_importance, fitted, goal=1.0),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same rises, to a tenth of the largest: permutations are others."""
        import numpy as np

        gap = float(np.abs(ours - theirs).max() / np.abs(ours).max())
        return Agreement(gap < 0.1, f"importance differs by {gap:.1e} of the largest")
