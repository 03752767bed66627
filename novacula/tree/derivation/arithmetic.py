"""The formulas of trees as arithmetic that is checked: impurity, gain, χ², and the estimates of leaves.

A sum of many terms is written out for the largest, and what the others come to is one number, `rest`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novacula.table.chunk import Floats
from novacula.tree.constants import EXPONENTIAL, GINI, LINEAR, SQUARE
from novacula.tree.criterion import Criterion
from novacula.tree.derivation.split import ExaminedSplit
from novacula.tree.structure import Integers

TERMS = 12
"""Terms of a sum that are written out."""
SHAPES: Mapping[int, str] = {LINEAR: "gain", SQUARE: "gain**2", EXPONENTIAL: "(2**gain - 1)"}


@dataclass(frozen=True)
class Arithmetic:
    """An expression, its values, and in words what needs them: the parts of a step that are checked."""

    expression: str
    values: Mapping[str, float]
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, Any]:
        """As arguments of a step."""
        return {"expression": self.expression, "values": self.values, "labels": self.labels}


def formula_of(criterion: Criterion) -> tuple[str, str]:
    """The letter of an impurity, and its formula."""
    return ("G", "1 − Σ p²") if criterion.impurity == GINI else ("H", "−Σ p log₂ p")


def impurity(weights: Floats, criterion: Criterion) -> Arithmetic:
    """The impurity of class weights (K,)."""
    if criterion.impurity != GINI:
        return bits(weights)
    n, (shown, others) = float(weights.sum()), largest(weights)
    expression = " - ".join(["1", *(f"(n_{k}/n)**2" for k in shown)])
    rest = float(((weights[others] / n) ** 2).sum())
    return _ended(expression, {**_named("n", weights, shown), "n": n}, " - ", rest, len(others), "classes")


def bits(weights: Floats, what: str = "classes") -> Arithmetic:
    """−Σ p log₂ p of the shares of weights: an entropy, or the information of a split."""
    n, (shown, others) = float(weights.sum()), largest(weights)
    terms = [f"n_{k}/n * log2(n_{k}/n)" for k in shown]
    share = weights[others] / n
    rest = float(-(share * np.log2(share)).sum())
    return _ended("-" + " - ".join(terms), {**_named("n", weights, shown), "n": n}, " + ", rest, len(others), what)


def gain(split: ExaminedSplit, criterion: Criterion, tries: int) -> Arithmetic:
    """What a test gains: the impurity less that of its branches, each by its share; times the share that is known.

    With C4.5's rule a threshold pays for the choice among `tries` of them; otherwise that is 1.
    """
    letter, _ = formula_of(criterion)
    weight, spread = split.judged.sum(axis=1), criterion.impurities(split.judged)
    whole, shown, others = "n_known" if split.is_reduced else "n", *largest(weight)
    values = {
        **({"n_known": float(split.start.sum())} if split.is_reduced else {}),
        "n": float(split.total.sum()),
        letter: float(criterion.impurities(split.start)),
        **_named("n", weight, shown),
        **_named(letter, spread, shown),
    }
    terms = [f"n_{b}/{whole} * {letter}_{b}" for b in shown]
    rest = float((weight[others] / split.start.sum() * spread[others]).sum())
    found = _ended(" - ".join([letter, *terms]), values, " - ", rest, len(others), "branches")
    expression = f"n_known/n * ({found.expression})" if split.is_reduced else found.expression
    if tries == 1:
        return Arithmetic(expression, found.values, found.labels)
    label = {"tries": "the thresholds that were tried"}
    return Arithmetic(f"{expression} - log2(tries)/n", {**found.values, "tries": tries}, {**found.labels, **label})


def information(split: ExaminedSplit) -> Arithmetic:
    """The information of a split: in what shares it deals the examples out, those without a value apart."""
    weight = split.judged.sum(axis=1)
    return bits(np.append(weight, split.missing.sum()) if split.is_reduced else weight, "branches")


def score(criterion: Criterion, gained: float, information: float, discount: float) -> Arithmetic:
    """The score of a test from its gain, its information and the discount for its cost."""
    expression, values = SHAPES[criterion.shape], {"gain": gained}
    if criterion.discount is not None:
        expression, values = f"{expression} * discount", {**values, "discount": discount}
    if criterion.by_information:
        expression, values = f"{expression} / information", {**values, "information": information}
    return Arithmetic(expression, values)


def chi_squared(split: ExaminedSplit) -> Arithmetic:
    """Σ (observed − expected)² / expected over branches and classes."""
    observed, expected, parts = split.counts.ravel(), split.expected.ravel(), split.deviations.ravel()
    cells = np.flatnonzero(expected > 0)
    shown, others = cells[:TERMS], cells[TERMS:]
    values = {**_named("o", observed, shown), **_named("e", expected, shown)}
    terms = [f"(o_{c} - e_{c})**2 / e_{c}" for c in shown]
    return _ended(" + ".join(terms), values, " + ", float(parts[others].sum()), len(others), "terms")


def estimate(counts: Floats, k: int, m: float, leaf: str = "") -> Arithmetic:
    """The probability of class k at a leaf with these class weights (K,): (n_k + m/K) / (n + m)."""
    own, n = f"n_k{leaf}", f"n{leaf}"
    values = {own: float(counts[k]), n: float(counts.sum())}
    if m == 0:
        return Arithmetic(f"{own}/{n}", values)
    return Arithmetic(f"({own} + m/K) / ({n} + m)", {**values, "m": m, "K": float(len(counts))})


def mixture(shares: Floats, counts: Floats, k: int, m: float, rest: float, n_others: int) -> Arithmetic:
    """The probability of class k where leaves with class weights (l, K) have shares (l,); others give the rest."""
    if len(shares) == 1:
        return estimate(counts[0], k, m)
    leaves = [estimate(row, k, m, f"_{i}") for i, row in enumerate(counts)]
    values = {f"s_{i}": float(share) for i, share in enumerate(shares)}
    for leaf in leaves:
        values |= leaf.values
    expression = " + ".join(f"s_{i} * ({leaf.expression})" for i, leaf in enumerate(leaves))
    return _ended(expression, values, " + ", rest, n_others, "leaves")


def product(over: Floats, under: Floats) -> Arithmetic:
    """The product of quotients."""
    shown = np.arange(min(len(over), TERMS))
    rest, n_others = float(np.prod(over[TERMS:] / under[TERMS:])), len(over) - len(shown)
    values = {**_named("b", over, shown), **_named("n", under, shown)}
    return _ended(" * ".join(f"b_{i}/n_{i}" for i in shown), values, " * ", rest, n_others, "factors")


def largest(weights: Floats) -> tuple[Integers, Integers]:
    """The places of weights above zero: the largest, as many as are written out, and the others; both in order."""
    places = np.flatnonzero(weights > 0)
    order = places[np.argsort(-weights[places], kind="stable")]
    return np.sort(order[:TERMS]), np.sort(order[TERMS:])


def _named(letter: str, numbers: Floats, places: Integers) -> dict[str, float]:
    return {f"{letter}_{i}": float(numbers[i]) for i in places}


def _ended(
    expression: str, values: Mapping[str, float], sign: str, rest: float, n_others: int, what: str
) -> Arithmetic:
    """The expression, with the rest where there are others."""
    if not n_others:
        return Arithmetic(expression, values)
    label = {"rest": f"what the other {n_others} {what} come to"}
    return Arithmetic(f"{expression}{sign}rest", {**values, "rest": rest}, label)
