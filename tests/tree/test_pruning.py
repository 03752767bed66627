"""What holds for every pruner."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.tree.pruning import PRUNERS, PruningEvidence

from .random_trees import play_tennis, random_weights, sizes_of, trees


@pytest.mark.parametrize("name", PRUNERS)
@settings(deadline=None)
@given(grown=trees(max_tests=20), seed=st.integers(0, 2**32 - 1))
def test_what_is_left_is_a_tree_and_was_not_touched(name, grown, seed):
    tree, attributes = grown
    before = [array.copy() for array in (tree.feature, tree.child, tree.counts, tree.gain)]
    validation = random_weights(np.random.default_rng(seed), tree) + tree.weight[:, None]
    stop = PRUNERS[name].stop(tree, PruningEvidence(attributes, validation, np.full(len(attributes), 5)))
    assert stop.shape == (len(tree),)
    assert stop.dtype == np.bool_
    assert not stop[tree.is_leaf].any()
    tree.pruned(stop).check(sizes_of(attributes))
    for array, kept in zip((tree.feature, tree.child, tree.counts, tree.gain), before, strict=True):
        np.testing.assert_array_equal(array, kept)


@pytest.mark.parametrize("name", PRUNERS)
def test_a_pruner_needs_what_it_says(name):
    tree, attributes = play_tennis()
    evidence = {"validation": tree.counts, "cuts": np.zeros(4, np.int64)}
    needed = PRUNERS[name].needs
    just_enough = PruningEvidence(attributes, **{need: evidence[need] for need in needed})
    assert PRUNERS[name].stop(tree, just_enough).shape == (8,)
    if needed:
        with pytest.raises(ParameterError, match="needs"):
            PRUNERS[name].stop(tree, PruningEvidence(attributes))


@pytest.mark.parametrize("name", PRUNERS)
def test_a_leaf_stays_a_leaf(name):
    tree, attributes = play_tennis()
    alone = tree.pruned(np.arange(8) == 0)
    evidence = PruningEvidence(attributes, alone.counts, np.zeros(4, np.int64))
    assert PRUNERS[name].stop(alone, evidence).tolist() == [False]
