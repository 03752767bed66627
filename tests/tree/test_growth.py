"""Every tree is the plain learner's, node by node, on thousands of small random tables."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier as DecisionTree

from novacula.errors import UnseenCategoryWarning

from .plain import Domain, PlainTree, Row, interval

CRITERIA = ("gain", "gain_ratio", "plain_gain_ratio", "gini", "tan_schlimmer", "nunez")
STRATEGIES = ("fractional", "most_common", "most_common_in_class")
WORDS = ("ant", "bee", "cat", "dog", "elk")


# --- random tables ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Rows for both learners: columns with their domains, cut columns with their edges too."""

    columns: dict[str, Domain]
    rows: list[Row]
    labels: list[str]
    weights: list[float] | None
    edges: dict[str, list[float]]

    @property
    def frame(self) -> pa.Table:
        """The rows with their domains stated, so that values without a row are known too."""
        return pa.table({name: self._column(name, domain) for name, domain in self.columns.items()})

    def _column(self, name: str, domain: Domain) -> pa.Array:
        values = [row[name] for row in self.rows]
        if domain is None:
            return pa.array(values, pa.float64())
        codes = [None if value is None else domain.index(value) for value in values]
        return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(domain, pa.string()), ordered=True)

    def plain(self, **parameters: Any) -> PlainTree:
        """The plain learner's tree; to it a cut column is one of intervals."""
        domains = {name: tuple(range(len(edges) + 1)) for name, edges in self.edges.items()}
        tree = PlainTree(self.columns | domains, **parameters)
        return tree.fit([self.cut(row) for row in self.rows], self.labels, self.weights)

    def cut(self, row: Row) -> Row:
        return {**row, **{name: interval(row[name], edges) for name, edges in self.edges.items()}}

    def fitted(self, **parameters: Any) -> Any:
        """Our learner's tree."""
        from novacula.tree import DecisionTreeClassifier

        model = DecisionTreeClassifier(thresholds=self.edges or None, **parameters)
        return model.fit(self.frame, self.labels, sample_weight=self.weights)


def random_sample(rng: np.random.Generator, kinds: str = "nominal numeric cut", real_weights: bool = False) -> Sample:
    n, gaps = int(rng.integers(1, 30)), rng.choice([0.0, 0.15, 0.4])
    columns: dict[str, Domain] = {}
    edges: dict[str, list[float]] = {}
    for j in range(rng.integers(1, 5)):
        kind = rng.choice(kinds.split())
        columns[f"{kind}{j}"] = WORDS[: rng.choice([1, 2, 2, 3, 3, 4, 5])] if kind == "nominal" else None
        if kind == "cut":
            edges[f"cut{j}"] = sorted(rng.choice(6, int(rng.integers(1, 4)), replace=False).tolist())
    rows = [random_row(rng, columns, gaps) for _ in range(n)]
    labels = rng.choice(list("xyz"[: rng.choice([1, 2, 2, 2, 3, 3, 3])]), n)
    weights = None
    if real_weights or rng.random() < 0.3:
        weights = (rng.random(n) + 0.1).tolist()
    elif rng.random() < 0.5:
        weights = [1.0, *rng.integers(0, 4, n - 1).astype(float).tolist()]
    return Sample(columns, rows, labels.tolist(), weights, edges)


def random_row(rng: np.random.Generator, columns: dict[str, Domain], gaps: float, unseen: float = 0.0) -> Row:
    def value(domain: Domain) -> Any:
        if rng.random() < gaps:
            return None
        if domain is None:
            return float(rng.integers(0, 6)) / 2
        return "unicorn" if rng.random() < unseen else str(rng.choice(domain))

    return {name: value(domain) for name, domain in columns.items()}


# --- comparing ----------------------------------------------------------------------------------------------------


def assert_same_tree(plain: PlainTree, model: Any) -> bool:
    """Compare node by node; False where equal gains let the values be grouped otherwise, so that nothing compares."""
    tree, waiting, comparable = model.tree_, [(plain.root, 0)], True
    model.tree_.check(np.array([attribute.size for attribute in model.attributes_], np.int32))
    while waiting:
        node, i = waiting.pop()
        np.testing.assert_allclose(tree.counts[i], node.counts, rtol=1e-9, atol=1e-9)
        if node.question is None:
            assert tree.feature[i] == -1, f"node {i} asks for {model.attributes_[tree.feature[i]].name}"
            continue
        assert tree.feature[i] >= 0, f"node {i} is a leaf, not {node.question}"
        assert model.attributes_[tree.feature[i]].name == node.question.column, f"at node {i}: {node.question}"
        assert tree.gain[i] == pytest.approx(node.gain, rel=1e-9, abs=1e-12)
        if node.question.rivals:
            comparable = False
            continue
        branches = same_question(plain, node, model, i)
        assert tree.child[i] + tree.default[i] == branches[node.default]
        waiting.extend(zip(node.branches, branches, strict=True))
    return comparable


def same_question(plain: PlainTree, node: Any, model: Any, i: int) -> list[int]:
    """Compare the questions of two nodes; our nodes below, in the order of the plain learner's branches."""
    tree, question = model.tree_, node.question
    domain = plain.columns[question.column]
    if domain is None:
        assert tree.threshold[i] == question.threshold
        assert tree.arity[i] == 2
        return list(tree.children(i))
    assert np.isnan(tree.threshold[i])
    codes, arms = (array.tolist() for array in tree.arms(i))
    groups = [
        frozenset(domain[c] for c, arm in zip(codes, arms, strict=True) if arm == b) for b in range(tree.arity[i])
    ]
    otherwise, absent = int(tree.otherwise[i]), len(codes) < len(domain)
    assert (otherwise >= 0) == absent
    if absent and plain.nominal == "multiway":
        empty = int(tree.child[i]) + otherwise
        assert groups.pop(otherwise) == frozenset()
        assert tree.is_leaf[empty]
        assert not tree.counts[empty].any()
        assert otherwise == len(groups)
    elif absent:
        assert otherwise == node.default
    assert tuple(groups) == question.groups
    return [int(tree.child[i]) + b for b in range(len(groups))]


def assert_same_predictions(rng: np.random.Generator, sample: Sample, plain: PlainTree, model: Any) -> None:
    rows = [random_row(rng, sample.columns, 0.3, unseen=0.15) for _ in range(8)]
    frame = pa.table(
        {
            name: pa.array([row[name] for row in rows], pa.float64() if domain is None else pa.string())
            for name, domain in sample.columns.items()
        }
    )
    expected = np.array([plain.predict_proba(sample.cut(row)) for row in rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        np.testing.assert_allclose(model.predict_proba(frame), expected, rtol=1e-9, atol=1e-12)
        predicted = model.predict(frame)
    first = np.argmax(expected >= expected.max(axis=1, keepdims=True) * (1 - 1e-9), axis=1)
    assert predicted.tolist() == [plain.classes[k] for k in first]


def assert_agrees(rng: np.random.Generator, sample: Sample, **parameters: Any) -> None:
    """Grow both trees on a sample, and compare them and what they predict."""
    plain = sample.plain(**{name: value for name, value in parameters.items() if value is not None})
    model = sample.fitted(**parameters)
    assert model.classes_.tolist() == plain.classes
    if assert_same_tree(plain, model):
        assert_same_predictions(rng, sample, plain, model)


def random_costs(rng: np.random.Generator, sample: Sample, criterion: str) -> dict[str, Any]:
    if criterion not in ("tan_schlimmer", "nunez"):
        return {}
    named = [name for name in sample.columns if rng.random() < 0.7]
    costs = {name: float(rng.choice([0.5, 1.0, 2.0, 7.5])) for name in named}
    return {"costs": costs} | ({"cost_weight": float(rng.choice([0.0, 0.5, 1.0]))} if criterion == "nunez" else {})


# --- the oracle itself --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ours", "theirs"), [("gain", "entropy"), ("gini", "gini")])
def test_the_plain_learner_equals_scikit_learn(ours, theirs):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y, weight = rng.normal(size=(40, 3)).astype(np.float32), rng.integers(0, 3, 40), rng.random(40)
        rows = [dict(enumerate(row)) for row in X.tolist()]
        plain = PlainTree(dict.fromkeys(range(3)), criterion=ours, max_depth=3).fit(rows, y.tolist(), weight.tolist())
        oracle = DecisionTree(criterion=theirs, max_depth=3, random_state=0).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose([plain.predict_proba(row) for row in rows], oracle.predict_proba(X), rtol=1e-9)


# --- the cases ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cases", [40, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("missing", STRATEGIES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_agrees_with_the_plain_learner(criterion, missing, cases):
    rng = np.random.default_rng([CRITERIA.index(criterion), STRATEGIES.index(missing)])
    for _ in range(cases):
        sample = random_sample(rng)
        assert_agrees(rng, sample, criterion=criterion, missing=missing, **random_costs(rng, sample, criterion))


@pytest.mark.parametrize("missing", STRATEGIES)
def test_stops_where_the_plain_learner_stops(missing):
    rng = np.random.default_rng(10 + STRATEGIES.index(missing))
    choices: dict[str, list[Any]] = {
        "criterion": list(CRITERIA),
        "chi2_alpha": [None, 0.05, 0.3, 0.9],
        "max_depth": [None, 1, 2, 3],
        "min_samples_split": [2, 3, 6, 0.3],
        "min_samples_leaf": [1, 2, 3, 0.1],
        "min_gain": [0.0, 1e-6, 0.1, 0.3],
        "m": [0.0, 0.0, 1.5],
    }
    for _ in range(200):
        drawn = {name: values[rng.integers(len(values))] for name, values in choices.items()}
        assert_agrees(rng, random_sample(rng), missing=missing, **drawn)


@pytest.mark.parametrize("missing", STRATEGIES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_groups_values_as_brute_force_does(criterion, missing):
    rng = np.random.default_rng([20, CRITERIA.index(criterion), STRATEGIES.index(missing)])
    for _ in range(40):
        sample = random_sample(rng, "nominal nominal numeric cut", real_weights=True)
        assert_agrees(rng, sample, criterion=criterion, missing=missing, nominal="subset")


@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("missing", STRATEGIES)
def test_groups_many_values_of_two_classes_exactly(missing, least):
    """Values in the order of a class's share hold the best two groups, but not if groups must hold enough."""
    rng = np.random.default_rng([25, STRATEGIES.index(missing)])
    domain = tuple("abcdef")
    for _ in range(100):
        n = int(rng.integers(4, 16))
        rows = [random_row(rng, {"letter": domain}, gaps=0.35) for _ in range(n)]
        sample = Sample({"letter": domain}, rows, rng.choice(list("xy"), n).tolist(), None, {})
        assert_agrees(rng, sample, missing=missing, nominal="subset", max_depth=1, min_samples_leaf=least)


@pytest.mark.parametrize("missing", STRATEGIES)
def test_rules_against_chance_are_the_plain_learner_s(missing):
    rng = np.random.default_rng([27, STRATEGIES.index(missing)])
    for i in range(120):
        sample = random_sample(rng, "nominal numeric numeric cut")
        drawn = {"criterion": ("gain_ratio", "gain", "gini")[i % 3], "nominal": ("multiway", "subset")[i % 2]}
        assert_agrees(rng, sample, missing=missing, release_8=True, min_samples_leaf=(1, 3)[i // 3 % 2], **drawn)


def test_a_tenth_of_a_class_s_share_is_between_2_and_25():
    """Tables large enough that a side of a threshold must hold more than two."""
    rng = np.random.default_rng(28)
    for n in (45, 90, 600):
        rows = [{"a": float(rng.integers(0, 12)), "b": float(rng.normal())} for _ in range(n)]
        labels = ["x" if row["a"] + rng.normal() > 9 else "y" for row in rows]
        sample = Sample({"a": None, "b": None}, rows, labels, None, {})
        for depth in (1, 4):
            assert_agrees(rng, sample, criterion="gain_ratio", release_8=True, max_depth=depth)


@pytest.mark.parametrize("kind", ["nominal", "numeric", "cut"])
def test_agrees_on_columns_of_one_kind(kind):
    rng = np.random.default_rng(30)
    for _ in range(100):
        missing = STRATEGIES[rng.integers(3)]
        assert_agrees(rng, random_sample(rng, kind), missing=missing)


def test_class_weights_multiply():
    rng = np.random.default_rng(40)
    for _ in range(60):
        sample = random_sample(rng)
        class_weight = {label: float(rng.choice([0.5, 1.0, 3.0])) for label in set(sample.labels)}
        assert_agrees(rng, sample, class_weight=class_weight)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.sampled_from(WORDS)),
            st.one_of(st.none(), st.floats(-1e300, 1e300), st.sampled_from([0.0, -0.0, 5e-324, 1.0])),
            st.sampled_from("xyz"),
            st.floats(0.1, 10.0),
        ),
        min_size=1,
        max_size=15,
    ),
    st.sampled_from(CRITERIA),
    st.sampled_from(STRATEGIES),
)
def test_agrees_on_strange_numbers_and_weights(drawn, criterion, missing):
    rows = [{"word": word, "number": number} for word, number, _, _ in drawn]
    labels, weights = [label for _, _, label, _ in drawn], [weight for *_, weight in drawn]
    sample = Sample({"word": WORDS, "number": None}, rows, labels, weights, {})
    assert_agrees(np.random.default_rng(0), sample, criterion=criterion, missing=missing)


# --- missing values by hand ---------------------------------------------------------------------------------------


def hand_made() -> Sample:
    """Known: a → x x y, b → y. One x and two y are missing."""
    values = ["a", "a", "a", "b", None, None, None]
    return Sample({"c": ("a", "b")}, [{"c": value} for value in values], list("xxyyxyy"), None, {})


@pytest.mark.parametrize(
    ("missing", "a", "b"),
    [
        ("fractional", [2.75, 2.5], [0.25, 1.5]),
        ("most_common", [3, 3], [0, 1]),
        ("most_common_in_class", [3, 3], [0, 1]),  # y is as frequent in a as in b: the first
    ],
)
def test_where_missing_values_go(missing, a, b):
    tree = hand_made().fitted(missing=missing, max_depth=1).tree_
    np.testing.assert_allclose(tree.counts[1:], [a, b])


def test_missing_values_go_with_their_class():
    values = ["a", "a", "a", "b", "b", None, None, None]
    sample = Sample({"c": ("a", "b")}, [{"c": value} for value in values], list("xxyyyxyz"), None, {})
    tree = sample.fitted(missing="most_common_in_class", max_depth=1).tree_
    np.testing.assert_allclose(tree.counts[1:], [[3, 1, 1], [0, 3, 0]])  # z is known nowhere: it goes with most
