"""What is said out of bag, by the definition: the mean over the trees whose sample lacks the row."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import novacula as nv
from novacula.ensemble import RandomForestClassifier, RandomForestRegressor
from novacula.ensemble.row_keys import bootstrap_counts, row_keys, stream_of
from novacula.errors import ParameterError


def drawn(model, X, y):
    """How often each tree drew each row (n, T), from the rows alone."""
    frame = pd.DataFrame(X)
    frame.columns = [f"x{j}" for j in range(X.shape[1])]
    keys = row_keys(nv.read(frame.assign(y=y), target="y").to_chunk())
    streams = [stream_of(model.seed_, t, 0) for t in range(len(model.trees_))]
    return np.array([bootstrap_counts(keys, stream) for stream in streams]).T


def test_numbers_out_of_bag():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    model = RandomForestRegressor(n_estimators=30, oob_score=True).fit(X, y)
    draws, said = drawn(model, X, y), model.tree_answers(X)[:, :, 0]
    np.testing.assert_allclose(draws.sum(axis=0), model.trees_.mass[model.trees_.start[:-1]])
    expected = np.array([said[i, draws[i] == 0].mean() for i in range(len(y))])
    np.testing.assert_allclose(model.oob_prediction_, expected, rtol=1e-12)
    r2 = 1 - ((y - expected) ** 2).mean() / y.var()
    assert model.oob_score_ == pytest.approx(r2)


def test_a_tree_does_not_know_the_rows_out_of_its_bag():
    """A tree that is grown without the rows that it did not draw is the same tree."""
    X, y = load_diabetes(return_X_y=True)
    X, y = np.round(X[:80], 2), y[:80]
    model = RandomForestRegressor(n_estimators=3, max_depth=4).fit(X, y)
    draws = drawn(model, X, y)
    for t in range(3):
        rows = draws[:, t] > 0
        weight = np.where(rows, draws[:, t], 0.0)
        changed = np.where(rows, y, 1e6)  # what was not drawn may say anything
        alone = RandomForestRegressor(n_estimators=1, bootstrap=False, max_features=None, max_depth=1)
        stump = alone.fit(X, changed, weight)
        root = model.trees_.start[t]
        assert stump.trees_.value[0, 0] == pytest.approx(model.trees_.value[root, 0])
        assert model.trees_.gain[root] <= stump.trees_.gain[0] * (1 + 1e-9)


def test_classes_out_of_bag_and_rows_that_every_tree_drew():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(n_estimators=3, oob_score=True).fit(X, y)
    shares = model.oob_decision_function_
    said = ~np.isnan(shares[:, 0])
    assert 0 < (~said).sum() < 75  # (1 − 1/e)³ of the rows
    np.testing.assert_allclose(shares[said].sum(axis=1), 1.0)
    assert model.oob_score_ == pytest.approx((shares[said].argmax(axis=1) == y[said]).mean())


def test_a_column_of_noise_is_worth_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 1] > 0).astype(int)
    model = RandomForestClassifier(n_estimators=30).fit(X, y)
    worth = model.oob_importances(X, y)
    assert worth["x1"] > 0.3
    assert max(abs(worth["x0"]), abs(worth["x2"])) < 0.05
    order = rng.permutation(400)
    assert model.oob_importances(X[order], y[order]) == pytest.approx(worth)
    with pytest.raises(ParameterError, match="bootstrap=False"):
        RandomForestClassifier(n_estimators=2, bootstrap=False).fit(X, y).oob_importances(X, y)


def test_importances_are_those_of_the_tests():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(n_estimators=20).fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    tree = model.trees_.tree(4, model.attributes_)
    inner = ~tree.is_leaf
    gained = np.bincount(tree.feature[inner], (tree.gain * tree.mass)[inner], 4)
    np.testing.assert_allclose(model.tree_importances()[4], gained / gained.sum())


def test_what_is_kept_of_some_rows_is_what_the_trees_say_of_them():
    """A byte has no −1: rows without a category were once sent down as a category far away."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=90), "c": rng.choice(list("pqr"), 90)})
    frame["y"] = np.where(frame.c == "p", 3.0, 0.0) + frame.a
    frame.loc[frame.a > 0, "c"] = None
    frame.loc[rng.random(90) < 0.3, "a"] = None
    model = RandomForestRegressor(n_estimators=25, oob_score=True).fit(nv.read(frame, target="y"))
    keys = row_keys(nv.read(frame, target="y").to_chunk())
    lowest = np.argsort(keys)[:3]
    said = model.tree_answers(frame.drop(columns="y"))[lowest]
    np.testing.assert_allclose(model.trace_.answers, said)
    np.testing.assert_allclose(model.trace_.out_of_bag[:, 0], model.oob_prediction_[lowest])
