"""Fits of 150 rows and answers for one: what each learner pays before and after its arithmetic.

The rows are the irises for learners of classes and of no target, and the first 150 of the diabetes data for learners
of numbers. Each learner takes turns with scikit-learn's of the same settings, in one process, after both have run once.
A figure is how many times longer ours takes, of processor time or of wall time, whichever ratio is larger.
"""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from statistics import median
from typing import Any

from benchmarks.workload import Figure, Probe

ROWS = 150
TURNS = 15
"""How often each of the two is called per round of the run."""
FIT = 3.0
"""The ratio that is wanted of fits."""

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Twins:
    """A learner of ours and scikit-learn's, each with the settings that make the two do the same work."""

    ours: str
    theirs: str
    settings: Settings = field(default_factory=dict)  # of both
    only_ours: Settings = field(default_factory=dict)
    only_theirs: Settings = field(default_factory=dict)
    answer_goal: float | None = 1.5  # None where theirs does not even look at the rows

    def make(self) -> tuple[Any, Any]:
        """Both of them, not fitted."""
        ours = _class("novacula", self.ours)(**self.settings, **self.only_ours)
        return ours, _class("sklearn", self.theirs)(**self.settings, **self.only_theirs)


CLASSES = (
    Twins("baseline.PluralityClassifier", "dummy.DummyClassifier", answer_goal=None),
    Twins("bayes.NaiveBayes", "naive_bayes.GaussianNB"),
    Twins("ensemble.AdaBoostClassifier", "ensemble.AdaBoostClassifier", {"random_state": 0}),
    Twins("ensemble.BaggingClassifier", "ensemble.BaggingClassifier", {"random_state": 0}),
    Twins("ensemble.GradientBoostingClassifier", "ensemble.HistGradientBoostingClassifier", {"max_iter": 20}),
    Twins("ensemble.RandomForestClassifier", "ensemble.RandomForestClassifier", {"random_state": 0}),
    Twins("kernel.SVC", "svm.SVC"),
    Twins("linear.LogisticRegression", "linear_model.LogisticRegression", {"tol": 1e-4, "max_iter": 1000}),
    Twins(
        "linear.Perceptron",
        "linear_model.Perceptron",
        {"shuffle": False, "max_iter": 100},
        {"pocket": False},
        {"tol": None},
    ),
    Twins("neighbors.KNeighborsClassifier", "neighbors.KNeighborsClassifier"),
    Twins(
        "neural.MLPClassifier",
        "neural_network.MLPClassifier",
        {"solver": "sgd", "batch_size": 50, "momentum": 0.9, "activation": "logistic", "random_state": 0},
        {"hidden": (10,), "max_epochs": 50, "eta0": 0.1, "tol": None},
        {"hidden_layer_sizes": (10,), "max_iter": 50, "learning_rate_init": 0.1, "n_iter_no_change": 50, "alpha": 0.0},
    ),
    Twins("tree.DecisionTreeClassifier", "tree.DecisionTreeClassifier", {}, {}, {"criterion": "entropy"}),
)
NUMBERS = (
    Twins("baseline.MeanRegressor", "dummy.DummyRegressor", answer_goal=None),
    Twins("ensemble.BaggingRegressor", "ensemble.BaggingRegressor", {"random_state": 0}),
    Twins("ensemble.GradientBoostingRegressor", "ensemble.HistGradientBoostingRegressor", {"max_iter": 20}),
    Twins("ensemble.RandomForestRegressor", "ensemble.RandomForestRegressor", {"random_state": 0}),
    Twins(
        "kernel.GaussianProcessRegressor",
        "gaussian_process.GaussianProcessRegressor",
        {},
        {"optimize": False, "noise": 0.1},
        {"optimizer": None, "alpha": 0.1},
    ),
    Twins("kernel.KernelRidge", "kernel_ridge.KernelRidge", {"kernel": "rbf"}),
    Twins("kernel.SVR", "svm.SVR"),
    Twins("linear.BayesianLinearRegression", "linear_model.BayesianRidge", {}, {"noise": "evidence"}),
    Twins("linear.Lasso", "linear_model.Lasso", {"alpha": 0.1}),
    Twins("linear.LinearRegression", "linear_model.LinearRegression"),
    Twins(
        "linear.LinearUnit",
        "linear_model.SGDRegressor",
        {"max_iter": 50, "eta0": 0.01, "shuffle": False},
        {"solver": "sgd"},
        {"learning_rate": "constant", "penalty": None, "tol": None},
    ),
    Twins("linear.Ridge", "linear_model.Ridge"),
    Twins("neighbors.KNeighborsRegressor", "neighbors.KNeighborsRegressor"),
    Twins(
        "neural.MLPRegressor",
        "neural_network.MLPRegressor",
        {"solver": "sgd", "batch_size": 50, "momentum": 0.9, "activation": "logistic", "random_state": 0},
        {"hidden": (10,), "max_epochs": 50, "eta0": 1e-4, "tol": None},
        {"hidden_layer_sizes": (10,), "max_iter": 50, "learning_rate_init": 1e-4, "n_iter_no_change": 50, "alpha": 0.0},
    ),
    Twins("tree.DecisionTreeRegressor", "tree.DecisionTreeRegressor"),
)
NO_TARGET = (
    Twins("kernel.KernelPCA", "decomposition.KernelPCA", {"n_components": 2, "kernel": "rbf"}),
    Twins("kernel.Nystroem", "kernel_approximation.Nystroem", {"n_components": 20, "random_state": 0}),
    Twins(
        "kernel.RandomFourierFeatures",
        "kernel_approximation.RBFSampler",
        {"gamma": "scale", "n_components": 20, "random_state": 0},
    ),
    Twins(
        "mixture.GaussianMixture",
        "mixture.GaussianMixture",
        {"n_components": 3, "tol": 1e-3, "random_state": 0},
        {},
        {"init_params": "k-means++"},
    ),
    Twins("mixture.KMeans", "cluster.KMeans", {"n_clusters": 3, "n_init": 1, "random_state": 0}),
    Twins("neighbors.KernelDensity", "neighbors.KernelDensity"),
    Twins("projection.PCA", "decomposition.PCA", {"n_components": 2}),
)


class SmallFits(Probe):
    """Every learner that scikit-learn has too."""

    name = "small_fits"
    title = "150 rows: ours over scikit-learn's, the larger of the ratios of processor time and of wall time"

    def figures(self, rounds: int) -> list[Figure]:
        """A fit and the answer for one row, of each learner."""
        turns = rounds * TURNS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fixed number of iterations is not meant to converge
            found = [figure for twins, rows in _every() for figure in _figures(twins, rows, turns)]
            return [*found, *_prepared_figures(turns)]


def _every() -> list[tuple[Twins, Mapping[str, Any]]]:
    """Twins with the rows that they learn from."""
    from sklearn.datasets import load_diabetes, load_iris

    X, y = load_iris(return_X_y=True)
    numbers = dict(zip(("X", "y"), (part[:ROWS] for part in load_diabetes(return_X_y=True)), strict=True))
    classes = [(twins, {"X": X, "y": y}) for twins in CLASSES]
    return [*classes, *((twins, numbers) for twins in NUMBERS), *((twins, {"X": X}) for twins in NO_TARGET)]


def _figures(twins: Twins, rows: Mapping[str, Any], turns: int) -> list[Figure]:
    name = twins.ours.partition(".")[2]
    ours, theirs = twins.make()
    fit = compare(lambda: ours.fit(**rows), lambda: theirs.fit(**rows), turns)
    method = next(m for m in ("predict", "transform", "score_samples") if hasattr(ours, m) and hasattr(theirs, m))
    mine, other, row = getattr(ours, method), getattr(theirs, method), rows["X"][:1]
    answer = compare(lambda: mine(row), lambda: other(row), turns)
    return [
        fit.figure(f"{name}: fit of {ROWS} rows", FIT),
        answer.figure(f"{name}: {method} of one row", twins.answer_goal),
    ]


def _prepared_figures(turns: int) -> list[Figure]:
    """Logistic regression behind a preparation, as studies save it, beside a pipeline; the rows are a frame."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    from novacula import linear
    from novacula.prepare import PreparedClassifier

    frame, y = _people()
    scaled = make_pipeline(SimpleImputer(), StandardScaler()), ["age", "income"]
    coded = OneHotEncoder(handle_unknown="ignore"), ["job"]
    settings = {"tol": 1e-4, "max_iter": 1000}
    theirs = make_pipeline(make_column_transformer(scaled, coded), LogisticRegression(**settings))
    ours, row = PreparedClassifier(linear.LogisticRegression(**settings)), frame.iloc[:1]
    fit = compare(lambda: ours.fit(frame, y), lambda: theirs.fit(frame, y), turns)
    answer = compare(lambda: ours.predict_proba(row), lambda: theirs.predict_proba(row), turns)
    name = "LogisticRegression behind a preparation"
    return [fit.figure(f"{name}: fit of {ROWS} rows", FIT), answer.figure(f"{name}: predict_proba of one row", 1.5)]


def _people() -> tuple[Any, Any]:
    """Two columns of numbers, one of categories, and a class that depends on two of them."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    age, income, job = rng.normal(40, 10, ROWS), rng.normal(3e4, 8e3, ROWS), rng.choice(["baker", "smith"], ROWS)
    return pd.DataFrame({"age": age, "income": income, "job": job}), np.where((age > 40) ^ (job == "smith"), "y", "n")


@dataclass(frozen=True, slots=True)
class Compared:
    """Median seconds of two calls: processor time and wall time."""

    ours: tuple[float, float]
    theirs: tuple[float, float]

    def figure(self, name: str, goal: float | None) -> Figure:
        """The larger ratio, and what it is of."""
        ratio = max(mine / other for mine, other in zip(self.ours, self.theirs, strict=True))
        return Figure(f"{name}, beside scikit-learn's {1e3 * self.theirs[1]:.2f} ms", ratio, "×", goal)


def compare(ours: Callable[[], object], theirs: Callable[[], object], turns: int) -> Compared:
    """Call both in turn; which goes first changes from turn to turn."""
    calls, times = (ours, theirs), ([], [])  # type: tuple[Callable[[], object], ...], tuple[list[Any], list[Any]]
    for call in calls:
        call()
    gc.collect()
    gc.disable()  # the garbage of one is not charged to the other
    try:
        for turn in range(turns):
            for place in (0, 1) if turn % 2 == 0 else (1, 0):
                begin = time.process_time(), time.perf_counter()
                calls[place]()
                times[place].append((time.process_time() - begin[0], time.perf_counter() - begin[1]))
    finally:
        gc.enable()
    mine, other = (tuple(median(part) for part in zip(*each, strict=True)) for each in times)
    return Compared(mine, other)  # type: ignore[arg-type]


def _class(package: str, path: str) -> Any:
    module, _, kind = path.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), kind)
