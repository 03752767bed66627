"""Linear Gaussians: the line of maximum likelihood is that of least squares, and the joint normal both ways."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import multivariate_normal, norm
from sklearn.linear_model import LinearRegression

import novacula as nv
from novacula.checks import check_chunking, check_scales, check_work
from novacula.errors import ParameterError, RankWarning, SchemaError
from novacula.graph.linear_gaussian import LinearGaussian

X = np.array([[1.0], [3.0], [2.0], [1.5], [4.0]])
Y = np.array([1.0, 2.2, 2.0, 1.9, 3.1])


def draw(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) + 0.7 * rng.normal(size=(n, 1)) + 5.0
    return x, x @ rng.normal(size=d) - 2.0 + 0.7 * rng.normal(size=n)


def test_the_likelihood_is_largest_at_the_line_of_least_squares():
    """A numerical maximum of the likelihood in θ₁, θ₂ and log σ."""

    def loss(theta):
        return -norm(theta[0] * X[:, 0] + theta[1], math.exp(theta[2])).logpdf(Y).sum()

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    model = LinearGaussian().fit(X, Y)
    assert model.coef_[0] == pytest.approx(best.x[0], abs=1e-5)
    assert model.intercept_ == pytest.approx(best.x[1], abs=1e-5)
    assert model.sigma_ == pytest.approx(math.exp(best.x[2]), abs=1e-5)
    assert model.log_likelihood(X, Y) == pytest.approx(-best.fun, abs=1e-8)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
def test_the_joint_is_that_of_the_sample(seed, d):
    x, y = draw(seed, d=d)
    model = LinearGaussian().fit(x, y)
    reference = LinearRegression().fit(x, y)
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-7, atol=1e-9)
    joint, z = model.joint(), np.column_stack([x, y])
    np.testing.assert_allclose(joint.mean, z.mean(axis=0))
    np.testing.assert_allclose(joint.cov, np.atleast_2d(np.cov(z.T, bias=True)), rtol=1e-9, atol=1e-9)
    assert joint.density(z[0]) == pytest.approx(multivariate_normal(joint.mean, joint.cov).pdf(z[0]), rel=1e-6)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_conditioning_on_parents_is_prediction_and_on_the_node_is_bayes(seed):
    x, y = draw(seed)
    model = LinearGaussian().fit(x, y)
    *parents, node = model.joint().variables
    forward = model.condition(dict(zip(parents, x[0], strict=True)))
    mean, std = model.predict(x[:1], return_std=True)
    assert forward.variables == (node,)
    assert forward.mean[0] == pytest.approx(mean[0], rel=1e-7)
    assert forward.std[0] == pytest.approx(std[0], rel=1e-6)
    back = model.condition({node: y[0]})
    edge = norm(y.mean(), y.std()).pdf(y[0])
    assert back.density(x[0]) == pytest.approx(model.joint().density([*x[0], y[0]]) / edge, rel=1e-6)  # Bayes


def test_likelihood_of_rows_with_weights_and_of_tables():
    x, y = draw(1)
    model = LinearGaussian().fit(x, y)
    logs = norm(model.predict(x), model.sigma_).logpdf(y)
    assert model.log_likelihood(x, y) == pytest.approx(logs.sum())
    weight = np.arange(60.0)
    assert model.log_likelihood(x, y, weight) == pytest.approx(weight @ logs)
    frame = pa.table({f"x{j}": x[:, j] for j in range(3)} | {"y": y})
    table = nv.read(frame, target="y")
    assert LinearGaussian().fit(table).log_likelihood(table) == pytest.approx(logs.sum())


def test_a_line_without_noise():
    x = np.arange(5.0)[:, None]
    model = LinearGaussian().fit(x, np.full(5, 3.0))
    assert model.sigma_ == 0.0
    assert model.log_likelihood(x, np.full(5, 3.0)) == math.inf
    assert model.log_likelihood(x, np.full(5, 4.0)) == -math.inf
    with pytest.raises(ParameterError, match="is fixed without its value"):
        model.condition({model.joint().variables[-1]: 3.0})


def test_fewer_rows_than_columns():
    x, y = draw(2, n=3, d=5)
    with pytest.warns(RankWarning, match="span"):
        model = LinearGaussian().fit(x, y)
    np.testing.assert_allclose(model.covariance_, np.cov(np.column_stack([x, y]).T, bias=True), atol=1e-9)


def test_rows_in_parts():
    x, y = draw(3)
    whole, parts = LinearGaussian().fit(x, y), LinearGaussian().partial_fit(x[:20], y[:20]).partial_fit(x[20:], y[20:])
    np.testing.assert_allclose(parts.covariance_, whole.covariance_)
    np.testing.assert_allclose(parts.coef_, whole.coef_)


def test_the_checks_of_learners():
    check_chunking(LinearGaussian())
    check_scales(LinearGaussian())
    model = LinearGaussian().fit(*draw(4))
    check_work(model)
    check_work(model, draw(4)[0][:3])
    assert "maximum likelihood" in str(model.work())


def test_what_cannot_be_fitted():
    with pytest.raises(ValueError, match="1d array"):
        LinearGaussian().fit(X, np.column_stack([Y, Y]))
    frame = pa.table({"x": X[:, 0], "y": Y, "z": Y})
    with pytest.raises(SchemaError, match="the table has 2 targets"):
        LinearGaussian().fit(nv.read(frame, target=["y", "z"]))
    with pytest.raises(ValueError, match="NaN"):
        LinearGaussian().fit(X, Y).log_likelihood(X * np.nan, Y)
    with pytest.raises(ParameterError, match="'w' is not one of the variables"):
        LinearGaussian().fit(X, Y).condition({"w": 1.0})
