"""Tied weights: the chain rule with a matrix of ones, three ways to say it, a convolution, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import InputTypeError, ParameterError
from novacula.neural.network import Architecture, Tying, forward

NETWORK = Architecture((3, 2, 2), "tanh", "linear")
WEIGHTS = [
    *((0, i, j) for i in (0, 1, 2, None) for j in (0, 1)),
    *((1, i, j) for i in (0, 1, None) for j in (0, 1)),
]
"""In the order of θ."""


@settings(deadline=None)
@given(st.lists(st.sampled_from([None, "a", 7, ("b", 1), "absent"]), min_size=14, max_size=14))
def test_sums_over_groups(names):
    """θ = M·free with a one for each member, so the gradient to the free parameters is Mᵀ times that to θ."""
    named = [name for name in names if name is not None]
    held = [name if name is not None else ("alone", i) for i, name in enumerate(names)]
    order = [name for name in dict.fromkeys(held) if name != "absent"]
    mapping = {weight: name for weight, name in zip(WEIGHTS, names, strict=True) if name is not None}
    if len(set(named)) == len(named) and "absent" not in named:
        with pytest.raises(ParameterError, match="ties nothing"):
            Tying(mapping, NETWORK)
        return
    if not order:
        with pytest.raises(ParameterError, match="leave some to be learned"):
            Tying(mapping, NETWORK)
        return
    M = np.array([[float(name == group) for group in order] for name in held])
    tying, free, gradient = Tying(mapping, NETWORK), np.arange(1.0, len(order) + 1), np.arange(14.0) ** 2
    assert tying.n_free == len(order)
    np.testing.assert_array_equal(tying.expand(free), M @ free)
    np.testing.assert_array_equal(tying.contract(M @ free), free)
    np.testing.assert_array_equal(tying.gather(gradient), gradient @ M)
    np.testing.assert_array_equal(tying.gather(np.stack([gradient, -gradient])), np.stack([gradient, -gradient]) @ M)


def test_mapping_list_and_function_are_the_same():
    groups = {(0, 0, 0): "a", (0, 1, 1): "a", (0, -1, 0): "b", (1, None, 1): "b"}
    listed = [[(0, 0, 0), (0, 1, 1)], [[0, None, 0], (np.int64(1), -1, 1)]]
    asked = lambda layer, i, j: groups.get((layer, i, j), "b" if (layer, i, j) == (0, None, 0) else None)  # noqa: E731
    places = [Tying(given, NETWORK).place.tolist() for given in (groups, listed, asked)]
    assert places[0] == places[1] == places[2] == [0, 1, 2, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 5]


def test_a_convolution_slides_its_window():
    network = Architecture((8, 6, 1), "linear", "linear")

    def window(layer, i, j):
        if layer == 0:
            return "bias" if i is None else ("w", i - j) if 0 <= i - j < 3 else "absent"
        return None

    tying, rng = Tying(window, network), np.random.default_rng(0)
    free, X = rng.normal(size=tying.n_free), rng.normal(size=(5, 8))
    slid = [np.correlate(x, free[:3], "valid") + free[3] for x in X]
    np.testing.assert_allclose(forward(network, tying.expand(free), X)[0], slid, rtol=1e-12)


def test_groups_of_one_among_others_are_free():
    """The corners of a matrix with equal diagonals stand alone."""
    tying = Tying(lambda layer, i, j: i - j if layer == 0 and i is not None else None, NETWORK)
    W, _ = NETWORK.layers(tying.place)[0]
    assert W.tolist() == [[0, 1], [2, 0], [3, 2]]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[(2, 0, 0), (0, 0, 0)]], r"names the weight \(2, 0, 0\); layers are numbered from 0 to 1"),
        ([[(0, 3, 0), (0, 0, 0)]], "in layer 0 i goes from 0 to 2, or is None, and j from 0 to 1"),
        ([[(0, 0, 2), (0, 0, 0)]], "in layer 0 i goes from 0 to 2"),
        ([[(0, 0, -1), (0, 0, 0)]], "in layer 0 i goes from 0 to 2"),
        ([[(0, -2, 0), (0, 0, 0)]], "in layer 0 i goes from 0 to 2"),
        ([[(0, 0), (0, 0, 0)]], r"a weight is named \(layer, i, j\)"),
        ([["abc", (0, 0, 0)]], r"a weight is named \(layer, i, j\)"),
        ([[(0, "x", 0), (0, 0, 0)]], "must be whole numbers"),
        ([[(0, 0, 0), (0, 0, 1)], [(0, 0, 1), (0, 1, 1)]], r"the weight \(0, 0, 1\) is in two groups"),
        ([[(0, 0, 0)]], "group 0 of tied holds fewer than two weights"),
        ([[(0, 0, 0), (0, 0, 1)], []], "group 1 of tied holds fewer than two weights"),
        ([[(0, -1, 0), (0, None, 0)]], "group 0 of tied holds fewer than two weights"),
        ([3], "group 0 of tied holds fewer than two weights"),
        ([], "ties nothing"),
        ({}, "ties nothing"),
        ({(0, 0, 0): "a", (0, 0, 1): "b"}, "ties nothing"),
        ({(0, 0, 0): [1], (0, 0, 1): [1]}, r"into the group \[1\]: name it by a number or a word"),
        ({(0, -1, 0): "a", (0, None, 0): "b", (0, 0, 0): "a"}, "in two groups"),
        (lambda layer, i, j: None, "ties nothing"),
        (lambda layer, i, j: i - j, "the bias of unit 0 in layer 0, where i is None"),
        (lambda layer, i, j: "absent", "leave some to be learned"),
    ],
)
def test_impossible_ties(groups, message):
    with pytest.raises(ParameterError, match=message):
        Tying(groups, NETWORK)


@pytest.mark.parametrize("groups", [3, "abc", None])
def test_no_groups_at_all(groups):
    with pytest.raises(InputTypeError, match="give a mapping of"):
        Tying(groups, NETWORK)
