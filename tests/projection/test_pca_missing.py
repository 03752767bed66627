"""PCA of rows that miss values: EM against the direct maximum of the observed likelihood, and its laws."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from novacula.projection import PCA

laws = settings(deadline=None, max_examples=30)


def gappy(seed, n=40, d=3, share=0.2):
    """Rows with gaps; no column and no row is empty."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    gone = rng.random((n, d)) < share
    gone[np.arange(n), rng.integers(0, d, n)] = False
    gone[:2] = False
    return np.where(gone, np.nan, X)


def observed_log_likelihood(X, mean, covariance):
    """Row by row, the density of what is known."""
    total = 0.0
    for row in X:
        o = ~np.isnan(row)
        total += multivariate_normal(mean[o], covariance[np.ix_(o, o)]).logpdf(row[o])
    return total


def model_of(pca):
    """The likeliest covariance, with divisor N, as the model has it."""
    n = pca.n_samples_
    shrink = (n - 1) / n
    return pca.mean_, pca.get_covariance() * shrink


@laws
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from([None, 1, 2]))
def test_no_step_makes_the_likelihood_worse(seed, d, k):
    model = PCA(k, max_iter=3000).fit(gappy(seed, d=d))
    history = np.array(model.history_)
    assert (np.diff(history) >= -1e-9 * np.maximum(1, np.abs(history[1:]))).all()
    assert model.method_ == "em"
    assert model.converged_


@pytest.mark.parametrize("seed", range(4))
def test_the_full_normal_is_the_direct_maximum(seed):
    """A quasi-Newton search over mean and Cholesky factor finds no better one."""
    X = gappy(seed, n=30, d=2)
    mean, covariance = model_of(PCA(tol=1e-13).fit(X))

    def loss(p):
        factor = np.array([[np.exp(p[2]), 0], [p[3], np.exp(p[4])]])
        return -observed_log_likelihood(X, p[:2], factor @ factor.T)

    start = np.array([*np.nanmean(X, axis=0), 0.0, 0.0, 0.0])
    found = scipy.optimize.minimize(loss, start, method="BFGS")
    assert observed_log_likelihood(X, mean, covariance) == pytest.approx(-found.fun, abs=1e-5)
    factor = np.array([[np.exp(found.x[2]), 0], [found.x[3], np.exp(found.x[4])]])
    np.testing.assert_allclose(mean, found.x[:2], atol=1e-3)
    np.testing.assert_allclose(covariance, factor @ factor.T, atol=5e-3)


@pytest.mark.parametrize("seed", range(3))
def test_few_directions_are_the_direct_maximum(seed):
    """Probabilistic PCA with one direction: C = wwᵀ + σ²I, searched directly."""
    X = gappy(seed, n=40, d=3, share=0.15)
    model = PCA(1, tol=1e-13, max_iter=20_000).fit(X)
    mean, covariance = model_of(model)

    def loss(p):
        return -observed_log_likelihood(X, p[:3], np.outer(p[3:6], p[3:6]) + np.exp(p[6]) * np.eye(3))

    start = np.array([*mean, *model.components_[0], 0.0])
    found = scipy.optimize.minimize(loss, start, method="BFGS")
    assert observed_log_likelihood(X, mean, covariance) >= -found.fun - 1e-5


@laws
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, 1, 2]))
def test_without_gaps_it_is_ordinary_pca(seed, k):
    X = gappy(seed, share=0.0)
    plain, em = PCA(k).fit(X), PCA(k, method="em").fit(X)
    assert em.method_ == "em"
    np.testing.assert_allclose(em.components_, plain.components_, atol=1e-9)
    np.testing.assert_allclose(em.explained_variance_, plain.explained_variance_, rtol=1e-9)
    assert em.noise_variance_ == pytest.approx(plain.noise_variance_, abs=1e-12)


@laws
@given(st.integers(0, 2**32 - 1))
def test_weights_are_repetitions_and_empty_rows_say_nothing(seed):
    X = gappy(seed)
    weight = np.random.default_rng(seed).integers(1, 3, len(X))
    weighted = PCA(2).fit(np.vstack([X, np.full((3, 3), np.nan)]), sample_weight=np.append(weight, [1, 2, 3.0]))
    repeated = PCA(2).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.explained_variance_, repeated.explained_variance_, rtol=1e-8)
    assert weighted.n_samples_ == weight.sum()


def test_missing_values_of_rows_to_transform_are_expected_by_the_model():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    model = PCA().fit(X)
    C, mean = np.cov(X.T), X.mean(axis=0)
    row = np.array([[0.7, np.nan, -0.2]])
    o = [0, 2]
    expected = mean[1] + C[1, o] @ np.linalg.solve(C[np.ix_(o, o)], row[0, o] - mean[o])
    np.testing.assert_allclose(model.transform(row), model.transform([[0.7, expected, -0.2]]), rtol=1e-9)
    density = multivariate_normal(mean[o], C[np.ix_(o, o)]).logpdf(row[0, o])
    np.testing.assert_allclose(model.score_samples(np.vstack([row, X[:1]]))[0], density)
    np.testing.assert_allclose(model.score_samples(np.vstack([row, X[:1]]))[1], model.score_samples(X[:1])[0])
    assert model.reconstruction_error(row) == pytest.approx(0.0, abs=1e-12)


def test_gaps_in_a_plane_are_found_again():
    """Rows in a plane plus little noise: what is left out is known from the rest."""
    rng = np.random.default_rng(4)
    whole = rng.normal(size=(400, 2)) @ rng.normal(size=(2, 6)) + 0.01 * rng.normal(size=(400, 6))
    gone = rng.random(whole.shape) < 0.1
    model = PCA(2).fit(np.where(gone, np.nan, whole))
    back = model.inverse_transform(model.transform(np.where(gone, np.nan, whole)))
    assert np.abs(back - whole)[gone].max() < 0.1
    full = PCA(2).fit(whole)
    np.testing.assert_allclose(np.abs(model.components_ @ full.components_.T), np.eye(2), atol=1e-3)


def test_columns_that_depend_on_each_other_do_not_break_it():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 5))
    gone = rng.random(X.shape) < 0.15
    model = PCA().fit(np.where(gone, np.nan, X))
    assert np.isfinite(model.components_).all()
    assert model.explained_variance_[2] < 1e-4 * model.explained_variance_[0]


def test_sparse_rows_may_miss_values():
    X = gappy(6)
    sparse = scipy.sparse.csr_matrix(X)
    dense = PCA(2).fit(X)
    model = PCA(2).fit(sparse)
    np.testing.assert_allclose(model.components_, dense.components_, atol=1e-9)
    np.testing.assert_allclose(model.transform(sparse), dense.transform(X), atol=1e-9)


def test_too_few_iterations_are_reported():
    with pytest.warns(ConvergenceWarning, match="PCA: It stopped after 2 iterations"):
        model = PCA(max_iter=2).fit(gappy(7))
    assert not model.converged_
