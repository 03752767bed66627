"""Means of neighbours against scikit-learn, and leave-one-out by leaving one out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import neighbors as sk
from sklearn.metrics import r2_score

from novacula.errors import DataError
from novacula.neighbors import KNeighborsRegressor


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("targets", [(), (1,), (3,)])
def test_means_are_those_of_scikit_learn(weights, targets):
    rng = np.random.default_rng(0)
    X, y, Q = rng.normal(size=(200, 3)), rng.normal(size=(200, *targets)), rng.normal(size=(40, 3))
    Q[:5] = X[:5]
    ours = KNeighborsRegressor(4, weights=weights).fit(X, y).predict(Q)
    theirs = sk.KNeighborsRegressor(4, weights=weights).fit(X, y).predict(Q)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from(["uniform", "distance"]))
@settings(max_examples=30, deadline=None)
def test_loo_score_is_that_of_n_fits(seed, k, weights):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (15, 2)).astype(float), rng.normal(size=(15, 2))
    said = np.empty_like(y)
    for i in range(15):
        others = np.arange(15) != i
        said[i] = KNeighborsRegressor(k, weights=weights).fit(X[others], y[others]).predict(X[i : i + 1])[0]
    model = KNeighborsRegressor(k, weights=weights).fit(X, y)
    np.testing.assert_allclose(model.loo_score(), r2_score(y, said), rtol=1e-9, atol=1e-9)
    chosen = KNeighborsRegressor("loo", weights=weights).fit(X, y)
    np.testing.assert_allclose(chosen.loo_error_[k - 1], np.mean((y - said) ** 2), rtol=1e-9)
    assert chosen.n_neighbors_ == 1 + np.argmin(chosen.loo_error_)


def test_a_smooth_curve_wants_few_neighbours_and_noise_wants_many():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 6, 300)[:, None]
    smooth = KNeighborsRegressor("loo").fit(x, np.sin(x[:, 0]))
    noisy = KNeighborsRegressor("loo").fit(x, np.sin(x[:, 0]) + rng.normal(size=300))
    assert smooth.n_neighbors_ == 2
    assert noisy.n_neighbors_ > 10


def test_all_rows_together_give_the_mean():
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(30, 2)), rng.normal(size=30), rng.uniform(0.2, 2, 30)
    k = int(weight.sum())
    model = KNeighborsRegressor(k).fit(X, y, sample_weight=weight * k / weight.sum())
    np.testing.assert_allclose(model.predict(X[:3]), np.average(y, weights=weight), rtol=1e-9)


def test_a_constant_target_has_no_r2():
    model = KNeighborsRegressor(1).fit([[0.0], [1.0], [2.0]], [3.0, 3.0, 3.0])
    with pytest.raises(DataError, match="same in every row"):
        model.loo_score()
    assert model.work().steps
