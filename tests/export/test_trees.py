"""SQL run by SQLite and Python run as it is, compared with a walk through the tree with exact fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks.samples import NASTY_NAMES
from novacula.errors import ExportError, InputTypeError, ParameterError
from novacula.export.formats.python import to_python
from novacula.export.formats.sql import to_sql
from novacula.export.making import program_of_tree
from novacula.tree.attributes import Attribute
from novacula.tree.export import NamedClassTree, NamedNumberTree
from tests.export.programs import run_python, run_sql
from tests.tree.random_trees import (
    Sketch,
    as_number_tree,
    as_tree,
    chain,
    number_trees,
    play_tennis,
    random_attributes,
    random_tree,
    trees,
)
from tests.tree.walker import leaves_reached, number, prediction, probabilities, random_rows

laws = settings(deadline=None)
CLASSES = ("none", "one", "it's", 'a "b"')
NASTY = (*NASTY_NAMES, "'); DROP TABLE data; --", '"""', "{name}", "\\'\\", "%s", "x" * 300)


@st.composite
def models(draw, missing=0.4):
    """A tree with a way to predict, and rows."""
    tree, attributes = draw(trees())
    m = draw(st.sampled_from([0.0, 2.0]))
    named = NamedClassTree(tree, attributes, CLASSES[: tree.n_classes], m, fractional=draw(st.booleans()))
    return named, random_rows(np.random.default_rng(draw(st.integers(0, 2**32 - 1))), named, 12, missing)


@st.composite
def number_models(draw, missing=0.4):
    """A tree of numbers with a way to predict, and rows."""
    tree, attributes = draw(number_trees())
    named = NamedNumberTree(tree, attributes, fractional=draw(st.booleans()))
    return named, random_rows(np.random.default_rng(draw(st.integers(0, 2**32 - 1))), named, 12, missing)


def expected_of(named, rows):
    """The numbers of rows, to what sums of floats may differ by."""
    size = float(np.abs(named.tree.value).max())
    return pytest.approx([float(number(named, row)) for row in rows], rel=1e-12, abs=1e-12 * size)


def by_sqlite(named, rows, table="data", whole=False):
    """What the statement gives of rows: names of columns, and records, without probabilities unless they are asked."""
    names, found = run_sql(to_sql(program_of_tree(named), table, keep=["the key"]), named, rows, table)
    return (names, found) if whole else (names[:1], [record[:1] for record in found])


def by_python(named, rows, function="predict"):
    return run_python(to_python(program_of_tree(named)), rows, function)


# --- against the walk ---------------------------------------------------------------------------------------


@laws
@given(models())
def test_sql_predicts_as_the_tree(model):
    named, rows = model
    names, found = by_sqlite(named, rows, whole=True)
    assert names == ["prediction", *(f"P({label})" for label in named.classes)]
    for row, (label, *chances) in zip(rows, found, strict=True):
        assert label == prediction(named, row)
        assert chances == pytest.approx([float(p) for p in probabilities(named, row)], abs=1e-12)


@laws
@given(models())
def test_python_predicts_as_the_tree(model):
    named, rows = model
    assert by_python(named, rows) == [prediction(named, row) for row in rows]
    for row, found in zip(rows, by_python(named, rows, "predict_proba"), strict=True):
        assert found == pytest.approx([float(p) for p in probabilities(named, row)], abs=1e-12)


def test_play_tennis():
    tree, attributes = play_tennis()
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    for fractional in (True, False):
        named = NamedClassTree(tree, attributes, ("No", "Yes"), fractional=fractional)
        assert by_python(named, [row]) == ["No"]
        assert by_sqlite(named, [row])[1] == [("No",)]
    named = NamedClassTree(tree, attributes, ("No", "Yes"))
    # Without Outlook: Sunny 5/14 · No, Overcast 4/14 · Yes, Rain 5/14 · No.
    [chances] = by_python(named, [{**row, "Outlook": None}], "predict_proba")
    assert chances == pytest.approx([10 / 14, 4 / 14])


def test_equal_classes_go_to_the_first_whatever_the_rounding():
    """In floats the two halves come to 0.49999999999999994 and 0.5."""
    attribute = Attribute("a", "nominal", 0, tuple("abc"))
    root = Sketch(feature=0, branches=[Sketch((0, 1)), Sketch((1, 2)), Sketch((4, 2))], arms={0: 0, 1: 1, 2: 2})
    named = NamedClassTree(as_tree(root, 2), (attribute,), ("first", "second"))
    assert probabilities(named, {}) == [Fraction(1, 2), Fraction(1, 2)]
    [(first, second)] = by_python(named, [{}], "predict_proba")
    assert first < second
    assert by_python(named, [{}]) == ["first"]
    assert by_sqlite(named, [{}])[1] == [("first",)]


# --- numbers ------------------------------------------------------------------------------------------------


@laws
@given(number_models())
def test_sql_predicts_the_number_of_a_tree(model):
    named, rows = model
    names, found = by_sqlite(named, rows)
    assert names == ["prediction"]
    assert all(type(value) is float for (value,) in found)
    assert [value for (value,) in found] == expected_of(named, rows)


@laws
@given(number_models())
def test_python_predicts_the_number_of_a_tree(model):
    named, rows = model
    found = by_python(named, rows)
    assert all(type(value) is float for value in found)
    assert found == expected_of(named, rows)


@laws
@given(number_models())
def test_a_row_in_one_leaf_gets_its_very_number(model):
    named, rows = model
    whole = [row for row in rows if len(leaves_reached(named, row)) == 1]
    numbers = [float(number(named, row)) for row in whole]
    assert by_python(named, whole) == numbers
    assert [value for (value,) in by_sqlite(named, whole)[1]] == numbers


def test_a_missing_value_in_a_tree_of_numbers():
    """Examples of 10, 20 and 40: of 12 examples 8 have few rooms, 4 of them in Ulm, where the mean is 30."""
    attributes = (Attribute("rooms", "numeric", 0), Attribute("town", "nominal", 0, ("Bonn", "Kiel", "Ulm")))
    towns = Sketch(feature=1, branches=[Sketch((4, 0, 0)), Sketch((0, 2, 2)), Sketch()], arms={0: 0, 2: 1}, otherwise=2)
    root = Sketch(feature=0, threshold=4.5, branches=[towns, Sketch((0, 1, 3))])
    prices = NamedNumberTree(as_number_tree(as_tree(root, 3), [10, 20, 40]), attributes)
    row = {"rooms": None, "town": "Ulm"}
    whole = replace(prices, fractional=False)
    # By shares, 8/12 of the row to Ulm's 30 and 4/12 to 35; whole, to the branch of most examples.
    for named, answer in ((prices, 95 / 3), (whole, 30.0)):
        assert by_python(named, [row]) == pytest.approx([answer])
        assert by_sqlite(named, [row])[1] == [pytest.approx((answer,))]


@pytest.mark.parametrize("fractional", [True, False])
@pytest.mark.parametrize("value", [0.0, -0.0, 5e-324, -1.7e308])
def test_one_leaf_of_a_number(fractional, value):
    named = NamedNumberTree(as_number_tree(as_tree(Sketch((3,)), 1), [value]), (), fractional=fractional)
    assert by_python(named, [{}, {"x": 1}]) == [value, value]
    assert by_sqlite(named, [{}])[1] == [(value,)]


@pytest.mark.parametrize("fractional", [True, False])
def test_deep_trees_of_numbers(fractional):
    tree = as_number_tree(chain(3000), [1.0, -2.0])
    named = NamedNumberTree(tree, (Attribute("x", "numeric", 0),), fractional=fractional)
    rows = [{"x": x} for x in (-1.0, 0.5, 0.6, 1499.7, 2999.5, 3000.0, None)]
    assert by_python(named, rows) == expected_of(named, rows)
    assert [value for (value,) in by_sqlite(named, rows)[1]] == expected_of(named, rows)


# --- names, labels, sizes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("fractional", [True, False])
def test_hostile_names_and_labels_stay_names_and_labels(fractional):
    rng = np.random.default_rng(3)
    attributes = tuple(
        replace(a, name=name, labels=tuple(f"{name}{v}" for v in a.labels) if a.kind == "nominal" else a.labels)
        for a, name in zip(random_attributes(rng, len(NASTY)), NASTY, strict=True)
    )
    named = NamedClassTree(random_tree(rng, attributes, len(NASTY), 40), attributes, NASTY, fractional=fractional)
    rows = random_rows(rng, named, 60, 0.2)
    expected = [prediction(named, row) for row in rows]
    assert len(set(expected)) > 3
    assert by_python(named, rows) == expected
    assert by_sqlite(named, rows, table='no "table"; --')


@pytest.mark.parametrize("table", ["known", "votes", ("main", "kept_0")])
def test_sql_names_of_its_own_give_way(table):
    tree, attributes = play_tennis()
    names = ("KNOWN", "votes", "kept_0", "vote_1")
    attributes = tuple(replace(a, name=name) for a, name in zip(attributes, names, strict=True))
    named = NamedClassTree(tree, attributes, ("No", "Yes"))
    rows = random_rows(np.random.default_rng(0), named, 30, 0.3)
    assert by_sqlite(named, rows, table)[1] == [(prediction(named, row),) for row in rows]


@pytest.mark.parametrize("fractional", [True, False])
def test_labels_of_all_types(fractional):
    attributes = (Attribute("n", "nominal", 0, (1, 2, 30)), Attribute("b", "nominal", 1, (False, True)))
    flag = Sketch(feature=1, branches=[Sketch((3, 1)), Sketch((1, 4))], arms={0: 0, 1: 1})
    root = Sketch(feature=0, branches=[flag, Sketch((2, 0)), Sketch()], arms={0: 0, 2: 1}, otherwise=2)
    named = NamedClassTree(as_tree(root, 2), attributes, np.array([7, 8]), fractional=fractional)
    rows = [{"n": n, "b": b} for n in (1, 2, 30, 4, None) for b in (True, False, None)]
    expected = [prediction(named, row) for row in rows]
    assert by_python(named, rows) == expected
    assert by_sqlite(named, rows)[1] == [(label,) for label in expected]


@pytest.mark.parametrize("fractional", [True, False])
def test_one_leaf(fractional):
    named = NamedClassTree(as_tree(Sketch((2, 3)), 2), (), ("a", "b"), fractional=fractional)
    assert by_python(named, [{}, {"x": 1}]) == ["b", "b"]
    assert by_sqlite(named, [{}], whole=True)[1] == [("b", 0.4, 0.6)]


@pytest.mark.parametrize("fractional", [True, False])
def test_deep_and_long_trees(fractional):
    """Expressions and indentation may not be nested as deep as trees are."""
    named = NamedClassTree(chain(3000), (Attribute("x", "numeric", 0),), ("a", "b"), fractional=fractional)
    rows = [{"x": x} for x in (-1.0, 0.5, 0.6, 1499.7, 2999.5, 3000.0, None)]
    expected = [prediction(named, row) for row in rows]
    assert by_python(named, rows) == expected
    assert by_sqlite(named, rows)[1] == [(label,) for label in expected]


def test_paths_over_many_attributes():
    tree = chain(250)
    tree.feature[tree.feature >= 0] = np.arange(250)
    attributes = tuple(Attribute(f"a{i}", "numeric", i) for i in range(250))
    named = NamedClassTree(tree, attributes, ("a", "b"), fractional=False)
    rows = [{f"a{i}": 1e4 if i < n else 0.0 for i in range(250)} for n in (0, 7, 250)]
    expected = [prediction(named, row) for row in rows]
    assert by_python(named, rows) == expected
    assert by_sqlite(named, rows)[1] == [(label,) for label in expected]


def test_infinite_thresholds():
    root = Sketch(feature=0, threshold=np.inf, branches=[Sketch((2, 0)), Sketch((0, 3))])
    named = NamedClassTree(as_tree(root, 2), (Attribute("x", "numeric", 0),), ("a", "b"))
    assert by_python(named, [{"x": 5.0}, {"x": np.inf}, {}]) == ["a", "a", "b"]


# --- bad input ----------------------------------------------------------------------------------------------


def test_what_sql_cannot_write():
    tree, attributes = play_tennis()
    named = NamedClassTree(tree, attributes, ("No", "Yes"))
    with pytest.raises(ExportError, match="zero character"):
        by_sqlite(named, [], "a\0b")
    with pytest.raises(ParameterError, match="table is empty"):
        by_sqlite(named, [], ())
    with pytest.raises(ParameterError, match="keep is 'day'"):
        to_sql(program_of_tree(named), keep="day")
    with pytest.raises(ParameterError, match="3 classes are named for a tree of 2"):
        NamedClassTree(tree, attributes, ("No", "Yes", "Maybe"))
    with pytest.raises(InputTypeError, match="a class is None"):
        NamedClassTree(tree, attributes, ("No", None))
    root = Sketch(feature=0, threshold=np.inf, branches=[Sketch((2, 0)), Sketch((0, 3))])
    with pytest.raises(ExportError, match="infinite, which SQL cannot write"):
        by_sqlite(NamedClassTree(as_tree(root, 2), (Attribute("x", "numeric", 0),), ("a", "b"), fractional=False), [])
