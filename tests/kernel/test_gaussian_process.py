"""Gaussian processes: brute-force normal distributions, scikit-learn's process, central differences, and relatives."""

import math
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse, stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor as Rival
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel
from sklearn.model_selection import GridSearchCV

from novacula.checks import check_equations, check_work
from novacula.errors import DataError, ParameterError, RankWarning
from novacula.kernel.algebra import Custom, Gaussian, Linear, Multiquadric, Polynomial, Precomputed
from novacula.kernel.gaussian_process import GaussianProcessRegressor
from novacula.kernel.process.search import REACH
from novacula.learner.files import load, save
from novacula.linear import BayesianLinearRegression
from novacula.table import read

laws = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 2**32 - 1)
sizes = st.floats(-1.5, 1.5).map(lambda power: 10.0**power)


@st.composite
def expressions(draw, depth=2):
    """Kernels of every kind, resolved, with parameters of moderate size."""
    kind = draw(st.integers(0, 3 if depth == 0 else 9))
    size = draw(sizes)
    if kind == 0:
        return Gaussian(gamma=size)
    if kind == 1:
        return Gaussian(width=size)
    if kind == 2:
        return Linear()
    if kind == 3:
        return Polynomial(degree=2, coef0=size)
    inner = draw(expressions(depth=depth - 1))
    if kind in (4, 5):
        other = draw(expressions(depth=depth - 1))
        return inner + other if kind == 4 else inner * other
    if kind == 6:
        return size * inner
    if kind == 7:
        return (inner + 1.0).normalized()
    if kind == 8:
        return inner.normalized().exp() if draw(st.booleans()) else (inner + 0.5).normalized() ** 2
    return Gaussian(gamma=size).on([0]) + inner


def rows(seed, n=15, d=2, k=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)
    return (X, y) if k is None else (X, np.column_stack([y * (t + 1) + rng.normal(size=n) for t in range(k)]))


def fitted(kernel, X, y, noise=0.1, **more):
    weight = more.pop("sample_weight", None)
    return GaussianProcessRegressor(kernel, noise=noise, optimize=False, **more).fit(X, y, weight)


# --- a normal distribution, written out ---------------------------------------------------------------------


@laws
@given(seeds, expressions(), sizes)
def test_the_posterior_is_the_conditional_normal_distribution(seed, kernel, noise):
    X, y = rows(seed, n=6)
    Q = np.random.default_rng(seed + 1).normal(size=(3, 2))
    model = fitted(kernel, X, y, noise)
    joint = kernel(np.vstack([X, Q])) + np.diag([noise] * 6 + [0.0] * 3)
    gain = joint[6:, :6] @ np.linalg.inv(joint[:6, :6])
    size = np.abs(joint).max()
    mean, covariance = model.predict(Q, return_cov=True)
    np.testing.assert_allclose(mean, gain @ y, rtol=1e-7, atol=1e-9 * size)
    np.testing.assert_allclose(covariance, joint[6:, 6:] - gain @ joint[:6, 6:], rtol=1e-7, atol=1e-9 * size)
    density = stats.multivariate_normal(np.zeros(6), joint[:6, :6], allow_singular=True).logpdf(y)
    assert model.log_marginal_likelihood_ == pytest.approx(density, rel=1e-7, abs=1e-7)


def test_deviations_are_the_roots_of_the_variances_and_noise_adds_to_them():
    X, y = rows(0)
    model = fitted(Gaussian(width=0.7), X, y, noise=0.2)
    mean, std = model.predict(X, return_std=True)
    covariance = model.predict(X, return_cov=True)[1]
    np.testing.assert_allclose(std, np.sqrt(np.diagonal(covariance)), rtol=1e-9)
    np.testing.assert_allclose(model.predict(X, return_std=True, with_noise=True)[1], np.sqrt(std**2 + 0.2))
    noisy = model.predict(X, return_cov=True, with_noise=True)[1]
    np.testing.assert_allclose(noisy - covariance, 0.2 * np.eye(len(X)), atol=1e-12)
    low, high = model.predict_interval(X, level=0.9).T
    np.testing.assert_allclose(stats.norm(mean, np.sqrt(std**2 + 0.2)).cdf([low, high]), [[0.05] * 15, [0.95] * 15])


# --- scikit-learn's process ---------------------------------------------------------------------------------

PAIRS = [
    (Gaussian(width=1.3), RBF(1.3)),
    (2.5 * Gaussian(width=0.8), ConstantKernel(2.5) * RBF(0.8)),
    (Linear() + 4.0, DotProduct(sigma_0=2.0)),
    ((Linear() + 1.0) ** 2, DotProduct(sigma_0=1.0) ** 2),
    (0.5 * Gaussian(width=2.0) + Linear() + 0.25, ConstantKernel(0.5) * RBF(2.0) + DotProduct(sigma_0=0.5)),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda kernel: str(kernel))
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("k", [None, 3])
def test_at_equal_parameters_it_is_scikit_learns(ours, theirs, normalize, k):
    X, y = rows(3, n=40, k=k)
    Q = np.random.default_rng(1).normal(size=(9, 2))
    model = fitted(ours, X, y + 5.0, noise=0.3, normalize_y=normalize)
    rival = Rival(theirs, alpha=0.3, optimizer=None, normalize_y=normalize).fit(X, y + 5.0)
    for mine, other in zip(model.predict(Q, return_std=True), rival.predict(Q, return_std=True), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.predict(Q, return_cov=True)[1], rival.predict(Q, return_cov=True)[1], atol=1e-8)
    assert model.log_marginal_likelihood_ == pytest.approx(rival.log_marginal_likelihood_value_, rel=1e-8)


def test_the_search_ends_where_scikit_learns_does():
    X, y = rows(5, n=60)
    model = GaussianProcessRegressor(1.0 * Gaussian(width=1.0), noise=0.1).fit(X, y)
    rival = Rival(ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(0.1), alpha=0.0).fit(X, y)
    assert model.log_marginal_likelihood_ >= rival.log_marginal_likelihood_value_ - 1e-6
    np.testing.assert_allclose(model.noise_, rival.kernel_.k2.noise_level, rtol=1e-3)
    np.testing.assert_allclose(model.kernel_.kernel.width, rival.kernel_.k1.k2.length_scale, rtol=1e-3)
    assert model.converged_
    assert len(model.history_) == model.n_iter_ + 1
    assert all(later >= earlier for earlier, later in zip(model.history_, model.history_[1:], strict=False))
    _, slopes = model.log_marginal_likelihood(return_gradient=True)
    assert np.abs(slopes).max() < 1e-3


# --- the likelihood and its gradient ------------------------------------------------------------------------


@laws
@given(seeds, expressions(), sizes, st.sampled_from([None, 2]))
def test_gradients_are_those_of_central_differences(seed, kernel, noise, k):
    X, y = rows(seed, n=8, k=k)
    weight = np.random.default_rng(seed).uniform(0.5, 3.0, len(X))
    model = fitted(kernel, X, y, noise, sample_weight=weight)
    value, gradient = model.log_marginal_likelihood(return_gradient=True)
    assert len(gradient) == len(model.theta_) == len(model.theta_names_)
    assert value == model.log_marginal_likelihood_
    # Richardson's combination of two central differences, whose error is of fourth order.
    slopes = [(4.0 * _difference(model, j, 1e-3) - _difference(model, j, 2e-3)) / 3.0 for j in range(len(model.theta_))]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-5, atol=1e-7 * max(1.0, abs(value)))


def _difference(model, j, step):
    move = np.zeros(len(model.theta_))
    move[j] = step
    up, down = (model.log_marginal_likelihood(model.theta_ + sign * move) for sign in (1.0, -1.0))
    return (up - down) / (2.0 * step)


@pytest.mark.parametrize(
    "kernel", [2.0 * Gaussian(width=0.7) + Linear(), (Polynomial(degree=2) + 1.0).normalized(), 3.0 * Precomputed()]
)
def test_a_gradient_by_blocks_is_the_trace_written_out(kernel, monkeypatch):
    monkeypatch.setattr(import_module("novacula.kernel.algebra.gram"), "BLOCK", 4)
    X, y = rows(2, n=15, k=2)
    X = Gaussian(width=1.0)(X) if kernel.precomputed else X
    model = fitted(kernel, X, y, noise=0.3)
    inverse = np.linalg.inv(model.kernel_(X) + 0.3 * np.eye(15))
    pull = inverse @ y @ y.T @ inverse - 2 * inverse
    changes = [*model.kernel_.gradients(X), 0.3 * np.eye(15)]
    _, slopes = model.log_marginal_likelihood(return_gradient=True)
    np.testing.assert_allclose(slopes, [0.5 * np.trace(pull @ change) for change in changes], rtol=1e-8, atol=1e-9)


def test_the_search_finds_what_a_general_optimiser_finds():
    X, y = rows(8, n=30)
    y += 1.5 * X[:, 1]
    model = GaussianProcessRegressor(0.5 * Gaussian(width=2.0) + Linear() * 0.1, noise=0.5).fit(X, y)
    found = optimize.minimize(lambda theta: -model.log_marginal_likelihood(theta), model.theta_ + 0.1, tol=1e-9)
    assert -found.fun <= model.log_marginal_likelihood_ + 1e-6


def test_the_unit_of_the_targets_does_not_matter():
    X, y = rows(8, n=40)
    one, other = (GaussianProcessRegressor().fit(X, unit * y) for unit in (1.0, 1e6))
    assert one.n_iter_ == other.n_iter_
    np.testing.assert_allclose(1e6 * one.predict(X), other.predict(X), rtol=1e-6)


def test_only_the_kernel_moves_on_request_and_a_noise_of_zero_stays():
    X, y = rows(2, n=30)
    model = GaussianProcessRegressor(Gaussian(width=1.0), noise=0.3, optimize="kernel").fit(X, y)
    assert model.noise_ == 0.3
    assert model.kernel_.width != 1.0
    exact = GaussianProcessRegressor(Gaussian(width=0.1), noise=0.0).fit(X, y)
    assert exact.noise_ == 0.0
    assert exact.theta_names_ == ("width",)


def test_a_restart_can_only_help_and_a_seed_repeats_it():
    X, y = rows(4, n=30)
    start = Gaussian(width=30.0)
    alone = GaussianProcessRegressor(start, noise=1.0).fit(X, y)
    models = [GaussianProcessRegressor(start, noise=1.0, n_restarts=4, random_state=1).fit(X, y) for _ in range(2)]
    assert models[0].log_marginal_likelihood_ >= alone.log_marginal_likelihood_ - 1e-9
    assert models[0].kernel_ == models[1].kernel_


def test_without_noise_in_the_targets_the_search_says_that_it_has_no_end():
    X = np.linspace(0.0, 6.0, 40)[:, None]
    with pytest.warns(ConvergenceWarning, match="until noise had gone as far"):
        model = GaussianProcessRegressor().fit(X, np.sin(X[:, 0]))
    start = 0.1 * np.mean(np.sin(X[:, 0]) ** 2)
    assert model.noise_ >= start * math.exp(-REACH)
    np.testing.assert_allclose(model.predict(X + 0.05), np.sin(X[:, 0] + 0.05), atol=0.01)


def test_too_few_steps_are_reported():
    X, y = rows(4, n=30)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = GaussianProcessRegressor(max_iter=1).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ == 1


# --- relatives ----------------------------------------------------------------------------------------------


@laws
@given(seeds, sizes, sizes)
def test_a_linear_kernel_is_bayesian_linear_regression(seed, precision, noise):
    X, y = rows(seed, n=12, d=3)
    Q = np.random.default_rng(seed).normal(size=(5, 3))
    kernel = (1.0 / precision) * Linear()
    model = fitted(kernel, X, y, noise)
    line = BayesianLinearRegression(precision, noise_variance=noise, fit_intercept=False).fit(X, y)
    for mine, other in zip(
        model.predict(Q, return_std=True, with_noise=True), line.predict(Q, return_std=True), strict=True
    ):
        np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-9)
    assert model.log_marginal_likelihood_ == pytest.approx(line.log_evidence_, rel=1e-8)


def test_as_the_noise_vanishes_it_passes_through_every_target():
    X, y = rows(1, n=12)
    gaps = [np.abs(fitted(Gaussian(width=0.4), X, y, noise).predict(X) - y).max() for noise in (1e-2, 1e-4, 1e-6)]
    assert gaps[0] > gaps[1] > gaps[2]
    exact = fitted(Gaussian(width=0.4), X, y, 0.0)
    mean, std = exact.predict(X, return_std=True)
    np.testing.assert_allclose(mean, y, atol=1e-9)
    assert std.max() < 1e-6
    low, high = exact.leave_one_out().mean, fitted(Gaussian(width=0.4), np.delete(X, 0, 0), y[1:], 0.0).predict(X[:1])
    assert low[0] == pytest.approx(high[0], abs=1e-8)


def test_far_from_all_rows_the_prior_is_left():
    X, y = rows(1)
    model = fitted(2.0 * Gaussian(width=0.5), X, y + 3.0, normalize_y=True)
    mean, std = model.predict([[50.0, 50.0]], return_std=True)
    assert mean[0] == pytest.approx((y + 3.0).mean())
    assert std[0] == pytest.approx(math.sqrt(2.0) * y.std())


# --- weights, leaving out, drawing --------------------------------------------------------------------------


@laws
@given(seeds, expressions(depth=1), st.sampled_from([None, 2]), st.booleans())
def test_weights_are_repetitions(seed, kernel, k, normalize):
    X, y = rows(seed, n=8, k=k)
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    weight[0] = 2
    again = np.repeat(np.arange(len(X)), weight)
    one = fitted(kernel, X, y, 0.2, normalize_y=normalize, sample_weight=weight)
    other = fitted(kernel, X[again], y[again], 0.2, normalize_y=normalize)
    assert one.log_marginal_likelihood_ == pytest.approx(other.log_marginal_likelihood_, rel=1e-8, abs=1e-8)
    for mine, theirs in zip(one.predict(X, return_std=True), other.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-6)
    kept = np.flatnonzero(weight)
    first = np.searchsorted(again, kept)
    for mine, theirs in zip(one.leave_one_out(), other.leave_one_out(), strict=True):
        np.testing.assert_allclose(mine, theirs[first], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("k", [None, 2])
def test_rows_left_out_are_as_if_they_had_never_been_there(k):
    X, y = rows(6, n=10, k=k)
    kernel = 1.5 * Gaussian(width=0.9)
    model = fitted(kernel, X, y, 0.2)
    for i in range(len(X)):
        others = np.delete(np.arange(len(X)), i)
        mean, std = fitted(kernel, X[others], y[others], 0.2).predict(X[i : i + 1], return_std=True, with_noise=True)
        np.testing.assert_allclose(model.leave_one_out().mean[i], mean[0], rtol=1e-9)
        np.testing.assert_allclose(model.leave_one_out().std[i], std[0], rtol=1e-9)


def test_a_row_of_less_than_one_is_left_out_as_a_whole():
    X, y = rows(6, n=10)
    weight = np.where(np.arange(10) == 3, 0.5, 1.0)
    model = fitted(Gaussian(width=0.9), X, y, 0.2, sample_weight=weight)
    without = fitted(Gaussian(width=0.9), np.delete(X, 3, 0), np.delete(y, 3), 0.2)
    mean, std = without.predict(X[3:4], return_std=True, with_noise=True)
    assert model.leave_one_out().mean[3] == pytest.approx(mean[0])
    assert model.leave_one_out().std[3] == pytest.approx(std[0])


def test_drawn_functions_have_the_moments_of_the_posterior():
    X, y = rows(7, k=2)
    model = fitted(Gaussian(width=1.0), X, y, 0.2, normalize_y=True)
    Q = X[:4] + 0.3
    drawn = model.sample_y(Q, 20_000, random_state=0)
    assert drawn.shape == (4, 2, 20_000)
    mean, covariance = model.predict(Q, return_cov=True)
    spread = np.sqrt(np.einsum("iik->ik", covariance))
    assert np.abs((drawn.mean(axis=2) - mean) / spread).max() < 5.0 / math.sqrt(20_000)
    for t in range(2):
        np.testing.assert_allclose(np.cov(drawn[:, t]), covariance[:, :, t], atol=0.04 * spread[:, t].max() ** 2)
    np.testing.assert_array_equal(drawn, model.sample_y(Q, 20_000, random_state=0))
    assert fitted(Gaussian(width=1.0), *rows(7)).sample_y(Q, 3, random_state=0).shape == (4, 3)


# --- kinds of rows and kernels ------------------------------------------------------------------------------


def test_sparse_rows_give_the_same_process():
    X, y = rows(9, n=20)
    X[np.abs(X) < 0.5] = 0.0
    one = GaussianProcessRegressor().fit(X, y)
    other = GaussianProcessRegressor().fit(sparse.csr_matrix(X), y)
    assert one.log_marginal_likelihood_ == pytest.approx(other.log_marginal_likelihood_, rel=1e-9)
    for mine, theirs in zip(
        one.predict(X, return_std=True), other.predict(sparse.csr_matrix(X), return_std=True), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)


def test_a_precomputed_matrix_serves_for_means():
    X, y = rows(9, n=20)
    Q, weight, kernel = X[:4] + 0.1, np.arange(20) % 3, Gaussian(width=1.1)
    one = fitted(kernel, X, y, sample_weight=weight)
    other = fitted(Precomputed(), kernel(X), y, sample_weight=weight)
    np.testing.assert_allclose(one.predict(Q), other.predict(kernel(Q, X)), rtol=1e-9)
    check_work(other, kernel(Q, X))
    with pytest.raises(DataError, match="does not hold k"):
        other.predict(kernel(Q, X), return_std=True)


def test_a_function_of_ones_own_serves_too():
    X, y = rows(9, n=20)
    own = fitted(Custom(lambda A, B: np.exp(-np.square(A[:, None] - B).sum(axis=2))), X, y)
    np.testing.assert_allclose(own.predict(X), fitted(Gaussian(gamma=1.0), X, y).predict(X), rtol=1e-9)


def test_frames_name_the_columns_that_a_kernel_looks_at():
    pd = pytest.importorskip("pandas")
    X, y = rows(9, n=20)
    frame = pd.DataFrame(X, columns=["a", "b"])
    named = fitted(Gaussian(width=1.0).on(["b"]), frame, y)
    np.testing.assert_allclose(named.predict(frame), fitted(Gaussian(width=1.0).on([1]), X, y).predict(X))


def test_parameters_of_the_kernel_can_be_searched_over():
    X, y = rows(9, n=30)
    grid = GridSearchCV(
        GaussianProcessRegressor(Gaussian(width=1.0), noise=0.1, optimize=False), {"kernel__width": [0.01, 1.0]}, cv=3
    ).fit(X, y)
    assert grid.best_params_ == {"kernel__width": 1.0}
    assert clone(grid.best_estimator_).kernel == Gaussian(width=1.0)


def test_the_default_starts_from_the_size_of_rows_and_targets():
    X, y = rows(9, n=20)
    model = GaussianProcessRegressor(optimize=False).fit(X, 100.0 * y)
    assert model.kernel_.scale == pytest.approx(np.mean((100.0 * y) ** 2))
    assert model.kernel_.kernel.gamma == pytest.approx(1.0 / (2.0 * X.var()))
    assert model.noise_ == pytest.approx(0.1 * np.mean((100.0 * y) ** 2))


# --- files and work -----------------------------------------------------------------------------------------


def test_a_file_holds_rows_and_kernel_and_finds_the_rest_again(tmp_path):
    X, y = rows(9, n=20)
    known = {"gaussian-process-regressor": GaussianProcessRegressor}
    model = GaussianProcessRegressor(2.0 * Gaussian(width=1.0).on([0]) + Linear(), noise=0.1).fit(X, y)
    save(model, tmp_path / "m.nova", registry=known)
    loaded = load(tmp_path / "m.nova", registry=known)
    assert loaded.kernel_ == model.kernel_
    for mine, theirs in zip(model.predict(X, return_std=True), loaded.predict(X, return_std=True), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize(
    ("kernel", "k", "weighted", "normalize"),
    [
        (None, None, False, False),
        (1.5 * Gaussian(width=1.0) + Linear(), 2, True, True),
        (Linear(), None, True, False),
    ],
)
def test_the_work_comes_to_what_the_model_says(kernel, k, weighted, normalize):
    X, y = rows(3, n=25, k=k)
    weight = np.where(np.arange(25) < 2, 2.0, 1.0) if weighted else None
    model = GaussianProcessRegressor(kernel, noise=0.2, normalize_y=normalize).fit(X, y, weight)
    check_equations(model)
    check_equations(model, X[:3])
    titles = [step.title for step in model.work()]
    assert titles.index("Fit") < titles.index("Complexity") < titles.index("Log marginal likelihood")
    assert ("The first row left out" in titles) is not weighted


def test_one_column_has_a_picture():
    X = np.linspace(0.0, 3.0, 8)[:, None]
    model = fitted(Gaussian(width=1.0), X, np.sin(3.0 * X[:, 0]), 0.01)
    assert any(step.figure for step in model.work())
    assert model.figure().svg().startswith("<svg")
    assert "surest" in model.figure(n_samples=0).alt
    with pytest.raises(ParameterError, match="one column"):
        fitted(Gaussian(), *rows(0)).figure()


# --- what cannot be -----------------------------------------------------------------------------------------


def test_rows_that_repeat_others_need_jitter_which_is_reported():
    X = np.array([[0.0], [0.0], [1.0]])
    with pytest.warns(RankWarning, match="was added to its diagonal"):
        model = fitted(Gaussian(width=1.0), X, [1.0, 1.0, 2.0], 0.0)
    assert 0.0 < model.jitter_ < 1e-8
    np.testing.assert_allclose(model.predict(X), [1.0, 1.0, 2.0], atol=1e-4)
    assert fitted(Gaussian(width=1.0), X, [1.0, 1.0, 2.0], 1e-6).jitter_ == 0.0


def test_too_many_rows_are_refused_with_what_they_would_take():
    X = np.zeros((GaussianProcessRegressor.largest + 1, 1))
    with pytest.raises(DataError, match=r"3\.2 GB.*sensible up to 10,000 rows.*Nystroem"):
        GaussianProcessRegressor().fit(X, X[:, 0])
    model = fitted(Gaussian(width=1.0), *rows(0))
    with pytest.raises(DataError, match=r"0\.8 GB"):
        model.sample_y(np.zeros((10_001, 2)))


def test_what_is_no_covariance_is_refused():
    X, y = rows(0)
    with pytest.raises(ParameterError, match="is not a covariance"):
        GaussianProcessRegressor(Multiquadric()).fit(X, y)
    with pytest.raises(DataError, match="negative eigenvalues"):
        fitted(Custom(lambda A, B: -(A @ B.T)), X, y, 0.1)


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda model: model.predict([[0.0, 0.0]], return_std=True, return_cov=True), "ask for one"),
        (lambda model: model.predict_interval([[0.0, 0.0]], level=1.0), "between 0 and 1"),
        (lambda model: model.sample_y([[0.0, 0.0]], 0), "at least one"),
        (lambda model: model.log_marginal_likelihood([0.0]), "2 finite numbers, the logarithms of width, noise"),
    ],
)
def test_senseless_questions_are_refused(ask, match):
    with pytest.raises(ParameterError, match=match):
        ask(fitted(Gaussian(width=1.0), *rows(0)))


def test_missing_values_and_weights_of_nothing_are_refused():
    pa = pytest.importorskip("pyarrow")
    gap = pa.table({"a": [None, 1.0, None, 2.0], "y": [1.0, 2.0, 3.0, 4.0], "w": [0, 1, 1, 1], "none": [0] * 4})
    with pytest.raises(DataError, match=r"'a' is missing \(NaN\) in row 3"):
        GaussianProcessRegressor().fit(read(gap, "y", weight="w"))
    with pytest.raises(DataError, match="sum to zero"):
        GaussianProcessRegressor().fit(read(gap, "y", weight="none"))
    model = fitted(Gaussian(width=1.0), gap.slice(3).select(["a"]), [4.0])
    with pytest.raises(DataError, match="'a' is missing"):
        model.predict(gap.select(["a"]))


def test_numbers_that_overflow_are_refused_with_their_rows():
    X, y = rows(0)
    with pytest.raises(DataError, match="not finite between rows 1 and 1: scale the columns"):
        fitted(Polynomial(degree=9), 1e40 * X, y)
    with pytest.raises(DataError, match="the answer for row 1 of X is not finite"):
        fitted(Polynomial(degree=9), X, y).predict(1e60 * X)


def test_targets_without_a_finite_likelihood_are_refused():
    with pytest.raises(DataError, match="no finite solution: the target reaches 1e\\+308 in size; divide it"):
        GaussianProcessRegressor(Gaussian(), noise=0.0).fit([[0.0], [1.0], [2.0]], [0.0, 1e308, 0.0])


def test_tiny_weights_do_not_make_the_search_long():
    """Rows count once at least where the likelihood is taken per target, so that its rounding stays small."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    model = GaussianProcessRegressor().fit(X, X.sum(axis=1), np.full(12, 1e-20))
    assert model.converged_
