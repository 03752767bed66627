"""Trees in ONNX: all rows and trees go down at once, a level at a time; or where rows divide, shares of all nodes."""

from __future__ import annotations

import numpy as np

from novacula.export.deciding import OneTree, TreeNode, Trees
from novacula.export.formats.onnx_graph import Graph


def trees(graph: Graph, source: str, vector: Trees) -> str:
    """The sum of a constant and of trees, in their order."""
    if any(tree.divides for tree in vector.trees):
        total = graph.numbers(np.array([vector.constant]))
        for tree in vector.trees:
            total = graph.add("Add", [total, _shares(graph, source, tree)])
        return total
    if not vector.trees:
        return graph.numbers(np.array([vector.constant]))
    leaf = _leaves(graph, source, vector)
    width = vector.trees[0].n_values
    values = graph.add("Gather", [graph.numbers(_values(vector)), leaf], axis=0)
    sums = []
    for output in sorted({tree.output for tree in vector.trees}):
        own = [t for t, tree in enumerate(vector.trees) if tree.output == output]
        some = graph.add("Gather", [values, graph.wholes(own)], axis=1)
        # A running sum adds in the order of the trees, as the model does, so that ties stay ties.
        running = graph.add("CumSum", [some, graph.wholes(1)])
        last = graph.add("Gather", [running, graph.wholes([len(own) - 1])], axis=1)
        sums.append(graph.add("Reshape", [last, graph.wholes([-1, width])]))
    return graph.add("Concat", sums, axis=1) if len(sums) > 1 else sums[0]


def _values(vector: Trees) -> np.ndarray:
    """The values of all nodes (m, k); those of the first tree of an output have the constant in them."""
    rows, begun = [], set()
    for tree in vector.trees:
        start = vector.constant[tree.output : tree.output + tree.n_values]
        first = tree.output not in begun
        begun.add(tree.output)
        for node in tree.nodes:
            own = node.values or (0.0,) * tree.n_values
            rows.append([s + v for s, v in zip(start, own, strict=True)] if first else list(own))
    return np.array(rows)


def _leaves(graph: Graph, source: str, vector: Trees) -> str:
    """The leaf of each row in each tree (n, T), as a number among the nodes of all."""
    nodes = [node for tree in vector.trees for node in tree.nodes]
    starts = np.cumsum([0, *(len(tree.nodes) for tree in vector.trees)])
    base = np.repeat(starts[:-1], np.diff(starts)).tolist()
    own = list(range(len(nodes)))
    first = graph.wholes(
        [b + node.branches[0] if node.branches else i for i, b, node in zip(own, base, nodes, strict=True)]
    )
    entry = graph.wholes([max(node.entry, 0) for node in nodes])
    threshold = graph.numbers([np.inf if node.threshold is None else node.threshold for node in nodes])
    missing = graph.wholes([node.default for node in nodes])
    arms, offset = _arms(nodes)
    by_code = bool(len(arms) > 1)
    # No row has gone anywhere yet: the root of each tree, once for each row.
    zero = graph.whole(graph.add("IsNaN", [graph.entries(source, (0,))]))
    at = graph.add("Add", [graph.add("Mul", [zero, graph.wholes([0])]), graph.wholes([starts[:-1].tolist()])])
    for _ in range(max(tree.depth for tree in vector.trees)):
        value = graph.add("GatherElements", [source, graph.add("Gather", [entry, at], axis=0)], axis=1)
        branch = graph.whole(graph.add("Greater", [value, graph.add("Gather", [threshold, at], axis=0)]))
        is_missing = graph.add("IsNaN", [value])
        if by_code:
            start = graph.add("Gather", [graph.wholes(offset), at], axis=0)
            is_code = graph.add("Greater", [start, graph.wholes([0])])
            known = graph.add("And", [is_code, graph.add("Not", [is_missing])])
            code = graph.whole(graph.add("Where", [known, value, graph.numbers([0.0])]))
            arm = graph.add("Gather", [graph.wholes(arms), graph.add("Add", [start, code])], axis=0)
            branch = graph.add("Where", [is_code, arm, branch])
        branch = graph.add("Where", [is_missing, graph.add("Gather", [missing, at], axis=0), branch])
        at = graph.add("Add", [graph.add("Gather", [first, at], axis=0), branch])
    return at


def _arms(nodes: list[TreeNode]) -> tuple[list[int], list[int]]:
    """The branch of each code of each test by code in one list, and where those of each node begin; 0 for none."""
    arms, offset = [0], []
    for node in nodes:
        by_code = {code: b for b, codes in enumerate(node.codes) for code in codes}
        offset.append(len(arms) if by_code else 0)
        arms += [by_code[code] for code in range(len(by_code))]
    return arms, offset


def _shares(graph: Graph, source: str, tree: OneTree) -> str:
    """What a tree adds whose rows may divide: shares of leaves (n, L) times their values (L, k)."""
    if len(tree.nodes) == 1:
        return graph.numbers(np.array([tree.nodes[0].values]))
    parent, side = _parents(tree)
    above = [tree.nodes[place] for place in parent]
    value = graph.entries(source, [node.entry for node in above])
    allowed = [_allowed(node, b) for node, b in zip(above, side, strict=True)]
    took = graph.double(graph.met(value, allowed))
    missing = np.array([[_missing_share(node, b) for node, b in zip(above, side, strict=True)]])
    factor = graph.add("Where", [graph.add("IsNaN", [value]), graph.numbers(missing), took])
    level, weight, leaves, parts = [0], "", list[int](), list[str]()
    while level:
        at_leaf = [i for i, place in enumerate(level) if tree.nodes[place].is_leaf]
        if at_leaf:
            leaves += [level[i] for i in at_leaf]
            parts.append(graph.entries(weight, at_leaf))
        inner = [(i, branch) for i, place in enumerate(level) for branch in tree.nodes[place].branches]
        if inner:
            own = graph.entries(factor, [branch - 1 for _, branch in inner])
            weight = graph.add("Mul", [graph.entries(weight, [i for i, _ in inner]), own]) if weight else own
        level = [branch for _, branch in inner]
    shares = graph.add("Concat", parts, axis=1) if len(parts) > 1 else parts[0]
    return graph.add("MatMul", [shares, graph.numbers([tree.nodes[place].values for place in leaves])])


def _parents(tree: OneTree) -> tuple[list[int], list[int]]:
    """Of each node but the root the node above it, and which branch of that it is."""
    parent, side = [0] * (len(tree.nodes) - 1), [0] * (len(tree.nodes) - 1)
    for place, node in enumerate(tree.nodes):
        for b, branch in enumerate(node.branches):
            parent[branch - 1], side[branch - 1] = place, b
    return parent, side


def _allowed(node: TreeNode, branch: int) -> tuple[float, float, tuple[int, ...] | None]:
    """What a value must be to take a branch."""
    if node.threshold is None:
        return 0.0, 0.0, node.codes[branch]
    return (-np.inf, node.threshold, None) if branch == 0 else (node.threshold, np.inf, None)


def _missing_share(node: TreeNode, branch: int) -> float:
    return node.shares[branch] if node.shares else float(branch == node.default)
