"""Least squares: the numbers, its laws, and scipy, scikit-learn and fractions as oracles."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.linalg
import scipy.sparse
import scipy.stats
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.checks import learner_checks
from novacula.errors import DataError, InputTypeError, ParameterError, RankWarning, SchemaError
from novacula.linear import LinearRegression

laws = settings(deadline=None, max_examples=40)
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
    np.testing.assert_allclose(
        [model.intercept_, *model.coef_], by_scipy, rtol=1e-5
    )  # scipy itself is off by 2e-6


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
@given(st.integers(0, 2**32 - 1), st.floats(-8, -3), st.sampled_from([0.0, 1.0, 1e3]))
def test_nearly_dependent_columns_are_right_or_warned_of(exact, seed, closeness, offset):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3)) + offset
    X[:, 2] = X[:, 0] + 10.0**closeness * rng.normal(size=25)
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=25)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        model = LinearRegression().fit(X, y)
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
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=1e-8, atol=1e-9, err_msg=name
        )


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
    np.testing.assert_allclose(
        ours.coef_ * X.std(axis=0), theirs.coef_ * X.std(axis=0), rtol=1e-8, atol=1e-10
    )
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
    X = np.column_stack(
        [basis, basis @ rng.normal(size=(rank, 3)), np.full(n, 7.5) if intercept else np.zeros(n)]
    )
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
    np.testing.assert_allclose(
        model.coef_, scipy.linalg.lstsq(centred, y - y.mean(), cond=1e-10)[0], atol=1e-9
    )
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


# --- one model at every scale -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, _ in learner_checks(LinearRegression())])
@pytest.mark.parametrize("intercept", [True, False])
def test_shared_checks(name, intercept):
    dict(learner_checks(LinearRegression(fit_intercept=intercept)))[name]()


@pytest.mark.parametrize("ill", [False, True])
def test_stream_is_memory(tmp_path, ill):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 4)) + np.array([0, 10, -1e3, 0])
    if ill:  # so that both passes are made
        X[:, 3] = X[:, 0] + 1e-4 * rng.normal(size=5000)
    y, weight = X @ [1, 2, 3, 4] + rng.normal(size=5000), rng.integers(0, 4, 5000).astype(float)
    columns = {f"x{j}": X[:, j] for j in range(4)}
    for i in range(3):
        part = pa.table(columns | {"y": y, "w": weight}).slice(i * 2000, 2000)
        pq.write_table(part, tmp_path / f"{i}.parquet", row_group_size=333)
    memory = LinearRegression().fit(X, y, weight)
    stream = LinearRegression().fit(nv.read(str(tmp_path / "*.parquet"), target="y", weight="w"))
    assert stream.solver_ == memory.solver_ == ("qr" if ill else "cholesky")
    np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=1e-9)
    assert stream.intercept_ == pytest.approx(memory.intercept_, rel=1e-9)
    assert stream.sigma_ == pytest.approx(memory.sigma_, rel=1e-9)
    assert list(stream.feature_names_in_) == list(columns)
    assert stream.score(nv.read(str(tmp_path / "*.parquet"), target="y", weight="w")) == pytest.approx(
        stream.r2_
    )


def test_frames_of_any_make_agree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    data = {"a": X[:, 0], "b": X[:, 1]}
    plain = LinearRegression().fit(X, y)
    for frame in (pd.DataFrame(data), pl.DataFrame(data), pa.table(data)):
        model = LinearRegression().fit(frame, y)
        np.testing.assert_array_equal(model.coef_, plain.coef_)
        np.testing.assert_array_equal(model.predict(frame), plain.predict(X))
        assert model.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_matrix])
def test_sparse_rows_are_dense_rows(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.3)
    y = rng.normal(size=60)
    dense, sparse = LinearRegression().fit(X, y), LinearRegression().fit(kind(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-12)
    np.testing.assert_allclose(sparse.predict(kind(X)), dense.predict(X), rtol=1e-12)


@quiet
def test_many_more_columns_than_memory_for_their_squares():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4, 40_000)), rng.normal(size=4)  # XᵀX would take 13 GB
    np.testing.assert_allclose(LinearRegression().fit(X, y).predict(X), y, rtol=1e-9)


def test_a_column_of_a_table_can_be_the_target_by_name():
    table = nv.read(
        pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 1.0, 4.0, 3.0], "c": [0.0, 1.0, 0.0, 2.0]})
    )
    one = LinearRegression().fit(table, "c")
    both = LinearRegression().fit(table, ["c", "b"])
    assert one.feature_names_in_.tolist() == ["a", "b"]
    assert one.target_names_ == ["c"]
    assert both.coef_.shape == (2, 1)
    np.testing.assert_allclose(
        both.coef_[:, 0], [np.polyfit([1, 2, 3, 4], t, 1)[0] for t in ([0, 1, 0, 2], [2, 1, 4, 3])]
    )


def test_partial_fit_takes_tables_whose_columns_stand_otherwise():
    first = nv.read(
        pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0], "y": [1.0, 2.0, 2.0]}), target="y"
    )
    second = nv.read(pd.DataFrame({"y": [3.0, 1.0], "b": [0.0, 4.0], "a": [5.0, 4.0]}), target="y")
    model = LinearRegression().partial_fit(first).partial_fit(second)
    X, y = np.array([[1, 1], [2, 0], [3, 1], [5, 0], [4, 4.0]]), np.array([1, 2, 2, 3, 1.0])
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-12)


# --- the scikit-learn contract ------------------------------------------------------------------------------


def test_works_in_pipelines_and_searches():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 0.0, -1.0] + 2.0 + 0.1 * rng.normal(size=80)
    pipeline = make_pipeline(StandardScaler(), LinearRegression()).fit(X, y)
    np.testing.assert_allclose(pipeline.predict(X), LinearRegression().fit(X, y).predict(X), rtol=1e-10)
    search = GridSearchCV(LinearRegression(), {"fit_intercept": [True, False]}).fit(X, y)
    assert search.best_params_ == {"fit_intercept": True}
    assert cross_val_score(LinearRegression(), X, y).min() > 0.9
    assert clone(LinearRegression(fit_intercept=False)).get_params() == {"fit_intercept": False}


def test_a_second_fit_forgets_the_first():
    rng = np.random.default_rng(0)
    model = LinearRegression().fit(pd.DataFrame({"a": [1.0, 2.0, 4.0]}), [1.0, 2.0, 3.0])
    X, y = rng.normal(size=(9, 2)), rng.normal(size=9)
    np.testing.assert_array_equal(model.fit(X, y).coef_, LinearRegression().fit(X, y).coef_)
    assert not hasattr(model, "feature_names_in_")


def test_a_saved_model_can_go_on_learning(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    LinearRegression().fit(X[:20], y[:20]).save(tmp_path / "m.nova")
    model = nv.load(tmp_path / "m.nova").partial_fit(X[20:], y[20:])
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-10)


# --- bad input ----------------------------------------------------------------------------------------------


def test_constant_columns_are_named():
    X = np.column_stack([np.arange(6.0), np.full(6, 0.1)])
    with pytest.warns(
        RankWarning, match=r"span 1 of 2 directions \('x1' does not vary\).*drop columns, or use Ridge"
    ):
        model = LinearRegression().fit(X, np.arange(6.0))
    np.testing.assert_allclose(model.coef_, [1.0, 0.0], atol=1e-12)


def test_a_warning_points_at_the_call(recwarn):
    warnings.simplefilter("always")
    LinearRegression().fit([[1.0], [1.0]], [1.0, 2.0])
    assert recwarn.pop(RankWarning).filename == __file__


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("wide", [False, True])
def test_values_that_are_not_finite_are_refused(bad, wide):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 5)) if wide else rng.normal(size=(50, 2))
    y = rng.normal(size=len(X))
    holed = X.copy()
    holed[1, 1] = bad
    words = "Input X contains NaN" if np.isnan(bad) else "Input X contains infinity"
    with pytest.raises(ValueError, match=words):
        LinearRegression().fit(holed, y)
    with pytest.raises(ValueError, match=words):
        LinearRegression().partial_fit(scipy.sparse.csr_matrix(holed), y)
    if not wide:
        model = LinearRegression().fit(X, y)
        for method in (model.predict, model.work):
            with pytest.raises(ValueError, match=words):
                method(holed)


def test_a_table_names_the_column_that_has_a_hole():
    frame = pd.DataFrame({"height": [1.0, 2.0, 3.0], "age": [1.0, None, 2.0], "y": [1.0, 2.0, 3.0]})
    table = nv.read(frame, target="y")
    with pytest.raises(
        DataError, match=r"column 'age' holds missing or infinite values .* LinearRegression takes none"
    ):
        LinearRegression().fit(table)
    model = LinearRegression().fit(table.drop("age"))
    with pytest.raises(DataError, match="column 'height' holds missing or infinite values"):
        model.predict(nv.read(pd.DataFrame({"height": [1.0, np.nan]})))
    with pytest.raises(DataError, match="column 'age' holds missing or infinite values"):
        LinearRegression().fit(pa.table({"age": [1.0, None], "b": [1.0, 2.0]}), [1.0, 2.0])


def test_a_hole_in_a_row_without_weight_does_not_matter():
    X, y = np.array([[1.0], [2.0], [4.0], [np.nan]]), np.array([1.0, 2.0, 3.0, 9.0])
    model = LinearRegression().fit(X, y, [1, 1, 1, 0])
    np.testing.assert_array_equal(model.coef_, LinearRegression().fit(X[:3], y[:3]).coef_)


def test_numbers_whose_squares_overflow_are_refused():
    with pytest.raises(DataError, match="squares overflow"):
        LinearRegression().fit([[1e200], [2e200], [4e200]], [1.0, 2.0, 3.0])


def test_weights_that_sum_to_zero_are_refused():
    with pytest.raises(ValueError, match="zero"):
        LinearRegression().fit([[1.0], [2.0]], [1.0, 2.0], [0.0, 0.0])
    table = nv.read(pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0], "w": [0.0, 0.0]}), target="y", weight="w")
    with pytest.raises(DataError, match="sum to zero"):
        LinearRegression().fit(table)


@pytest.mark.parametrize(
    ("X", "y", "kind", "words"),
    [
        ([[1.0], [2.0]], None, ValueError, "requires y to be passed"),
        ([[1.0], [2.0]], np.zeros((2, 1, 1)), ValueError, "dim"),
        ([[1.0], [2.0]], [1.0, np.nan], ValueError, "Input y contains NaN"),
        ([[1.0], [2.0]], [1.0], ValueError, "inconsistent numbers of samples"),
        (
            pd.DataFrame({"a": [1.0, 2.0], "town": ["x", "y"]}),
            [1.0, 2.0],
            SchemaError,
            "column 'town' is not numeric",
        ),
    ],
)
def test_bad_arrays_are_refused(X, y, kind, words):
    with pytest.raises(kind, match=words):
        LinearRegression().fit(X, y)


def test_bad_tables_are_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "town": ["x", "y", "x"], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(SchemaError, match="'town' is categorical: encode it"):
        LinearRegression().fit(nv.read(frame, target="y"))
    with pytest.raises(SchemaError, match="the target 'town' is categorical, not numeric"):
        LinearRegression().fit(nv.read(frame, target="town"))
    with pytest.raises(SchemaError, match="needs a target"):
        LinearRegression().fit(nv.read(frame[["a", "y"]]))
    with pytest.raises(InputTypeError, match="weights itself"):
        LinearRegression().fit(nv.read(frame[["a", "y"]], target="y"), sample_weight=[1, 1, 1])


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="'fit_intercept' parameter"):
        LinearRegression(fit_intercept="yes").fit([[1.0], [2.0]], [1.0, 2.0])


@quiet
def test_partial_fit_refuses_what_it_cannot_add():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 3)), rng.normal(size=9)
    with pytest.raises(DataError, match="y has 2 targets, but LinearRegression was fitted on 1"):
        LinearRegression().fit(X, y).partial_fit(X, np.column_stack([y, y]))
    with pytest.raises(ParameterError, match="fitted on fewer rows than columns"):
        LinearRegression().fit(X[:2], y[:2]).partial_fit(X, y)


def test_a_failed_fit_is_no_fit():
    model = LinearRegression()
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan], [1.0]], [1.0, 2.0])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        model.predict([[1.0]])
