"""Principal components: the ways agree, the theorems, NumPy and scikit-learn as oracles, and bad input."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
import sklearn.decomposition
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import novacula as nv
from novacula.errors import DataError, ParameterError, SchemaError
from novacula.projection import PCA, pca

from ..shared_checks import checks_of_settings

laws = settings(deadline=None)
WAYS = ("auto", "covariance", "dual", "svd")


ANY_ROWS, ANY_COLUMNS = st.integers(3, 40), st.integers(1, 12)


@st.composite
def clouds(draw, rows=ANY_ROWS, columns=ANY_COLUMNS):
    """Rows of any shape with whole weights, well apart in their variances so that directions are determined."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(rows), draw(columns)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    X = (rng.normal(size=(n, d)) * 1.6 ** -np.arange(d)) @ turn + rng.normal(size=d)
    return X, rng.integers(1, 4, n).astype(float)


def by_eigh(X, weight):
    """The textbook: eigenvectors of the covariance of repeated rows."""
    C = np.atleast_2d(np.cov(np.repeat(X, weight.astype(int), axis=0).T))
    values, vectors = np.linalg.eigh(C)
    return values[::-1], vectors[:, ::-1].T


# --- the ways agree -----------------------------------------------------------------------------------------


@laws
@given(clouds())
def test_every_way_is_the_eigendecomposition(cloud):
    X, weight = cloud
    values, vectors = by_eigh(X, weight)
    rank = min(len(X) - 1, X.shape[1])
    for way in WAYS:
        model = PCA(method=way).fit(X, sample_weight=weight)
        k = model.n_components_
        assert k == min(int(weight.sum()), X.shape[1])
        np.testing.assert_allclose(model.explained_variance_, values[:k], atol=1e-8 * values[0])
        # An eigenvector is as sure as its eigenvalue is far from the others.
        gaps = np.array([np.abs(np.delete(values, i) - values[i]).min(initial=values[0]) for i in range(rank)])
        for i in np.flatnonzero(gaps > 1e-4 * values[0]):
            assert abs(vectors[i] @ model.components_[i]) == pytest.approx(1.0, abs=1e-8)


@laws
@given(clouds(rows=st.integers(3, 20), columns=st.integers(1, 20)))
def test_the_ways_agree_also_where_there_is_no_variance(cloud):
    """Twin rows and few of them: directions without variance follow a rule, so they agree too."""
    X, weight = cloud
    X[len(X) // 2 :] = X[: len(X) - len(X) // 2]
    models = [PCA(method=way).fit(X, sample_weight=weight) for way in WAYS]
    for model in models:
        np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(model.n_components_), atol=1e-9)
        projector = model.components_.T @ model.components_
        np.testing.assert_allclose(projector, models[0].components_.T @ models[0].components_, atol=1e-6)
        np.testing.assert_allclose(model.explained_variance_, models[0].explained_variance_, atol=1e-8)
        assert (model.explained_variance_[min(len(X), X.shape[1]) :] == 0.0).all()


@pytest.mark.parametrize("shape", [(60, 8), (8, 60)])
@pytest.mark.parametrize("solver", ["full", "covariance_eigh", "arpack", "randomized"])
def test_agrees_with_every_solver_of_scikit_learn(shape, solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) * np.linspace(3, 1, shape[1]) + 5
    theirs = sklearn.decomposition.PCA(4, svd_solver=solver, random_state=0, iterated_power=20).fit(X)
    ours = PCA(4).fit(X)
    signs = np.sign((theirs.components_ * ours.components_).sum(axis=1))
    np.testing.assert_allclose(ours.components_, theirs.components_ * signs[:, None], atol=1e-6)
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X) * signs, atol=1e-5)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)))


def test_density_is_that_of_scikit_learn():
    X = np.random.default_rng(1).normal(size=(50, 6)) @ np.diag([3, 2, 1, 1, 0.5, 0.5])
    for k in (1, 3, 6):
        ours, theirs = PCA(k).fit(X), sklearn.decomposition.PCA(k, svd_solver="full").fit(X)
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X))
        np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-12)
        np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-9)
        assert ours.score(X) == pytest.approx(theirs.score(X))
        assert ours.noise_variance_ == pytest.approx(theirs.noise_variance_)


def test_likeliest_number_is_that_of_scikit_learn():
    rng = np.random.default_rng(3)
    for hidden in (1, 2, 4):
        X = rng.normal(size=(300, hidden)) @ rng.normal(size=(hidden, 9)) * 2 + rng.normal(size=(300, 9))
        assert PCA("mle").fit(X).n_components_ == sklearn.decomposition.PCA("mle").fit(X).n_components_ == hidden


def test_randomized_finds_the_first_directions_of_dense_and_sparse_rows():
    rng = np.random.default_rng(2)
    X = scipy.sparse.random(300, 80, 0.1, format="csr", random_state=rng) @ scipy.sparse.diags(np.linspace(9, 1, 80))
    exact = PCA(3, method="svd").fit(X.toarray())
    for rows in (X, X.toarray()):
        found = PCA(3, method="randomized", n_oversamples=20, iterated_power=20, random_state=0).fit(rows)
        np.testing.assert_allclose(found.explained_variance_, exact.explained_variance_, rtol=1e-6)
        np.testing.assert_allclose(found.components_, exact.components_, atol=1e-3)
        np.testing.assert_allclose(found.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-6)
        assert found.noise_variance_ == pytest.approx(exact.noise_variance_, rel=1e-5)


@pytest.mark.parametrize("shape", [(200, 30), (30, 200)])
@pytest.mark.parametrize("density", [0.05, 0.5])
def test_sparse_rows_give_the_model_of_dense_ones(shape, density):
    X = scipy.sparse.random(*shape, density, format="csr", random_state=4) * 3
    weight = np.random.default_rng(0).integers(0, 3, shape[0]).astype(float)
    sparse, dense = PCA(5).fit(X, sample_weight=weight), PCA(5).fit(X.toarray(), sample_weight=weight)
    np.testing.assert_allclose(sparse.explained_variance_, dense.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(sparse.components_, dense.components_, atol=1e-8)
    np.testing.assert_allclose(sparse.transform(X), dense.transform(X.toarray()), atol=1e-8)
    assert sparse.reconstruction_error(X) == pytest.approx(dense.reconstruction_error(X.toarray()))
    np.testing.assert_allclose(sparse.score_samples(X), dense.score_samples(X.toarray()))


# --- theorems -----------------------------------------------------------------------------------------------


@laws
@given(clouds(), st.data())
def test_reconstruction_error_is_the_discarded_variance(cloud, data):
    X, weight = cloud
    values, _ = by_eigh(X, weight)
    k = data.draw(st.integers(1, min(X.shape[1], len(X))))
    model = PCA(k).fit(X, sample_weight=weight)
    n = weight.sum()
    lost = np.clip(values[k:], 0, None).sum() * (n - 1) / n
    assert model.reconstruction_error(X, sample_weight=weight) == pytest.approx(lost, abs=1e-9 * values[0])


@laws
@given(clouds(), st.data())
def test_scores_are_uncorrelated_and_no_other_plane_leaves_less(cloud, data):
    X, _ = cloud
    k = data.draw(st.integers(1, min(X.shape[1], len(X))))
    model = PCA(k).fit(X)
    z = model.transform(X)
    np.testing.assert_allclose(z.T @ z / (len(X) - 1), np.diag(model.explained_variance_), atol=1e-8)
    seed = data.draw(st.integers(0, 2**32 - 1))
    other = np.linalg.qr(np.random.default_rng(seed).normal(size=(X.shape[1], k)))[0]
    centred = X - X.mean(axis=0)
    worse = ((centred - centred @ other @ other.T) ** 2).sum(axis=1).mean()
    assert model.reconstruction_error(X) <= worse * (1 + 1e-9) + 1e-12


@laws
@given(clouds(rows=st.integers(8, 30), columns=st.integers(2, 5)))
def test_whitened_scores_have_variance_one(cloud):
    X, _ = cloud
    model = PCA(whiten=True).fit(X)
    z = model.transform(X)
    np.testing.assert_allclose(np.cov(z.T), np.eye(X.shape[1]), atol=1e-6)
    np.testing.assert_allclose(model.inverse_transform(z), X, atol=1e-9)


@laws
@given(clouds(rows=st.integers(10, 30), columns=st.integers(2, 6)), st.floats(0.05, 0.95))
def test_a_share_keeps_as_few_directions_as_explain_it(cloud, share):
    X, weight = cloud
    values, _ = by_eigh(X, weight)
    k = PCA(share).fit(X, sample_weight=weight).n_components_
    shares = np.cumsum(values) / values.sum()
    assert shares[k - 1] >= share - 1e-9
    assert k == 1 or shares[k - 2] < share


@laws
@given(clouds(rows=st.integers(4, 30), columns=st.integers(2, 6)))
def test_the_sign_rule(cloud):
    X, _ = cloud
    for row in PCA().fit(X).components_:
        assert row[np.argmax(np.abs(row))] > 0
    turned = PCA().fit(-X)
    np.testing.assert_allclose(turned.explained_variance_, PCA().fit(X).explained_variance_, rtol=1e-9, atol=1e-15)


def test_the_first_of_equal_entries_is_positive():
    x = np.random.default_rng(5).normal(size=100)
    noise = np.random.default_rng(6).normal(size=100) * 0.1
    twins = np.column_stack([x + noise, noise - x])
    twins = (twins - twins.mean(axis=0)) / twins.std(axis=0)
    for way in WAYS:
        model = PCA(method=way).fit(twins)
        np.testing.assert_allclose(model.components_, np.array([[1, -1], [1, 1]]) / np.sqrt(2), atol=1e-9)


# --- digits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [*WAYS, "randomized", "em"])
def test_large_means_cost_nothing(way):
    X = np.round(np.random.default_rng(7).normal(size=(400, 4)) * [4, 3, 2, 1] * 2**20) / 2**20
    here, there = (PCA(method=way, random_state=0).fit(X + shift) for shift in (0.0, 1e8))
    np.testing.assert_allclose(there.explained_variance_, here.explained_variance_, rtol=1e-7)
    np.testing.assert_allclose(there.components_, here.components_, atol=1e-6)


def graded(n, d):
    """Rows whose singular values are powers of ten, down to 1e-9 of the largest."""
    rng = np.random.default_rng(8)
    u = np.linalg.qr(rng.normal(size=(n, n)))[0]
    u[:, 0] = 1.0
    u = np.linalg.qr(u)[0][:, 1:]  # orthogonal to ones, so that rows are centred
    k = min(n - 1, d)
    s = 10.0 ** -np.linspace(0, 9, k)
    return (u[:, :k] * s) @ np.linalg.qr(rng.normal(size=(d, d)))[0][:k], s


@pytest.mark.parametrize("shape", [(50, 10), (10, 50)])
def test_auto_goes_on_to_singular_values_where_eigenvalues_are_tiny(shape):
    X, s = graded(*shape)
    model = PCA(len(s)).fit(X)
    assert model.method_ == "svd"
    np.testing.assert_allclose(model.singular_values_, s, rtol=1e-5)
    few = PCA(2).fit(X)
    assert few.method_ == ("covariance" if shape[0] > shape[1] else "dual")
    np.testing.assert_allclose(few.singular_values_, s[:2], rtol=1e-10)


def test_constant_columns_have_no_variance():
    rng = np.random.default_rng(9)
    n = 1500
    X = np.column_stack([rng.normal(size=n), np.full(n, 0.1), np.full(n, 1e8), rng.normal(size=n) * 2])
    for way in WAYS:
        model = PCA(method=way).fit(X)
        assert (model.explained_variance_ > 0).tolist() == [True, True, False, False]
        np.testing.assert_allclose(model.components_[2:], np.eye(4)[1:3], atol=1e-12)
    still = PCA().fit(np.ones((5, 2)))
    assert still.explained_variance_ratio_.tolist() == [0.0, 0.0]
    assert still.transform(np.ones((1, 2))).tolist() == [[0.0, 0.0]]


# --- pieces, tables, pipelines ------------------------------------------------------------------------------


@laws
@given(clouds(rows=st.integers(6, 40), columns=st.integers(1, 5)), st.data())
def test_partial_fit_is_fit(cloud, data):
    X, weight = cloud
    cut = data.draw(st.integers(2, len(X) - 2))
    pieces = PCA()
    for part in (slice(0, cut), slice(cut, None)):
        pieces.partial_fit(X[part], sample_weight=weight[part])
    whole = PCA(method="covariance").fit(X, sample_weight=weight)
    np.testing.assert_allclose(pieces.explained_variance_, whole.explained_variance_, atol=1e-9)
    np.testing.assert_allclose(pieces.mean_, whole.mean_)


@pytest.mark.parametrize("way", ["covariance", "svd", "randomized"])
def test_files_give_the_model_of_memory(tmp_path, way):
    rng = np.random.default_rng(10)
    frame = pd.DataFrame(rng.normal(size=(500, 4)) * [4, 3, 2, 1], columns=list("abcd"))
    for i in range(5):
        pq.write_table(pa.Table.from_pandas(frame[100 * i : 100 * i + 100]), tmp_path / f"{i}.parquet")
    frame.to_csv(tmp_path / "all.csv", index=False)
    model = PCA(2, method=way, random_state=0).fit(frame)
    for path in (tmp_path / "*.parquet", tmp_path / "all.csv"):
        streamed = PCA(2, method=way, random_state=0).fit(nv.read(str(path)))
        np.testing.assert_allclose(streamed.components_, model.components_, atol=1e-9)
        np.testing.assert_allclose(streamed.transform(nv.read(str(path))), model.transform(frame), atol=1e-9)


@pytest.mark.parametrize(
    "check", checks_of_settings(*(PCA(2, method=way, random_state=0) for way in (*WAYS, "em", "randomized")))
)
def test_every_way_passes_every_check(check):
    check()


def test_in_a_pipeline_with_named_columns():
    iris = nv.datasets.load("iris").to_pandas().iloc[:, :4]
    pipeline = make_pipeline(PCA(2), PCA(1)).set_output(transform="pandas")
    assert pipeline.fit_transform(iris).columns.tolist() == ["pca0"]
    assert PCA(2).fit(iris).get_feature_names_out().tolist() == ["pca0", "pca1"]


def test_iris():
    """The shares that every textbook prints for the irises."""
    model = PCA().fit(nv.datasets.load("iris"))
    np.testing.assert_allclose(model.explained_variance_, [4.22824, 0.24267, 0.07821, 0.02384], atol=5e-6)
    np.testing.assert_allclose(model.explained_variance_ratio_, [0.9246, 0.0531, 0.0171, 0.0052], atol=5e-5)
    np.testing.assert_allclose(model.components_[0], [0.36139, -0.08452, 0.85667, 0.35829], atol=5e-6)


def test_a_line_by_hand():
    """Three points on y = 2x: all variance, 5 · var(x), lies along (1, 2)/√5."""
    model = PCA().fit([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    np.testing.assert_allclose(model.explained_variance_, [5.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(model.components_, np.array([[1, 2], [2, -1]]) / np.sqrt(5), atol=1e-12)
    np.testing.assert_allclose(model.transform([[2.0, 4.0]]), [[np.sqrt(5), 0.0]], atol=1e-12)


# --- bad input ----------------------------------------------------------------------------------------------

X = np.random.default_rng(11).normal(size=(6, 4))


@pytest.mark.parametrize(
    ("model", "rows", "words"),
    [
        (PCA(5), X, "n_components=5 must be between 1 and min.*=4"),
        (PCA(4), X[:3], "min.n_samples, n_features.=3"),
        (PCA(), X[:1], "n_samples=1 .one sample or less."),
        (PCA(), np.where(np.eye(6, 4) > 0, np.inf, X), "column 'x0' is infinite"),
        (PCA(), np.where(np.arange(4) == 2, np.nan, X), "column 'x2' holds no value at all"),
        (PCA(), X * 1e200, "column 'x0' holds numbers whose squares overflow"),
        (PCA("mle"), X[:3], "needs at least as many rows as columns"),
        (PCA(0.5, method="randomized"), X, "give a number"),
    ],
)
def test_what_cannot_be_fitted_is_said(model, rows, words):
    with pytest.raises(ValueError, match=words):
        model.fit(rows)


def test_weights_that_do_not_count_are_refused():
    with pytest.raises(DataError, match="sum to zero"):
        PCA().fit(nv.read(pd.DataFrame(X, columns=list("abcd")).assign(w=0.0), weight="w"))
    with pytest.raises(DataError, match="weights that count repetitions"):
        PCA().fit(X, sample_weight=np.full(6, 1 / 6))


def test_words_are_refused_by_column():
    with pytest.raises(SchemaError, match="'b' is not numeric"):
        PCA().fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
    with pytest.raises(SchemaError, match="'b' is categorical"):
        PCA().fit(nv.read(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})))


def test_large_squares_are_refused_with_advice(monkeypatch):
    monkeypatch.setattr(pca, "LARGEST_COVARIANCE", 3)
    monkeypatch.setattr(pca, "LARGEST_GRAM", 3)
    with pytest.raises(DataError, match=r"4 × 4 numbers, 0\.0 GB.*use method='randomized'"):
        PCA(method="covariance").fit(X)
    with pytest.raises(DataError, match="method='dual' would hold 6 × 6"):
        PCA(method="dual").fit(X)
    assert PCA(2).fit(X).method_ == "randomized"
    assert PCA(2).fit(X.T).method_ == "randomized"


def test_partial_fit_says_what_it_cannot_do():
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
        PCA(method="svd").partial_fit(X)
    with pytest.raises(DataError, match="takes no missing values"):
        PCA().partial_fit(np.where(np.eye(6, 4) > 0, np.nan, X))
    with pytest.raises(ParameterError, match="kept no sums"):
        PCA().fit(X[:3]).partial_fit(X)


def test_transforming_says_what_it_cannot_do():
    model = PCA(2).fit(X)
    with pytest.raises(DataError, match="column 'x1' is infinite"):
        model.transform([[0.0, np.inf, 0.0, 0.0]])
    with pytest.raises(DataError, match="3 columns, but there are 2 components"):
        model.inverse_transform(np.zeros((1, 3)))
    with pytest.raises(ParameterError, match="there is no component 2"):
        model.biplot(X, 0, 2)
    flat = PCA().fit(np.column_stack([X, X[:, 0]]))
    with pytest.raises(ParameterError, match="there is no density"):
        flat.score_samples(np.column_stack([X, X[:, 0]]))
    with pytest.raises(ParameterError, match="no inverse"):
        flat.get_precision()


def test_whitened_scores_that_overflow_are_refused():
    X = np.random.default_rng(0).normal(size=(9, 2))
    model = PCA(whiten=True).fit(1e-160 * X)
    with pytest.raises(DataError, match=r"score 1 of row 1, .* overflows over its deviation, .*e-160: scale"):
        model.transform(1e150 * X)
