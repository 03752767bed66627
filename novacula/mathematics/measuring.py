"""What an expression comes to, and the size of the numbers on the way, which says how far the value can be trusted.

The rounding error of a value is about 1e-16 times its scale: |value| for products, and more where terms cancel, as in
ȳ − slope · x̄ for a line through the origin. Values are numbers, vectors, matrices, words, or several of these by the
index of a sum; 0 · log 0 is 0, as in an entropy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from novacula.errors import ParameterError
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
    parts,
    walk,
)

Value: TypeAlias = Any  # a float, an array of floats, a word, a sequence or a mapping of these
MOST_PLACES = 10_000_000
"""Places that an index goes over."""
CONSTANTS: Mapping[Node, float] = {Symbol("π"): math.pi, Symbol("inf"): math.inf}


class Measured(NamedTuple):
    """A value, and the scale on which it can be trusted."""

    value: Value
    scale: Any


class IndexPlace(NamedTuple):
    """Where an index stands: its place from 0, and what that place is called."""

    position: int
    label: str | None

    @property
    def node(self) -> Node:
        """How the place is written as an index."""
        return Number(self.position + 1.0) if self.label is None else Word(self.label)


@dataclass(frozen=True)
class NameValues:
    """What names stand for: values by node, the places of indices, and what sums leave to one number each."""

    values: Mapping[Node, Value]
    places: Mapping[str, IndexPlace] = field(default_factory=dict)
    rests: Mapping[str, float] = field(default_factory=dict)

    def at(self, index: str, place: IndexPlace) -> NameValues:
        """The scope with an index at a place."""
        return NameValues(self.values, {**self.places, index: place}, self.rests)

    def look_up(self, node: Node) -> Value | None:
        """The value that is given for a node, or None; of several values the one at the places of its indices."""
        if (value := self.values.get(node)) is not None:
            for name in self._indices_in(node):
                value = _at(value, self.places[name])
            return value
        if isinstance(node, Indexed) and (value := self.look_up(node.base)) is not None:
            for index in node.indices:
                value = _at(value, self.place_of(index))
            return value
        return CONSTANTS.get(node)

    def _indices_in(self, node: Node) -> list[str]:
        return [name for name in _names_in(node) if name in self.places]

    def place_of(self, index: Node) -> IndexPlace:
        """The place that an index stands for: a name that is at a place, a number that counts from 1, or a word."""
        match index:
            case Symbol(name) if name in self.places:
                return self.places[name]
            case Word(text):
                return IndexPlace(-1, text)
        value = measure(index, self).value
        if isinstance(value, str):
            return IndexPlace(-1, value)
        return IndexPlace(_whole(value, "a place") - 1, None)

    def places_in(self, big: Big) -> Iterator[NameValues]:
        """The scopes in which the body of Σ and the like is taken, one per place of its index."""
        for place in self._domain(big):
            scope = self.at(big.index, place)
            if big.condition is None or holds(big.condition, scope):
                yield scope

    def _domain(self, big: Big) -> list[IndexPlace]:
        match big.domain:
            case Quantity("range", (bound,), ()):
                return _places(measure(bound, self).value)
            case None:
                pass
            case domain if (value := self.look_up(domain)) is not None:
                return _places(value)
        size = self._extent(big.index, big.body)
        if size is None:
            raise ParameterError(f"nothing says which places the index {big.index!r} of a sum goes over")
        return _places(size)

    def _extent(self, index: str, node: Node) -> Value | None:
        """The values, or their number, that an index of a sum goes over, by what is indexed in its body."""
        if node in self.values:
            inside = [
                p.name for p in walk(node) if isinstance(p, Symbol) and (p.name in self.places or p.name == index)
            ]
            order = list(dict.fromkeys(inside))
            if index in order:
                return _along(self.values[node], [self.places.get(name) for name in order[: order.index(index)]])
        if isinstance(node, Indexed) and node.base in self.values and Symbol(index) in node.indices:
            before = node.indices[: node.indices.index(Symbol(index))]
            return _along(self.values[node.base], [self.places.get(getattr(part, "name", "")) for part in before])
        for part in parts(node):
            if (found := self._extent(index, part)) is not None:
                return found
        return None


@lru_cache(maxsize=4096)
def _names_in(node: Node) -> tuple[str, ...]:
    """The names in a node, each once: asked again for every term of a sum."""
    return tuple(dict.fromkeys(part.name for part in walk(node) if isinstance(part, Symbol)))


def _along(value: Value, before: Sequence[IndexPlace | None]) -> Value:
    for place in before:
        value = (
            _at(value, place or IndexPlace(0, None))
            if not isinstance(value, Mapping) or place
            else next(iter(value.values()))
        )
    return value if isinstance(value, Mapping) else len(value)


def _places(domain: Value) -> list[IndexPlace]:
    if isinstance(domain, Mapping):
        return [IndexPlace(i, str(label)) for i, label in enumerate(domain)]
    if isinstance(domain, list | tuple) and all(isinstance(label, str) for label in domain):
        return [IndexPlace(i, label) for i, label in enumerate(domain)]
    count = _whole(domain, "the end of a sum") if isinstance(domain, int | float) else len(domain)
    return [IndexPlace(i, None) for i in range(count)]


def _whole(value: Any, what: str) -> int:
    if not isinstance(value, int | float) or not 0 <= value <= MOST_PLACES or value != int(value):
        raise ParameterError(f"{what} is {value}; it must be a whole number from 0 to {MOST_PLACES}")
    return int(value)


def _at(value: Value, place: IndexPlace) -> Value:
    try:
        is_mapping = not isinstance(value, np.ndarray) and isinstance(value, Mapping)
        if is_mapping and place.label is not None:
            return value[place.label]
        if place.position < 0:
            raise IndexError
        return (list(value.values()) if is_mapping else value)[place.position]
    except (IndexError, TypeError, KeyError):
        where = place.label if place.label is not None else place.position + 1
        raise ParameterError(f"an expression asks for the value at {where!r}, which is not given") from None


# --- the walk -----------------------------------------------------------------------------------------------


def measure(node: Node, scope: NameValues) -> Measured:
    """The value of a node with its scale; what has none, such as 1/0, raises."""
    given = scope.look_up(node)
    if given is not None:
        return Measured(given, size_of(given))
    match node:
        case Number(value):
            return Measured(value, abs(value))
        case Word(text):
            return Measured(text, 0.0)
        case Symbol(name) if name in scope.places:
            place = scope.places[name]
            return Measured(place.position + 1.0, 0.0) if place.label is None else Measured(place.label, 0.0)
        case Apply(function, arguments):
            return _apply(function, [measure(argument, scope) for argument in arguments])
        case Big():
            return _big(node, scope)
        case Cases(value, condition, otherwise):
            return measure(value if holds(condition, scope) else otherwise, scope)
        case Several(items):
            measured = [measure(item, scope) for item in items]
            return Measured(np.array([m.value for m in measured]), np.array([m.scale for m in measured]))
        case Relation():
            raise ParameterError(f"a relation ({node.sign}) has no value; it is given or it is a condition")
    raise ParameterError(f"the expression uses {describe(node)}, which has no value")


def describe(node: Node) -> str:
    """A name for messages."""
    match node:
        case Symbol(name):
            return repr(name)
        case Quantity(head):
            return repr(f"{head}(…)")
        case Indexed(base):
            return f"an entry of {describe(base)}"
    return type(node).__name__


def holds(node: Node, scope: NameValues) -> bool:
    """Whether a condition holds."""
    match node:
        case Relation(sign, left, right):
            return compared(sign, _comparable(left, scope), _comparable(right, scope))
        case Apply("and", arguments):
            return all(holds(argument, scope) for argument in arguments)
        case Apply("or", arguments):
            return any(holds(argument, scope) for argument in arguments)
        case Apply("not", (argument,)):
            return not holds(argument, scope)
    raise ParameterError(f"{describe(node)} is no condition")


def _comparable(node: Node, scope: NameValues) -> Any:
    return (
        tuple(_comparable(item, scope) for item in node.items)
        if isinstance(node, Several)
        else measure(node, scope).value
    )


COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "≠": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "≤": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    "≥": lambda a, b: bool(a >= b),
    "∈": lambda a, b: bool(a in b),
}


def compared(sign: str, left: Any, right: Any) -> bool:
    """Whether a relation holds between two values; what cannot be compared raises."""
    try:
        return COMPARED[sign](left, right)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"the two sides of {sign} cannot be compared: {error}") from None


def size_of(value: Value) -> Any:
    """The absolute value of a number, or of each in an array; 0 for what has none."""
    if isinstance(value, float):  # most are, and to ask whether a value is a mapping takes longest
        return abs(value)
    return np.abs(value) if isinstance(value, np.ndarray) else 0.0 if isinstance(value, str | Mapping) else abs(value)


def _big(big: Big, scope: NameValues) -> Measured:
    scopes = list(scope.places_in(big))
    measured = [measure(big.body, inner) for inner in scopes]
    values = [m.value for m in measured]
    if big.operator in ("+", "*"):
        rest = [Measured(scope.rests[big.index], abs(scope.rests[big.index]))] if big.index in scope.rests else []
        return (
            _apply(big.operator, [*measured, *rest]) if measured or rest else Measured(float(big.operator == "*"), 1.0)
        )
    if not values:
        raise ParameterError(f"{big.operator} goes over no place of its index {big.index!r}")
    try:
        best = values.index(max(values) if big.operator.endswith("max") else min(values))  # ties go to the first
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{big.operator} goes over values that have no order: {error}") from None
    if big.operator in ("min", "max"):
        return measured[best]
    place = scopes[best].places[big.index]
    return Measured(place.position + 1.0 if place.label is None else place.label, 0.0)


# --- operations ---------------------------------------------------------------------------------------------


def _apply(function: str, operands: list[Measured]) -> Measured:
    try:
        with np.errstate(all="ignore"):
            measured = OPERATIONS[function](*operands)
        value = measured.value
        if not isinstance(value, np.ndarray):
            value = float(value)
    except KeyError:
        reason = "it is no operation on numbers"
    except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError) as error:
        reason = str(error)
    else:
        if not (np.isnan(value).any() if isinstance(value, np.ndarray) else math.isnan(value)):
            return Measured(value, measured.scale)
        reason = "the value is not a number"
    shown = ", ".join(f"{m.value:g}" if isinstance(m.value, float) else "…" for m in operands[:4])
    more = ", …" if len(operands) > 4 else ""
    raise ParameterError(f"the expression cannot be evaluated at {function}({shown}{more}): {reason}")


def _sum(*terms: Measured) -> Measured:
    values = [term.value for term in terms]
    plain = not any(isinstance(value, np.ndarray) for value in values) and all(map(math.isfinite, values))
    return Measured(math.fsum(values) if plain else sum(values), sum(term.scale for term in terms))


def _product(*factors: Measured) -> Measured:
    values = [factor.value for factor in factors]
    if not any(isinstance(value, np.ndarray) for value in values) and 0.0 in values:
        return Measured(0.0, 0.0)  # 0 · log 0 too
    return Measured(_multiplied(values), _multiplied([factor.scale for factor in factors]))


def _multiplied(values: list[Any]) -> Any:
    product = values[0]
    for value in values[1:]:
        product = product * value
    return product


def _quotient(over: Measured, under: Measured) -> Measured:
    if not isinstance(under.value, np.ndarray) and under.value == 0.0:
        raise ZeroDivisionError("division by zero")
    value = over.value / under.value
    return Measured(value, np.maximum(over.scale / abs(under.value), abs(value) * under.scale / abs(under.value)))


def _power(base: Measured, exponent: Measured) -> Measured:
    try:
        value = math.pow(base.value, exponent.value)  # refuses what the operator would turn into a complex number
    except OverflowError:
        if exponent.value != 2.0:
            raise
        value = math.inf  # a square, as of a distance, and exp(−∞) is 0
    relative = base.scale / abs(base.value) if base.value else 1.0
    return Measured(value, abs(value) * max(1.0, abs(exponent.value) * relative, _exponent_noise(base, exponent)))


def _exponent_noise(base: Measured, exponent: Measured) -> float:
    return abs(math.log(base.value)) * exponent.scale if base.value > 0.0 else 0.0


def _product_of_matrices(left: Measured, right: Measured) -> Measured:
    return Measured(left.value @ right.value, left.scale @ right.scale)


def _inverse(matrix: Measured) -> Measured:
    value = np.linalg.inv(matrix.value)
    return Measured(value, np.abs(value) @ matrix.scale @ np.abs(value))


def _of_one(function: Callable[[float], float], slope: Callable[[float], float]) -> Callable[[Measured], Measured]:
    def apply(x: Measured) -> Measured:
        value = function(x.value)
        noise = slope(x.value) * x.scale if math.isfinite(value) else 0.0
        return Measured(value, max(abs(value), noise))

    return apply


def _logarithm(x: Measured, base: Measured | None = None) -> Measured:
    """Let log 0 be −∞, since a probability of zero is a fair thing to take the logarithm of."""
    if x.value == 0.0:
        return Measured(-math.inf, math.inf)
    unit = 1.0 if base is None else math.log(base.value)
    exact = math.log2(x.value) if base is not None and base.value == 2.0 else math.log(x.value) / unit
    return Measured(exact, max(abs(exact), x.scale / abs(x.value * unit)))


def _digamma(x: float) -> float:
    from scipy.special import digamma

    return abs(float(digamma(x)))


def _combinations(n: float, k: float) -> float:
    if not (float(n).is_integer() and float(k).is_integer()):
        raise ValueError("only whole numbers of things are chosen")
    if 0 <= k <= n and math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) > 710:
        raise OverflowError("the number is too large")
    return float(math.comb(int(n), int(k)))


OPERATIONS: Mapping[str, Callable[..., Measured]] = {
    "+": _sum,
    "*": _product,
    "-": lambda a, b: Measured(a.value - b.value, a.scale + b.scale),
    "/": _quotient,
    "**": _power,
    "neg": lambda a: Measured(-a.value, a.scale),
    "abs": lambda a: Measured(abs(a.value), a.scale),
    "min": lambda *several: min(several, key=lambda m: m.value),
    "max": lambda *several: max(several, key=lambda m: m.value),
    "sqrt": _of_one(math.sqrt, lambda x: 0.5 / math.sqrt(x) if x > 0.0 else 0.0),
    "exp": _of_one(math.exp, math.exp),
    "tanh": _of_one(math.tanh, lambda _: 1.0),
    "cos": _of_one(math.cos, lambda _: 1.0),
    "sin": _of_one(math.sin, lambda _: 1.0),
    "lgamma": _of_one(math.lgamma, _digamma),
    "factorial": _of_one(lambda x: math.gamma(x + 1.0), lambda x: math.gamma(x + 1.0) * _digamma(x + 1.0)),
    "log": _logarithm,
    "log2": lambda x: _logarithm(x, Measured(2.0, 2.0)),
    "sign": lambda a: Measured(float(np.sign(a.value)), 0.0),
    "ceil": lambda a: Measured(float(math.ceil(a.value)), 0.0),
    "floor": lambda a: Measured(float(math.floor(a.value)), 0.0),
    "choose": lambda n, k: Measured(_combinations(n.value, k.value), 0.0),
    "@": _product_of_matrices,
    "dot": _product_of_matrices,
    "transpose": lambda a: Measured(a.value.T, a.scale.T),
    "inv": _inverse,
    "det": lambda a: Measured(float(np.linalg.det(a.value)), float(np.prod(np.linalg.norm(a.scale, axis=1)))),
    "norm": lambda a: Measured(float(np.linalg.norm(a.value)), float(np.linalg.norm(a.scale))),
    "size": lambda a: Measured(float(len(a.value)), 0.0),
}
