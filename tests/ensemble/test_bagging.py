"""Bagging: refits on the drawn rows, out-of-bag means by definition, samples of columns, poor samples, files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks.state import require_refused
from novacula.checks.work import check_work
from novacula.ensemble import BaggingClassifier, BaggingRegressor
from novacula.errors import ParameterError
from novacula.linear import LinearRegression, LogisticRegression, Perceptron
from novacula.prepare import PreparedClassifier
from novacula.tree import DecisionTreeRegressor


def whole_weights(model, X, y):
    """The weights of rows that make a weighted least squares fit out of a model, found from its samples."""
    from sklearn.utils import check_random_state

    from novacula.ensemble.row_keys import bootstrap_counts, row_keys, stream_of

    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    keys = row_keys(nv.read(frame.assign(y=y), target="y").to_chunk())
    seed = int(check_random_state(model.random_state).randint(2**31 - 1))
    return np.array([bootstrap_counts(keys, stream_of(seed, m)) for m in range(model.n_estimators)]).T


def test_the_mean_of_refits_on_the_drawn_rows():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:120], y[:120]
    model = BaggingRegressor(LinearRegression(), n_estimators=7, oob_score=True).fit(X, y)
    counts = whole_weights(model, X, y)
    np.testing.assert_allclose(model.sample_weights_, counts.sum(axis=0))
    said = np.empty(counts.shape)
    for m in range(7):
        rows = np.repeat(np.arange(120), counts[:, m].astype(int))
        design = np.column_stack([np.ones(len(rows)), X[rows]])
        solution = np.linalg.lstsq(design, y[rows], rcond=None)[0]
        said[:, m] = np.column_stack([np.ones(120), X]) @ solution
    np.testing.assert_allclose(model.predict(X), said.mean(axis=1), rtol=1e-8)
    away = counts == 0
    expected = np.where(away.any(axis=1), (said * away).sum(axis=1) / np.maximum(away.sum(axis=1), 1), np.nan)
    np.testing.assert_allclose(model.oob_prediction_, expected, rtol=1e-8)
    kept = ~np.isnan(expected)
    assert model.oob_score_ == pytest.approx(1 - ((y - expected)[kept] ** 2).mean() / y[kept].var())


def test_order_and_repetition():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    order, repeats = rng.permutation(60), rng.integers(1, 4, 60)
    model = BaggingRegressor(LinearRegression(), n_estimators=4).fit(X, y, repeats.astype(float))
    mixed = BaggingRegressor(LinearRegression(), n_estimators=4).fit(X[order], y[order], repeats[order].astype(float))
    rows = np.repeat(np.arange(60), repeats)
    again = BaggingRegressor(LinearRegression(), n_estimators=4).fit(X[rows], y[rows])
    np.testing.assert_allclose(mixed.predict(X), model.predict(X), rtol=1e-9)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-9)


def test_probabilities_and_votes():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(NaiveBayes(), n_estimators=4, oob_score=True).fit(X, y)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(4)])
    mean = np.mean([inner.predict_proba(frame) for inner in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean, rtol=1e-12)
    assert model.oob_score_ > 0.9
    two = y < 2
    votes = BaggingClassifier(Perceptron(), n_estimators=4).fit(X[two], y[two])
    assert set(np.unique(votes.predict_proba(X))) <= {0.0, 0.25, 0.5, 0.75, 1.0}


def test_samples_of_columns_and_of_few_rows():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(n_estimators=6, max_features=2, max_samples=0.5, bootstrap=False).fit(X, y)
    columns = {tuple(column.name for column in inner.schema_.features) for inner in model.estimators_}
    assert all(len(names) == 2 for names in columns)
    assert len(columns) > 1
    assert np.abs(model.sample_weights_ - 75).max() < 25
    check_work(model)
    check_work(model, X[::50])
    poor = BaggingClassifier(LogisticRegression(), n_estimators=8, max_samples=1).fit(X[48:52], y[48:52])
    assert (poor.sample_weights_ >= 2).all()  # two classes, or all rows
    counted = BaggingClassifier(n_estimators=20, max_samples=30).fit(X, y)
    assert abs(counted.sample_weights_.mean() - 30) < 5


def test_mixed_columns_and_bad_settings():
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0] * 10, "c": ["p", "q", "q", None] * 10})
    model = BaggingClassifier(PreparedClassifier(LogisticRegression()), n_estimators=3).fit(frame, [0, 0, 1, 1] * 10)
    assert model.score(frame, [0, 0, 1, 1] * 10) == 1.0
    with pytest.raises(ParameterError, match="samples that lack rows"):
        BaggingClassifier(bootstrap=False, oob_score=True).fit([[0.0], [1.0]], [0, 1])


def test_model_files(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model = BaggingRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=3).fit(X, y)
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict(X), model.predict(X))
    check_work(model, X[:2])
    renamed = DecisionTreeRegressor(max_depth=3).fit(pd.DataFrame({"other": X[:, 0]}), y)
    require_refused(model, tmp_path, "other columns", estimators_=[renamed] * 3)
    require_refused(model, tmp_path, "another learner", estimators_=[LinearRegression().fit(X, y)] * 3)
