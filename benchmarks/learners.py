"""Every learner of the library with data on which each row is the same work, for any number of rows.

What a card promises for an iteration is measured with a fixed number of them, and what noise would make deeper with a
fixed depth. A test compares this table with the registry. Sizes grow by `FACTORS`, two decades; where n grows, d is
fixed at the second number of `n`, and vice versa.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from benchmarks import generate

FACTORS = (1, 5, 20, 100)
Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """A learner's data, its parameters, and where the sizes along n and d begin while the other is fixed.

    A parameter that is a function is called with the number of columns.
    """

    data: Callable[[int, int], Arguments]
    n: tuple[int, int]  # the least n, and the fixed d
    d: tuple[int, int]  # the least d, and the fixed n
    parameters: Mapping[str, Any] = field(default_factory=dict)
    factors: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # where two decades cannot be had

    def sizes(self, axis: str) -> list[tuple[int, int]]:
        """Pairs of n and d, growing along one of them."""
        start, other = self.n if axis == "n" else self.d
        sizes = [start * factor for factor in self.factors.get(axis, FACTORS)]
        return [(size, other) if axis == "n" else (other, size) for size in sizes]


def learner_class(name: str) -> Any:
    """The class behind a name of the table, importing its family only."""
    family, _, kind = name.partition(".")
    return getattr(import_module(f"novacula.{family}"), kind)


def fitting(name: str, n: int, d: int) -> Callable[[], Any]:
    """A call that fits a new learner to n rows and d columns, made beforehand."""
    subject = LEARNERS[name]
    arguments = subject.data(n, d)
    parameters = {key: value(d) if callable(value) else value for key, value in subject.parameters.items()}
    kind = learner_class(name)

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fixed number of iterations is not meant to converge
            return kind(**parameters).fit(**arguments)

    return fit


def classes(n: int, d: int) -> Arguments:
    """Two normal classes that overlap as much in many columns as in few."""
    import numpy as np

    rng = np.random.default_rng(generate.SEED)
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, d))
    X += (2.0 / np.sqrt(d)) * y[:, None]
    return {"X": X, "y": y}


def line(n: int, d: int) -> Arguments:
    """A target that is linear in the columns, with noise."""
    X, y = generate.regression(n, d)
    return {"X": X, "y": y / y.std()}


def clouds(n: int, d: int) -> Arguments:
    """Eight clouds that touch, without a target."""
    import numpy as np

    rng = np.random.default_rng(generate.SEED)
    X = rng.standard_normal((n, d))
    X += 2.0 * rng.standard_normal((8, d))[rng.integers(0, 8, n)]
    return {"X": X}


def codes(n: int, d: int) -> Arguments:
    """Three categories per column, as a frame, and a class that depends on the first."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(generate.SEED)
    X = rng.integers(0, 3, (n, d), dtype=np.int8)
    frame = pd.DataFrame({f"x{j}": pd.Categorical.from_codes(X[:, j], ["a", "b", "c"]) for j in range(d)})
    return {"X": frame, "y": np.where(rng.random(n) < 0.2, 1, X[:, 0] > 0).astype(int)}


def nodes(n: int, d: int) -> Arguments:
    """The same without a class."""
    return {"X": codes(n, d)["X"]}


def concept(n: int, d: int) -> Arguments:
    """Two values per attribute, and a conjunction of the first two; the last row is positive."""
    import numpy as np

    X = np.random.default_rng(generate.SEED).integers(0, 2, (n, d))
    X[-1] = 1
    return {"X": X, "y": (X[:, :2] == 1).all(axis=1)}


def texts(n: int, d: int) -> Arguments:
    """Texts of d words out of a thousand, so that d is what a text costs."""
    import numpy as np

    rng = np.random.default_rng(generate.SEED)
    words = np.array([f"word{k:03}" for k in range(1_000)], object)
    return {"X": [" ".join(row) for row in words[rng.integers(0, 1_000, (n, d))]], "y": rng.integers(0, 2, n)}


def symbols(n: int, d: int) -> Arguments:
    """Sequences of a hundred steps over d symbols."""
    import numpy as np

    return {"X": np.random.default_rng(generate.SEED).integers(0, d, (n, 1)), "lengths": [100] * (n // 100)}


def steps(n: int, d: int) -> Arguments:
    """Sequences of a hundred steps, d numbers each."""
    return {**clouds(n, d), "lengths": [100] * (n // 100)}


def counts(n: int, d: int) -> Arguments:
    """Such sequences of counts."""
    import numpy as np

    X = np.random.default_rng(generate.SEED).poisson(3.0, (n, d)).astype(float)
    return {"X": X, "lengths": [100] * (n // 100)}


def chain(d: int) -> list[tuple[str, str]]:
    """Edges from each node to the next."""
    return [(f"x{j}", f"x{j + 1}") for j in range(d - 1)]


_STEPS = {"n_states": 4, "max_iter": 5, "tol": 0.0}
_MLP = {"hidden": (32,), "max_epochs": 3, "tol": None}

LEARNERS: dict[str, Subject] = {
    "baseline.MeanRegressor": Subject(line, (20_000, 10), (10, 20_000)),
    "baseline.PluralityClassifier": Subject(classes, (20_000, 10), (10, 20_000)),
    "bayes.BayesOptimalClassifier": Subject(classes, (2_000, 10), (10, 2_000)),
    "bayes.GibbsClassifier": Subject(classes, (2_000, 10), (10, 2_000)),
    "bayes.NaiveBayes": Subject(classes, (20_000, 10), (10, 20_000)),
    "bayes.TextNaiveBayes": Subject(texts, (200, 50), (5, 1_000)),
    "concept.CandidateElimination": Subject(concept, (1_000, 10), (5, 1_000)),
    "concept.FindS": Subject(concept, (1_000, 10), (5, 1_000)),
    "concept.ListThenEliminate": Subject(concept, (100, 8), (2, 100), factors={"d": (1, 2, 4, 6)}),
    "concept.RoteLearner": Subject(concept, (1_000, 10), (5, 1_000)),
    "concept.UnbiasedLearner": Subject(concept, (1_000, 10), (5, 1_000)),
    "ensemble.AdaBoostClassifier": Subject(classes, (1_000, 10), (5, 1_000), {"n_estimators": 10}),
    "ensemble.BaggingClassifier": Subject(classes, (1_000, 10), (5, 1_000), {"n_estimators": 5}),
    "ensemble.BaggingRegressor": Subject(line, (1_000, 10), (5, 1_000), {"n_estimators": 5}),
    "ensemble.GradientBoostingClassifier": Subject(classes, (2_000, 10), (5, 2_000), {"max_iter": 20}),
    "ensemble.GradientBoostingRegressor": Subject(line, (2_000, 10), (5, 2_000), {"max_iter": 20}),
    "ensemble.RandomForestClassifier": Subject(classes, (1_000, 10), (5, 1_000), {"n_estimators": 10}),
    "ensemble.RandomForestRegressor": Subject(line, (1_000, 10), (5, 1_000), {"n_estimators": 10}),
    "graph.BayesianNetwork": Subject(nodes, (5_000, 10), (5, 5_000), {"edges": chain}),
    "graph.BayesianNetworkClassifier": Subject(codes, (5_000, 10), (2, 5_000)),
    "graph.CategoricalHMM": Subject(symbols, (2_000, 20), (10, 5_000), _STEPS),
    "graph.GaussianHMM": Subject(steps, (1_000, 4), (2, 500), _STEPS),
    "graph.LinearGaussian": Subject(line, (20_000, 10), (5, 20_000)),
    "graph.PoissonHMM": Subject(counts, (1_000, 4), (2, 1_000), _STEPS),
    "kernel.SVC": Subject(classes, (100, 10), (5, 1_000)),
    "kernel.SVR": Subject(line, (50, 10), (5, 1_000)),
    "kernel.GaussianProcessRegressor": Subject(line, (25, 5), (10, 500), {"optimize": False, "noise": 0.1}),
    "kernel.KernelPCA": Subject(line, (15, 5), (10, 300), {"kernel": "rbf", "n_components": 5}),
    "kernel.KernelRidge": Subject(line, (40, 5), (10, 500), {"kernel": "rbf"}),
    "kernel.Nystroem": Subject(line, (10_000, 10), (10, 10_000)),
    "kernel.RandomFourierFeatures": Subject(line, (20_000, 10), (10, 20_000)),
    "linear.BayesianLinearRegression": Subject(line, (20_000, 10), (5, 20_000)),
    "linear.Lasso": Subject(line, (20_000, 10), (10, 20_000), {"alpha": 0.1}),
    "linear.LinearRegression": Subject(line, (20_000, 10), (5, 20_000)),
    "linear.LinearUnit": Subject(line, (20_000, 10), (5, 20_000), {"max_iter": 5}),
    "linear.LogisticRegression": Subject(classes, (10_000, 10), (5, 10_000), {"solver": "newton", "max_iter": 5}),
    "linear.Perceptron": Subject(classes, (10_000, 10), (10, 10_000), {"max_iter": 5}),
    "linear.Ridge": Subject(line, (20_000, 10), (5, 20_000)),
    "mixture.GaussianMixture": Subject(clouds, (2_000, 5), (2, 5_000), {"n_components": 4, "max_iter": 5, "tol": 0.0}),
    "mixture.KMeans": Subject(clouds, (5_000, 5), (5, 5_000), {"max_iter": 5, "tol": 0.0}),
    "neighbors.KNeighborsClassifier": Subject(classes, (5_000, 5), (5, 5_000)),
    "neighbors.KNeighborsDensity": Subject(clouds, (5_000, 5), (5, 5_000)),
    "neighbors.KNeighborsRegressor": Subject(line, (5_000, 5), (5, 5_000)),
    "neighbors.KernelDensity": Subject(clouds, (20_000, 5), (5, 20_000)),
    "neural.MLPClassifier": Subject(classes, (2_000, 10), (10, 2_000), _MLP),
    "neural.MLPRegressor": Subject(line, (2_000, 10), (10, 2_000), _MLP),
    "neural.RBFNetworkClassifier": Subject(classes, (2_000, 5), (5, 2_000)),
    "neural.RBFNetworkRegressor": Subject(line, (2_000, 5), (5, 2_000)),
    "prepare.PreparedClassifier": Subject(classes, (5_000, 5), (5, 5_000)),
    "prepare.PreparedClusterer": Subject(clouds, (5_000, 5), (5, 5_000)),
    "prepare.PreparedRegressor": Subject(line, (5_000, 5), (5, 5_000)),
    "projection.PCA": Subject(clouds, (20_000, 10), (5, 20_000)),
    "projection.FeatureRanker": Subject(classes, (20_000, 10), (10, 20_000)),
    "tree.DecisionTreeClassifier": Subject(classes, (2_000, 10), (5, 2_000), {"max_depth": 8}),
    "tree.DecisionTreeRegressor": Subject(line, (2_000, 10), (5, 2_000), {"max_depth": 8}),
    "tree.RuleListClassifier": Subject(classes, (100, 5), (5, 500), {"max_depth": 8}),
}


def some_families() -> list[str]:
    """The first learner of every third family: enough to see whether a survey runs."""
    return list({name.partition(".")[0]: name for name in reversed(LEARNERS)}.values())[::-1][::3]
