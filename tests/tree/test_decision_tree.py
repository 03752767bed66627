"""What holds of every tree: order, weights, bins, depth, and what a user asks of a fitted model."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import tree as sklearn_tree
from sklearn.datasets import load_iris, make_classification

import novacula as nv
from novacula.tree import DecisionTreeClassifier

from .plain import PlainTree

CRITERIA = ("gain", "gain_ratio", "plain_gain_ratio", "gini", "tan_schlimmer", "nunez")
STRATEGIES = ("fractional", "most_common", "most_common_in_class")


def mixed_frame(seed, n=80, gaps=0.15):
    """Numbers with ties, categories and gaps; a target that follows them loosely."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.integers(0, 12, n) / 4,
            "colour": rng.choice(["blue", "green", "red"], n),
            "height": rng.normal(size=n).round(1),
            "shape": rng.choice(["round", "square"], n),
        }
    )
    y = np.where(frame["size"] + (frame.colour == "red") + rng.normal(0, 0.7, n) > 1.7, "yes", "no")
    for name in frame:
        frame[name] = frame[name].where(rng.random(n) >= gaps, None if frame[name].dtype.kind == "O" else np.nan)
    return frame, y


def assert_same_arrays(one, other, rtol=0.0):
    for name in (field.name for field in fields(one)):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rtol, atol=rtol, err_msg=name)


# --- order, weights, repetition -----------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", STRATEGIES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_rows_does_not_matter(criterion, missing):
    for seed in range(4):
        frame, y = mixed_frame(seed)
        weight = np.random.default_rng(seed).random(len(y)) + 0.1
        model = DecisionTreeClassifier(criterion=criterion, missing=missing).fit(frame, y, sample_weight=weight)
        for order in np.random.default_rng(seed).permuted(np.tile(np.arange(len(y)), (3, 1)), axis=1):
            again = DecisionTreeClassifier(criterion=criterion, missing=missing)
            again.fit(frame.iloc[order], y[order], sample_weight=weight[order])
            assert_same_arrays(model.tree_, again.tree_, rtol=1e-9)


def test_the_order_of_rows_does_not_break_ties():
    """Every column is the same, and so is the gain of both ends of each: the first column, the lowest threshold."""
    x = np.arange(8.0)
    X, y = np.column_stack([x, x, x]), np.array([0, 1, 1, 1, 1, 1, 1, 0])
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(8)
        tree = DecisionTreeClassifier().fit(X[order], y[order]).tree_
        assert (tree.feature[0], tree.threshold[0]) == (0, 0.5)
        assert set(tree.feature.tolist()) == {0, -1}


@pytest.mark.parametrize("missing", STRATEGIES)
def test_a_weight_is_a_repetition(missing):
    for seed in range(10):
        frame, y = mixed_frame(seed, n=40)
        weight = np.random.default_rng(seed).integers(0, 4, len(y))
        often = np.repeat(np.arange(len(y)), weight)
        weighted = DecisionTreeClassifier(missing=missing, min_samples_leaf=3).fit(frame, y, sample_weight=weight)
        repeated = DecisionTreeClassifier(missing=missing, min_samples_leaf=3).fit(frame.iloc[often], y[often])
        assert_same_arrays(weighted.tree_, repeated.tree_, rtol=1e-9)


def test_tiny_weights_still_split():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 0, 0])
    tree = DecisionTreeClassifier().fit(X, y).tree_
    tiny = DecisionTreeClassifier().fit(X, y, sample_weight=np.full(6, 1e-6)).tree_
    np.testing.assert_array_equal(tiny.threshold, tree.threshold)
    np.testing.assert_allclose(tiny.counts, tree.counts * 1e-6)


def test_balanced_class_weights_give_each_class_the_same_weight():
    X, y = np.arange(10.0)[:, None], np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 2])
    model = DecisionTreeClassifier(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(model.tree_.counts[0], 10 / 3)


def test_a_column_without_a_known_value_is_never_asked():
    frame, y = mixed_frame(0)
    void = pa.DictionaryArray.from_arrays(pa.nulls(len(y), pa.int32()), pa.array(["a", "b"]), ordered=True)
    empty = pa.table({"none": np.full(len(y), np.nan), "void": void, **dict(pa.Table.from_pandas(frame).to_pydict())})
    for missing in STRATEGIES:
        model = DecisionTreeClassifier(missing=missing).fit(empty, y)
        without = DecisionTreeClassifier(missing=missing).fit(empty.select(frame.columns.tolist()), y)
        asked = without.tree_.feature
        np.testing.assert_array_equal(model.tree_.feature, np.where(asked >= 0, asked + 2, -1))


# --- shape --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
def test_xor_is_learned_though_its_first_split_gains_nothing(criterion):
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    model = DecisionTreeClassifier(criterion=criterion).fit(X, y)
    assert model.tree_.gain[0] == 0.0
    assert model.tree_.feature[0] == 0
    assert model.predict(X).tolist() == y.tolist()
    assert len(DecisionTreeClassifier(criterion=criterion, min_gain=1e-6).fit(X, y).tree_) == 1


def chain(n):
    return np.arange(float(n))[:, None], np.arange(n) % 2


def assert_is_chain(model, n):
    tree = model.tree_
    assert model.get_depth() == n - 1
    assert model.get_n_leaves() == n
    np.testing.assert_array_equal(tree.threshold[~tree.is_leaf], np.arange(n - 1) + 0.5)
    X, y = chain(n)
    some = slice(None, None, max(1, n // 1_000))  # all rows of a chain take n²/2 steps
    np.testing.assert_array_equal(model.predict(X[some]), y[some])


def test_plain_chain():
    """What the tests below expect: of alternating classes each split cuts off the lowest row."""
    rows, y = [{"x": float(i)} for i in range(14)], [i % 2 for i in range(14)]
    node, plain = 0.5, PlainTree({"x": None}).fit(rows, y).root
    while plain.question:
        assert plain.question.threshold == node
        plain, node = plain.branches[1], node + 1
    assert node == 13.5


def test_a_deep_chain():
    assert_is_chain(DecisionTreeClassifier().fit(*chain(5_000)), 5_000)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_very_deep_chain(tmp_path):
    model = DecisionTreeClassifier().fit(*chain(100_000))
    assert_is_chain(model, 100_000)
    model.save(tmp_path / "deep.nova")
    assert_is_chain(nv.load(tmp_path / "deep.nova"), 100_000)


def test_one_class_is_one_leaf():
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
    assert len(model.tree_) == 1
    assert model.predict([[5.0], [np.nan]]).tolist() == ["only", "only"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert model.get_depth() == 0


def test_rows_that_are_alike_share_a_leaf():
    model = DecisionTreeClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert model.predict_proba([[9.0]])[0] == pytest.approx([1 / 3, 2 / 3])


def test_neighbouring_floats_are_told_apart():
    a, b = 1.0, np.nextafter(1.0, 2.0)
    model = DecisionTreeClassifier().fit([[a], [b]], [0, 1])
    assert model.predict([[a], [b]]).tolist() == [0, 1]
    huge = DecisionTreeClassifier().fit([[1.7e308], [-1.7e308], [1.6e308]], [0, 1, 2])
    assert huge.predict([[1.7e308], [-1.7e308], [1.6e308]]).tolist() == [0, 1, 2]


def test_max_leaf_nodes_keeps_a_part_of_the_tree():
    frame, y = mixed_frame(1, n=150)
    whole = DecisionTreeClassifier().fit(frame, y)
    sizes = []
    for limit in (2, 5, 9, 20):
        model = DecisionTreeClassifier(max_leaf_nodes=limit).fit(frame, y)
        sizes.append(model.get_n_leaves())
        assert sizes[-1] <= limit
        assert_is_part(model.tree_, whole.tree_)
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0]


def assert_is_part(part, whole):
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        np.testing.assert_array_equal(part.counts[i], whole.counts[j])
        if not part.is_leaf[i]:
            assert part.feature[i] == whole.feature[j]
            assert part.arity[i] == whole.arity[j]
            waiting.extend(zip(part.children(i), whole.children(j), strict=True))


# --- thresholds and bins ------------------------------------------------------------------------------------------


def test_thresholds_cut_a_column_into_intervals():
    wait = np.array([5.0, 10, 12, 30, 31, 60, 61, 99, np.nan])
    y = list("aabbccdda")
    model = DecisionTreeClassifier(thresholds={"wait": [10, 30, 60]}).fit(pd.DataFrame({"wait": wait}), y)
    tree = model.tree_
    assert tree.arity[0] == 4
    assert tree.arms(0)[0].tolist() == [0, 1, 2, 3]
    assert model.predict(pd.DataFrame({"wait": [-9.0, 10, 10.5, 30, 60, 1e9]})).tolist() == list("aabbcd")


@pytest.mark.parametrize("missing", STRATEGIES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_enough_bins_split_as_no_bins_do(criterion, missing):
    for seed in range(3):
        frame, y = mixed_frame(seed)
        exact = DecisionTreeClassifier(criterion=criterion, missing=missing).fit(frame, y)
        binned = DecisionTreeClassifier(criterion=criterion, missing=missing, max_bins=256).fit(frame, y)
        for name in ("feature", "child", "arity", "default", "otherwise", "counts", "gain"):
            one, other = getattr(exact.tree_, name), getattr(binned.tree_, name)
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(exact.predict_proba(frame), binned.predict_proba(frame), rtol=1e-9)


def test_few_bins_limit_the_thresholds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = rng.integers(0, 2, 500)
    tree = DecisionTreeClassifier(max_bins=4).fit(X, y).tree_
    for j in (0, 1):
        assert 1 <= len(np.unique(tree.threshold[tree.feature == j])) <= 3


# --- scikit-learn as oracle ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ours", "theirs"), [("gain", "entropy"), ("gini", "gini")])
@pytest.mark.parametrize("seed", range(5))
def test_equals_scikit_learn_on_numbers(seed, ours, theirs):
    X, y = make_classification(400, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=seed)
    X = X.astype(np.float32).astype(np.float64)  # scikit-learn's precision
    for depth in (1, 3, None):
        model = DecisionTreeClassifier(criterion=ours, max_depth=depth).fit(X, y)
        oracle = sklearn_tree.DecisionTreeClassifier(criterion=theirs, max_depth=depth, random_state=0).fit(X, y)
        assert model.tree_.feature[0] == oracle.tree_.feature[0]
        assert model.tree_.threshold[0] == pytest.approx(oracle.tree_.threshold[0], rel=1e-6)
        assert model.score(X, y) == oracle.score(X, y)
    limits = {"max_depth": 3, "min_samples_leaf": 20}  # small nodes have ties, which scikit-learn breaks by lot
    model = DecisionTreeClassifier(criterion=ours, **limits).fit(X, y)
    oracle = sklearn_tree.DecisionTreeClassifier(criterion=theirs, **limits, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), oracle.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(model.feature_importances_, oracle.feature_importances_, rtol=1e-6, atol=1e-12)
    assert (model.get_depth(), model.get_n_leaves()) == (oracle.get_depth(), oracle.get_n_leaves())


def test_equals_scikit_learn_with_weights():
    X, y = make_classification(300, 5, random_state=1)
    X = X.astype(np.float32).astype(np.float64)
    weight = np.random.default_rng(1).random(300)
    model = DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=weight)
    oracle = sklearn_tree.DecisionTreeClassifier(criterion="entropy", max_depth=3).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), oracle.predict_proba(X), rtol=1e-9)


# --- what a user asks of a model ----------------------------------------------------------------------------------


def test_apply_names_the_leaf_and_the_path_leads_there():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier().fit(X, y)
    leaves, path = model.apply(X), model.decision_path(X)
    assert model.tree_.is_leaf[leaves].all()
    np.testing.assert_array_equal(model.tree_.distributions()[leaves], model.predict_proba(X))
    assert path.shape == (len(X), len(model.tree_))
    parent = model.tree_.parent()
    for i in (0, 75, 149):
        node, expected = int(leaves[i]), set()
        while node >= 0:
            expected.add(node)
            node = int(parent[node])
        assert set(path[i].indices.tolist()) == expected


def test_expected_cost_is_that_of_the_tests_on_the_way():
    table = nv.datasets.load("play_tennis")
    model = DecisionTreeClassifier(costs={"Humidity": 3.0, "Wind": 0.5}).fit(table)
    assert model.expected_cost(table) == pytest.approx(1 + (5 * 3.0 + 5 * 0.5) / 14)  # five sunny days, five of rain
    number = DecisionTreeClassifier(costs={"x0": 4.0}).fit(*chain(9))
    assert number.expected_cost(chain(9)[0]) == pytest.approx(4.0)  # measured once, asked many times


@pytest.mark.parametrize(("m", "strength"), [(0.0, 0.0), (3.5, 3.5), ("laplace", 2.0)])
def test_probabilities_are_m_estimates(m, strength):
    table = nv.datasets.load("play_tennis")
    model = DecisionTreeClassifier(m=m).fit(table)
    overcast = pd.DataFrame({"Outlook": ["Overcast"], "Temperature": ["Hot"], "Humidity": ["High"], "Wind": ["Weak"]})
    expected = [strength / 2 / (4 + strength), (4 + strength / 2) / (4 + strength)]
    assert model.predict_proba(overcast)[0] == pytest.approx(expected)


def test_an_empty_branch_has_its_parents_distribution():
    values = pd.Categorical(["a", "a", "b", "b", "b"], categories=["a", "b", "c"])
    model = DecisionTreeClassifier().fit(pd.DataFrame({"v": values}), [0, 0, 1, 1, 1])
    assert model.tree_.arity[0] == 3
    query = pd.DataFrame({"v": pd.Categorical(["c"], categories=["a", "b", "c"])})
    assert model.predict_proba(query)[0] == pytest.approx([2 / 5, 3 / 5])
    assert model.predict(query).tolist() == [1]


def test_of_equal_classes_the_first_is_predicted():
    model = DecisionTreeClassifier().fit([[0.0], [0.0], [0.0]], ["c", "b", "a"])
    assert model.predict([[0.0]]).tolist() == ["a"]


def test_the_same_tree_from_arrays_frames_and_tables(tmp_path):
    frame, y = mixed_frame(3, gaps=0.0)
    model = DecisionTreeClassifier().fit(frame, y)
    whole = frame.assign(target=y)
    whole.to_csv(tmp_path / "rows.csv", index=False)
    for source in (nv.read(whole, "target"), nv.read(pa.Table.from_pandas(whole), "target")):
        assert_same_arrays(model.tree_, DecisionTreeClassifier().fit(source).tree_)
    streamed = DecisionTreeClassifier(max_bins=256).fit(nv.read(tmp_path / "rows.csv", "target"))
    assert_same_arrays(DecisionTreeClassifier(max_bins=256).fit(frame, y).tree_, streamed.tree_)


def test_a_saved_tree_is_the_same_tree(tmp_path):
    frame, y = mixed_frame(4)
    model = DecisionTreeClassifier().fit(frame, y)
    model.save(tmp_path / "m.nova")
    assert_same_arrays(model.tree_, nv.load(tmp_path / "m.nova").tree_)
