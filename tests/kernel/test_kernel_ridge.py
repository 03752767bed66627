"""Kernel ridge regression: ridge on features, the mean of a Gaussian process, scikit-learn's, rows left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge as Rival
from sklearn.model_selection import cross_val_predict

from novacula.checks import check_equations, check_work
from novacula.errors import DataError, ParameterError, RankWarning
from novacula.kernel.algebra import Gaussian, Linear, Multiquadric, Polynomial, Precomputed
from novacula.kernel.gaussian_process import GaussianProcessRegressor
from novacula.kernel.kernel_ridge import KernelRidge
from novacula.learner.files import load, save
from novacula.linear import Ridge

laws = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 2**32 - 1)
prices = st.floats(-3, 2).map(lambda power: 10.0**power)
finite = st.sampled_from([Linear(), Polynomial(degree=2, coef0=0.5), 2.0 * Linear() + 1.0, (Linear() + 1.0) ** 3])


def rows(seed, n=15, d=2, k=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X[:, 0] ** 2 + rng.normal(size=(n, k) if k else n).T
    return X, y.T


@laws
@given(seeds, finite, prices)
def test_it_is_ridge_on_the_features_of_the_kernel(seed, kernel, alpha):
    X, y = rows(seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(X))
    Q = np.random.default_rng(seed).normal(size=(4, 2))
    model = KernelRidge(alpha, kernel).fit(X, y, weight)
    plain = Ridge(alpha, fit_intercept=False).fit(kernel.features(X), y, weight)
    np.testing.assert_allclose(model.predict(Q), plain.predict(kernel.features(Q)), rtol=1e-6, atol=1e-6)


@laws
@given(seeds, prices, st.sampled_from([None, 2]))
def test_it_is_the_mean_of_a_gaussian_process(seed, alpha, k):
    X, y = rows(seed, k=k)
    kernel = 3.0 * Gaussian(width=0.8)
    process = GaussianProcessRegressor(kernel, noise=alpha, optimize=False).fit(X, y)
    model = KernelRidge(alpha, kernel).fit(X, y)
    np.testing.assert_allclose(model.predict(X), process.predict(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.leave_one_out(), process.leave_one_out().mean, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("linear", {"kernel": "linear"}),
        (Gaussian(gamma=0.7), {"kernel": "rbf", "gamma": 0.7}),
        (Polynomial(degree=3, coef0=2.0, gamma=0.3), {"kernel": "poly", "degree": 3, "coef0": 2.0, "gamma": 0.3}),
    ],
)
@pytest.mark.parametrize("alpha", [0.2, [0.1, 3.0]])
def test_it_is_scikit_learns(ours, theirs, alpha):
    X, y = rows(1, n=40, k=2)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 40)
    model, rival = KernelRidge(alpha, ours).fit(X, y, weight), Rival(alpha=alpha, **theirs).fit(X, y, weight)
    np.testing.assert_allclose(model.predict(X), rival.predict(X), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.dual_coef_, rival.dual_coef_, rtol=1e-8, atol=1e-8)


def test_the_coefficients_minimise_the_price_and_the_squares():
    X, y = rows(2)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, len(X))
    kernel = Gaussian(gamma=0.5)
    model, K = KernelRidge(0.3, kernel).fit(X, y, weight), kernel(X)

    def loss(a):
        return weight @ (y - K @ a) ** 2 + 0.3 * a @ K @ a

    least, rng = loss(model.dual_coef_), np.random.default_rng(0)
    assert all(loss(model.dual_coef_ + 1e-3 * rng.normal(size=len(X))) > least for _ in range(20))


@laws
@given(seeds, st.sampled_from([Linear(), Gaussian(gamma=0.5)]))
def test_weights_are_repetitions_and_rows_left_out_are_left_out(seed, kernel):
    X, y = rows(seed, n=8)
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    weight[:2] = 1, 2
    again = np.repeat(np.arange(len(X)), weight)
    one = KernelRidge(0.4, kernel).fit(X, y, weight)
    other = KernelRidge(0.4, kernel).fit(X[again], y[again])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-7, atol=1e-8)
    first = np.searchsorted(again, np.flatnonzero(weight))
    np.testing.assert_allclose(one.leave_one_out(), other.leave_one_out()[first], rtol=1e-6, atol=1e-7)
    for i in (0, len(again) - 1):
        rest = np.delete(again, i)
        alone = KernelRidge(0.4, kernel).fit(X[rest], y[rest]).predict(X[again[i : i + 1]])
        assert other.leave_one_out()[i] == pytest.approx(alone[0], rel=1e-7, abs=1e-8)


def test_sparse_rows_and_a_precomputed_matrix_give_the_same():
    X, y = rows(3, n=30)
    X[np.abs(X) < 0.4] = 0.0
    kernel, weight = Gaussian(gamma=0.5), np.arange(30) % 4
    model = KernelRidge(0.5, kernel).fit(X, y, weight)
    thin = KernelRidge(0.5, kernel).fit(sparse.csr_matrix(X), y, weight)
    given_matrix = KernelRidge(0.5, Precomputed()).fit(kernel(X), y, weight)
    np.testing.assert_allclose(model.predict(X), thin.predict(sparse.csr_matrix(X)), rtol=1e-8)
    np.testing.assert_allclose(model.predict(X), given_matrix.predict(kernel(X)), rtol=1e-10)
    both = (cross_val_predict(KernelRidge(0.5, k), Z, y) for k, Z in ((kernel, X), ("precomputed", kernel(X))))
    np.testing.assert_allclose(*both, rtol=1e-9)


def test_without_a_price_a_kernel_that_can_interpolates_and_one_that_cannot_says_so():
    X, y = rows(4, n=8)
    exact = KernelRidge(0.0, Gaussian(gamma=2.0)).fit(X, y)
    np.testing.assert_allclose(exact.predict(X), y, atol=1e-9)
    with pytest.warns(RankWarning, match="rank 2 of 8"):
        plain = KernelRidge(0.0, "linear").fit(X, y)
    best = np.linalg.lstsq(X, y)[0]
    np.testing.assert_allclose(plain.predict(X), X @ best, atol=1e-8)
    check_work(plain)
    with pytest.raises(DataError, match="singular"):
        plain.leave_one_out()


def test_a_kernel_with_negative_eigenvalues_is_solved_and_reported():
    X, y = rows(5, n=10)
    with pytest.warns(RankWarning, match="negative eigenvalues"):
        model = KernelRidge(0.01, Multiquadric()).fit(X, y)
    right = np.linalg.solve(Multiquadric()(X) + 0.01 * np.eye(10), y)
    np.testing.assert_allclose(model.dual_coef_, right, rtol=1e-6)


def test_a_file_brings_it_back(tmp_path):
    X, y = rows(6, k=2)
    known = {"kernel-ridge": KernelRidge}
    model = KernelRidge(0.5, Gaussian() + Linear()).fit(X, y)
    save(model, tmp_path / "m.nova", registry=known)
    loaded = load(tmp_path / "m.nova", registry=known)
    np.testing.assert_array_equal(model.predict(X), loaded.predict(X))
    np.testing.assert_array_equal(model.leave_one_out(), loaded.leave_one_out())


@pytest.mark.parametrize("k", [None, 2])
def test_the_work_comes_to_what_the_model_says(k):
    X, y = rows(7, n=20, k=k)
    model = KernelRidge(0.5, Gaussian(gamma=0.5)).fit(X, y)
    check_equations(model)
    check_equations(model, X[:3])
    assert "The first row left out" in [step.title for step in model.work()]


def test_what_cannot_be_is_refused():
    X, y = rows(0, k=2)
    with pytest.raises(ParameterError, match="one for each of 2 targets"):
        KernelRidge([1.0, 2.0, 3.0]).fit(X, y)
    with pytest.raises(DataError, match="square Gram matrix"):
        KernelRidge(kernel="precomputed").fit(X, y)
    with pytest.raises(DataError, match="one row"):
        KernelRidge().fit([[1.0]], [1.0]).leave_one_out()
    with pytest.raises(DataError, match=r"20,001 × 20,001 numbers, 6\.4 GB"):
        KernelRidge().fit(np.zeros((20_001, 1)), np.zeros(20_001))
    with pytest.raises(ParameterError, match="'cosine'"):
        KernelRidge(kernel="cosine").fit(X, y)
