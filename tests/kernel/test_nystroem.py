"""Nyström's approximation: exact on landmarks, never above the kernel, scikit-learn's products, landmarks by weight."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import kernel_approximation
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import novacula as nv
from novacula.errors import DataError, ModelFileError, ParameterError
from novacula.kernel import Custom, Gaussian, Linear, Multiquadric, Nystroem, Polynomial
from novacula.learner.files import load, save
from novacula.linear import LogisticRegression

from ..shared_checks import checks_of_settings

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
KERNELS = [Gaussian(0.5), Gaussian(), Polynomial(2), Linear(), Gaussian(0.2) * Linear() + 1.0, Gaussian(1.0).on([0, 2])]


@pytest.mark.parametrize("check", checks_of_settings(Nystroem(n_components=20)))
def test_checks(check):
    check()


# --- how near -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_with_all_rows_for_landmarks_it_is_exact(kernel):
    model = Nystroem(kernel, n_components=1000).fit(X)
    assert len(model.components_) == 60
    z = model.transform(X)
    K = kernel(X)
    np.testing.assert_allclose(z @ z.T, K, atol=1e-7 * K.max())


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(KERNELS), st.integers(1, 40), st.integers(0, 2**31 - 1))
def test_it_is_exact_on_landmarks_and_never_above_the_kernel(kernel, count, seed):
    """What is left, K − ZZᵀ, is the kernel of the parts that stand upright on the landmarks: a Schur complement."""
    model = Nystroem(kernel, count, random_state=seed).fit(X)
    resolved, landmarks = model.kernel_, model.transform(model.components_)
    size = resolved(X).max()
    np.testing.assert_allclose(landmarks @ landmarks.T, resolved(model.components_), atol=1e-7 * size)
    z = model.transform(X)
    assert np.linalg.eigvalsh(resolved(X) - z @ z.T)[0] >= -1e-6 * size


def test_more_landmarks_come_nearer():
    K = Gaussian(0.5)(X)
    gaps = []
    for count in (2, 10, 30, 50):
        z = [Nystroem(Gaussian(0.5), count, random_state=seed).fit_transform(X) for seed in range(5)]
        gaps.append(np.mean([np.trace(K - part @ part.T) for part in z]))
    assert all(later < 0.6 * earlier for earlier, later in itertools.pairwise(gaps))


def test_products_are_those_of_scikit_learn():
    model = Nystroem(Gaussian(0.5), 15).fit(X)
    theirs = kernel_approximation.Nystroem(gamma=0.5, n_components=15).fit(model.components_)
    ours, others = model.transform(X), theirs.transform(X)
    np.testing.assert_allclose(ours @ ours.T, others @ others.T, atol=1e-8)


def test_directions_in_which_landmarks_do_not_differ_are_left_out():
    model = Nystroem(Linear(), 20).fit(X)
    assert model.rank_ == 3
    assert model.transform(X).shape == (60, 20)
    np.testing.assert_allclose(model.eigenvalues_[3:], 0.0, atol=1e-12)


# --- landmarks ----------------------------------------------------------------------------------------------


def test_landmarks_are_distinct_rows_for_any_order_and_copies():
    model = Nystroem(n_components=25).fit(X)
    assert {tuple(row) for row in model.components_} <= {tuple(row) for row in X}
    assert len(np.unique(model.components_, axis=0)) == 25
    mixed = rng.permutation(np.repeat(X, 2, axis=0))
    np.testing.assert_array_equal(Nystroem(n_components=25).fit(mixed).components_, model.components_)
    other = Nystroem(n_components=25, random_state=1).fit(X).components_
    assert not np.array_equal(other, model.components_)


def test_landmarks_are_drawn_by_weight():
    """As often as a draw without replacement takes the heavy rows, which is tried out."""
    rows, weight = np.arange(20.0)[:, None], np.repeat([1.0, 9.0], 10)
    found = [
        (Nystroem(Gaussian(1.0), 5, random_state=seed).fit(rows, sample_weight=weight).components_ >= 10).mean()
        for seed in range(200)
    ]
    draws = [rng.choice(20, 5, replace=False, p=weight / weight.sum()) for _ in range(5000)]
    assert np.mean(found) == pytest.approx(np.mean(np.array(draws) >= 10), abs=0.03)


def test_rows_without_weight_are_no_landmarks():
    weight = np.repeat([1.0, 0.0], 30)
    model = Nystroem(n_components=100).fit(X, sample_weight=weight)
    assert len(model.components_) == 30
    assert {tuple(row) for row in model.components_} == {tuple(row) for row in X[:30]}


def test_gamma_is_found_in_all_rows():
    assert Nystroem(n_components=5).fit(X).kernel_.gamma == pytest.approx(1.0 / (3 * X.var()), rel=1e-8)


# --- columns and scales -------------------------------------------------------------------------------------


def test_a_table_becomes_a_table_that_streams(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(600, 2)), columns=["a", "b"])
    frame["ring"] = np.where(frame["a"] ** 2 + frame["b"] ** 2 > 1.4, "outer", "inner")
    for i in range(3):
        frame[200 * i : 200 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet", row_group_size=50)
    table = nv.read(str(tmp_path / "*.parquet"), "ring")
    model = Nystroem(n_components=20).fit(table)
    wide = model.transform(table)
    assert wide.schema.names == (*(f"nystroem{j}" for j in range(20)), "ring")
    fitted = Nystroem(n_components=20).fit(frame[["a", "b"]])
    np.testing.assert_allclose(fitted.normalization_, model.normalization_, rtol=1e-9)
    streamed = LogisticRegression().fit(wide)
    memory = LogisticRegression().fit(fitted.transform(frame[["a", "b"]]), frame["ring"])
    np.testing.assert_allclose(streamed.coef_, memory.coef_, rtol=1e-5, atol=1e-6)
    assert streamed.score(wide) > 0.95


def test_names_of_columns_choose_them():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = Nystroem(Gaussian(0.5).on(["c"]), 10).fit(frame)
    assert model.kernel_ == Gaussian(0.5).on([2])
    np.testing.assert_allclose(model.transform(frame), Nystroem(Gaussian(0.5).on([2]), 10).fit_transform(frame))


def test_sparse_rows_are_as_dense_ones():
    dense = np.where(rng.random((200, 30)) < 0.1, rng.normal(size=(200, 30)), 0.0)
    one, other = (Nystroem(n_components=20).fit(rows) for rows in (scipy.sparse.csr_matrix(dense), dense))
    np.testing.assert_array_equal(one.components_, other.components_)
    np.testing.assert_allclose(one.transform(scipy.sparse.csr_matrix(dense)), other.transform(dense), atol=1e-9)


def test_the_map_travels():
    model = Nystroem(n_components=6).fit(X)
    chunk = model._query(X).to_chunk()
    assert np.array_equal(pickle.loads(pickle.dumps(model._map()))(chunk), model.transform(X))


def test_a_search_sets_the_kernel():
    pipeline = Pipeline([("map", Nystroem(Gaussian(1.0) + Linear(), 10)), ("model", LogisticRegression())])
    grid = {"map__kernel__left__gamma": [0.1, 1.0], "map__n_components": [5, 10]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, (X**2).sum(axis=1) > 2.5)
    assert set(search.best_params_) == set(grid)


def test_a_file_comes_back_unless_it_would_hold_a_function(tmp_path):
    known = {"nystroem": Nystroem}
    model = Nystroem(2.0 * Gaussian() + Polynomial(2).on([0]), n_components=5).fit(X)
    save(model, tmp_path / "m.nova", registry=known)
    loaded = load(tmp_path / "m.nova", registry=known)
    assert loaded.kernel == model.kernel
    assert np.array_equal(loaded.transform(X), model.transform(X))
    own = Nystroem(Custom(lambda A, B: A @ B.T), n_components=5).fit(X)
    with pytest.raises(ModelFileError, match="nothing to call"):
        save(own, tmp_path / "own.nova", registry=known)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "kind", "sentence"),
    [
        ("sigmoid", ParameterError, "it must be a Kernel"),
        ("precomputed", ParameterError, "give a kernel of columns"),
        (Multiquadric(), ParameterError, "not positive semi-definite"),
        (Custom(lambda x, y: -float(x @ y)), DataError, "has the eigenvalues"),
        (Linear().on([9]), ValueError, "columns 0 to 2"),
        ((200.0 * Linear() ** 2).exp(), DataError, "overflows between landmarks"),
    ],
)
def test_kernels_without_features_are_refused(kernel, kind, sentence):
    with pytest.raises(kind, match=sentence):
        Nystroem(kernel).fit(X)


def test_rows_on_which_a_kernel_is_nothing_are_refused():
    with pytest.raises(DataError, match="not 0 on these rows"):
        Nystroem(Linear()).fit(np.zeros((4, 2)))
    with pytest.raises(DataError, match="sum to zero"):
        Nystroem().fit(nv.read(pd.DataFrame({"a": X[:, 0], "w": np.zeros(60)}), weight="w"))
