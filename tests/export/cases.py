"""Small models of every kind that a study can choose, and rows with gaps and new categories to ask them about."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from novacula.baseline import MeanRegressor, PluralityClassifier
from novacula.bayes import NaiveBayes
from novacula.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from novacula.graph import BayesianNetworkClassifier
from novacula.kernel import SVC, SVR, Gaussian, GaussianProcessRegressor, KernelRidge, Polynomial
from novacula.linear import (
    BayesianLinearRegression,
    Lasso,
    LinearRegression,
    LinearUnit,
    LogisticRegression,
    Perceptron,
    Ridge,
)
from novacula.neighbors import KNeighborsClassifier, KNeighborsRegressor
from novacula.neural import MLPClassifier, MLPRegressor, RBFNetworkClassifier, RBFNetworkRegressor
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.prepare.calibration import Sureness
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor, RuleListClassifier

AGE, KEY, TOWN, SELECT = 'age "in years"', "'); DROP TABLE data; --", "town\n*/", "select"
TOWNS = ("O'Hara\"", "naïve 東京", "__import__('os')", "??/", "x*/")


class Case(NamedTuple):
    """A fitted model, and rows to ask it about."""

    model: Any
    rows: pd.DataFrame


def frame(n: int, seed: int, *, gaps: bool = True, unseen: bool = False) -> pd.DataFrame:
    """Two columns of numbers and two of categories, with names that are no friends of any language."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            AGE: rng.normal(40.0, 12.0, n).round(1),
            KEY: rng.exponential(3.0, n).round(3),
            TOWN: rng.choice(TOWNS, n),
            SELECT: rng.choice(["no", "yes"], n),
        }
    )
    if gaps:
        for name in rows.columns:
            rows.loc[rng.random(n) < 0.12, name] = None
    if unseen:
        rows.loc[rng.random(n) < 0.1, TOWN] = "nowhere"
    return rows


def score(rows: pd.DataFrame, seed: int) -> np.ndarray:
    """A number that depends on all columns, with noise."""
    rng = np.random.default_rng(seed)
    age, key = rows[AGE].fillna(40.0), rows[KEY].fillna(3.0)
    return np.asarray(
        (age - 40.0) / 12.0
        + key * (rows[SELECT] == "yes")
        - 2.0 * (rows[TOWN] == TOWNS[1])
        + rng.normal(0, 0.7, len(rows))
    )


def labels(values: np.ndarray, k: int) -> np.ndarray:
    """The numbers as classes of about the same size, with labels to be escaped."""
    names = ["'no'", 'a "yes"\n', "b\\", "ü"][:k]
    return np.array(names)[np.digitize(values, np.quantile(values, np.arange(1, k) / k))]


def mixed(model: Any, k: int = 0, n: int = 160) -> Any:
    """A model fitted on a mixed table with gaps: of k classes, or of numbers."""
    rows = frame(n, 1)
    values = score(rows, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, labels(values, k) if k else values)


def plain(model: Any, k: int = 0, n: int = 120) -> Any:
    """A model fitted on numbers alone, none of which is missing."""
    rows = frame(n, 1, gaps=False)
    values = score(rows, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows[[AGE, KEY]] / [10.0, 1.0], labels(values, k) if k else values)


def prepared(learner: Any, k: int = 0, **options: Any) -> Any:
    """A learner behind its preparation."""
    return mixed((PreparedClassifier if k else PreparedRegressor)(learner, **options), k)


def less_sure(model: Any) -> Any:
    """The same model, half as sure of its answers."""
    model.sureness_ = Sureness(0.5, False)
    return model


def of_squares(model: Any) -> Any:
    """A model fitted on a target that is never negative."""
    rows = frame(160, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(rows, score(rows, 2) ** 2)


COSTS = {"'no'": {'a "yes"\n': 1.0, "'no'": 0.0}, 'a "yes"\n': {'a "yes"\n': 0.0, "'no'": 4.0}}
TREE = {"max_leaf_nodes": 8}
MODELS: dict[str, Callable[[], Any]] = {
    "plurality": lambda: mixed(PluralityClassifier(), 3),
    "mean": lambda: mixed(MeanRegressor()),
    "tree, fractional": lambda: mixed(DecisionTreeClassifier(), 3),
    "tree, subsets": lambda: mixed(DecisionTreeClassifier(nominal="subset", missing="most_common", m=1.0, **TREE), 2),
    "tree, intervals": lambda: mixed(DecisionTreeClassifier(thresholds={AGE: [30.0, 45.0]}, **TREE), 2),
    "tree of numbers": lambda: mixed(DecisionTreeRegressor(**TREE)),
    "tree of numbers, better": lambda: mixed(DecisionTreeRegressor(missing="better", nominal="subset")),
    "rules": lambda: mixed(RuleListClassifier(), 3),
    "less sure": lambda: less_sure(prepared(NaiveBayes(), 3)),
    "by costs": lambda: prepared(NaiveBayes(), 2, costs=COSTS),
    "logarithm": lambda: of_squares(PreparedRegressor(Ridge(), target_transform="log1p")),
    "square root": lambda: of_squares(PreparedRegressor(Ridge(), target_transform="sqrt")),
    "boosting, 2 classes": lambda: mixed(GradientBoostingClassifier(max_iter=12), 2),
    "boosting, 3 classes": lambda: mixed(GradientBoostingClassifier(max_iter=6), 3),
    "boosting, numbers": lambda: mixed(GradientBoostingRegressor(max_iter=12)),
    "forest": lambda: mixed(RandomForestClassifier(n_estimators=10), 3),
    "forest of numbers": lambda: mixed(RandomForestRegressor(n_estimators=10)),
    "bagging": lambda: mixed(BaggingClassifier(n_estimators=4), 3),
    "bagging, columns": lambda: mixed(BaggingClassifier(n_estimators=5, max_features=0.5), 2),
    "bagging, numbers": lambda: mixed(BaggingRegressor(n_estimators=4)),
    "AdaBoost": lambda: mixed(AdaBoostClassifier(n_estimators=12), 2),
    "AdaBoost, 3 classes": lambda: mixed(AdaBoostClassifier(n_estimators=12), 3),
    "naive Bayes": lambda: mixed(NaiveBayes(), 3),
    "naive Bayes, kernels": lambda: plain(NaiveBayes(distributions={AGE: "kernel", KEY: "gaussian"}), 2, 40),
    "naive Bayes, bags": lambda: plain(NaiveBayes(distributions={AGE: "bernoulli", KEY: "poisson"}), 2),
    "network, tree": lambda: mixed(BayesianNetworkClassifier(), 3),
    "network, naive": lambda: mixed(BayesianNetworkClassifier("naive"), 2),
    "network, chain": lambda: mixed(
        BayesianNetworkClassifier([("y", SELECT), (SELECT, TOWN), (TOWN, AGE), (AGE, KEY), ("y", KEY)]), 2
    ),
    "least squares": lambda: prepared(LinearRegression()),
    "ridge": lambda: plain(Ridge()),
    "lasso": lambda: prepared(Lasso(alpha=0.05)),
    "Bayesian": lambda: prepared(BayesianLinearRegression()),
    "linear unit": lambda: prepared(LinearUnit()),
    "linear unit, threshold": lambda: plain(LinearUnit(threshold=True), 2),
    "logistic": lambda: prepared(LogisticRegression(), 2),
    "logistic, 3 classes": lambda: prepared(LogisticRegression(), 3),
    "perceptron": lambda: prepared(Perceptron(), 2),
    "perceptron, 3 classes": lambda: prepared(Perceptron(), 3),
    "MLP": lambda: prepared(MLPClassifier((4,), max_epochs=20), 2),
    "MLP, 3 classes": lambda: prepared(MLPClassifier((4, 3), activation="relu", max_epochs=20), 3),
    "MLP of numbers": lambda: prepared(MLPRegressor((5,), activation="logistic", max_epochs=20)),
    "RBF": lambda: prepared(RBFNetworkClassifier(4), 2),
    "RBF, 3 classes": lambda: prepared(RBFNetworkClassifier(4, basis="inverse_multiquadric"), 3),
    "RBF of numbers": lambda: prepared(RBFNetworkRegressor(4, basis="thin_plate")),
    "SVC": lambda: prepared(SVC(), 2),
    "SVC, probabilities": lambda: plain(SVC(probability=True), 2),
    "SVC, 3 classes": lambda: prepared(SVC(kernel=Polynomial(2)), 3),
    "SVC, planes": lambda: prepared(SVC(kernel="linear"), 3),
    "SVR": lambda: plain(SVR(kernel=0.5 * Gaussian(0.3) + Polynomial(2).normalized())),
    "Gaussian process": lambda: plain(GaussianProcessRegressor(normalize_y=True), n=40),
    "kernel ridge": lambda: plain(KernelRidge(kernel=(Polynomial(1) * Gaussian(0.1)).on([0, 1])), n=40),
    "neighbours": lambda: prepared(KNeighborsClassifier(4), 3),
    "neighbours, mixed": lambda: mixed(KNeighborsClassifier(3, metric="heom", weights="distance"), 2),
    "neighbours of numbers": lambda: plain(
        KNeighborsRegressor(3, metric="manhattan", weights="distance", scale="range")
    ),
    "neighbours, minkowski": lambda: plain(KNeighborsRegressor(3, metric="minkowski", p=3.0), n=40),
    "ordered, range": lambda: prepared(LogisticRegression(), 2, scale="range", fill="median", ordered=(SELECT,)),
    "unit rows": lambda: prepared(LogisticRegression(), 2, scale="unit"),
    "prepared tree": lambda: prepared(DecisionTreeClassifier(**TREE), 2, scale="standard"),
}
"""How each model is made."""


@cache
def model_of(name: str) -> Any:
    """A fitted model by its name."""
    return MODELS[name]()


@cache
def case(name: str, n: int) -> Case:
    """A fitted model by its name, with rows that hold what it takes."""
    model = model_of(name)
    if len(model.schema_.features) == 2:
        return Case(model, frame(n, 3, gaps=False)[[AGE, KEY]] / [10.0, 1.0])
    return Case(model, frame(n, 3, unseen=True))


def said_by_model(found: Case) -> tuple[list[Any], np.ndarray | None]:
    """What the model itself predicts, and its probabilities."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = found.model.predict(found.rows).tolist()
        has = hasattr(found.model, "predict_proba")
        return answers, np.asarray(found.model.predict_proba(found.rows)) if has else None


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as mappings, None where a value is missing."""
    return [{name: None if value != value else value for name, value in row.items()} for row in rows.to_dict("records")]
