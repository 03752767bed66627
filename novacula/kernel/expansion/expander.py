"""A learner whose answer is columns: rows become features, a table becomes a table that makes them as it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from novacula.kernel.algebra import ColumnSpread
from novacula.kernel.chunk_rows import rows_of
from novacula.kernel.expansion.derivation import Expanded
from novacula.kernel.expansion.maps import observe_spread
from novacula.learner import ingest
from novacula.learner.base import Unsupervised
from novacula.learner.showing import WorkOptions
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

FEW = 40
"""Rows whose kernel is compared with its approximation."""


class Expander(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised):
    """Fits a map from rows to features, and applies it."""

    def _map(self) -> Callable[[Chunk], Floats]:
        """The fitted map."""
        raise NotImplementedError(f"{type(self).__name__} must give its map")

    def transform(self, X: Any) -> Any:
        """The features (n, p) of each row; of a table a table, whose features are made chunk by chunk as it is read."""
        check_is_fitted(self)
        table = ingest.as_table(X, None, None)
        if table is None:
            return self._answers(X, self._map())
        conformed = table.conform(self.schema_, "ignore", keep_roles=True)
        return self._answering(conformed).expanded(self._map(), self.get_feature_names_out().tolist())

    def _spread(self, table: Table) -> ColumnSpread:
        """Mean and variance of the columns, from one pass."""
        spread = table.reduce(observe_spread)
        names = tuple(self.schema_.column_names())
        return ColumnSpread(spread.mean, spread.ssd / spread.weight, names)

    def _expanded(self, X: Any, options: WorkOptions) -> Expanded:
        """The first rows of X with their features: as many as are compared."""
        chunk, _ = self._first_rows(X, max(FEW, options.rows + 1))
        return Expanded(rows_of(chunk), self._map()(chunk), min(options.rows, len(chunk)), len(chunk) > options.rows)

    @property
    def _n_features_out(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must count its features")
