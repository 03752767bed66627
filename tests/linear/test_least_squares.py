"""Least squares: the numbers, its laws, and scipy, scikit-learn and fractions as oracles."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.stats
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novacula.errors import RankWarning
from novacula.linear import LinearRegression

laws = settings(deadline=None)
quiet = pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")


@st.composite
def problems(draw, min_rows=8):
    """Well-conditioned problems of one to four columns, with whole weights and one or two targets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(min_rows, 40)), draw(st.integers(1, 4))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.normal(size=d)
    y = rng.normal(size=(n, 2)) if draw(st.booleans()) else rng.normal(size=n)
    return X, y, rng.integers(1, 4, n).astype(float)


def design(X):
    return np.column_stack([np.ones(len(X)), X])


# --- the numbers of the literature --------------------------------------------------------------------------


def test_affine_line_of_the_textbook(five):
    model = LinearRegression().fit(*five)
    assert model.coef_[0] == pytest.approx(0.584483, abs=5e-7)
    assert model.intercept_ == pytest.approx(0.695690, abs=5e-7)


def test_line_through_the_origin_of_the_textbook(five):
    model = LinearRegression(fit_intercept=False).fit(*five)
    assert model.coef_[0] == pytest.approx(0.832558, abs=5e-7)
    assert model.sigma_**2 == pytest.approx(0.141163, abs=5e-7)
    assert model.intercept_ == 0.0


def test_slope_in_closed_form(five):
    x, y = five[0][:, 0], five[1]
    slope = ((x * y).sum() - 5 * x.mean() * y.mean()) / ((x * x).sum() - 5 * x.mean() ** 2)
    model = LinearRegression().fit(*five)
    assert model.coef_[0] == pytest.approx(slope, rel=1e-14)
    assert model.intercept_ == pytest.approx(y.mean() - slope * x.mean(), rel=1e-14)


def test_longley_meets_the_certified_coefficients(longley):
    model = LinearRegression().fit(*longley)
    certified = [
        15.0618722713733,
        -0.0358191792925910,
        -2.02022980381683,
        -1.03322686717359,
        -0.0511041056535807,
    ]
    np.testing.assert_allclose(model.coef_, [*certified, 1829.15146461355], rtol=1e-10)
    assert model.intercept_ == pytest.approx(-3482258.63459582, rel=1e-10)


def test_polynomial_of_degree_ten_meets_exact_arithmetic(wiggle, exact):
    X, y = wiggle
    model = LinearRegression().fit(X, y)
    assert model.solver_ == "qr"
    np.testing.assert_allclose([model.intercept_, *model.coef_], exact(X, y), rtol=1e-6)
    by_scipy = scipy.linalg.lstsq(design(X), y)[0]
    np.testing.assert_allclose([model.intercept_, *model.coef_], by_scipy, rtol=1e-5)  # scipy itself is off by 2e-6


def test_a_worse_polynomial_warns_of_lost_digits(exact):
    x = np.linspace(10.0, 12.0, 60)
    X, y = np.vander(x, 9, increasing=True)[:, 1:], np.sin(x) + 0.01 * np.cos(50 * x)
    with pytest.warns(RankWarning, match=r"about \d digits of the coefficients can be trusted"):
        model = LinearRegression().fit(X, y)
    assert model.rank_ == 8
    right = exact(X, y)
    assert np.abs(model.coef_ / right[1:] - 1).max() < 1e-2
    np.testing.assert_allclose(model.predict(X), y - (y - design(X) @ right), atol=1e-3)


@laws
@given(st.integers(0, 2**32 - 1), st.floats(-8, -3), st.sampled_from([0.0, 1.0, 1e3]), st.booleans())
def test_nearly_dependent_columns_are_right_or_warned_of(exact, seed, closeness, offset, in_pieces):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3)) + offset
    X[:, 2] = X[:, 0] + 10.0**closeness * rng.normal(size=25)
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=25)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model = LinearRegression()
        model = model.partial_fit(X, y) if in_pieces else model.fit(X, y)
    right = exact(X, y)[1:]
    gap = np.linalg.norm((model.coef_ - right) * X.std(axis=0)) / np.linalg.norm(right * X.std(axis=0))
    assert gap < 1e-6 or warned


# --- laws ---------------------------------------------------------------------------------------------------


@laws
@given(problems())
def test_residuals_are_orthogonal_to_the_columns(problem):
    X, y, weight = problem
    model = LinearRegression().fit(X, y, weight)
    residual = y - model.predict(X)
    gradient = design(X).T @ (weight * residual.T).T
    scale = np.abs(design(X)).T @ (weight * np.abs(y.T)).T
    assert (np.abs(gradient) <= 1e-10 * (scale + 1)).all()


@laws
@given(problems(), st.booleans())
def test_weights_are_repetitions(problem, intercept):
    X, y, weight = problem
    weight[0] = 0.0
    repeat = np.repeat(np.arange(len(X)), weight.astype(int))
    one = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    other = LinearRegression(fit_intercept=intercept).fit(X[repeat], y[repeat])
    for name in ("coef_", "intercept_", "sigma_", "r2_", "rank_", "unit_errors_", "weight_"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-8, atol=1e-9, err_msg=name)


@laws
@given(problems(), st.integers(1, 7))
def test_partial_fit_is_fit_on_all_rows(problem, step):
    X, y, weight = problem
    whole, model = LinearRegression().fit(X, y, weight), LinearRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)  # of few rows at first
        for i in range(0, len(X), step):
            model.partial_fit(X[i : i + step], y[i : i + step], weight[i : i + step])
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), whole.coef_ * X.std(axis=0), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(model.sigma_, whole.sigma_, rtol=1e-7)


@laws
@given(problems(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(problem, random):
    X, y, weight = problem
    order = list(range(len(X)))
    random.shuffle(order)
    one, other = (
        LinearRegression().fit(X, y, weight),
        LinearRegression().fit(X[order], y[order], weight[order]),
    )
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9, atol=1e-12 * np.abs(one.coef_).max())


@laws
@given(problems(), st.integers(0, 2**32 - 1))
def test_least_squares_is_the_maximum_of_the_likelihood(problem, seed):
    X, y, _ = problem
    y = y if y.ndim == 1 else y[:, 0]
    model, rng = LinearRegression().fit(X, y), np.random.default_rng(seed)

    def likelihood(coef, intercept, sigma):
        return scipy.stats.norm.logpdf(y, intercept + X @ coef, sigma).sum()

    best = likelihood(model.coef_, model.intercept_, model.sigma_)
    for size in (1e-1, 1e-3):
        coef = model.coef_ * (1 + size * rng.normal(size=X.shape[1]))
        sigma = model.sigma_ * np.exp(size * rng.normal())
        assert likelihood(coef, model.intercept_ + size * rng.normal(), sigma) < best
    assert best == pytest.approx(model.summary()[0].facts["log_likelihood"], rel=1e-9)


@laws
@given(problems())
def test_targets_do_not_disturb_each_other(problem):
    X, y, weight = problem
    both = np.column_stack([y, y]) if y.ndim == 1 else y
    model = LinearRegression().fit(X, both, weight)
    for k in range(both.shape[1]):
        alone = LinearRegression().fit(X, both[:, k], weight)
        np.testing.assert_allclose(model.coef_[k], alone.coef_, rtol=1e-9)
        assert model.sigma_[k] == pytest.approx(alone.sigma_, rel=1e-9)
        assert model.r2_[k] == pytest.approx(alone.r2_, rel=1e-9)


# --- other libraries ----------------------------------------------------------------------------------------


@laws
@given(problems(), st.booleans())
def test_agrees_with_scikit_learn(problem, intercept):
    X, y, weight = problem
    ours = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    theirs = sklearn.linear_model.LinearRegression(fit_intercept=intercept, tol=1e-14).fit(X, y, weight)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    np.testing.assert_allclose(ours.coef_ * X.std(axis=0), theirs.coef_ * X.std(axis=0), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(ours.score(X, y, weight), theirs.score(X, y, weight), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.mean(ours.r2_), theirs.score(X, y, weight), rtol=1e-8, atol=1e-9)


@quiet
@laws
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(2, 6), st.booleans())
def test_dependent_columns_give_the_solution_of_least_norm(seed, n, rank, intercept):
    rng = np.random.default_rng(seed)
    rank = min(rank, n - 1)
    basis = rng.normal(size=(n, rank))
    X = np.column_stack([basis, basis @ rng.normal(size=(rank, 3)), np.full(n, 7.5) if intercept else np.zeros(n)])
    y = rng.normal(size=(n, 2))
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    centre = X.mean(axis=0) * intercept
    right = scipy.linalg.lstsq(X - centre, y - y.mean(axis=0) * intercept, cond=1e-10)[0]
    np.testing.assert_allclose(model.coef_.T, right, rtol=1e-6, atol=1e-8)
    assert model.rank_ == rank
    singular = np.linalg.svd(X - centre, compute_uv=False)
    np.testing.assert_allclose(model.singular_, singular[: len(model.singular_)], atol=1e-9 * singular[0])
    assert np.isnan(model.unit_errors_).all()


@quiet
@laws
@given(hnp.arrays(np.float64, (9, 4), elements=st.integers(-2, 2).map(float)))
def test_small_whole_numbers_of_any_rank(X):
    y = np.arange(9.0) ** 2
    model = LinearRegression().fit(X, y)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(model.coef_, scipy.linalg.lstsq(centred, y - y.mean(), cond=1e-10)[0], atol=1e-9)
    assert model.rank_ == np.linalg.matrix_rank(centred, tol=1e-9)


@quiet
def test_least_norm_does_not_suffer_from_units():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 50))
    X = np.column_stack([1e6 * a, 1e-6 * b, 1e-6 * b, 1e-6 * (a + b)])
    y = a + 2 * b + 0.1 * rng.normal(size=50)
    model = LinearRegression().fit(X, y)
    assert model.rank_ == 2
    right = LinearRegression().fit(np.column_stack([a, b]), y)
    np.testing.assert_allclose(model.predict(X), right.predict(np.column_stack([a, b])), rtol=1e-9)


@pytest.mark.parametrize("far", [1e8, -1e8])
def test_columns_far_from_zero_keep_their_digits(far):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(500, 3)) * 2**10) / 2**10  # on a grid that survives the shift
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=500)
    near, moved = LinearRegression().fit(X, y), LinearRegression().fit(X + far, y)
    np.testing.assert_allclose(moved.coef_, near.coef_, rtol=1e-9)
    assert moved.sigma_ == pytest.approx(near.sigma_, rel=1e-9)


def test_dependence_is_seen_far_from_zero():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) + 1e8
    X[:, 2] = (X[:, 0] + X[:, 1]) / 2  # right up to the rounding of numbers near 1e8
    with pytest.warns(RankWarning, match="span 2 of 3 directions"):
        model = LinearRegression().fit(X, rng.normal(size=300))
    assert np.abs(model.coef_).max() < 1.0


def test_dependence_is_seen_in_single_precision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).astype(np.float32)
    X[:, 2] = X[:, 0] * np.float32(0.3) + X[:, 1]
    with pytest.warns(RankWarning, match="span 2 of 3 directions"):
        model = LinearRegression().fit(X, rng.normal(size=300))
    assert np.abs(model.coef_).max() < 1.0


def test_an_exact_fit_leaves_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    model = LinearRegression().fit(X, X @ [1.0, 2.0, 3.0] + 4.0)
    assert model.sigma_ < 1e-13
    assert model.r2_ == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("intercept", [True, False])
def test_r2_of_a_constant_target(intercept):
    X = np.arange(12.0)[:, None]
    model = LinearRegression(fit_intercept=intercept).fit(X, np.full(12, 0.1))
    assert model.r2_ == (1.0 if intercept else 0.0)
