"""Linear models take finite numbers only. What is not finite shows in sums and answers, and is looked for only then."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from novacula.errors import DataError
from novacula.learner import ingest
from novacula.learner.base import Learner
from novacula.linear.rows import column_names, finite_columns
from novacula.table import Table
from novacula.table.chunk import Floats

ROWS = 10
"""Rows of X whose predictions are derived."""


class FiniteOnly(Learner):
    """A learner whose sums tell it of missing and infinite values."""

    checks_finite: ClassVar[bool] = False

    def _require_sound(self, X: Any, table: Table, weight: float, squares: Floats) -> None:
        """Refuse data without weight, and values that are not finite, which show in their squares."""
        if not weight > 0.0:
            raise DataError(f"the weights of {table.source.name} sum to zero: no row counts")
        if not np.isfinite(squares).all():
            self._refuse_not_finite(X, table)
            raise DataError(f"{table.source.name} holds numbers whose squares overflow: scale them")

    def _refuse_not_finite(self, X: Any, table: Table) -> None:
        """Raise for NaN and infinity: in scikit-learn's words if it knows X, else with the column's name."""
        if not isinstance(X, Table):
            ingest.columns_of(self, X, self.card.takes, reset=False, finite=True)
        finite = table.map(finite_columns).all(axis=0)
        if not finite.all():
            [name] = column_names(table.layout, [int(np.argmin(finite))])
            raise DataError(
                f"column {name!r} holds missing or infinite values (NaN or infinity) and "
                f"{type(self).__name__} takes none: impute or drop them"
            )

    def _first_rows(self, X: Any) -> tuple[Floats, bool]:
        """The rows of X whose predictions are derived (n, d), and whether there are more."""
        table = self._query(X)
        chunk = next(iter(table.chunks()))
        rows = chunk.rows(0, min(ROWS, len(chunk))).dense()
        if not np.isfinite(rows).all():
            self._refuse_not_finite(X, table)
        return rows, len(chunk) > ROWS
