"""A model as its trees or planes see rows: behind a preparation, with the original column that each one came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.evaluate.loss import Floats
from novacula.explain.answers import SeenAnswers
from novacula.explain.rows import SeenRows
from novacula.prepare.base import PreparedLearner
from novacula.table import Schema


@dataclass(frozen=True, eq=False)
class InnerView:
    """The learner that answers, the rows as it is given them, and for each of their columns the original one."""

    model: Any
    rows: SeenRows
    origin: tuple[int, ...]

    @property
    def is_one_to_one(self) -> bool:
        """Whether every original column is one column here."""
        return len(set(self.origin)) == len(self.origin)

    def by_origin(self, parts: Floats, n_columns: int) -> Floats:
        """Contributions (n, columns here, k) summed over those of each original column (n, d, k)."""
        total = np.zeros((len(parts), n_columns, parts.shape[2]))
        for j, origin in enumerate(self.origin):
            total[:, origin] += parts[:, j]
        return total


@dataclass(frozen=True, eq=False)
class Division:
    """Contributions (n, d, k), what every row begins with (k,), what is divided, and how."""

    values: Floats
    base: Floats
    answers: SeenAnswers
    method: str
    error: Floats | None = None  # (n, d, k) standard errors, where they were sampled


def inner_view(model: Any, rows: SeenRows) -> InnerView:
    """The learner behind a preparation, or the model itself."""
    if not isinstance(model, PreparedLearner):
        return InnerView(model, rows, tuple(range(len(rows.names))))
    layout = Schema(model.columns_, missing=())
    places = {name: j for j, name in enumerate(rows.names)}
    origin = tuple(places[name] for name in model.preparation_.origins())
    return InnerView(model.model_, SeenRows(model.preparation_.apply(rows.chunk), layout), origin)
