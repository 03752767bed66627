"""One machine of a fitted model with what is known of its rows: all of them if they are few, or some of its support."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from novacula.kernel.algebra.rows import dense
from novacula.kernel.svm.base import AT_BOUND, SupportVectorMachine
from novacula.kernel.svm.pairs import class_pairs, signs
from novacula.learner.work import WorkTable
from novacula.table.chunk import Floats

SUPPORT = 6
"""Support vectors that are shown where not all rows are: this many between their bounds, and this many at C."""


@dataclass(frozen=True, eq=False)
class ShownMachine:
    """Machine `place` of a model: n of its rows with numbers, targets, coefficients, costs and values f(x)."""

    place: int
    number: list[int]
    rows: Floats  # (n, d); (n, 0) of a precomputed kernel, of which no rows are kept
    target: Floats | None  # (n,): ±1 or numbers; None where they are not kept
    beta: Floats  # (n,)
    cost: Floats  # (n,)
    f: Floats | None  # (n,), None of a precomputed kernel
    whole: bool  # whether these are all rows that the machine was made of
    pair: str = ""  # what it separates, where there are several machines

    def titled(self, what: str) -> str:
        """The title of a step."""
        return f"{what}: {self.pair}" if self.pair else what

    def statuses(self, squared: bool) -> list[str]:
        """Where each multiplier is between its bounds."""
        size = np.abs(self.beta)
        bound = np.zeros(len(size), bool) if squared else size >= self.cost * (1.0 - AT_BOUND)
        return ["at 0" if a == 0.0 else "at C" if b else "free" for a, b in zip(size, bound, strict=True)]


def classifies(model: SupportVectorMachine) -> bool:
    """Whether a model separates classes; the other kind follows numbers."""
    return hasattr(model, "classes_")


def show_machine(model: SupportVectorMachine, place: int) -> ShownMachine:
    """A machine with all of its rows, where the model has kept them, or with some of its support vectors."""
    whole = model.examples_ is not None and not model.kernel_.precomputed
    machine = _by_rows(model, place) if whole else _by_support(model, place)
    classes = getattr(model, "classes_", ())
    if len(classes) <= 2:
        return machine
    one, other = class_pairs(len(classes))[place]
    return replace(machine, pair=f"{classes[one]} against {classes[other]}")


def columns_table(header: tuple[str, ...], *columns: Any) -> WorkTable:
    """A table from its columns, arrays or lists."""
    cells = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
    return WorkTable(header, tuple(zip(*cells, strict=True)))


def _by_rows(model: SupportVectorMachine, place: int) -> ShownMachine:
    examples: Any = model.examples_
    rows, target = dense(examples.rows), examples.target
    where = np.searchsorted(model.multipliers_["example"], model.support_)
    beta, number = np.zeros(len(rows)), model.multipliers_["example"]
    beta[where] = model.machine_coefficients()[:, place]
    f = model.row_decisions(examples.rows)[:, place]
    own = np.arange(len(rows))
    if classifies(model):
        pair = class_pairs(len(model.classes_))[place]
        own = np.flatnonzero(np.isin(target, pair))
        target = signs(target, pair, len(model.classes_))
    numbers = number[own].tolist()
    return ShownMachine(place, numbers, rows[own], target[own], beta[own], examples.cost[own], f[own], whole=True)


def _by_support(model: SupportVectorMachine, place: int) -> ShownMachine:
    beta = model.machine_coefficients()[:, place]
    cost, size = model.multipliers_["cost"], np.abs(beta)
    free = (size > 0.0) & (size < cost * (1.0 - AT_BOUND))
    chosen = np.sort(np.concatenate([_spread(np.flatnonzero(kind)) for kind in (free, (size > 0.0) & ~free)]))
    beta, cost, number = beta[chosen], cost[chosen], model.support_[chosen].tolist()
    target = np.sign(beta) if classifies(model) else None
    if model.kernel_.precomputed:
        return ShownMachine(place, number, np.empty((len(beta), 0)), target, beta, cost, None, whole=False)
    rows = model.support_vectors_[chosen]
    f = model.row_decisions(rows)[:, place]
    return ShownMachine(place, number, dense(rows), target, beta, cost, f, whole=False)


def _spread(places: Any) -> Any:
    """A few of some places, from the first to the last."""
    return places[np.unique(np.linspace(0, len(places) - 1, min(SUPPORT, len(places))).astype(np.int64))]
