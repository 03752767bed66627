"""The lasso and the elastic net: their laws, brute force over signs, and scikit-learn as an oracle."""

from itertools import product

import numpy as np
import pytest
import scipy.optimize
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from novacula.errors import DataError
from novacula.linear import Lasso, Ridge
from novacula.linear.lasso import regression as module
from novacula.linear.lasso.working_set import FIRST, LassoPrice, LassoState, WorkingSet, duality_gap
from novacula.linear.quadratic import solve_quadratic

laws = settings(deadline=None)
shares = st.sampled_from([1.0, 0.7, 0.2])
fractions = st.floats(-3, -0.1).map(lambda power: 10.0**power)


ANY_ROWS, ANY_COLUMNS = st.integers(4, 30), st.integers(1, 40)


@st.composite
def problems(draw, rows=ANY_ROWS, columns=ANY_COLUMNS):
    """Problems of any shape, tall or wide, with whole weights and one or two targets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(rows), draw(columns)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2, d) + rng.normal(size=d)
    y = rng.normal(size=(n, 2)) + 3.0 if draw(st.booleans()) else rng.normal(size=n)
    return X, y, rng.integers(1, 4, n).astype(float)


def largest(X, y, weight, share, intercept=True):
    """The least α that makes all weights zero, for the hardest target."""
    if intercept:
        X, y = (z - np.average(z, axis=0, weights=weight) for z in (X, y))
    return np.abs(X.T @ (weight * y.T).T).max() / weight.sum() / share


def objective(model, X, y, weight, k=None):
    """What is made smallest, of one target."""
    pick = (lambda values: values) if k is None else (lambda values: values[..., k])
    coef = model.coef_ if k is None else model.coef_[k]
    alpha, share, factor = np.broadcast_to(model.alpha_, 2)[k or 0], model.l1_ratio, model.penalty_factor
    factor = np.ones(X.shape[1]) if factor is None else factor
    error = weight @ (pick(y) - pick(model.predict(X))) ** 2 / 2 / weight.sum()
    return error + alpha * share * factor @ np.abs(coef) + alpha * (1 - share) / 2 * factor @ coef**2


def pulls(model, X, y, weight):
    """xⱼᵀr/n − α(1 − ρ)fⱼwⱼ (d, k), and αρfⱼ (d, 1)."""
    factor = np.ones(X.shape[1]) if model.penalty_factor is None else np.asarray(model.penalty_factor)
    centred = X - np.average(X, axis=0, weights=weight) if model.fit_intercept else X
    residual = (y - model.predict(X)).reshape(len(X), -1)
    pull = centred.T @ (weight[:, None] * residual) / weight.sum()
    charge = model.alpha_ * factor[:, None]
    return pull - charge * (1 - model.l1_ratio) * np.atleast_2d(model.coef_).T, charge * model.l1_ratio


# --- oracles ------------------------------------------------------------------------------------------------


@laws
@given(problems(), shares, fractions, st.booleans(), st.booleans())
def test_agrees_with_scikit_learn(problem, share, fraction, intercept, positive):
    X, y, weight = problem
    y = y if y.ndim == 1 else y[:, 0]
    alpha = fraction * largest(X, y, weight, share, intercept)
    ours = Lasso(alpha, share, fit_intercept=intercept, positive=positive).fit(X, y, weight)
    theirs = sklearn.linear_model.ElasticNet(
        alpha, l1_ratio=share, fit_intercept=intercept, positive=positive, tol=1e-12, max_iter=200_000
    ).fit(X, y, weight)
    theirs.alpha_, theirs.penalty_factor = alpha, None
    mine, other = objective(ours, X, y, weight), objective(theirs, X, y, weight)
    assert mine <= other * (1 + 1e-9)
    assert other - mine <= 1e-6 * other
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.converged_


@laws
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), shares, fractions, st.booleans())
def test_is_the_best_of_all_patterns_of_signs(seed, d, share, fraction, positive):
    rng = np.random.default_rng(seed)
    n = 12
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    X, y = X - X.mean(axis=0), y - y.mean()
    alpha = fraction * largest(X, y, np.ones(n), share)
    best = np.inf
    for signs in product((0, 1) if positive else (-1, 0, 1), repeat=d):
        live, sign = np.flatnonzero(signs), np.array(signs, float)
        hessian = X[:, live].T @ X[:, live] / n + alpha * (1 - share) * np.eye(len(live))
        w = np.zeros(d)
        w[live] = np.linalg.solve(hessian, X[:, live].T @ y / n - alpha * share * sign[live])
        if (w * sign >= 0).all():
            value = ((y - X @ w) ** 2).mean() / 2 + alpha * share * np.abs(w).sum() + alpha * (1 - share) / 2 * w @ w
            best = min(best, value)
    model = Lasso(alpha, share, positive=positive).fit(X, y)
    assert objective(model, X, y, np.ones(n)) == pytest.approx(best, rel=1e-10)


@laws
@given(problems(columns=st.integers(2, 30)), fractions)
def test_factors_are_columns_in_other_units(problem, fraction):
    X, y, weight = problem
    y = y if y.ndim == 1 else y[:, 0]
    factor = np.random.default_rng(0).choice([0.5, 1.0, 3.0], X.shape[1])
    alpha = fraction * largest(X / factor, y, weight, 1.0)
    ours = Lasso(alpha, penalty_factor=factor).fit(X, y, weight)
    scaled = Lasso(alpha).fit(X / factor, y, weight)
    np.testing.assert_allclose(X @ ours.coef_, X @ (scaled.coef_ / factor), atol=1e-7 * np.abs(y).max())


@laws
@given(problems(rows=st.integers(10, 30), columns=st.integers(3, 20)), fractions, shares)
def test_free_columns_are_taken_out_first(problem, fraction, share):
    """Frisch, Waugh and Lovell: the fit of what is left of the others and of y when free columns are taken out."""
    X, y, weight = problem
    weight, y = np.ones(len(X)), y if y.ndim == 1 else y[:, 0]
    factor = np.append([0.0, 0.0], np.ones(X.shape[1] - 2))
    design = np.column_stack([X[:, :2], np.ones(len(X))])
    rest, left = (z - design @ np.linalg.lstsq(design, z, rcond=None)[0] for z in (X[:, 2:], y))
    alpha = fraction * largest(rest, left, weight, share, intercept=False)
    ours = Lasso(alpha, share, penalty_factor=factor).fit(X, y)
    theirs = Lasso(alpha, share, fit_intercept=False).fit(rest, left)
    np.testing.assert_allclose(rest @ ours.coef_[2:], rest @ theirs.coef_, atol=1e-7 * np.abs(y).max())
    assert ours.alpha_max_ == pytest.approx(theirs.alpha_max_, rel=1e-8)
    residual = y - ours.predict(X)
    np.testing.assert_allclose(design.T @ residual, 0.0, atol=1e-8 * np.abs(X).max() * len(X))


@laws
@given(problems(rows=st.integers(8, 30), columns=st.integers(1, 6)), fractions)
def test_no_l1_is_ridge(problem, fraction):
    X, y, weight = problem
    model = Lasso(fraction, 0.0).fit(X, y, weight)
    ridge = Ridge(fraction * weight.sum()).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-6, atol=1e-9)
    positive = Lasso(fraction, 0.0, positive=True).fit(X, y, weight)
    bounded = Ridge(fraction * weight.sum(), positive=True).fit(X, y, weight)
    np.testing.assert_allclose(positive.coef_, bounded.coef_, rtol=1e-6, atol=1e-9)


def test_positive_without_penalty_is_nnls():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), rng.normal(size=30)
    model = Lasso(0.0, positive=True, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, scipy.optimize.nnls(X, y)[0], rtol=1e-9, atol=1e-12)


def test_orthonormal_columns_are_soft_thresholds():
    """Tibshirani (1996): with XᵀX = nI each weight is that of least squares, moved towards zero by α."""
    q, _ = np.linalg.qr(np.column_stack([np.ones(16), np.random.default_rng(0).normal(size=(16, 4))]))
    X = 4.0 * q[:, 1:]
    y = X @ [3.0, -2.0, 0.5, -0.1] + 7.0
    model = Lasso(0.5).fit(X, y)
    np.testing.assert_allclose(model.coef_, [2.5, -1.5, 0.0, 0.0], atol=1e-12)
    assert model.coef_[3] == 0.0
    assert model.intercept_ == pytest.approx(7.0)
    np.testing.assert_allclose(Lasso(0.5, 0.5).fit(X, y).coef_, np.array([2.75, -1.75, 0.25, 0.0]) / 1.25, atol=1e-12)


# --- laws ---------------------------------------------------------------------------------------------------


@laws
@given(problems(), shares, fractions, st.booleans(), st.booleans())
def test_the_conditions_of_the_optimum_hold(problem, share, fraction, positive, free):
    X, y, weight = problem
    factor = np.ones(X.shape[1])
    factor[0] = 0.0 if free else 2.0
    alpha = fraction * largest(X, y, weight, share)
    model = Lasso(alpha, share, positive=positive, penalty_factor=factor).fit(X, y, weight)
    pull, price = pulls(model, X, y, weight)
    w, slack = np.atleast_2d(model.coef_).T, 1e-7 * largest(X, y, weight, 1.0)
    if positive:
        assert (w >= 0.0).all()
        assert (pull <= price + slack).all()
    else:
        assert (np.abs(pull) <= price + slack).all()
    np.testing.assert_allclose(pull[w != 0.0], (np.sign(w) * price)[w != 0.0], atol=slack)


@laws
@given(problems(), shares, fractions)
def test_the_gap_bounds_what_is_left_to_gain(problem, share, fraction):
    """At any weights, for the minimum as it is found from elsewhere."""
    X, y, weight = problem
    y = y if y.ndim == 1 else y[:, 0]
    weight = np.ones(len(X))
    X, y = X - X.mean(axis=0), y - y.mean()
    alpha = fraction * largest(X, y, weight, share)
    theirs = sklearn.linear_model.ElasticNet(alpha, l1_ratio=share, tol=1e-12, max_iter=200_000).fit(X, y)
    price = LassoPrice.of(alpha, share, np.ones(X.shape[1]), False)

    def state(w):
        r = y - X @ w
        return LassoState(w, X.T @ r / len(X), r @ r / len(X))

    least = state(theirs.coef_).objective(price)
    rng = np.random.default_rng(0)
    for size in (0.0, 1e-3, 1.0):
        anywhere = state(theirs.coef_ + size * rng.normal(size=X.shape[1]))
        gap = duality_gap(WorkingSet(None), price, anywhere)
        assert gap >= 0.0
        assert anywhere.objective(price) - least <= gap + 1e-9 * least


@laws
@given(problems(), shares, st.floats(1.0, 3.0))
def test_from_alpha_max_on_all_weights_are_zero(problem, share, factor):
    X, y, weight = problem
    top = largest(X, y, weight, share)
    model = Lasso(top * factor * (1 + 1e-9), share).fit(X, y, weight)
    assert not model.coef_.any()
    assert not len(model.active_)
    assert np.max(model.alpha_max_) == pytest.approx(top, rel=1e-9)
    np.testing.assert_allclose(model.intercept_, np.average(y, axis=0, weights=weight), rtol=1e-9)
    assert Lasso(top * 0.99, share).fit(X, y, weight).coef_.any()


@laws
@given(problems(), shares, fractions)
def test_weights_are_repetitions(problem, share, fraction):
    X, y, weight = problem
    alpha = fraction * largest(X, y, weight, share)
    repeat = np.repeat(np.arange(len(X)), weight.astype(int))
    one, other = Lasso(alpha, share).fit(X, y, weight), Lasso(alpha, share).fit(X[repeat], y[repeat])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(one.history_[-1], other.history_[-1], rtol=1e-9)


@laws
@given(problems(), fractions, st.floats(-3, 3).map(lambda power: 10.0**power))
def test_units_of_the_target_and_of_all_columns(problem, fraction, unit):
    X, y, weight = problem
    alpha = fraction * largest(X, y, weight, 1.0)
    plain = Lasso(alpha).fit(X, y, weight)
    longer, wider = Lasso(alpha * unit).fit(X, y * unit, weight), Lasso(alpha * unit).fit(X * unit, y, weight)
    size = np.abs(plain.predict(X)).max()
    np.testing.assert_allclose(longer.predict(X) / unit, plain.predict(X), atol=1e-6 * size)
    np.testing.assert_allclose(wider.predict(X * unit), plain.predict(X), atol=1e-6 * size)


@laws
@given(problems(), shares, fractions)
def test_objectives_never_rise_and_targets_stand_alone(problem, share, fraction):
    X, y, weight = problem
    alpha = fraction * largest(X, y, weight, share)
    model = Lasso(alpha, share).fit(X, y, weight)
    assert (np.diff(model.history_) <= 1e-12 * model.history_[:-1]).all()
    assert model.n_iter_ == len(model.history_) - 1
    total = [objective(model, X, y, weight, k) for k in ((None,) if y.ndim == 1 else (0, 1))]
    assert model.history_[-1] == pytest.approx(sum(total), rel=1e-8)
    if y.ndim == 2:
        alone = Lasso(alpha, share).fit(X, y[:, 1], weight)
        np.testing.assert_allclose(model.predict(X)[:, 1], alone.predict(X), atol=1e-7 * np.abs(y).max())


@laws
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.booleans(), st.floats(0.0, 1.0))
def test_the_small_problem_is_solved_to_its_conditions(seed, p, positive, level):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(p + 3, p)) * 10.0 ** rng.integers(-3, 4, p)
    hessian, linear = root.T @ root, root.T @ rng.normal(size=p + 3)
    l1 = level * np.abs(linear) * rng.choice([0.0, 0.5, 1.0, 2.0], p)
    w = solve_quadratic(hessian, linear, l1, positive, np.zeros(p))
    pull, unit = linear - hessian @ w, np.sqrt(np.diagonal(hessian))
    slack = 1e-9 * np.abs(linear / unit).max() * unit
    assert ((pull if positive else np.abs(pull)) <= l1 + slack).all()
    live = w != 0.0
    assert (np.abs(pull - np.sign(w) * l1) <= slack)[live].all()
    assert not positive or (w >= 0.0).all()


def test_rows_and_sums_are_one_model(monkeypatch):
    """Passes for the products that are needed, or all products at once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 250)) + 5.0
    y = X[:, :30] @ rng.normal(size=30) + rng.normal(size=300)
    settings = [(0.05, {}), (0.05, {"l1_ratio": 0.5, "positive": True}), (0.05, {"penalty_factor": np.arange(250) % 3})]
    for alpha, more in settings:
        sums = Lasso(alpha, **more).fit(X, y)
        monkeypatch.setattr(module, "FEW", 10)
        rows = Lasso(alpha, **more).fit(X, y)
        monkeypatch.undo()
        assert (sums.solver_, rows.solver_) == ("sums", "rows")
        np.testing.assert_allclose(rows.coef_, sums.coef_, atol=1e-9)
        np.testing.assert_allclose(rows.history_[-1], sums.history_[-1], rtol=1e-10)


def test_rounds_that_run_out_are_reported():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 400))
    y = X[:, :20].sum(axis=1)
    with pytest.warns(ConvergenceWarning, match="Lasso: It stopped after 1 iteration, as many as max_iter allows"):
        model = Lasso(1e-3, max_iter=1).fit(X, y)
    assert not model.converged_
    assert model.dual_gap_ > 1e-6


def test_columns_that_cannot_all_enter_at_once_are_solved_to_the_conditions():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(700, 600)), rng.normal(size=700)
    weight = np.ones(700)
    alpha = 0.1 * largest(X, y, weight, 1.0)
    centred = X - X.mean(axis=0)
    assert (np.abs(centred.T @ (y - y.mean())) / 700 > alpha).sum() > 2 * FIRST  # want to enter the empty working set
    model = Lasso(alpha).fit(X, y)
    assert model.solver_ == "rows"
    pull, price = (values[:, 0] for values in pulls(model, X, y, weight))
    active = model.coef_ != 0.0
    assert active.sum() > FIRST
    np.testing.assert_allclose(pull[active], price[active] * np.sign(model.coef_[active]), rtol=1e-8)
    assert (np.abs(pull) <= price * (1.0 + 1e-8)).all()


def test_columns_that_are_nearly_equal_are_solved_to_the_conditions():
    """Coordinate descent alone would go on for ever: the equations of their weights are singular up to rounding."""
    rng = np.random.default_rng(3)
    X, y = 1e8 + rng.normal(size=(4, 12)), 1e8 * rng.normal(size=4)
    alpha = 0.1 * largest(X, y, np.ones(4), 1.0, intercept=False)
    model = Lasso(alpha, fit_intercept=False).fit(X, y)
    assert model.converged_
    assert model.n_iter_ < 5
    pull = X.T @ (y - model.predict(X)) / 4
    active = model.coef_ != 0.0
    np.testing.assert_allclose(pull[active], alpha * np.sign(model.coef_[active]), rtol=1e-8)
    assert (np.abs(pull) <= alpha * (1.0 + 1e-8)).all()


def test_an_objective_that_overflows_at_the_start_is_said():
    sentence = r"its equations have no finite solution: the target reaches 1e\+300 in size; divide it by some unit"
    with pytest.raises(DataError, match=f"^Lasso cannot be fitted, since {sentence}$"):
        Lasso(fit_intercept=False).fit(np.eye(2, 3), [1e300, 1e300])
