"""What the learners of neighbours share: the lists of neighbours, scales, weights, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import neighbors as sk

import novacula as nv
from novacula.errors import DataError, DataWarning, ParameterError
from novacula.learner.files import save
from novacula.neighbors import KNeighborsClassifier, KNeighborsDensity, KNeighborsRegressor
from novacula.table import read, threads

from ..shared_checks import checks_of_settings

ALGORITHMS = ["auto", "kd_tree", "brute"]
METRICS = [("euclidean", 2), ("manhattan", 2), ("chebyshev", 2), ("minkowski", 3), ("minkowski", np.inf)]


@pytest.fixture
def cloud():
    rng = np.random.default_rng(0)
    return rng.normal(size=(400, 4)), rng.integers(0, 3, 400), rng.normal(size=(60, 4))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("metric", "p"), METRICS)
def test_neighbours_are_those_of_scikit_learn(cloud, algorithm, metric, p):
    X, y, Q = cloud
    model = KNeighborsClassifier(6, metric=metric, p=p, algorithm=algorithm).fit(X, y)
    rival = sk.KNeighborsClassifier(6, metric=metric, p=p, algorithm="brute").fit(X, y)
    for query in (Q, None):
        distance, row = model.kneighbors(query)
        expected, order = rival.kneighbors(query)
        np.testing.assert_array_equal(row, order)
        np.testing.assert_allclose(distance, expected, rtol=1e-9)
        for mode in ("connectivity", "distance"):
            ours, theirs = model.kneighbors_graph(query, mode=mode), rival.kneighbors_graph(query, mode=mode)
            np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-9)
    assert model.kneighbors(Q, n_neighbors=2, return_distance=False).shape == (60, 2)


@given(st.data())
@settings(deadline=None)
def test_algorithms_agree_to_the_bit(data):
    n, d = data.draw(st.integers(3, 60)), data.draw(st.integers(1, 4))
    X = data.draw(arrays(np.float64, (n, d), elements=st.integers(0, 3).map(float)))
    Q = data.draw(arrays(np.float64, (6, d), elements=st.integers(0, 3).map(float)))
    k = data.draw(st.integers(1, n - 1))
    found = [KNeighborsDensity(k, algorithm=a).fit(X).kneighbors(Q) for a in ("kd_tree", "brute")]
    np.testing.assert_array_equal(found[0][1], found[1][1])
    np.testing.assert_array_equal(found[0][0], found[1][0])


@given(st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_the_order_of_rows_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(50, 3)), rng.normal(size=(8, 3))
    order = rng.permutation(50)
    distance, row = KNeighborsDensity(7).fit(X).kneighbors(Q)
    mixed, places = KNeighborsDensity(7).fit(X[order]).kneighbors(Q)
    np.testing.assert_array_equal(distance, mixed)
    np.testing.assert_array_equal(row, order[places])


@given(st.integers(0, 1000), st.sampled_from(["range", "standard"]))
@settings(max_examples=30, deadline=None)
def test_a_scale_takes_units_away(seed, scale):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(50, 3)), rng.normal(size=(8, 3))
    units, zero = 2.0 ** rng.integers(-20, 20, 3), 4.0
    plain = KNeighborsDensity(5, scale=scale).fit(X)
    other = KNeighborsDensity(5, scale=scale).fit(X * units + zero * units)
    np.testing.assert_array_equal(plain.kneighbors(Q)[1], other.kneighbors(Q * units + zero * units)[1])
    # a density is one over a volume, so it changes by the volume of the units
    shift = plain.score_samples(Q) - other.score_samples(Q * units + zero * units)
    np.testing.assert_allclose(shift, np.log(units).sum(), rtol=1e-9, atol=1e-9)


def test_range_is_the_unit_cube(cloud):
    X, y, _ = cloud
    held = KNeighborsClassifier(scale="range").fit(X * [1, 10, 1e5, 1e-5], y).examples_["rows"]
    np.testing.assert_allclose([held.min(axis=0), held.max(axis=0)], [[0.0] * 4, [1.0] * 4], atol=1e-15)


# --- weights are repetitions --------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(1, 9))
@settings(deadline=None)
def test_a_row_of_weight_two_takes_two_places(seed, k):
    rng = np.random.default_rng(seed)
    X, Q = rng.integers(0, 4, (30, 2)).astype(float), rng.integers(0, 4, (10, 2)) + 0.25
    weight = rng.integers(0, 4, 30)
    weight[0] = 10
    numbers = np.repeat(np.arange(30), weight)
    weighted = KNeighborsDensity(k).fit(X, sample_weight=weight)
    repeated = KNeighborsDensity(k).fit(X[numbers])
    for a, b in zip(weighted.kneighbors(Q), repeated.kneighbors(Q), strict=True):
        np.testing.assert_array_equal(a, b if b.dtype == np.float64 else numbers[b])
    ours, theirs = weighted.kneighbors_graph(Q).toarray(), repeated.kneighbors_graph(Q).toarray()
    summed = np.zeros_like(ours)
    np.add.at(summed.T, numbers, theirs.T)
    np.testing.assert_array_equal(ours, summed)
    # leaving out a row of weight 3 leaves two of it
    of_each = np.searchsorted(numbers, np.flatnonzero(weight))
    left = weighted.kneighbors()[0][weight > 0]
    np.testing.assert_array_equal(left, repeated.kneighbors()[0][of_each])


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 4, "loo"])
def test_weights_repeat_rows_in_votes_and_means(k, weights):
    rng = np.random.default_rng(3)
    X, y, t = rng.integers(0, 5, (80, 2)).astype(float), rng.integers(0, 3, 80), rng.normal(size=(80, 2))
    weight, Q = rng.integers(0, 4, 80), rng.normal(2, 2, (50, 2)).round(1)
    numbers = np.repeat(np.arange(80), weight)
    one = KNeighborsClassifier(k, weights=weights).fit(X, y, sample_weight=weight)
    two = KNeighborsClassifier(k, weights=weights).fit(X[numbers], y[numbers])
    np.testing.assert_allclose(one.predict_proba(Q), two.predict_proba(Q), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(one.predict(Q), two.predict(Q))
    np.testing.assert_allclose(one.loo_score(), two.loo_score(), rtol=1e-12)
    one = KNeighborsRegressor(k, weights=weights).fit(X, t, sample_weight=weight)
    two = KNeighborsRegressor(k, weights=weights).fit(X[numbers], t[numbers])
    np.testing.assert_allclose(one.predict(Q), two.predict(Q), rtol=1e-12)
    np.testing.assert_allclose(one.loo_score(), two.loo_score(), rtol=1e-12)


def test_parts_of_a_weight_fill_the_last_place():
    # The places of k = 2 are 0.5 of row 0, 0.5 of row 1, and 1 of the 3 that row 2 weighs.
    model = KNeighborsClassifier(2).fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[0.5, 0.5, 3.0])
    np.testing.assert_allclose(model.predict_proba([[-1.0]]), [[0.25, 0.75]])
    assert model.kneighbors([[-1.0]])[1].tolist() == [[1, 2]]  # who makes the weight up to 1, and to 2


# --- any input ----------------------------------------------------------------------------------------------------


def test_tables_frames_and_threads_give_the_same(cloud, tmp_path):
    X, y, Q = cloud
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    pd.DataFrame(Q, columns=list("abcd")).to_csv(tmp_path / "asked.csv", index=False)
    model = KNeighborsClassifier(4).fit(X, y)
    other = KNeighborsClassifier(4).fit(read(str(tmp_path / "rows.parquet"), "y"))
    expected = model.predict_proba(Q)
    np.testing.assert_array_equal(other.predict_proba(read(str(tmp_path / "asked.csv"))), expected)
    np.testing.assert_array_equal(other.kneighbors(read(str(tmp_path / "asked.csv")))[1], model.kneighbors(Q)[1])
    with threads(1):
        np.testing.assert_array_equal(model.predict_proba(Q), expected)


def test_a_loaded_model_finds_the_same_rows(cloud, tmp_path):
    X, y, Q = cloud
    model = KNeighborsClassifier("loo", scale="standard").fit(X, y)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    for a, b in zip(model.kneighbors(Q), loaded.kneighbors(Q), strict=True):
        np.testing.assert_array_equal(a, b)
    assert loaded.loo_score() == model.loo_score()


@pytest.mark.parametrize(
    "check",
    checks_of_settings(
        KNeighborsClassifier(3, weights="distance", metric="manhattan", scale="standard", algorithm="brute"),
        KNeighborsClassifier("loo", metric="heom"),
        KNeighborsRegressor(2, metric="minkowski", p=3, scale="range", algorithm="kd_tree"),
        KNeighborsDensity(4, metric="chebyshev", scale="standard"),
    ),
)
def test_every_check_with_other_settings(check):
    check()


# --- refusals -----------------------------------------------------------------------------------------------------

X3, Y3 = [[0.0], [1.0], [2.0]], [0, 1, 1]


@pytest.mark.parametrize(
    ("settings_", "arguments", "sentence"),
    [
        ({"n_neighbors": 4}, (X3, Y3), "n_neighbors is 4, but .* 3 rows"),
        ({"n_neighbors": 3}, (X3, Y3, [1.0, 0.0, 0.5]), "n_neighbors is 3, but .* 1.5 weight"),
        ({"n_neighbors": "loo"}, ([[0.0]], [0]), "at least two"),
        ({"n_neighbors": 1}, ([[0.0], [np.nan], [2.0]], Y3), r"is missing .* in row 2"),
        ({"n_neighbors": 1}, ([[0.0], [1.0], [-np.inf]], Y3), "infinite .* in row 3"),
    ],
)
def test_what_cannot_be_fitted(settings_, arguments, sentence):
    X, y, *weight = arguments
    with pytest.raises(DataError, match=sentence):
        KNeighborsClassifier(**settings_).fit(X, y, *weight)


@pytest.mark.parametrize(
    "settings_",
    [{"n_neighbors": 0}, {"n_neighbors": "many"}, {"n_neighbors": "cv_ml"}, {"p": 0.5}, {"weights": "near"}],
)
def test_parameters_without_sense(settings_):
    with pytest.raises(ValueError, match=next(iter(settings_))):
        KNeighborsClassifier(**settings_).fit(X3, Y3)


def test_weights_that_are_all_zero():
    with pytest.raises(ValueError, match="zero"):
        KNeighborsClassifier(1).fit(X3, Y3, [0.0, 0.0, 0.0])
    table = read(pd.DataFrame({"x": [1.0, 2.0], "w": [0.0, 0.0], "y": ["a", "b"]}), "y", weight="w")
    with pytest.raises(DataError, match="zero"):
        KNeighborsClassifier(1).fit(table)


def test_queries_that_cannot_be_answered():
    model = KNeighborsClassifier(1).fit(X3, Y3)
    with pytest.raises(DataError, match="row 2"):
        model.predict([[0.0], [np.nan]])
    with pytest.raises(DataError, match=r"n_neighbors is 3.*left out"):
        model.kneighbors(n_neighbors=3)
    with pytest.raises(ParameterError, match="whole number"):
        model.kneighbors([[0.0]], n_neighbors=1.5)
    with pytest.raises(ParameterError, match="mode"):
        model.kneighbors_graph([[0.0]], mode="far")
    with pytest.raises(DataError, match="overflow"):
        model.predict([[1e200]])


def test_a_list_that_no_memory_holds_is_refused():
    model = KNeighborsDensity(1).fit(np.arange(33_000.0)[:, None])
    with pytest.raises(DataError, match="17 GB"):
        model.kneighbors(n_neighbors=32_999)


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_numbers_whose_squares_overflow(algorithm):
    X = np.array([[1e200, 1e200], [-1e200, 2e200], [0.0, 2.5e200]])
    model = KNeighborsClassifier(2, algorithm=algorithm).fit(X, Y3)
    with pytest.raises(DataError, match="overflow"):
        model.predict(X)
    nearer = KNeighborsClassifier(2, algorithm=algorithm, metric="manhattan").fit(X, Y3)
    assert nearer.kneighbors([[0.9e200, 1e200]])[1].tolist() == [[0, 2]]
    with pytest.raises(DataError, match="spread overflows"):
        KNeighborsClassifier(2, scale="standard").fit(X, Y3)


def test_one_value_in_every_row_has_no_spread_at_all():
    """The mean of many 0.1 is not 0.1, so that deviations from it would be tiny and not 0."""
    X = np.column_stack([np.full(1000, 0.1), np.random.default_rng(0).normal(size=1000)])
    with pytest.warns(DataWarning, match="'x0': the same value in every row"):
        model = KNeighborsDensity(3, scale="standard").fit(X)
    np.testing.assert_array_equal(
        model.kneighbors(X[:20])[1], KNeighborsDensity(3).fit(X[:, 1:]).kneighbors(X[:20, 1:])[1]
    )


def test_wild_scales_are_named_once():
    frame = pd.DataFrame({"income": [1e4, 5e4, 9e4], "age": [20.0, 30.0, 40.0]})
    with pytest.warns(DataWarning, match="'income' spreads .* 'age'") as caught:
        KNeighborsClassifier(1).fit(frame, Y3)
    assert len(caught) == 1
    KNeighborsClassifier(1, scale="range").fit(frame, Y3)


@pytest.mark.parametrize("scale", ["range", "standard"])
def test_a_constant_column_is_left_out_and_named(scale):
    frame = pd.DataFrame({"same": [7.0, 7.0, 7.0], "age": [20.0, 30.0, 40.0]})
    with pytest.warns(DataWarning, match="'same'"):
        model = KNeighborsClassifier(1, scale=scale).fit(frame, Y3)
    unit = 20.0 if scale == "range" else np.std([20.0, 30.0, 40.0])
    asked = pd.DataFrame({"same": [1e6], "age": [29.0]})
    np.testing.assert_allclose(model.kneighbors(asked)[0], [[1.0 / unit]])


def test_a_hostile_file_is_refused(tmp_path):
    model = KNeighborsClassifier(1).fit(X3, Y3)
    model.examples_["target"] = np.array([0, 1, 7], np.int32)
    save(model, tmp_path / "m.nova", checked=False)
    with pytest.raises(ValueError, match="classes"):
        nv.load(tmp_path / "m.nova")
    model = KNeighborsRegressor(1).fit(X3, Y3)
    model.examples_["rows"] = np.zeros((3, 2))
    save(model, tmp_path / "m.nova", checked=False)
    with pytest.raises(ValueError, match="columns"):
        nv.load(tmp_path / "m.nova")
