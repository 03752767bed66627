"""What every learner shares: a scikit-learn estimator with a card, a derivation and a safe file.

A learner's `fit` is ingest, reduce, solve, set: `ingest` gives a `Table` whatever was passed, and remembers the schema.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from novacula.errors import DataError, SchemaError, UnseenCategoryWarning
from novacula.learner import ingest
from novacula.learner.card import Card
from novacula.learner.left_out import LeftOut
from novacula.learner.work import Work
from novacula.table import Chunk, Column, Schema, Table
from novacula.table.chunk import UNSEEN


class Learner(BaseEstimator):
    """The base of every learner; a family's learner derives from `Classifier` or `Regressor` below it."""

    card: ClassVar[Card]
    state_types: ClassVar[tuple[type, ...]] = ()
    """Dataclasses, besides the statistics, that its fitted attributes hold."""
    checks_finite: ClassVar[bool] = True
    """Whether arrays are checked for NaN and infinity at the door; False where statistic and answers show them."""
    kept_rows: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Fitted attributes that hold rows of the fit as they came, each a dictionary of arrays, and which of these arrays
    add up over equal rows: checks compare them as sets, so that a row of weight 2 and two rows are the same."""
    not_compared: ClassVar[Mapping[str, str]] = {}
    """What fitted attributes hold that is no part of the model, such as "multipliers_.row", and why it may differ
    between two fits of the same model. Checks compare everything else."""

    schema_: Schema
    n_features_in_: int

    def work(self, X: Any = None) -> Work:
        """Derive the fitted model, or with X its predictions, with the numbers put in."""
        raise NotImplementedError(f"{type(self).__name__} must derive its work")

    @property
    def n_parameters_(self) -> int:
        """How many numbers the answers of the fitted model are made of; every learner has to say so.

        It is what the simpler of two models has fewer of, and what a likelihood has to pay for. Numbers that follow
        from others are not counted again: of shares that sum to 1 all but one. A learner that keeps its rows counts
        the values that it keeps.
        """
        raise NotImplementedError(f"{type(self).__name__} must say how many parameters it has: define n_parameters_")

    def left_out(self, X: Any, y: Any) -> LeftOut | None:
        """What the fitted model would say of each row of its fit, had it not seen that row; None: refit to find out.

        X and y are the rows of the fit in their order, each of weight 1. A learner that has a formula for it gives the
        answers of a refit, up to rounding, and None where its settings do not allow the formula.
        """
        return None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a `.nova` file, which runs no code when it is loaded."""
        from novacula.learner.files import save

        check_is_fitted(self)
        save(self, path)

    def _check_state(self) -> None:
        """After loading: raise if fitted attributes do not fit each other, for learners whose kernels trust them."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.card.takes_missing
        tags.input_tags.sparse = "sparse" in self.card.takes
        tags.input_tags.categorical = "categorical" in self.card.takes
        tags.input_tags.string = "categorical" in self.card.takes
        return tags

    # --- in ----------------------------------------------------------------------------------------------------

    def _ingest_table(self, table: Table, first: bool = True) -> Table:
        """Check the columns of a table against what the learner takes; of later ones, take those of the first."""
        if not first:
            table = table.select([column.name for column in self.schema_.features])
        for column in table.layout.features:
            if column.kind not in self.card.takes:
                raise SchemaError(
                    f"{type(self).__name__} takes {' and '.join(self.card.takes)} columns, but {column.name!r} is "
                    f"{column.kind}: encode it, say with_types({{{column.name!r}: 'numeric'}}) if it holds true and "
                    f"false, or leave it out with drop({column.name!r})"
                )
        if not table.layout.features:
            raise SchemaError(f"{table.source.name} has no column to learn from")
        return table

    def _remember(self, table: Table) -> None:
        """Keep the features' schema, and for tables what scikit-learn keeps of frames."""
        layout = table.layout
        self.schema_ = Schema(layout.features, missing=layout.missing, missing_by_column=layout.missing_by_column)
        if not hasattr(self, "n_features_in_"):
            self.n_features_in_ = sum(column.width for column in layout.features)
            if all(column.kind != "sparse" for column in layout.features):
                self.feature_names_in_ = np.array([c.name for c in layout.features], dtype=object)

    def _forget(self) -> None:
        """Before a new fit: nothing of the last one stays."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("__")]:
            delattr(self, name)

    # --- out ---------------------------------------------------------------------------------------------------

    def _query(self, X: Any, unseen: str = "ignore") -> Table:
        """What is to be predicted, laid out by the schema of the fit."""
        check_is_fitted(self)
        policy = ingest.unseen_policy(unseen)
        table = ingest.as_table(X, None, None)
        if table is not None:
            return table.conform(self.schema_, policy)
        finite = self.checks_finite and not self.card.takes_missing
        source = ingest.columns_of(self, X, self.card.takes, reset=False, finite=finite)
        return Table(source, self.schema_, unseen=policy)

    def _report_unseen(self, table: Table, counts: Any) -> None:
        """Warn of categories that were not there at fit, with the columns and how many."""
        columns = table.layout.of_kind("categorical")
        found = [f"{c.name!r} ({int(n)})" for c, n in zip(columns, counts, strict=True) if n]
        if found:
            warnings.warn(
                f"categories that were not there at fit were treated as missing in {', '.join(found)}",
                UnseenCategoryWarning,
                stacklevel=4,
            )


class Classifier(ClassifierMixin, Learner):
    """A learner of classes."""

    classes_: Any

    def _ingest(self, X: Any, y: Any, sample_weight: Any, *, first: bool = True, classes: Any = None) -> Table:
        """Rows, classes and weights as a table with a categorical target, whose categories are the classes.

        `first`: features are set anew rather than compared; `classes`: the only ones that may occur.
        """
        table = ingest.as_table(X, y, sample_weight)
        if table is not None:
            return self._ingest_table(self._classified(table, classes), first)
        require_target(self, y)
        finite = self.checks_finite and not self.card.takes_missing
        source = ingest.columns_of(self, X, self.card.takes, reset=first, finite=finite)
        classes, source.target = ingest.labels_of(y, X, classes)
        source.weight = ingest.weights_of(sample_weight, X)
        name = ingest.target_names(source, source.target)[0]
        labels = Column(name, "categorical", tuple(classes.tolist()), declared=True, missing=0)
        return ingest.memory_table(source, [labels])

    def _classified(self, table: Table, classes: Any = None) -> Table:
        if len(table.layout.target) != 1:
            raise SchemaError(f"{type(self).__name__} learns one target; name it with y= or with_target")
        column = table.layout.target_columns[0]
        if classes is not None:
            return table.with_types({column.name: np.asarray(classes).tolist()})
        if column.kind == "numeric":
            table = table.with_types({column.name: "categorical"})
            labels = table.layout.target_columns[0].categories
            if any(isinstance(label, float) and not label.is_integer() for label in labels):
                raise DataError(f"the target {column.name!r} is continuous: classes must be whole numbers or words")
        elif column.kind == "text":
            raise SchemaError(f"the target {column.name!r} has too many distinct values to be classes")
        return table

    def _told_apart(self, table: Table) -> Any:
        """The classes of a table's target in order, of which there must be two at least."""
        labels = table.layout.target_columns[0].categories
        if len(labels) < 2:
            raise DataError(f"{table.source.name} has one class only, {labels[0]!r}: to tell classes apart takes two")
        return np.array(labels)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean accuracy on X; a table brings its own target."""
        if isinstance(X, Table):
            table = self._classified(X if y is None else X.with_target(y))
            y, sample_weight = ingest.target_values(table), ingest.weight_values(table)
        return float(super().score(X, y, sample_weight))


class Regressor(RegressorMixin, Learner):
    """A learner of numbers."""

    def _ingest(self, X: Any, y: Any, sample_weight: Any, *, first: bool = True) -> Table:
        """Rows, targets and weights as a table with numeric targets."""
        table = ingest.as_table(X, y, sample_weight)
        if table is not None:
            if not table.layout.target:
                raise SchemaError(f"{type(self).__name__} needs a target; name it with y= or with_target")
            for column in table.layout.target_columns:
                if column.kind != "numeric":
                    raise SchemaError(f"the target {column.name!r} is {column.kind}, not numeric")
            return self._ingest_table(table, first)
        require_target(self, y)
        finite = self.checks_finite and not self.card.takes_missing
        source = ingest.columns_of(self, X, self.card.takes, reset=first, finite=finite)
        source.target = ingest.numbers_of(y, X)
        source.weight = ingest.weights_of(sample_weight, X)
        targets = [Column(name, "numeric", missing=0) for name in ingest.target_names(source, source.target)]
        return ingest.memory_table(source, targets)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² on X; a table brings its own target."""
        if isinstance(X, Table):
            table = X if y is None else X.with_target(y)
            y, sample_weight = ingest.target_values(table), ingest.weight_values(table)
        return float(super().score(X, y, sample_weight))


class Unsupervised(Learner):
    """A learner of rows without a target: `y` is taken for the sake of pipelines, and a table's target is left out."""

    def _ingest(self, X: Any, sample_weight: Any, *, first: bool = True) -> Table:
        """Rows and weights as a table without a target."""
        table = ingest.as_table(X, None, sample_weight)
        if table is not None:
            return self._ingest_table(table.drop(table.layout.target) if table.layout.target else table, first)
        finite = self.checks_finite and not self.card.takes_missing
        source = ingest.columns_of(self, X, self.card.takes, reset=first, finite=finite)
        source.weight = ingest.weights_of(sample_weight, X)
        return ingest.memory_table(source, [])


def require_target(learner: Any, y: Any) -> None:
    """Refuse a fit without a target, in scikit-learn's words."""
    if y is None:
        raise DataError(f"This {type(learner).__name__} estimator requires y to be passed, but the target y is None.")


def count_unseen(chunk: Chunk) -> Any:
    """Unseen categories by column, as one row."""
    return (chunk.codes == UNSEEN).sum(axis=0, keepdims=True)


__all__ = ["Classifier", "Learner", "Regressor", "Unsupervised", "count_unseen"]
