"""Arithmetic as data: read from text, evaluated, and rendered, but never run as code.

An expression is written in Python's syntax over a closed set: numbers, names, ``+ - * / **``, parentheses,
and the functions sqrt, log, log2, exp, abs, min, max, sum and product. It becomes a small immutable tree;
anything else is refused. `evaluate` gives its value, `magnitude` the scale on which that can be trusted.

    >>> tree = parse("(n_xt + m * p) / (n_t + m)")
    >>> round(evaluate(tree, {"n_xt": 3, "m": 1, "p": 1 / 3, "n_t": 5}), 6)
    0.555556
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from novacula.errors import ParameterError

MAX_LENGTH = 20_000
MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it stands."""

    value: float


@dataclass(frozen=True, slots=True)
class Name:
    """A name that stands for a value."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator or function of its arguments; ``+`` and ``*`` take any number of them."""

    function: str
    arguments: tuple[Node, ...]


Node: TypeAlias = Number | Name | Apply


def _logarithm(log: Callable[[float], float]) -> Callable[[float], float]:
    """Let log 0 be −∞, since a probability of zero is a fair thing to take the logarithm of."""
    return lambda x: -math.inf if x == 0 else log(x)


OPERATIONS: Mapping[str, Callable[..., float]] = {
    "+": lambda *terms: sum(terms),
    "*": lambda *factors: math.prod(factors),
    "-": operator.sub,
    "/": operator.truediv,
    "**": math.pow,  # refuses what the operator would turn into a complex number
    "neg": operator.neg,
    "sqrt": math.sqrt,
    "log": _logarithm(math.log),
    "log2": _logarithm(math.log2),
    "exp": math.exp,
    "abs": abs,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
}
SYNTAX: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
ONE_ARGUMENT = ("sqrt", "log", "log2", "exp", "abs")
MANY_ARGUMENTS: Mapping[str, str] = {"min": "min", "max": "max", "sum": "+", "product": "*"}


@lru_cache(maxsize=1024)
def parse(source: str) -> Node:
    """Read an expression, and refuse anything that is not plain arithmetic."""
    if len(source) > MAX_LENGTH:
        raise ParameterError(f"an expression has {len(source)} characters; at most {MAX_LENGTH} are read")
    try:
        body = ast.parse(source.strip(), mode="eval").body
        return _convert(body, MAX_DEPTH)
    except _RefusedError as refused:
        raise ParameterError(f"the expression {_short(source)} is not plain arithmetic: {refused}") from None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise ParameterError(f"the expression {_short(source)} cannot be read: {error}") from None


class _RefusedError(Exception):
    """What was found in an expression that has no place there."""


def _convert(node: ast.expr, depth: int) -> Node:
    if depth == 0:
        raise _RefusedError(f"it is nested deeper than {MAX_DEPTH} levels; write sum(…) or product(…) for long chains")
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Number(float(value))
        case ast.Name(id=name):
            return Name(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Apply("neg", (_convert(operand, depth - 1),))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SYNTAX:
            return _chain(SYNTAX[type(op)], _convert(left, depth - 1), _convert(right, depth - 1))
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]) if arguments:
            return _call(function, tuple(_convert(argument, depth - 1) for argument in arguments))
    raise _RefusedError(f"{_short(ast.unparse(node))} is not allowed")


def _chain(operation: str, left: Node, right: Node) -> Node:
    """Join a + b + c into one sum of three, and a/b · c/d into one product of two quotients."""
    if isinstance(left, Apply) and operation in ("+", "*") and left.function == operation:
        return Apply(operation, (*left.arguments, right))
    if operation == "/" and isinstance(left, Apply) and left.function == "*" and _has_quotient(left):
        return Apply("*", (*left.arguments[:-1], Apply("/", (left.arguments[-1], right))))
    return Apply(operation, (left, right))


def _has_quotient(product: Apply) -> bool:
    return any(isinstance(factor, Apply) and factor.function == "/" for factor in product.arguments)


def _call(function: str, arguments: tuple[Node, ...]) -> Node:
    if function in MANY_ARGUMENTS:
        return Apply(MANY_ARGUMENTS[function], arguments) if len(arguments) > 1 else arguments[0]
    if function not in ONE_ARGUMENT:
        known = ", ".join((*ONE_ARGUMENT, *MANY_ARGUMENTS))
        raise _RefusedError(f"{function} is not one of the functions {known}")
    if len(arguments) != 1:
        raise _RefusedError(f"{function} takes one argument, not {len(arguments)}")
    return Apply(function, arguments)


def names(node: Node) -> Iterator[str]:
    """The names in an expression, from left to right, each as often as it stands there."""
    if isinstance(node, Name):
        yield node.name
    elif isinstance(node, Apply):
        for argument in node.arguments:
            yield from names(argument)


def evaluate(node: Node, values: Mapping[str, float]) -> float:
    """The value of an expression in double precision; what has none, such as 1/0, raises."""
    match node:
        case Number(value):
            return value
        case Name(name):
            if name not in values:
                raise ParameterError(f"the expression uses the name {name!r}, which has no value")
            return float(values[name])
        case Apply(function, arguments):
            operands = [evaluate(argument, values) for argument in arguments]
            return _apply(function, operands)


def _apply(function: str, operands: list[float]) -> float:
    try:
        value = float(OPERATIONS[function](*operands))
    except (ArithmeticError, ValueError) as error:
        reason = str(error)
    else:
        if not math.isnan(value):
            return value
        reason = "the value is not a number"
    shown = ", ".join(f"{operand:g}" for operand in operands[:4]) + (", …" if len(operands) > 4 else "")
    raise ParameterError(f"the expression cannot be evaluated at {function}({shown}): {reason}")


def magnitude(node: Node, values: Mapping[str, float]) -> float:
    """The size of the numbers that are added up on the way to the value.

    The rounding error of the value is about 1e-16 times this. It equals |value| for products and is larger
    where terms cancel, as in ȳ − slope · x̄ for a line through the origin.
    """
    match node:
        case Apply("+" | "-" | "neg" | "abs", arguments):
            return sum(magnitude(argument, values) for argument in arguments)
        case Apply("*", arguments):
            return math.prod(magnitude(argument, values) for argument in arguments)
        case Apply("/", (over, under)):
            return magnitude(over, values) / abs(evaluate(under, values))
    return abs(evaluate(node, values))


def _short(source: str, limit: int = 80) -> str:
    return repr(source if len(source) <= limit else source[: limit - 1] + "…")
