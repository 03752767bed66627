"""Reduced-error pruning against the loop of its definition."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from novacula.errors import DataError, ParameterError
from novacula.tree.pruning import prune_by_validation

from .random_trees import Sketch, as_tree, chain, play_tennis, random_weights, trees

laws = settings(deadline=None)
seeds = st.integers(0, 2**32 - 1)


def leaves_of(tree, stop):
    """The nodes that are leaves once the marked ones are, and the inner ones above them."""
    reached = np.concatenate(list(tree.levels(~tree.is_leaf & ~stop)))
    ends = tree.is_leaf | stop
    return reached[ends[reached]], reached[~ends[reached]]


def right(tree, validation, stop):
    """The weight of validation examples whose class is that of their leaf."""
    leaves, _ = leaves_of(tree, stop)
    classes = tree.plurality()
    return sum(float(validation[leaf, classes[leaf]]) for leaf in leaves)


def greedy(tree, validation, tolerance=0.0):
    """The definition: try every node, take the best, ties to the first, until all do harm."""
    stop = np.zeros(len(tree), np.bool_)
    while True:
        now, best = right(tree, validation, stop), None
        for node in sorted(leaves_of(tree, stop)[1].tolist()):
            tried = stop.copy()
            tried[node] = True
            then = right(tree, validation, tried)
            if then >= now - tolerance and (best is None or then > best[0] + tolerance):
                best = then, tried
        if best is None:
            return stop
        stop = best[1]


def same_tree(tree, one, other):
    return np.array_equal(np.sort(leaves_of(tree, one)[0]), np.sort(leaves_of(tree, other)[0]))


@laws
@given(trees(), seeds, st.sampled_from([1.0, 0.25]))
def test_it_is_the_greedy_loop(grown, seed, unit):
    tree, _ = grown
    validation = random_weights(np.random.default_rng(seed), tree, unit)
    assume(validation[0].any())
    assert same_tree(tree, prune_by_validation(tree, validation), greedy(tree, validation))


@laws
@given(trees(), seeds)
def test_rounding_decides_nothing(grown, seed):
    """Tenths are not exact in binary; the tree is that of the whole numbers."""
    tree, _ = grown
    whole = random_weights(np.random.default_rng(seed), tree) + (tree.weight * 10)[:, None]
    tenths = random_weights(np.random.default_rng(seed), tree, 0.1) + tree.weight[:, None]
    assert np.array_equal(prune_by_validation(tree, whole), prune_by_validation(tree, tenths))
    assert same_tree(tree, prune_by_validation(tree, tenths), greedy(tree, tenths, tolerance=1e-6))


@laws
@given(trees(), seeds)
def test_accuracy_never_falls_and_a_second_time_changes_nothing(grown, seed):
    tree, _ = grown
    validation = random_weights(np.random.default_rng(seed), tree) + tree.weight[:, None]
    stop = prune_by_validation(tree, validation)
    assert right(tree, validation, stop) >= right(tree, validation, np.zeros(len(tree), np.bool_))
    kept = np.concatenate(list(tree.levels(~tree.is_leaf & ~stop)))
    assert not prune_by_validation(tree.pruned(stop), validation[kept]).any()


def test_an_upper_node_may_go_before_two_below_it_that_gain_more_together():
    test = {"feature": 0, "threshold": 0.0}
    one = Sketch(branches=[Sketch((6, 0)), Sketch((0, 4))], **test)
    two = Sketch(branches=[Sketch((0, 5)), Sketch((4, 0))], **test)
    tree = as_tree(Sketch(branches=[one, two], **test), 2)
    validation = np.array([[3, 2.5], [2.5, 0], [0.5, 2.5], [0, 0], [2.5, 0], [0.5, 0], [0, 2.5]])
    marks = np.eye(7, dtype=bool)
    assert [right(tree, validation, marks[node]) for node in range(3)] == [3.0, 2.5, 2.5]
    assert right(tree, validation, marks[1] | marks[2]) == 5.0
    assert prune_by_validation(tree, validation).tolist() == marks[0].tolist()


def test_equal_accuracy_prunes():
    tree, _ = play_tennis()
    validation = tree.counts.copy()
    validation[[2, 4, 5]] = [[0, 3], [0, 0], [0, 3]]  # no rainy and windy day: the test of wind changes nothing
    validation[0] = [3, 9]
    assert np.flatnonzero(prune_by_validation(tree, validation)).tolist() == [2]


def test_of_a_chain_of_equals_the_root_goes():
    tree = chain(100_000)
    validation = np.column_stack([tree.weight, tree.weight])  # every leaf is right half the time
    assert np.flatnonzero(prune_by_validation(tree, validation)).tolist() == [0]


def test_a_chain_is_pruned_from_where_validation_differs():
    """The upper half of a chain is right about the validation examples, the lower half always wrong."""
    tree = chain(100_000)
    validation = tree.counts.copy()
    inner = np.flatnonzero(~tree.is_leaf)
    middle = inner[50_000]
    below = np.arange(middle + 1, len(tree))
    validation[below] = validation[below][:, ::-1]
    validation[middle] = [10.0, 0.0] + tree.counts[middle]
    validation[inner[:50_000]] += validation[middle] - tree.counts[middle]
    stop = prune_by_validation(tree, validation)
    assert np.flatnonzero(stop).tolist() == [middle]


def test_no_validation_examples_are_refused():
    tree, _ = play_tennis()
    with pytest.raises(DataError, match="no validation examples"):
        prune_by_validation(tree, np.zeros((8, 2)))
    with pytest.raises(ParameterError, match=r"shape \(8, 3\)"):
        prune_by_validation(tree, np.zeros((8, 3)))
