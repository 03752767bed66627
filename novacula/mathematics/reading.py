"""Read an expression: Python's syntax over a closed set, from which a tree is made; nothing is run as code.

| written | means |
|---|---|
| `a + b - c * d / e ** f`, `-a` | arithmetic |
| `n_xt`, `θ̂`, `w_0`, `h′`, `μ__2` | a name: with an index, an accent, a prime, a number of an iteration |
| `w[j]`, `X[i, 2]` | one of several values; places count from 1 |
| `P(x, y | t)`, `Gain(S, "Outlook")`, `H(S)` | a value that is written like a function |
| `sum(w[j] * x[j] for j in d)` | Σ over j; `in range(n)` from 1 to n, `in _` names the index alone |
| `product(…)`, `min(…)`, `max(…)`, `argmax(…)`, `argmin(…)` | the same; `if j != i` leaves some out |
| `sqrt log log2 exp abs …` | functions: `FUNCTIONS`; `log(x)` is natural, `log(x, b)` has the base b |
| `A @ b`, `A.T`, `inv(A)`, `det(A)`, `norm(w)`, `dot(a, b)` | vectors and matrices |
| `a if x > 0 else b` | cases |
| `size(S)`, `factorial(n)` | the number of members, written with bars; n! |
| `(a, b)`, `{a, b}`, `"word"`, `a == b`, `a <= b`, `a and b`, `not a` | what stands inside of P(…) and conditions |
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

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
)
from novacula.words import shortened

MAX_LENGTH = 20_000
MAX_DEPTH = 100

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
}
SIGNS: dict[type[ast.AST], str] = {
    ast.Eq: "=",
    ast.NotEq: "≠",
    ast.Lt: "<",
    ast.LtE: "≤",
    ast.Gt: ">",
    ast.GtE: "≥",
    ast.In: "∈",
}
FUNCTIONS = {
    **dict.fromkeys(("sqrt", "exp", "abs", "sign", "ceil", "floor", "tanh", "cos", "sin", "lgamma", "log2"), (1, 1)),
    **dict.fromkeys(("inv", "det", "norm", "size", "factorial"), (1, 1)),
    **dict.fromkeys(("dot", "choose"), (2, 2)),
    "log": (1, 2),
}
"""Functions with the least and the largest number of their arguments."""
BIG = {"sum": "+", "product": "*", "min": "min", "max": "max", "argmin": "argmin", "argmax": "argmax"}
PRIME, LETTER_PRIME = "′", "ʹ"  # the second may stand in a name of Python
ESCAPED = ("⟦", "⟧")
"""Characters of words that would be read as something else around them."""
TO_PYTHON = re.compile(rf"""(?P<word>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|{PRIME}|\bclass\b""")


class _RefusedError(Exception):
    """What was found in an expression that has no place there."""


@lru_cache(maxsize=4096)
def parse(source: str) -> Node:
    """Read an expression, and refuse anything that is not of the language.

    >>> parse("n_t / n")
    Apply(function='/', arguments=(Symbol(name='n_t'), Symbol(name='n')))
    """
    if len(source) > MAX_LENGTH:
        raise ParameterError(f"an expression has {len(source)} characters; at most {MAX_LENGTH} are read")
    try:
        return _convert(ast.parse(TO_PYTHON.sub(_to_python, source.strip()), mode="eval").body, MAX_DEPTH)
    except _RefusedError as refused:
        reason = f"the expression {shortened(repr(source), 80)} is not mathematics that is understood: {refused}"
        raise ParameterError(reason) from None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        raise ParameterError(f"the expression {shortened(repr(source), 80)} cannot be read: {error}") from None


def _to_python(match: re.Match[str]) -> str:
    """Names that Python has no place for, outside of words; it reads the bold letter as a plain one, but no keyword."""
    return match[0] if match["word"] else LETTER_PRIME if match[0] == PRIME else "𝐜lass"


def word(text: object) -> str:
    """How a word, such as the name of a category, is written in an expression, whatever it holds.

    >>> f"P({word('Sunny')} | t)"
    "P('Sunny' | t)"
    """
    written = repr(str(text))
    for character in ESCAPED:
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def _convert(node: ast.expr, depth: int) -> Node:
    if depth == 0:
        raise _RefusedError(f"it is nested deeper than {MAX_DEPTH} levels; write sum(…) or product(…) for long chains")

    def inner(part: ast.expr) -> Node:
        return _convert(part, depth - 1)

    match node:
        case ast.Constant(value=str() as text):
            return Word(text)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Number(float(value))
        case ast.Name(id=name):
            return Symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Apply("neg", (inner(operand),))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Apply("not", (inner(operand),))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return _chain(OPERATORS[type(op)], inner(left), inner(right))
        case ast.BoolOp(op=op, values=values):
            return Apply("and" if isinstance(op, ast.And) else "or", tuple(map(inner, values)))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in SIGNS:
            return Relation(SIGNS[type(op)], inner(left), inner(right))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return Cases(inner(body), inner(test), inner(orelse))
        case ast.Attribute(value=value, attr="T"):
            return Apply("transpose", (inner(value),))
        case ast.Subscript(value=value, slice=ast.Tuple(elts=indices)):
            return Indexed(inner(value), tuple(map(inner, indices)))
        case ast.Subscript(value=value, slice=index):
            return Indexed(inner(value), (inner(index),))
        case ast.Tuple(elts=items) | ast.Set(elts=items):
            return Several(tuple(map(inner, items)), isinstance(node, ast.Set))
        case ast.Call(func=ast.Name(id=function), args=[ast.GeneratorExp() as every], keywords=[]):
            return _big(function, every, depth)
        case ast.Call(func=ast.Name(id=function), args=arguments, keywords=[]):
            return _call(function, arguments, depth)
    raise _RefusedError(f"{shortened(ast.unparse(node), 80)} is not allowed")


def _chain(operation: str, left: Node, right: Node) -> Node:
    """Join a + b + c into one sum of three, and a/b · c/d into one product of two quotients."""
    if isinstance(left, Apply) and operation in ("+", "*") and left.function == operation:
        return Apply(operation, (*left.arguments, right))
    if operation == "/" and isinstance(left, Apply) and left.function == "*" and _has_quotient(left):
        return Apply("*", (*left.arguments[:-1], Apply("/", (left.arguments[-1], right))))
    return Apply(operation, (left, right))


def _has_quotient(product: Apply) -> bool:
    return any(isinstance(factor, Apply) and factor.function == "/" for factor in product.arguments)


def _big(function: str, every: ast.GeneratorExp, depth: int) -> Node:
    if function not in BIG:
        raise _RefusedError(f"{function} does not go over an index as {', '.join(BIG)} do")
    body = _convert(every.elt, depth - 1)
    for loop in reversed(every.generators):
        if not isinstance(loop.target, ast.Name) or loop.is_async or len(loop.ifs) > 1:
            raise _RefusedError(f"{shortened(ast.unparse(every), 80)} is not “for index in domain if condition”")
        domain = None if ast.unparse(loop.iter) == "_" else _convert(loop.iter, depth - 1)
        condition = _convert(loop.ifs[0], depth - 1) if loop.ifs else None
        body = Big(BIG[function], body, loop.target.id, domain, condition)
    return body


def _call(function: str, arguments: list[ast.expr], depth: int) -> Node:
    if function in ("sum", "product", "min", "max"):
        several = tuple(_convert(argument, depth - 1) for argument in arguments)
        if not several:
            raise _RefusedError(f"{function}() is of nothing")
        return Apply(BIG[function], several) if len(several) > 1 else several[0]
    if function in FUNCTIONS:
        least, most = FUNCTIONS[function]
        if not least <= len(arguments) <= most:
            raise _RefusedError(f"{function} takes {least if least == most else f'{least} or {most}'} arguments")
        return Apply(function, tuple(_convert(argument, depth - 1) for argument in arguments))
    before, given = _conditioned(arguments)
    return Quantity(
        function,
        tuple(_convert(argument, depth - 1) for argument in before),
        tuple(_convert(argument, depth - 1) for argument in given),
    )


def _conditioned(arguments: list[ast.expr]) -> tuple[list[ast.expr], list[ast.expr]]:
    """What stands before the bar of P(a, b | c, d), and what stands behind it."""
    for i, argument in enumerate(arguments):
        if (found := _at_bar(argument)) is not None:
            return [*arguments[:i], found[0]], [found[1], *arguments[i + 1 :]]
    return arguments, []


def _at_bar(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of the bar, which Python binds more tightly: P(a == b | c == d) is read as a == (b | c) == d."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return left, right
        case ast.UnaryOp(op=ast.Not() as op, operand=operand) if (found := _at_bar(operand)) is not None:
            return ast.UnaryOp(op, found[0]), found[1]
        case ast.BoolOp(op=op, values=several):
            for k, part in enumerate(several):
                if (found := _at_bar(part)) is not None:
                    before, behind = [*several[:k], found[0]], [found[1], *several[k + 1 :]]
                    return _several(op, before), _several(op, behind)
        case ast.Compare(left=left, ops=signs, comparators=others):
            sides = [left, *others]
            for k, side in enumerate(sides):
                if (found := _at_bar(side)) is not None:
                    before, behind = [*sides[:k], found[0]], [found[1], *sides[k + 1 :]]
                    return _compared(before, signs[:k]), _compared(behind, signs[k:])
    return None


def _several(op: ast.boolop, parts: list[ast.expr]) -> ast.expr:
    return ast.BoolOp(op, parts) if len(parts) > 1 else parts[0]


def _compared(sides: list[ast.expr], signs: list[ast.cmpop]) -> ast.expr:
    return ast.Compare(sides[0], signs, sides[1:]) if signs else sides[0]
