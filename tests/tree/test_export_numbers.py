"""Trees for numbers in other forms, compared with a walk through the tree with exact fractions."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from novacula.checks.samples import NASTY_NAMES
from novacula.errors import ParameterError
from novacula.tree import DecisionTreeClassifier
from novacula.tree.attributes import Attribute
from novacula.tree.export import (
    NamedClassTree,
    NamedNumberTree,
    from_dict,
    to_dict,
    to_number_rules,
    to_text,
)
from novacula.tree.exporting import NumberTreeExports

from .random_trees import (
    Sketch,
    as_number_tree,
    as_tree,
    number_trees,
    play_tennis,
)
from .records import damaged, put, same
from .walker import arrays, number, random_rows

laws = settings(deadline=None)
NASTY = (*NASTY_NAMES, "'); DROP TABLE data; --", '"""', "{name}", "\\'\\", "%s", "x" * 300)


@st.composite
def models(draw, missing=0.4):
    """A tree with a way to predict, and rows."""
    tree, attributes = draw(number_trees())
    named = NamedNumberTree(tree, attributes, fractional=draw(st.booleans()))
    return named, random_rows(np.random.default_rng(draw(st.integers(0, 2**32 - 1))), named, 12, missing)


@pytest.fixture
def prices():
    """Examples of 10, 20 and 40: the root has 4 of 10, 3 of 20 and 5 of 40, so its mean is 25."""
    attributes = (
        Attribute("rooms", "numeric", 0),
        Attribute("town", "nominal", 0, ("Bonn", "Kiel", "Ulm")),
    )
    towns = Sketch(feature=1, branches=[Sketch((4, 0, 0)), Sketch((0, 2, 2)), Sketch()], arms={0: 0, 2: 1}, otherwise=2)
    root = Sketch(feature=0, threshold=4.5, branches=[towns, Sketch((0, 1, 3))])
    return NamedNumberTree(as_number_tree(as_tree(root, 3), [10, 20, 40]), attributes)


# --- words ---------------------------------------------------------------------------------------------------


def test_text(prices):
    assert to_text(prices).splitlines() == [
        "rooms ≤ 4.5",
        "|   town = Bonn: 10 (4)",
        "|   town = Ulm: 30 (4, ± 10)",
        "|   town = Kiel: 20 (0)",
        "rooms > 4.5: 35 (4, ± 8.7)",  # the square root of 75
    ]
    assert to_text(prices, max_depth=0).splitlines()[0] == "25 (12, ± 13) …"


def test_deviations_are_absolute_where_the_tree_says_so():
    tree = as_number_tree(as_tree(Sketch((4, 3, 5)), 3), [10, 20, 40], absolute=True)
    assert NamedNumberTree(tree, (), absolute=True).verdict(0) == "25 (12, ± 12)"


def test_what_is_only_rounding_is_no_spread(prices):
    tree = replace(prices.tree, deviation=np.where(prices.tree.deviation > 0, prices.tree.deviation, 1e-20))
    assert to_text(NamedNumberTree(tree, prices.attributes)) == to_text(prices)


def test_rules(prices):
    rules = to_number_rules(prices)
    assert [str(rule) for rule in rules] == [
        "IF rooms ≤ 4.5 AND town = Bonn THEN 10 (4)",
        "IF rooms ≤ 4.5 AND town = Ulm THEN 30 (4, ± 10)",
        "IF rooms > 4.5 THEN 35 (4, ± 8.7)",
    ]
    assert (rules[1].value, rules[1].weight, rules[1].deviation) == (30.0, 4.0, 10.0)
    assert len(to_number_rules(prices, empty=True)) == 4


@laws
@given(models(missing=0.0))
def test_one_rule_holds_of_each_row_and_has_its_number(model):
    named, rows = model
    rules = to_number_rules(named, empty=True)
    held = np.array([rule.holds(*arrays(named, rows)) for rule in rules])
    assert (held.sum(axis=0) == 1).all()
    assert [rules[i].value for i in held.argmax(axis=0)] == [float(number(named, row)) for row in rows]
    assert sum(rule.weight for rule in to_number_rules(named)) == named.weight[0]


def test_hostile_names_cannot_break_a_line(prices):
    attributes = (replace(prices.attributes[0], name="line\nbreak\x1b[31m"), prices.attributes[1])
    named = replace(prices, attributes=attributes)
    assert all(line.isprintable() for line in to_text(named).split("\n"))
    assert len(to_text(named).splitlines()) == 5


# --- plain values --------------------------------------------------------------------------------------------


@laws
@given(number_trees(units=(1.0, 0.1)), st.booleans(), st.booleans())
def test_there_and_back_through_json(drawn, absolute, fractional):
    named = NamedNumberTree(*drawn, absolute, fractional=fractional)
    assert same(from_dict(to_dict(named)), named)
    assert same(from_dict(json.loads(json.dumps(to_dict(named)))), named)


def test_the_record_of_one_leaf():
    named = NamedNumberTree(as_number_tree(as_tree(Sketch((3, 1)), 2), [10, 20]), ())
    assert to_dict(named) == {
        "format": 1,
        "absolute": False,
        "fractional": True,
        "attributes": [],
        "nodes": [{"mass": 4.0, "value": 12.5, "deviation": 75.0}],
    }


WRONG = [
    (["absolute"], 1, "absolute is neither true nor false"),
    (["classes"], ["a"], "the record has 'classes', which is not known"),
    (["m"], 0.0, "the record has 'm', which is not known"),
    (["nodes"], [], "nodes is not a list, or it is empty"),
    (["nodes", 0, "mass"], 0.0, "node 0 has no examples"),
    (["nodes", 1, "mass"], -1.0, "the mass of node 1 is -1.0, not a finite number from 0 on"),
    (["nodes", 2, "value"], float("nan"), "the value of node 2 is nan, not a finite number"),
    (["nodes", 2, "value"], float("-inf"), "the value of node 2 is -inf, not a finite number"),
    (["nodes", 2, "value"], True, "the value of node 2 is True, not a finite number"),
    (["nodes", 2, "deviation"], -0.5, "the deviation of node 2 is -0.5, not a finite number from 0 on"),
    (["nodes", 2, "counts"], [1.0], "node 2 has children but no attribute"),
    (["nodes", 0, "counts"], [1.0], "node 0 has 'counts', which is not known"),
    (["nodes", 2], 5, "the mass of node 2 is None"),
]


@pytest.mark.parametrize(("path", "value", "fault"), WRONG)
def test_what_is_wrong_is_said(prices, path, value, fault):
    record = to_dict(prices)
    put(record, path, value)
    with pytest.raises(ParameterError, match=f"this is not a record of a tree: {fault}"):
        from_dict(record)


@laws
@given(number_trees(max_tests=5), st.data())
def test_a_damaged_record_gives_a_sound_tree_or_an_error(drawn, data):
    try:
        named = from_dict(data.draw(damaged(to_dict(NamedNumberTree(*drawn)))))
    except ParameterError:
        return
    assert same(from_dict(to_dict(named)), named)


# --- learners ------------------------------------------------------------------------------------------------


class HeldTree(NumberTreeExports, BaseEstimator):
    """The least that a learner needs to have the forms of a tree for numbers."""

    def __init__(self, criterion="squared_error", missing="fractional", thresholds=None):
        self.criterion, self.missing, self.thresholds = criterion, missing, thresholds

    def fit(self, X, y):
        raise NotImplementedError

    def _without_trace(self):
        return f"nothing of {len(self.attributes_)} attributes"


@laws
@given(models(), st.booleans())
def test_a_learner_there_and_back(model, absolute):
    named = replace(model[0], absolute=absolute)
    learner = HeldTree.from_dict(to_dict(named))
    assert same(learner.named_tree(), named)
    assert learner.trace_ == f"nothing of {len(named.attributes)} attributes"
    assert [column.name for column in learner.schema_.features] == list(learner.feature_names_in_)
    assert learner.to_dict() == to_dict(named)
    assert learner.to_text() == to_text(named)
    assert learner.to_rules() == to_number_rules(named)


def test_a_learner_refuses_a_tree_of_the_other_kind(prices):
    tree, attributes = play_tennis()
    with pytest.raises(ParameterError, match="the record of a tree for classes, which a HeldTree cannot hold"):
        HeldTree.from_dict(to_dict(NamedClassTree(tree, attributes, ("No", "Yes"))))
    with pytest.raises(ParameterError, match="a tree for numbers, which a DecisionTreeClassifier cannot hold"):
        DecisionTreeClassifier.from_dict(to_dict(prices))
