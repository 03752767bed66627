"""A directed graph in layers: where each node stands, so that edges point downwards and seldom cross.

Each node stands below its parents (longest path). Edges that pass through layers bend at points of their own there.
Points of a layer are sorted by the mean place of their neighbours, down and up in turn, and the order with the
fewest crossings is kept. Then they are moved towards their neighbours as far as their widths allow: least
squares in a given order, which is an isotonic regression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TypeAlias

import numpy as np
from scipy.optimize import isotonic_regression

from novacula.graph.structure.dag import Dag

Point: TypeAlias = str | tuple[str, str, int]
"""A node, or where an edge from one node to another passes a layer."""

SWEEPS = 24
GAP = 0.15
"""Space between neighbours in a layer, in inches."""
BEND = 4.0
"""How hard bends pull towards their neighbours, where a node pulls with 1: so that long edges come out straight."""


@dataclass(frozen=True)
class LayeredPlaces:
    """Places in inches, y downwards: of nodes, and of the points through which each edge goes."""

    nodes: dict[str, tuple[float, int]]
    edges: dict[tuple[str, str], tuple[tuple[float, int], ...]]
    width: float
    depth: int


@dataclass(frozen=True)
class _Neighbours:
    """The points above and below each point that has any."""

    up: dict[Point, list[Point]]
    down: dict[Point, list[Point]]


def layered(dag: Dag, widths: Mapping[str, float]) -> LayeredPlaces:
    """Lay a graph out, its connected parts side by side; `widths` of nodes are in inches."""
    whole = LayeredPlaces({}, {}, 0.0, 0)
    for part in _parts(dag):
        layout = _connected(part, widths)
        shift = whole.width + 2.0 * GAP if whole.nodes else 0.0
        whole = LayeredPlaces(
            whole.nodes | {node: (x + shift, y) for node, (x, y) in layout.nodes.items()},
            whole.edges | {ends: tuple((x + shift, y) for x, y in path) for ends, path in layout.edges.items()},
            shift + layout.width,
            max(whole.depth, layout.depth),
        )
    return whole


def _parts(dag: Dag) -> Iterator[Dag]:
    """The connected parts of a graph, in the order of their first nodes."""
    left = dict(dag.parents)
    while left:
        part, waiting = set[str](), [next(iter(left))]
        while waiting:
            node = waiting.pop()
            if node not in part:
                part.add(node)
                waiting += [*dag.parents[node], *dag.children(node)]
        yield Dag({node: parents for node, parents in dag.parents.items() if node in part})
        left = {node: parents for node, parents in left.items() if node not in part}


def _connected(dag: Dag, widths: Mapping[str, float]) -> LayeredPlaces:
    level = _levels(dag)
    paths: dict[tuple[str, str], tuple[Point, ...]] = {
        (a, b): (a, *((a, b, k) for k in range(level[a] + 1, level[b])), b) for a, b in dag.edges
    }
    layers: list[list[Point]] = [[] for _ in range(max(level.values()) + 1)]
    for node in dag.nodes:
        layers[level[node]].append(node)
    near = _Neighbours({}, {})
    for (a, _), path in paths.items():
        for k, point in enumerate(path[1:-1], start=level[a] + 1):
            layers[k].append(point)
        for above, below in pairwise(path):
            near.down.setdefault(above, []).append(below)
            near.up.setdefault(below, []).append(above)
    layers = _uncrossed(layers, near)
    x = _places(layers, near, widths)
    left = min(place - _half(point, widths) for point, place in x.items())
    right = max(place + _half(point, widths) for point, place in x.items())
    return LayeredPlaces(
        {node: (x[node] - left, level[node]) for node in dag.nodes},
        {ends: tuple((x[p] - left, level[ends[0]] + k) for k, p in enumerate(path)) for ends, path in paths.items()},
        right - left,
        len(layers),
    )


def _levels(dag: Dag) -> dict[str, int]:
    """One below the lowest parent; roots come down to just above their first child."""
    level: dict[str, int] = {}
    for node, parents in dag.parents.items():
        level[node] = max((level[parent] + 1 for parent in parents), default=0)
    for node, parents in dag.parents.items():
        children = dag.children(node)
        if not parents and children:
            level[node] = min(level[child] for child in children) - 1
    return level


def _uncrossed(layers: list[list[Point]], near: _Neighbours) -> list[list[Point]]:
    """The layers in the order with the fewest crossings that sorting by neighbours has found."""
    best, fewest = layers, _crossings(layers, near)
    for sweep in range(SWEEPS):
        layers = [list(layer) for layer in layers]
        downwards = sweep % 2 == 0
        neighbours, step = (near.up, 1) if downwards else (near.down, -1)
        for k in range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1):
            place = {point: i for i, point in enumerate(layers[k - step])}
            mean = {
                point: fmean(place[other] for other in neighbours[point]) if point in neighbours else float(i)
                for i, point in enumerate(layers[k])
            }
            layers[k].sort(key=mean.__getitem__)
        crossings = _crossings(layers, near)
        if crossings < fewest:
            best, fewest = layers, crossings
    return best


def _crossings(layers: Sequence[Sequence[Point]], near: _Neighbours) -> int:
    """Pairs of edges between neighbouring layers that cross."""
    total = 0
    for layer, below in pairwise(layers):
        place = {point: i for i, point in enumerate(below)}
        ends = np.array([end for point in layer for end in sorted(place[b] for b in near.down.get(point, ()))], int)
        total += int(np.triu(ends[:, None] > ends[None, :]).sum())
    return total


def _places(layers: Sequence[Sequence[Point]], near: _Neighbours, widths: Mapping[str, float]) -> dict[Point, float]:
    """The place of each point in its layer, drawn towards its neighbours in turn downwards and upwards."""
    x: dict[Point, float] = {}
    offsets = []
    for layer in layers:
        halves = np.array([_half(point, widths) for point in layer])
        offsets.append(np.concatenate([[0.0], np.cumsum(halves[:-1] + halves[1:] + GAP)]))
        x |= dict(zip(layer, offsets[-1] - offsets[-1][-1] / 2.0, strict=True))
    for sweep in range(SWEEPS):
        for k in range(len(layers)) if sweep % 2 == 0 else range(len(layers) - 1, -1, -1):
            around = [[*near.up.get(point, ()), *near.down.get(point, ())] for point in layers[k]]
            wish = [fmean(x[n] for n in ns) if ns else x[p] for p, ns in zip(layers[k], around, strict=True)]
            pull = [1.0 if isinstance(point, str) else BEND for point in layers[k]]
            fitted = isotonic_regression(np.array(wish) - offsets[k], weights=pull).x + offsets[k]
            x |= dict(zip(layers[k], fitted.tolist(), strict=True))
    return x


def _half(point: Point, widths: Mapping[str, float]) -> float:
    return widths[point] / 2.0 if isinstance(point, str) else 0.0
