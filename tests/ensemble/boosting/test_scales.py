"""One model in memory, from files, in any order and on any number of threads: to the bit; and weights as repetition."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import novacula as nv
from novacula.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from novacula.table.parallel import threads

SETTINGS = {"max_iter": 8, "early_stopping": True, "subsample": 0.8, "max_features": 0.6, "random_state": 3}


def frame(n=1500):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    code = rng.integers(0, 300, n)  # more than a byte can tell apart
    y = 2.0 * np.nan_to_num(X[:, 0]) + np.sin(code) + 0.3 * rng.standard_normal(n)
    return pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "c": [f"v{c}" for c in code], "y": y})


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    whole = frame()
    for i in range(5):
        pq.write_table(whole.slice(300 * i, 300), folder / f"part{i}.parquet")
    return nv.read(f"{folder}/*.parquet", target="y")


def bits(model):
    trees = [getattr(model.trees_, field.name).tobytes() for field in fields(model.trees_)]
    trace = [np.asarray(getattr(model.trace_, field.name)).tobytes() for field in fields(model.trace_)]
    return [*trees, *trace, model.constant_.tobytes(), model.history_.tobytes(), model.held_out_history_.tobytes()]


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_files_orders_and_threads_give_the_same_bits(files, loss):
    memory = files.in_memory()
    model = GradientBoostingRegressor(loss, **SETTINGS).fit(memory)
    expected = bits(model)
    assert model.score(memory) > 0.5
    assert bits(GradientBoostingRegressor(loss, **SETTINGS).fit(files)) == expected
    order = np.random.default_rng(1).permutation(len(memory))
    assert bits(GradientBoostingRegressor(loss, **SETTINGS).fit(memory.take(order))) == expected
    for count in (1, 3):
        with threads(count):
            assert bits(GradientBoostingRegressor(loss, **SETTINGS).fit(memory)) == expected


def test_many_rows_are_shared_by_threads_without_a_trace_of_it():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60_000, 8))
    y = (X[:, 0] * X[:, 1] + rng.standard_normal(60_000) > 0).astype(int)
    found = []
    for count in (1, 2, 3):
        with threads(count):
            found.append(bits(GradientBoostingClassifier(max_iter=3).fit(X, y)))
    assert found[0] == found[1] == found[2]


def test_many_columns_are_shared_by_threads_without_a_trace_of_it():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((6000, 180))
    y = X[:, 0] * X[:, 1] + rng.standard_normal(6000)
    found = []
    for count in (1, 2):
        with threads(count):
            found.append(bits(GradientBoostingRegressor(max_iter=2).fit(X, y)))
    assert found[0] == found[1]


@pytest.mark.parametrize("values", [30, 10**6])  # fewer than there are bins, and more
@pytest.mark.parametrize("classes", [2, 3])
def test_a_whole_weight_is_as_many_rows(classes, values):
    rng = np.random.default_rng(7)
    X = rng.integers(0, values, (600, 3)) / values
    y = np.digitize(X[:, 0] + 0.1 * rng.standard_normal(600), [0.5, 0.8][: classes - 1])
    weight = rng.integers(0, 5, 600)
    repeated = np.repeat(np.arange(600), weight)
    weighted = GradientBoostingClassifier(max_iter=10).fit(X, y, sample_weight=weight)
    several = GradientBoostingClassifier(max_iter=10).fit(X[repeated], y[repeated])
    assert bits(weighted)[:-2] == bits(several)[:-2]  # all but the losses, which are rounded after they are weighted
    assert np.allclose(weighted.history_, several.history_, rtol=1e-12)


def test_weights_that_are_fractions_or_extreme():
    rng = np.random.default_rng(8)
    X = rng.integers(0, 30, (400, 2)).astype(float)
    y = X[:, 0] + rng.standard_normal(400)
    half = GradientBoostingRegressor(max_iter=5, min_samples_leaf=1).fit(X, y, sample_weight=np.full(400, 0.5))
    whole = GradientBoostingRegressor(max_iter=5, min_samples_leaf=1).fit(X, y)
    assert np.allclose(half.predict(X), whole.predict(X), rtol=1e-6)
    weight = np.where(np.arange(400) == 7, 1e12, 1.0)
    heavy = GradientBoostingRegressor(max_iter=50, min_samples_leaf=1).fit(X, y, sample_weight=weight)
    assert abs(heavy.predict(X[7:8])[0] - y[7]) < 1e-3


def test_rows_of_weight_zero_may_hold_anything():
    X = np.arange(120.0).reshape(60, 2)
    y = X[:, 0] % 7
    weight = np.ones(60)
    weight[::3] = 0.0
    other_X, other_y = X.copy(), y.copy()
    other_X[::3], other_y[::3] = -1e300, 1e300
    one = GradientBoostingRegressor(max_iter=5).fit(X, y, sample_weight=weight)
    other = GradientBoostingRegressor(max_iter=5).fit(other_X, other_y, sample_weight=weight)
    assert bits(one) == bits(other)


def test_class_weights_are_weights_of_rows():
    rng = np.random.default_rng(9)
    X = pd.DataFrame({"a": rng.standard_normal(300).round(1)})  # a bin for each number, whatever the weights
    y = (X["a"] + rng.standard_normal(300) > 1).astype(int).to_numpy()
    given = GradientBoostingClassifier(max_iter=5, class_weight={0: 1, 1: 3}).fit(X, y)
    rows = GradientBoostingClassifier(max_iter=5).fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert bits(given) == bits(rows)
    balanced = GradientBoostingClassifier(max_iter=5, class_weight="balanced").fit(X, y)
    assert abs(balanced.constant_[0]) < 1e-12
