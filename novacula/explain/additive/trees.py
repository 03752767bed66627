"""Contributions of a sum of trees, exactly: Shapley values of the expectation that follows the tree (TreeSHAP).

Where the columns S are known, an answer is the mean over the leaves by the shares of the training weight that a row
would have in them: at a test of a known column it takes its branch, at others all branches by their weights. Of a leaf
the share is a product over the columns of its path, f_a = o_a if a is known and z_a if it is not, and the Shapley
value of such a product is an integral of a polynomial,

    φ_a = value · (o_a − z_a) · ∫₀¹ Π_{b ≠ a} (z_b + t·(o_b − z_b)) dt,

which Gauss's rule gives exactly with half as many points as the path has columns. Sums over the leaves below an edge
are added on the way up, so that a row costs as much as the tree has nodes (Bifet et al. 2022, Yu et al. 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.explain.additive.view import Division, inner_view
from novacula.explain.answers import SeenAnswers, answers_of, decision_of
from novacula.explain.rows import SeenRows
from novacula.table import Chunk
from novacula.table.parallel import map_ordered
from novacula.tree.additive import AdditiveTrees
from novacula.tree.attributes import Attribute, attribute_codes
from novacula.tree.structure import Tree

ROWS_AT_ONCE = 2048
"""Rows that a thread takes through all trees."""
COMPARED, CLOSE = 100, 1e-9
"""Rows on which sums of trees are compared with what the model says, and how near they must be."""


@dataclass(frozen=True, eq=False)
class WalkedTree:
    """A tree in the order in which it is gone through, with what each edge and test needs."""

    tree: Tree
    attributes: tuple[Attribute, ...]
    values: Floats  # (m, K)
    fractional: bool

    @cached_property
    def portion(self) -> Floats:
        """The share of the examples of a node's parent that it has; where there are none, all at the default branch."""
        tree, weight = self.tree, self.tree.weight
        parent = np.maximum(tree.parent(), 0)
        shares = np.divide(weight, weight[parent], out=np.zeros(len(tree)), where=weight[parent] > 0)
        without = ~(weight[parent] > 0)
        shares[without] = (self.branch == tree.default[parent])[without]
        shares[0] = 1.0
        return shares

    @cached_property
    def branch(self) -> Any:
        """The branch of its parent that a node is."""
        parent = np.maximum(self.tree.parent(), 0)
        return np.where(np.arange(len(self.tree)) > 0, np.arange(len(self.tree)) - self.tree.child[parent], 0)

    @cached_property
    def base(self) -> Floats:
        """The answer where no column is known (K,)."""
        reach = np.ones(len(self.tree))
        parent = self.tree.parent()
        for level in list(self.tree.levels())[1:]:
            reach[level] = reach[parent[level]] * self.portion[level]
        leaf = self.tree.is_leaf
        return np.asarray(reach[leaf] @ self.values[leaf])

    @cached_property
    def above(self) -> Any:
        """The depth of the nearest edge above that asked the same attribute as the edge to a node; −1 without one."""
        tree, parent, depth = self.tree, self.tree.parent(), self.tree.depth()
        last = np.full((len(tree), len(self.attributes)), -1, np.int32)
        found = np.full(len(tree), -1, np.int32)
        for level in list(tree.levels())[1:]:
            last[level] = last[parent[level]]
            asked = tree.feature[parent[level]]
            found[level] = last[level, asked]
            last[level, asked] = depth[level]
        return found

    @cached_property
    def order(self) -> Any:
        """The nodes from the root down, branch by branch."""
        tree, levels = self.tree, list(self.tree.levels())
        sizes = tree.summed_upwards(np.ones(len(tree)))
        place = np.zeros(len(tree), np.int64)
        before = np.concatenate([[0.0], np.cumsum(sizes)])
        for level in levels[1:]:
            parent = tree.parent()[level]
            place[level] = place[parent] + 1 + before[level] - before[tree.child[parent]]
        return np.argsort(place)

    @cached_property
    def n_asked(self) -> int:
        """The most attributes on one path."""
        return int(self.tree.attributes_asked(len(self.attributes)).sum(axis=1).max())

    @cached_property
    def arguments(self) -> tuple[Any, ...]:
        """What the loop takes, after the rows."""
        tree, sizes = self.tree, np.array([a.size for a in self.attributes], np.int64)
        inner = ~tree.is_leaf
        columns = np.array([a.place if a.kind == "numeric" else -1 - a.place for a in self.attributes], np.int32)
        at_all = self.fractional & (tree.weight > 0)
        lengths = np.where(inner, sizes[tree.feature], 0)
        starts = np.cumsum(lengths) - lengths
        table = np.repeat(tree.otherwise, lengths)
        arms = np.repeat(starts, np.diff(tree.arm_start))
        table[arms + tree.arm_code] = tree.arm_branch
        half = max(1, -(-self.n_asked // 2))
        points, parts = np.polynomial.legendre.leggauss(half)
        return (
            *(whole(part) for part in (self.order, tree.depth(), self.above, np.maximum(tree.parent(), 0))),
            *(whole(part) for part in (self.branch, tree.feature)),
            self.portion,
            *(whole(part) for part in (columns[tree.feature], np.where(at_all, -1, tree.default), starts, table)),
            np.ascontiguousarray(tree.threshold),
            np.ascontiguousarray(self.values),
            (points + 1.0) / 2.0,
            parts / 2.0,
            int(tree.depth().max()),
        )


def whole(numbers: Any) -> Any:
    """Whole numbers as kernels take them."""
    return np.ascontiguousarray(numbers, np.int32)


def tree_contributions(trees: AdditiveTrees, rows: SeenRows) -> tuple[Floats, Floats]:
    """The contributions (n, attributes, K) and the base (K,), at which every row begins."""
    walked = [
        WalkedTree(tree, trees.attributes, values, trees.fractional)
        for tree, values in zip(trees.trees, trees.values, strict=True)
    ]
    base = trees.constant + sum((one.base for one in walked), np.zeros(len(trees.constant)))
    asking = [one.arguments for one in walked if len(one.tree) > 1]
    starts = range(0, len(rows), ROWS_AT_ONCE)
    chunks = [rows.chunk.rows(start, start + ROWS_AT_ONCE) for start in starts]
    parts = map_ordered(lambda chunk: _of_chunk(chunk, trees, asking), chunks)
    return np.concatenate(list(parts)), base


def _of_chunk(chunk: Chunk, trees: AdditiveTrees, asking: list[tuple[Any, ...]]) -> Floats:
    from novacula.explain._kernels import add_contributions

    found = np.zeros((len(chunk), len(trees.attributes), len(trees.constant)))
    codes = np.ascontiguousarray(attribute_codes(chunk, trees.attributes, trees.cut_places))
    numeric = np.ascontiguousarray(chunk.numeric)
    for arguments in asking:
        add_contributions(numeric, codes, *arguments, found)
    return found


# --- which models are sums of trees --------------------------------------------------------------------------------


def divided_by_trees(model: Any, rows: SeenRows) -> Division | None:
    """The division of a model that is a sum of trees on its columns as they are; None of any other."""
    view = inner_view(model, rows)
    if not hasattr(view.model, "additive_trees") or not view.is_one_to_one:
        return None
    trees = view.model.additive_trees()
    few = view.rows.take(slice(0, COMPARED))
    named = _answers_of_trees(model, trees.answers(few.chunk), rows.take(slice(0, COMPARED)))
    if named is None:
        return None
    answers, first = named
    parts, base = tree_contributions(trees, view.rows)
    places = {name: j for j, name in enumerate(view.rows.names)}
    by_column = np.zeros((len(parts), len(view.rows.names), parts.shape[2]))
    by_column[:, [places[attribute.name] for attribute in trees.attributes]] = parts
    values = view.by_origin(by_column[:, :, first:], len(rows.names))
    return Division(values, base[first:], answers, "Shapley values of the trees, exactly (TreeSHAP)")


def _answers_of_trees(model: Any, sums: Floats, rows: SeenRows) -> tuple[SeenAnswers, int] | None:
    """What the sums of the trees are, as the model gives it, and the first of them that is shown."""
    candidates = [answers_of(model)]
    if hasattr(model, "decision_function"):
        candidates.append(decision_of(model, "log odds" if sums.shape[1] == 1 else "raw score"))
    for answers in candidates:
        first = sums.shape[1] - len(answers.names)
        if first in (0, 1) and np.allclose(sums[:, first:], answers(rows), rtol=CLOSE, atol=CLOSE):
            return answers, first
    return None
