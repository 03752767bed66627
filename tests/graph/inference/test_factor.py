"""Factors and families: products and sums against loops, and what cannot be a family."""

import numpy as np
import pytest
from scipy.special import logsumexp

from novacula.errors import InputTypeError, ParameterError
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.inference.distribution import Distribution
from novacula.graph.inference.factor import DiscreteFactor, log_sum, normalised, product, require_size
from novacula.graph.network import Network

RNG = np.random.default_rng(0)


def test_axes_are_sorted_and_products_are_aligned():
    one, other = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 4))
    a, b = DiscreteFactor.of((5, 1), one), DiscreteFactor.of((1, 3), other)
    assert a.scope == (1, 5)
    table = product([a, b], (1, 3, 5), {1: 2, 3: 4, 5: 3})
    for i, j, k in np.ndindex(2, 4, 3):
        assert table[i, j, k] == one[k, i] + other[i, j]


def test_what_is_known_is_put_in():
    table = RNG.normal(size=(2, 3, 4))
    factor = DiscreteFactor((1, 4, 6), table).at({4: 2, 9: 0})
    assert factor.scope == (1, 6)
    np.testing.assert_array_equal(factor.table, table[:, 2])


def test_sums_of_logarithms_without_underflow():
    log = RNG.normal(size=(2, 3, 4)) * 1000.0
    log[0] = -np.inf
    np.testing.assert_allclose(log_sum(log, (1, 2)), logsumexp(log, axis=(1, 2)))
    np.testing.assert_allclose(DiscreteFactor((0, 1, 2), log).marginal([1]).table, logsumexp(log, axis=(0, 2)))
    table, total = normalised(np.array([-5000.0, -5000.0 + np.log(3.0)]))
    np.testing.assert_allclose(table, [0.25, 0.75])
    assert total == pytest.approx(-5000.0 + np.log(4.0))
    assert normalised(np.full(2, -np.inf))[1] == -np.inf


def test_a_table_that_is_too_large_is_refused_with_its_size():
    with pytest.raises(ParameterError, match=r"1.07e\+09 entries.*likelihood_weighting"):
        require_size([2] * 30, "the query")


def test_a_distribution_by_state():
    both = Distribution(("a", "b"), (("x", "y"), (0, 1, 2)), np.arange(6.0).reshape(2, 3) / 15.0)
    assert both["y", 2] == both.to_dict()["y", 2] == 5.0 / 15.0
    assert both.mode == {"a": "y", "b": 2}
    np.testing.assert_allclose(both.marginal("b").table, np.array([3.0, 5.0, 7.0]) / 15.0)
    np.testing.assert_array_equal(both.marginal(["b", "a"]).table, both.table.T)
    assert "y  2  0.333333" in repr(both)
    with pytest.raises(ParameterError, match=r"no state 'z'.*'x', 'y'"):
        both["z", 0]
    with pytest.raises(ParameterError, match="'c' is not one of"):
        both.marginal("c")


def test_rounded_probabilities_are_divided_by_their_sum_and_exact_ones_left_alone():
    rounded = CategoricalFamily("a", (0, 1, 2), (), [0.333, 0.333, 0.3335])
    assert rounded.table.sum() == pytest.approx(1.0, abs=1e-15)
    exact = np.array([[0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_array_equal(CategoricalFamily("a", (0, 1, 2), ("b",), exact).table, exact)
    again = CategoricalFamily("a", (0, 1, 2), (), rounded.table)
    assert again == rounded
    assert again != exact.tolist()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("a", ("x", "x"), (), [0.5, 0.5]), "different labels"),
        (("a", (), (), []), "different labels"),
        (("a", ("x", "y"), (), [0.5, 0.6]), "sum to 1.1"),
        (("a", ("x", "y"), ("b",), [[0.5, 0.5], [0.5, 0.6]]), r"at row \(1,\) sum to 1.1"),
        (("a", ("x", "y"), (), [-0.5, 1.5]), "not negative"),
        (("a", ("x", "y"), ("b",), [0.5, 0.5]), r"shape \(2,\)"),
        (("a", ("x", "y"), (), [np.nan, 1.0]), "missing or infinite"),
    ],
)
def test_tables_that_are_no_probabilities(arguments, sentence):
    with pytest.raises(ParameterError, match=sentence):
        CategoricalFamily(*arguments)


def test_lines_that_are_no_gaussians():
    with pytest.raises(ParameterError, match="must not be negative"):
        GaussianFamily("x", (), (), 0.0, [], -1.0)
    with pytest.raises(ParameterError, match="weights of 'x'"):
        GaussianFamily("x", (), ("y",), 0.0, [], 1.0)
    with pytest.raises(ParameterError, match="intercept and variance"):
        GaussianFamily("x", ("a",), (), 0.0, [], 1.0)
    with pytest.raises(InputTypeError, match="array of numbers"):
        GaussianFamily("x", (), (), "zero", [], 1.0)


def test_numbers_of_parameters():
    assert CategoricalFamily("a", (0, 1, 2), ("b", "c"), np.full((2, 4, 3), 1 / 3)).n_parameters == 16
    assert GaussianFamily("x", ("a",), ("y", "z"), np.zeros(3), np.zeros((3, 2)), np.ones(3)).n_parameters == 12


A = CategoricalFamily("a", ("x", "y"), (), [0.5, 0.5])
X = GaussianFamily("x", (), (), 0.0, [], 1.0)


@pytest.mark.parametrize(
    ("families", "sentence"),
    [
        ((), "at least one"),
        ((A, A), "two families"),
        ((CategoricalFamily("b", (0, 1), ("z",), np.full((2, 2), 0.5)),), "'z' of 'b' has no family"),
        ((A, CategoricalFamily("b", (0, 1), ("a",), np.full((3, 2), 0.5))), "3 rows for 'a', which has 2 states"),
        ((X, CategoricalFamily("b", (0, 1), ("x",), np.full((3, 2), 0.5))), "cannot depend on a continuous one"),
        ((X, GaussianFamily("y", ("x",), (), np.zeros(2), np.zeros((2, 0)), np.ones(2))), "among the regressors"),
        ((A, GaussianFamily("y", (), ("a",), 0.0, [1.0], 1.0)), "among the parents"),
    ],
)
def test_families_that_make_no_network(families, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Network(families)


def test_a_network_puts_parents_first_and_knows_its_nodes():
    b = CategoricalFamily("b", (0, 1, 2), ("a",), np.full((2, 3), 1 / 3))
    network = Network((b, A))
    assert network.nodes == ("a", "b")
    assert network["b"] is b
    assert network.states == {"a": ("x", "y"), "b": (0, 1, 2)}
    assert network.n_parameters == 5
    with pytest.raises(ParameterError, match=r"no node 'c'.*'a', 'b'"):
        network["c"]
