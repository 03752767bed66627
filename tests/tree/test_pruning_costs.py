"""Pruning by costs that add up over the nodes: pessimistic errors, description lengths; and merging."""

from math import comb, exp, log, log2, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from novacula.errors import ParameterError
from novacula.tree.attributes import Attribute
from novacula.tree.pruning import (
    description_length,
    merge_siblings,
    prune_by_description_length,
    prune_by_upper_error,
    upper_error,
)
from novacula.tree.pruning.bottom_up import cheapest

from .random_trees import Sketch, all_prunings, as_tree, chain, play_tennis, trees

laws = settings(deadline=None)
TEST = {"feature": 0, "threshold": 0.0}


# --- upper limits of error rates ----------------------------------------------------------------------------------


def added_errors(n, e, confidence):
    """C4.5's procedure, one leaf at a time."""
    if e < 1e-6:
        return n * (1 - exp(log(confidence) / n))
    if e < 0.9999:
        none = n * (1 - exp(log(confidence) / n))
        return none + e * (added_errors(n, 1.0, confidence) - none)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    c = NormalDist().inv_cdf(1 - confidence) ** 2
    rate = (e + 0.5 + c / 2 + sqrt(c * ((e + 0.5) * (1 - (e + 0.5) / n) + c / 4))) / (n + c)
    return n * rate - e


def test_the_limits_of_the_book():
    assert upper_error([6, 9, 1], 0).round(3).tolist() == [0.206, 0.143, 0.750]
    assert upper_error(16, 1) == pytest.approx(0.157, abs=0.003)  # the book's is the binomial limit


@pytest.mark.parametrize("confidence", [0.05, 0.25, 0.5])
def test_limits_are_exact_without_errors_and_near_the_binomial_ones_with_some(confidence):
    n = np.arange(1, 200.0)
    np.testing.assert_allclose(upper_error(n, 0, confidence), beta.ppf(1 - confidence, 1, n), rtol=1e-12)
    many, e = np.meshgrid(np.arange(20, 200.0), np.arange(1, 10.0))
    np.testing.assert_allclose(upper_error(many, e, confidence), beta.ppf(1 - confidence, e + 1, many - e), atol=0.02)


@laws
@given(st.floats(1.0, 1e6), st.floats(0.0, 1.0), st.floats(0.01, 0.5))
def test_limits_are_those_of_the_procedure(n, share, confidence):
    for e in (n * share, share, np.floor(n * share)):
        expected = (e + added_errors(n, e, confidence)) / n
        assert upper_error(n, e, confidence) == pytest.approx(expected, rel=1e-9)
        assert e / n <= upper_error(n, e, confidence) <= 1.0


def test_little_or_nothing_is_known_of_few_examples():
    assert upper_error([0.0, 0.5], [0.0, 0.25]).tolist() == [1.0, 1.0]


def test_bad_numbers_are_refused():
    for confidence in (0.0, 0.51, np.nan):
        with pytest.raises(ParameterError, match="confidence is"):
            upper_error(3, 1, confidence)
    for errors in (-1.0, 4.0, np.nan):
        with pytest.raises(ParameterError, match="errors must lie"):
            upper_error(3, errors)


# --- pessimistic pruning ------------------------------------------------------------------------------------------


def plain_estimate(tree, node, confidence, stopped):
    """The estimate of a subtree after pruning it, by recursion; no leaf is guessed to be wrong on more than it has."""
    n = tree.counts[node].sum()
    e = n - tree.counts[node].max()
    leaf = min(e + added_errors(n, e, confidence), n) if n else 0.0
    if tree.is_leaf[node]:
        return leaf
    below = sum(plain_estimate(tree, child, confidence, stopped) for child in tree.children(node))
    if leaf <= below + 0.1:
        stopped.add(node)
        return leaf
    return below


@laws
@given(trees(max_tests=25), st.sampled_from([0.01, 0.1, 0.25, 0.5]))
def test_pessimistic_pruning_is_that_of_the_procedure(grown, confidence):
    tree, _ = grown
    stopped: set[int] = set()
    plain_estimate(tree, 0, confidence, stopped)
    assert set(np.flatnonzero(prune_by_upper_error(tree, confidence)).tolist()) == stopped


def test_the_votes_of_the_book():
    """Leaves of 6, 9 and 1 without errors are guessed at 3.273 errors; one leaf with 1 of 16 wrong at 2.5."""
    attributes = np.array([3], np.int32)
    split = Sketch(feature=0, arms={0: 0, 1: 1, 2: 2}, branches=[Sketch((6, 0)), Sketch((9, 0)), Sketch((0, 1))])
    tree = as_tree(split, 2)
    tree.check(attributes)
    assert (tree.weight[1:] * upper_error(tree.weight[1:], 0)).sum() == pytest.approx(3.273, abs=2e-3)
    assert prune_by_upper_error(tree, 0.25).tolist() == [True, False, False, False]


def test_a_clear_split_stays_and_an_empty_branch_costs_nothing():
    clear = as_tree(Sketch(branches=[Sketch((20, 0)), Sketch((0, 20))], **TEST), 2)
    assert not prune_by_upper_error(clear, 0.25).any()
    codes = {"feature": 0, "arms": {0: 0, 1: 1}}
    full = as_tree(Sketch(branches=[Sketch((2, 0)), Sketch((0, 9))], **codes), 2)
    with_empty = as_tree(Sketch(branches=[Sketch((2, 0)), Sketch((0, 9)), Sketch()], otherwise=2, **codes), 2)
    for confidence in (0.01, 0.05, 0.25):
        assert prune_by_upper_error(full, confidence)[0] == prune_by_upper_error(with_empty, confidence)[0]


def test_of_equal_costs_the_leaf_is_kept_whatever_the_rounding():
    """A node as a leaf costs 0.3; its two leaves cost 0.1 and 0.2, which is a little more in binary, or less."""
    tree = as_tree(Sketch(branches=[Sketch((1, 0)), Sketch((0, 1))], **TEST), 2)
    for whole in (0.3, np.nextafter(0.1 + 0.2, 1.0)):
        assert cheapest(tree, np.array([whole, 0.1, 0.2]), np.zeros(3))[0]
    assert not cheapest(tree, np.array([0.31, 0.1, 0.2]), np.zeros(3)).any()


# --- description length -------------------------------------------------------------------------------------------


def plain_bits(tree, attributes, n_cuts):
    """The code of the module, node by node, for whole counts."""
    d, k = len(attributes), tree.n_classes
    structure = exceptions = 0.0
    for node in range(len(tree)):
        structure += log2(1 + d)
        if tree.is_leaf[node]:
            n = round(tree.counts[node].sum())
            e = n - round(tree.counts[node].max())
            structure += log2(k)
            exceptions += log2(n + 1) + log2(comb(n, e)) + (e * log2(k - 1) if e else 0.0)
        elif attributes[tree.feature[node]].kind == "numeric":
            structure += log2(max(n_cuts[tree.feature[node]], 1))
        else:
            codes, branches = tree.arms(node)
            groups = set(branches.tolist())
            structure += len(codes) * log2(len(groups)) if len(groups) < len(codes) else 0.0
    return structure, exceptions


@laws
@given(trees(units=(1.0,)), st.lists(st.integers(0, 50), min_size=5, max_size=5))
def test_the_bits_are_those_of_the_code(grown, cuts):
    tree, attributes = grown
    n_cuts = np.array(cuts[: len(attributes)])
    assert description_length(tree, attributes, n_cuts) == pytest.approx(plain_bits(tree, attributes, n_cuts))


@laws
@given(trees(max_tests=6), st.lists(st.integers(1, 50), min_size=5, max_size=5))
def test_no_pruning_of_all_is_shorter_and_none_as_short_is_smaller(grown, cuts):
    tree, attributes = grown
    n_cuts = np.array(cuts[: len(attributes)])

    def cost(stop):
        pruned = tree.pruned(stop)
        return sum(description_length(pruned, attributes, n_cuts)), len(pruned)

    bits, size = cost(prune_by_description_length(tree, attributes, n_cuts))
    found = [cost(stop) for stop in all_prunings(tree)]
    assert bits == pytest.approx(min(found)[0])
    assert size == min(m for b, m in found if b <= bits + 1e-7)


def test_the_bits_of_play_tennis():
    """8 nodes among 4 attributes, 5 leaves of 2 classes; 4, 2, 3, 3 and 2 days without an exception."""
    tree, attributes = play_tennis()
    structure, exceptions = description_length(tree, attributes, np.zeros(4))
    assert structure == pytest.approx(8 * log2(5) + 5)
    assert exceptions == pytest.approx(log2(5 * 3 * 4 * 4 * 3))
    alone = tree.pruned(prune_by_description_length(tree, attributes, np.zeros(4)))
    assert len(alone) == 1  # fourteen days do not pay for a tree
    assert sum(description_length(alone, attributes, np.zeros(4))) == pytest.approx(
        log2(5) + 1 + log2(15) + log2(comb(14, 5))
    )


def test_many_examples_pay_for_a_split():
    number = (Attribute("x", "numeric", 0),)
    for n, split in ((2, False), (200, True)):
        tree = as_tree(Sketch(branches=[Sketch((n, 0)), Sketch((0, n))], **TEST), 2)
        assert prune_by_description_length(tree, number, [100])[0] != split


def test_cuts_must_fit_the_attributes():
    tree, attributes = play_tennis()
    with pytest.raises(ParameterError, match=r"shape \(3,\)"):
        description_length(tree, attributes, [1, 1, 1])


# --- merging ------------------------------------------------------------------------------------------------------


def merged_one_by_one(tree):
    """The definition: while some test has only leaves of one class below it, make it a leaf."""
    while True:
        classes = tree.plurality()
        for node in tree.upwards():
            below = list(tree.children(node))
            if tree.is_leaf[below].all() and len(set(classes[below])) == 1:
                stop = np.zeros(len(tree), np.bool_)
                stop[node] = True
                tree = tree.pruned(stop)
                break
        else:
            return tree


@laws
@given(trees(max_tests=20))
def test_siblings_of_one_class_are_merged(grown):
    tree, _ = grown
    merged, expected = tree.pruned(merge_siblings(tree)), merged_one_by_one(tree)
    assert merged.feature.tolist() == expected.feature.tolist()
    assert merged.counts.tolist() == expected.counts.tolist()
    assert not merge_siblings(merged).any()


def test_merging_goes_up_and_spares_what_differs():
    inner = Sketch(branches=[Sketch((5, 0)), Sketch((4, 1))], **TEST)
    same = as_tree(Sketch(branches=[inner, Sketch((3, 2))], **TEST), 2)
    assert merge_siblings(same)[0]
    other = as_tree(Sketch(branches=[inner, Sketch((2, 3))], **TEST), 2)
    assert np.flatnonzero(merge_siblings(other)).tolist() == [1]
    assert not merge_siblings(play_tennis()[0]).any()


# --- depth --------------------------------------------------------------------------------------------------------


def test_chains_of_any_depth_are_pruned():
    tree = chain(100_000)
    assert prune_by_upper_error(tree, 0.25)[0]
    assert prune_by_description_length(tree, (Attribute("x", "numeric", 0),), [100_000])[0]
    assert not merge_siblings(tree).any()
