"""Distances and nearest neighbours in ONNX."""

from __future__ import annotations

import numpy as np

from novacula.export.deciding import Distances, Nearest
from novacula.export.formats.onnx_graph import Graph
from novacula.neighbors.places import rows_needed


def distances(graph: Graph, source: str, vector: Distances) -> str:
    """How far each point is (n, m): column by column, which takes less room than all at once and adds in order."""
    total = ""
    for j, column in enumerate(vector.points.T):
        own, points = graph.entries(source, (j,)), graph.numbers(column[None])
        if vector.codes_from is not None and j >= vector.codes_from:
            same = graph.add("Equal", [own, points])
            part = graph.add("Where", [same, graph.numbers([0.0]), graph.numbers([1.0])])
        else:
            part = graph.add("Abs", [graph.add("Sub", [own, points])])
            if vector.codes_from is not None:
                part = graph.add("Where", [graph.add("IsNaN", [part]), graph.numbers([1.0]), part])
            part = _powered(graph, part, vector.power)
        total = graph.add("Max" if vector.power == np.inf else "Add", [total, part]) if total else part
    return total


def _powered(graph: Graph, gap: str, power: float) -> str:
    if power in (1.0, np.inf):
        return gap
    return graph.add("Mul", [gap, gap]) if power == 2.0 else graph.add("Pow", [gap, graph.numbers([power])])


def nearest(graph: Graph, source: str, vector: Nearest) -> str:
    """The voices of the nearest points, their total, and how far those are who take places."""
    n_asked = rows_needed(vector.weight, vector.k)
    distance, place = graph.add_two("TopK", [source, graph.wholes([n_asked])], axis=1, largest=0, sorted=1)
    if vector.power not in (1.0, np.inf):
        exponent = graph.numbers([1.0 / vector.power])
        distance = graph.add("Sqrt", [distance]) if vector.power == 2.0 else graph.add("Pow", [distance, exponent])
    weight = graph.add("Gather", [graph.numbers(vector.weight), place], axis=0)
    before = graph.add("CumSum", [weight, graph.wholes(1)], exclusive=1)
    zero = graph.numbers([0.0])
    left = graph.add("Max", [graph.add("Sub", [graph.numbers([vector.k]), before]), zero])
    places = graph.add("Min", [left, weight])
    voice = places
    if vector.by_distance:
        is_there = graph.add("And", [graph.add("Equal", [distance, zero]), graph.add("Greater", [places, zero])])
        near = graph.add("Where", [is_there, places, zero])
        some = graph.add("ReduceMax", [near], axes=[1], keepdims=1)
        apart = graph.add("Where", [graph.add("Greater", [distance, zero]), distance, graph.numbers([1.0])])
        part = graph.add("Where", [graph.add("Greater", [distance, zero]), graph.add("Div", [places, apart]), zero])
        voice = graph.add("Where", [graph.add("Greater", [some, zero]), near, part])
    values = graph.add("Gather", [graph.numbers(vector.values), place], axis=0)
    sums = [_sum(graph, each, values) for each in (voice, graph.add("Mul", [places, distance]))]
    total = graph.add("ReduceSum", [voice, graph.wholes([1])], keepdims=1)
    return graph.add("Concat", [sums[0], total, sums[1]], axis=1)


def _sum(graph: Graph, weight: str, values: str) -> str:
    """Σ over points of weight (n, k) times values (n, k, t): (n, t)."""
    wide = graph.add("Unsqueeze", [weight, graph.wholes([2])])
    product = graph.add("Mul", [wide, values])
    return graph.add("ReduceSum", [product, graph.wholes([1])], keepdims=0)
