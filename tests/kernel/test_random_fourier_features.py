"""Random Fourier features: Hoeffding's bound, the rate 1/√D, scikit-learn's map, the same columns at every scale."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.kernel_approximation import RBFSampler
from sklearn.pipeline import make_pipeline

import novacula as nv
from novacula.errors import DataError, SchemaError
from novacula.kernel import Gaussian, RandomFourierFeatures
from novacula.learner.files import load, save
from novacula.linear import LogisticRegression

from ..shared_checks import checks_of_settings

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))


@pytest.mark.parametrize("check", checks_of_settings(RandomFourierFeatures(n_components=25)))
def test_checks(check):
    check()


# --- how near -----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**31 - 1), st.integers(1, 6), st.sampled_from([50, 400, 3000]), st.floats(0.01, 10.0))
def test_products_are_as_near_as_hoeffding_says(seed, d, count, gamma):
    """D/2 independent terms within ±1 have a mean that is off by ε with probability 2·exp(−Dε²/4) at most."""
    rows = np.random.default_rng(seed).normal(size=(12, d))
    z = RandomFourierFeatures(gamma, count, random_state=seed).fit_transform(rows)
    bound = math.sqrt(4.0 * math.log(2.0 * 66 / 1e-10) / count)
    assert np.abs(z @ z.T - Gaussian(gamma)(rows)).max() <= bound


def test_the_error_falls_as_the_root_of_the_number():
    exact = Gaussian(0.5)(X)
    errors = []
    for count in (40, 4000):
        models = [RandomFourierFeatures(0.5, count, random_state=seed) for seed in range(10)]
        found = [model.fit_transform(X) for model in models]
        errors.append(np.sqrt(np.mean([(z @ z.T - exact) ** 2 for z in found])))
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.3)


def test_a_row_has_length_one():
    """cos² + sin² = 1, so that k(x, x) is exact where D is even."""
    z = RandomFourierFeatures(n_components=10).fit_transform(X)
    np.testing.assert_allclose((z**2).sum(axis=1), 1.0, rtol=1e-12)


def test_pairs_of_cosine_and_sine_are_nearer_than_random_offsets():
    exact, ours, theirs = Gaussian(0.1)(X), [], []
    for seed in range(20):
        z = RandomFourierFeatures(0.1, 60, random_state=seed).fit_transform(X)
        ours.append(np.mean((z @ z.T - exact) ** 2))
        z = RBFSampler(gamma=0.1, n_components=60, random_state=seed).fit_transform(X)
        theirs.append(np.mean((z @ z.T - exact) ** 2))
    assert np.mean(ours) < np.mean(theirs)


@pytest.mark.parametrize("count", [1, 7, 50])
def test_the_map_is_that_of_scikit_learn(count):
    model = RandomFourierFeatures(0.3, count, random_state=1).fit(X)
    theirs = RBFSampler(gamma=0.3, n_components=count).fit(X)
    theirs.random_weights_, theirs.random_offset_ = model.random_weights_, model.random_offset_
    np.testing.assert_allclose(model.transform(X), theirs.transform(X), atol=1e-13)


# --- parameters ---------------------------------------------------------------------------------------------


def test_gamma_is_found_in_the_rows():
    assert RandomFourierFeatures().fit(X).gamma_ == pytest.approx(1.0 / (3 * X.var()))
    assert RandomFourierFeatures("auto").fit(X).gamma_ == pytest.approx(1.0 / 3)
    assert RandomFourierFeatures(0.7).fit(X).gamma_ == 0.7
    weight = rng.integers(1, 4, 40)
    repeated = np.repeat(X, weight, axis=0)
    assert RandomFourierFeatures().fit(X, sample_weight=weight).gamma_ == pytest.approx(1.0 / (3 * repeated.var()))


def test_a_seed_makes_the_draw():
    one, other = (RandomFourierFeatures(random_state=seed).fit_transform(X) for seed in (1, 2))
    assert not np.allclose(one, other)
    assert np.array_equal(one, RandomFourierFeatures(random_state=1).fit_transform(X))


@pytest.mark.parametrize("settings", [{"gamma": 0.0}, {"gamma": "wide"}, {"n_components": 0}, {"n_components": 2.5}])
def test_parameters_that_make_no_sense(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        RandomFourierFeatures(**settings).fit(X)


# --- columns and scales -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two classes that no line parts, in three files."""
    folder = tmp_path_factory.mktemp("rings")
    points = np.random.default_rng(1).normal(size=(600, 2))
    frame = pd.DataFrame(points, columns=["a", "b"])
    frame["ring"] = np.where((points**2).sum(axis=1) > 1.4, "outer", "inner")
    for i in range(3):
        frame[200 * i : 200 * (i + 1)].to_parquet(folder / f"{i}.parquet", row_group_size=50)
    return str(folder / "*.parquet"), frame


def test_a_table_becomes_a_table_that_streams(files):
    path, frame = files
    table = nv.read(path, "ring")
    expander = RandomFourierFeatures(0.5, 40).fit(table)
    wide = expander.transform(table)
    assert wide.schema.names == (*expander.get_feature_names_out(), "ring")
    streamed = LogisticRegression().fit(wide)
    memory = LogisticRegression().fit(expander.transform(frame[["a", "b"]]), frame["ring"])
    np.testing.assert_allclose(streamed.coef_, memory.coef_, rtol=1e-6)
    assert streamed.score(wide) > 0.95
    assert LogisticRegression().fit(table).score(table) < 0.8


@pytest.mark.slow
def test_a_cluster_gives_the_same_columns(files):
    distributed = pytest.importorskip("distributed")
    table = nv.read(files[0], "ring")
    with distributed.Client(processes=False, n_workers=1, dashboard_address=None) as client:
        there = RandomFourierFeatures(n_components=40).fit(table.on(client))
        model = LogisticRegression().fit(there.transform(table.on(client)))
    here = RandomFourierFeatures(n_components=40).fit(table)
    np.testing.assert_allclose(there.random_weights_, here.random_weights_)
    np.testing.assert_allclose(model.coef_, LogisticRegression().fit(here.transform(table)).coef_, rtol=1e-6)


def test_the_map_travels():
    model = RandomFourierFeatures(n_components=6).fit(X)
    chunk = model._query(X).to_chunk()
    assert np.array_equal(pickle.loads(pickle.dumps(model._map()))(chunk), model.transform(X))


def test_sparse_rows_are_as_dense_ones():
    sparse = scipy.sparse.csr_matrix(np.maximum(X, 0.0))
    one, other = (RandomFourierFeatures(n_components=20).fit(rows) for rows in (sparse, sparse.toarray()))
    assert one.gamma_ == pytest.approx(other.gamma_)
    np.testing.assert_allclose(one.transform(sparse), other.transform(sparse.toarray()), atol=1e-12)


def test_a_pipeline_with_names():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    pipeline = make_pipeline(RandomFourierFeatures(n_components=4), LogisticRegression())
    pipeline.fit(frame, X[:, 0] > 0).predict(frame)
    named = RandomFourierFeatures(n_components=2).set_output(transform="pandas").fit_transform(frame)
    assert list(named.columns) == ["randomfourierfeatures0", "randomfourierfeatures1"]


def test_a_file_comes_back(tmp_path):
    model = RandomFourierFeatures(n_components=5).fit(X)
    known = {"random-fourier-features": RandomFourierFeatures}
    save(model, tmp_path / "m.nova", registry=known)
    assert np.array_equal(load(tmp_path / "m.nova", registry=known).transform(X), model.transform(X))


# --- bad input ----------------------------------------------------------------------------------------------


def test_values_that_are_not_finite_are_refused_with_their_column(tmp_path):
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, np.nan, 3.0]})
    frame.to_parquet(tmp_path / "gaps.parquet")
    table = nv.read(str(tmp_path / "gaps.parquet"))
    with pytest.raises(DataError, match=r"column 'b' is missing \(NaN\)"):
        RandomFourierFeatures().fit(table)
    model = RandomFourierFeatures().fit(frame.fillna(0.0))
    with pytest.raises(DataError, match=r"column 'b' is missing \(NaN\)"):
        model.transform(table).to_chunk()


def test_rows_without_weight_and_words_are_refused():
    with pytest.raises(DataError, match="sum to zero"):
        RandomFourierFeatures().fit(nv.read(pd.DataFrame({"a": X[:, 0], "w": np.zeros(40)}), weight="w"))
    with pytest.raises(SchemaError, match="'town'"):
        RandomFourierFeatures().fit(pd.DataFrame({"town": ["u", "v"]}))
    with pytest.raises(NotFittedError):
        RandomFourierFeatures().transform(X)
