"""The densities that scikit-learn's naive Bayes lacks, against SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gaussian_kde, poisson

from novacula.bayes import NaiveBayes
from novacula.bayes.distributions.kernel import silverman


def test_poisson_equals_scipy():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(3.0, (200, 2)).astype(float), rng.integers(0, 2, 200)
    X[::7, 0] = np.nan
    model = NaiveBayes(m=0, distributions="poisson").fit(X, y)
    for k in (0, 1):
        rate = np.nanmean(X[y == k], axis=0)
        expected = np.log(np.mean(y == k)) + np.nansum(poisson.logpmf(X, rate), axis=1)
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, k], expected, rtol=1e-10)


def test_poisson_m_draws_rates_to_the_rate_of_all():
    X, y = np.array([[0.0], [0.0], [6.0]]), [0, 0, 1]
    model = NaiveBayes(m=2, distributions="poisson").fit(X, y)
    assert model.parts_[0].rate.ravel() == pytest.approx([(0 + 2 * 2) / 4, (6 + 2 * 2) / 3])


def test_kernel_equals_scipy():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    model = NaiveBayes(distributions="kernel").fit(X, y)
    grid = np.linspace(-4, 4, 50)[:, None]
    for k in (0, 1):
        values = X[y == k, 0]
        width = silverman(values, np.ones(len(values)))
        kde = gaussian_kde(values, bw_method=width / values.std(ddof=1))
        expected = np.log(np.mean(y == k)) + np.log(kde(grid[:, 0]))
        np.testing.assert_allclose(model.predict_joint_log_proba(grid)[:, k], expected, rtol=1e-8)


def test_silverman_is_the_rule_of_thumb():
    rng = np.random.default_rng(2)
    values = rng.normal(size=1001)
    low, high = np.quantile(values, [0.25, 0.75], method="inverted_cdf")
    expected = 0.9 * min(values.std(), (high - low) / 1.34) * 1001**-0.2
    assert silverman(values, np.ones(1001)) == pytest.approx(expected)


def test_kernel_density_integrates_to_one_beyond_the_capacity_of_the_sketch():
    rng = np.random.default_rng(3)
    X, y = rng.gamma(2.0, size=(40_000, 1)), np.zeros(40_000, int)
    y[:2] = 1
    model = NaiveBayes(distributions="kernel").fit(X, y)
    grid = np.linspace(-3, 30, 4001)
    density = np.exp(model.predict_joint_log_proba(grid[:, None])[:, 0]) / model.class_prior_[0]
    assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=1e-4)
    exact = gaussian_kde(X[2:, 0], bw_method=float(model.parts_[0].width[0, 0]) / X[2:, 0].std(ddof=1))
    np.testing.assert_allclose(density[::40], exact(grid[::40]), atol=2e-3)


@settings(deadline=None)
@given(st.integers(0, 10**9), st.booleans())
def test_bernoulli_on_sparse_rows_equals_the_product(seed, smooth):
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (12, 4)).astype(float), np.arange(12) % 2
    m = 2.0 if smooth else 0.0
    model = NaiveBayes(m=m, distributions="bernoulli").fit(csr_matrix(X), y)
    share = np.array([(X[y == k].sum(axis=0) + m / 2) / ((y == k).sum() + m) for k in (0, 1)])
    product = np.array([[0.5 * np.prod(np.where(row > 0, p, 1 - p)) for p in share] for row in X])
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(csr_matrix(X))), product, rtol=1e-9, atol=1e-300)


def test_a_position_that_is_stored_twice_is_there_once():
    """SciPy lets a CSR matrix hold a position twice; its value is the sum."""
    from scipy.sparse import csr_matrix

    twice = csr_matrix(([1.0, 1.0, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    for distribution in ("bernoulli", "multinomial"):
        model = NaiveBayes(distributions=distribution)
        once = model.fit(csr_matrix(twice.toarray()), [0, 1]).predict_joint_log_proba(csr_matrix(twice.toarray()))
        np.testing.assert_allclose(model.fit(twice, [0, 1]).predict_joint_log_proba(twice), once)


def test_a_count_below_zero_cannot_be():
    """Its factorial has no value, and Γ of a fraction below 0 would make a probability of it."""
    model = NaiveBayes(distributions="poisson").fit([[0.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1])
    assert np.isneginf(model.predict_joint_log_proba([[-1.0], [-1.5]])).all()
    text = str(model.work([[-1.0], [-1.5]]))
    assert "= 0.5 × 0 = 0" in text
    assert "No class explains the row" in text
