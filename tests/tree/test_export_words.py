"""Trees as text, as rules and as logic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks.samples import NASTY_NAMES
from novacula.errors import ParameterError
from novacula.tree.attributes import Attribute, interval_labels
from novacula.tree.export import Condition, NamedClassTree, to_dnf, to_rules, to_text
from novacula.tree.export.condition import amount, digits, few_digits

from .random_trees import Sketch, as_tree, chain, play_tennis, trees
from .walker import arrays, prediction, random_rows

laws = settings(deadline=None)
X = Attribute("x", "numeric", 0)
COLOUR = Attribute("colour", "nominal", 0, ("blue", "green", "red"))
WAIT = Attribute("wait", "cut", 1, interval_labels((10.0, 30.0, 60.0)), (10.0, 30.0, 60.0))


@pytest.fixture
def tennis():
    tree, attributes = play_tennis()
    return NamedClassTree(tree, attributes, ("No", "Yes"))


@pytest.fixture
def mixed():
    """A number, a cut number and grouped values, with an empty branch and leaves that err."""
    cut = Sketch(
        feature=2, branches=[Sketch((1, 0.5)), Sketch((0, 2.25)), Sketch()], arms={0: 0, 3: 0, 1: 1}, otherwise=2
    )
    colours = Sketch(feature=1, branches=[Sketch((4, 1)), Sketch((0, 3))], arms={0: 0, 2: 0, 1: 1})
    again = Sketch(feature=0, threshold=0.1 + 0.2, branches=[colours, Sketch((5, 0))])
    root = Sketch(feature=0, threshold=2.0, branches=[again, cut])
    return NamedClassTree(as_tree(root, 2), (X, COLOUR, WAIT), ("No", "Yes"))


@st.composite
def models(draw):
    tree, attributes = draw(trees())
    named = NamedClassTree(tree, attributes, tuple("abcd"[: tree.n_classes]))
    return named, random_rows(np.random.default_rng(draw(st.integers(0, 2**32 - 1))), named, 25, 0.0)


# --- text ---------------------------------------------------------------------------------------------------


def test_text_of_play_tennis(tennis):
    assert to_text(tennis).splitlines() == [
        "Outlook = Overcast: Yes (4)",
        "Outlook = Rain",
        "|   Wind = Strong: No (2)",
        "|   Wind = Weak: Yes (3)",
        "Outlook = Sunny",
        "|   Humidity = High: No (3)",
        "|   Humidity = Normal: Yes (2)",
    ]


def test_text_of_numbers_groups_and_empty_branches(mixed):
    assert to_text(mixed).splitlines() == [
        "x ≤ 2",
        "|   x ≤ 0.30000000000000004",
        "|   |   colour in {blue, red}: No (5/1)",
        "|   |   colour = green: Yes (3)",
        "|   x > 0.30000000000000004: No (5)",
        "x > 2",
        "|   (wait ≤ 10 or wait > 60): No (1.5/0.5)",
        "|   10 < wait ≤ 30: Yes (2.25)",
        "|   30 < wait ≤ 60: Yes (0)",
    ]


def test_text_says_what_it_leaves_out(tennis, mixed):
    assert to_text(tennis, max_depth=1).splitlines()[1:] == [
        "Outlook = Rain: Yes (5/2) …",
        "Outlook = Sunny: No (5/2) …",
        "Left out below depth 1: 2 tests and 4 leaves.",
    ]
    assert to_text(tennis, max_depth=0).splitlines() == [
        "Yes (14/5) …",
        "Left out below depth 0: 3 tests and 5 leaves.",
    ]
    assert to_text(mixed, max_depth=2).endswith("Left out below depth 2: 1 test and 2 leaves.")
    assert to_text(tennis, max_depth=2) == to_text(tennis)
    with pytest.raises(ParameterError, match="max_depth is -1"):
        to_text(tennis, max_depth=-1)


def test_text_of_one_leaf():
    named = NamedClassTree(as_tree(Sketch((5, 9)), 2), (), ("No", "Yes"))
    assert to_text(named) == to_text(named, max_depth=0) == "Yes (14/5)"


def test_text_of_a_deep_tree_is_broken_into_subtrees():
    text = to_text(NamedClassTree(chain(20_000), (X,), ("a", "b")))
    lines = text.splitlines()
    assert max(map(len, lines)) < 120
    assert sum(line.endswith("(1)") for line in lines) == 20_001
    marks = [line.rpartition(" ")[2] for line in lines if line.endswith("]") and not line.startswith("Subtree")]
    assert [line.removeprefix("Subtree ") for line in lines if line.startswith("Subtree")] == marks
    assert len(marks) == len(set(marks)) == 20_000 // 20 - 1
    # Each subtree goes on where its mark stands.
    assert lines[lines.index("Subtree [S1]") + 2] == "x ≤ 20.5: a (1)"


def test_subtrees_of_a_bushy_tree_are_numbered_as_they_are_met():
    def comb(levels, inner):
        node = inner
        for level in range(levels):
            node = Sketch(feature=0, threshold=float(level), branches=[node, Sketch((1, 0))])
        return node

    root = comb(19, Sketch(feature=0, threshold=0.5, branches=[comb(2, Sketch((0, 7))), comb(2, Sketch((0, 8)))]))
    blocks = to_text(NamedClassTree(as_tree(root, 2), (X,), ("a", "b"))).split("\n\n")
    assert blocks[1::2] == ["Subtree [S1]", "Subtree [S2]"]
    assert "Yes" not in blocks[0]
    assert "b (7)" in blocks[2]
    assert "b (8)" in blocks[4]


def test_hostile_names_cannot_break_a_line():
    named = NamedClassTree(
        as_tree(Sketch(feature=0, branches=[Sketch((1, 0)), Sketch((0, 1))], arms={0: 0, 1: 1}), 2),
        (Attribute("line\nbreak\x1b[31m", "nominal", 0, ("a\rb", NASTY_NAMES[0])),),
        ("no\n", "\u202eyes"),
    )
    for text in (to_text(named), "\n".join(map(str, to_rules(named))), str(to_dnf(named, "no\n"))):
        assert all(line.isprintable() for line in text.split("\n"))
    assert len(to_text(named).splitlines()) == len(to_rules(named)) == 2


# --- rules --------------------------------------------------------------------------------------------------


def test_rules_of_play_tennis(tennis):
    assert [str(rule) for rule in to_rules(tennis)] == [
        "IF Outlook = Overcast THEN Yes (4/4)",
        "IF Outlook = Rain AND Wind = Strong THEN No (2/2)",
        "IF Outlook = Rain AND Wind = Weak THEN Yes (3/3)",
        "IF Outlook = Sunny AND Humidity = High THEN No (3/3)",
        "IF Outlook = Sunny AND Humidity = Normal THEN Yes (2/2)",
    ]


def test_rules_join_conditions_on_one_attribute(mixed):
    assert [str(rule) for rule in to_rules(mixed, empty=True)] == [
        "IF x ≤ 0.30000000000000004 AND colour in {blue, red} THEN No (4/5)",
        "IF x ≤ 0.30000000000000004 AND colour = green THEN Yes (3/3)",
        "IF 0.30000000000000004 < x ≤ 2 THEN No (5/5)",
        "IF x > 2 AND (wait ≤ 10 or wait > 60) THEN No (1/1.5)",
        "IF x > 2 AND 10 < wait ≤ 30 THEN Yes (2.25/2.25)",
        "IF x > 2 AND 30 < wait ≤ 60 THEN Yes (0/0)",
    ]
    assert to_rules(mixed) == to_rules(mixed, empty=True)[:-1]


def test_rule_of_one_leaf():
    [rule] = to_rules(NamedClassTree(as_tree(Sketch((5, 9)), 2), (), ("No", "Yes")))
    assert str(rule) == "IF true THEN Yes (9/14)"
    assert rule.holds(np.zeros((3, 0)), np.zeros((3, 0), np.int32)).all()


@laws
@given(models())
def test_one_rule_holds_of_each_row_and_has_its_class(model):
    named, rows = model
    rules = to_rules(named, empty=True)
    held = np.array([rule.holds(*arrays(named, rows)) for rule in rules])
    assert (held.sum(axis=0) == 1).all()
    assert [rules[i].label for i in held.argmax(axis=0)] == [prediction(named, row) for row in rows]
    assert sum(rule.covered for rule in to_rules(named)) == named.tree.counts[0].sum()
    for rule in rules:
        assert rule.label == named.classes[rule.class_index]
        assert len({condition.attribute.name for condition in rule.conditions}) == len(rule.conditions)


# --- logic --------------------------------------------------------------------------------------------------


def test_dnf_of_play_tennis(tennis):
    assert str(to_dnf(tennis, "Yes")) == (
        "(Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak) ∨ (Outlook = Sunny ∧ Humidity = Normal)"
    )
    assert str(to_dnf(tennis, "No")) == "(Outlook = Rain ∧ Wind = Strong) ∨ (Outlook = Sunny ∧ Humidity = High)"


def test_dnf_of_one_leaf():
    named = NamedClassTree(as_tree(Sketch((5, 9)), 2), (), ("No", "Yes"))
    numbers, codes = np.zeros((3, 0)), np.zeros((3, 0), np.int32)
    for label, words, truth in (("Yes", "true", True), ("No", "false", False)):
        formula = to_dnf(named, label)
        assert str(formula) == words
        assert formula.holds(numbers, codes).tolist() == [truth] * 3


@laws
@given(models())
def test_dnf_is_true_of_the_rows_of_its_class(model):
    named, rows = model
    expected = np.array([prediction(named, row) for row in rows])
    for label in named.classes:
        assert (to_dnf(named, label).holds(*arrays(named, rows)) == (expected == label)).all()


def test_dnf_of_a_class_that_is_none(tennis):
    with pytest.raises(ParameterError, match="'yes' is not a class of the tree; its classes are 'No', 'Yes'"):
        to_dnf(tennis, "yes")


# --- conditions ---------------------------------------------------------------------------------------------


def test_no_condition_holds_of_a_missing_value():
    numbers = np.array([np.nan, -np.inf, 0.0, 1.0, np.inf])
    assert Condition(X, high=0.0).holds(numbers).tolist() == [False, True, True, False, False]
    assert Condition(X, low=0.0).holds(numbers).tolist() == [False, False, False, True, True]
    assert Condition(X).holds(numbers).tolist() == [False, True, True, True, True]
    codes = np.array([-2, -1, 0, 1, 2], np.int32)
    assert Condition(COLOUR, codes=(0, 2)).holds(codes).tolist() == [False, False, True, False, True]
    assert not Condition(COLOUR).holds(codes).any()


def test_many_values_are_named_by_those_that_are_not_meant():
    attribute = Attribute("a", "nominal", 0, tuple(range(20)))
    assert str(Condition(attribute, codes=tuple(range(18)))) == "a not in {18, 19}"
    assert str(Condition(attribute, codes=tuple(range(3)))) == "a in {0, 1, 2}"
    assert str(Condition(attribute, codes=())) == "a in {}"


def test_intervals_in_words():
    assert str(Condition(WAIT, codes=(0, 1))) == "wait ≤ 30"
    assert str(Condition(WAIT, codes=(1, 2))) == "10 < wait ≤ 60"
    assert str(Condition(WAIT, codes=(0, 1, 2, 3))) == "wait is known"
    assert str(Condition(WAIT)) == "wait in {}"
    assert Condition(WAIT, codes=(1, 3)).on_branch() == "10 to 30 or > 60"


@given(st.floats(allow_nan=False))
def test_numbers_are_written_to_the_last_bit(number):
    assert float(digits(number)) == number
    assert float(few_digits(number)) == pytest.approx(number, rel=1e-5)


@given(st.integers(0, 10**15))
def test_counts_are_written_as_they_are(count):
    assert amount(float(count)) == str(count)
