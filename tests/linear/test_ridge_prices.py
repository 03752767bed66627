"""Ridge with factors of the penalty, with weights that are not negative, and by the rule of one standard error."""

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.checks import check_equations
from novacula.errors import ParameterError, RankWarning
from novacula.linear import LinearRegression, Ridge

from ..shared_checks import checks_of_settings

laws = settings(deadline=None)
alphas = st.floats(-3, 3).map(lambda power: 10.0**power)
GRID = np.array([0.01, 1.0, 30.0])


ANY_ROWS, ANY_COLUMNS = st.integers(4, 25), st.integers(1, 7)


@st.composite
def priced(draw, rows=ANY_ROWS, columns=ANY_COLUMNS):
    """Problems of any shape, fewer free columns than rows among them, with whole weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(rows), draw(columns)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2, d) + rng.normal(size=d)
    y = rng.normal(size=(n, 2)) + 3.0 if draw(st.booleans()) else rng.normal(size=n)
    factor = rng.choice([0.0, 0.3, 1.0, 5.0], d)
    factor[2:] = np.maximum(factor[2:], 0.3)
    return X, y, rng.integers(1, 4, n).astype(float), factor


def by_formula(X, y, weight, charge, intercept):
    """(XᵀX + αF)⁻¹Xᵀy with an unpenalised column of ones."""
    d = X.shape[1]
    design = np.column_stack([X, np.ones(len(X))]) if intercept else X
    penalty = np.diag(np.append(charge, 0.0) if intercept else charge)
    solved = np.linalg.solve(design.T @ (weight[:, None] * design) + penalty, design.T @ (weight * y.T).T)
    return (solved[:d].T, solved[d]) if intercept else (solved.T, 0.0)


# --- factors ------------------------------------------------------------------------------------------------


@laws
@given(priced(), alphas, st.booleans())
def test_factors_are_the_formula(problem, alpha, intercept):
    X, y, weight, factor = problem
    model = Ridge(alpha, fit_intercept=intercept, penalty_factor=factor).fit(X, y, weight)
    coef, b = by_formula(X, y, weight, alpha * factor, intercept)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-6, atol=1e-8)
    path = Ridge(fit_intercept=intercept, penalty_factor=factor).path(X, y, [alpha], weight)
    np.testing.assert_allclose(path.coef[0], model.coef_, rtol=1e-9, atol=1e-10)


@laws
@given(priced(rows=st.integers(6, 12), columns=st.integers(1, 7)), st.booleans())
def test_leaving_one_out_with_factors_is_brute_force(problem, intercept):
    X, y, weight, factor = problem
    model = Ridge("loo", alphas=GRID, fit_intercept=intercept, penalty_factor=factor).fit(X, y, weight)
    for i, alpha in enumerate(GRID):
        squares = []
        for row in range(len(X)):
            fewer = weight - np.eye(len(X))[row]
            coef, b = by_formula(X, y, fewer, alpha * factor, intercept)
            squares.append((y[row] - b - coef @ X[row]) ** 2)
        squares = np.repeat(squares, weight.astype(int), axis=0)
        np.testing.assert_allclose(model.loo_error_[i], squares.mean(axis=0), rtol=1e-5)
        std_error = squares.std(axis=0) / np.sqrt(len(squares))
        np.testing.assert_allclose(model.loo_std_error_[i], std_error, rtol=1e-4, atol=1e-9)


def test_factors_of_one_change_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    plain, ones = Ridge().fit(X, y), Ridge(penalty_factor=[1, 1, 1]).fit(X, y)
    np.testing.assert_array_equal(ones.coef_, plain.coef_)
    assert ones.solver_ == "cholesky"


def test_free_columns_alone_are_least_squares():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    free = Ridge(1e3, penalty_factor=np.zeros(3)).fit(X, y)
    np.testing.assert_allclose(free.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-10)
    heavy = Ridge(1e14, penalty_factor=[0, 1, 1]).fit(X, y)
    np.testing.assert_allclose(heavy.coef_[0], LinearRegression().fit(X[:, :1], y).coef_[0], rtol=1e-9)


def test_factors_by_name(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "$b$", "c"])
    y = rng.normal(size=30)
    named = Ridge(2.0, penalty_factor={"$b$": 0.0, "c": 4.0}).fit(frame, y)
    listed = Ridge(2.0, penalty_factor=[1.0, 0.0, 4.0]).fit(frame, y)
    np.testing.assert_array_equal(named.coef_, listed.coef_)
    named.save(tmp_path / "m.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "m.nova").predict(frame), named.predict(frame))


def test_dependent_free_columns_are_reported():
    X = np.column_stack([np.arange(9.0), 2 * np.arange(9.0), np.sin(np.arange(9.0))])
    with pytest.warns(RankWarning, match="the columns span 2 of 3 directions"):
        Ridge(1.0, penalty_factor=[0, 0, 1]).fit(X, np.arange(9.0) ** 2)


# --- weights that are not negative --------------------------------------------------------------------------


@laws
@given(priced(), alphas)
def test_positive_weights_are_those_of_nnls(problem, alpha):
    X, y, weight, factor = problem
    model = Ridge(alpha, positive=True, penalty_factor=factor, fit_intercept=False).fit(X, y, weight)
    assert model.solver_ == "coordinate"
    design = np.vstack([np.sqrt(weight)[:, None] * X, np.diag(np.sqrt(alpha * factor))])
    for k, coef in enumerate(np.atleast_2d(model.coef_)):
        target = np.append(np.sqrt(weight) * y.reshape(len(y), -1)[:, k], np.zeros(X.shape[1]))
        right, distance = scipy.optimize.nnls(design, target)
        assert np.linalg.norm(design @ coef - target) <= distance * (1 + 1e-9)
        np.testing.assert_allclose(design @ coef, design @ right, rtol=1e-6, atol=1e-6)


@laws
@given(priced(), alphas)
def test_positive_weights_are_slack_or_have_no_gradient(problem, alpha):
    X, y, weight, factor = problem
    model = Ridge(alpha, positive=True, penalty_factor=factor).fit(X, y, weight)
    residual = (weight * (y - model.predict(X)).T).T
    pull = (X - np.average(X, axis=0, weights=weight)).T @ residual - (alpha * factor * model.coef_).T
    size = np.linalg.norm(X) * np.linalg.norm(residual) + 1.0
    assert (model.coef_ >= 0.0).all()
    assert pull.max() <= 1e-9 * size
    np.testing.assert_allclose(pull[model.coef_.T > 0.0], 0.0, atol=1e-9 * size)


def test_sweeps_that_run_out_before_all_columns_were_seen_are_not_the_end():
    """The last sweep allowed was one over the weights that are not zero, and its standstill was taken for the end."""
    X = np.array([[-1.51139321, 2.2957763, 18.20787536], [8.83908673, 3.40097759, -6.33112539]])
    X = np.vstack([X, [[-0.4698083, 1.95821024, 4.03734928], [13.57973484, 2.83624399, 20.61539957]]])
    y, weight = np.array([3.96546113, 3.37463037, 4.67278618, 2.46067316]), np.array([1.0, 3.0, 3.0, 3.0])
    model = Ridge(1.0, positive=True, penalty_factor=[1, 0, 1], fit_intercept=False).fit(X, y, weight)
    design = np.vstack([np.sqrt(weight)[:, None] * X, np.diag([1.0, 0.0, 1.0])])
    right, _ = scipy.optimize.nnls(design, np.append(np.sqrt(weight) * y, np.zeros(3)))
    np.testing.assert_allclose(model.coef_, right, rtol=1e-8, atol=1e-10)


def test_a_bound_that_does_not_bind_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    y = X @ [1.0, 2.0, 3.0, 4.0] + 0.1 * rng.normal(size=50)
    np.testing.assert_allclose(Ridge(positive=True).fit(X, y).coef_, Ridge().fit(X, y).coef_, rtol=1e-10)


def test_positive_has_no_closed_form_for_rows_left_out(five):
    with pytest.raises(ParameterError, match="alpha='loo' has no closed form with positive=True"):
        Ridge("loo", positive=True).fit(*five)
    with pytest.raises(ParameterError, match="a path has no closed form with positive=True"):
        Ridge(positive=True).path(*five)


# --- the simplest penalty that is as good -------------------------------------------------------------------


def test_one_standard_error_takes_the_largest_penalty_that_is_as_good():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 8))
    y = X @ rng.normal(size=8) + 3 * rng.normal(size=40)
    grid = np.logspace(-2, 4, 30)
    path = Ridge().path(X, y, grid)
    best = path.loo_error.argmin()
    limit = path.loo_error[best] + path.loo_std_error[best]
    right = max(i for i in range(30) if path.loo_error[i] <= limit)
    assert path.choose() == best < right == path.choose("one_standard_error")
    for how, place in (("best", best), ("one_standard_error", right)):
        model = Ridge("loo", alphas=grid, choice=how).fit(X, y)
        assert model.alpha_ == grid[place]
        check_equations(model)
    with pytest.raises(ParameterError, match="choice is 'worst'"):
        path.choose("worst")


# --- the learner --------------------------------------------------------------------------------------------

NAMED = Ridge(0.5, penalty_factor={"x0": 0.0, "x2": 3.0})
OF_OTHER_COLUMNS = "scikit_learn", "nasty_names"
SETTINGS = [
    *checks_of_settings(Ridge(0.5, positive=True), Ridge("loo", choice="one_standard_error")),
    *checks_of_settings(NAMED, leave_out=OF_OTHER_COLUMNS),
]


@pytest.mark.parametrize("check", SETTINGS)
def test_shared_checks(check):
    check()


@settings(deadline=None)
@given(priced(), alphas, st.booleans(), st.booleans())
def test_arithmetic_is_that_of_the_model(problem, alpha, intercept, positive):
    X, y, weight, factor = problem
    model = Ridge(alpha, fit_intercept=intercept, positive=positive, penalty_factor=factor).fit(X, y, weight)
    check_equations(model)
    check_equations(model, X)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        ([1.0], r"penalty_factor has shape \(1,\); it must have one number for each of 2 columns"),
        ([1.0, -1.0], "penalties must be finite and not negative"),
        ([1.0, np.nan], "penalties must be finite and not negative"),
        (["a", "b"], "penalty_factor is .* it must hold numbers"),
        ({"z": 1.0}, "penalty_factor names the column 'z', which is not there"),
        (3.0, "'penalty_factor' parameter"),
    ],
)
def test_bad_factors_are_refused(factor, words):
    with pytest.raises(ValueError, match=words):
        Ridge(penalty_factor=factor).fit([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]], [1.0, 2.0, 3.0])
