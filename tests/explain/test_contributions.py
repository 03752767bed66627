"""Contributions against their definitions: trees by every subset, planes by their formula, any model by every order."""

from dataclasses import replace
from itertools import combinations, permutations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsRegressor as ForeignNeighbors

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.checks import check_work
from novacula.errors import DataError, ParameterError, UnseenCategoryWarning
from novacula.explain import contributions, dependence
from novacula.linear import LinearRegression, LogisticRegression, Perceptron, Ridge
from novacula.neighbors import KNeighborsRegressor
from novacula.prepare import PreparedClassifier, PreparedRegressor
from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor
from novacula.tree.attributes import attribute_codes

from .mixed import NASTY, mixed_frame, three_classes


def followed(trees, t, chunk, row, known, node=0):
    """The expectation that follows a tree: a known column takes its branch, others go down all by their weights."""
    tree, values = trees.trees[t], trees.values[t]
    if tree.feature[node] < 0:
        return values[node]
    attribute, weight, children = trees.attributes[tree.feature[node]], tree.weight, list(tree.children(node))
    if tree.feature[node] in known:
        if attribute.kind == "numeric":
            number = chunk.numeric[row, attribute.place]
            branch = None if np.isnan(number) else int(number > tree.threshold[node])
        else:
            code = attribute_codes(chunk, trees.attributes, trees.cut_places)[row, attribute.place]
            arms = slice(tree.arm_start[node], tree.arm_start[node + 1])
            named = dict(zip(tree.arm_code[arms], tree.arm_branch[arms], strict=True))
            branch = None if code < 0 else named.get(code, tree.otherwise[node])
        if branch is None and not (trees.fractional and weight[node] > 0):
            branch = tree.default[node]
        if branch is not None:
            return followed(trees, t, chunk, row, known, children[branch])
    if not weight[node] > 0:
        return followed(trees, t, chunk, row, known, children[tree.default[node]])
    return sum(weight[c] / weight[node] * followed(trees, t, chunk, row, known, c) for c in children)


def shapley(d, value):
    """Shapley values by their definition."""
    found = []
    for j in range(d):
        others, total = [i for i in range(d) if i != j], 0.0
        for size in range(d):
            for subset in combinations(others, size):
                share = factorial(size) * factorial(d - size - 1) / factorial(d)
                total = total + share * (value({*subset, j}) - value(set(subset)))
        found.append(total)
    return np.array(found)


def by_definition(model, result, row):
    trees, chunk = model.additive_trees(), result.rows.chunk
    n_trees = range(len(trees.trees))
    return shapley(len(result.names), lambda known: sum(followed(trees, t, chunk, row, known) for t in n_trees))


@pytest.mark.parametrize("missing", ["fractional", "most_common"])
@pytest.mark.parametrize("seed", range(4))
def test_trees_are_divided_as_every_subset_of_columns_says(seed, missing):
    frame, y = mixed_frame(seed=seed)
    for model in (
        DecisionTreeRegressor(missing=missing, max_depth=2 + seed).fit(frame, y),
        DecisionTreeClassifier(missing=missing, max_depth=2 + seed).fit(frame, three_classes(y)),
    ):
        result = contributions(model, frame)
        assert "TreeSHAP" in result.method
        for row in (0, 7, 11, 77):  # gaps in the first, the second, and both columns
            np.testing.assert_allclose(result.values[row], by_definition(model, result, row), atol=1e-12)
        np.testing.assert_allclose(result.base + result.values.sum(axis=1), result.prediction, atol=1e-9)


def test_trees_whose_branches_are_empty_or_whose_categories_are_new():
    frame, y = mixed_frame()
    frame[NASTY[1]] = pd.Categorical(frame[NASTY[1]], ["<b>", "$x_$", "[/i]", "never seen"])
    model = DecisionTreeRegressor(thresholds={NASTY[4]: [0.5, 1.5, 9.0]}).fit(frame, y)
    rows = frame.iloc[:6].copy()
    rows.loc[rows.index[:3], NASTY[1]] = "never seen"
    rows.loc[rows.index[1], NASTY[4]] = 50.0
    result = contributions(model, rows)
    for row in range(6):
        np.testing.assert_allclose(result.values[row], by_definition(model, result, row), atol=1e-12)
    np.testing.assert_allclose(result.base + result.values.sum(axis=1), result.prediction, atol=1e-9)


def test_two_classes_are_divided_on_the_probability_of_the_second():
    frame, y = mixed_frame()
    model = DecisionTreeClassifier(max_depth=3).fit(frame, np.where(y > 0, "yes", "no"))
    result = contributions(model, frame)
    assert (result.outputs, result.scale) == (("yes",), "probability")
    np.testing.assert_allclose(result.prediction[:, 0], model.predict_proba(frame)[:, 1])


def test_a_tree_of_one_leaf_divides_nothing():
    X = np.arange(6.0)[:, None]
    result = contributions(DecisionTreeRegressor().fit(X, np.full(6, 3.0)), X)
    assert not result.values.any()
    assert result.base.tolist() == [3.0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # three classes in a row
def test_planes_are_divided_by_the_distance_from_the_means():
    rng = np.random.default_rng(0)
    X, other = rng.normal(size=(40, 3)), rng.normal(2.0, 1.0, size=(30, 3))
    y = X @ [1.0, -2.0, 0.5] + 3.0 + rng.normal(size=40)
    model = Ridge().fit(X, y)
    result = contributions(model, X, background=other)
    np.testing.assert_allclose(result.values[:, :, 0], (X - other.mean(axis=0)) * model.coef_, atol=1e-12)
    np.testing.assert_allclose(result.base, model.predict(other).mean())
    np.testing.assert_allclose(result.base + result.values.sum(axis=1), result.prediction, atol=1e-9)
    clean = X @ [1.0, -2.0, 0.5]
    for classifier in (LogisticRegression(), Perceptron(random_state=0)):
        for labels in (clean > 0.0, np.digitize(clean, [-1.0, 1.0])):
            fitted = classifier.fit(X, labels)
            divided = contributions(fitted, X)
            assert divided.method.startswith("weight times distance")
            said = fitted.decision_function(X)
            np.testing.assert_allclose((divided.base + divided.values.sum(axis=1)).squeeze(), said, atol=1e-9)


def test_columns_that_a_preparation_made_of_one_are_added_up():
    frame, y = mixed_frame()
    model = PreparedRegressor(Ridge()).fit(frame, y)
    result = contributions(model, frame)
    assert result.names == tuple(frame.columns)
    encoded = model.preparation_.apply(result.rows.chunk).numeric
    parts = (encoded - encoded.mean(axis=0)) * model.model_.coef_
    origins = np.array(model.preparation_.origins())
    assert len(origins) == encoded.shape[1] > len(frame.columns)
    for j, name in enumerate(frame.columns):
        np.testing.assert_allclose(result.values[:, j, 0], parts[:, origins == name].sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(result.base + result.values.sum(axis=1), result.prediction, atol=1e-9)


def test_a_tree_behind_a_preparation_that_changes_nothing_is_divided_exactly():
    frame, y = mixed_frame()
    inner = DecisionTreeRegressor(max_depth=4)
    bare, behind = inner.fit(frame, y), PreparedRegressor(DecisionTreeRegressor(max_depth=4)).fit(frame, y)
    one, other = contributions(bare, frame), contributions(behind, frame)
    assert "TreeSHAP" in other.method
    order = [other.names.index(name) for name in one.names]
    np.testing.assert_allclose(one.values, other.values[:, order], atol=1e-12)


def test_any_model_is_divided_as_every_order_of_columns_says():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = KNeighborsRegressor(n_neighbors=3).fit(X, y)
    result = contributions(model, X[:2], background=X[:7])
    for i in range(2):
        wanted = np.zeros(4)
        for order in permutations(range(4)):
            rows = X[:7].copy()
            for j in order:
                before = model.predict(rows).mean()
                rows[:, j] = X[i, j]
                wanted[j] += (model.predict(rows).mean() - before) / 24
        np.testing.assert_allclose(result.values[i, :, 0], wanted, atol=1e-12)
    foreign = contributions(ForeignNeighbors(n_neighbors=3).fit(X, y), X[:2], background=X[:7])
    np.testing.assert_allclose(result.values, foreign.values, atol=1e-9)


def test_sampled_orders_sum_exactly_and_are_right_within_their_errors():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 12))
    y = X[:, 0] * X[:, 1] + X[:, 2] ** 2
    model = KNeighborsRegressor(n_neighbors=3).fit(X, y)
    result = contributions(model, X[:3], background=X)
    assert "sampled" in result.method
    np.testing.assert_allclose(result.base + result.values.sum(axis=1), result.prediction, atol=1e-9)
    other = contributions(model, X[:3], background=X, background_rows=60, random_state=5)
    gap, error = np.abs(result.values - other.values), np.hypot(result.error, other.error)
    assert (gap <= 5 * error + 1e-12).all()
    assert error.max() > 0
    again = contributions(model, X[:3], background=X)
    np.testing.assert_array_equal(result.values, again.values)


def test_of_an_additive_model_sampled_orders_are_exact():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 11))
    y = X @ np.arange(11.0) + 1.0
    from sklearn.linear_model import LinearRegression as Foreign

    class Foreignly:
        def __init__(self, model):
            self.model = model

        def predict(self, X):
            return self.model.predict(X)

    result = contributions(Foreignly(Foreign().fit(X, y)), X[:4], background=X, background_rows=50)
    np.testing.assert_allclose(result.values[:, :, 0], (X[:4] - X.mean(axis=0)) * np.arange(11.0), atol=1e-9)


def test_arrays_frames_tables_and_files_give_the_same(tmp_path):
    frame, y = mixed_frame()
    frame["y"] = y
    frame.to_parquet(tmp_path / "rows.parquet")
    table = nv.read(frame, "y")
    model = DecisionTreeRegressor(max_depth=4).fit(table)
    here = contributions(model, frame.drop(columns="y"))
    np.testing.assert_array_equal(here.values, contributions(model, table).values)
    np.testing.assert_array_equal(here.values, contributions(model, nv.read(tmp_path / "rows.parquet", "y")).values)


def test_they_show_themselves():
    frame, y = mixed_frame()
    classes = three_classes(y)
    for model in (
        DecisionTreeRegressor(max_depth=3).fit(frame, y),
        DecisionTreeClassifier(max_depth=3).fit(frame, classes),
        NaiveBayes().fit(frame, classes),
        PreparedClassifier(LogisticRegression()).fit(frame, classes),
    ):
        result = contributions(model, frame[:5])
        check_work(result)
        check_work(contributions(model, frame[:1]), detail="full")
        page = result._repr_html_() + contributions(model, frame[:1])._repr_html_()
        assert "<script" not in page
        assert "<b>" not in page
        assert result.figure(row=3, output=result.outputs[-1]).alt
    assert "(base)" in str(contributions(model, frame[:1]))
    assert "missing" in str(contributions(model, frame[:1]))


def test_what_cannot_be_is_refused_in_a_sentence():
    frame, y = mixed_frame()
    model = DecisionTreeRegressor().fit(frame, y)
    with pytest.raises(ParameterError, match="not fitted"):
        contributions(DecisionTreeRegressor(), frame)
    with pytest.raises(DataError, match="Feature names"):
        contributions(model, frame[[NASTY[0]]])
    result = contributions(model, frame)
    with pytest.raises(ParameterError, match="row is 500"):
        result.figure(row=500)
    with pytest.raises(ParameterError, match="no contributions to 'green'"):
        result.figure(output="green")
    with pytest.raises(TypeError, match="predicts nothing"):
        contributions("a tree", frame)
    assert contributions(LinearRegression().fit([[1.0], [2.0]], [1.0, 2.0]), [[5.0]]).prediction.shape == (1, 1)


class Sum:
    """A sum of trees of other rows, as forests and boosting give it."""

    def __init__(self, X, y, constant=0.5):
        rng = np.random.default_rng(0)
        drawn = [rng.integers(0, len(X), len(X)) for _ in range(5)]
        self.trees = [DecisionTreeRegressor(max_depth=3).fit(X[rows], y[rows]) for rows in drawn]
        self.constant = constant

    def predict(self, X):
        return self.constant + sum(tree.predict(X) for tree in self.trees)

    def additive_trees(self):
        parts = [tree.additive_trees() for tree in self.trees]
        trees, values = tuple(p.trees[0] for p in parts), tuple(p.values[0] for p in parts)
        return replace(parts[0], constant=np.array([self.constant]), trees=trees, values=values)


class Boosted(Sum):
    """Two classes by a sum of trees, on the scale of log odds."""

    classes_ = np.array(["no", "yes"])

    def decision_function(self, X):
        return Sum.predict(self, X)

    def predict_proba(self, X):
        share = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - share, share])

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def test_sums_of_trees_are_divided_and_say_on_which_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    for kind, scale, outputs in ((Sum, "prediction", ("",)), (Boosted, "log odds", ("yes",))):
        model = kind(X, y)
        result = contributions(model, X)
        assert (result.scale, result.outputs) == (scale, outputs)
        for row in (0, 5):
            np.testing.assert_allclose(result.values[row], by_definition(model, result, row), atol=1e-12)
        np.testing.assert_allclose(result.base + result.values.sum(axis=1), result.prediction, atol=1e-9)
        check_work(result)


def test_categories_that_are_not_known_are_reported_once():
    frame, y = mixed_frame()
    model = PreparedClassifier(NaiveBayes()).fit(frame, three_classes(y))
    rows = frame[:8].copy()
    rows.iloc[5, 3] = "perhaps"
    for look in (lambda: contributions(model, rows), lambda: dependence(model, rows, [0])):
        with pytest.warns(UnseenCategoryWarning) as said:
            look()
        assert len(said) == 1
