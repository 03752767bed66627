"""Any boolean function by one hidden unit per row of its truth table."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.neural.network import boolean_network, forward


def answers(table, n, dtype=np.float64):
    network, theta = boolean_network(table)
    assert network.sizes == (n, 2**n, 1)
    return forward(network, theta.astype(dtype), np.array(list(product((0, 1), repeat=n)), dtype))[-1].ravel()


@settings(deadline=None)
@given(
    st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.booleans(), min_size=2**n, max_size=2**n)))
)
def test_every_function_of_up_to_five_inputs(drawn):
    n, table = drawn
    for dtype in (np.float32, np.float64):
        np.testing.assert_allclose(answers(table, n, dtype), table, atol=1e-4)


def test_many_inputs():
    table = np.random.default_rng(0).integers(0, 2, 2**11)
    np.testing.assert_allclose(answers(table, 11, np.float32), table, atol=1e-4)


def test_a_mapping_says_the_same():
    """The first input counts most; here the function is x₁ and not x₂."""
    mapping = {(a, b): a and not b for b in (0, 1) for a in (0, 1)}
    assert answers(mapping, 2).round().tolist() == answers([0, 0, 1, 0], 2).round().tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([0, 1, 1], r"has shape \(3,\)"),
        ([1], r"has shape \(1,\)"),
        ([], r"has shape \(0,\)"),
        ([[0, 1], [1, 0]], r"has shape \(2, 2\)"),
        ([0, 1, 2, 0], "row 3 of the truth table is 2; values are 0 and 1"),
        (["a", "b"], "row 1 of the truth table is 'a'"),
        ([0, 1, float("nan"), 0], "row 3 of the truth table is nan"),
        (np.zeros(2**17), "has 131072 rows; one hidden unit per row is possible for up to 16 inputs"),
        ({(0,): 1}, r"says nothing of the inputs \(1,\); it needs all 2 rows"),
        ({}, r"begins with the inputs \(\)"),
        ({(0,): 1, (1,): 0, (2,): 1}, r"has a row \(2,\); inputs are 0 and 1"),
        ({(0,) * 17: 1}, "1 to 16 of them"),
        ({0: 1, 1: 0}, "begins with the inputs 0; "),
    ],
)
def test_bad_tables(table, message):
    with pytest.raises(ParameterError, match=message):
        boolean_network(table)
