"""Tree and blocks find exactly the rows that looking at all of them finds, ties by row number included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import cKDTree

from novacula.neighbors.index import Index
from novacula.neighbors.kd_tree import KDTree
from novacula.neighbors.point_blocks import PointBlocks

POWERS = [1.0, 2.0, 3.5, np.inf]


def brute_force(rows, queries, k, p):
    """All distances, sorted by distance and then by row number."""
    gap = np.abs(queries[:, None] - rows[None])
    if p == np.inf:
        distance = gap.max(axis=2)
    else:
        distance = np.zeros(gap.shape[:2])
        for j in range(gap.shape[2]):  # one after the other, as every sum of ours, so that ties are ties
            distance = distance + (gap[:, :, j] * gap[:, :, j] if p == 2.0 else gap[:, :, j] ** p)
    order = np.argsort(distance, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distance, order, axis=1), order


def few_values(n, d):
    return arrays(np.float64, (n, d), elements=st.integers(0, 3).map(float))


@given(st.data(), st.integers(1, 40), st.integers(1, 4), st.sampled_from(POWERS), st.sampled_from([2, 5, 100]))
@settings(deadline=None)
def test_ties_go_by_row_number(data, n, d, p, leaf_size):
    rows, queries = data.draw(few_values(n, d)), data.draw(few_values(5, d))
    k = data.draw(st.integers(1, n))
    distance, row = KDTree.build(rows, leaf_size=leaf_size).search(queries, k, p)
    expected, order = brute_force(rows, queries, k, p)
    np.testing.assert_array_equal(row, order)
    np.testing.assert_allclose(distance, expected, rtol=1e-12)


@given(st.data(), st.integers(1, 40), st.integers(1, 5))
@settings(deadline=None)
def test_blocks_find_the_same_ties(data, n, d):
    rows, queries = data.draw(few_values(n, d)), data.draw(few_values(5, d))
    k = data.draw(st.integers(1, n))
    distance, row = PointBlocks.build(rows).search(queries, k, 2.0)
    expected, order = brute_force(rows, queries, k, 2.0)
    np.testing.assert_array_equal(row, order)
    np.testing.assert_array_equal(distance, expected)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("d", [1, 3, 12])
def test_tree_is_that_of_scipy(p, d):
    rng = np.random.default_rng(d)
    rows, queries = rng.normal(size=(3000, d)), rng.normal(size=(200, d))
    distance, row = KDTree.build(rows).search(queries, 7, p)
    expected, order = cKDTree(rows).query(queries, 7, p=p)
    np.testing.assert_array_equal(row, order)
    np.testing.assert_allclose(distance if p in (1.0, np.inf) else distance ** (1 / p), expected, rtol=1e-9)


AWKWARD = {
    "plain": lambda rng, x: x,
    "far from the origin": lambda rng, x: x + 1e9,
    "two clouds far apart": lambda rng, x: x + 1e7 * rng.integers(0, 2, (len(x), 1)),
    "an outlier": lambda rng, x: np.where(np.arange(len(x))[:, None] == 5, 1e12, x),
    "tiny": lambda rng, x: x * 1e-140,
    "huge": lambda rng, x: x * 1e140,
    "heavy tails": lambda rng, x: x / np.abs(rng.normal(size=(len(x), 1))) ** 4,
    "one place": lambda rng, x: np.ones_like(x),
    "nearly one place": lambda rng, x: 1.0 + 1e-9 * x,
}


@pytest.mark.parametrize("kind", AWKWARD)
@pytest.mark.parametrize("d", [2, 30])
def test_single_precision_never_shows(kind, d):
    rng = np.random.default_rng(d)
    rows = AWKWARD[kind](rng, rng.normal(size=(5000, d)))
    queries = np.vstack([rows[::500], rows[:10] + 1e-3, rng.normal(size=(10, d)), np.zeros((1, d))])
    blocks, tree = PointBlocks.build(rows), KDTree.build(rows)
    for k in (1, 10):
        distance, row = blocks.search(queries, k, 2.0)
        expected, order = brute_force(rows, queries, k, 2.0)
        np.testing.assert_array_equal(row, order)
        np.testing.assert_array_equal(distance, expected)
        np.testing.assert_array_equal(tree.search(queries, k, 2.0)[1], order)


def test_queries_beyond_single_precision_are_compared_exactly():
    rows = np.random.default_rng(0).normal(size=(4000, 20))
    queries = np.array([[1e17] + [0.0] * 19, [1e40] + [0.0] * 19, [-1e60] * 20])
    distance, row = PointBlocks.build(rows).search(queries, 5, 2.0)
    expected, order = brute_force(rows, queries, 5, 2.0)
    np.testing.assert_array_equal(row, order)
    np.testing.assert_array_equal(distance, expected)


@given(st.data(), st.integers(1, 200), st.integers(1, 3), st.integers(2, 20))
@settings(deadline=None)
def test_boxes_are_tight_and_nodes_are_halves(data, n, d, leaf_size):
    rows = data.draw(arrays(np.float64, (n, d), elements=st.floats(-100, 100)))
    weight = data.draw(arrays(np.float64, n, elements=st.floats(0, 3)))
    tree = KDTree.build(rows, weight, leaf_size)
    assert sorted(tree.order.tolist()) == list(range(n))
    np.testing.assert_array_equal(tree.points.T, rows[tree.order])
    np.testing.assert_allclose(tree.weight[-1], weight.sum(), atol=1e-9)
    for node in range(len(tree.start)):
        held = rows[tree.order[tree.start[node] : tree.stop[node]]]
        np.testing.assert_array_equal(tree.low[node], held.min(axis=0))
        np.testing.assert_array_equal(tree.high[node], held.max(axis=0))
        if 2 * node + 2 < len(tree.start):
            assert tree.start[2 * node + 1] == tree.start[node]
            assert tree.stop[2 * node + 1] == tree.start[2 * node + 2]
            assert tree.stop[2 * node + 2] == tree.stop[node]
        else:
            assert len(held) <= leaf_size


def test_most_rows_are_passed_over_in_few_dimensions():
    rng = np.random.default_rng(0)
    tree = KDTree.build(rng.normal(size=(50_000, 2)))
    assert tree.share_looked_at(rng.normal(size=(50, 2)), 5, 2.0) < 0.01


def chosen(rows):
    return Index.build(rows, np.ones(len(rows)), rows.shape[1], "euclidean", 2, "auto", 5).algorithm


def test_auto_looks_at_the_data_and_not_at_the_number_of_columns_alone():
    rng = np.random.default_rng(0)
    assert chosen(rng.normal(size=(20_000, 4))) == "kd_tree"
    assert chosen(rng.normal(size=(20_000, 30))) == "brute"
    assert chosen(rng.normal(size=(20_000, 11))) == "brute"
    assert chosen(rng.normal(size=(20_000, 3)) @ rng.normal(size=(3, 30))) == "kd_tree"
