"""A tree as Python source: a table of nodes, and a function that walks through it and needs nothing else.

The function takes a mapping from names to values. None, NaN, an absent name and a category that the tree never
saw are missing values, which go where the tree sends them. Names and labels are written as literals, so none
of them can become code.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Sequence
from typing import Any

from novacula.errors import ParameterError
from novacula.tree.constants import NOISE
from novacula.tree.export.named import NamedClassTree, NamedNumberTree, NamedTree, plain

SOURCE = '''\
# A leaf is {leaf}. A test is a tuple:
#     (name, (edges, …), (node of each interval, …), {{node: share of a missing value}})    a number, e < x ≤ f
#     (name, {{category: node}}, {{node: share of a missing value}})                          a category
{name}_nodes = [
{nodes}
]
{constants}

def {name}(row):
    """{summary}"""
    {start}
    waiting = [(0, 1.0)]
    while waiting:
        node, weight = waiting.pop()
        test = {name}_nodes[node]
        if not isinstance(test, tuple):
            {add}
            continue
        value, below = row.get(test[0]), None
        if len(test) == 3:
            below = test[1].get(value)
        elif value is not None and value == value:
            below = test[2][sum(edge < value for edge in test[1])]
        if below is None:
            waiting.extend((child, weight * share) for child, share in test[-1].items())
        else:
            waiting.append((below, weight))
    {answer}
'''


CLASS_ANSWER = """\
almost = {almost} * max(votes)
    return {name}_classes[next(k for k, vote in enumerate(votes) if vote >= almost)]"""
CHANCES_ANSWER = "return dict(zip({name}_classes, votes))"
CLASS = "The class of a row, a mapping from names to values; None, NaN and unknown categories are missing."
CHANCES = "The probability of each class of a row, a mapping from names to values."
NUMBER = "The number of a row, a mapping from names to values; None, NaN and unknown categories are missing."


def to_python(named: NamedClassTree, name: str = "predict", *, probabilities: bool = False) -> str:
    """Source of a function `name(row)` that gives the class, or with `probabilities` a dict of them by class."""
    answer = CHANCES_ANSWER if probabilities else CLASS_ANSWER
    return _source(
        named,
        name,
        named.probabilities.tolist(),
        leaf="a list: the probability of each class",
        constants=f"{name}_classes = {list(named.classes)}\n",
        summary=CHANCES if probabilities else CLASS,
        start=f"votes = [0.0] * len({name}_classes)",
        add="votes = [vote + weight * p for vote, p in zip(votes, test)]",
        answer=answer.format(name=name, almost=1.0 - NOISE),
    )


def to_number_python(named: NamedNumberTree, name: str = "predict") -> str:
    """Source of a function `name(row)` that gives the number, as a float."""
    return _source(
        named,
        name,
        named.tree.value.tolist(),
        leaf="a number: what it answers",
        constants="",
        summary=NUMBER,
        start="total = 0.0",
        add="total += weight * test",
        answer="return total",
    )


def _source(named: NamedTree, name: str, answers: Sequence[Any], **parts: str) -> str:
    """The source, where `answers` are those of the nodes, and `parts` says what becomes of them."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ParameterError(f"{name!r} cannot be the name of a Python function")
    nodes = "\n".join(f"    {line},  # {node}" for node, line in enumerate(_nodes(named, answers)))
    return SOURCE.format(name=name, nodes=nodes, **parts)


def _nodes(named: NamedTree, answers: Sequence[Any]) -> Iterator[str]:
    """The literal of each node."""
    shares = named.shares.tolist()
    for node, answer in enumerate(answers):
        branches = named.branches(node)
        if not branches:
            yield repr(answer)
            continue
        attribute = named.attributes[named.tree.feature[node]]
        missing = {child: shares[child] for child, _ in branches if shares[child] > 0}
        child_of = {code: child for child, asked in branches for code in asked.codes}
        if attribute.kind == "nominal":
            by_label = {plain(attribute.labels[code], "a category"): child for code, child in child_of.items()}
            yield f"({attribute.name!r}, {by_label!r}, {missing!r})"
        elif attribute.kind == "cut":
            by_interval = tuple(child_of[code] for code in range(attribute.size))
            yield f"({attribute.name!r}, {attribute.edges!r}, {by_interval!r}, {missing!r})"
        else:
            edge, sides = _edge(named.tree.threshold[node]), tuple(child for child, _ in branches)
            yield f"({attribute.name!r}, ({edge},), {sides!r}, {missing!r})"


def _edge(threshold: float) -> str:
    """The literal of a threshold; an infinite one is a number too large for a float, since `inf` is a name."""
    return repr(float(threshold)).replace("inf", "1e999")
