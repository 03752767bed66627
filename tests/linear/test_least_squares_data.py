"""Least squares on data of every kind: files, frames, sparse matrices, pipelines, and what is refused."""

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
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.errors import DataError, InputTypeError, ParameterError, RankWarning, SchemaError
from novacula.linear import LinearRegression

from ..shared_checks import checks_of_settings

quiet = pytest.mark.filterwarnings("ignore::novacula.errors.RankWarning")


# --- one model at every scale -------------------------------------------------------------------------------


@pytest.mark.parametrize("check", checks_of_settings(LinearRegression(fit_intercept=False)))
def test_shared_checks(check):
    check()


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
    assert stream.score(nv.read(str(tmp_path / "*.parquet"), target="y", weight="w")) == pytest.approx(stream.r2_)


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


def test_flags_are_zeros_and_ones():
    numbers = {"a": [1.0, 2.0, 3.0, 5.0], "flag": [1, 0, 1, 1]}
    flags = {"a": [1.0, 2.0, 3.0, 5.0], "flag": [True, False, True, True]}
    y = [1.0, 2.0, 3.0, 3.0]
    right = LinearRegression().fit(pd.DataFrame(numbers), y).coef_
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        np.testing.assert_allclose(LinearRegression().fit(make(flags), y).coef_, right, rtol=1e-12)
    alone = LinearRegression().fit(np.array([[True], [False], [True], [True]]), y)
    assert alone.predict(np.array([[False]])) == pytest.approx(2.0)


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
    table = nv.read(pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 1.0, 4.0, 3.0], "c": [0.0, 1.0, 0.0, 2.0]}))
    one = LinearRegression().fit(table, "c")
    both = LinearRegression().fit(table, ["c", "b"])
    assert one.feature_names_in_.tolist() == ["a", "b"]
    assert one.target_names_ == ["c"]
    assert both.coef_.shape == (2, 1)
    np.testing.assert_allclose(
        both.coef_[:, 0], [np.polyfit([1, 2, 3, 4], t, 1)[0] for t in ([0, 1, 0, 2], [2, 1, 4, 3])]
    )


def test_partial_fit_takes_tables_whose_columns_stand_otherwise():
    first = nv.read(pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 0.0, 1.0], "y": [1.0, 2.0, 2.0]}), target="y")
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
    with pytest.warns(RankWarning, match=r"span 1 of 2 directions \('x1' does not vary\).*drop columns, or use Ridge"):
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
    words = "is missing" if np.isnan(bad) else "is infinite"
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
    with pytest.raises(DataError, match=r"column 'age' is missing .* in row 2 of the frame"):
        LinearRegression().fit(table)
    model = LinearRegression().fit(table.drop("age"))
    with pytest.raises(DataError, match=r"column 'height' is (missing|infinite)"):
        model.predict(nv.read(pd.DataFrame({"height": [1.0, np.nan]})))
    with pytest.raises(DataError, match=r"column 'age' is (missing|infinite)"):
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
        ([[1.0], [2.0]], [1.0, np.nan], ValueError, "has no value for the target"),
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


def test_a_failed_fit_is_not_a_fit():
    model = LinearRegression()
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan], [1.0]], [1.0, 2.0])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        model.predict([[1.0]])
