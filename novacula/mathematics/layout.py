"""Write a tree in a notation: with its names, or with their values put in.

One walk decides what is written; the notation decides how it looks. With values put in, a sum over an index becomes
its terms: all of them, or the largest and one number for the rest; vectors and matrices become their entries where
they are small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from novacula.mathematics.measuring import CONSTANTS, NameValues, holds, measure, size_of
from novacula.mathematics.notation import POWER, PRODUCT, RELATED, SUM, Notation, Piece, TextNotation
from novacula.mathematics.tree import (
    Apply,
    Big,
    Cases,
    Indexed,
    Node,
    Number,
    Quantity,
    Relation,
    Several,
    Symbol,
    Word,
    renamed,
)

TERMS = 8
LINE = 64
"""Characters of a line of numbers, where the notation does not break lines by itself."""
MOST_ROWS, MOST_COLUMNS = 5, 6
"""Of a matrix that is written out."""
BRACKETS = {"abs": ("|", "|"), "size": ("|", "|"), "norm": ("‖", "‖"), "ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}


class Layout:
    """Writes trees: with names if there is no scope, with numbers if there is one; `hidden` nodes are left blank.

    `names` are what is written in place of names that have no number, such as those of large matrices.
    """

    def __init__(
        self,
        notation: Notation,
        scope: NameValues | None = None,
        *,
        terms: int = TERMS,
        hidden: Set[Node] = frozenset(),
        names: Mapping[Node, Node] | None = None,
    ) -> None:
        self.notation, self.scope, self.terms, self.hidden, self.names = notation, scope, terms, hidden, names or {}

    def write(self, node: Node) -> str:
        """A tree as text of the notation."""
        return self.piece(node).text

    def lines(self, node: Node) -> list[str]:
        """A tree as text, a long sum or product of numbers in several lines that begin with its sign."""
        broken = self._broken(node, self.notation)
        if self.scope is None or broken is None:
            return [self.write(node)]
        before, parts, sign, after = broken
        words = TextNotation(self.notation.digits, self.notation.secrets)
        plain = Layout(words, self.scope, terms=self.terms, hidden=self.hidden, names=self.names)
        widths = [len(text) for text in (plain._broken(node, plain.notation) or broken)[1]]
        rows, used = [[parts[0]]], widths[0]
        for text, width in zip(parts[1:], widths[1:], strict=True):
            if used + width > LINE:
                rows.append([])
                used = 0
            rows[-1].append(text)
            used += width + 3
        if len(rows) == 1:
            return [self.write(node)]
        lines = [sign.join(row) for row in rows]
        lines = [before + lines[0], *(sign + line for line in lines[1:])]
        return [*lines[:-1], lines[-1] + after]

    def _broken(self, node: Node, notation: Notation) -> tuple[str, list[str], str, str] | None:
        """A sum or product as what stands before it, its terms, its sign, and what stands behind it."""
        if self._is_given(node):
            return None
        match node:
            case Apply("neg", (inner,)) if (broken := self._broken(inner, notation)) is not None:
                before, terms, sign, after = broken
                return notation.minus + notation.opening + before, terms, sign, after + notation.closing
            case Apply("/", (over, under)) if (broken := self._broken(over, notation)) is not None:
                before, terms, sign, after = broken
                below = notation.placed(self.piece(under), POWER)
                return notation.opening + before, terms, sign, after + notation.closing + notation.slash + below
            case Apply("+" | "*" as function, arguments):
                pieces = [piece for argument in arguments for piece in self._parts(argument, function)]
            case Big("+" | "*" as function) if self.scope is not None:
                pieces = self._parts(node, function)
            case _:
                return None
        level, sign = (SUM, notation.plus) if function == "+" else (PRODUCT, notation.times)
        return "", notation.terms(pieces, level), sign, ""

    def _is_given(self, node: Node) -> bool:
        """Whether a value stands in place of the whole, as for Σ of rows that are not kept."""
        return self.scope is not None and self.scope.look_up(node) is not None

    def _parts(self, node: Node, function: str) -> list[Piece]:
        """The terms that an argument of a sum brings to it: its own, if it is Σ."""
        if isinstance(node, Big) and node.operator == function and self.scope is not None and not self._is_given(node):
            return self._expanded_terms(node, list(self.scope.places_in(node)))
        return [self.piece(node)]

    def piece(self, node: Node) -> Piece:
        """A tree as text of the notation, with how tightly it holds together."""
        if self.hidden and self.scope is not None and self._at_place(node) in self.hidden:
            return self.notation.blank()
        if self.scope is not None and node not in CONSTANTS and (value := self.scope.look_up(node)) is not None:
            shown = self._value(value)
            if shown is not None:
                return shown
            return self._within(node, None)
        if (
            self.scope is not None
            and isinstance(node, Symbol)
            and (place := self.scope.places.get(node.name)) is not None
        ):
            return (
                self.notation.number(place.position + 1.0) if place.label is None else self.notation.word(place.label)
            )
        return self._written(node)

    def _at_place(self, node: Node) -> Node:
        """A node with the places of its indices put in: of w[j] the one that is meant, w[3]."""
        if self.scope is None or not self.scope.places:
            return node
        return renamed(node, {Symbol(name): place.node for name, place in self.scope.places.items()})

    def _within(self, node: Node, scope: NameValues | None) -> Piece:
        if scope is None:
            node = renamed(node, self.names)
        return Layout(self.notation, scope, terms=self.terms, hidden=self.hidden, names=self.names).piece(node)

    def _value(self, value: Any) -> Piece | None:
        """A value written out; None: it is too large to be."""
        if isinstance(value, str):
            return self.notation.word(value)
        if isinstance(value, Mapping) or (isinstance(value, list | tuple) and any(isinstance(v, str) for v in value)):
            return None
        array = np.asarray(value, float)
        if array.ndim == 0:
            return self.notation.number(float(array))
        rows = np.atleast_2d(array)
        if array.ndim > 2 or len(rows) > MOST_ROWS or rows.shape[1] > MOST_COLUMNS:
            return None
        return self.notation.matrix([[self.notation.number(float(cell)) for cell in row] for row in rows])

    def result(self, value: Any) -> str:
        """A value by itself: of what is large, its corners."""
        if isinstance(value, Mapping):
            value = list(value.values())
        if isinstance(value, list | tuple) and any(isinstance(v, str) for v in value):
            return self.notation.enclosed(
                self.notation.comma.join(self.notation.word(v).text for v in value), "⟨", "⟩"
            ).text
        return (self._value(value) or self._cut(np.asarray(value, float))).text

    def _cut(self, array: np.ndarray[Any, Any]) -> Piece:
        """The first rows and columns of a matrix, and dots for the others."""
        dots, rows = self.notation.word(self.notation.dots), np.atleast_2d(array)
        if array.ndim > 2:
            return dots
        wide, high = rows.shape[1] > MOST_COLUMNS, len(rows) > MOST_ROWS
        shown = [[self.notation.number(float(v)) for v in row[:MOST_COLUMNS]] for row in rows[:MOST_ROWS]]
        lines = [
            [*row[:-1], dots, self.notation.number(float(rows[i, -1]))] if wide else row for i, row in enumerate(shown)
        ]
        return self.notation.matrix([*lines, [dots] * len(lines[0])] if high else lines)

    def _written(self, node: Node) -> Piece:
        notation = self.notation
        match node:
            case Number(value):
                return notation.number(value)
            case Word(text):
                return notation.word(text)
            case Symbol(name):
                return notation.symbol("∞" if name == "inf" else name)
            case Indexed(base, indices):
                return notation.entry(self._within(base, None), [self._within(index, None) for index in indices])
            case Quantity(head, arguments, given):
                within = [self._within(argument, None) for argument in arguments]
                return notation.quantity(head, within, [self._within(argument, None) for argument in given])
            case Apply(function, arguments):
                return self._applied(function, arguments)
            case Big():
                return self._big(node)
            case Relation(sign, left, right):
                return notation.relation(sign, self.piece(left), self.piece(right))
            case Cases():
                return self._cases(node)
            case Several(items, is_set):
                inner = notation.comma.join(self.piece(item).text for item in items)
                return notation.enclosed(inner, *(("{", "}") if is_set else ("⟨", "⟩")))

    def _applied(self, function: str, arguments: Sequence[Node]) -> Piece:
        notation, pieces = self.notation, [self.piece(argument) for argument in arguments]
        match function:
            case "+":
                return notation.total(pieces)
            case "*" | "@":
                return notation.multiplied(pieces, notation.dot if self.scope is None else notation.times)
            case "-":
                return notation.difference(*pieces)
            case "/":
                return notation.fraction(*pieces)
            case "**":
                return notation.power(*pieces)
            case "neg":
                return notation.negative(*pieces)
            case "sqrt":
                return notation.root(*pieces)
            case "exp":
                return notation.exponential(*pieces)
            case "transpose":
                return notation.transpose(*pieces)
            case "inv":
                return notation.inverse(*pieces)
            case "factorial":
                return notation.factorial(*pieces)
            case "choose":
                return notation.choose(*pieces)
            case "dot":
                return notation.multiplied([notation.transpose(pieces[0]), pieces[1]], notation.dot)
            case "log" if len(pieces) == 2:
                return notation.logarithm(*pieces)
            case "and" | "or":
                return notation.joined("∧" if function == "and" else "∨", pieces)
            case "not":
                return notation.opposite(*pieces)
        if function in BRACKETS:
            return notation.enclosed(pieces[0].text, *BRACKETS[function])
        return notation.function(function, pieces)

    def _cases(self, node: Cases) -> Piece:
        if self.scope is not None:
            return self.piece(node.value if holds(node.condition, self.scope) else node.otherwise)
        branches, rest = [(self.piece(node.value), self.piece(node.condition))], node.otherwise
        while isinstance(rest, Cases):
            branches.append((self.piece(rest.value), self.piece(rest.condition)))
            rest = rest.otherwise
        return self.notation.cases(branches, self.piece(rest))

    def _big(self, node: Big) -> Piece:
        if self.scope is None:
            return self.notation.big(node.operator, self._below(node), self.piece(node.body))
        scopes = list(self.scope.places_in(node))
        if node.operator in ("+", "*"):
            return self._expanded(node, scopes)
        pieces = []
        for scope in self._best(node, scopes):
            inner, label = self._within(node.body, scope), scope.places[node.index].label
            named = node.operator.startswith("arg")
            name = label if label is not None else str(scope.places[node.index].position + 1)
            pieces.append(self.notation.relation(":", self.notation.word(name), inner) if named else inner)
        more = [self.notation.word(self.notation.dots)] if len(pieces) < len(scopes) else []
        return self.notation.function(node.operator, pieces + more)

    def _best(self, node: Big, scopes: Sequence[NameValues]) -> list[NameValues]:
        """Of many candidates those that come nearest, in their order."""
        if len(scopes) <= self.terms:
            return list(scopes)
        values = np.array([measure(node.body, scope).value for scope in scopes], float)
        order = np.argsort(-values if node.operator.endswith("max") else values, kind="stable")
        return [scopes[i] for i in sorted(order[: self.terms].tolist())]

    def _expanded(self, node: Big, scopes: Sequence[NameValues]) -> Piece:
        """Σ or Π with its terms written out."""
        pieces = self._expanded_terms(node, scopes)
        if len(pieces) == 1:
            return pieces[0]
        if node.operator == "+":
            return self.notation.total(pieces)
        return self.notation.multiplied(pieces, self.notation.times)

    def _expanded_terms(self, node: Big, scopes: Sequence[NameValues]) -> list[Piece]:
        """The terms of a sum: all, or the largest in their order and one number for the rest."""
        chosen, left_out = self._chosen(node, scopes)
        pieces = [self._within(node.body, scope) for scope in chosen]
        kept = None if self.scope is None else self.scope.rests.get(node.index)
        if left_out or kept is not None:
            rest = left_out + ([] if kept is None else [kept])
            value = np.prod(rest, axis=0) if node.operator == "*" else np.sum(rest, axis=0)
            label = f"{len(left_out)} more" if kept is None else "the rest"
            pieces.append(self.notation.labelled(self._value(value) or self._cut(value), label))
        return pieces or [self.notation.number(float(node.operator == "*"))]

    def _chosen(self, node: Big, scopes: Sequence[NameValues]) -> tuple[list[NameValues], list[Any]]:
        """The places whose terms are written, and the values of the others."""
        if len(scopes) <= self.terms:
            return list(scopes), []
        if node.operator == "*":
            return list(scopes[: self.terms]), [measure(node.body, scope).value for scope in scopes[self.terms :]]
        values = [measure(node.body, scope).value for scope in scopes]
        order = np.argsort([-np.max(size_of(value)) for value in values], kind="stable")
        largest = set(order[: self.terms].tolist())
        left_out = [value for i, value in enumerate(values) if i not in largest]
        return [scope for i, scope in enumerate(scopes) if i in largest], left_out

    def _below(self, node: Big) -> Piece:
        """What stands under Σ."""
        index = self.notation.symbol(node.index)
        match node.domain:
            case Quantity("range", (bound,), ()):
                below = self.notation.relation("=", index, self.notation.number(1.0))
                last = [self.notation.word(self.notation.dots).text, self.piece(bound).text]
                below = Piece(self.notation.comma.join([below.text, *last]), RELATED)
            case None:
                below = index
            case domain:
                below = self.notation.relation("∈", index, self.piece(domain))
        if node.condition is None:
            return below
        condition = self.piece(node.condition)
        return condition if node.domain is None else Piece(below.text + self.notation.comma + condition.text, RELATED)
