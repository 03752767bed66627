"""Trees and lists of rules: the nodes and conditions of a model as those of a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from novacula.export.deciding import Demand, FirstRule, OneTree, TreeNode, Trees
from novacula.export.inputs import Inputs
from novacula.export.said import Said
from novacula.export.vectors import ConstantVector, Largest, Lookup
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute
from novacula.tree.constants import NOISE
from novacula.tree.export import AnyNamedTree, NamedClassTree
from novacula.tree.settings import pseudo_examples
from novacula.tree.structure import Tree

ALMOST = 1.0 - NOISE
"""Of probabilities at least this share of the largest, the first decides."""


def single_tree(model: Any, inputs: Inputs) -> Said:
    """What the row's leaf says, or its leaves mixed."""
    return said_by_tree(model.named_tree(), inputs)


def said_by_tree(named: AnyNamedTree, inputs: Inputs) -> Said:
    """The class shares of a tree with its names, and the first that is almost the largest; or its number."""
    values = named.probabilities if isinstance(named, NamedClassTree) else named.tree.value[:, None]
    source, places = inputs.asked_by_trees(named.attributes)
    tree = OneTree(tuple(tree_nodes(named.tree, values, named.attributes, places, named.fractional)))
    said = Trees(source, (tree,), (0.0,) * values.shape[1])
    return Said(Largest(said, ALMOST), said) if isinstance(named, NamedClassTree) else Said(said)


def tree_nodes(
    tree: Tree, values: Floats, attributes: Sequence[Attribute], places: Sequence[int], fractional: bool
) -> Iterator[TreeNode]:
    """The nodes of a tree; `places` say where the value of each attribute is."""
    weight = tree.weight
    for place in range(len(tree)):
        branches = tuple(tree.children(place))
        if not branches:
            yield TreeNode(tuple(values[place].tolist()))
            continue
        feature, default = int(tree.feature[place]), int(tree.default[place])
        shares: tuple[float, ...] = ()
        if fractional and weight[place] > 0.0:
            shares = tuple((weight[list(branches)] / weight[place]).tolist())
        numeric = attributes[feature].kind == "numeric"
        yield TreeNode(
            entry=places[feature],
            threshold=float(tree.threshold[place]) if numeric else None,
            codes=() if numeric else _codes(tree, place, attributes[feature].size),
            branches=branches,
            default=default,
            shares=shares,
        )


def _codes(tree: Tree, place: int, size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(tree.codes_of(place, branch, size)) for branch in range(len(tree.children(place))))


def rule_list(model: Any, inputs: Inputs) -> Said:
    """The class, and the class shares, of the first rule that holds."""
    source, places = inputs.asked_by_trees(model.attributes_)
    place_of = {attribute.name: place for attribute, place in zip(model.attributes_, places, strict=True)}
    rules = tuple(
        tuple(
            Demand(
                place_of[condition.attribute.name],
                condition.low,
                condition.high,
                None if condition.attribute.kind == "numeric" else tuple(condition.codes),
            )
            for condition in conditions
        )
        for conditions in model.rule_list_.conditions.named(model.attributes_)
    )
    first = FirstRule(source, rules) if rules else ConstantVector((0.0,))
    shares = model.rule_list_.distributions(pseudo_examples(model))
    classes = model.rule_list_.classes[:, None].astype(np.float64)
    return Said(_of_rule(first, classes), _of_rule(first, shares))


def _of_rule(first: Any, table: Floats) -> Lookup:
    return Lookup(first, 0, np.vstack([table, np.full((1, table.shape[1]), np.nan)]))


TREES = {
    "decision-tree-classifier": single_tree,
    "decision-tree-regressor": single_tree,
    "rule-list-classifier": rule_list,
}
