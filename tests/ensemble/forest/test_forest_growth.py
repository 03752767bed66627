"""Growth of the trees of forests: brute force, scikit-learn, order, weights, threads, and what cannot be learned."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier as PeerClassifier
from sklearn.ensemble import RandomForestRegressor as PeerRegressor
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier as PeerTree

from novacula.ensemble import RandomForestClassifier, RandomForestRegressor
from novacula.errors import DataError, ParameterError
from novacula.table.parallel import threads

ONE_TREE = {"n_estimators": 1, "bootstrap": False, "max_features": None}


def gini(y, w):
    """1 − Σ p² by definition."""
    shares = np.array([w[y == k].sum() for k in np.unique(y)]) / w.sum()
    return 1.0 - (shares**2).sum()


def entropy(y, w):
    shares = np.array([w[y == k].sum() for k in np.unique(y)]) / w.sum()
    return -(shares * np.log2(shares)).sum()


def squares(y, w):
    return w @ (y - w @ y / w.sum()) ** 2 / w.sum()


def best_gain(frame, y, w, impurity, groups_too=True):
    """The largest fall of the impurity by brute force: every threshold and pair of groups, gaps on either side."""
    best = -1.0
    for name in frame:
        x = frame[name]
        gap = x.isna().to_numpy()
        if pd.api.types.is_numeric_dtype(x):
            sides = [(x <= t).to_numpy() for t in x.dropna().unique()]
        else:
            seen = sorted(x.dropna().unique())
            groups = [g for k in range(1, len(seen) + 1) for g in combinations(seen, k)] if groups_too else []
            sides = [x.isin(g).to_numpy() for g in groups]
        for side in sides:
            for left in {tuple(side & ~gap), tuple(side | gap)}:
                left = np.array(left)
                if left.any() and not left.all():
                    inner = sum(w[part].sum() * impurity(y[part], w[part]) for part in (left, ~left))
                    best = max(best, impurity(y, w) - inner / w.sum())
    return best


def mixed_rows(seed, n=40, gaps=0.0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.integers(0, 4, n).astype(float), "c": rng.choice(list("pqrst"), n)}
    )
    number = np.where(frame.c.isin(["p", "r"]), 3.0, 1.0) + 2 * frame.a + 0.5 * rng.normal(size=n)
    for name in frame:
        frame.loc[rng.random(n) < gaps, name] = None
    return frame, number.to_numpy(), rng.integers(1, 4, n).astype(float)


def same_forest(one, two):
    for name in vars(one.trees_):
        if not name.startswith("_"):
            np.testing.assert_array_equal(getattr(one.trees_, name), getattr(two.trees_, name), err_msg=name)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_the_first_test_gains_what_brute_force_finds(seed, gaps):
    frame, number, weight = mixed_rows(seed, gaps=gaps)
    label = (number > np.median(number)).astype(int)
    model = RandomForestRegressor(**ONE_TREE).fit(frame, number, weight)
    np.testing.assert_allclose(model.trees_.gain[0], best_gain(frame, number, weight, squares), rtol=1e-9)
    for criterion, impurity in (("gini", gini), ("entropy", entropy)):
        model = RandomForestClassifier(criterion=criterion, **ONE_TREE).fit(frame, label, weight)
        np.testing.assert_allclose(model.trees_.gain[0], best_gain(frame, label, weight, impurity), rtol=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_test_of_several_classes(seed, criterion):
    frame, number, weight = mixed_rows(seed, gaps=0.1)
    label = np.searchsorted([0.0, 2.0], number)
    numbers = frame[["a", "b"]]  # of several classes and categories not every division is tried
    model = RandomForestClassifier(criterion=criterion, **ONE_TREE).fit(numbers, label, weight)
    best = best_gain(numbers, label, weight, {"gini": gini, "entropy": entropy}[criterion])
    np.testing.assert_allclose(model.trees_.gain[0], best, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_with_all_rows_and_columns_is_greedy_everywhere(seed):
    """As scikit-learn's: numbers without ties in gain lead to the same parts of the rows, so to the same means."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.3 * rng.normal(size=120)
    for depth in (1, 3, 5):
        mine = RandomForestRegressor(max_depth=depth, **ONE_TREE).fit(X, y)
        peer = PeerRegressor(1, bootstrap=False, max_depth=depth, random_state=0).fit(X, y)
        np.testing.assert_allclose(mine.predict(X), peer.predict(X), rtol=1e-9)
    assert (np.abs(RandomForestRegressor(**ONE_TREE).fit(X, y).predict(X) - y) < 1e-9).all()


@pytest.mark.parametrize("seed", range(3))
def test_leaves_are_made_where_they_gain_most(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=200) > 0.5).astype(int)
    mine = RandomForestClassifier(max_leaf_nodes=9, **ONE_TREE).fit(X, y)
    peer = PeerTree(max_leaf_nodes=9, random_state=0).fit(X, y)
    assert mine.trees_.is_leaf.sum() == 9
    impurity = (mine.trees_.mass * mine.trees_.gain).sum()
    np.testing.assert_allclose(mine.predict_proba(X), peer.predict_proba(X), atol=1e-12)
    assert impurity > 0


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("max_features", ["sqrt", None])
def test_nothing_but_the_rows_decides(kind, max_features):
    frame, number, _ = mixed_rows(0, 300, gaps=0.1)
    y = np.searchsorted([0.0, 2.0], number) if kind is RandomForestClassifier else number
    learner = kind(n_estimators=7, max_features=max_features)
    model = learner.fit(frame, y)
    order = np.random.default_rng(1).permutation(len(y))
    same_forest(model, kind(n_estimators=7, max_features=max_features).fit(frame.iloc[order], y[order]))
    with threads(1):
        one = kind(n_estimators=7, max_features=max_features).fit(frame, y)
    with threads(3):
        same_forest(one, kind(n_estimators=7, max_features=max_features).fit(frame, y))
    same_forest(model, one)
    other = kind(n_estimators=7, max_features=max_features, random_state=1).fit(frame, y)
    assert len(other.trees_.feature) != len(model.trees_.feature)


@given(st.lists(st.integers(0, 3), min_size=12, max_size=12), st.integers(0, 5))
def test_a_weight_is_a_number_of_repetitions(weight, seed):
    frame, number, _ = mixed_rows(seed, 12)
    frame["c"] = pd.Categorical(frame.c, list("pqrst"))  # which stay categories without a row, too
    if not any(weight):
        return
    learner = RandomForestRegressor(n_estimators=4)
    model = learner.fit(frame, number, np.array(weight, float))
    rows = np.repeat(np.arange(12), weight)
    again = RandomForestRegressor(n_estimators=4).fit(frame.iloc[rows].reset_index(drop=True), number[rows])
    np.testing.assert_allclose(model.predict(frame), again.predict(frame), rtol=1e-9)


def test_nodes_far_larger_than_a_few_rows_are_divided_alike():
    """Cells of many rows are gone through in another way than those of few: the tests found must be the same."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2)).round(2)
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=1500)
    mine = RandomForestRegressor(max_depth=6, max_bins=255, **ONE_TREE).fit(X, y)
    trees = mine.trees_
    for node in np.flatnonzero(~trees.is_leaf)[:5]:
        below = trees.child[node]
        share = trees.mass[[below, below + 1]] / trees.mass[node]
        gap = trees.value[[below, below + 1], 0] - trees.value[node, 0]
        np.testing.assert_allclose(trees.gain[node], share @ gap**2, rtol=1e-9)
        np.testing.assert_allclose(share.sum(), 1.0)
    assert trees.mass[0] == 1500


def test_limits_of_growth():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    deep = RandomForestClassifier(n_estimators=5, max_depth=3).fit(X, y)
    assert max(sum(1 for _ in deep.trees_.tree(t, deep.attributes_).levels()) for t in range(5)) <= 4
    wide = RandomForestClassifier(n_estimators=5, min_samples_leaf=20).fit(X, y)
    assert wide.trees_.mass.min() >= 20
    tested = RandomForestClassifier(n_estimators=5, min_samples_split=50).fit(X, y)
    assert tested.trees_.mass[~tested.trees_.is_leaf].min() >= 50
    few = RandomForestClassifier(n_estimators=40, max_samples=0.25).fit(X, y)
    assert abs(few.trees_.mass[few.trees_.start[:-1]].mean() - 75) < 5
    counted = RandomForestClassifier(n_estimators=40, max_samples=30).fit(X, y)
    assert abs(counted.trees_.mass[counted.trees_.start[:-1]].mean() - 30) < 4


def test_class_weights_are_weights():
    X, y = load_iris(return_X_y=True)
    factor = {0: 1.0, 1: 3.0, 2: 0.5}
    one = RandomForestClassifier(n_estimators=5, class_weight=factor).fit(X, y)
    two = RandomForestClassifier(n_estimators=5).fit(X, y, np.array([factor[k] for k in y]))
    same_forest(one, two)


def test_categories_that_a_node_has_not_seen_go_with_most_rows():
    frame = pd.DataFrame({"c": ["p"] * 10 + ["q"] * 30 + ["r"] * 1})
    y = np.array([1.0] * 10 + [0.0] * 31)
    model = RandomForestRegressor(**ONE_TREE).fit(frame, y)
    assert model.predict(pd.DataFrame({"c": [None, "p", "q", "r"]})).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_bad_input():
    X = np.arange(10.0)[:, None]
    constant = RandomForestRegressor(n_estimators=3).fit(X, np.full(10, 4.5))
    assert (constant.predict(X) == 4.5).all()
    assert constant.trees_.is_leaf.all()
    one = RandomForestRegressor(n_estimators=5).fit([[1.0]], [2.0])
    assert one.predict([[7.0]]).tolist() == [2.0]
    empty = RandomForestRegressor(n_estimators=3).fit(np.full((6, 2), np.nan), np.arange(6.0))
    assert np.allclose(empty.predict(np.zeros((1, 2))), empty.trees_.value.mean())
    with pytest.raises(DataError, match="weight"):
        RandomForestRegressor().fit(X, X[:, 0], np.zeros(10))
    with pytest.raises(ParameterError, match="oob_score=True needs bootstrap=True"):
        RandomForestClassifier(oob_score=True, bootstrap=False).fit(X, [0, 1] * 5)


def test_ten_thousand_categories():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 10_000, 12_000)
    frame = pd.DataFrame({"c": np.char.add("k", code.astype(str)), "x": rng.normal(size=12_000)})
    y = (code % 2).astype(float)
    model = RandomForestRegressor(n_estimators=3, max_features=None, bootstrap=False, max_depth=2).fit(frame, y)
    assert np.abs(model.predict(frame) - y).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_it_is_as_good_as_scikit_learn(load):
    X, y = load(return_X_y=True)
    is_number = load is load_diabetes
    mine = RandomForestRegressor() if is_number else RandomForestClassifier()
    peer = PeerRegressor(random_state=0) if is_number else PeerClassifier(random_state=0)
    order = np.random.default_rng(0).permutation(len(y))
    ours, theirs = (cross_val_score(m, X[order], y[order], cv=10) for m in (mine, peer))
    gap = theirs - ours
    assert gap.mean() <= 2 * gap.std(ddof=1) / np.sqrt(10) + 0.005
