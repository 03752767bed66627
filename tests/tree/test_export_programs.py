"""SQL run by SQLite and Python run as it is, compared with a walk through the tree with exact fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks.samples import NASTY_NAMES
from novacula.errors import InputTypeError, ParameterError
from novacula.tree.attributes import Attribute
from novacula.tree.export import NamedClassTree, to_python, to_sql

from .programs import run_python, run_sql
from .random_trees import Sketch, as_tree, chain, play_tennis, random_attributes, random_tree, trees
from .walker import prediction, probabilities, random_rows

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


def by_sqlite(named, rows, table="data", **options):
    """What the statement gives of rows: names of columns, and records."""
    return run_sql(to_sql(named, table, keep=["the key"], **options), named, rows, table)


def by_python(named, rows, **options):
    return run_python(to_python(named, **options), rows)


# --- against the walk ---------------------------------------------------------------------------------------


@laws
@given(models())
def test_sql_predicts_as_the_tree(model):
    named, rows = model
    names, found = by_sqlite(named, rows, probabilities=True)
    assert names == ["prediction", *(f"P({label})" for label in named.classes)]
    for row, (label, *chances) in zip(rows, found, strict=True):
        assert label == prediction(named, row)
        assert chances == pytest.approx([float(p) for p in probabilities(named, row)], abs=1e-12)
    assert by_sqlite(named, rows)[1] == [record[:1] for record in found]


@laws
@given(models())
def test_python_predicts_as_the_tree(model):
    named, rows = model
    assert by_python(named, rows) == [prediction(named, row) for row in rows]
    for row, found in zip(rows, by_python(named, rows, probabilities=True), strict=True):
        assert list(found) == list(named.classes)
        assert list(found.values()) == pytest.approx([float(p) for p in probabilities(named, row)], abs=1e-12)


def test_play_tennis():
    tree, attributes = play_tennis()
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    for fractional in (True, False):
        named = NamedClassTree(tree, attributes, ("No", "Yes"), fractional=fractional)
        assert by_python(named, [row]) == ["No"]
        assert by_sqlite(named, [row])[1] == [("No",)]
    named = NamedClassTree(tree, attributes, ("No", "Yes"))
    # Without Outlook: Sunny 5/14 · No, Overcast 4/14 · Yes, Rain 5/14 · No.
    assert by_python(named, [{**row, "Outlook": None}], probabilities=True) == [
        {"No": pytest.approx(10 / 14), "Yes": pytest.approx(4 / 14)}
    ]


def test_equal_classes_go_to_the_first_whatever_the_rounding():
    """In floats the two halves come to 0.49999999999999994 and 0.5."""
    attribute = Attribute("a", "nominal", 0, tuple("abc"))
    root = Sketch(feature=0, branches=[Sketch((0, 1)), Sketch((1, 2)), Sketch((4, 2))], arms={0: 0, 1: 1, 2: 2})
    named = NamedClassTree(as_tree(root, 2), (attribute,), ("first", "second"))
    assert probabilities(named, {}) == [Fraction(1, 2), Fraction(1, 2)]
    [chances] = by_python(named, [{}], probabilities=True)
    assert chances["first"] < chances["second"]
    assert by_python(named, [{}]) == ["first"]
    assert by_sqlite(named, [{}])[1] == [("first",)]


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
    assert by_sqlite(named, rows, table='no "table"; --', prediction='"')[1] == [(label,) for label in expected]


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
    assert by_sqlite(named, [{}], probabilities=True)[1] == [("b", 0.4, 0.6)]


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


@pytest.mark.parametrize("name", ["", "1x", "a b", "def", "x;y", 3])
def test_names_that_no_function_can_have(name):
    tree, attributes = play_tennis()
    with pytest.raises(ParameterError, match="cannot be the name of a Python function"):
        to_python(NamedClassTree(tree, attributes, ("No", "Yes")), name)


def test_what_sql_cannot_write():
    tree, attributes = play_tennis()
    named = NamedClassTree(tree, attributes, ("No", "Yes"))
    with pytest.raises(ParameterError, match="zero character"):
        to_sql(named, "a\0b")
    with pytest.raises(ParameterError, match="table is empty"):
        to_sql(named, ())
    with pytest.raises(ParameterError, match="keep is 'day'"):
        to_sql(named, keep="day")
    with pytest.raises(ParameterError, match="3 classes are named for a tree of 2"):
        NamedClassTree(tree, attributes, ("No", "Yes", "Maybe"))
    with pytest.raises(InputTypeError, match="a class is None"):
        NamedClassTree(tree, attributes, ("No", None))
    root = Sketch(feature=0, threshold=np.inf, branches=[Sketch((2, 0)), Sketch((0, 3))])
    with pytest.raises(ParameterError, match="threshold of the tree is inf"):
        to_sql(NamedClassTree(as_tree(root, 2), (Attribute("x", "numeric", 0),), ("a", "b"), fractional=False))
