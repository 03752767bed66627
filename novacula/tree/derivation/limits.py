"""C4.5's upper limit of an error rate as equations, by which leaves and rules are judged on training examples."""

from __future__ import annotations

from typing import Any

from scipy.special import ndtri

from novacula.mathematics import Equation
from novacula.tree.pruning.pessimistic import NONE, ONE

MEANINGS = {"CF": "the confidence", "z": "the normal quantile of 1 − CF"}


def upper_limit(n: float, e: float, confidence: float, index: str) -> Equation:
    """U(e, n), the limit of the error rate where e of n examples are wrong; both have an index."""
    right, values = _rate(n, e, confidence, index)
    return _equation(f"U(e[{index}], n[{index}])", right, values)


def lower_accuracy(n: float, e: float, confidence: float, index: str, of: tuple[str | int, ...]) -> Equation:
    """1 − U(e, n), the accuracy that the limit leaves."""
    right, values = _rate(n, e, confidence, index)
    right = f"CF**(1 / n[{index}])" if e == 0.0 else f"1 - ({right})"
    return _equation(f"1 - U(e[{index}], n[{index}])", right, values, of)


def _equation(left: str, right: str, values: dict[str, Any], of: tuple[str | int, ...] = ()) -> Equation:
    return Equation(left, right, values, of, {name: words for name, words in MEANINGS.items() if name in values})


def _rate(n: float, e: float, confidence: float, index: str) -> tuple[str, dict[str, Any]]:
    """U and its values: exact without errors, by the normal distribution from one on, and linear between."""
    own, wrong = f"n[{index}]", f"e[{index}]"
    values: dict[str, Any] = {own: n, wrong: e, "CF": confidence, "z": float(ndtri(1.0 - confidence))}
    none, one = f"1 - CF**(1 / {own})", _some("1", own, 1.0, n)
    if e == 0.0:
        right = none
    elif e < NONE:
        right = f"{wrong} / {own} + {none}"
    elif e < ONE:
        right = f"(1 - {wrong}) * ({none}) + {wrong} * {one}"
    else:
        right = _some(wrong, own, e, n)
    if n < 1.0:
        right = f"min({right}, 1)"
    used = {name: value for name, value in values.items() if name in right}
    return right, used


def _some(wrong: str, own: str, e: float, n: float) -> str:
    """The rate from one error on; where at most half an example is right, 0.67 of what is right is added."""
    if e + 0.5 >= n:
        return f"({wrong} + 0.67 * ({own} - {wrong})) / {own}"
    spread = f"z * sqrt(({wrong} + 1/2) * (1 - ({wrong} + 1/2) / {own}) + z**2 / 4)"
    return f"({wrong} + 1/2 + z**2 / 2 + {spread}) / ({own} + z**2)"
