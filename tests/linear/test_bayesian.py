"""Bayesian linear regression: its laws, dense formulas and integrals as oracles, and its relatives."""

import math

import numpy as np
import pytest
import sklearn.linear_model
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from novacula.linear import LinearRegression, Ridge
from novacula.linear.bayesian import BayesianLinearRegression

laws = settings(deadline=None, max_examples=25)
endless = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
precisions = st.floats(-2, 2).map(lambda power: 10.0**power)


@st.composite
def problems(draw, rows=st.integers(2, 25), columns=st.integers(1, 7)):  # noqa: B008
    """Rows of any shape, tall or wide, with whole weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(rows), draw(columns)
    X = rng.normal(size=(n, d)) + 2.0 * rng.normal(size=d)
    y = X @ rng.normal(size=d) + rng.normal(size=n) + 3.0
    return X, y, rng.integers(1, 4, n)


@st.composite
def priors(draw, d):
    """Proper priors of the weights: a number, one a column, or a matrix; and a mean."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.integers(0, 2))
    root = rng.normal(size=(d, d))
    precision = (draw(precisions), 0.1 + rng.exponential(size=d), root @ root.T + 0.1 * np.eye(d))[kind]
    return precision, draw(st.sampled_from([0.0, rng.normal(size=d)]))


class Dense:
    """The joint normal distribution of intercept, weights and targets, n × n, for proper priors over σ² = 1."""

    def __init__(self, X, y, precision, mean, intercept=math.inf):
        d = X.shape[1]
        given = np.asarray(precision, float)
        prior = given if given.ndim == 2 else np.diag(np.broadcast_to(given, d))
        self.design, self.mean, self.y = X, np.broadcast_to(mean, d), y
        self.covariance = np.linalg.inv(prior)
        if math.isfinite(intercept):
            self.design = np.column_stack([np.ones(len(X)), X])
            self.mean = np.append(0.0, self.mean)
            self.covariance = np.block(
                [[np.array([[1 / intercept]]), np.zeros((1, d))], [np.zeros((d, 1)), self.covariance]]
            )
        self.targets = np.eye(len(y)) + self.design @ self.covariance @ self.design.T
        gain = np.linalg.solve(self.targets, self.design @ self.covariance).T
        self.posterior_mean = self.mean + gain @ (y - self.design @ self.mean)
        self.posterior_covariance = self.covariance - gain @ self.design @ self.covariance

    def log_evidence(self, noise):
        return stats.multivariate_normal(self.design @ self.mean, noise * self.targets).logpdf(self.y)

    def log_evidence_of_unknown_noise(self, shape, scale):
        t = stats.multivariate_t(self.design @ self.mean, scale / shape * self.targets, df=2 * shape)
        return t.logpdf(self.y)


def repeated(X, y, weight):
    rows = np.repeat(np.arange(len(X)), weight)
    return X[rows], y[rows]


def weights_of(model):
    return np.append(model.intercept_, model.coef_) if model.fit_intercept else model.coef_


# --- the numbers of the literature --------------------------------------------------------------------------


def test_a_vague_prior_gives_the_line_of_the_textbook(five):
    for learner in (
        BayesianLinearRegression(1e-9),
        BayesianLinearRegression(0.0),
        BayesianLinearRegression(1e-9, "inverse_gamma"),
    ):
        model = learner.fit(*five)
        assert model.coef_[0] == pytest.approx(0.584483, abs=5e-7)
        assert model.intercept_ == pytest.approx(0.695690, abs=5e-7)


def test_without_any_prior_knowledge_the_theory_is_the_classical_one(longley):
    X, y = longley[0][:, 1:4], longley[1]
    model = BayesianLinearRegression(0.0, "inverse_gamma", shape=0.0, scale=0.0).fit(X, y)
    classic, bayes = LinearRegression().fit(X, y).summary(0.9)[0], model.summary(0.9)
    np.testing.assert_allclose(bayes.mean, classic.coef, rtol=1e-8)
    np.testing.assert_allclose(bayes.low, classic.low, rtol=1e-7)
    np.testing.assert_allclose(bayes.high, classic.high, rtol=1e-7)
    assert 2 * model.shape_ == len(X) - 4
    assert model.scale_ / model.shape_ == pytest.approx(classic.facts["s"] ** 2)


# --- dense formulas -----------------------------------------------------------------------------------------


@laws
@given(st.data(), problems(), st.booleans(), precisions, precisions)
def test_known_noise_is_the_joint_normal_distribution(data, problem, intercept, tau, noise):
    X, y, weight = problem
    precision, mean = data.draw(priors(X.shape[1]))
    model = BayesianLinearRegression(
        precision,
        noise_variance=noise,
        prior_mean=mean,
        fit_intercept=intercept,
        intercept_precision=tau if intercept else 0.0,
    ).fit(X, y, weight)
    right = Dense(*repeated(X, y, weight), np.multiply(precision, noise), mean, tau * noise if intercept else math.inf)
    np.testing.assert_allclose(weights_of(model), right.posterior_mean, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(model.covariance_, noise * right.posterior_covariance, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(model.precision_ @ model.covariance_, np.eye(len(model.precision_)), atol=1e-6)
    assert model.log_evidence_ == pytest.approx(right.log_evidence(noise), rel=1e-7, abs=1e-6)


@laws
@given(st.data(), problems(), st.booleans(), precisions, st.floats(0.5, 5.0), precisions)
def test_inverse_gamma_noise_is_the_joint_t_distribution(data, problem, intercept, tau, shape, scale):
    X, y, weight = problem
    precision, mean = data.draw(priors(X.shape[1]))
    model = BayesianLinearRegression(
        precision,
        "inverse_gamma",
        prior_mean=mean,
        shape=shape,
        scale=scale,
        fit_intercept=intercept,
        intercept_precision=tau if intercept else 0.0,
    ).fit(X, y, weight)
    X, y = repeated(X, y, weight)
    right = Dense(X, y, precision, mean, tau if intercept else math.inf)
    np.testing.assert_allclose(weights_of(model), right.posterior_mean, rtol=1e-6, atol=1e-7)
    assert model.log_evidence_ == pytest.approx(right.log_evidence_of_unknown_noise(shape, scale), rel=1e-7, abs=1e-6)
    residual = y - right.design @ right.mean
    b = scale + residual @ np.linalg.solve(right.targets, residual) / 2
    assert (model.shape_, model.scale_) == pytest.approx((shape + len(y) / 2, b), rel=1e-6)
    assert model.noise_variance_ == pytest.approx(stats.invgamma(model.shape_, scale=model.scale_).mean())
    unit = model.noise_variance_ * right.posterior_covariance
    np.testing.assert_allclose(model.covariance_, unit, rtol=1e-6, atol=1e-7 * unit.max())


@laws
@given(problems(), precisions, precisions)
def test_a_flat_intercept_is_the_limit_of_a_wide_one(problem, precision, noise):
    X, y, weight = problem
    flat = BayesianLinearRegression(precision, noise_variance=noise).fit(X, y, weight)
    tau = 1e-9
    wide = BayesianLinearRegression(precision, noise_variance=noise, intercept_precision=tau).fit(X, y, weight)
    np.testing.assert_allclose(flat.coef_, wide.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(flat.covariance_, wide.covariance_, rtol=1e-4, atol=1e-5)
    # A density of √(τ/2π) in place of 1.
    assert flat.log_evidence_ == pytest.approx(wide.log_evidence_ - math.log(tau / (2 * math.pi)) / 2, abs=1e-3)


# --- integrals ----------------------------------------------------------------------------------------------


def log_integral(log_values, *grids):
    """The logarithm of an integral over a grid whose edges a smooth integrand does not reach."""
    top = log_values.max()
    value = np.exp(log_values - top)
    for grid in reversed(grids):
        value = np.trapezoid(value, grid)
    return top + math.log(value)


@pytest.mark.parametrize("prior_precision", [0.0, 0.7])
def test_the_evidence_is_an_integral_over_the_line(five, prior_precision):
    x, y = five
    noise, mean = 0.3, 0.2
    model = BayesianLinearRegression(prior_precision, noise_variance=noise, prior_mean=mean).fit(x, y)
    b, w = np.linspace(-5.0, 6.0, 800), np.linspace(-2.0, 3.0, 800)
    joint = stats.norm.logpdf(y, b[:, None, None] + w[:, None] * x[:, 0], math.sqrt(noise)).sum(axis=2)
    if prior_precision:
        joint += stats.norm.logpdf(w, mean, prior_precision**-0.5)
    value = log_integral(joint, b, w)
    assert model.log_evidence_ == pytest.approx(value, abs=1e-6)
    with_weight = log_integral(joint + np.log(w + 9.0), b, w)
    assert model.coef_[0] == pytest.approx(math.exp(with_weight - value) - 9.0, abs=1e-6)


@pytest.mark.parametrize(("precision", "shape", "scale"), [(0.7, 1.5, 0.4), (0.0, 0.0, 0.0), (0.7, 0.0, 0.3)])
def test_the_evidence_is_an_integral_over_weight_and_noise(five, precision, shape, scale):
    x, y = five
    model = BayesianLinearRegression(precision, "inverse_gamma", shape=shape, scale=scale, fit_intercept=False)
    model.fit(x, y)
    log_noise, w = np.linspace(-6.0, 14.0, 700), np.sinh(np.linspace(-9.0, 9.0, 900))
    noise = np.exp(log_noise)[:, None]
    joint = stats.norm.logpdf(y, w[:, None] * x[:, 0], np.sqrt(noise)[:, :, None]).sum(axis=2)
    joint += stats.norm.logpdf(w, 0.0, np.sqrt(noise / precision)) if precision else 0.0
    if shape and scale:
        joint += stats.invgamma.logpdf(noise, shape, scale=scale)
    else:
        joint += -(shape + 1.0) * np.log(noise) - scale / noise
    value = log_integral(joint + np.log(noise), log_noise, w)
    assert model.log_evidence_ == pytest.approx(value, abs=2e-3)


# --- relatives ----------------------------------------------------------------------------------------------


@laws
@given(problems(), precisions, precisions, st.booleans())
def test_the_mean_is_ridge(problem, precision, noise, intercept):
    X, y, weight = problem
    model = BayesianLinearRegression(precision, noise_variance=noise, fit_intercept=intercept).fit(X, y, weight)
    ridge = Ridge(precision * noise, fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-6, atol=1e-7)


@laws
@given(problems(rows=st.integers(10, 25), columns=st.integers(1, 4)), st.booleans())
def test_a_flat_prior_is_least_squares(problem, intercept):
    X, y, weight = problem
    model = BayesianLinearRegression(0.0, fit_intercept=intercept).fit(X, y, weight)
    plain = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-8, atol=1e-9)


@endless
@laws
@given(problems(rows=st.integers(8, 25)))
def test_evidence_agrees_with_scikit_learn(problem):
    X, y, _ = problem
    theirs = sklearn.linear_model.BayesianRidge(
        alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, tol=1e-10, max_iter=5000, fit_intercept=False
    ).fit(X, y)
    ours = BayesianLinearRegression(noise="evidence", fit_intercept=False).fit(X, y)
    assume(ours.converged_)
    right = Dense(X, y, theirs.lambda_ / theirs.alpha_, 0.0).log_evidence(1 / theirs.alpha_)
    assert ours.log_evidence_ >= right - 1e-8 * abs(right)
    assume(abs(ours.log_evidence_ - right) < 1e-6)  # there may be a better maximum than the one they find
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
    assert (ours.alpha_, ours.noise_variance_) == pytest.approx((theirs.lambda_, 1 / theirs.alpha_), rel=1e-4)


@endless
@settings(deadline=None, max_examples=6)
@given(problems(rows=st.integers(9, 25), columns=st.integers(1, 5)), st.sampled_from([0.0, 0.5, math.inf]))
def test_evidence_is_the_maximum_of_what_known_noise_says(problem, tau):
    """With the noise known, an intercept's precision is absolute; so it is τ/σ² here."""
    X, y, weight = problem
    intercept = math.isfinite(tau)
    model = BayesianLinearRegression(
        noise="evidence", fit_intercept=intercept, intercept_precision=tau if intercept else 0.0
    ).fit(X, y, weight)
    assume(model.converged_)

    def known(logs):
        alpha, noise = np.exp(logs)
        tau_of = {"intercept_precision": tau / noise} if intercept else {}
        learner = BayesianLinearRegression(alpha, noise_variance=noise, fit_intercept=intercept, **tau_of)
        return learner.fit(X, y, weight).log_evidence_

    best = np.log([model.alpha_, model.noise_variance_])
    assert model.log_evidence_ == pytest.approx(known(best), rel=1e-9)
    assert model.history_[-1] == pytest.approx(model.log_evidence_, rel=1e-8)
    found = optimize.minimize(lambda logs: -known(logs), best + 0.3, method="Nelder-Mead")
    assert model.log_evidence_ >= -found.fun - 1e-6
    assert all(b >= a - 1e-9 * abs(a) for a, b in zip(model.history_, model.history_[1:], strict=False))


def test_evidence_takes_the_better_of_two_maxima():
    """One column says much, the others nothing: a narrow and a wide prior are both better than those between."""
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(7, 5)) * 10.0 ** rng.integers(-2, 3, 5)
        y = X @ (rng.normal(size=5) * 10.0 ** rng.integers(-3, 2, 5)) + rng.normal(size=7)
        with np.errstate(all="ignore"):
            grid = np.logspace(-9, 9, 150)
            values = np.array([profile(X, y, ratio) for ratio in grid])
        tops = np.flatnonzero((values[1:-1] > values[:-2]) & (values[1:-1] > values[2:])) + 1
        if len(tops) < 2 or np.argmax(values) in (0, 149):
            continue
        found += 1
        model = BayesianLinearRegression(noise="evidence", fit_intercept=False).fit(X, y)
        assert model.log_evidence_ >= values.max() - 1e-9
        assert abs(math.log(model.alpha_ * model.noise_variance_ / grid[np.argmax(values)])) < 0.3
    assert found > 3


def profile(X, y, ratio):
    """The log evidence at the best noise variance for a ratio, by dense formulas."""
    targets = np.eye(len(y)) + X @ X.T / ratio
    noise = y @ np.linalg.solve(targets, y) / len(y)
    return -(np.linalg.slogdet(targets)[1] + len(y) * (math.log(2 * math.pi * noise) + 1)) / 2


def test_evidence_with_a_prior_of_any_shape_and_mean():
    rng = np.random.default_rng(0)
    X, mean = rng.normal(size=(40, 3)), np.array([5.0, -3.0, 0.0])
    y = X @ (mean + 0.2 * rng.normal(size=3)) + rng.normal(size=40)
    shape = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]])
    model = BayesianLinearRegression(shape, "evidence", prior_mean=mean).fit(X, y)
    root = np.linalg.cholesky(np.linalg.inv(shape))  # the same problem with weights that are independent
    turned = BayesianLinearRegression(noise="evidence").fit(X @ root, y - X @ mean)
    np.testing.assert_allclose(model.coef_, mean + root @ turned.coef_, rtol=1e-7)
    assert model.alpha_ == pytest.approx(turned.alpha_, rel=1e-7)


# --- one row after the other --------------------------------------------------------------------------------


@laws
@given(problems(rows=st.integers(4, 12)), st.sampled_from(["known", "inverse_gamma"]), st.integers(1, 5))
def test_partial_fit_is_fit_on_all_rows(problem, noise, step):
    X, y, weight = problem
    whole = BayesianLinearRegression(0.5, noise).fit(X, y, weight)
    model = BayesianLinearRegression(0.5, noise)
    for start in range(0, len(X), step):
        piece = slice(start, start + step)
        model.partial_fit(X[piece], y[piece], weight[piece])
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9, atol=1e-9 * np.abs(whole.coef_).max())
    np.testing.assert_allclose(model.covariance_, whole.covariance_, rtol=1e-8, atol=1e-9 * whole.covariance_.max())
    assert model.log_evidence_ == pytest.approx(whole.log_evidence_, rel=1e-9)


@laws
@given(problems(rows=st.integers(2, 10), columns=st.integers(1, 4)), st.booleans(), st.booleans())
def test_the_evidence_is_the_product_of_predictions(problem, known, intercept):
    """p(y₁, y₂, …) = p(y₁) p(y₂ | y₁) …: each factor is a prediction by the posterior so far."""
    X, y, _ = problem
    learner = BayesianLinearRegression(
        0.5,
        "known" if known else "inverse_gamma",
        shape=1.5,
        fit_intercept=intercept,
        intercept_precision=2.0 if intercept else 0.0,
    )
    model = learner.partial_fit(X[:1], y[:1])
    total = model.log_evidence_
    for i in range(1, len(X)):
        [mean], [std] = model.predict(X[i : i + 1], return_std=True)
        if known:
            total += stats.norm(mean, std).logpdf(y[i])
        else:
            degrees = 2 * model.shape_
            total += stats.t(degrees, mean, std * math.sqrt((degrees - 2) / degrees)).logpdf(y[i])
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    assert model.log_evidence_ == pytest.approx(total, rel=1e-7, abs=1e-7)


@laws
@given(st.data(), problems(rows=st.integers(4, 16)), st.booleans())
def test_a_posterior_can_be_given_as_a_prior(data, problem, known):
    X, y, _ = problem
    precision, mean = data.draw(priors(X.shape[1]))
    cut = data.draw(st.integers(1, len(X) - 1))
    noise = "known" if known else "inverse_gamma"
    settings_ = {"noise": noise, "noise_variance": 0.7, "fit_intercept": False}
    first = BayesianLinearRegression(precision, prior_mean=mean, **settings_).fit(X[:cut], y[:cut])
    carried = {} if known else {"shape": first.shape_, "scale": first.scale_}
    second = BayesianLinearRegression(first.precision_, prior_mean=first.coef_, **settings_, **carried)
    second.fit(X[cut:], y[cut:])
    whole = BayesianLinearRegression(precision, prior_mean=mean, **settings_).fit(X, y)
    np.testing.assert_allclose(second.coef_, whole.coef_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(second.covariance_, whole.covariance_, rtol=1e-6, atol=1e-7)
    assert first.log_evidence_ + second.log_evidence_ == pytest.approx(whole.log_evidence_, rel=1e-7, abs=1e-6)


# --- predictions and draws ----------------------------------------------------------------------------------


@laws
@given(problems(), st.booleans(), st.sampled_from([0.0, 1.0]))
def test_predictive_variance_is_that_of_plane_and_noise(problem, intercept, tau):
    X, y, weight = problem
    model = BayesianLinearRegression(
        0.5, noise_variance=0.3, fit_intercept=intercept, intercept_precision=tau if intercept else 0.0
    ).fit(X, y, weight)
    design = np.column_stack([np.ones(len(X)), X]) if intercept else X
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, design @ weights_of(model), rtol=1e-9, atol=1e-9)
    variance = np.einsum("ij,jk,ik->i", design, model.covariance_, design) + 0.3
    np.testing.assert_allclose(std**2, variance, rtol=1e-7)
    low, high = model.predict_interval(X, 0.8).T
    np.testing.assert_allclose(stats.norm(mean, std).cdf(low), 0.1, rtol=1e-7)
    np.testing.assert_allclose(stats.norm(mean, std).cdf(high), 0.9, rtol=1e-7)


def test_intervals_of_unknown_noise_are_those_of_t(five):
    model = BayesianLinearRegression(0.5, "inverse_gamma", shape=0.8, scale=0.5).fit(*five)
    mean, std = model.predict([[2.5]], return_std=True)
    t = stats.t(2 * model.shape_)
    low, high = model.predict_interval([[2.5]], 0.9)[0]
    scale = std[0] / t.std()
    assert (low, high) == pytest.approx((mean[0] + scale * t.ppf(0.05), mean[0] + scale * t.ppf(0.95)))


def test_a_t_with_two_degrees_of_freedom_has_intervals_but_no_deviation():
    model = BayesianLinearRegression(1.0, "inverse_gamma", shape=0.5, fit_intercept=False).fit([[1.0]], [1.0])
    assert model.shape_ == 1.0
    assert model.noise_variance_ == math.inf
    assert np.isinf(model.covariance_).all()
    assert np.isinf(model.predict([[1.0]], return_std=True)[1]).all()
    assert np.isfinite(model.predict_interval([[1.0]])).all()
    assert "∞" in str(model.summary())
    assert model.summary().to_dict()["noise_variance"] is None


@pytest.mark.parametrize("noise", ["known", "inverse_gamma"])
def test_intervals_cover_what_the_prior_draws(noise):
    """Weights, noise and rows are drawn from the model itself, 400 times: 0.8 ± 0.06 is three deviations."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        variance = 0.5 if noise == "known" else 1.5 / rng.gamma(2.0)
        unit = 1.0 if noise == "known" else variance
        w, b = rng.normal(size=2) * math.sqrt(unit / 0.8), rng.normal() * math.sqrt(unit / 0.4)
        X = rng.normal(size=(5, 2))
        y = b + X @ w + math.sqrt(variance) * rng.normal(size=5)
        model = BayesianLinearRegression(
            0.8, noise, noise_variance=0.5, shape=2.0, scale=1.5, intercept_precision=0.4
        ).fit(X[:4], y[:4])
        low, high = model.predict_interval(X[4:], 0.8)[0]
        hits += low < y[4] < high
    assert abs(hits / 400 - 0.8) < 0.06


@pytest.mark.parametrize("noise", ["known", "inverse_gamma", "evidence"])
@pytest.mark.parametrize("intercept", [True, False])
def test_draws_have_the_moments_of_the_posterior(noise, intercept):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2)) + 4.0
    y = X @ [1.0, -2.0] + 0.5 * rng.normal(size=30)
    model = BayesianLinearRegression(0.5, noise, noise_variance=0.25, fit_intercept=intercept).fit(X, y)
    draws = model.sample_posterior(40_000, random_state=0)
    joint = np.column_stack([draws.intercept, draws.coef]) if intercept else draws.coef
    spread = np.sqrt(np.diagonal(model.covariance_))
    np.testing.assert_allclose(joint.mean(axis=0), weights_of(model), atol=0.03 * spread.max())
    np.testing.assert_allclose(np.cov(joint.T), model.covariance_, atol=0.04 * model.covariance_.max())
    assert draws.noise_variance.mean() == pytest.approx(model.noise_variance_, rel=0.01)
    assert (np.ptp(draws.noise_variance) > 0) == (noise == "inverse_gamma")
    again = model.sample_posterior(40_000, random_state=0)
    np.testing.assert_array_equal(again.coef, draws.coef)
    assert (draws.intercept == 0.0).all() == (not intercept)


def test_a_summary_says_what_the_posterior_is(five):
    summary = BayesianLinearRegression(0.5, noise_variance=0.1).fit(*five).summary(0.9)
    spread = stats.norm(summary.mean, summary.std)
    np.testing.assert_allclose(spread.cdf(summary.low), 0.05)
    np.testing.assert_allclose(spread.cdf(summary.high), 0.95)
    assert summary.names == ["intercept", "x0"]
    assert "90% low" in str(summary)
    assert "<table" in summary._repr_html_()
    plain = summary.to_dict()
    assert plain["weights"][1]["mean"] == pytest.approx(summary.mean[1])
    assert plain["n"] == 5.0
