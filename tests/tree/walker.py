"""What a tree says of a row, by walking through it with exact fractions: the oracle of all exports."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from novacula.tree.export import NamedClassTree, NamedNumberTree, NamedTree

MISSING = "missing"


def code_of(attribute: Any, value: Any) -> Any:
    """The code of a value, the number itself for a numeric attribute, or MISSING."""
    if value is None or value != value:
        return MISSING
    if attribute.kind == "numeric":
        return value
    if attribute.kind == "nominal":
        return attribute.labels.index(value) if value in attribute.labels else MISSING
    return sum(1 for edge in attribute.edges if value > edge)


def branch_of(named: NamedTree, node: int, row: dict[str, Any]) -> Any:
    """The branch that a row takes at a node, or MISSING."""
    tree, attribute = named.tree, named.attributes[named.tree.feature[node]]
    value = code_of(attribute, row.get(attribute.name))
    if value is MISSING:
        return MISSING
    if attribute.kind == "numeric":
        return 0 if value <= tree.threshold[node] else 1
    arms = dict(zip(*(part.tolist() for part in tree.arms(node)), strict=True))
    return arms.get(value, int(tree.otherwise[node]))


def leaves_reached(named: NamedTree, row: dict[str, Any]) -> list[tuple[list[int], Fraction]]:
    """The ways, from the root to a leaf, that a row goes, and the part of it that goes each."""
    tree, weight = named.tree, named.tree.weight
    found = []
    waiting = [([0], Fraction(1))]
    while waiting:
        way, part = waiting.pop()
        node = way[-1]
        if tree.child[node] < 0:
            found.append((way, part))
            continue
        branch, first = branch_of(named, node, row), int(tree.child[node])
        if branch is not MISSING:
            waiting.append(([*way, first + branch], part))
        elif named.fractional:
            for child in tree.children(node):
                share = Fraction(float(weight[child])) / Fraction(float(weight[node]))
                if share:
                    waiting.append(([*way, child], part * share))
        else:
            waiting.append(([*way, first + int(tree.default[node])], part))
    return found


def probabilities(named: NamedClassTree, row: dict[str, Any]) -> list[Fraction]:
    """P(class) of a row as the definition has it."""
    k, m = named.tree.n_classes, Fraction(named.m)
    votes = [Fraction(0)] * k
    for way, part in leaves_reached(named, row):
        # An empty leaf speaks for its parent.
        counts = next(named.tree.counts[node] for node in reversed(way) if named.tree.counts[node].sum() > 0)
        total = Fraction(float(counts.sum()))
        for i in range(k):
            votes[i] += part * (Fraction(float(counts[i])) + m / k) / (total + m)
    return votes


def number(named: NamedNumberTree, row: dict[str, Any]) -> Fraction:
    """The number of a row: the mean of its leaves, each by the part of the row that reaches it."""
    parts = [part * Fraction(float(named.tree.value[way[-1]])) for way, part in leaves_reached(named, row)]
    return sum(parts, Fraction(0))


def prediction(named: NamedClassTree, row: dict[str, Any]) -> Any:
    """The first most probable class."""
    votes = probabilities(named, row)
    return named.classes[votes.index(max(votes))]


def random_rows(rng: np.random.Generator, named: NamedTree, n: int, missing: float) -> list[dict[str, Any]]:
    """Rows of all kinds of values: at thresholds and edges, missing in three ways, and never seen."""
    thresholds = named.tree.threshold[~np.isnan(named.tree.threshold)].tolist()
    rows = []
    for _ in range(n):
        row: dict[str, Any] = {}
        for attribute in named.attributes:
            if rng.random() < missing:
                lost = [None, math.nan, "never seen"] if attribute.kind == "nominal" else [None, math.nan]
                if rng.random() < 0.8:
                    row[attribute.name] = lost[rng.integers(len(lost))]
            elif attribute.kind == "nominal":
                row[attribute.name] = attribute.labels[rng.integers(attribute.size)]
            else:
                places = [*thresholds, *attribute.edges, float(rng.normal()), float(rng.normal() * 3)]
                row[attribute.name] = places[rng.integers(len(places))]
        rows.append(row)
    return rows


def arrays(named: NamedTree, rows: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and codes of rows, as the attributes place them."""
    width = 1 + max((attribute.place for attribute in named.attributes), default=0)
    numbers, codes = np.full((len(rows), width), np.nan), np.full((len(rows), width), -1, np.int32)
    for i, row in enumerate(rows):
        for attribute in named.attributes:
            value = code_of(attribute, row.get(attribute.name))
            if value is not MISSING:
                (numbers if attribute.kind == "numeric" else codes)[i, attribute.place] = value
    return numbers, codes
