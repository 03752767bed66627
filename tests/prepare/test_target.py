"""Targets that are learned on another scale, and classes that weigh more."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError
from novacula.linear import LinearRegression, LogisticRegression
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.prepare.target import TRANSFORMS, TargetTransform


def prices(n=80):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "kind": rng.choice(["u", "v"], n), "y": np.exp(2 * x + rng.normal(size=n))})


@pytest.mark.parametrize("name", TRANSFORMS)
@given(y=st.floats(0.01, 1e6))
def test_what_is_learned_is_brought_back(name, y):
    assert TargetTransform(name).back(TargetTransform(name).of(np.array([y]))).item() == pytest.approx(y)


def test_a_logarithm_is_learned_and_predictions_are_prices(tmp_path):
    rows = prices()
    model = PreparedRegressor(LinearRegression(), target_transform="log").fit(nv.read(rows, "y"))
    by_hand = PreparedRegressor(LinearRegression()).fit(nv.read(rows.assign(y=np.log(rows["y"])), "y"))
    X = nv.read(rows.drop(columns="y"))
    np.testing.assert_allclose(model.predict(X), np.exp(by_hand.predict(X)))
    model.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict(X), model.predict(X))
    check_work(model, X.head(2))
    assert "The learner predicts u = log(y)" in str(model.work(X.head(1)))


def test_the_same_from_files(tmp_path):
    rows = prices(400)
    for k in range(4):
        rows.iloc[100 * k : 100 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    files = nv.read(tmp_path / "*.parquet", "y")
    ours = PreparedRegressor(LinearRegression(), target_transform="sqrt").fit(files).predict(files)
    np.testing.assert_allclose(
        ours, PreparedRegressor(LinearRegression(), target_transform="sqrt").fit(nv.read(rows, "y")).predict(files)
    )
    classes = rows.assign(y=np.where(rows["y"] > 3, "dear", "cheap"))
    for k in range(4):
        classes.iloc[100 * k : 100 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    files = nv.read(tmp_path / "*.parquet", "y")
    balanced = PreparedClassifier(LogisticRegression(), class_weight="balanced")
    np.testing.assert_allclose(
        balanced.fit(files).predict_proba(files), balanced.fit(nv.read(classes, "y")).predict_proba(files), atol=1e-6
    )


def test_weights_of_classes_are_weights_of_rows():
    rows = prices().assign(y=lambda f: np.where(f["y"] > 3, "dear", "cheap"))
    share = rows["y"].value_counts(normalize=True)
    factor = {label: 1 / (2 * share[label]) for label in share.index}
    X, y = rows.drop(columns="y"), rows["y"]
    expected = PreparedClassifier(LogisticRegression(), scale="none").fit(X, y, sample_weight=y.map(factor))
    for asked in ("balanced", factor):
        model = PreparedClassifier(LogisticRegression(), scale="none", class_weight=asked).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-5)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (PreparedRegressor(target_transform="log"), "target_transform='log' cannot take the target -1"),
        (PreparedRegressor(target_transform="cube"), "target_transform"),
        (PreparedClassifier(class_weight={"z": 1.0}), "names 'z', which is not a class"),
        (PreparedClassifier(class_weight={"-1.0": 0.0}), "the class_weight of '-1.0' is 0.0"),
        (PreparedClassifier(class_weight="even"), "class_weight"),
    ],
)
def test_what_cannot_be(model, words):
    y = np.array([-1.0, 2.0] * 20)
    with pytest.raises((DataError, ParameterError, ValueError), match=words):
        model.fit(np.arange(40.0)[:, None], y if isinstance(model, PreparedRegressor) else y.astype(str))
