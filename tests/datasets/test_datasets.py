"""The data sets by name."""

import numpy as np
import pytest
import sklearn.datasets

from novacula import datasets
from novacula.errors import ParameterError


@pytest.mark.parametrize("name", datasets.names())
def test_every_set_loads_with_a_target(name):
    table = datasets.load(name)
    assert table.schema.target
    assert len(table) == len(table.to_chunk()) > 0
    assert all(column.missing == 0 for column in table.schema if column.kind != "ignored")


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("play_tennis", 14, 4),
        ("enjoy_sport", 4, 6),
        ("restaurant", 12, 10),
        ("spam_messages", 8, 1),
        ("umbrella", 5, 1),
    ],
)
def test_the_textbook_sets_have_their_shape(name, rows, columns):
    table = datasets.load(name)
    assert (len(table), len(table.schema.features)) == (rows, columns)


def test_enjoy_sport_states_its_whole_domains():
    schema = datasets.load("enjoy_sport").schema
    assert schema["Sky"].categories == ("Sunny", "Cloudy", "Rainy")
    assert np.prod([len(column.categories) for column in schema.features]) == 96  # instances


def test_nobody_in_the_restaurant_is_a_value():
    column = datasets.load("restaurant").schema["Patrons"]
    assert column.categories == ("None", "Some", "Full")
    assert column.missing == 0


def test_candies_are_a_thousand():
    table = datasets.load("candies")
    assert table.to_chunk().weight.sum() == 1000
    assert [column.name for column in table.schema.features] == ["Wrapper", "Hole"]


def test_borrowed_sets_equal_scikit_learns():
    table, bunch = datasets.load("wine"), sklearn.datasets.load_wine()
    chunk = table.to_chunk()
    np.testing.assert_array_equal(chunk.numeric, bunch.data)
    np.testing.assert_array_equal(chunk.target, bunch.target)
    linnerud = datasets.load("linnerud").to_chunk()
    np.testing.assert_array_equal(linnerud.target, sklearn.datasets.load_linnerud().target)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ParameterError, match="play_tennis"):
        datasets.load("play_golf")
