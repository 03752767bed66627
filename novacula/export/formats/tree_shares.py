"""A tree whose rows may divide, in a language of single numbers: the share of a row that comes to each leaf."""

from __future__ import annotations

from collections.abc import Iterator

from novacula.export.deciding import OneTree, TreeNode, Trees
from novacula.export.formats.scalars import Lowering, Scalar


def tree_by_shares(lowering: Lowering, vector: Trees) -> list[Scalar]:
    """The sum of a constant and, of every tree, of shares of leaves times their values."""
    totals = [lowering.number(start) for start in vector.constant]
    for tree in vector.trees:
        for k, added in enumerate(_sums(lowering, tree, lowering.of(vector.source))):
            at = tree.output + k
            totals[at] = lowering.combined("+", totals[at], lowering.short(added))
    return totals


def _sums(lowering: Lowering, tree: OneTree, entries: list[Scalar]) -> list[Scalar]:
    weights: list[Scalar] = [lowering.number(1.0)] * len(tree.nodes)
    terms: list[list[Scalar]] = [[] for _ in range(tree.n_values)]
    for place in _down(tree):
        node, weight = tree.nodes[place], weights[place]
        if node.is_leaf:
            for k, value in enumerate(node.values):
                terms[k].append(lowering.combined("*", weight, lowering.number(value)))
            continue
        for b, branch in enumerate(node.branches):
            factor = _factor(lowering, node, b, entries[node.entry])
            weights[branch] = lowering.short(lowering.combined("*", weight, factor) if place else factor)
    return [lowering.sum(lowering.number(0.0), own) for own in terms]


def _factor(lowering: Lowering, node: TreeNode, branch: int, entry: Scalar) -> Scalar:
    """The share of a node's rows that takes a branch."""
    language = lowering.language
    if node.threshold is not None:
        holds = language.compared(">" if branch else "<=", entry.text, language.number(node.threshold))
    else:
        holds = language.one_of(entry.text, node.codes[branch])
    share = node.shares[branch] if node.shares else float(node.default == branch)
    cases = [(holds, language.number(1.0))]
    if share > 0.0:
        cases.append((language.is_missing(entry.text), language.number(share)))
    return Scalar(language.cases(cases, language.number(0.0)), entry.names)


def _down(tree: OneTree) -> Iterator[int]:
    """The nodes from the root down, each before its branches, leaves from left to right."""
    waiting = [0]
    while waiting:
        place = waiting.pop()
        yield place
        waiting.extend(reversed(tree.nodes[place].branches))
