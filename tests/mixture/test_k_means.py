"""K-means: plain Lloyd, scikit-learn and all partitions as oracles, laws, scales, and bad input."""

import itertools
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import sklearn.cluster
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novacula as nv
from novacula.checks import check_equations, check_statistic, check_work
from novacula.errors import DataError, DataWarning, ParameterError, SchemaError
from novacula.mixture import KMeans
from novacula.mixture.lloyd.assignment import Assignment, Centres, Space
from novacula.mixture.lloyd.least_rows import LeastRows
from novacula.mixture.lloyd.start import CAPACITY
from novacula.mixture.lloyd.sums import ClusterSums
from novacula.table import Chunk, threads

from ..shared_checks import checks_of_settings

laws = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
quiet = pytest.mark.filterwarnings("ignore")
BOUNDS = ("none", "hamerly", "elkan")


def blobs(seed, n=300, d=3, k=4, spread=3.0):
    """Rows around k centres."""
    rng = np.random.default_rng(seed)
    return spread * rng.normal(size=(k, d))[rng.integers(0, k, n)] + rng.normal(size=(n, d))


def chunk_of(x, weight=None):
    weight = np.ones(len(x)) if weight is None else weight
    return Chunk(np.ascontiguousarray(x, np.float64), np.empty((len(x), 0), np.int32), weight)


def plain_lloyd(X, centres, weight=None):
    """Until assignments stop, by whole matrices; gives centres, labels and the inertia of each step."""
    weight, before, history = np.ones(len(X)) if weight is None else weight, None, []
    while True:
        square = ((X[:, None] - centres) ** 2).sum(axis=-1)
        label = square.argmin(axis=1)
        history.append(weight @ square.min(axis=1))
        if before is not None and np.array_equal(label, before):
            return centres, label, np.array(history)
        before = label
        centres = np.array([np.average(X[label == k], axis=0, weights=weight[label == k]) for k in range(len(centres))])


# --- oracles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("bounds", BOUNDS)
def test_is_plain_lloyd_with_any_bounds(seed, bounds):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 12)), int(rng.integers(1, 9))
    X = blobs(seed, 400, d, k, rng.choice([0.5, 3.0])) * rng.choice([1e-4, 1.0, 1e6])
    weight = rng.integers(1, 4, len(X)).astype(float)
    start = X[rng.choice(len(X), k, replace=False)]
    centres, label, history = plain_lloyd(X, start, weight)
    model = KMeans(k, init=start, tol=0, bounds=bounds).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(model.labels_, label)
    np.testing.assert_allclose(model.cluster_centers_, centres, rtol=1e-10, atol=1e-12 * np.abs(X).max())
    np.testing.assert_allclose(model.history_, history, rtol=1e-10)
    assert model.converged_
    assert model.inertia_ == model.history_[-1]


@pytest.mark.parametrize("seed", range(8))
def test_bounds_change_no_bit(seed):
    """Ties and copies too: rows lie on a coarse grid."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (500, 2 + seed)).astype(float)
    start = np.unique(X, axis=0)[: 6 + seed]
    models = [KMeans(len(start), init=start, tol=0, bounds=bounds).fit(X) for bounds in BOUNDS]
    for model in models[1:]:
        for name in ("cluster_centers_", "history_", "labels_", "cluster_inertia_"):
            assert getattr(model, name).tobytes() == getattr(models[0], name).tobytes(), name


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("tol", [0.0, 1e-4, 1e-2])
def test_equals_scikit_learn_from_the_same_start(seed, tol):
    X = blobs(seed, 500, 1 + seed, 6, 1.5)
    start = X[np.random.default_rng(seed).choice(len(X), 6, replace=False)]
    model = KMeans(6, init=start, tol=tol).fit(X)
    other = sklearn.cluster.KMeans(6, init=start, n_init=1, tol=tol, algorithm="lloyd").fit(X)
    np.testing.assert_array_equal(model.labels_, other.labels_)
    np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_, rtol=1e-9)
    assert model.inertia_ == pytest.approx(other.inertia_, rel=1e-10)
    # Scikit-learn counts the pass that finds nothing to change, too.
    assert other.n_iter_ - model.n_iter_ in ((1,) if tol == 0.0 else (0, 1))
    np.testing.assert_allclose(model.transform(X), other.transform(X), rtol=1e-9, atol=1e-7)
    assert model.score(X) == pytest.approx(other.score(X), rel=1e-10)


@quiet
@pytest.mark.parametrize("seed", range(6))
def test_many_starts_find_the_best_of_all_partitions(seed):
    """Seven rows in three clusters: 3⁷ ways."""
    X = np.random.default_rng(seed).normal(size=(7, 2))

    def cost(label):
        return sum(((X[label == k] - X[label == k].mean(axis=0)) ** 2).sum() for k in np.unique(label))

    best = min(cost(np.array(label)) for label in itertools.product(range(3), repeat=7))
    inertias = [KMeans(3, init=init, n_init=20, tol=0).fit(X).inertia_ for init in ("k-means++", "random")]
    assert min(inertias) == pytest.approx(best, rel=1e-12)
    assert all(inertia >= best * (1 - 1e-12) for inertia in inertias)


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e12])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e30])
def test_nearest_centres_are_exact_far_from_zero_and_at_any_scale(offset, scale):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 5)) * scale + offset * scale
    x[0] += 1e30 * scale
    space = Space.of(x[1:].min(axis=0), x[1:].max(axis=0), x[1:].mean(axis=0))
    seen = space.offsets(x)
    centres = Centres.of(space, np.concatenate([seen[1:30], seen[1:3], seen[3:4] * (1 + 1e-12)]))
    found = Assignment.of(seen, centres)
    distance = cdist(seen[1:], centres.offset)
    np.testing.assert_array_equal(found.label[1:], distance.argmin(axis=1))
    np.testing.assert_allclose(np.sqrt(found.square[1:]), distance.min(axis=1), rtol=1e-12)
    distance[np.arange(len(distance)), found.label[1:]] = np.inf
    assert (found.lower[1:] <= distance.min(axis=1) * (1 + 1e-12)).all()


@pytest.mark.parametrize("far", [1e40, 1e200])
def test_centres_far_off_are_separated(far):
    X = blobs(0, 50, 2, 2)
    start = np.array([[far, 0.0], [0.0, 0.0]])
    with pytest.warns(DataWarning, match="started again"):
        model = KMeans(2, init=start, tol=0).fit(X)
    assert model.n_reseeded_ == 1
    assert (np.diff(model.history_) <= 0).all()


# --- laws ---------------------------------------------------------------------------------------------------


@quiet
@laws
@given(st.integers(0, 2**31), st.sampled_from(["k-means++", "random", "random_partition"]), st.integers(1, 7))
def test_inertia_never_rises_and_ends_in_a_fixed_point(seed, init, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(20, 60), rng.integers(1, 4))).round(1) + rng.choice([0.0, 1e5])
    model = KMeans(k, init=init, n_init=1, tol=0, random_state=seed % 1000).fit(X)
    assert (np.diff(model.history_) <= 1e-10 * model.history_[:-1]).all()
    assert model.converged_
    assert set(model.labels_.tolist()) == set(range(k))
    for j in range(k):
        held = X[model.labels_ == j]
        np.testing.assert_allclose(model.cluster_centers_[j], held.mean(axis=0), rtol=1e-12, atol=1e-12)
    nearest = cdist(X, model.cluster_centers_)
    np.testing.assert_allclose(nearest[np.arange(len(X)), model.labels_], nearest.min(axis=1), rtol=1e-9, atol=1e-9)


@laws
@given(st.integers(0, 2**31))
def test_order_and_repetition_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2)).round(3)
    weight = rng.integers(1, 4, len(X))
    order = rng.permutation(weight.sum())
    model = KMeans(4).fit(X, sample_weight=weight)
    other = KMeans(4).fit(np.repeat(X, weight, axis=0)[order])
    np.testing.assert_allclose(model.cluster_centers_, other.cluster_centers_, rtol=1e-9, atol=1e-12)
    assert model.inertia_ == pytest.approx(other.inertia_, rel=1e-9)


def test_statistics_obey_their_laws():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, (200, 3)).astype(float)
    chunk = chunk_of(x, rng.integers(0, 3, len(x)).astype(float))
    space = Space.of(x.min(axis=0), x.max(axis=0), x.mean(axis=0))
    centres = Centres.of(space, space.offsets(x[:5] + 0.25))
    check_statistic(lambda c: ClusterSums.observe(c, centres), chunk, ClusterSums.zero(5, 3))
    check_statistic(lambda c: ClusterSums.observe_partition(c, space, 4, 7), chunk, ClusterSums.zero(4, 3))
    check_statistic(lambda c: LeastRows.observe_far(c, centres, 20), chunk, LeastRows.zero(3, 20))
    race = (x.mean(axis=0), float(x.var(axis=0).sum()), 3, 20)
    check_statistic(lambda c: LeastRows.observe_race(c, *race), chunk, LeastRows.zero(3, 20))


def test_an_emptied_cluster_takes_the_farthest_row():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    with pytest.warns(DataWarning, match="farthest from its centre, 1 in all"):
        model = KMeans(3, init=[[0.5], [10.5], [500.0]], tol=0).fit(X)
    assert model.cluster_centers_.ravel().tolist() == [0.5, 10.5, 20.5]
    assert model.n_reseeded_ == 1
    assert (np.diff(model.history_) <= 0).all()


def test_equal_centres_are_parted():
    X = np.arange(12.0)[:, None]
    with pytest.warns(DataWarning, match="started again"):
        model = KMeans(4, init=np.zeros((4, 1)), tol=0).fit(X)
    assert (model.cluster_weight_ > 0).all()


def test_seeding_by_a_coreset_finds_a_small_far_cluster():
    """Thirty of 30,000 rows: a plain sample of 4096 would often miss most of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 2))
    X[:30] += 200.0
    assert len(X) > CAPACITY
    for seed in range(5):
        model = KMeans(3, random_state=seed).fit(X)
        assert model.cluster_weight_.min() == 30


def test_seeding_is_about_as_good_as_scikit_learns():
    X = blobs(3, 6000, 4, 30, 4.0)
    ours = [KMeans(30, random_state=seed).fit(X).history_[0] for seed in range(12)]
    start = [sklearn.cluster.kmeans_plusplus(X, 30, random_state=seed)[0] for seed in range(12)]
    theirs = [(cdist(X, centres).min(axis=1) ** 2).sum() for centres in start]
    assert np.mean(ours) < 1.1 * np.mean(theirs)


# --- scales -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("init", ["k-means++", "random", "random_partition"])
def test_memory_chunks_parquet_and_csv_are_one(tmp_path, init):
    X = blobs(1, 5000, 3, 5).round(6)
    table = pa.table({f"x{j}": X[:, j] for j in range(3)})
    for i in range(4):
        part = table.slice(1250 * i, 1250)
        pyarrow.parquet.write_table(part, tmp_path / f"{i}.parquet", row_group_size=300)
    pyarrow.csv.write_csv(table, tmp_path / "all.csv")
    whole = KMeans(5, init=init, n_init=2).fit(X)
    for source in (str(tmp_path / "*.parquet"), str(tmp_path / "all.csv")):
        rows = nv.read(source)
        model = KMeans(5, init=init, n_init=2).fit(rows)
        np.testing.assert_allclose(model.cluster_centers_, whole.cluster_centers_, rtol=1e-9)
        assert model.n_iter_ == whole.n_iter_
        np.testing.assert_array_equal(model.predict(rows), whole.labels_)
        np.testing.assert_array_equal(KMeans(5, init=init, n_init=2).fit_predict(rows), whole.labels_)
        assert model.score(rows) == pytest.approx(-whole.inertia_, rel=1e-9)
        assert not hasattr(model, "labels_")


def test_threads_change_no_bit():
    X = blobs(2, 300_000, 2, 5)
    models = []
    for count in (1, 3):
        with threads(count):
            models.append(KMeans(5).fit(X))
    assert models[0].cluster_centers_.tobytes() == models[1].cluster_centers_.tobytes()


@pytest.mark.parametrize(
    "check", checks_of_settings(KMeans(n_clusters=3, init="random_partition"), KMeans(bounds="elkan", n_init=2))
)
def test_passes_the_checks_of_learners(check):
    check()


def test_in_a_pipeline_with_named_outputs():
    pipeline = make_pipeline(StandardScaler(), KMeans(3)).set_output(transform="pandas")
    frame = pipeline.fit_transform(blobs(0))
    assert list(frame.columns) == ["kmeans0", "kmeans1", "kmeans2"]


# --- work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "k", "offset"), [(1, 1, 0.0), (2, 3, 1e7), (20, 15, 0.0)])
def test_work_is_right(d, k, offset):
    X = blobs(0, 200, d, 4) + offset
    model = KMeans(k).fit(X)
    check_equations(model)
    check_equations(model, X[:40])
    check_equations(model, X[:1])


@quiet
def test_work_where_no_centre_moved():
    model = KMeans(2).fit([[0.0], [1.0]])
    assert model.n_iter_ == 0
    assert model.inertia_ == 0.0
    check_work(model)


# --- bad input ----------------------------------------------------------------------------------------------


def test_bad_input_is_refused_with_a_sentence(tmp_path):
    X = blobs(0, 30, 2)
    with pytest.raises(DataError, match="n_clusters is 5, but there are only n_samples=2 distinct rows"):
        KMeans(5).fit([[0.0, 1.0]] * 4 + [[2.0, 2.0]])
    with pytest.raises(DataError, match="only n_samples=2 distinct rows"):
        KMeans(3, init=[[0.0], [1.0], [2.0]]).fit([[0.0], [0.0], [1.0]])
    with pytest.raises(ParameterError, match=r"init has shape \(2, 2\)"):
        KMeans(3, init=X[:2]).fit(X)
    with pytest.raises(ParameterError, match="not finite"):
        KMeans(2, init=[[0.0, np.nan], [1.0, 1.0]]).fit(X)
    with pytest.raises(ParameterError, match="leave n_init at 1"):
        KMeans(2, init=X[:2], n_init=3).fit(X)
    with pytest.raises(ValueError, match="sum to zero"):
        KMeans(2).fit(X, sample_weight=np.zeros(len(X)))
    with pytest.raises(DataError, match="sum to zero"):
        KMeans(2).fit(nv.read(pa.table({"x": [1.0, 2.0], "w": [0.0, 0.0]}), weight="w"))
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2).fit([[1.0], [np.nan], [2.0]])
    with pytest.raises(DataError, match="squares overflow"):
        KMeans(2).fit([[1e200], [-1e200], [0.0]])
    with pytest.raises(DataError, match="squared distances overflow"):
        KMeans(1, init=[[1e200]]).fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="n_clusters"):
        KMeans(0).fit(X)
    with pytest.raises(SchemaError, match="'colour' is categorical"):
        KMeans(2).fit(nv.read(pa.table({"x": [1.0, 2.0, 3.0], "colour": ["a", "b", "a"]})))
    for value, words in ((None, "missing"), (np.inf, "infinite")):
        pyarrow.parquet.write_table(pa.table({"a": [1.0, 2.0, 3.0], "b": [1.0, value, 2.0]}), tmp_path / "x.parquet")
        with pytest.raises(DataError, match=f"column 'b' is {words}"):
            KMeans(2).fit(nv.read(str(tmp_path / "x.parquet")))


def test_elkans_bounds_are_refused_where_they_would_fill_the_memory(monkeypatch):
    monkeypatch.setattr("novacula.mixture.lloyd.rows.LARGEST_BOUNDS", 100)
    with pytest.raises(DataError, match="take 'hamerly'"):
        KMeans(4, bounds="elkan").fit(blobs(0))


def test_too_few_iterations_are_reported():
    X = blobs(0, 500, 2, 4, 0.5)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        model = KMeans(6, max_iter=1, tol=0).fit(X)
    assert not model.converged_
    assert len(model.history_) == 2


def test_rows_without_weight_have_no_effect():
    X = blobs(0, 100, 2)
    far = np.concatenate([X, [[1e300, -1e300], [5.0, 5.0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KMeans(3).fit(far, sample_weight=[1.0] * 100 + [0.0, 0.0])
    np.testing.assert_allclose(model.cluster_centers_, KMeans(3).fit(X).cluster_centers_, rtol=1e-12)
    assert model.labels_.shape == (102,)
