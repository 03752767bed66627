"""Pruning by minimum description length: the tree that says the classes of the training examples in the fewest bits.

This is the code with exceptions: leaves say one class, and the examples of another are named. `code_length` of a tree,
for `evaluate.description_length`, has the code with shares: leaves say how frequent each class is.

The receiver knows the columns of the examples, the attributes and their cuts, but not the classes. It is sent the tree
and, leaf by leaf, its exceptions, with d attributes and K classes:

    each node            log₂(1 + d)         a leaf, or which attribute is tested
    a numeric test       log₂ c              which of the c cuts of its column
    a test of groups     a log₂ b            which of b branches each of its a categories takes
    a leaf               log₂ K              its class
    a leaf's exceptions  log₂(n + 1)         how many of its n examples have another class: e
                         log₂ C(n, e)        which ones
                         e log₂(K − 1)       and their classes

A sum over nodes is least where each subtree's is, so one pass from the leaves up finds the best of all prunings. Of
equally short trees the smallest is kept. A weight w counts as w examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from novacula.errors import ParameterError
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute
from novacula.tree.pruning.bottom_up import cheapest, leaf_errors
from novacula.tree.pruning.pruner import Marks, Need, PruningEvidence
from novacula.tree.structure import ClassTree


class DescriptionLengthPruner:
    """Prune to the tree that is shortest to send together with its exceptions."""

    needs: ClassVar[tuple[Need, ...]] = ("cuts",)

    def stop(self, tree: ClassTree, evidence: PruningEvidence) -> Marks:
        """The nodes that become leaves."""
        if evidence.cuts is None:
            raise ParameterError("pruning by description length needs the number of cuts of each attribute")
        return prune_by_description_length(tree, evidence.attributes, evidence.cuts)


def prune_by_description_length(tree: ClassTree, attributes: Sequence[Attribute], n_cuts: npt.ArrayLike) -> Marks:
    """The nodes that become leaves; `n_cuts` (d,) are the thresholds that each attribute offers."""
    choice = choice_bits(attributes)
    as_leaf = choice + np.log2(tree.n_classes) + exception_bits(tree)
    return cheapest(tree, as_leaf, choice + test_bits(tree, attributes, n_cuts))


def description_length(tree: ClassTree, attributes: Sequence[Attribute], n_cuts: npt.ArrayLike) -> tuple[float, float]:
    """The bits of a tree, and those of its exceptions."""
    leaf = tree.is_leaf
    tests = test_bits(tree, attributes, n_cuts).sum()
    nodes = len(tree) * choice_bits(attributes) + leaf.sum() * np.log2(tree.n_classes)
    return float(nodes + tests), float(exception_bits(tree)[leaf].sum())


def choice_bits(attributes: Sequence[Attribute]) -> float:
    """Bits that say whether a node is a leaf or which attribute it tests."""
    return float(np.log2(1 + len(attributes)))


def test_bits(tree: ClassTree, attributes: Sequence[Attribute], n_cuts: npt.ArrayLike) -> Floats:
    """Bits (m,) that say how each test sends its attribute's values; none for a leaf or a branch a category."""
    cuts = np.asarray(n_cuts, np.float64)
    if cuts.shape != (len(attributes),):
        raise ParameterError(
            f"n_cuts has shape {cuts.shape}; it must hold a number for each of {len(attributes)} attributes"
        )
    numeric = np.array([attribute.kind == "numeric" for attribute in attributes], np.bool_)
    cut_bits = np.append(np.where(numeric, np.log2(np.maximum(cuts, 1.0)), 0.0), 0.0)  # the last for LEAF = −1
    arms = np.diff(tree.arm_start)
    node = np.repeat(np.arange(len(tree)), arms)
    taken = np.unique(np.column_stack([node, tree.arm_branch]), axis=0)
    branches = np.bincount(taken[:, 0], minlength=len(tree))  # without one that no example took
    return cut_bits[tree.feature] + np.where(arms > branches, arms * np.log2(np.maximum(branches, 1)), 0.0)


def exception_bits(tree: ClassTree) -> Floats:
    """Bits (m,) of the examples that are not of the plurality class, were each node a leaf."""
    n, e = tree.weight, leaf_errors(tree)
    which = (gammaln(n + 1.0) - gammaln(e + 1.0) - gammaln(n - e + 1.0)) / np.log(2.0)
    return np.log2(n + 1.0) + which + e * np.log2(max(tree.n_classes - 1, 1))
