"""When columns are said to differ wildly in size, and when not."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from novacula.errors import ScaleWarning
from novacula.kernel.svm.scale_warning import SAMPLE, warn_of_scales


def is_warned(X):
    names = [f"x{j}" for j in range(X.shape[1])]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_scales(X, names, "SVC")
    return [str(w.message) for w in caught if issubclass(w.category, ScaleWarning)]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_raw_measurements_in_several_units_warn_once(load, form):
    assert len(is_warned(form(load().data))) == 1


def test_the_columns_are_named():
    data = load_wine()
    with pytest.warns(
        ScaleWarning, match="wide: 'proline', 'magnesium'; narrow: 'nonflavanoid_phenols', 'hue', "
    ) as caught:
        warn_of_scales(data.data, data.feature_names, "SVC")
    message = str(caught[0].message)
    assert "make_pipeline(StandardScaler(), SVC())" in message
    assert "more)" in message


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler((-1, 1))])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_scaled_columns_do_not_warn(load, scaler, form):
    assert not is_warned(form(scaler.fit_transform(load().data)))


@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_columns_of_one_unit_do_not_warn(load):
    assert not is_warned(load().data)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_rare_indicators_with_standard_columns_do_not_warn(form):
    rng = np.random.default_rng(0)
    X = np.zeros((5000, 12))
    X[rng.integers(0, 5000, 3), 0] = 1.0  # its deviation is a fortieth
    X[:, 1:11] = np.eye(10)[rng.integers(0, 10, 5000)]
    X[:, 11] = rng.normal(size=5000)
    assert not is_warned(form(X))


def test_constant_columns_are_no_narrow_ones():
    X = np.random.default_rng(0).normal(size=(100, 3))
    X[:, 1] = 1e9
    assert not is_warned(X)
    assert not is_warned(np.ones((5, 2)))


def test_many_rows_are_sampled_evenly():
    X = np.random.default_rng(0).normal(size=(3 * SAMPLE + 1, 2))
    X[:, 1] *= 1e4
    assert len(is_warned(X)) == 1


def test_hostile_names_stay_in_one_short_line():
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 1e6]
    with pytest.warns(ScaleWarning) as caught:
        warn_of_scales(X, ["line\nbreak", "x" * 10_000], "SVC")
    message = str(caught[0].message)
    assert "\n" not in message
    assert len(message) < 400
