"""Bayesian linear regression on data as they come: every scale, few rows, constant and dependent columns, bad input."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

import novacula as nv
from novacula.errors import DataError, ParameterError, RankWarning, SchemaError
from novacula.linear.bayesian import BayesianLinearRegression

from ..shared_checks import checks_of_settings

KINDS = [  # the defaults are checked with those of all learners
    BayesianLinearRegression(0.5, "inverse_gamma", shape=0.2, intercept_precision=1.0),
    BayesianLinearRegression(noise="evidence"),
    BayesianLinearRegression(0.01, "inverse_gamma", prior_mean=3.0, fit_intercept=False),
]


@pytest.mark.parametrize("check", checks_of_settings(*KINDS))
def test_shared_checks(check):
    check()


@pytest.mark.parametrize("noise", ["known", "inverse_gamma", "evidence"])
@pytest.mark.parametrize("n", [900, 4])
def test_stream_is_memory(tmp_path, noise, n):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 5)) + np.array([0, 10, -1e3, 0, 0])
    y = X @ np.arange(5.0) + rng.normal(size=n)
    table = pa.table({f"x{j}": X[:, j] for j in range(5)} | {"y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=100)
    memory = BayesianLinearRegression(noise=noise).fit(X, y)
    stream = BayesianLinearRegression(noise=noise).fit(nv.read(tmp_path / "rows.parquet", target="y"))
    np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=1e-9)
    np.testing.assert_allclose(stream.covariance_, memory.covariance_, rtol=1e-9)
    assert stream.log_evidence_ == pytest.approx(memory.log_evidence_, rel=1e-9)
    rows = nv.read(tmp_path / "rows.parquet", target="y")
    np.testing.assert_allclose(stream.predict_interval(rows), memory.predict_interval(X), rtol=1e-9)


def test_sparse_rows_are_dense_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.4)
    y = rng.normal(size=30)
    dense = BayesianLinearRegression().fit(X, y)
    sparse = BayesianLinearRegression().fit(scipy.sparse.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.covariance_, dense.covariance_, rtol=1e-12)
    _, std = sparse.predict(scipy.sparse.csr_matrix(X), return_std=True)
    np.testing.assert_allclose(std, dense.predict(X, return_std=True)[1], rtol=1e-12)


@pytest.mark.parametrize("noise", ["known", "inverse_gamma"])
def test_a_mean_far_off_costs_no_digits(noise):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(50, 3)), 3)
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=50)
    near, far = (BayesianLinearRegression(noise=noise).fit(X + offset, y) for offset in (0.0, 2.0**26))
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-7)
    query = X[:5]
    np.testing.assert_allclose(far.predict_interval(query + 2.0**26), near.predict_interval(query), rtol=1e-6)
    assert far.log_evidence_ == pytest.approx(near.log_evidence_, rel=1e-9)


def test_evidence_of_pieces_is_evidence_of_all_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X @ rng.normal(size=4) + rng.normal(size=60)
    whole, model = BayesianLinearRegression(noise="evidence").fit(X, y), BayesianLinearRegression(noise="evidence")
    for start in range(0, 60, 20):
        model.partial_fit(X[start : start + 20], y[start : start + 20])
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
    assert model.alpha_ == pytest.approx(whole.alpha_, rel=1e-9)


def test_another_kind_of_noise_leaves_nothing_behind():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = BayesianLinearRegression(noise="inverse_gamma").partial_fit(X[:10], y[:10])
    model.set_params(noise="known").partial_fit(X[10:], y[10:])
    whole = BayesianLinearRegression().fit(X, y)
    assert not hasattr(model, "shape_")
    np.testing.assert_allclose(model.predict_interval(X), whole.predict_interval(X), rtol=1e-9)


# --- little data --------------------------------------------------------------------------------------------


def test_one_row_moves_the_prior_a_little():
    model = BayesianLinearRegression(4.0, prior_mean=[1.0, 2.0], fit_intercept=False).fit([[1.0, 0.0]], [3.0])
    np.testing.assert_allclose(model.coef_, [1.0 + 2.0 / 5.0, 2.0])
    np.testing.assert_allclose(model.covariance_, np.diag([1 / 5.0, 1 / 4.0]))


@pytest.mark.parametrize("noise", ["known", "inverse_gamma", "evidence"])
def test_a_column_that_does_not_vary_keeps_its_prior(noise):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y = 2 * X[:, 0] + rng.normal(size=20)
    still = np.column_stack([X, np.full(20, 0.1)])
    plain = BayesianLinearRegression(2.0, noise, prior_mean=0.5).fit(X, y)
    model = BayesianLinearRegression(2.0, noise, prior_mean=0.5).fit(still, y)
    np.testing.assert_allclose(model.coef_, [*plain.coef_, 0.5], rtol=1e-9)
    alpha = getattr(model, "alpha_", 1.0)
    unit = model.noise_variance_ if noise == "inverse_gamma" else 1.0
    assert model.covariance_[3, 3] == pytest.approx(unit / (2.0 * alpha))
    assert model.log_evidence_ == pytest.approx(plain.log_evidence_, rel=1e-9)


def test_only_constant_columns_leave_the_prior_as_it_is():
    model = BayesianLinearRegression(2.0, "evidence").fit(np.ones((4, 2)), [1.0, 2.0, 4.0, 3.0])
    np.testing.assert_array_equal(model.coef_, 0.0)
    assert model.alpha_ == pytest.approx(1.0)
    assert model.noise_variance_ == pytest.approx(5.0 / 3.0)


def test_dependent_columns_share_what_a_prior_holds_apart():
    x = np.arange(6.0)
    model = BayesianLinearRegression(1e-3).fit(np.column_stack([x, x]), x)
    assert model.coef_[0] == pytest.approx(model.coef_[1])
    assert model.covariance_[1, 1] == pytest.approx(500.0, rel=1e-2)  # of w₁ − w₂ the rows say nothing


def test_a_prior_too_weak_for_nearly_dependent_columns_warns():
    x = np.linspace(0.0, 1.0, 20)
    X = np.column_stack([x, x + 1e-6 * np.sin(9 * x)])
    with pytest.warns(RankWarning, match="digits of the coefficients can be trusted.*raise prior_precision"):
        BayesianLinearRegression(1e-12).fit(X, x)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"prior_precision": -1.0}, "'prior_precision' parameter"),
        ({"prior_precision": [-1.0, 1.0]}, "holds -1; a precision must not be negative"),
        ({"prior_precision": [1.0, 1.0, 1.0]}, r"has shape \(3,\); it must be a number, one for each of 2 columns"),
        ({"prior_precision": [[1.0, 2.0], [2.0, 1.0]]}, "has the eigenvalue -1; it must be positive semi-definite"),
        ({"prior_precision": [[1.0, 0.5], [0.0, 1.0]]}, r"not symmetric: it holds 0.5 at \(0, 1\) and 0 at \(1, 0\)"),
        ({"prior_precision": [1.0, np.nan]}, "must be finite"),
        ({"prior_precision": ["a", "b"]}, "must hold numbers"),
        ({"prior_precision": 0.0, "noise": "evidence"}, "flat in 2 of 2 directions"),
        ({"prior_precision": [[1.0, 1.0], [1.0, 1.0]], "noise": "evidence"}, "flat in 1 of 2 directions"),
        ({"prior_mean": [1.0]}, r"prior_mean has shape \(1,\)"),
        ({"prior_mean": np.inf}, "'prior_mean' parameter"),
        ({"noise_variance": 0.0}, "'noise_variance' parameter"),
        ({"noise_variance": np.inf}, "'noise_variance' parameter"),
        ({"noise": "gamma"}, "'noise' parameter"),
        ({"shape": -1.0}, "'shape' parameter"),
        ({"scale": np.nan}, "'scale' parameter"),
        ({"intercept_precision": -1.0}, "'intercept_precision' parameter"),
        ({"intercept_precision": 1.0, "fit_intercept": False}, "no meaning with fit_intercept=False"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    X = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 4.0]])
    with pytest.raises(ValueError, match=words):
        BayesianLinearRegression(**parameters).fit(X, [1.0, 2.0, 3.0, 5.0])


def test_a_singular_precision_that_the_rows_complete_is_taken():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = BayesianLinearRegression([[1.0, 1.0], [1.0, 1.0]], fit_intercept=False).fit(X, y)
    right = np.linalg.inv(X.T @ X + np.ones((2, 2)))
    np.testing.assert_allclose(model.covariance_, right, rtol=1e-9)
    np.testing.assert_allclose(model.coef_, right @ X.T @ y, rtol=1e-9)


@pytest.mark.parametrize("noise", ["known", "inverse_gamma"])
def test_what_neither_rows_nor_prior_determine_is_refused(noise):
    x = np.arange(6.0)
    with pytest.raises(DataError, match=r"leave directions undetermined.*raise prior_precision"):
        BayesianLinearRegression(0.0, noise).fit(np.column_stack([x, 2 * x]), x)
    with pytest.raises(DataError, match="leave directions undetermined"):
        BayesianLinearRegression(0.0, noise).fit(np.eye(3), [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match=r"'still' does not vary.*drop the column, or raise prior_precision"):
        BayesianLinearRegression(0.0, noise).fit(pd.DataFrame({"x": x, "still": 1.0}), x)


def test_noise_that_cannot_be_estimated_is_refused():
    x = np.arange(4.0)[:, None]
    with pytest.raises(DataError, match="raise scale"):
        BayesianLinearRegression(0.0, "inverse_gamma", shape=0.0, scale=0.0).fit(x, 2 * x[:, 0] + 1)
    with pytest.raises(DataError, match="leave nothing to estimate the noise from"):
        BayesianLinearRegression(0.0, "inverse_gamma", shape=0.0, scale=0.0).fit(x[:2], [1.0, 3.0])
    with pytest.raises(DataError, match="say nothing of the noise besides a flat intercept"):
        BayesianLinearRegression(noise="evidence").fit(x[:1], [1.0])
    with pytest.raises(DataError, match="the target does not vary"):
        BayesianLinearRegression(noise="evidence").fit(x, np.ones(4))


def test_evidence_without_a_maximum_says_so():
    x = np.linspace(-1.0, 1.0, 9)[:, None]
    with pytest.warns(ConvergenceWarning, match="as the prior narrows, for the columns say nothing of the target"):
        model = BayesianLinearRegression(noise="evidence").fit(x, np.abs(x[:, 0]))
    assert not model.converged_
    np.testing.assert_allclose(model.coef_, 0.0, atol=1e-9)
    assert model.noise_variance_ == pytest.approx(np.var(np.abs(x)) * 9 / 8)


def test_evidence_of_an_exact_plane_holds_a_little_noise():
    x = np.arange(9.0)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = BayesianLinearRegression(noise="evidence").fit(x, 2 * x[:, 0] + 1)
    assert model.coef_[0] == pytest.approx(2.0)
    assert 0.0 < model.noise_variance_ < 1e-9


def test_too_few_iterations_are_reported():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    with pytest.warns(ConvergenceWarning, match="as many as max_iter allows"):
        model = BayesianLinearRegression(noise="evidence", max_iter=1).fit(X, X[:, 0] + rng.normal(size=30))
    assert model.n_iter_ == 1
    assert not model.converged_


def test_holes_words_weights_and_targets_are_refused():
    learner = BayesianLinearRegression()
    with pytest.raises(ValueError, match="is missing"):
        learner.fit([[1.0], [np.nan], [2.0]], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="is infinite"):
        learner.fit([[1.0], [np.inf], [2.0]], [1.0, 2.0, 3.0])
    with pytest.raises(SchemaError, match="column 'town' is not numeric"):
        learner.fit(pd.DataFrame({"town": ["x", "y"]}), [1.0, 2.0])
    with pytest.raises(ValueError, match="sum to zero"):
        learner.fit([[1.0], [2.0]], [1.0, 2.0], [0.0, 0.0])
    with pytest.raises(SchemaError, match="learns one target, and there are 2"):
        learner.fit([[1.0], [2.0]], [[1.0, 2.0], [2.0, 3.0]])
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        assert learner.fit([[1.0], [2.0]], [[1.0], [2.0]]).coef_.shape == (1,)


def test_a_refused_piece_is_not_counted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = BayesianLinearRegression().partial_fit(X[:10], y[:10])
    with pytest.raises(ParameterError, match="prior_precision has shape"):
        model.set_params(prior_precision=[1.0]).partial_fit(X[10:], y[10:])
    with pytest.raises(ValueError, match="is missing"):
        model.set_params(prior_precision=1.0).partial_fit(np.full((2, 2), np.nan), [1.0, 2.0])
    model.partial_fit(X[10:], y[10:])
    np.testing.assert_allclose(model.coef_, BayesianLinearRegression().fit(X, y).coef_, rtol=1e-10)


def test_questions_without_sense_are_refused(five):
    model = BayesianLinearRegression().fit(*five)
    with pytest.raises(ParameterError, match="level is 95"):
        model.predict_interval([[1.0]], 95)
    with pytest.raises(ParameterError, match="level is 1"):
        model.summary(1)
    with pytest.raises(ParameterError, match="draw at least one plane"):
        model.sample_posterior(0)


@pytest.mark.parametrize(
    ("columns", "target", "sentence"),
    [
        (1.0, 1e-161, "the squares of the target sum to .*, too little to tell its noise from: multiply the target"),
        (1e-80, 1e140, "the sums of the rows vanish beside prior_precision: multiply the columns by some unit"),
        (1e-40, 1e140, "so large beside the columns that alpha_ is 0: divide the target by some unit"),
    ],
)
def test_scales_that_leave_no_evidence_are_said(columns, target, sentence):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    y = X.sum(axis=1) + rng.normal(size=12)
    with pytest.raises(DataError, match=sentence):
        BayesianLinearRegression(noise="evidence").fit(columns * X, target * y)
