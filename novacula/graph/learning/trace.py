"""What EM keeps of its way through a discrete network: tables, distinct rows, and counts of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from novacula.graph.families import Family
from novacula.graph.inference.rows import Inference, Structure, expect_patterns
from novacula.graph.learning.estimates import flat_tables
from novacula.graph.learning.family_counts import FamilyCounts
from novacula.learner.em.path import flat_path
from novacula.learner.expectation_maximization import EMState
from novacula.learner.trace import FitPath
from novacula.state import State, floats, nullable, record, wholes
from novacula.table.chunk import Codes, Floats

PATTERNS = 20
"""Distinct rows that are kept."""


@dataclass(frozen=True, eq=False)
class GraphTrace:
    """The way of EM: up to 25 states of all tables, up to 20 distinct rows, and as many expected counts as states."""

    state: ClassVar[State] = {
        "codes": wholes("patterns", "nodes", least=-1),
        "weight": floats("patterns", above=0.0),
        "path": record(FitPath),
        "others": nullable(record(FitPath)),
    }

    codes: Codes  # (P, D), the states of discrete nodes, parents first, −1 where a cell is empty
    weight: Floats  # (P,), how many rows are like it
    path: FitPath  # the tables side by side
    others: FitPath | None  # expected counts of all other rows

    @classmethod
    def of(
        cls, blocks: list[tuple[Codes, Floats]], whole: FamilyCounts, structure: Structure,
        path: tuple[EMState[dict[str, Family], FamilyCounts], ...],
    ) -> Self:  # fmt: skip
        """Keep the way of a climb over distinct rows, and the first of them."""
        codes, weight = blocks[0][0][:PATTERNS], blocks[0][1][:PATTERNS].copy()
        before = {state.iteration + 1: state.params for state in path}
        is_all = sum(len(part[1]) for part in blocks) <= PATTERNS and not whole.counts.any()

        def others(state: EMState[Any, FamilyCounts]) -> Floats:
            if state.statistics is None or state.iteration not in before:
                return np.zeros(len(whole.counts))
            own = expected_in(codes, weight, Inference.of(structure, before[state.iteration]))
            return np.asarray(state.statistics.counts - own)

        ways = flat_path(path, lambda state: flat_tables(state.params))
        places = [structure.variables.place[node] for node in path[0].params if node in structure.variables.states]
        return cls(codes[:, places].astype(np.int64), weight, ways, None if is_all else flat_path(path, others))


def expected_in(codes: Codes, weight: Floats, inference: Inference) -> Floats:
    """What rows of these codes and weights are expected to add to the tables, side by side."""
    own = np.ascontiguousarray(codes.astype(np.int32)), np.ascontiguousarray(weight)
    return np.asarray(expect_patterns(own, inference=inference).counts.counts)
