"""Usual slips of arithmetic by hand, as changes of a tree: what the same expression comes to if one of them is made.

>>> from novacula.mathematics import parse
>>> found = slip_of(0.652, parse("-sum(p[v] * log2(p[v]) for v in _)"), NameValues({parse("p"): [9 / 14, 5 / 14]}))
>>> print(found)
the logarithm is natural, and not to base 2
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from novacula.errors import ParameterError
from novacula.mathematics.layout import Layout
from novacula.mathematics.measuring import NameValues, measure
from novacula.mathematics.notation import TextNotation
from novacula.mathematics.rounding import is_rounded
from novacula.mathematics.tree import (
    Apply,
    Big,
    Indexed,
    Node,
    Number,
    Quantity,
    Relation,
    Symbol,
    changed_once,
    renamed,
    walk,
)
from novacula.words import shortened

MOST_VARIANTS = 2000
MOST_PLACES = 50
"""Places of a sum that are left out one at a time."""

Slip: TypeAlias = tuple[str, Node]


def slip_of(answer: float, tree: Node, scope: NameValues, left: Node | None = None, digits: int = 3) -> str | None:
    """The slip that leads to an answer, in words, or None: the answer is right, or wrong in a way that is not known."""
    right = _number(tree, scope)
    if right is None or is_rounded(answer, right, digits):
        return None
    for words, variant in islice(slips(tree, scope, left), MOST_VARIANTS):
        value = _number(variant, scope)
        if value is not None and not is_rounded(value, right, digits) and is_rounded(answer, value, digits):
            return words
    return None


def _number(tree: Node, scope: NameValues) -> float | None:
    try:
        value = measure(tree, scope).value
    except ParameterError:
        return None
    return value if isinstance(value, float) else None


def slips(tree: Node, scope: NameValues, left: Node | None = None) -> Iterator[Slip]:
    """Changes of a tree, each with the slip that it stands for, the more usual ones first."""
    yield from other_bases(tree)
    yield "the sign is wrong: a minus is missing or one too many", Apply("neg", (tree,))
    yield "it is in percent, and a share is asked for", Apply("*", (tree, Number(100.0)))
    yield "it is a share, and percent are asked for", Apply("/", (tree, Number(100.0)))
    for rule in (_sign, _degrees_of_freedom, _root, _square):
        yield from changed_once(tree, rule)
    yield "a square root was taken where none belongs: a deviation in place of a variance", Apply("sqrt", (tree,))
    yield "it is squared where it should not be: a variance in place of a deviation", Apply("**", (tree, Number(2.0)))
    is_probability = isinstance(left, Quantity) and left.head in ("P", "p", "Pr")
    yield from changed_once(tree, lambda node: _undivided(node, is_probability and node == tree))
    yield from changed_once(tree, lambda node: _left_out(node, scope))


# --- the slips ----------------------------------------------------------------------------------------------

BASES = {"natural": None, "to base 2": 2.0, "to base 10": 10.0}


def other_bases(tree: Node) -> Iterator[Slip]:
    """All logarithms to another base than they have."""
    kinds = {_base(node) for node in walk(tree) if isinstance(node, Apply) and node.function in ("log", "log2")}
    for kind in kinds if len(kinds) == 1 else ():
        for name, base in BASES.items():
            if base != kind and kind in BASES.values():
                own = next(words for words, value in BASES.items() if value == kind)
                yield f"the logarithm is {name}, and not {own}", _to_base(tree, base)


def _base(node: Apply) -> float | None:
    if node.function == "log2":
        return 2.0
    if len(node.arguments) == 1:
        return None
    base = node.arguments[1]
    return base.value if isinstance(base, Number) else -1.0


def _to_base(tree: Node, base: float | None) -> Node:
    logarithms = [node for node in walk(tree) if isinstance(node, Apply) and node.function in ("log", "log2")]
    end = () if base is None else (Number(base),)
    return renamed(tree, {node: Apply("log", (_to_base(node.arguments[0], base), *end)) for node in logarithms})


def _sign(node: Node) -> Iterator[Slip]:
    match node:
        case Apply("neg", (inner,)):
            yield "a minus is missing", inner
        case Apply("-", (a, b)):
            yield "a minus is missing: the two are added", Apply("+", (a, b))
            yield "the difference is the wrong way round", Apply("-", (b, a))


def _degrees_of_freedom(node: Node) -> Iterator[Slip]:
    match node:
        case Apply("-", (count, Number(1.0))):
            yield f"{_text(count)} stands in place of {_text(node)}", count
        case Apply("/", (over, Symbol() | Indexed() | Apply("size") as under)):
            less = Apply("-", (under, Number(1.0)))
            yield f"{_text(less)} stands in place of {_text(under)}", Apply("/", (over, less))


def _root(node: Node) -> Iterator[Slip]:
    if isinstance(node, Apply) and node.function == "sqrt":
        yield "the square root is forgotten: a variance in place of a deviation", node.arguments[0]
        yield "the square root is taken twice", Apply("sqrt", (node,))


def _square(node: Node) -> Iterator[Slip]:
    match node:
        case Apply("**", (base, Number(2.0))):
            yield f"{_text(base)} is not squared", base


def _undivided(node: Node, is_probability: bool) -> Iterator[Slip]:
    if isinstance(node, Apply) and node.function == "/":
        over, under = node.arguments
        what = "the probability is not normalised" if is_probability else "a division is missing"
        yield f"{what}: it is not divided by {_text(under)}", over


def _left_out(node: Node, scope: NameValues) -> Iterator[Slip]:
    match node:
        case Apply("*" | "+" as function, arguments):
            noun = "factor" if function == "*" else "term"
            for i, left_out in enumerate(arguments):
                rest = (*arguments[:i], *arguments[i + 1 :])
                yield _missing(left_out, noun), rest[0] if len(rest) == 1 else Apply(function, rest)
        case Apply("-", (first, second)):
            yield _missing(second, "term"), first
        case Big("+" | "*" as operator):
            yield from _place_left_out(node, "factor" if operator == "*" else "term", scope)


def _missing(node: Node, noun: str) -> str:
    return f"the prior {_text(node)} is forgotten" if _is_prior(node) else f"the {noun} {_text(node)} is left out"


def _is_prior(node: Node) -> bool:
    inside = [part for part in walk(node) if isinstance(part, Quantity) and part.head in ("P", "p", "Pr")]
    return bool(inside) and not any(part.given for part in inside)


def without_prior(tree: Node) -> Node | None:
    """A product without the prior among its factors, or None if it has none."""
    if not (isinstance(tree, Apply) and tree.function == "*"):
        return None
    rest = tuple(factor for factor in tree.arguments if not _is_prior(factor))
    return Apply("*", rest) if 0 < len(rest) < len(tree.arguments) else None


def _place_left_out(node: Big, noun: str, scope: NameValues) -> Iterator[Slip]:
    try:
        places = [inner.places[node.index] for inner in islice(scope.places_in(node), MOST_PLACES)]
    except ParameterError:  # a sum inside a sum, whose places are known only there
        return
    for i, place in enumerate(places):
        other: Node = Relation("≠", Symbol(node.index), place.node)
        condition = other if node.condition is None else Apply("and", (node.condition, other))
        name = f"number {i + 1}" if place.label is None else shortened(place.label)
        yield f"the {noun} of {_text(Symbol(node.index))} = {name} is left out", replace(node, condition=condition)


def _text(node: Node) -> str:
    return shortened(Layout(TextNotation()).write(node), 60)
