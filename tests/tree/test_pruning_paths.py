"""Nested subtrees: the cost-complexity path and best-first growth, with scikit-learn and brute force as oracles."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from novacula.errors import ParameterError
from novacula.tree.pruning import cost_complexity_path, grow_best_first, prune_by_alpha
from novacula.tree.structure import ClassTree

from .random_trees import Sketch, all_prunings, as_tree, chain, play_tennis, trees

laws = settings(deadline=None)
seeds = st.integers(0, 2**32 - 1)


def converted(model) -> tuple[ClassTree, np.ndarray]:
    """scikit-learn's tree as ours, and the impurities of its nodes."""
    theirs = model.tree_
    counts = theirs.value[:, 0] * theirs.weighted_n_node_samples[:, None]
    order, sketches = [], {}
    for node in reversed(range(theirs.node_count)):  # theirs are in preorder: children first when read backwards
        left, right = theirs.children_left[node], theirs.children_right[node]
        if left < 0:
            sketches[node] = Sketch(counts[node].tolist())
        else:
            test = {"feature": int(theirs.feature[node]), "threshold": float(theirs.threshold[node])}
            sketches[node] = Sketch(branches=[sketches[left], sketches[right]], **test)
    waiting = [0]
    while waiting:
        order += waiting
        kept = [node for node in waiting if theirs.children_left[node] >= 0]
        waiting = [c for node in kept for c in (theirs.children_left[node], theirs.children_right[node])]
    tree = as_tree(sketches[0], counts.shape[1])
    tree.check(np.zeros(theirs.n_features, np.int32))
    return tree, theirs.impurity[order]


def noisy_rows(seed, n=80, d=3, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int) + rng.integers(0, classes - 1, n)


# --- cost-complexity ----------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(seeds, st.sampled_from(["gini", "entropy"]))
def test_the_path_is_that_of_scikit_learn(seed, criterion):
    """Rows have random weights, so that no two subtrees collapse at once."""
    X, y = noisy_rows(seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    model = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y, weight)
    path = model.cost_complexity_pruning_path(X, y, weight)
    alphas, impurities = cost_complexity_path(*converted(model))
    np.testing.assert_allclose(alphas, path.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(impurities, path.impurities, atol=1e-12)


@settings(deadline=None)
@given(seeds)
def test_where_subtrees_collapse_at_once_the_corners_of_the_path_are_those_of_scikit_learn(seed):
    X, y = noisy_rows(seed, n=40)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    path = model.cost_complexity_pruning_path(X, y)
    ours = cost_complexity_path(*converted(model))
    assert corners(*ours) == pytest.approx(corners(path.ccp_alphas, path.impurities), abs=1e-9)


def corners(alphas, impurities):
    """The last impurity at each penalty, flat."""
    last = np.append(np.diff(alphas) > 1e-9, True)
    return np.concatenate([alphas[last], impurities[last]])


@settings(deadline=None, max_examples=30)
@given(seeds, st.floats(0.0, 0.05))
def test_the_pruned_tree_is_that_of_scikit_learn(seed, alpha):
    X, y = noisy_rows(seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    tree, impurity = converted(DecisionTreeClassifier(random_state=0).fit(X, y, weight))
    theirs, _ = converted(DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X, y, weight))
    ours = tree.pruned(prune_by_alpha(tree, impurity, alpha))
    assert ours.feature.tolist() == theirs.feature.tolist()
    np.testing.assert_array_equal(ours.threshold, theirs.threshold)


def gini(tree):
    return 1.0 - (tree.distributions() ** 2).sum(axis=1)


@laws
@given(trees(max_tests=6), st.floats(0.0, 0.3))
def test_of_all_prunings_the_cheapest_and_then_smallest_is_found(grown, alpha):
    """Whatever the number of branches."""
    tree, _ = grown
    impurity, share = gini(tree), tree.weight / tree.weight[0]

    def cost(stop):
        reached = np.concatenate(list(tree.levels(~tree.is_leaf & ~stop)))
        leaves = reached[(tree.is_leaf | stop)[reached]]
        return float((share * impurity)[leaves].sum()), len(leaves)

    risk, size = cost(prune_by_alpha(tree, impurity, alpha))
    found = [cost(stop) for stop in all_prunings(tree)]
    least = min(r + alpha * k for r, k in found)
    assert risk + alpha * size == pytest.approx(least)
    assert size == min(k for r, k in found if r + alpha * k <= least + 1e-9)


@laws
@given(trees(max_tests=20))
def test_each_corner_of_the_path_is_the_tree_pruned_there(grown):
    tree, _ = grown
    impurity = gini(tree)
    alphas, impurities = cost_complexity_path(tree, impurity)
    share = tree.weight / tree.weight[0]
    assert alphas[0] == 0.0
    assert (np.diff(alphas) >= 0.0).all()
    assert impurities[0] == pytest.approx((share * impurity)[tree.is_leaf].sum())
    assert impurities[-1] == pytest.approx(impurity[0])
    for i in np.flatnonzero(np.append(np.diff(alphas) > 1e-9, True)):
        stop = prune_by_alpha(tree, impurity, alphas[i])
        reached = np.concatenate(list(tree.levels(~tree.is_leaf & ~stop)))
        leaves = reached[(tree.is_leaf | stop)[reached]]
        assert (share * impurity)[leaves].sum() == pytest.approx(impurities[i])


def test_a_useless_split_below_which_there_are_good_ones_stays():
    """Exclusive or: the root alone gains nothing, with its children ½ for three leaves more."""
    one = Sketch(feature=1, threshold=0.0, branches=[Sketch((1, 0)), Sketch((0, 1))])
    two = Sketch(feature=1, threshold=0.0, branches=[Sketch((0, 1)), Sketch((1, 0))])
    tree = as_tree(Sketch(feature=0, threshold=0.0, branches=[one, two]), 2)
    alphas, impurities = cost_complexity_path(tree, gini(tree))
    assert alphas == pytest.approx([0.0, 0.5 / 3])
    assert impurities == pytest.approx([0.0, 0.5])
    assert not prune_by_alpha(tree, gini(tree), 0.16).any()


def test_of_nodes_that_collapse_at_once_the_upper_one_does():
    one = Sketch(feature=0, threshold=0.0, branches=[Sketch((1, 0)), Sketch((0, 1))])
    tree = as_tree(Sketch(feature=0, threshold=1.0, branches=[one, Sketch((2, 0))]), 2)
    impurity = np.array([0.5, 0.5, 0.0, 0.0, 0.0])  # each of the two tests takes away a risk of ¼
    alphas, impurities = cost_complexity_path(tree, impurity)
    assert alphas.tolist() == [0.0, 0.25]
    assert impurities.tolist() == [0.0, 0.5]


def test_rounding_keeps_no_useless_split():
    """Both branches have the classes in the shares of the node; in tenths, their impurities differ in the last bit."""
    for scale in np.arange(1, 60) / 10.0:
        tree = as_tree(Sketch(feature=0, threshold=0.0, branches=[Sketch((0.1, 0.3)), Sketch((scale, 3 * scale))]), 2)
        assert cost_complexity_path(tree, gini(tree))[0].tolist() == [0.0, 0.0]
        assert prune_by_alpha(tree, gini(tree), 0.0)[0]


def test_a_test_with_one_branch_costs_no_leaf_and_goes_first():
    tree = as_tree(Sketch(feature=0, arms={0: 0}, branches=[Sketch((1, 2))]), 2)
    assert cost_complexity_path(tree, gini(tree))[0].tolist() == [0.0, 0.0]


def test_a_penalty_of_the_path_that_was_rounded_still_prunes():
    tree, _ = play_tennis()
    last = cost_complexity_path(tree, gini(tree))[0][-1]
    assert prune_by_alpha(tree, gini(tree), np.nextafter(last, 0.0))[0]
    assert not prune_by_alpha(tree, gini(tree), 0.999 * last)[0]


def test_the_path_of_a_long_chain():
    tree = chain(100_000)
    alphas, impurities = cost_complexity_path(tree, gini(tree))
    assert (np.diff(alphas) >= 0.0).all()
    assert impurities[-1] == pytest.approx(0.5)
    assert prune_by_alpha(tree, gini(tree), 1.0)[0]


def test_bad_penalties_and_impurities_are_refused():
    tree, _ = play_tennis()
    for alpha in (-0.1, np.nan):
        with pytest.raises(ParameterError, match="ccp_alpha is"):
            prune_by_alpha(tree, gini(tree), alpha)
    with pytest.raises(ParameterError, match=r"shape \(3,\)"):
        cost_complexity_path(tree, np.zeros(3))


# --- best-first ---------------------------------------------------------------------------------------------------


def opened_one_by_one(tree, limit):
    """The definition: among the leaves whose split fits open the one that gains most; ties go to the first."""
    leaves, opened = [0], set()
    while True:
        fits = [i for i in leaves if not tree.is_leaf[i] and len(leaves) - 1 + tree.arity[i] <= limit]
        if not fits:
            return opened
        best = max(fits, key=lambda i: (tree.gain[i] * tree.counts[i].sum(), -i))
        opened.add(best)
        leaves.remove(best)
        leaves.extend(tree.children(best))


@laws
@given(trees(max_tests=20), st.integers(1, 30), seeds)
def test_growth_is_best_first(grown, limit, seed):
    """Gains are eighths and weights quarters, so that ties are exact, and many."""
    tree, _ = grown
    gain = np.random.default_rng(seed).integers(0, 4, len(tree)) / 8.0
    tree = replace(tree, gain=np.where(tree.is_leaf, 0.0, gain))
    stop = grow_best_first(tree, limit)
    assert set(np.flatnonzero(~tree.is_leaf & ~stop).tolist()) == opened_one_by_one(tree, limit)
    assert tree.pruned(stop).is_leaf.sum() <= limit


@settings(deadline=None, max_examples=30)
@given(seeds, st.integers(2, 20))
def test_leaves_are_those_of_scikit_learn(seed, limit):
    """One column, so that its random order of columns plays no part; weights, so that no two splits are equal."""
    X, y = noisy_rows(seed, d=1)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    options = {"criterion": "entropy", "random_state": 0}
    tree, _ = converted(DecisionTreeClassifier(**options).fit(X, y, weight))
    theirs = DecisionTreeClassifier(max_leaf_nodes=limit, **options).fit(X, y, weight).tree_
    ours = tree.pruned(grow_best_first(tree, limit))
    np.testing.assert_array_equal(
        np.sort(ours.threshold[~ours.is_leaf]), np.sort(theirs.threshold[theirs.feature >= 0])
    )


def test_a_split_that_does_not_fit_is_passed_over_for_one_that_does():
    tree, _ = play_tennis()
    assert np.flatnonzero(grow_best_first(tree, 2)).tolist() == [0, 2, 3]  # the outlook has three values
    assert np.flatnonzero(grow_best_first(tree, 4)).tolist() == [3]  # wind and humidity gain the same
    wide = Sketch(feature=0, arms={0: 0, 1: 1, 2: 2}, branches=[Sketch((9, 0)), Sketch((0, 9)), Sketch((5, 0))])
    narrow = Sketch(feature=1, threshold=0.0, branches=[Sketch((2, 0)), Sketch((0, 2))])
    tree = as_tree(Sketch(feature=1, threshold=1.0, branches=[wide, narrow]), 2)
    assert np.flatnonzero(grow_best_first(tree, 3)).tolist() == [1]


def test_equal_gains_are_equal_up_to_rounding():
    tree, _ = play_tennis()
    nudged = replace(tree, gain=tree.gain + 1e-13 * (np.arange(8) == 3))
    assert np.flatnonzero(grow_best_first(nudged, 4)).tolist() == [3]


def test_a_long_chain_is_cut():
    tree = chain(100_000)
    assert tree.pruned(grow_best_first(tree, 70_000)).is_leaf.sum() == 70_000


def test_a_tree_has_at_least_one_leaf():
    with pytest.raises(ParameterError, match="max_leaf_nodes is 0"):
        grow_best_first(play_tennis()[0], 0)
