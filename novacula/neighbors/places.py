"""Who takes the k places, where rows have weights: a row of weight 2 takes two of them, as if it stood there twice.

Rows come by distance, then by number. Each takes as many places as it weighs until k are taken; the last one may get a
part of what it weighs. With weights of 1 these are the k nearest rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from novacula.learner.derivation import only_first_rows
from novacula.neighbors.kd_tree import Places
from novacula.table.chunk import Codes, Floats

ROUNDING = 1e-9
"""Weights such as ten times 0.1 need not add up to the last bit."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """For each of m queries w rows, nearest first, what each weighs, and how much weight came before it."""

    distance: Floats  # (m, w)
    row: Places  # (m, w)
    weight: Floats  # (m, w)
    before: Floats  # (m, w)

    @classmethod
    def of(cls, distance: Floats, row: Places, weight: Floats, own: Places | None = None) -> Neighbours:
        """Rows that were found (m, w), with the weights (n,) of all; of row `own` (m,) one repetition is left out."""
        held = weight[row]
        if own is not None:
            held = np.where(row == own[:, None], np.maximum(held - 1.0, 0.0), held)
        return cls(distance, row, held, np.cumsum(held, axis=1) - held)

    def shares(self, k: float) -> Floats:
        """How many of k places each row takes: (m, w)."""
        return np.clip(k - self.before, 0.0, self.weight)

    def place(self, k: int) -> Places:
        """Which of the w rows takes the k-th place of each query, the one that makes the weight up to k: (m,)."""
        reached = self.before + self.weight
        return np.asarray(np.argmax(reached >= k * (1.0 - ROUNDING), axis=1))

    def listed(self, k: int) -> tuple[Floats, Places]:
        """Distance and row in each of k places: (m, k)."""
        if (self.weight == 1.0).all():
            return self.distance[:, :k], self.row[:, :k]
        places = np.stack([self.place(j) for j in range(1, k + 1)], axis=1)
        return np.take_along_axis(self.distance, places, axis=1), np.take_along_axis(self.row, places, axis=1)


def rows_needed(weight: Floats, k: float) -> int:
    """How many of the nearest rows surely weigh k together: as many as it takes of the lightest."""
    if (weight >= 1.0).all():
        return min(int(np.ceil(k)), len(weight))
    reached = np.cumsum(np.sort(weight))
    return min(int(np.searchsorted(reached, k)) + 1, len(weight))


class Asked(NamedTuple):
    """Some rows as they are laid out, with their neighbours one by one, and whether there were more rows."""

    rows: Floats  # (m, c)
    nearest: Sequence[Neighbours]  # of one row each
    is_cut: bool

    def notes(self) -> list[str]:
        """What is to be said of all answers."""
        ties = "Of rows at one distance the one with the smaller number comes first."
        return [ties, *only_first_rows(len(self.rows), self.is_cut)]


class LeftOutRows(NamedTuple):
    """What is known of rows about which the others were asked: the loss for k = 1, 2, …, and the answers for k."""

    loss: Floats  # (largest k, targets)
    answers: Codes | Floats  # (n,) numbers of classes, (n, targets), or none of a density
