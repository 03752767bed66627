"""Ridge regression: its laws, the closed forms against brute force, and scikit-learn as an oracle."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.checks import check_statistic
from novacula.errors import DataError, ParameterError, RankWarning, SchemaError
from novacula.linear import LinearRegression, Ridge
from novacula.linear.spectrum import LeaveOneOutSums
from novacula.table import Chunk

from ..shared_checks import checks_of_settings

laws = settings(deadline=None)
quiet = pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")


ANY_ROWS, ANY_COLUMNS = st.integers(3, 30), st.integers(1, 8)


@st.composite
def problems(draw, rows=ANY_ROWS, columns=ANY_COLUMNS):
    """Problems of any shape, tall or wide, with whole weights and one or two targets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(rows), draw(columns)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    y = rng.normal(size=(n, 2)) + 3.0 if draw(st.booleans()) else rng.normal(size=n)
    return X, y, rng.integers(1, 4, n).astype(float)


alphas = st.floats(-3, 3).map(lambda power: 10.0**power)


def by_formula(X, y, weight, alpha, intercept):
    """(XᵀX + αI)⁻¹Xᵀy with an unpenalised column of ones."""
    d = X.shape[1]
    design = np.column_stack([X, np.ones(len(X))]) if intercept else X
    penalty = alpha * np.eye(design.shape[1])
    if intercept:
        penalty[d, d] = 0.0
    solved = np.linalg.solve(design.T @ (weight[:, None] * design) + penalty, design.T @ (weight * y.T).T)
    return (solved[:d].T, solved[d]) if intercept else (solved.T, 0.0)


# --- laws ---------------------------------------------------------------------------------------------------


@laws
@given(problems(), alphas, st.booleans())
def test_is_the_formula(problem, alpha, intercept):
    X, y, weight = problem
    model = Ridge(alpha, fit_intercept=intercept).fit(X, y, weight)
    coef, b = by_formula(X, y, weight, alpha, intercept)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-7, atol=1e-9)


@laws
@given(problems(), alphas, st.booleans())
def test_agrees_with_scikit_learn(problem, alpha, intercept):
    X, y, weight = problem
    ours = Ridge(alpha, fit_intercept=intercept).fit(X, y, weight)
    theirs = sklearn.linear_model.Ridge(alpha, fit_intercept=intercept, solver="svd").fit(X, y, weight)
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7, atol=1e-9)


@laws
@given(problems(), alphas)
def test_the_gradient_is_zero(problem, alpha):
    X, y, weight = problem
    model = Ridge(alpha).fit(X, y, weight)
    residual = (weight * (y - model.predict(X)).T).T
    np.testing.assert_allclose(X.T @ residual, alpha * model.coef_.T, atol=1e-8 * (1 + alpha))
    np.testing.assert_allclose(residual.sum(axis=0), 0.0, atol=1e-9 * weight.sum())


@laws
@given(problems(rows=st.integers(12, 30), columns=st.integers(1, 4)), st.booleans())
def test_no_penalty_is_least_squares(problem, intercept):
    X, y, weight = problem
    plain = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_array_equal(Ridge(0.0, fit_intercept=intercept).fit(X, y, weight).coef_, plain.coef_)
    small = Ridge(1e-9, fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_allclose(small.coef_, plain.coef_, rtol=1e-6, atol=1e-7)


@quiet
@laws
@given(problems(rows=st.integers(3, 6), columns=st.integers(7, 12)))
def test_a_vanishing_penalty_leads_to_the_least_norm(problem):
    X, y, weight = problem
    np.testing.assert_allclose(
        Ridge(1e-10).fit(X, y, weight).coef_, LinearRegression().fit(X, y, weight).coef_, rtol=1e-5, atol=1e-6
    )


@laws
@given(problems(), alphas, st.floats(1.01, 100.0))
def test_a_larger_penalty_makes_shorter_weights_and_a_larger_error(problem, alpha, factor):
    X, y, weight = problem
    small, large = Ridge(alpha).fit(X, y, weight), Ridge(alpha * factor).fit(X, y, weight)
    assert np.linalg.norm(large.coef_) <= np.linalg.norm(small.coef_) * (1 + 1e-10)

    def error(model):
        return (weight * (y - model.predict(X)).T ** 2).sum()

    assert error(large) >= error(small) * (1 - 1e-10)


@laws
@given(problems(), alphas)
def test_weights_are_repetitions(problem, alpha):
    X, y, weight = problem
    repeat = np.repeat(np.arange(len(X)), weight.astype(int))
    one, other = Ridge(alpha).fit(X, y, weight), Ridge(alpha).fit(X[repeat], y[repeat])
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-8, atol=1e-10)


@laws
@given(problems(rows=st.integers(4, 9), columns=st.just(4)), alphas)
def test_the_equations_of_rows_are_those_of_columns(problem, alpha):
    X, y, weight = problem
    wide = np.column_stack([X, np.zeros((len(X), len(X)))])  # more columns than rows, none of which adds anything
    primal, dual = Ridge(alpha).fit(X, y, weight), Ridge(alpha).fit(wide, y, weight)
    assert (primal.solver_, dual.solver_) == ("cholesky", "dual")
    np.testing.assert_allclose(dual.coef_[..., :4], primal.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(dual.intercept_, primal.intercept_, rtol=1e-8, atol=1e-10)


@laws
@given(problems(), alphas, st.integers(1, 9))
def test_partial_fit_is_fit_on_all_rows(problem, alpha, step):
    X, y, weight = problem
    whole, model = Ridge(alpha).fit(X, y, weight), Ridge(alpha)
    for i in range(0, len(X), step):
        model.partial_fit(X[i : i + step], y[i : i + step], weight[i : i + step])
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-7, atol=1e-8)


@laws
@given(problems(), alphas, alphas)
def test_each_target_has_its_penalty(problem, one, other):
    X, y, weight = problem
    both = y if y.ndim == 2 else np.column_stack([y, y**2])
    model = Ridge([one, other]).fit(X, both, weight)
    for k, alpha in enumerate((one, other)):
        np.testing.assert_allclose(model.coef_[k], Ridge(alpha).fit(X, both[:, k], weight).coef_, rtol=1e-9)
    if one != other:
        np.testing.assert_array_equal(model.alpha_, [one, other])


@pytest.mark.parametrize("alpha", [1e-12, 1e-6, 1e-2])
def test_ill_conditioned_columns_keep_their_digits(wiggle, alpha):
    X, y = wiggle
    model = Ridge(alpha).fit(X, y)
    scale = X.std(axis=0)
    centred = (X - X.mean(axis=0)) / scale  # the same problem, in which columns are of one size
    rows = np.vstack([centred, np.diag(np.sqrt(alpha) / scale)])
    right = np.linalg.lstsq(rows, np.append(y - y.mean(), np.zeros(10)), rcond=1e-17)[0] / scale
    assert model.solver_ == "qr"
    np.testing.assert_allclose(model.predict(X), y.mean() + (X - X.mean(axis=0)) @ right, rtol=1e-7)


# --- leaving rows out ---------------------------------------------------------------------------------------

GRID = np.array([0.01, 0.3, 1.0, 20.0])


def brute_force(X, y, weight, alpha, intercept):
    """Fit without one copy of each row, and see how far off it is predicted."""
    errors = []
    for i in range(len(X)):
        left = weight.copy()
        left[i] -= min(1.0, weight[i])
        coef, b = by_formula(X, y, left, alpha, intercept)
        errors.append((y[i] - b - X[i] @ coef.T) ** 2)
    return np.average(errors, axis=0, weights=weight)


@laws
@given(problems(), st.booleans(), st.booleans())
def test_leave_one_out_in_closed_form_is_brute_force(problem, intercept, fractional):
    X, y, weight = problem
    if fractional:
        weight = weight / 2.0  # some rows weigh less than one copy
    model = Ridge("loo", alphas=GRID, fit_intercept=intercept).fit(X, y, weight)
    right = np.array([brute_force(X, y, weight, alpha, intercept) for alpha in GRID])
    np.testing.assert_allclose(model.loo_error_, right, rtol=1e-6)
    average = right if right.ndim == 1 else right.mean(axis=1)
    assert average[model.alpha_ == GRID] <= average.min() * (1 + 1e-6)
    chosen = Ridge(model.alpha_, fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_array_equal(model.coef_, chosen.coef_)


@laws
@given(problems(), st.booleans())
def test_a_path_is_separate_fits(problem, intercept):
    X, y, weight = problem
    learner = Ridge(alphas=GRID, fit_intercept=intercept)
    path = learner.path(X, y, sample_weight=weight)
    loo = Ridge("loo", alphas=GRID, fit_intercept=intercept).fit(X, y, weight)
    np.testing.assert_allclose(path.loo_error, loo.loo_error_, rtol=1e-12)
    for i, alpha in enumerate(GRID):
        model = Ridge(alpha, fit_intercept=intercept).fit(X, y, weight)
        np.testing.assert_allclose(path.coef[i], model.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(path.intercept[i], model.intercept_, rtol=1e-7, atol=1e-9)
    assert not hasattr(learner, "n_features_in_")


def test_a_path_of_ill_conditioned_columns_is_separate_fits(wiggle):
    X, y = wiggle
    path = Ridge().path(X, y, [1e-6, 1e-3, 1.0])
    for i, alpha in enumerate(path.alphas):
        fitted = X @ path.coef[i] + path.intercept[i]
        np.testing.assert_allclose(fitted, Ridge(alpha).fit(X, y).predict(X), rtol=1e-6)


@quiet
def test_a_path_may_begin_with_least_squares(longley):
    X, y = longley
    path = Ridge().path(X, y, [0.0, 1.0])
    np.testing.assert_allclose(path.coef[0], LinearRegression().fit(X, y).coef_, rtol=1e-6)
    twice = np.column_stack([X[:, 0], X[:, 0]])
    alone = LinearRegression().fit(X[:, :1], y)
    np.testing.assert_allclose(Ridge().path(twice, y, [0.0]).coef[0], [alone.coef_[0] / 2] * 2, rtol=1e-9)


def test_path_figure_shows_the_largest_curves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 9))
    path = Ridge().path(pd.DataFrame(X, columns=list("abcdefghi")), X @ np.arange(9.0), [0.0, 0.1, 10.0])
    figure = path.figure()
    assert "the largest 7 of 9" in figure.title
    assert "i goes from" in figure.alt
    assert "a goes from" not in figure.alt
    assert figure.png().startswith(b"\x89PNG")


@laws
@given(st.integers(0, 2**32 - 1))
def test_leave_one_out_obeys_the_laws_of_statistics(seed):
    rng = np.random.default_rng(seed)
    chunk = Chunk(
        rng.normal(size=(20, 2)),
        np.empty((20, 0), np.int32),
        rng.integers(0, 3, 20) * 1.0,
        target=rng.normal(size=20),
    )
    rest = (
        np.array([0.1, 0.2, 0.3]),
        np.eye(2),
        np.array([[0.01, 0.02], [0.005, 0.01]]),
        rng.normal(size=(2, 1)),
        0.01,
    )
    check_statistic(lambda piece: LeaveOneOutSums.observe(piece, *rest), chunk, LeaveOneOutSums.zero(2, 1))


# --- one model at every scale -------------------------------------------------------------------------------


@pytest.mark.parametrize("check", checks_of_settings(Ridge("loo"), Ridge(0.0, fit_intercept=False)))
def test_shared_checks(check):
    check()


@pytest.mark.parametrize("alpha", [0.5, "loo"])
@pytest.mark.parametrize("n", [900, 3])
def test_stream_is_memory(tmp_path, alpha, n):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 5)) + np.array([0, 10, -1e3, 0, 0])
    y = X @ np.arange(5.0) + rng.normal(size=n)
    table = pa.table({f"x{j}": X[:, j] for j in range(5)} | {"y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
    memory = Ridge(alpha).fit(X, y)
    stream = Ridge(alpha).fit(nv.read(tmp_path / "rows.parquet", target="y"))
    np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=1e-9)
    assert stream.alpha_ == memory.alpha_
    assert stream.solver_ == memory.solver_ == ("dual" if n == 3 else "cholesky")


@pytest.mark.parametrize("n", [60, 4])
def test_sparse_rows_are_dense_rows(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.4)
    y = rng.normal(size=n)
    dense, sparse = Ridge("loo").fit(X, y), Ridge("loo").fit(scipy.sparse.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-12)
    np.testing.assert_allclose(sparse.loo_error_, dense.loo_error_, rtol=1e-12)


def test_works_in_searches_and_pipelines():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    y = X @ np.ones(6) + rng.normal(size=40)
    search = GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1e-3, 1.0, 1e4]}).fit(X, y)
    assert search.best_params_["ridge__alpha"] < 1e4


def test_a_saved_model_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    model = Ridge([1.0, 2.0]).fit(X, y)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alpha": -1.0}, "'alpha' parameter"),
        ({"alpha": "best"}, "'alpha' parameter"),
        ({"alpha": np.inf}, "'alpha' parameter"),
        ({"alpha": [-1.0]}, "penalties must be finite and not negative"),
        ({"alpha": [np.nan]}, "penalties must be finite and not negative"),
        ({"alpha": ["a"]}, "it must hold numbers"),
        ({"alpha": [10**400]}, "it must hold numbers"),
        (
            {"alpha": [1.0, 2.0]},
            r"alpha has shape \(2,\); it must be one number, or one for each of 1 targets",
        ),
        ({"alpha": [[1.0]]}, r"alpha has shape \(1, 1\)"),
        ({"alpha": "loo", "alphas": []}, "a list of at least one number"),
        ({"alpha": "loo", "alphas": [[1.0]]}, "a list of at least one number"),
        ({"alpha": "loo", "alphas": [1.0, -1.0]}, "penalties must be finite and not negative"),
        ({"alphas": 3.0}, "'alphas' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        Ridge(**parameters).fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])


def test_loo_needs_rows_to_leave_out():
    with pytest.raises(DataError, match="can leave out no row"):
        Ridge("loo").fit([[1.0]], [1.0])
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
        Ridge("loo").partial_fit([[1.0], [2.0]], [1.0, 2.0])


def test_a_refused_piece_is_not_counted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = Ridge().partial_fit(X[:10], y[:10])
    with pytest.raises(ParameterError, match="alpha has shape"):
        model.set_params(alpha=[1.0, 2.0]).partial_fit(X[10:], y[10:])
    model.set_params(alpha=1.0).partial_fit(X[10:], y[10:])
    np.testing.assert_allclose(model.coef_, Ridge().fit(X, y).coef_, rtol=1e-10)


def test_no_penalty_warns_as_least_squares_does():
    X = np.column_stack([np.arange(5.0), np.arange(5.0)])
    with pytest.warns(RankWarning, match="Ridge: the columns span 1 of 2 directions.*or raise alpha"):
        Ridge(0.0).fit(X, np.arange(5.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Ridge(1e-3).fit(X, np.arange(5.0))


@pytest.mark.parametrize("learner", [Ridge(), Ridge("loo")], ids=str)
def test_holes_and_words_are_refused(learner):
    with pytest.raises(ValueError, match="is missing"):
        learner.fit([[1.0], [np.nan], [2.0]], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="is infinite"):
        learner.path([[1.0], [np.inf], [2.0]], [1.0, 2.0, 3.0])
    with pytest.raises(SchemaError, match="column 'town' is not numeric"):
        learner.fit(pd.DataFrame({"town": ["x", "y"]}), [1.0, 2.0])


def test_path_needs_its_alphas_in_a_list():
    with pytest.raises(ParameterError, match="a list of at least one number"):
        Ridge().path([[1.0], [2.0]], [1.0, 2.0], 3.0)


def test_fourth_powers_of_errors_that_overflow_leave_their_spread_unknown():
    rows = np.random.default_rng(0).normal(size=(9, 2))
    model = Ridge(alpha="loo").fit(rows, 1e100 * rows.sum(axis=1) + 1e99 * np.arange(9) ** 2)
    assert np.isfinite(model.loo_error_).all()
    assert np.isposinf(model.loo_std_error_).all()
