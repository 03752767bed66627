"""The baselines: shares and means, against NumPy."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.baseline import MeanRegressor, PluralityClassifier
from novacula.checks import check_equations
from novacula.errors import DataError


@given(y=st.lists(st.sampled_from("abc"), min_size=1, max_size=30))
def test_the_most_frequent_class_and_the_shares(y):
    model = PluralityClassifier().fit(np.zeros((len(y), 1)), y)
    labels, count = np.unique(y, return_counts=True)
    assert model.classes_.tolist() == labels.tolist()
    np.testing.assert_allclose(model.predict_proba([[5.0]])[0], count / len(y))
    assert model.predict([[5.0]])[0] == labels[count.argmax()]
    assert model.n_parameters_ == len(labels) - 1


@given(y=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_the_mean(y):
    model = MeanRegressor().fit(np.zeros((len(y), 1)), y)
    np.testing.assert_allclose(model.predict([[1.0], [2.0]]), np.mean(y), rtol=1e-9, atol=1e-9)


def test_several_targets_and_weights():
    y = np.array([[1.0, 10.0], [3.0, 30.0]])
    model = MeanRegressor().fit([[0.0], [1.0]], y, sample_weight=[3.0, 1.0])
    np.testing.assert_allclose(model.predict([[9.0]]), [[1.5, 15.0]])
    assert model.n_parameters_ == 2


@pytest.mark.parametrize(("kind", "y"), [(PluralityClassifier, ["a", "b"]), (MeanRegressor, [1.0, 2.0])])
def test_no_weight_at_all_is_refused(kind, y):
    table = nv.read(pd.DataFrame({"x": [0.0, 1.0], "w": [0.0, 0.0], "y": y}), "y", weight="w")
    with pytest.raises(DataError, match="the weights of the frame sum to zero: no row counts"):
        kind().fit(table)


# --- work ------------------------------------------------------------------------------------------------------------

FITTED = {
    "plurality": lambda: PluralityClassifier().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"]),
    "mean": lambda: MeanRegressor().fit(np.zeros((300, 1)), np.arange(300.0) ** 2),
    "few rows": lambda: MeanRegressor().fit([[0.0], [1.0]], [1.0, 3.0]),
    "several targets": lambda: MeanRegressor().fit(
        np.zeros((40, 1)), np.arange(80.0).reshape(40, 2), sample_weight=np.arange(40.0)
    ),
}


@pytest.mark.parametrize("kind", FITTED)
def test_the_work_is_true(kind):
    model = FITTED[kind]()
    for how in ({}, {"detail": "full"}, {"rows": 1, "terms": 2, "digits": 3}):
        check_equations(model, **how)
        check_equations(model, [[1.0], [2.0]], **how)


@pytest.mark.parametrize("name", ["first", "weight", "rest"])
@pytest.mark.parametrize("kind", ["mean", "several targets"])
def test_the_mean_comes_from_its_rows(kind, name):
    model = FITTED[kind]()
    model.trace_ = replace(model.trace_, **{name: getattr(model.trace_, name) * 1.001})
    with pytest.raises(AssertionError):
        check_equations(model)


def test_the_first_rows_are_kept_however_the_rows_are_cut():
    y = np.arange(1000.0)
    frame = pd.DataFrame({"x": np.zeros(1000), "y": y})
    trace = MeanRegressor().fit(nv.read(frame, "y")).trace_
    assert trace.first[:, 0].tolist() == y[:20].tolist()
    assert trace.rest.tolist() == [y[20:].sum()]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"iteration": 1}, "keeps no iterations"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "bishop"}, "notation is 'bishop'"),
        ({"X": [[1.0, 2.0]]}, "2 features"),
    ],
)
@pytest.mark.parametrize("kind", ["plurality", "mean"])
def test_what_cannot_be_shown_is_said(kind, asked, sentence):
    with pytest.raises(ValueError, match=sentence):
        FITTED[kind]().work(**asked)
