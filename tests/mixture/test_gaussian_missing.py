"""Missing values in mixtures: brute-force marginals and conditionals, EM by hand, and complete data as the limit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from novacula.mixture import GaussianMixture

KINDS = ("full", "tied", "diag", "spherical")
quiet = pytest.mark.filterwarnings("ignore")
laws = settings(deadline=None, max_examples=25)


def holed(seed, n=60, d=3, share=0.25):
    """Rows of two ellipsoids with holes; the first row keeps nothing, the second everything."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    shape = rng.normal(size=(2, d, d)) / np.sqrt(d) + 0.4 * np.eye(d)
    X = 3.0 * rng.normal(size=(2, d))[label] + np.einsum("nij,nj->ni", shape[label], rng.normal(size=(n, d)))
    X[rng.random(X.shape) < share] = np.nan
    X[0], X[1] = np.nan, 1.0
    return X


def expectations(x, weights, means, covariances):
    """Responsibilities, log density, and E[x] and E[xxᵀ] of each component for one row, by the textbook."""
    known = ~np.isnan(x)
    joint, first, second = [], [], []
    for w, mean, cov in zip(weights, means, covariances, strict=True):
        o, m = np.ix_(known, known), np.ix_(~known, known)
        density = stats.multivariate_normal(mean[known], cov[o]).pdf(x[known]) if known.any() else 1.0
        joint.append(w * density)
        filled, left = x.copy(), np.zeros_like(cov)
        slope = cov[m] @ np.linalg.inv(cov[o]) if known.any() else np.zeros((len(x), 0))
        filled[~known] = mean[~known] + slope @ (x[known] - mean[known])
        left[np.ix_(~known, ~known)] = cov[np.ix_(~known, ~known)] - slope @ cov[m].T
        first.append(filled)
        second.append(np.outer(filled, filled) + left)
    share = np.array(joint) / np.sum(joint)
    return share, np.log(np.sum(joint)), np.array(first), np.array(second)


def em_by_hand(X, weights, means, covariances):
    """One step of EM for full covariances, row by row."""
    rows = [expectations(x, weights, means, covariances) for x in X]
    share = np.array([row[0] for row in rows])
    first = np.einsum("nk,nkd->kd", share, np.array([row[2] for row in rows]))
    second = np.einsum("nk,nkde->kde", share, np.array([row[3] for row in rows]))
    n = share.sum(axis=0)
    mean = first / n[:, None]
    return n / len(X), mean, second / n[:, None, None] - mean[:, :, None] * mean[:, None, :]


@quiet
@laws
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_makes_the_steps_made_by_hand(seed, d):
    X = holed(seed, d=d)
    start = np.stack([np.full(d, -1.0), np.full(d, 1.5)])
    parameters = np.full(2, 0.5), start, np.tile(np.diag(np.nanvar(X, axis=0)), (2, 1, 1))
    for steps in (1, 2):
        parameters = em_by_hand(X, *parameters)
        model = GaussianMixture(2, init=start, tol=0.0, max_iter=steps, reg_covar=0.0).fit(X)
        for found, expected in zip((model.weights_, model.means_, model.covariances_), parameters, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@quiet
@pytest.mark.parametrize("kind", KINDS)
def test_densities_and_imputed_values_by_brute_force(kind):
    X = holed(1)
    model = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    held = model._components()
    by_hand = [expectations(x, held.weights, held.means, held.matrices()) for x in X]
    np.testing.assert_allclose(model.predict_proba(X), [row[0] for row in by_hand], atol=1e-10)
    np.testing.assert_allclose(model.score_samples(X), [row[1] for row in by_hand], rtol=1e-9, atol=1e-12)
    filled = [np.where(np.isnan(x), row[0] @ row[2], x) for x, row in zip(X, by_hand, strict=True)]
    np.testing.assert_allclose(model.impute(X), filled, rtol=1e-9)
    assert model.score_samples(X[:1])[0] == pytest.approx(0.0, abs=1e-12)  # nothing is known, nothing is unlikely
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], model.weights_)
    np.testing.assert_allclose(model.impute(X[:1])[0], model.weights_ @ model.means_)


def test_a_marginal_is_the_integral_over_what_is_missing():
    model = GaussianMixture(2, random_state=0).fit(np.nan_to_num(holed(2, d=2), nan=0.5))
    y = np.linspace(-40, 40, 8001)
    grid = np.column_stack([np.full_like(y, 0.7), y])
    whole = np.exp(model.score_samples(grid)).sum() * (y[1] - y[0])
    assert model.score_samples([[0.7, np.nan]])[0] == pytest.approx(np.log(whole), abs=1e-9)


def test_rows_without_any_value_change_nothing():
    X = holed(3)[1:]
    X = X[~np.isnan(X).all(axis=1)]
    more = np.concatenate([X, np.full((30, 3), np.nan)])
    start = X[:2].copy()
    start[np.isnan(start)] = 0.0
    options = {"init": start, "tol": 1e-13, "max_iter": 20_000}
    a, b = GaussianMixture(2, **options).fit(X), GaussianMixture(2, **options).fit(more)
    np.testing.assert_allclose(b.means_, a.means_, rtol=1e-3, atol=1e-3)
    assert b.log_likelihood_ == pytest.approx(a.log_likelihood_, rel=1e-6)


def test_recovers_what_complete_rows_would_tell():
    """Values missing at random cost precision, not truth.

    The clusters are so far apart that x₀ alone separates them; then the spread of x₁ given x₀ is √(1 − 0.8²).
    """
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.multivariate_normal(m, [[1.0, 0.8], [0.8, 1.0]], 2000) for m in ([0, 0], [12, -12])])
    holes = X.copy()
    holes[rng.random(len(X)) < 0.4, 1] = np.nan
    whole = GaussianMixture(2, covariance_type="tied", random_state=0).fit(X)
    part = GaussianMixture(2, covariance_type="tied", random_state=0, init=whole.means_).fit(holes)
    np.testing.assert_allclose(part.means_, whole.means_, atol=0.08)
    np.testing.assert_allclose(part.covariances_, whole.covariances_, atol=0.08)
    gap = part.impute(holes)[:, 1] - X[:, 1]
    assert np.std(gap[np.isnan(holes[:, 1])]) == pytest.approx(0.6, abs=0.05)
