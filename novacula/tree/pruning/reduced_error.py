"""Reduced-error pruning: examples that the tree was not grown on decide which tests stay.

Again and again, the node whose replacement by a leaf of its plurality class most improves accuracy on the validation
examples is replaced; ties go to the one nearest the root. Replacements that change nothing are made, too: of two trees
that are equally accurate the smaller is kept. It ends when every replacement would do harm.

A bottom-up pass gives another tree. Where a node gains 3 and its two children 2.5 each, the greedy loop takes the node
first and has gained 3; the pass takes the children, gains 5, and then leaves the node alone.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.statistics import ClassMoments
from novacula.table.chunk import Floats
from novacula.tree.constants import NOISE
from novacula.tree.pruning.bottom_up import leaf_sums
from novacula.tree.pruning.pruner import Marks, Need, PruningEvidence
from novacula.tree.pruning.ranking import ranks
from novacula.tree.structure import ClassTree, Integers, NumberTree, Tree

NO_EXAMPLES = "there are no validation examples to prune by: give more rows or a larger validation_fraction"


class ReducedErrorPruner:
    """Prune by the accuracy on validation examples."""

    needs: ClassVar[tuple[Need, ...]] = ("validation",)

    def stop(self, tree: ClassTree, evidence: PruningEvidence) -> Marks:
        """The nodes that become leaves."""
        if evidence.validation is None:
            raise ParameterError("reduced-error pruning needs validation examples")
        return prune_by_validation(tree, evidence.validation)


def prune_by_validation(tree: ClassTree, validation: Floats) -> Marks:
    """The nodes that become leaves, given the weights (m, K) of the validation examples that pass each node.

    The loop of the definition needs no loop over gains, as they never change while they matter. Replacing a node with
    gain g lowers the gain of each node above it by g, touches no other, and drops the nodes below. Since g was the
    largest gain and ties went to the upper node, a node above is left with a negative gain if g > 0, for good, as
    gains never rise. So the nodes are taken once, by falling gain, and each that is replaced settles the nodes above
    and below it: O(m log m).
    """
    if validation.shape != tree.counts.shape:
        raise ParameterError(
            f"the validation weights have shape {validation.shape}; the tree has nodes and classes {tree.counts.shape}"
        )
    total = float(validation[0].sum())
    if not total > 0.0:
        raise DataError(NO_EXAMPLES)
    return prune_by_worth(tree, validation[np.arange(len(tree)), tree.plurality()], NOISE * total)


def prune_by_squares(tree: NumberTree, validation: ClassMoments) -> Marks:
    """The nodes of numbers that become leaves: what they are worth is less squared error on validation examples.

    `validation` has weight, mean and squared deviations (m, 1) of those that pass each node.
    """
    weight, mean, ssd = (part[:, 0] for part in (validation.weight, validation.mean, validation.ssd))
    if not weight[0] > 0.0:
        raise DataError(NO_EXAMPLES)
    errors = ssd + weight * (mean - tree.value) ** 2
    return prune_by_worth(tree, -errors, NOISE * float(errors[0]))


def prune_by_deviations(tree: NumberTree, validation: Floats, weight: float) -> Marks:
    """The same by absolute errors (m,), those of each node, were it a leaf; the examples have this weight."""
    if not weight > 0.0:
        raise DataError(NO_EXAMPLES)
    return prune_by_worth(tree, -validation, NOISE * float(validation[0]))


def prune_by_worth(tree: Tree, worth: Floats, noise: float) -> Marks:
    """The nodes that become leaves, given what each is worth on validation examples (m,), were it a leaf.

    Worths that differ by no more than the noise are equal.
    """
    gain = worth - leaf_sums(tree, worth)
    harmless = np.flatnonzero(~tree.is_leaf & (gain >= -noise))
    places = ranks(gain[harmless], np.full(len(harmless), noise))
    return _take(tree, harmless[np.argsort(places, kind="stable")])


def _take(tree: Tree, order: Integers) -> Marks:
    """Take nodes in turn, but none above or below one that was taken.

    A node that is not settled has no settled node below it, and one that is settled from below only settled nodes
    above it; so no node is visited twice.
    """
    parent, child, arity = tree.parent().tolist(), tree.child.tolist(), tree.arity.tolist()
    settled = [False] * len(tree)
    stop = np.zeros(len(tree), np.bool_)
    for node in order.tolist():
        if settled[node]:
            continue
        stop[node] = True
        above = node
        while above >= 0 and not settled[above]:
            settled[above] = True
            above = parent[above]
        waiting = [node]
        while waiting:
            first = waiting.pop()
            for below in range(child[first], child[first] + arity[first]):
                settled[below] = True
                waiting.append(below)
    return stop
