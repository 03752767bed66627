"""Factors: tables over a few discrete nodes, multiplied and summed as they are or in logarithms.

    log (φ ψ)(a, b, c) = log φ(a, b) + log ψ(b, c)          log Σ_b φ(a, b) = m + log Σ_b exp(log φ(a, b) − m)

Evidence on a thousand nodes has a probability that no double holds, and entries that differ by more than 10³⁰⁸ can
still come out even: that needs logarithms. Axes ascend in the index of their node, so that a product needs no
transposition.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from novacula.errors import ParameterError
from novacula.table.chunk import Floats

LARGEST = 2**26
"""Entries of the largest table that is made: half a gigabyte."""


@dataclass(frozen=True, eq=False, slots=True)
class DiscreteFactor:
    """φ(scope), or its logarithm: nodes by their index, ascending, and an axis of `table` for each."""

    scope: tuple[int, ...]
    table: Floats

    @classmethod
    def of(cls, axes: Sequence[int], table: Floats) -> DiscreteFactor:
        """A factor whose axes come in any order."""
        order = sorted(range(len(axes)), key=axes.__getitem__)
        return cls(tuple(axes[i] for i in order), np.asarray(table.transpose(order), order="C"))

    def at(self, codes: Mapping[int, int]) -> DiscreteFactor:
        """The factor at the states that are known, of the nodes that are not."""
        if codes.keys().isdisjoint(self.scope):
            return self
        index = tuple(codes.get(node, slice(None)) for node in self.scope)
        return DiscreteFactor(tuple(node for node in self.scope if node not in codes), np.asarray(self.table[index]))

    def spread(self, scope: Sequence[int]) -> Floats:
        """The table with an axis of length 1 for each node of `scope` that the factor does not have."""
        return self.table.reshape(spread_shape(self.scope, self.table.shape, scope))

    def marginal(self, nodes: Iterable[int]) -> DiscreteFactor:
        """The logarithm of the sum over all nodes but these, of a factor in logarithms."""
        keep = set(nodes)
        axes = tuple(i for i, node in enumerate(self.scope) if node not in keep)
        if not axes:
            return self
        return DiscreteFactor(tuple(node for node in self.scope if node in keep), log_sum(self.table, axes))


def spread_shape(scope: Sequence[int], shape: Sequence[int], wider: Sequence[int]) -> tuple[int, ...]:
    """The shape that aligns a table over `scope` with one over a wider scope."""
    sizes = dict(zip(scope, shape, strict=True))
    return tuple(sizes.get(node, 1) for node in wider)


def product(factors: Sequence[DiscreteFactor], scope: Sequence[int], cards: Sequence[int]) -> Floats:
    """log Π φ over a scope that holds those of all factors."""
    total = np.zeros([cards[node] for node in scope])
    for factor in factors:
        total += factor.spread(scope)
    return total


def log_sum(log: Floats, axes: int | tuple[int, ...]) -> Floats:
    """log Σ exp over axes, without overflow; −∞ where all terms are."""
    top = np.maximum.reduce(log, axis=axes, keepdims=True)
    top = np.where(top == -np.inf, 0.0, top)
    with np.errstate(divide="ignore"):
        total = np.log(np.add.reduce(np.exp(log - top), axis=axes, keepdims=True))
    return np.squeeze(total + top, axis=axes)


def normalised(log: Floats) -> tuple[Floats, float]:
    """Probabilities in the ratio of the entries, and the logarithm of their sum, −∞ if all are zero."""
    total = float(log_sum(log, tuple(range(log.ndim)))) if log.ndim else float(log)
    if total == -math.inf:
        return np.zeros(log.shape), total
    table = np.exp(log - total)
    return table / table.sum(), total


def require_size(cards: Iterable[int], what: str) -> None:
    """Refuse a table that would not fit."""
    size = math.prod(cards)
    if size > LARGEST:
        raise ParameterError(
            f"{what} would need a table of {size:.3g} entries, more than {LARGEST:.3g}: give more evidence, "
            "or sample with method='likelihood_weighting' or 'gibbs'"
        )
