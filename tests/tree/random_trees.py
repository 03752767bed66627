"""Trees that no data grew: random ones, chains, and PlayTennis by hand."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from novacula.table.chunk import Codes, Floats
from novacula.tree.attributes import Attribute, interval_labels
from novacula.tree.structure import LEAF, ClassTree, NumberTree, Tree


@dataclass
class Sketch:
    """A node before it has a number: a test with its branches, or a leaf with its counts."""

    counts: Sequence[float] = ()  # of a leaf, none where it is empty; an inner node has those of its branches
    feature: int = LEAF
    threshold: float = np.nan
    branches: list[Sketch] = field(default_factory=list)
    arms: dict[int, int] = field(default_factory=dict)  # code → branch
    otherwise: int = LEAF


def as_tree(root: Sketch, n_classes: int) -> ClassTree:
    """The arrays of a sketch: nodes level by level, counts summed from the leaves, gains of entropy."""
    nodes, child, waiting = [root], [], deque([root])
    while waiting:
        node = waiting.popleft()
        child.append(len(nodes) if node.branches else LEAF)
        nodes.extend(node.branches)
        waiting.extend(node.branches)
    counts = np.array([node.counts if len(node.counts) else np.zeros(n_classes) for node in nodes], np.float64)
    default, gain = np.full(len(nodes), LEAF, np.int32), np.zeros(len(nodes))
    for i in reversed(range(len(nodes))):
        if nodes[i].branches:
            below = counts[child[i] : child[i] + len(nodes[i].branches)]
            counts[i] = below.sum(axis=0)
            default[i] = below.sum(axis=1).argmax()
            gain[i] = max(entropy(counts[i]) - sum(entropy(b) * b.sum() for b in below) / counts[i].sum(), 0.0)
    arms = [sorted(node.arms.items()) for node in nodes]
    pairs = np.array([pair for held in arms for pair in held], np.int32).reshape(-1, 2)
    return ClassTree(
        np.array([node.feature for node in nodes], np.int32),
        np.array([node.threshold for node in nodes], np.float64),
        np.array(child, np.int32),
        np.array([len(node.branches) for node in nodes], np.int32),
        default,
        np.array([node.otherwise for node in nodes], np.int32),
        np.concatenate([[0], np.cumsum([len(held) for held in arms])]).astype(np.int64),
        np.ascontiguousarray(pairs[:, 0]),
        np.ascontiguousarray(pairs[:, 1]),
        gain,
        counts,
    )


def entropy(counts: Floats) -> float:
    """−Σ p log₂ p, 0 for no examples."""
    p = counts[counts > 0] / counts.sum() if counts.any() else np.ones(1)
    return float(-(p * np.log2(p)).sum())


def sizes_of(attributes: Sequence[Attribute]) -> Codes:
    """The sizes of the domains, as `Tree.check` wants them."""
    return np.array([attribute.size for attribute in attributes], np.int32)


# --- random trees -------------------------------------------------------------------------------------------------


def random_attributes(rng: np.random.Generator, count: int) -> tuple[Attribute, ...]:
    """Numeric, nominal and cut attributes in any order."""
    found: list[Attribute] = []
    numbers = codes = 0
    for i, kind in enumerate(rng.choice(["numeric", "nominal", "cut"], count)):
        if kind == "numeric":
            found.append(Attribute(f"a{i}", "numeric", numbers))
            numbers += 1
            continue
        size = int(rng.integers(2, 5))
        if kind == "nominal":
            found.append(Attribute(f"a{i}", "nominal", codes, tuple(f"v{v}" for v in range(size))))
        else:
            edges = tuple(np.cumsum(rng.uniform(0.5, 2.0, size - 1)).tolist())
            found.append(Attribute(f"a{i}", "cut", codes, interval_labels(edges), edges))
        codes += 1
    return tuple(found)


def random_tree(
    rng: np.random.Generator, attributes: Sequence[Attribute], n_classes: int, n_tests: int, *, unit: float = 1.0
) -> ClassTree:
    """A tree of at most `n_tests` tests; counts are multiples of `unit`, and no leaf but `otherwise` is empty.

    A nominal or cut attribute is asked once on a path. Some tests by category group values, some have none left over.
    """
    root = Sketch()
    open_leaves: list[tuple[Sketch, frozenset[int]]] = [(root, frozenset(range(len(attributes))))]
    for _ in range(n_tests):
        usable = [i for i, (_, free) in enumerate(open_leaves) if free]
        if not usable:
            break
        node, free = open_leaves.pop(usable[int(rng.integers(len(usable)))])
        node.feature = int(rng.choice(sorted(free)))
        asked = attributes[node.feature]
        _draw_test(rng, node, asked)
        left = free if asked.kind == "numeric" else free - {node.feature}
        open_leaves += [(branch, left) for i, branch in enumerate(node.branches) if i != node.otherwise]
    for leaf, _ in open_leaves:
        counts = rng.integers(0, 6, n_classes) * rng.integers(0, 2, n_classes)
        counts[rng.integers(n_classes)] += 1
        leaf.counts = (counts * unit).tolist()
    tree = as_tree(root, n_classes)
    tree.check(sizes_of(attributes))
    return tree


def as_number_tree(tree: ClassTree, numbers: Sequence[float], *, absolute: bool = False) -> NumberTree:
    """A tree of the same tests, where examples of class k have the k-th number: nodes answer with their means.

    With `absolute` deviations are absolute, from the mean nonetheless. Nodes without examples answer as their parent.
    """
    y = np.array(numbers, np.float64)[: tree.n_classes]
    value = tree.distributions() @ y
    apart = np.abs(y - value[:, None])
    deviation = (tree.counts * (apart if absolute else apart**2)).sum(axis=1)
    return NumberTree(*(getattr(tree, part.name) for part in fields(Tree)), tree.weight, value, deviation)


@st.composite
def number_trees(draw: st.DrawFn, max_tests: int = 12, units: Sequence[float] = (1.0, 0.25)) -> tuple[NumberTree, Any]:
    """A random tree for numbers and its attributes."""
    tree, attributes = draw(trees(max_tests, units))
    numbers = draw(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4))
    return as_number_tree(tree, numbers, absolute=draw(st.booleans())), attributes


def _draw_test(rng: np.random.Generator, node: Sketch, asked: Attribute) -> None:
    if asked.kind == "numeric":
        node.threshold = float(np.round(rng.normal(), 2))
        node.branches = [Sketch(), Sketch()]
        return
    known = np.sort(rng.choice(asked.size, int(rng.integers(1, asked.size + 1)), replace=False)).tolist()
    groups = int(rng.integers(2, len(known))) if len(known) > 2 and rng.random() < 0.3 else len(known)
    node.arms = {code: i % groups for i, code in enumerate(known)}
    node.branches = [Sketch() for _ in range(groups)]
    if len(known) < asked.size:
        node.otherwise = groups
        node.branches.append(Sketch())


@st.composite
def trees(draw: st.DrawFn, max_tests: int = 12, units: Sequence[float] = (1.0, 0.25)) -> tuple[ClassTree, Any]:
    """A random tree and its attributes; with the second unit its counts are fractional, yet sums are exact."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    attributes = random_attributes(rng, draw(st.integers(1, 5)))
    n_classes, n_tests = draw(st.integers(1, 4)), draw(st.integers(0, max_tests))
    return random_tree(rng, attributes, n_classes, n_tests, unit=draw(st.sampled_from(units))), attributes


def random_weights(rng: np.random.Generator, tree: ClassTree, unit: float = 1.0) -> Floats:
    """Weights (m, K) of other examples that pass through the nodes: those of a node are the sum of its children's."""
    weights = rng.integers(0, 5, tree.counts.shape) * unit
    for node in tree.upwards():
        weights[node] = weights[list(tree.children(node))].sum(axis=0)
    return weights


def all_prunings(tree: ClassTree) -> list[np.ndarray]:
    """Every way to make nodes leaves, one set of marks for each pruned tree; for small trees."""
    below: dict[int, list[frozenset[int]]] = {}
    for node in tree.upwards():
        kept = product(*(below.get(child, [frozenset()]) for child in tree.children(node)))
        below[node] = [frozenset([node]), *(frozenset().union(*sets) for sets in kept)]
    marks = []
    for stopped in below.get(0, [frozenset()]):
        stop = np.zeros(len(tree), np.bool_)
        stop[list(stopped)] = True
        marks.append(stop)
    return marks


# --- trees by hand ------------------------------------------------------------------------------------------------


def chain(levels: int) -> ClassTree:
    """A numeric test above a numeric test above …, each with a leaf of one example at its left; classes take turns."""
    m = 2 * levels + 1
    feature, child = np.full(m, LEAF, np.int32), np.full(m, LEAF, np.int32)
    inner = np.concatenate([[0], np.arange(2, m - 1, 2)]) if levels else np.zeros(0, np.int64)
    feature[inner], child[inner] = 0, np.arange(1, m, 2)
    counts = np.zeros((m, 2))
    leaves = np.append(np.arange(1, m, 2), m - 1)
    counts[leaves, np.arange(levels + 1) % 2] = 1.0
    counts[inner] = np.cumsum(counts[leaves][::-1], axis=0)[::-1][:levels]
    split = feature >= 0
    threshold = np.full(m, np.nan)
    threshold[inner] = np.arange(levels) + 0.5
    return ClassTree(
        feature,
        threshold,
        child,
        np.where(split, 2, 0).astype(np.int32),
        np.where(split, 1, LEAF).astype(np.int32),
        np.full(m, LEAF, np.int32),
        np.zeros(m + 1, np.int64),
        np.zeros(0, np.int32),
        np.zeros(0, np.int32),
        np.where(split, 1.0 / np.maximum(counts.sum(axis=1), 1.0), 0.0),
        counts,
    )


def play_tennis() -> tuple[ClassTree, tuple[Attribute, ...]]:
    """The tree of ID3 for the fourteen days; classes No and Yes."""
    attributes = (
        Attribute("Outlook", "nominal", 0, ("Overcast", "Rain", "Sunny")),
        Attribute("Temperature", "nominal", 1, ("Cool", "Hot", "Mild")),
        Attribute("Humidity", "nominal", 2, ("High", "Normal")),
        Attribute("Wind", "nominal", 3, ("Strong", "Weak")),
    )
    wind = Sketch(feature=3, branches=[Sketch((2, 0)), Sketch((0, 3))], arms={0: 0, 1: 1})
    humidity = Sketch(feature=2, branches=[Sketch((3, 0)), Sketch((0, 2))], arms={0: 0, 1: 1})
    root = Sketch(feature=0, branches=[Sketch((0, 4)), wind, humidity], arms={0: 0, 1: 1, 2: 2})
    return as_tree(root, 2), attributes
