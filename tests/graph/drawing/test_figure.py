"""Drawings: layers that point downwards, boxes that do not touch, few crossings, and hostile names."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks.samples import NASTY_NAMES
from novacula.errors import ParameterError
from novacula.graph.drawing.figure import network_figure
from novacula.graph.drawing.layers import GAP, layered
from novacula.graph.structure.dag import Dag


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), n_nodes=st.integers(1, 14))
def test_children_are_below_and_boxes_apart(seed, n_nodes, random_network):
    dag = random_network(seed, n_nodes).dag
    widths = {node: 0.5 + 0.1 * i for i, node in enumerate(dag.nodes)}
    layout = layered(dag, widths)
    for (parent, child), path in layout.edges.items():
        assert path[0] == layout.nodes[parent]
        assert path[-1] == layout.nodes[child]
        assert [y for _, y in path] == list(range(path[0][1], path[-1][1] + 1))
        assert len(path) > 1
    for level in range(layout.depth):
        row = sorted((x, node) for node, (x, y) in layout.nodes.items() if y == level)
        for (x, node), (to_x, other) in itertools.pairwise(row):
            assert to_x - x >= (widths[node] + widths[other]) / 2 + GAP - 1e-9
    sides = [(x - widths[n] / 2, x + widths[n] / 2) for n, (x, _) in layout.nodes.items()]
    assert min(low for low, _ in sides) >= -1e-9
    assert max(high for _, high in sides) <= layout.width + 1e-9


def test_a_tangle_that_can_be_undone_is():
    pairs = [("a", "z"), ("b", "y"), ("c", "x"), ("d", "w")]
    layout = layered(
        Dag.of([*pairs, ("root", "a"), ("root", "b"), ("root", "c"), ("root", "d")], list("wxyz")),
        dict.fromkeys(["root", *"abcdwxyz"], 0.5),
    )
    above = [layout.nodes[parent][0] for parent, _ in pairs]
    below = [layout.nodes[child][0] for _, child in pairs]
    np.testing.assert_array_equal(np.argsort(above), np.argsort(below))
    np.testing.assert_allclose(above, below, atol=1e-6)  # a child is under its only parent


def test_a_root_stands_just_above_its_child():
    layout = layered(Dag.of([("a", "b"), ("b", "c"), ("late", "c")]), dict.fromkeys(["a", "b", "c", "late"], 0.5))
    assert layout.nodes["late"][1] == 1


def test_the_clinic_is_drawn_alike_each_time_and_says_so_in_words(asia):
    figure = asia.plot(evidence=["dysp"], title="Chest clinic")
    assert figure.svg() == asia.plot(evidence=["dysp"], title="Chest clinic").svg()
    assert figure.svg() != asia.plot(title="Chest clinic").svg()
    assert "8 nodes" in figure.alt
    assert "asia → tub" in figure.alt
    assert "Given: dysp" in figure.alt


def test_hostile_names_are_drawn():
    names = [*NASTY_NAMES, "long" * 100]
    figure = network_figure(Dag.of(itertools.pairwise(names)), names[:2], "$x$")
    assert "<script" not in figure.svg()
    assert figure.png(50).startswith(b"\x89PNG")


def test_what_cannot_be_drawn(asia):
    with pytest.raises(ParameterError, match="no node 'cold' to shade"):
        asia.plot(evidence=["cold"])
    with pytest.raises(ParameterError, match="301 nodes cannot be drawn"):
        network_figure(Dag.of([], [f"v{i}" for i in range(301)]))
