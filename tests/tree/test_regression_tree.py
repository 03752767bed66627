"""Regression trees: brute force, scikit-learn, three scales, missing values, pruning, bad input."""

from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor as Peer

import novacula as nv
from novacula.checks.trace import unproved_fields
from novacula.checks.work import check_work
from novacula.errors import DataError, ParameterError, SchemaError, UnseenCategoryWarning
from novacula.tree import DecisionTreeRegressor
from novacula.tree.growing import levels


def squares(y, w):
    """The sum of squared deviations from the mean, by definition."""
    return float(w @ (y - w @ y / w.sum()) ** 2) if w.sum() > 0 else 0.0


def fall(y, w, branches):
    """By how much a test with these branches lowers the mean squared deviation."""
    return (squares(y, w) - sum(squares(y[b], w[b]) for b in branches)) / w.sum()


def best_falls(X, codes, y, w, nominal):
    """The largest fall of each column by brute force: every threshold; every code apart, or every division in two."""
    found = []
    for x in X.T:
        cuts = np.unique(x)[:-1]
        found.append(max((fall(y, w, [x <= t, x > t]) for t in cuts), default=-1.0))
    for x in codes.T:
        seen = np.unique(x)
        if nominal == "multiway":
            found.append(fall(y, w, [x == code for code in seen]) if len(seen) > 1 else -1.0)
        else:
            groups = [set(g) for k in range(1, len(seen)) for g in combinations(seen, k)]
            found.append(max((fall(y, w, [np.isin(x, list(g)), ~np.isin(x, list(g))]) for g in groups), default=-1.0))
    return np.array(found)


def mixed_frame(rng, n, missing=0.0):
    frame = pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.integers(0, 4, n).astype(float), "c": rng.choice(list("pqrst"), n)}
    )
    y = np.where(frame.c.isin(["p", "r"]), 3.0, 1.0) + 2 * frame.a + 0.3 * rng.normal(size=n)
    for name in frame:
        frame.loc[rng.random(n) < missing, name] = None
    return frame, y.to_numpy()


@pytest.mark.parametrize("nominal", ["multiway", "subset"])
@pytest.mark.parametrize("seed", range(4))
def test_the_root_has_the_test_that_brute_force_finds(seed, nominal):
    rng = np.random.default_rng(seed)
    n = 25
    X, codes = rng.integers(0, 6, (n, 2)).astype(float), rng.integers(0, 5, (n, 2))
    y, w = rng.normal(size=n) + (codes[:, 0] == 2), rng.integers(0, 4, n).astype(float)
    w[0] = 1.0
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": codes[:, 0].astype(str), "d": codes[:, 1].astype(str)})
    model = DecisionTreeRegressor(nominal=nominal).fit(frame, y, w)
    held = w > 0
    expected = best_falls(X[held], codes[held], y[held], w[held], nominal)
    np.testing.assert_allclose(model.trace_.candidates.gain[0], expected, rtol=1e-9)
    assert model.tree_.feature[0] == np.argmax(expected)
    assert model.tree_.gain[0] == pytest.approx(expected.max(), rel=1e-9)


@pytest.mark.parametrize(
    "settings",
    [{}, {"max_depth": 3}, {"min_samples_leaf": 7}, {"max_leaf_nodes": 20}, {"min_samples_split": 30}],
    ids=str,
)
def test_predictions_are_those_of_scikit_learn(settings):
    X, y = load_diabetes(return_X_y=True)
    ours, theirs = DecisionTreeRegressor(**settings).fit(X, y), Peer(random_state=0, **settings).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)


def test_the_pruning_path_is_that_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    ours = DecisionTreeRegressor(min_samples_leaf=20).cost_complexity_pruning_path(X, y)
    theirs = Peer(min_samples_leaf=20).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-9)
    np.testing.assert_allclose(ours.impurities, theirs.impurities, rtol=1e-9)
    alpha = float(theirs.ccp_alphas[-4]) * 1.01
    pruned = DecisionTreeRegressor(min_samples_leaf=20, ccp_alpha=alpha).fit(X, y)
    assert pruned.get_n_leaves() == Peer(min_samples_leaf=20, ccp_alpha=alpha).fit(X, y).get_n_leaves()


@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.2]))
def test_what_every_tree_fulfils(seed, missing):
    """Nodes hold what their rows hold, squares add up, gains are what squares fall by, weights are repetitions."""
    rng = np.random.default_rng(seed)
    frame, y = mixed_frame(rng, 40, missing)
    weight = rng.integers(0, 3, 40).astype(float)
    weight[[0, *frame.c.drop_duplicates().index]] = 1.0  # repetition must not leave out a category, which has a branch
    how = {"missing": str(rng.choice(["fractional", "most_common", "better"])), "max_leaf_nodes": 9}
    how["nominal"] = str(rng.choice(["multiway", "subset"]))
    model = DecisionTreeRegressor(**how).fit(frame, y, weight)
    tree, parent = model.tree_, model.tree_.parent()
    assert tree.mass[0] == pytest.approx(weight.sum())
    for node in np.flatnonzero(~tree.is_leaf):
        below = list(tree.children(node))
        assert tree.mass[below].sum() == pytest.approx(tree.mass[node])
        assert tree.mass[below] @ tree.value[below] == pytest.approx(tree.mass[node] * tree.value[node])
        between = tree.mass[below] @ (tree.value[below] - tree.value[node]) ** 2
        assert tree.deviation[below].sum() + between == pytest.approx(tree.deviation[node], abs=1e-9)
    empty = np.flatnonzero(tree.mass == 0.0)
    np.testing.assert_array_equal(tree.value[empty], tree.value[parent[empty]])
    repeated = np.repeat(np.arange(40), weight.astype(int))
    again = DecisionTreeRegressor(**how).fit(frame.iloc[repeated], y[repeated])
    np.testing.assert_allclose(model.predict(frame), again.predict(frame), rtol=1e-9)
    order = rng.permutation(40)
    shuffled = DecisionTreeRegressor(**how).fit(frame.iloc[order], y[order], weight[order])
    np.testing.assert_allclose(model.predict(frame), shuffled.predict(frame), rtol=1e-9)


def test_missing_values_go_the_better_way():
    """Rows without x are like those above the threshold, although most rows are below it."""
    x = np.array([1, 2, 3, 4, 5, 6, 11, 12, np.nan, np.nan])
    y = np.array([0, 0, 0, 0, 0, 0, 9, 9, 9, 9.0])
    better = DecisionTreeRegressor(missing="better").fit(x[:, None], y)
    assert better.get_n_leaves() == 2
    assert better.predict([[np.nan], [1.0], [20.0]]).tolist() == [9.0, 0.0, 9.0]
    common = DecisionTreeRegressor(missing="most_common", max_depth=1).fit(x[:, None], y)
    assert common.predict([[np.nan]])[0] == pytest.approx(18 / 8)
    shared = DecisionTreeRegressor(missing="fractional", max_depth=1).fit(x[:, None], y)
    low, high = shared.tree_.value[1:3]
    assert shared.predict([[np.nan]])[0] == pytest.approx(0.75 * low + 0.25 * high)


@pytest.mark.parametrize("how", [{}, {"missing": "better", "nominal": "subset"}, {"missing": "most_common"}], ids=str)
def test_files_give_the_tree_of_memory_on_the_same_bins(how, tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    frame, y = mixed_frame(rng, 1500, 0.1)
    frame["y"] = 1e6 + y
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for part in range(3):
        pq.write_table(table.slice(500 * part, 500), tmp_path / f"{part}.parquet", row_group_size=100)
    files = nv.read(str(tmp_path / "*.parquet"), target="y")
    whole = DecisionTreeRegressor(max_bins=16, max_depth=6, **how).fit(table.drop(["y"]), frame["y"])
    streamed = DecisionTreeRegressor(max_bins=16, max_depth=6, **how).fit(files)
    monkeypatch.setattr(levels, "PASS_BYTES", 1)  # many passes per level
    for other in (streamed, DecisionTreeRegressor(max_bins=16, max_depth=6, **how).fit(files)):
        assert len(whole.tree_) > 10
        for name in ("feature", "child", "default", "otherwise", "arm_code", "arm_branch", "threshold"):
            np.testing.assert_array_equal(getattr(whole.tree_, name), getattr(other.tree_, name))
        for name in ("mass", "value", "gain"):
            np.testing.assert_allclose(getattr(whole.tree_, name), getattr(other.tree_, name), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(whole.tree_.deviation, other.tree_.deviation, rtol=1e-6, atol=1e-9)


def test_large_offsets_cost_no_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    near, far = DecisionTreeRegressor().fit(X, y), DecisionTreeRegressor().fit(X, y + 1e9)
    np.testing.assert_array_equal(near.tree_.feature, far.tree_.feature)
    np.testing.assert_allclose(near.tree_.gain, far.tree_.gain, rtol=1e-4, atol=1e-12)
    huge = DecisionTreeRegressor(max_depth=3).fit(X, y * 1e150)
    np.testing.assert_allclose(huge.predict(X), 1e150 * DecisionTreeRegressor(max_depth=3).fit(X, y).predict(X))
    with pytest.raises(DataError, match="the target"):
        DecisionTreeRegressor().fit(X, y * 1e200)


def test_reduced_error_pruning_takes_what_does_no_harm():
    """Brute force over all prunings: none has less squared error on the held-out rows by less leaves at each cut."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] > 0) + 0.5 * rng.normal(size=120)
    grown = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    others = rng.normal(size=(80, 2))
    target = (others[:, 0] > 0) + 0.5 * rng.normal(size=80)
    error = np.mean((grown.predict(others) - target) ** 2)
    leaves = grown.get_n_leaves()
    grown.prune_(others, target)
    assert grown.get_n_leaves() < leaves
    assert np.mean((grown.predict(others) - target) ** 2) <= error + 1e-12
    tree = grown.tree_
    leaf = grown.apply(others)
    for node in np.flatnonzero(~tree.is_leaf):  # to cut any node that is left would do harm
        under = {int(node)}
        for child in range(node + 1, len(tree)):
            under |= {child} if int(tree.parent()[child]) in under else set()
        passing = np.isin(leaf, list(under))
        before = ((grown.predict(others[passing]) - target[passing]) ** 2).sum()
        assert ((tree.value[node] - target[passing]) ** 2).sum() > before
    held_out = DecisionTreeRegressor(prune="reduced_error", random_state=0).fit(X, y)
    assert 1 < held_out.get_n_leaves() < DecisionTreeRegressor().fit(X, y).get_n_leaves()


def test_answers_come_with_the_spread_of_their_leaf():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_leaf_nodes=6).fit(X, y)
    number, spread = model.predict(X, return_std=True)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        assert spread[leaf == node] == pytest.approx(np.std(y[leaf == node]))
    np.testing.assert_allclose(number, model.predict(X))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"nominal": "subset"},
        {"missing": "better"},
        {"missing": "most_common", "nominal": "subset", "max_depth": 3},
        {"missing": "better", "costs": {"a": 2.0}, "min_samples_leaf": 5},
        {"thresholds": {"a": [-0.5, 0.5]}, "max_leaf_nodes": 12},
        {"prune": "reduced_error", "random_state": 0},
        {"min_gain": 0.1, "max_bins": 8},
    ],
    ids=str,
)
def test_the_work_is_right_and_proves_what_it_keeps(settings):
    frame, y = mixed_frame(np.random.default_rng(0), 120, 0.1)
    model = DecisionTreeRegressor(**settings).fit(frame, y)
    check_work(model, frame)
    assert unproved_fields(model, frame[:3]) == []


def test_the_first_gain_is_written_out():
    """Three rows: the mean squared deviation falls from 2/3 by half a unit, 1/3 (1 − 2)² + 2/3 (2.5 − 2)²."""
    work = str(DecisionTreeRegressor().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]).work())
    assert "1/3 × (1 − 2)² + 2/3 × (2.5 − 2)² = 0.5" in work
    assert "x0 ≤ 1.5" in work


def test_exports_answer_as_the_model(tmp_path):
    frame, y = mixed_frame(np.random.default_rng(2), 150, 0.1)
    model = DecisionTreeRegressor(max_leaf_nodes=12, missing="better").fit(frame, y)
    again = DecisionTreeRegressor.from_dict(model.to_dict())
    np.testing.assert_array_equal(model.predict(frame), again.predict(frame))
    model.save(tmp_path / "tree.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "tree.nova").predict(frame), model.predict(frame))


def test_bad_input_gets_a_sentence_or_a_right_model():
    X = np.arange(6.0)[:, None]
    constant = DecisionTreeRegressor().fit(X, np.full(6, 0.1))
    assert constant.get_n_leaves() == 1
    assert constant.predict([[3.0]]).tolist() == [0.1]
    assert DecisionTreeRegressor().fit([[1.0]], [4.0]).predict([[9.0]]).tolist() == [4.0]
    empty = DecisionTreeRegressor().fit(np.full((6, 1), np.nan), np.arange(6.0))
    assert empty.predict([[1.0]]).tolist() == [2.5]
    many = pd.DataFrame({"c": [f"k{i}" for i in range(10_000)]})
    parity = np.arange(10_000) % 2.0
    assert DecisionTreeRegressor(nominal="subset").fit(many, parity).score(many, parity) == 1.0
    with pytest.raises(DataError, match="sum to zero"):
        DecisionTreeRegressor().fit(X, np.arange(6.0), np.zeros(6))
    with pytest.raises(ParameterError, match="must be above 0"):
        DecisionTreeRegressor(costs={"x0": 0.0}).fit(X, np.arange(6.0))
    with pytest.raises(SchemaError, match="learns one target"):
        DecisionTreeRegressor().fit(X, np.ones((6, 2)))
    with pytest.raises(ValueError, match=r"criterion.*absolute"):
        DecisionTreeRegressor(criterion="absolute").fit(X, np.arange(6.0))
    model = DecisionTreeRegressor().fit(pd.DataFrame({"c": list("aabb")}), [0.0, 0.0, 4.0, 4.0])
    with pytest.warns(UnseenCategoryWarning, match="'c'"):
        assert model.predict(pd.DataFrame({"c": ["z"]})).tolist() == [2.0]


# --- absolute deviations ------------------------------------------------------------------------------------------


def deviations(y, w):
    """The sum of absolute deviations from the weighted median, by trying every number."""
    return min((float(w @ np.abs(y - middle)) for middle in y), default=0.0)


def best_absolute_falls(columns, y, w, nominal, missing):
    """By brute force the largest fall of each column: each division, the missing rows where the rule sends them."""
    found = []
    for values, is_number in columns:
        known = ~pd.isna(values)
        seen = sorted(set(values[known]))
        if is_number:
            divisions = [[values <= t, known & (values > t)] for t in seen[:-1]]
        elif nominal == "multiway":
            divisions = [[values == one for one in seen]] if len(seen) > 1 else []
        else:
            order = sorted(seen, key=lambda one: (lower_median(y[values == one], w[values == one]), one))
            divisions = [
                [np.isin(values, order[:k]), known & ~np.isin(values, order[:k])] for k in range(1, len(order))
            ]
        found.append(max((absolute_fall(y, w, d, ~known, missing) for d in divisions), default=-1.0))
    return np.array(found)


def lower_median(y, w):
    order = np.argsort(y)
    return y[order][np.searchsorted(np.cumsum(w[order]), 0.5 * w.sum() - 1e-12)]


def absolute_fall(y, w, branches, gone, missing):
    def worth(parts, whole):
        return (deviations(y[whole], w[whole]) - sum(deviations(y[b], w[b]) for b in parts)) / w.sum()

    if missing == "fractional" or not gone.any():
        return worth(branches, ~gone)
    joined = [
        worth([b | gone if i == to else b for i, b in enumerate(branches)], gone | True) for to in range(len(branches))
    ]
    heaviest = int(np.argmax([w[b].sum() for b in branches]))
    return max(joined) if missing == "better" else joined[heaviest]


@given(
    seed=st.integers(0, 10**6),
    missing=st.sampled_from(["fractional", "most_common", "better"]),
    nominal=st.sampled_from(["multiway", "subset"]),
)
def test_absolute_falls_are_those_of_brute_force(seed, missing, nominal):
    rng = np.random.default_rng(seed)
    n = 24
    frame = pd.DataFrame({"a": rng.integers(0, 6, n).astype(float), "c": rng.choice(list("pqrs"), n)})
    y, w = rng.permutation(n) + rng.random(n), rng.integers(1, 4, n).astype(float)
    for name in frame:
        frame.loc[rng.random(n) < 0.15, name] = None
    model = DecisionTreeRegressor("absolute_error", missing=missing, nominal=nominal).fit(frame, y, w)
    columns = [(frame["a"].to_numpy(float), True), (frame["c"].to_numpy(object), False)]
    expected = best_absolute_falls(columns, y, w, nominal, missing)
    np.testing.assert_allclose(model.trace_.candidates.gain[0], expected, rtol=1e-9, atol=1e-9)
    tree = model.tree_
    assert tree.deviation[0] == pytest.approx(deviations(y, w))
    repeated = np.repeat(np.arange(n), w.astype(int))
    again = DecisionTreeRegressor("absolute_error", missing=missing, nominal=nominal).fit(
        frame.iloc[repeated], y[repeated]
    )
    np.testing.assert_allclose(model.predict(frame), again.predict(frame), rtol=1e-9)
    order = rng.permutation(n)
    shuffled = DecisionTreeRegressor("absolute_error", missing=missing, nominal=nominal).fit(
        frame.iloc[order], y[order], w[order]
    )
    np.testing.assert_allclose(model.predict(frame), shuffled.predict(frame), rtol=1e-9)


@pytest.mark.parametrize("settings", [{}, {"max_depth": 3}, {"max_leaf_nodes": 20}], ids=str)
def test_absolute_predictions_are_those_of_scikit_learn(settings):
    X, y = load_diabetes(return_X_y=True)
    ours = DecisionTreeRegressor("absolute_error", **settings).fit(X, y)
    theirs = Peer(criterion="absolute_error", random_state=0, **settings).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)


@pytest.mark.parametrize(
    "settings",
    [{}, {"nominal": "subset", "missing": "better"}, {"missing": "most_common", "max_bins": 8}, {"max_leaf_nodes": 5}],
    ids=str,
)
def test_absolute_deviations_are_derived_and_kept(settings, tmp_path):
    frame, y = mixed_frame(np.random.default_rng(1), 120, 0.1)
    model = DecisionTreeRegressor("absolute_error", **settings).fit(frame, y)
    check_work(model, frame)
    assert unproved_fields(model, frame[:3]) == []
    model.save(tmp_path / "tree.nova")
    np.testing.assert_array_equal(nv.load(tmp_path / "tree.nova").predict(frame), model.predict(frame))
    np.testing.assert_array_equal(DecisionTreeRegressor.from_dict(model.to_dict()).predict(frame), model.predict(frame))


def test_one_number_far_away_moves_no_median():
    x, y = np.arange(8.0)[:, None], np.array([1, 1, 1, 1000, 5, 5, 5, 5.0])
    model = DecisionTreeRegressor("absolute_error", max_depth=1).fit(x, y)
    assert model.predict([[0.0], [7.0]]).tolist() == pytest.approx([1.0, 5.0])
    with pytest.raises(ParameterError, match="no standard deviations"):
        model.predict(x, return_std=True)


def test_validation_rows_prune_by_absolute_errors():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0, 4.0, 0.0) + rng.standard_t(2, 300)
    grown = DecisionTreeRegressor("absolute_error").fit(X[:150], y[:150])
    error, leaves = np.abs(grown.predict(X[150:]) - y[150:]).sum(), grown.get_n_leaves()
    grown.prune_(X[150:], y[150:])
    assert grown.get_n_leaves() < leaves
    assert np.abs(grown.predict(X[150:]) - y[150:]).sum() <= error


def test_files_have_no_medians(tmp_path):
    frame, y = mixed_frame(np.random.default_rng(0), 30)
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    with pytest.raises(ParameterError, match="squared_error"):
        DecisionTreeRegressor("absolute_error").fit(nv.read(tmp_path / "rows.csv", target="y"))
