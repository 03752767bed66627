"""The rounds of boosting beside plain NumPy, other libraries, and what theory says of them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from novacula.checks.trace import unproved_fields
from novacula.checks.work import check_work
from novacula.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from tests.ensemble.boosting.plain_boosting import boost, boost_classes

LOSSES = ("squared_error", "absolute_error", "poisson")


def rows(seed, n=90, missing=True):
    """Few distinct values, some of them missing, and targets of at least 0."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, 3)) + 0.25 * rng.integers(0, 3, (n, 3))
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.gamma(2.0, 1.0 + np.nan_to_num(X[:, 0]) + 3.0 * (np.nan_to_num(X[:, 1]) > 6))
    return X, y


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_the_first_three_rounds_by_plain_numpy(loss, seed):
    X, y = rows(seed)
    settings = {"learning_rate": 0.3, "l2_regularization": 0.5, "min_samples_leaf": 4, "max_leaf_nodes": 6}
    model = GradientBoostingRegressor(loss, max_iter=3, **settings).fit(X, y)
    stages, gains = boost(X, y, loss, 3, 0.3, 0.5, 4, 6)
    for ours, theirs in zip(model.staged_predict(X), stages, strict=True):
        assert np.allclose(np.log(ours) if loss == "poisson" else ours, theirs, rtol=1e-6, atol=1e-6)
    for t, gained in enumerate(gains):
        here = slice(*model.trees_.start[t : t + 2])
        assert np.allclose(np.sort(model.trees_.gain[here])[::-1][: len(gained)], sorted(gained)[::-1], rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_by_plain_numpy(seed):
    X, y = rows(seed)
    y = (y > np.median(y)).astype(int)
    model = GradientBoostingClassifier(max_iter=3, learning_rate=0.3, min_samples_leaf=4, max_leaf_nodes=6).fit(X, y)
    stages, _ = boost(X, y, "log_loss", 3, 0.3, 0.0, 4, 6)
    assert np.allclose(model.decision_function(X), stages[-1], rtol=1e-6, atol=1e-6)
    assert np.allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-stages[-1])), rtol=1e-6)


def test_three_classes_by_plain_numpy():
    X, y = rows(5)
    y = np.digitize(y, np.quantile(y, [0.3, 0.7]))
    model = GradientBoostingClassifier(max_iter=3, learning_rate=0.3, min_samples_leaf=4, max_leaf_nodes=6).fit(X, y)
    assert np.allclose(model.decision_function(X), boost_classes(X, y, 3, 3, 0.3, 0.0, 4, 6), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_the_model_of_scikit_learn(loss):
    X, y = load_diabetes(return_X_y=True)
    ours = GradientBoostingRegressor(loss, max_iter=20).fit(X, y).predict(X)
    with threadpool_limits(1):  # its threads wait for each other by spinning
        theirs = HistGradientBoostingRegressor(loss=loss, max_iter=20).fit(X, y).predict(X)
    assert np.allclose(ours, theirs, rtol=1e-3)


def test_the_probabilities_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    ours = GradientBoostingClassifier(max_iter=20).fit(X, y).predict_proba(X)
    with threadpool_limits(1):
        theirs = HistGradientBoostingClassifier(max_iter=20).fit(X, y).predict_proba(X)
    assert np.allclose(ours, theirs, atol=0.01)


def test_stages_are_fits_of_fewer_rounds():
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(max_iter=8, subsample=0.7, max_features=0.5, random_state=1).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    for n in (1, 5, 8):
        fewer = GradientBoostingClassifier(max_iter=n, subsample=0.7, max_features=0.5, random_state=1).fit(X, y)
        assert np.array_equal(fewer.predict_proba(X), stages[n - 1])
    assert np.array_equal(list(model.staged_predict(X))[-1], model.predict(X))


def test_contributions_are_of_the_raw_score():
    X, y = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(max_iter=10).fit(X, y)
    chunk, _ = model._first_rows(X, 50)
    assert np.allclose(model.additive_trees().answers(chunk)[:, 0], model.predict(X[:50]), rtol=1e-9)


def test_the_loss_falls_in_every_round():
    X, y = rows(3, 400)
    for loss in LOSSES:
        history = GradientBoostingRegressor(loss, max_iter=40).fit(X, y).history_
        assert (np.diff(history) <= 1e-12 * np.abs(history[:-1])).all()


@given(st.integers(0, 10_000), st.sampled_from([1, -1]))
def test_answers_are_monotone(seed, sign):
    X, y = rows(seed, 80, missing=False)
    rng = np.random.default_rng(seed)
    y = y * rng.choice([-1.0, 1.0]) + rng.standard_normal(len(y))
    cst = {"x0": sign}
    model = GradientBoostingRegressor(max_iter=6, min_samples_leaf=3, monotonic_cst=cst, learning_rate=0.5).fit(X, y)
    grid = np.repeat(X[:10], 25, axis=0)
    grid[:, 0] = np.tile(np.linspace(-1, 13, 25), 10)
    steps = np.diff(model.predict(grid).reshape(10, 25), axis=1)
    assert (sign * steps >= -1e-9).all()


def test_early_stopping_keeps_the_fewest_rounds_that_are_as_good():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 5))
    y = X[:, 0] + 3.0 * rng.standard_normal(2000)
    model = GradientBoostingRegressor(max_iter=300, early_stopping=True, random_state=0).fit(X, y)
    held_out = model.held_out_history_
    best = int(np.argmin(held_out))
    assert 1 <= model.n_iter_ <= best < len(held_out) - 1 == best + 10
    assert len(model.trees_) == model.n_iter_ == len(model.history_) - 1


def test_early_stopping_is_for_many_steps_on_many_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10_100, 2))
    y = X[:, 0] + rng.standard_normal(len(X))
    assert not len(GradientBoostingRegressor(max_iter=5, max_leaf_nodes=3).fit(X, y).held_out_history_)
    stopped = GradientBoostingRegressor(max_iter=11, learning_rate=1.0, max_leaf_nodes=3).fit(X, y)
    assert len(stopped.held_out_history_)


def test_categories_are_divided_along_their_means():
    rng = np.random.default_rng(2)
    code = rng.integers(0, 40, 4000)
    effect = rng.standard_normal(40)
    X = pd.DataFrame({"c": pd.Categorical.from_codes(code, [f"v{i}" for i in range(40)])})
    model = GradientBoostingRegressor(max_iter=1, learning_rate=1.0, max_leaf_nodes=2).fit(X, effect[code])
    low = {str(c) for c in model.trees_.code[: model.trees_.code_start[1]]}
    order = [str(c) for c in np.argsort(effect)]
    assert low in (set(order[: len(low)]), set(order[-len(low) :]))
    assert GradientBoostingRegressor(max_iter=60).fit(X, effect[code]).score(X, effect[code]) > 0.99


def test_ten_thousand_categories_that_say_nothing():
    rng = np.random.default_rng(3)
    code = rng.integers(0, 10_000, 20_000)
    y = rng.standard_normal(20_000)
    X = pd.DataFrame({"c": pd.Categorical.from_codes(code, [f"v{i}" for i in range(10_000)])})
    model = GradientBoostingRegressor(max_iter=20).fit(X, y)
    assert model.score(X, y) < 0.02  # almost all categories are too small to be told apart


@pytest.mark.parametrize("loss", LOSSES)
def test_the_work_proves_what_is_kept(loss):
    X, y = rows(1)
    model = GradientBoostingRegressor(loss, max_iter=5).fit(X, y)
    for how in ({}, {"detail": "full"}, {"iteration": 2}, {"X": X[:2]}):
        check_work(model, **how)
    assert unproved_fields(model, X[:2]) == []


def test_the_work_of_monotone_and_nominal_tests():
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"a": rng.standard_normal(300), "c": pd.Categorical(rng.choice(["x", "y", "z"], 300))})
    y = X["a"] + (X["c"] == "x") + 0.1 * rng.standard_normal(300)
    for cst in (None, {"a": 1}):
        model = GradientBoostingRegressor(max_iter=4, monotonic_cst=cst).fit(X, y)
        check_work(model, detail="full")
        assert unproved_fields(model, X[:2]) == []
