"""Paths and cross-validation of the lasso, its scales, its work, and what it refuses."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st

import novacula as nv
from novacula.checks import check_equations, check_statistic, check_work
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.linear import Lasso
from novacula.linear.lasso import regression as module
from novacula.linear.lasso.folds import fold_numbers
from novacula.linear.lasso.sums import CrossMoments, Total
from novacula.linear.penalty_figure import penalty_figure, touching_point
from novacula.table import Chunk

from ..shared_checks import checks_of_settings

laws = settings(deadline=None, max_examples=25)


def example(n=80, d=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2.0
    return X, X[:, :3] @ [3.0, -2.0, 1.0] + 2 * rng.normal(size=n)


# --- paths --------------------------------------------------------------------------------------------------


@laws
@given(st.integers(0, 2**32 - 1), st.integers(5, 30), st.integers(1, 40), st.sampled_from([1.0, 0.5]))
def test_a_path_is_scikit_learns(seed, n, d, share):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    path = Lasso(l1_ratio=share, n_alphas=10, eps=0.05).path(X, y)
    centred, target = X - X.mean(axis=0), y - y.mean()
    top = np.abs(centred.T @ target).max() / n / share
    np.testing.assert_allclose(path.alphas, np.geomspace(top, 0.05 * top, 10), rtol=1e-9)
    _, coef, _ = sklearn.linear_model.enet_path(
        centred, target, l1_ratio=share, alphas=path.alphas, tol=1e-12, max_iter=100_000
    )
    np.testing.assert_allclose(centred @ path.coef.T, centred @ coef, atol=1e-5)
    np.testing.assert_array_equal(path.df, (path.coef != 0.0).sum(axis=1))
    np.testing.assert_allclose(path.intercept, y.mean() - path.coef @ X.mean(axis=0), atol=1e-9)
    assert (path.dual_gap >= 0.0).all()
    assert path.df[0] == 0


@laws
@given(st.integers(0, 2**32 - 1))
def test_a_path_is_separate_fits_and_piecewise_linear(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 6)), rng.normal(size=(25, 2))
    learner = Lasso()
    grid = np.linspace(0.3, 0.01, 12)
    path = learner.path(X, y, grid)
    assert path.coef.shape == (12, 2, 6)
    for i, alpha in enumerate(grid):
        np.testing.assert_allclose(path.coef[i], Lasso(alpha).fit(X, y).coef_, atol=1e-8)
    for k in range(2):
        signs = np.sign(path.coef[:, k])
        for i in range(1, 11):
            if (signs[i - 1] == signs[i]).all() and (signs[i] == signs[i + 1]).all():
                between = (path.coef[i - 1, k] + path.coef[i + 1, k]) / 2
                np.testing.assert_allclose(path.coef[i, k], between, atol=1e-8)
    assert not hasattr(learner, "n_features_in_")


def test_path_figure_and_choice():
    X, y = example()
    path = Lasso(n_alphas=30).path(pd.DataFrame(X, columns=list("abcdefghijkl")), y, cross_validate=True)
    figure = path.figure()
    assert "the largest 7 of 12" in figure.title
    assert "a goes from" in figure.alt
    best = path.cv_error.argmin()
    limit = path.cv_error[best] + path.cv_std_error[best]
    assert path.choose() == best
    assert path.choose("one_standard_error") == np.flatnonzero(path.cv_error <= limit)[0]
    with pytest.raises(ParameterError, match="cross_validate=True"):
        Lasso().path(X, y).choose()


# --- cross-validation ---------------------------------------------------------------------------------------


def by_hand(X, y, weight, fold, alphas, share):
    """Errors of folds, each from scikit-learn's fit on the others, as heavy as their rows."""
    errors, sizes = [], []
    for i in np.unique(fold):
        out = fold == i
        row = []
        for alpha in alphas:
            model = sklearn.linear_model.ElasticNet(alpha, l1_ratio=share, tol=1e-12, max_iter=100_000)
            model.fit(X[~out], y[~out], weight[~out])
            row.append(np.average((y[out] - model.predict(X[out])) ** 2, weights=weight[out]))
        errors.append(row)
        sizes.append(weight[out].sum())
    mean = np.average(errors, axis=0, weights=sizes)
    variance = np.average((errors - mean) ** 2, axis=0, weights=sizes)
    return mean, np.sqrt(variance / (len(errors) - 1))


@pytest.mark.parametrize("few", [2048, 5])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_cross_validation_is_that_by_hand(monkeypatch, few, share):
    monkeypatch.setattr(module, "FEW_OF_A_PATH", few)
    X, y = example()
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    model = Lasso("cv", share, n_alphas=8, eps=0.01).fit(X, y, weight)
    fold = fold_numbers(Chunk(X, np.empty((80, 0), np.int32), weight, target=y), 5, 0)
    mean, std_error = by_hand(X, y, weight, fold, model.alphas_, share)
    np.testing.assert_allclose(model.cv_error_, mean, rtol=1e-6)
    np.testing.assert_allclose(model.cv_std_error_, std_error, rtol=1e-5)
    assert model.alpha_ == model.alphas_[mean.argmin()]
    simple = Lasso("cv", share, n_alphas=8, eps=0.01, choice="one_standard_error").fit(X, y, weight)
    assert simple.alpha_ == model.alphas_[mean <= mean.min() + std_error[mean.argmin()]].max()
    np.testing.assert_allclose(model.coef_, Lasso(model.alpha_, share).fit(X, y, weight).coef_, rtol=1e-9)
    check_equations(simple)


@pytest.mark.parametrize("few", [2048, 5])
def test_folds_depend_on_neither_order_nor_files(monkeypatch, tmp_path, few):
    monkeypatch.setattr(module, "FEW_OF_A_PATH", few)
    X, y = example()
    memory = Lasso("cv", n_alphas=10, random_state=3).fit(X, y)
    turned = Lasso("cv", n_alphas=10, random_state=3).fit(X[::-1], y[::-1])
    table = pa.table({f"x{j}": X[:, j] for j in range(12)} | {"y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=9)
    stream = Lasso("cv", n_alphas=10, random_state=3).fit(nv.read(tmp_path / "rows.parquet", target="y"))
    for other in (turned, stream):
        np.testing.assert_allclose(other.cv_error_, memory.cv_error_, rtol=1e-9)
        np.testing.assert_allclose(other.coef_, memory.coef_, atol=1e-9)
    another = Lasso("cv", n_alphas=10, random_state=4).fit(X, y)
    assert not np.allclose(another.cv_error_, memory.cv_error_, rtol=1e-6)


def test_each_target_has_its_own_penalty():
    X, y = example()
    both = np.column_stack([y, np.random.default_rng(5).normal(size=len(y))])
    model = Lasso("cv", n_alphas=20).fit(X, both)
    assert model.cv_error_.shape == (20, 2)
    np.testing.assert_array_equal(model.alpha_, model.alphas_[model.cv_error_.argmin(axis=0)])
    check_work(model)


# --- one model at every scale -------------------------------------------------------------------------------

SETTINGS = [
    Lasso(0.1),
    Lasso(0.05, 0.5, positive=True),
    Lasso("cv", n_alphas=8),
    Lasso("cv", 0.5, choice="one_standard_error", fit_intercept=False, n_alphas=8),
    Lasso(0.1, 0.0),
]


@pytest.mark.parametrize("check", checks_of_settings(*SETTINGS))
def test_shared_checks(check):
    check()


@pytest.mark.parametrize(("n", "d"), [(400, 5), (30, 60)])
def test_stream_is_memory(tmp_path, n, d):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d)) + np.linspace(0, 1e3, d)
    y = X[:, :3] @ [1.0, 2.0, 3.0] + rng.normal(size=n)
    table = pa.table({f"x{j}": X[:, j] for j in range(d)} | {"y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=11)
    memory = Lasso(0.1).fit(X, y)
    stream = Lasso(0.1).fit(nv.read(tmp_path / "rows.parquet", target="y"))
    assert stream.solver_ == memory.solver_ == ("sums" if n > d else "rows")
    np.testing.assert_allclose(stream.coef_, memory.coef_, rtol=0, atol=1e-9 * np.abs(memory.coef_).max())
    assert stream.n_iter_ == memory.n_iter_


@pytest.mark.parametrize(("n", "d"), [(60, 6), (40, 90)])
def test_sparse_rows_are_dense_rows(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    y = X[:, 0] + rng.normal(size=n)
    weight = rng.integers(0, 3, n).astype(float)
    for alpha in (0.05, "cv"):
        learner = Lasso(alpha, n_alphas=10, penalty_factor=[0.0] + [1.0] * (d - 1))
        dense = learner.fit(X, y, weight).coef_
        np.testing.assert_allclose(learner.fit(scipy.sparse.csr_matrix(X), y, weight).coef_, dense, atol=1e-9)


def test_wide_sparse_rows_stay_sparse():
    """As a dense array they would take 16 GB."""
    rng = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(20_000), 10), rng.integers(0, 100_000, 200_000)
    columns[::10] = rng.integers(0, 5, 20_000)
    X = scipy.sparse.csr_matrix((rng.normal(size=200_000), (rows, columns)), shape=(20_000, 100_000))
    model = Lasso(0.05).fit(X, X @ np.append(np.ones(5), np.zeros(99_995)))
    assert model.converged_
    assert model.active_.tolist() == [0, 1, 2, 3, 4]


def test_pieces_are_the_whole():
    X, y = example()
    model = Lasso(0.2, 0.8)
    for i in range(0, 80, 7):
        model.partial_fit(X[i : i + 7], y[i : i + 7])
    np.testing.assert_allclose(model.coef_, Lasso(0.2, 0.8).fit(X, y).coef_, rtol=1e-9)
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
        Lasso("cv").partial_fit(X, y)


def chunk_of(seed, sparse):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3)) * (rng.random((20, 3)) < 0.5)
    weight, target = rng.integers(0, 3, 20) * 1.0, rng.normal(size=(20, 2))
    empty = np.empty((20, 0), np.int32)
    if sparse:
        return Chunk(np.empty((20, 0)), empty, weight, scipy.sparse.csr_matrix(X), target=target)
    return Chunk(X, empty, weight, target=target)


@laws
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_sums_obey_the_laws_of_statistics(seed, sparse):
    chunk, places, centre = chunk_of(seed, sparse), np.array([0, 2]), np.full(5, 0.3)
    check_statistic(CrossMoments.observe, chunk, CrossMoments.zero(3, 2))
    check_statistic(lambda piece: Total.products(piece, places, places[1:], centre), chunk, Total(np.zeros((2, 1))))
    for far in (False, True):
        check_statistic(
            lambda piece, far=far: Total.residual(piece, 1, places, np.array([0.5, -1.0]), centre, far),
            chunk,
            Total(np.zeros(4)),
        )


def test_large_means_cost_nothing(monkeypatch):
    X, y = example()
    for few in (512, 2):
        monkeypatch.setattr(module, "FEW", few)
        far = Lasso(0.1).fit(np.round(X, 3) + 1e6, y)
        np.testing.assert_allclose(far.coef_, Lasso(0.1).fit(np.round(X, 3), y).coef_, atol=1e-7)


# --- work and pictures --------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(3, 20), st.integers(1, 30), st.sampled_from([1.0, 0.6, 0.0]))
def test_arithmetic_is_that_of_the_model(seed, n, d, share):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)) + 3.0, rng.normal(size=(n, 2)) if seed % 2 else rng.normal(size=n)
    factor = rng.choice([0.0, 1.0, 2.0], d) if d < n // 2 else None
    model = Lasso(0.1, share, positive=bool(seed % 3 == 0), penalty_factor=factor).fit(X, y)
    check_equations(model)
    check_equations(model, X)


def test_the_weights_are_held_to_their_equations():
    X, y = example()
    work = Lasso(0.3, 0.5).fit(X, y).work()
    assert len([equation for equation in work.equations if equation.of[:1] == ("coef_",)]) >= 3
    text = str(work)
    assert "· max(|z₁| − l₁, 0) / (A₁₁ + q₁)" in text
    assert "|xⱼᵀ · r| / n ≤ lⱼ" in text
    assert "It is above its minimum by no more than the duality gap" in text


def test_the_figure_of_penalties_shows_a_corner():
    assert penalty_figure().png().startswith(b"\x89PNG")
    np.testing.assert_allclose(touching_point(1.0), [0.0, 1.0], atol=1e-6)
    assert touching_point(2.0)[0] > 0.1


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alpha": -1.0}, "'alpha' parameter"),
        ({"alpha": "loo"}, "'alpha' parameter"),
        ({"alpha": [1.0, 2.0]}, "it must be one number, or one for each of 1 targets"),
        ({"l1_ratio": 1.5}, "'l1_ratio' parameter"),
        ({"penalty_factor": [1.0, 2.0]}, "one number for each of 1 columns"),
        ({"penalty_factor": {"z": 1.0}}, "penalty_factor names the column 'z'"),
        ({"alpha": "cv", "cv": 1}, "'cv' parameter"),
        ({"alpha": "cv", "alphas": []}, "a list of at least one number"),
        ({"alpha": "cv", "l1_ratio": 0.0}, "give alphas"),
        ({"choice": "worst"}, "'choice' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        Lasso(**parameters).fit([[1.0], [2.0], [4.0], [5.0]], [1.0, 2.0, 3.0, 5.0])


def test_bad_data_are_refused():
    with pytest.raises(ValueError, match="is missing"):
        Lasso().fit([[1.0], [np.nan], [2.0]], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="is infinite"):
        Lasso().path([[1.0, 2.0, 3.0], [np.inf, 1.0, 1.0]], [1.0, 2.0])
    with pytest.raises(SchemaError, match="column 'town' is not numeric"):
        Lasso().fit(pd.DataFrame({"town": ["x", "y"]}), [1.0, 2.0])
    with pytest.raises(ValueError, match="sum to zero"):
        Lasso().fit([[1.0], [2.0]], [1.0, 2.0], [0.0, 0.0])
    with pytest.raises(DataError, match="rows for one fold only"):
        Lasso("cv").fit([[1.0], [1.0], [1.0]], [2.0, 2.0, 2.0])


def test_columns_that_do_not_vary_have_no_weight():
    X, y = example()
    X[:, 1] = 7.0
    for factor in (None, {"x1": 0.0}):
        model = Lasso(0.1, penalty_factor=factor).fit(pd.DataFrame(X, columns=[f"x{j}" for j in range(12)]), y)
        assert model.coef_[1] == 0.0
    flat = Lasso(0.1).fit(np.ones((5, 2)), np.arange(5.0))
    assert flat.intercept_ == 2.0
    assert flat.alpha_max_ == 0.0
    check_work(flat)
    check_work(Lasso("cv").fit(np.ones((20, 2)), np.arange(20.0)))
