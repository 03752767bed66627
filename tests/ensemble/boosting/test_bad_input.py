"""What cannot be learned from, and what can, although it is odd: one sentence, or a model that is right."""

import re

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from novacula.errors import DataError, ModelFileError, ParameterError, UnseenCategoryWarning


def test_one_row():
    model = GradientBoostingRegressor().fit([[1.0]], [2.5])
    assert model.predict([[7.0]]).tolist() == [2.5]
    assert model.n_iter_ == 1


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_a_constant_target(loss):
    X = np.arange(100.0)[:, None]
    model = GradientBoostingRegressor(loss).fit(X, np.full(100, 0.1))
    assert np.allclose(model.predict(X), 0.1, rtol=1e-12)
    assert model.n_iter_ == 1
    assert model.feature_importances_.tolist() == [0.0]


def test_columns_without_any_value():
    X = np.full((80, 2), np.nan)
    y = np.arange(80.0)
    assert np.allclose(GradientBoostingRegressor().fit(X, y).predict(X), y.mean())


def test_missing_alone_can_be_tested():
    X = np.where(np.arange(100)[:, None] % 2, np.nan, 3.0)
    y = np.where(np.arange(100) % 2, 1.0, -1.0)
    model = GradientBoostingRegressor(learning_rate=1.0, max_iter=1).fit(X, y)
    assert np.allclose(model.predict(X), y)
    assert "is known" in str(model.work())


def test_negative_counts_are_refused():
    with pytest.raises(DataError, match="takes targets of at least 0, and one is -3"):
        GradientBoostingRegressor("poisson").fit([[1.0], [2.0]], [1.0, -3.0])
    with pytest.raises(DataError, match="some are above 0, but all are 0"):
        GradientBoostingRegressor("poisson").fit([[1.0], [2.0]], [0.0, 0.0])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"x9": 1}, "monotonic_cst names 'x9', which is not a column"),
        ({"a": 2}, "monotonic_cst of 'a' is 2; it must be 1, -1 or 0"),
        ({"c": 1}, "monotonic_cst names 'c', whose categories have no order: leave it out"),
        ([1], "monotonic_cst has 1 entries for 2 columns: give one for each"),
    ],
)
def test_monotone_columns_that_are_none(given, sentence):
    X = pd.DataFrame({"a": [1.0, 2.0], "c": pd.Categorical(["u", "v"])})
    with pytest.raises(ParameterError, match=re.escape(sentence)):
        GradientBoostingRegressor(monotonic_cst=given).fit(X, [1.0, 2.0])


def test_medians_cannot_be_monotone():
    with pytest.raises(ParameterError, match="leaves hold medians: use loss='squared_error'"):
        GradientBoostingRegressor("absolute_error", monotonic_cst=[1]).fit([[1.0], [2.0]], [1.0, 2.0])


def test_a_class_without_weight():
    X = np.arange(60.0)[:, None]
    y = np.arange(60) % 3
    model = GradientBoostingClassifier(class_weight={0: 1, 1: 1, 2: 0}, max_iter=5).fit(X, y)
    assert (model.predict_proba(X)[:, 2] < 1e-6).all()
    assert np.isfinite(model.decision_function(X)).all()


def test_targets_far_from_zero_and_huge():
    X = np.arange(100.0)[:, None]
    y = 1e9 + (X[:, 0] > 50)
    model = GradientBoostingRegressor(learning_rate=1.0, max_iter=2).fit(X, y)
    assert np.allclose(model.predict(X) - 1e9, X[:, 0] > 50, atol=1e-5)
    assert np.isfinite(GradientBoostingRegressor(max_iter=3).fit(X, 1e100 * y).predict(X)).all()


def test_outliers_do_not_make_steps_without_bound():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 2))
    y = np.where(rng.random(500) < 0.01, 1e6, 0.0)
    model = GradientBoostingRegressor("poisson", max_iter=100).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_unseen_categories_are_missing():
    X = pd.DataFrame({"c": pd.Categorical(["a", "b"] * 40)})
    y = np.array([0.0, 1.0] * 40)
    model = GradientBoostingRegressor(max_iter=3).fit(X, y)
    with pytest.warns(UnseenCategoryWarning):
        other = model.predict(pd.DataFrame({"c": ["new"]}))
    assert other[0] == model.predict(pd.DataFrame({"c": pd.Categorical([None], categories=["a", "b"])}))[0]


def test_rounds_that_are_not_kept():
    model = GradientBoostingRegressor(max_iter=9).fit(np.arange(60.0)[:, None], np.arange(60.0))
    with pytest.raises(ParameterError, match="iteration 5 is not kept: ask for one of 1, 2, 3, 9"):
        model.work(iteration=5)


def forged(model, **changes):
    for name, value in changes.items():
        object.__setattr__(model.trees_, name, value)
    return model


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("child", lambda child: np.where(child >= 0, 0, child).astype(np.int32)),
        ("output", lambda output: output + 1),
        ("code", lambda code: code + 100),
    ],
)
def test_forged_trees_are_refused(tmp_path, name, change):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.standard_normal(200), "c": pd.Categorical(rng.choice(["x", "y", "z"], 200))})
    y = X["a"] + 2.0 * (X["c"] == "x")
    model = GradientBoostingRegressor(max_iter=3).fit(X, y)
    model.save(tmp_path / "sound.nova")
    assert np.array_equal(nv.load(tmp_path / "sound.nova").predict(X), model.predict(X))
    changed = change(getattr(model.trees_, name))
    with pytest.raises(ModelFileError):
        forged(model, **{name: changed}).save(tmp_path / "forged.nova")
