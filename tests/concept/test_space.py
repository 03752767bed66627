"""Spaces and conjunctions: sizes, meaning, order, neighbours, printing, bad input."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from brute_force import accepts, boundaries, hypotheses, more_general

import novacula as nv
from novacula.concept import Conjunction, ConjunctiveSpace
from novacula.errors import DataError, InputTypeError, ParameterError, SchemaError

DOMAINS = {"Sky": ["Sunny", "Cloudy", "Rainy"], "Degrees": [10, 15, 20, 25], "Wind": ["Strong", "Weak"]}


@pytest.fixture
def space():
    return ConjunctiveSpace(DOMAINS, ordered=["Degrees"])


def test_enjoy_sport_has_the_sizes_of_the_literature():
    space = ConjunctiveSpace.from_table(nv.datasets.load("enjoy_sport"))
    assert (space.size_syntactic, space.size_semantic, space.n_instances) == (5120, 973, 96)
    assert space.values[0] == ("Sunny", "Cloudy", "Rainy"), "categories keep the order of the schema"


def test_sizes_are_exact_integers_of_any_length():
    space = ConjunctiveSpace({f"a{j}": range(4) for j in range(200)})
    assert space.size_semantic == 5**200 + 1
    assert space.size_syntactic == 6**200
    assert space.n_instances == 4**200


@pytest.mark.parametrize("seed", range(60))
def test_hypotheses_and_instances_are_those_of_enumeration(draw, seed):
    domains, ordered, *_ = draw(seed)
    space = ConjunctiveSpace(domains, ordered)
    expected = hypotheses(domains, ordered)
    found = list(space.hypotheses())
    assert {h.constraints for h in found} == set(expected)
    assert len(found) == len(expected) == space.size_semantic
    assert list(space.instances()) == list(product(*domains.values()))
    for h in found:
        assert [h(x) for x in space.instances()] == [accepts(h.constraints, x, domains) for x in space.instances()]


@pytest.mark.parametrize("seed", range(25))
def test_order_is_that_of_meaning(draw, seed):
    domains, ordered, *_ = draw(seed, attributes=2)
    every = list(ConjunctiveSpace(domains, ordered).hypotheses())
    for h, g in product(every, every):
        expected = more_general(h.constraints, g.constraints, domains)
        assert (h >= g, g <= h) == (expected, expected)
        assert (h > g) == (expected and h != g)
        assert (h == g) == (expected and more_general(g.constraints, h.constraints, domains))


@pytest.mark.parametrize("seed", range(60))
def test_neighbours_are_the_nearest_of_all(draw, seed):
    domains, ordered, *_ = draw(seed, attributes=2)
    space = ConjunctiveSpace(domains, ordered)
    rng = np.random.default_rng(seed)
    every = [h.constraints for h in space.hypotheses()]
    instances = list(space.instances())
    for _ in range(5):
        h = space.conjunction(*every[rng.integers(len(every))])
        x = instances[rng.integers(len(instances))]
        above = [g for g in every if more_general(g, h.constraints, domains) and accepts(g, x, domains)]
        least, _ = boundaries(above, domains)
        assert {(h | x).constraints} == least
        below = [g for g in every if more_general(h.constraints, g, domains) and not accepts(g, x, domains)]
        _, most = boundaries(below, domains)
        assert {g.constraints for g in h.specializations(x)} == most


def test_two_with_an_empty_constraint_are_equal(space):
    h, g = space.conjunction("∅", (10, 20), "?"), space.conjunction("Sunny", "?", "∅")
    assert h == g == space.most_specific
    assert hash(h) == hash(g)
    assert h <= g <= h
    assert not h.predict(list(space.instances())).any()
    assert h | ("Sunny", 15, "Weak") == space.conjunction("Sunny", 15, "Weak")


def test_the_full_interval_is_any(space):
    assert space.conjunction("?", (10, 25), "?") == space.most_general


def test_values_outside_of_a_domain_satisfy_only_any(space):
    assert space.most_general(("Foggy", 99, "Weak"))
    assert not space.conjunction("Sunny", "?", "?")(("Foggy", 10, "Weak"))
    assert not space.conjunction("?", (10, 20), "?")(("Sunny", 5, "Weak"))
    assert space.conjunction("?", (10, 20), "?")(("Sunny", 12.5, "Weak")), "numbers between the values are tested too"
    assert space.conjunction("?", 10, "?") | ("Sunny", 12.5, "Weak") == space.conjunction("?", (10, 15), "?")


def test_printing(space):
    assert str(space.conjunction("Sunny", (15, 20), "?")) == "⟨Sunny, [15, 20], ?⟩"
    assert str(space.most_specific) == "⟨∅, ∅, ∅⟩"
    assert repr(space.conjunction("?", 10, "?")) == "Conjunction(⟨?, 10, ?⟩)"
    assert str(ConjunctiveSpace({"a": ["x\n[/red]", "y"]}).conjunction("x\n[/red]")) == "⟨x\ufffd[/red]⟩"


def test_predict_takes_any_rows(space):
    rows = [("Sunny", 15, "Weak"), ("Rainy", 15, "Weak"), ("Sunny", 25, "Strong")]
    frame = pd.DataFrame(rows, columns=list(DOMAINS))
    h = space.conjunction("Sunny", (10, 20), "?")
    turned = frame[["Wind", "Sky", "Degrees"]]
    mappings = [dict(zip(DOMAINS, row, strict=True)) for row in rows]
    for X in (rows, mappings, frame, turned, pl.DataFrame(frame), pa.table(frame), nv.read(frame)):
        assert h.predict(X).tolist() == [True, False, False]
    grid = ConjunctiveSpace.from_table(np.array([[1, 2.5], [2, 3], [4, 3]]))
    assert grid.values == ((1.0, 2.0, 4.0), (2.5, 3.0))
    h = grid.conjunction((1, 2), "?")
    assert h.predict(np.array([[1.5, 9], [3, 3]])).tolist() == [True, False]
    many = np.random.default_rng(0).uniform(0, 5, (1000, 2)).round(1)
    assert h.predict(many).tolist() == [1 <= row[0] <= 2 for row in many]
    assert h.predict(many).tolist() == [h(tuple(row)) for row in many]
    with pytest.raises(DataError, match=r"column 'x1' is missing \(NaN\) in row 2"):
        h.predict(np.array([[1, 2], [1, np.nan]]))


def test_consistent_with(space):
    rows = [("Sunny", 15, "Weak"), ("Rainy", 15, "Weak")]
    h = space.conjunction("Sunny", "?", "?")
    assert h.consistent_with(rows, [True, False])
    assert not h.consistent_with(rows, [1, 1])
    assert h.consistent_with(rows, ["go", "stay"], positive="go")
    with pytest.raises(DataError, match="positive="):
        h.consistent_with(rows, ["go", "stay"])
    with pytest.raises(DataError, match="2 rows in X and 1 labels"):
        h.consistent_with(rows, [True])


def test_spaces_are_equal_by_content(space):
    assert space == ConjunctiveSpace(DOMAINS, ordered=("Degrees",))
    assert hash(space) == hash(ConjunctiveSpace(DOMAINS, ["Degrees"]))
    other = ConjunctiveSpace(DOMAINS)
    assert space != other
    assert space.most_general != other.most_general
    with pytest.raises(TypeError):
        space.most_general >= other.most_general  # noqa: B015
    with pytest.raises(InputTypeError, match="different spaces"):
        space.most_general | other.most_general


@pytest.mark.parametrize(
    ("domains", "ordered", "error", "words"),
    [
        ({}, (), ParameterError, "at least one attribute"),
        ([("a", "b")], (), InputTypeError, "maps attributes"),
        ({"a": []}, (), ParameterError, "'a' is empty"),
        ({"a": "xyz"}, (), InputTypeError, "sequence of values"),
        ({1: ["x"]}, (), InputTypeError, "called by words"),
        ({"a": ["x", "x"]}, (), ParameterError, "'x' twice"),
        ({"a": [1, True]}, (), ParameterError, "twice"),
        ({"a": ["?", "x"]}, (), ParameterError, "rename the value"),
        ({"a": [1.0, float("nan")]}, (), ParameterError, "finite numbers"),
        ({"a": [None]}, (), ParameterError, "values are words"),
        ({"a": ["x"]}, ("b",), ParameterError, "'b', which is not an attribute"),
        ({"a": ["x"]}, "a", InputTypeError, r"ordered=\['a'\]"),
        ({"a": [2, 1]}, ("a",), ParameterError, "increasing order"),
    ],
)
def test_bad_domains(domains, ordered, error, words):
    with pytest.raises(error, match=words):
        ConjunctiveSpace(domains, ordered)


def test_bad_constraints_and_instances(space):
    with pytest.raises(ParameterError, match="2 constraints were given for 3"):
        space.conjunction("Sunny", "?")
    with pytest.raises(ParameterError, match="'Sky' has no value 'Foggy'"):
        space.conjunction("Foggy", "?", "?")
    with pytest.raises(ParameterError, match="intervals are for ordered"):
        space.conjunction(("Sunny", "Rainy"), "?", "?")
    with pytest.raises(ParameterError, match="ends before it begins"):
        space.conjunction("?", (20, 10), "?")
    h = space.most_general
    with pytest.raises(ParameterError, match="2 values for 3 attributes"):
        h(("Sunny", 10))
    with pytest.raises(DataError, match="no value for 'Wind'"):
        h({"Sky": "Sunny", "Degrees": 10})
    with pytest.raises(DataError, match="no value for 'Degrees'"):
        h(("Sunny", float("nan"), "Weak"))
    with pytest.raises(InputTypeError, match="a sequence or a mapping"):
        h("Sunny")
    with pytest.raises(DataError, match=r"column 'Degrees' is missing \(NaN\) in row 2"):
        h.predict(pd.DataFrame({"Sky": ["Sunny"] * 2, "Degrees": [10, None], "Wind": ["Weak"] * 2}))
    with pytest.raises(SchemaError, match="no column 'Wind'"):
        h.predict(pd.DataFrame({"Sky": ["Sunny"], "Degrees": [10]}))


def test_from_table_leaves_the_target_out_and_names_what_it_cannot_take():
    table = nv.datasets.load("play_tennis")
    space = ConjunctiveSpace.from_table(table)
    assert space.names == ("Outlook", "Temperature", "Humidity", "Wind")
    with pytest.raises(SchemaError, match="'Message' is text"):
        ConjunctiveSpace.from_table(nv.datasets.load("spam_messages"))


def test_a_conjunction_is_a_value(space):
    assert isinstance(space.most_general, Conjunction)
    assert len({space.most_general, space.conjunction("?", "?", "?"), space.most_specific}) == 2
