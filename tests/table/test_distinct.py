"""Distinct values: NumPy's sorting as the oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.table.distinct import distinct

KINDS = ["int64", "int8", "uint64", "bool", "float64", "U3"]


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3) | st.integers(-(1 << 60), 1 << 60) | st.integers(0, 1 << 17), max_size=30))
@pytest.mark.parametrize("kind", KINDS)
def test_they_are_those_of_sorting(kind, numbers):
    values = np.array(numbers, np.int64).astype(kind)
    found, places = distinct(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert found.dtype == values.dtype
    assert places.dtype == np.int32
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(places, inverse)


@pytest.mark.parametrize(
    "ends", [(-(1 << 63), (1 << 63) - 1), (-(1 << 63), -(1 << 63) + 5), ((1 << 63) - 5, (1 << 63) - 1)]
)
def test_the_ends_of_the_range(ends):
    values = np.array([ends[1], ends[0], ends[1]], np.int64)
    found, places = distinct(values)
    assert (found.tolist(), places.tolist()) == (list(ends), [1, 0, 1])
