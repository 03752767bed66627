"""Trees: the best graph in which every node has one parent at most (Chow and Liu, 1968), also within a class.

    gain(x, y) = ln L(y|x) − ln L(y) = N·I(x; y)        gain(x, y|c) = ln L(y|x, c) − ln L(y|c) = N·I(x; y|c)

The likelihood of a tree is that of no edges plus the gains of its edges, so the best is the maximum spanning tree.
Tree-augmented naive Bayes (Friedman, Geiger and Goldszmidt, 1997) is that tree within a class, a parent of all. Where
cells are empty, a gain is taken from the rows that know both nodes, and brought to the number of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from novacula.errors import ParameterError
from novacula.graph.learning.family_counts import FamilyCounts, GroupMoments
from novacula.graph.learning.family_layout import FamilyLayout, FamilyName
from novacula.graph.structure.dag import Dag
from novacula.graph.structure.hill_climb import TIE
from novacula.graph.structure.scores import batches, line_score, table_score
from novacula.graph.variables import Cells, Variables
from novacula.table import Table
from novacula.table.chunk import Floats
from novacula.words import listed

FLOOR = 1e-9
"""The least variance within a group, as a share of that of all rows."""


def chow_liu(table: Table, variables: Variables, root: str | None = None) -> Dag:
    """The tree with the highest likelihood; its edges lead away from the root, by default the first node."""
    return Dag.of(_tree(table, variables, (), variables.names, root), variables.names)


def tree_augmented(table: Table, variables: Variables, target: str, root: str | None = None) -> Dag:
    """The class above every node, and the best tree within the class."""
    if target not in variables.states:
        raise ParameterError(f"the class {target!r} of a tree-augmented network must be discrete: name another target")
    names = [name for name in variables.names if name != target]
    return Dag.of(_tree(table, variables, (target,), names, root), variables.names)


def naive_structure(names: Sequence[str], target: str) -> Dag:
    """The class above every node, and no other edge."""
    return Dag.of({name: () if name == target else (target,) for name in names})


def _tree(
    table: Table, variables: Variables, above: tuple[str, ...], names: Sequence[str], root: str | None
) -> dict[str, tuple[str, ...]]:
    """Parents of each node, those `above` all nodes first.

    Discrete nodes make a tree of their own, since none has a continuous parent, and the continuous ones grow on it.
    """
    discrete = [name for name in names if name in variables.states]
    if root is not None and root not in names:
        raise ParameterError(f"the root {root!r} is not a node of the tree: the nodes are {listed(names)}")
    if root is not None and discrete and root not in discrete:
        raise ParameterError(
            f"the root {root!r} is continuous, and discrete nodes cannot be below it: name one of them"
        )
    first = [] if root is None else [root]
    ordered = [*first, *(name for name in names if name != root)]
    # Discrete nodes come first, so that each pair leads from a node that may be the parent.
    ordered = sorted(ordered, key=lambda name: name not in variables.states)
    pairs = [(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :]]
    gains = pair_gains(table, variables, above, pairs)

    def gain(a: str, b: str) -> float:
        return gains[a, b] if (a, b) in gains else gains[b, a]

    slack = TIE * max([1.0, *map(abs, gains.values())])
    grown = _grow({}, [name for name in ordered if name in discrete], gain, slack)
    grown = _grow(grown, [name for name in ordered if name not in discrete], gain, slack)
    return {name: above if parent is None else (*above, parent) for name, parent in grown.items()}


def _grow(
    tree: Mapping[str, str | None], waiting: Sequence[str], gain: Callable[[str, str], float], slack: float
) -> dict[str, str | None]:
    """Prim's algorithm: join the node with the largest gain to the tree until all are in; ties go to the first."""
    grown = dict(tree)
    link: dict[str, str | None] = dict.fromkeys(waiting)  # where each would be joined
    worth = dict.fromkeys(waiting, 0.0)
    newcomers = list(grown)
    while link:
        for node in link:
            for other in newcomers:
                if gain(other, node) > worth[node] + slack:
                    link[node], worth[node] = other, gain(other, node)
        best = next(iter(link))
        for node in link:
            if worth[node] > worth[best] + slack:
                best = node
        grown[best] = link.pop(best)
        newcomers = [best]
    return grown


def pair_gains(
    table: Table, variables: Variables, above: tuple[str, ...], pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """For each pair (parent, child) what the parent adds to the child's log-likelihood, given the nodes `above`."""
    cells = Cells.of(variables, table.layout)
    families: dict[FamilyName, tuple[str, str]] = {(b, (*above, a)): (a, b) for a, b in pairs}
    gains = {}
    for batch in batches(families, variables):
        layout = FamilyLayout.of(batch, variables)
        family_counts = table.reduce(FamilyCounts.observe, cells, layout)
        for family, sums in zip(batch, layout.each(family_counts), strict=True):
            parent, child = families[family]
            if child in variables.states:
                gain = _table_gain(sums)
            else:
                gain = _line_gain(sums, len(variables.states.get(parent, ())))
            gains[parent, child] = gain * family_counts.weight
    return gains


def _table_gain(counts: Floats) -> float:
    """Of the parent on the last axis but one, for each row that counts."""
    n = float(counts.sum())
    both, without = (table_score(c, "log_likelihood", n, 0.0) for c in (counts, counts.sum(axis=-2)))
    return (both - without) / n if n > 0.0 else 0.0


def _line_gain(moments: GroupMoments, states: int) -> float:
    """The gain of a discrete parent of r states, whose groups turn fastest, or, where r is 0, of the one regressor."""
    n = float(moments.weight.sum())
    if not n > 0.0:
        return 0.0
    if states:
        without = moments.merged(np.arange(len(moments.weight)) // states, len(moments.weight) // states)
    else:
        without = moments.columns([1])
    # A group of one row has no spread of its own: the floor keeps its density finite.
    floor = FLOOR * max(float(without.scatter[:, -1, -1].sum()) / n, np.finfo(np.float64).tiny)
    both, alone = (line_score(m, floor, "log_likelihood", n) for m in (moments, without))
    return (both - alone) / n
