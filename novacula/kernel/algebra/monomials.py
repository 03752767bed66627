"""Explicit features: monomials with their coefficients, by the multinomial theorem.

    (γ xᵀy + c)ᵖ = Σ p!/(α₀! α₁! … α_d!) · c^α₀ γ^(p − α₀) · Π xⱼ^αⱼ yⱼ^αⱼ        over α₀ + … + α_d = p

Each term is a product of a function of x and the same function of y, so the features are the square roots of the
coefficients times Π xⱼ^αⱼ: there are C(d + p, p) of them, and C(d + p − 1, p) where c = 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats

LARGEST_COUNT = 1_000_000
"""Features that are worked out one by one."""
LARGEST_MAP = 100_000_000
"""Numbers that a feature map may take: 0.8 GB."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Monomial:
    """√square · Π name^power: one feature in terms of the columns."""

    square: float = 1.0
    powers: Mapping[str, int] = field(default_factory=dict)

    def __mul__(self, other: Monomial) -> Monomial:
        powers = Counter(self.powers)
        powers.update(other.powers)
        return Monomial(self.square * other.square, dict(powers))

    def raised(self, power: int) -> Monomial:
        """The monomial multiplied by itself."""
        return Monomial(self.square**power, {name: power * k for name, k in self.powers.items()})

    def scaled(self, square: float) -> Monomial:
        """The monomial times √square."""
        return Monomial(square * self.square, self.powers)

    def text(self, joint: str) -> str:
        """As it is written, with `joint` between the factors."""
        factors = joint.join(
            name + ("" if k == 1 else str(k).translate(_SUPERSCRIPTS)) for name, k in self.powers.items()
        )
        if self.square == 1.0:
            return factors or "1"
        return "·".join(filter(None, [root_text(self.square), factors]))


def root_text(square: float) -> str:
    """√square, as a whole number or a root where it is one."""
    root = math.sqrt(square)
    if root.is_integer():
        return str(int(root))
    return f"√{int(square)}" if float(square).is_integer() else f"{root:.6g}"


def variables(columns: int | Sequence[str]) -> list[str]:
    """Names of columns: those given, or x₁, x₂, … for a number of them."""
    if isinstance(columns, (int, np.integer)):
        if columns < 1:
            raise ParameterError(f"there are {columns} columns; features need at least 1")
        return [f"x{j + 1}".translate(_SUBSCRIPTS) for j in range(columns)]
    names = [str(name) for name in columns]
    if not names:
        raise ParameterError("there are no columns to name features by")
    return names


@dataclass(frozen=True, slots=True)
class Expansion:
    """The features of (γ xᵀy + c)ᵖ for d columns: places of the factors of each, and its squared coefficient."""

    factors: list[tuple[int, ...]]  # columns, each as often as its power
    squares: list[float]

    @classmethod
    def of(cls, d: int, degree: int, coef0: float = 0.0, gamma: float = 1.0) -> Expansion:
        """Terms of the highest degree first; among those powers of one column, then what mixes more of them."""
        factors = [
            term
            for total in (range(degree, -1, -1) if coef0 else [degree])
            for term in sorted(combinations_with_replacement(range(d), total), key=lambda term: len(set(term)))
        ]
        return cls(factors, [_coefficient(term, degree, coef0, gamma) for term in factors])

    def values(self, X: Floats) -> Floats:
        """Features (n, p) of rows (n, d)."""
        features = np.empty((len(X), len(self.factors)))
        for j, (term, square) in enumerate(zip(self.factors, self.squares, strict=True)):
            features[:, j] = math.sqrt(square)
            for column in term:
                features[:, j] *= X[:, column]
        return features

    def terms(self, inner: Sequence[Monomial]) -> list[Monomial]:
        """The features as monomials, given what the columns are."""
        monomials = []
        for term, square in zip(self.factors, self.squares, strict=True):
            whole = Monomial(square)
            for column, power in Counter(term).items():
                whole = whole * inner[column].raised(power)
            monomials.append(whole)
        return monomials


def _coefficient(term: tuple[int, ...], degree: int, coef0: float, gamma: float) -> float:
    rest = degree - len(term)
    ways = math.factorial(degree) // math.prod(map(math.factorial, (rest, *Counter(term).values())))
    return ways * coef0**rest * gamma ** len(term)


def count_monomials(d: int, degree: int, coef0: float = 0.0) -> int:
    """How many features (γ xᵀy + c)ᵖ has."""
    return math.comb(d + degree, degree) if coef0 else math.comb(d + degree - 1, degree)


def require_small(kernel: str, p: int, n: int) -> None:
    """Refuse a map that would not fit into memory."""
    if p > LARGEST_COUNT or p * n > LARGEST_MAP:
        raise ParameterError(
            f"{kernel} has {p:,} features, {p * n:,} numbers for {n:,} rows: use the kernel itself, which "
            "needs none of them, or fewer rows"
        )


def row_tensor(a: Floats, b: Floats) -> Floats:
    """All products of a feature of a with one of b, row by row: (n, p·q)."""
    return np.asarray(np.einsum("ni,nj->nij", a, b)).reshape(len(a), -1)


def no_map(kernel: Any, reason: str) -> ParameterError:
    """The error of a kernel without a finite map."""
    return ParameterError(f"{kernel!r} has no finite feature map: {reason}")
