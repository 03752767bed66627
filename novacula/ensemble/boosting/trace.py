"""What a fit keeps for its derivation: sums at the nodes of a few trees, and slopes of a few rows before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from novacula.state import State, floats, number, wholes
from novacula.table.chunk import Floats
from novacula.tree.structure import Integers

TREES_KEPT = 3
"""Rounds from the first on that are kept; the last one is too."""


SUMS_KEPT = ("gradient", "hessian", "l2", "middles")
"""Fields of the sums of a tree, in the order of a trace."""


class TreeSums(NamedTuple):
    """At the nodes of a tree (m,), in its order."""

    gradient: Floats
    hessian: Floats
    l2: Floats  # of the node's test
    middles: Floats  # (m, 2) the middle residuals of a leaf; (0, 2) where leaves do not hold medians


class RowSlopes(NamedTuple):
    """Of a few rows before a round."""

    target: Floats  # (rows,)
    score: Floats  # (K, rows)
    gradient: Floats
    hessian: Floats


@dataclass(frozen=True, eq=False)
class BoostingTrace:
    """T rounds of K trees with m nodes in all, and R rows: 4m + 3·T·K·R numbers."""

    state: ClassVar[State] = {
        "weight": number(least=0.0),
        "sums": floats("measured"),
        "iteration": wholes("traced", least=1),
        "target": floats("shown"),
        "score": floats("traced", "scores", "shown"),
        "row_gradient": floats("traced", "scores", "shown"),
        "row_hessian": floats("traced", "scores", "shown"),
        "gradient": floats("sums"),
        "hessian": floats("sums"),
        "l2": floats("sums", least=0.0),
        "middles": floats("medians", 2),
    }

    weight: float  # of all training rows
    sums: Floats  # (M,) that the constant is made of
    iteration: Integers  # (T,) rising, from 1
    target: Floats  # (R,)
    score: Floats  # (T, K, R) before the round
    row_gradient: Floats
    row_hessian: Floats
    gradient: Floats  # (m,) of the nodes of the trees of these rounds, one after the other
    hessian: Floats
    l2: Floats
    middles: Floats  # (m, 2), or (0, 2) where leaves do not hold medians

    only_drawn: ClassVar[tuple[str, ...]] = ("iteration",)  # a place in the model, which decides what is read

    @classmethod
    def of(
        cls,
        totals: tuple[float, Floats],
        nodes: dict[int, list[TreeSums]],
        rows: dict[int, RowSlopes],
        n_rounds: int,
    ) -> BoostingTrace:
        """Of the first rounds and the last."""
        kept = sorted({*range(min(TREES_KEPT, n_rounds)), n_rounds - 1})
        sums = [part for r in kept for part in nodes[r]]
        return cls(
            totals[0],
            totals[1],
            np.array(kept, np.int64) + 1,
            rows[0].target,
            *(np.array([getattr(rows[r], name) for r in kept]) for name in ("score", "gradient", "hessian")),
            *(np.concatenate([getattr(part, name) for part in sums]) for name in SUMS_KEPT),
        )
