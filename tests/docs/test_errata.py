"""Each right value of docs/errata.md, from first principles and from the library."""

import numpy as np
import pytest

import novacula as nv
from novacula.bayes import TextNaiveBayes


def test_spam_by_single_words():
    model = TextNaiveBayes(m=0).fit(nv.datasets.load("spam_messages"))
    assert model.predict_proba(["sport", "sports", "secret"])[:, 1] == pytest.approx([0.0, 0.25, 0.75])


def test_the_denominator_weights_the_classes():
    spam, ham = (1 / 3) * (3 / 8), (1 / 15) * (5 / 8)
    assert spam / (spam + ham) == pytest.approx(0.75)
    unweighted = (1 / 3) / (1 / 3 + 1 / 15)
    assert unweighted == pytest.approx(0.8333, abs=1e-4)


def test_gradient_of_least_squares():
    """Against finite differences, with one column of X an example."""
    rng = np.random.default_rng(0)
    X, w, y = rng.normal(size=(3, 7)), rng.normal(size=3), rng.normal(size=7)
    loss = lambda v: np.sum((X.T @ v - y) ** 2)  # noqa: E731
    numeric = [(loss(w + 1e-6 * e) - loss(w - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(2 * X @ (X.T @ w - y), numeric, rtol=1e-6)


def test_ridge_solution_has_no_factor_two():
    from novacula.linear import Ridge

    rng = np.random.default_rng(1)
    phi, y, nu = rng.normal(size=(3, 20)), rng.normal(size=20), 0.7
    w = np.linalg.solve(phi @ phi.T + nu * np.eye(3), phi @ y)
    np.testing.assert_allclose(Ridge(alpha=nu, fit_intercept=False).fit(phi.T, y).coef_, w, rtol=1e-9)


def test_simple_regression_uses_means():
    from novacula.linear import LinearRegression

    x, y = np.array([1, 3, 2, 1.5, 4]), np.array([1, 2.2, 2, 1.9, 3.1])
    slope = (np.sum(x * y) - 5 * x.mean() * y.mean()) / (np.sum(x**2) - 5 * x.mean() ** 2)
    model = LinearRegression().fit(x[:, None], y)
    assert (model.coef_[0], model.intercept_) == pytest.approx((slope, y.mean() - slope * x.mean()))
