"""Graphs: their order, what they refuse, and d-separation held against independence in numbers."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import InputTypeError, ParameterError
from novacula.graph.structure.dag import Dag

laws = settings(deadline=None)


def test_parents_come_first_and_ties_keep_the_order_given():
    dag = Dag.of([("c", "d"), ("a", "d"), ("d", "b")], nodes=["e", "b", "a"])
    assert dag.nodes == ("e", "a", "c", "d", "b")
    assert dag.parents["d"] == ("c", "a")
    assert dag.edges == (("c", "d"), ("a", "d"), ("d", "b"))


def test_pairs_mappings_and_graphs_are_the_same():
    pairs = Dag.of([("a", "b"), ("a", "c"), ("b", "c")])
    assert pairs == Dag.of({"a": [], "b": ["a"], "c": ["a", "b"]}) == Dag.of(pairs)
    assert Dag.of({"c": ["a"]}).nodes == ("a", "c")


@pytest.mark.parametrize(
    ("edges", "sentence"),
    [
        ([("a", "b"), ("b", "a")], "a → b → a"),
        ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")], "a → b → c → a"),
        ({"a": ["a"]}, "its own parent"),
        ([("a", "b"), ("a", "b")], "given twice"),
    ],
)
def test_what_is_no_graph_is_refused(edges, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Dag.of(edges)


@pytest.mark.parametrize("edges", [{"a": "b"}, [("a", "b", "c")], ["ab"], [("a", 1)], {"a": 3}])
def test_what_names_no_edge_is_refused(edges):
    with pytest.raises(InputTypeError):
        Dag.of(edges)


def test_relatives():
    dag = Dag.of([("a", "c"), ("b", "c"), ("c", "d"), ("e", "d"), ("d", "f")])
    assert dag.children("c") == ("d",)
    assert dag.ancestors("d") == ("a", "b", "c", "e")
    assert dag.ancestors(["c", "d"]) == ("a", "b", "c", "e")
    assert dag.descendants("a") == ("c", "d", "f")
    assert dag.markov_blanket("c") == ("a", "b", "e", "d")
    assert dag.moral()["a"] == {"b", "c"}
    with pytest.raises(ParameterError, match=r"no node 'z'.*'a', 'b'"):
        dag.ancestors("z")


def test_edges_come_and_go():
    dag = Dag.of([("a", "b"), ("b", "c")])
    more = dag.with_edge("a", "c")
    assert more.parents["c"] == ("b", "a")
    assert more.without_edge("a", "c") == dag
    with pytest.raises(ParameterError, match="a → b → c → a"):
        dag.with_edge("c", "a")
    with pytest.raises(ParameterError, match="no edge a → c"):
        dag.without_edge("a", "c")


def test_separation_of_chain_fork_and_collider():
    chain, fork = Dag.of([("a", "b"), ("b", "c")]), Dag.of([("b", "a"), ("b", "c")])
    collider = Dag.of([("a", "b"), ("c", "b"), ("b", "d")])
    for dag in (chain, fork):
        assert not dag.d_separated("a", "c")
        assert dag.d_separated("a", "c", "b")
    assert collider.d_separated("a", "c")
    assert not collider.d_separated("a", "c", "b")
    assert not collider.d_separated("a", "c", ["d"])
    with pytest.raises(ParameterError, match="'a' is named twice"):
        chain.d_separated("a", "c", "a")


def dependence(table):
    """The largest |P(a, b | z) − P(a | z) P(b | z)| of a table with axes a, b and z, times P(z)²."""
    z = table.sum(axis=(0, 1))
    return np.abs(table * z - table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)).max()


@laws
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(3, 5))
def test_separated_nodes_are_independent_and_others_are_not(seed, n_nodes, random_network, joint):
    """With probabilities drawn at random, dependence that the graph allows is there almost surely."""
    network = random_network(seed, n_nodes)
    whole = np.zeros([len(network[name].states) for name in network.nodes])
    for codes, p in joint(network, {}).items():
        whole[codes] = p
    for a, b in itertools.combinations(range(n_nodes), 2):
        others = [i for i in range(n_nodes) if i not in (a, b)]
        for size in range(len(others) + 1):
            for given_nodes in itertools.combinations(others, size):
                left_out = tuple(i for i in others if i not in given_nodes)
                table = np.moveaxis(whole.sum(axis=left_out, keepdims=True), (a, b), (0, 1))
                table = table.reshape(*table.shape[:2], -1)
                names = network.nodes
                separated = network.dag.d_separated(names[a], names[b], [names[i] for i in given_nodes])
                gap = dependence(table)
                assert gap < 1e-15 if separated else gap > 1e-13
