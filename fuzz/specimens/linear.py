"""Planes of one column and of many, for several targets, classes and solvers, with penalties chosen and given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from novacula.linear import (
    BayesianLinearRegression,
    Lasso,
    LinearRegression,
    LinearUnit,
    LogisticRegression,
    Perceptron,
    Ridge,
)

Variants = Iterator[tuple[str, Any, Any, Any]]


def variants() -> Variants:
    """See the package."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y = X @ [1.0, -2.0, 0.0] + 0.3 * random.normal(size=40)
    several, wide = np.column_stack([y, X[:, 0] - y]), random.normal(size=(6, 9))
    yield from planes(X, y, several, wide)
    yield from penalised(X, y, several, wide)
    yield from bayesian(X, y)
    yield from units(X, y, several)
    yield from classifiers(X, y)


def planes(X: Any, y: Any, several: Any, wide: Any) -> Variants:
    """Least squares: few and many columns, dependent ones, one and several targets."""
    yield "least-squares-line", LinearRegression(), X[:, :1], y
    yield "least-squares-origin", LinearRegression(fit_intercept=False), X, y
    yield "least-squares-targets", LinearRegression(), X, several
    yield "least-squares-column", LinearRegression(), X, y[:, None]
    yield "least-squares-wide", LinearRegression(), wide, y[:6]
    yield "least-squares-dependent", LinearRegression(), np.column_stack([X, X[:, 0], np.ones(40)]), y
    yield "least-squares-sparse", LinearRegression(), sparse.csr_array(np.where(X > 0.0, X, 0.0)), y


def penalised(X: Any, y: Any, several: Any, wide: Any) -> Variants:
    """Ridge and lasso."""
    yield "ridge-loo", Ridge("loo"), X, y
    yield "ridge-loo-targets", Ridge("loo", choice="one_standard_error"), X, several
    yield "ridge-penalties", Ridge([0.1, 10.0]), X, several
    yield "ridge-positive", Ridge(positive=True), X, y
    yield "ridge-factors", Ridge(penalty_factor=[1.0, 0.0, 2.0]), X, y
    yield "ridge-dual", Ridge(), wide, y[:6]
    yield "ridge-line", Ridge(fit_intercept=False), X[:, :1], y
    yield "lasso-weights", Lasso(0.1), X, y
    yield "lasso-cv", Lasso("cv", n_alphas=6, cv=3), X, y
    yield "lasso-cv-targets", Lasso("cv", 0.5, n_alphas=6, cv=3), X, several
    yield "lasso-penalties", Lasso([0.1, 0.2], penalty_factor=[1.0, 0.0, 2.0]), X, several
    yield "lasso-wide", Lasso(0.1, fit_intercept=False), wide, y[:6]
    yield "lasso-positive", Lasso(0.1, 0.5, positive=True), X, y


def bayesian(X: Any, y: Any) -> Variants:
    """Each kind of noise, with an intercept that is flat, has a prior, or is not there."""
    yield "bayesian-line", BayesianLinearRegression(), X[:, :1], y
    yield "bayesian-origin", BayesianLinearRegression(fit_intercept=False), X, y
    yield "bayesian-pivot", BayesianLinearRegression(intercept_precision=2.0), X, y
    yield "bayesian-gamma", BayesianLinearRegression(noise="inverse_gamma"), X, y
    yield "bayesian-gamma-line", BayesianLinearRegression(noise="inverse_gamma"), X[:, :1], y
    yield "bayesian-gamma-infinite", BayesianLinearRegression(noise="inverse_gamma", shape=0.25), X[:1], y[:1]
    yield "bayesian-evidence", BayesianLinearRegression(noise="evidence"), X, y
    yield "bayesian-evidence-line", BayesianLinearRegression(noise="evidence"), X[:, :1], y


def units(X: Any, y: Any, several: Any) -> Variants:
    """Linear units: each solver, with a threshold and without."""
    two = np.where(y > 0.0, "yes", "no")
    yield "unit-sgd", LinearUnit("sgd", max_iter=20), X, y
    yield "unit-sgd-few", LinearUnit("sgd", max_iter=20), X[:5], y[:5]
    yield "unit-sgd-targets", LinearUnit("sgd", max_iter=20, shuffle=True, random_state=0), X, several
    yield "unit-sgd-classes", LinearUnit("sgd", max_iter=20, threshold=True), X, two
    yield "unit-exact", LinearUnit("exact"), X, y
    yield "unit-exact-targets", LinearUnit("exact", fit_intercept=False), X, several
    yield "unit-exact-classes", LinearUnit("exact", threshold=True), X, two
    yield "unit-batch-targets", LinearUnit(schedule="decay", max_iter=50), X, several
    yield "unit-batch-classes", LinearUnit(threshold=True, fit_intercept=False), X, two


def classifiers(X: Any, y: Any) -> Variants:
    """Perceptrons and logistic regression: two and three classes, each response, solver and penalty."""
    two, three = np.where(y > 0.0, "yes", "no"), np.digitize(y, [-1.0, 1.0])
    plain = LogisticRegression(penalty=None)
    noisy = np.where(np.arange(40) % 5 == 0, "yes", two)
    yield "perceptron-two", Perceptron(), X[:8], two[:8]
    yield "perceptron-plane", Perceptron(max_iter=20), X[:, :2], noisy
    yield "perceptron-last", Perceptron(pocket=False, max_iter=5, fit_intercept=False), X, three
    yield "perceptron-tanh", Perceptron(response="tanh", max_iter=5, shuffle=True, random_state=0), X, three
    yield "perceptron-linear", Perceptron(0.01, response="linear", max_iter=5), X, two
    yield "perceptron-balanced", Perceptron(max_iter=5, class_weight="balanced"), X, two == "yes"
    yield "perceptron-sparse", Perceptron(max_iter=5), sparse.csr_array(np.where(X > 0.0, X, 0.0)), two
    yield "logistic-two", LogisticRegression(), X, two
    yield "logistic-line", plain, X[:, :1], noisy
    yield "logistic-summary", LogisticRegression(penalty=None), X, noisy
    yield "logistic-summary-three", LogisticRegression(penalty=None), X[:, 2:], three
    yield "logistic-separated", LogisticRegression(penalty=None), X[:8], two[:8]
    yield "logistic-origin", LogisticRegression(fit_intercept=False, class_weight="balanced"), X, two
    yield "logistic-l1", LogisticRegression(penalty="l1"), X, three
    yield "logistic-elastic", LogisticRegression(penalty="elasticnet"), X, two
    yield "logistic-lbfgs", LogisticRegression(solver="lbfgs"), X, three
    yield "logistic-squared", LogisticRegression(loss="squared"), X, two
    yield "logistic-origin-summary", LogisticRegression(penalty=None, fit_intercept=False), X, noisy
