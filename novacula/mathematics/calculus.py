"""Derivatives by rule: a function that is typed as an expression, with its gradient and Hessian.

>>> f = SmoothFunction("x**2 + 3*x*y")
>>> f.names, f([2.0, 1.0]), f.gradient([2.0, 1.0]).tolist(), f.hessian([2.0, 1.0]).tolist()
(('x', 'y'), 10.0, [7.0, 6.0], [[2.0, 3.0], [3.0, 0.0]])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.mathematics.measuring import CONSTANTS, NameValues, describe, measure
from novacula.mathematics.reading import parse
from novacula.mathematics.tree import Apply, Node, Number, Symbol, walk

ZERO, ONE, TWO = Number(0.0), Number(1.0), Number(2.0)


def derivative(node: Node, name: str) -> Node:
    """The derivative of an expression by a name, without terms and factors that are 0 or 1."""
    match node:
        case Number():
            return ZERO
        case Symbol(other):
            return ONE if other == name else ZERO
        case Apply("+", terms):
            return added(*(derivative(term, name) for term in terms))
        case Apply("-", (left, right)):
            return subtracted(derivative(left, name), derivative(right, name))
        case Apply("neg", (inner,)):
            return subtracted(ZERO, derivative(inner, name))
        case Apply("*", factors):
            others = [(factors[:i], factor, factors[i + 1 :]) for i, factor in enumerate(factors)]
            return added(*(multiplied(*before, derivative(factor, name), *after) for before, factor, after in others))
        case Apply("/", (over, under)):
            above = subtracted(multiplied(derivative(over, name), under), multiplied(over, derivative(under, name)))
            return divided(above, power(under, TWO))
        case Apply("**", (base, exponent)):
            return _of_power(base, exponent, name)
        case Apply(function, (inner,)) if function in SLOPES:
            return multiplied(SLOPES[function](inner), derivative(inner, name))
    what = node.function if isinstance(node, Apply) else describe(node)
    raise ParameterError(f"the derivative of {what} is not known; use + - * / ** and {', '.join(SLOPES)}")


def _of_power(base: Node, exponent: Node, name: str) -> Node:
    """nu^(n−1)u′ where the exponent does not move, else u^v (v′ ln u + v u′/u)."""
    inner, outer = derivative(base, name), derivative(exponent, name)
    if outer == ZERO:
        less = Number(exponent.value - 1.0) if isinstance(exponent, Number) else subtracted(exponent, ONE)
        return multiplied(exponent, power(base, less), inner)
    slope = added(multiplied(outer, Apply("log", (base,))), divided(multiplied(exponent, inner), base))
    return multiplied(Apply("**", (base, exponent)), slope)


def added(*terms: Node) -> Node:
    """A sum without its zeros."""
    left = tuple(term for term in terms if term != ZERO)
    return Apply("+", left) if len(left) > 1 else left[0] if left else ZERO


def subtracted(left: Node, right: Node) -> Node:
    """A difference without its zeros."""
    if right == ZERO:
        return left
    return Apply("neg", (right,)) if left == ZERO else Apply("-", (left, right))


def multiplied(*factors: Node) -> Node:
    """A product without its ones; a zero makes it zero."""
    if ZERO in factors:
        return ZERO
    left = tuple(factor for factor in factors if factor != ONE)
    return Apply("*", left) if len(left) > 1 else left[0] if left else ONE


def divided(over: Node, under: Node) -> Node:
    """A quotient, or zero."""
    return over if over == ZERO or under == ONE else Apply("/", (over, under))


def power(base: Node, exponent: Node) -> Node:
    """A power whose exponent is neither 0 nor 1."""
    return ONE if exponent == ZERO else base if exponent == ONE else Apply("**", (base, exponent))


def _one_over(node: Node) -> Node:
    return Apply("/", (ONE, node))


SLOPES: Mapping[str, Callable[[Node], Node]] = {
    "exp": lambda u: Apply("exp", (u,)),
    "log": _one_over,
    "log2": lambda u: _one_over(Apply("*", (u, Apply("log", (TWO,))))),
    "sqrt": lambda u: _one_over(Apply("*", (TWO, Apply("sqrt", (u,))))),
    "sin": lambda u: Apply("cos", (u,)),
    "cos": lambda u: Apply("neg", (Apply("sin", (u,)),)),
    "tanh": lambda u: Apply("-", (ONE, Apply("**", (Apply("tanh", (u,)), TWO)))),
}
"""The derivatives of functions of one argument."""


def names_in(*sources: str) -> tuple[str, ...]:
    """The names that expressions depend on, in the order in which they first stand there.

    >>> names_in("y - π", "x * y")
    ('y', 'x')
    """
    nodes = (node for source in sources for node in walk(parse(source)))
    return tuple(dict.fromkeys(node.name for node in nodes if isinstance(node, Symbol) and node not in CONSTANTS))


class SmoothFunction:
    """A function of the names in an expression, in the order in which they first stand there."""

    def __init__(self, source: str, names: Sequence[str] | None = None) -> None:
        self.source, self.tree = source, parse(source)
        inside = names_in(source)
        self.names = inside if names is None else tuple(names)
        if not self.names:
            raise ParameterError(f"the function {source!r} depends on no name: write one such as x**2")
        for name in inside:
            if name not in self.names:
                raise ParameterError(f"the function {source!r} uses {name!r}, which is none of {', '.join(self.names)}")
        self._slopes = [derivative(self.tree, name) for name in self.names]
        self._curves = [[derivative(slope, name) for name in self.names] for slope in self._slopes]

    def _at(self, point: npt.ArrayLike) -> NameValues:
        numbers = np.atleast_1d(np.asarray(point, float))
        if numbers.shape != (len(self.names),):
            raise ParameterError(
                f"{self.source!r} is a function of {', '.join(self.names)}, not of {numbers.size} numbers"
            )
        return NameValues({Symbol(name): float(x) for name, x in zip(self.names, numbers, strict=True)})

    def __call__(self, point: npt.ArrayLike) -> float:
        """The value at a point."""
        return float(measure(self.tree, self._at(point)).value)

    def gradient(self, point: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The slopes at a point (d,)."""
        values = self._at(point)
        return np.array([float(measure(slope, values).value) for slope in self._slopes])

    def hessian(self, point: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The second derivatives at a point (d, d)."""
        values = self._at(point)
        return np.array([[float(measure(curve, values).value) for curve in row] for row in self._curves])


class ElementwiseFunction:
    """A function of arrays, one for each of the names, calculated number by number.

    >>> ElementwiseFunction("x**2 / y", ("x", "y"))([1.0, 2.0], 4.0).tolist()
    [0.25, 1.0]
    """

    def __init__(self, source: str, names: Sequence[str]) -> None:
        self.source, self.tree, self.names = source, parse(source), tuple(names)
        for name in names_in(source):
            if name not in self.names:
                raise ParameterError(f"the function {source!r} uses {name!r}, which is none of {', '.join(self.names)}")
        _elementwise(self.tree, dict.fromkeys(self.names, np.ones(1)))  # refuses what it cannot calculate

    def __call__(self, *arrays: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The values, in the common shape of the arrays."""
        given = np.broadcast_arrays(*(np.asarray(array, np.float64) for array in arrays))
        with np.errstate(all="ignore"):
            values = _elementwise(self.tree, dict(zip(self.names, given, strict=True)))
        return np.asarray(np.broadcast_to(values, given[0].shape))


def _elementwise(node: Node, arrays: Mapping[str, npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    match node:
        case Number(value):
            return np.asarray(value)
        case Symbol(name) if name in arrays:
            return arrays[name]
        case Symbol() if node in CONSTANTS:
            return np.asarray(CONSTANTS[node], np.float64)
        case Apply(function, (inner,)) if function in OF_ONE:
            return np.asarray(OF_ONE[function](_elementwise(inner, arrays)))
        case Apply(function, (_, _, *_) as several) if function in OF_TWO:
            return np.asarray(reduce(OF_TWO[function], (_elementwise(each, arrays) for each in several)))
    what = node.function if isinstance(node, Apply) else describe(node)
    functions = ", ".join(name for name in OF_ONE if name != "neg")
    raise ParameterError(f"{what} is not calculated number by number; use + - * / ** and {functions}")


OF_ONE: Mapping[str, Callable[..., npt.NDArray[np.float64]]] = {
    **{function.__name__: function for function in (np.exp, np.log, np.log2, np.sqrt, np.sin, np.cos, np.tanh)},
    "abs": np.abs,
    "neg": np.negative,
}
OF_TWO: Mapping[str, Callable[..., npt.NDArray[np.float64]]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "**": np.power,
}  # fmt: skip
"""What is calculated number by number, of one array and of two."""
