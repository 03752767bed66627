"""The baselines: shares and means, against NumPy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novacula as nv
from novacula.baseline import MeanRegressor, PluralityClassifier
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
