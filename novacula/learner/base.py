"""What every learner shares: a scikit-learn estimator with a card, a derivation and a safe file.

There is one way in: `fit` makes a `Table` of its input, has it admit what the card says, keeps the schema,
and leaves the rest to the learner's `_learn(table)`. There is one way out: `_answers` lays rows out by that schema,
checks them as they pass, and reports categories that were not there at fit.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from novacula.advice import step
from novacula.errors import ParameterError, SchemaError
from novacula.learner import ingest
from novacula.learner.card import Admits, Card
from novacula.learner.checkpointing import kept_up
from novacula.learner.finite import finite_model
from novacula.learner.in_our_words import in_our_words
from novacula.learner.labels import class_array, labels_of, named_classes
from novacula.learner.left_out import LeftOut
from novacula.learner.showing import ShowsWork
from novacula.state import State, instance, labels, optional, texts, whole
from novacula.table import Chunk, Column, Schema, Table
from novacula.table.admitting import AnswerRunner, FitRunner, require_classes


class Learner(ShowsWork, BaseEstimator):
    """The base of every learner, which derives from `Classifier`, `Regressor` or `Unsupervised` below it."""

    card: ClassVar[Card]
    state: ClassVar[State] = {
        "schema_": instance(Schema),
        "n_features_in_": whole(size="inputs"),
        "feature_names_in_": optional(texts("columns")),
    }
    """What its fitted attributes are, in addition to what the bases declare: see `novacula.state`."""
    state_types: ClassVar[tuple[type, ...]] = ()
    """Dataclasses, besides the statistics, that its fitted attributes hold."""
    reports_unseen: ClassVar[bool] = True
    """Whether answers report categories that were not there at fit; False where the learner does so itself."""
    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    """What each parameter may be, in scikit-learn's words; checked before every fit."""
    kept_rows: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Fitted attributes that hold rows of the fit as they came, each a dictionary of arrays, and which of these arrays
    add up over equal rows: checks compare them as sets, so that a row of weight 2 and two rows are the same."""
    not_compared: ClassVar[Mapping[str, str]] = {}
    """What fitted attributes hold that is not part of the model, such as "multipliers_.row", and why it may differ
    between two fits of the same model. Checks compare everything else."""

    schema_: Schema
    n_features_in_: int

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows: an array, a frame or a `Table`, which brings its own target, or y names it."""
        return self._fit(X, y, sample_weight)

    def _require_result(self) -> None:
        check_is_fitted(self)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """What scikit-learn reads from the constructor, once for each class."""
        kind: type = cls
        return list(_parameter_names(kind))

    def _refuse_answers(self, X: Any) -> None:
        """Have the method that answers say of which row it cannot; what else it notices was said before."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in ("predict", "transform", "score_samples"):
                if hasattr(self, name):
                    getattr(self, name)(X)
                    return

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

    def code_length(self, n: float) -> tuple[float, str] | None:
        """The bits of the fitted model by a code of its own, and that code in words; None: by its parameters.

        n is the number of examples that numbers are stated for: without a code of its own a model costs ½ log₂ n bits
        per parameter.
        """
        return None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a `.nova` file, which runs no code when it is loaded."""
        from novacula.learner.files import save

        check_is_fitted(self)
        save(self, path)

    def _learn(self, table: Table, *args: Any, **more: Any) -> None:
        """Set the fitted attributes from the rows of a table; schema and classes are set already."""
        raise NotImplementedError(f"{type(self).__name__} must learn from a table")

    def _check_storable(self) -> None:
        """Before saving, and after loading before it is fitted: raise if a parameter is not one that files hold."""

    def _check_state(self) -> None:
        """After loading and before saving: raise a `ModelFileError` if something is wrong that `state` cannot say."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.card.admits.missing
        tags.input_tags.sparse = "sparse" in self.card.takes
        tags.input_tags.categorical = "categorical" in self.card.takes
        tags.input_tags.string = "categorical" in self.card.takes
        return tags

    # --- in ----------------------------------------------------------------------------------------------------

    def _fit(self, X: Any, y: Any = None, sample_weight: Any = None, **more: Any) -> Self:
        """Learn from rows, forgetting the last fit; `more` is what else a learner's `fit` takes, for its `_learn`."""
        with self._whole():
            table = self._begun(X, y, sample_weight)
            with kept_up(self, table, more), finite_model(self, table):
                self._learn(table, **more)
        return self

    def _begun(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """The table of a new fit, with schema and classes set."""
        self._validate_params()
        self._forget()
        table = self._ingest(X, y, sample_weight)
        self._remember(table)
        return table

    def _fit_more(self, X: Any, y: Any = None, sample_weight: Any = None, classes: Any = None) -> Self:
        """Learn from more rows, by the learner's `_learn_more(table, first)`.

        `classes` are all that will come, named on the first call.
        """
        self._validate_params()
        first = not hasattr(self, "schema_")
        with self._whole(first):
            table = self._ingest(X, y, sample_weight, first=first, piece=True, classes=classes)
            if first:
                self._remember(table)
            with finite_model(self, table):
                self._learn_more(table, first)
        return self

    def _learn_more(self, table: Table, first: bool) -> None:
        """Update the fitted attributes with a table; `first` says that nothing was fitted before."""
        raise NotImplementedError(f"{type(self).__name__} has no partial_fit")

    def _ingest(
        self, X: Any, y: Any, sample_weight: Any, *, first: bool = True, piece: bool = False, classes: Any = None
    ) -> Table:
        """What was passed as a table that admits what the card says.

        `first`: columns are set rather than compared; `piece`: other rows, with other classes, may follow;
        `classes`: the only ones that may occur.
        """
        table = ingest.as_table(X, y, sample_weight)
        if table is None:
            source = ingest.columns_of(self, X, reset=first)
            source.weight = ingest.weights_of(sample_weight, X)
            with in_our_words():
                targets = self._targets_beside(source, X, y, classes)
            table = ingest.memory_table(source, targets)
        else:
            table = self._with_target(table, classes)
            if not first:
                table = table.select([column.name for column in self.schema_.features])
        self._require_columns(table)
        admits = replace(self._admits, classes=1) if piece else self._admits
        return table.with_runner(FitRunner(table, admits))

    @property
    def _admits(self) -> Admits:
        """What tables are checked for: what the card says, unless the learner checks rows itself."""
        return self.card.admits

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        """Attach the target to rows in memory, and give its columns."""
        raise NotImplementedError(f"{type(self).__name__} must say what its target is")

    def _with_target(self, table: Table, classes: Any) -> Table:
        """A table with the target that the learner takes."""
        raise NotImplementedError(f"{type(self).__name__} must say what its target is")

    def _require_columns(self, table: Table) -> None:
        """Check the columns of a table against what the learner takes."""
        for column in table.layout.features:
            if column.kind not in self.card.takes:
                name, takes = column.name, " and ".join(self.card.takes)
                number, leave = step("types", {name: "numeric"}), step("drop", name)
                raise SchemaError(
                    f"{type(self).__name__} takes {takes} columns, but {name!r} is {column.kind}: encode it, say "
                    f"{number} if it holds true and false, or leave it out with {leave}"
                )
        if not table.layout.features:
            raise SchemaError(f"{table.source.name} has no column to learn from")

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

    @contextmanager
    def _whole(self, is_new: bool = True) -> Iterator[None]:
        """A fit that fails half-way leaves no half of a model behind."""
        try:
            yield
        except BaseException:
            if is_new:
                self._forget()
            raise

    # --- out ---------------------------------------------------------------------------------------------------

    def _answers(
        self, X: Any, function: Callable[..., Any], *args: Any, unseen: str = "ignore", propagates: bool = False
    ) -> Any:
        """What `function(chunk, *args)` says of each row of X, under each other.

        `propagates`: values that are not admitted make the answer for their row NaN or infinite, so that rows are
        checked only where an answer is.
        """
        return self._query(X, unseen, propagates).map(function, *args)

    def _first_rows(self, X: Any, most: int, unseen: str = "ignore") -> tuple[Chunk, bool]:
        """The first rows of X, whose answers are derived, and whether there are more."""
        with closing(self._query(X, unseen).chunks()) as chunks:
            chunk = next(chunks)
        return chunk.rows(0, min(most, len(chunk))), len(chunk) > most

    def _query(self, X: Any, unseen: str = "ignore", propagates: bool = False) -> Table:
        """What is to be answered, laid out by the schema of the fit; its first pass checks the rows."""
        check_is_fitted(self)
        policy = ingest.unseen_policy(unseen)
        table = ingest.as_table(X, None, None)
        if table is None:
            table = Table(ingest.columns_of(self, X, reset=False), self.schema_, unseen=policy)
        else:
            table = table.conform(self.schema_, policy)
        return self._answering(table, propagates)

    def _answering(self, table: Table, propagates: bool = False) -> Table:
        """A table whose first pass checks the rows, and reports categories that were not there at fit."""
        return table.with_runner(AnswerRunner(table, self._admits, propagates, self.reports_unseen))


class Classifier(ClassifierMixin, Learner):
    """A learner of classes."""

    state: ClassVar[State] = {"classes_": labels("classes")}

    classes_: Any

    def _ingest(
        self, X: Any, y: Any, sample_weight: Any, *, first: bool = True, classes: Any = None, **how: Any
    ) -> Table:
        """Rows of the classes that were named on the first call, if this is a later one."""
        if not first:
            if classes is not None and not np.array_equal(named_classes(classes), np.unique(self.classes_)):
                known = ", ".join(map(repr, self.classes_.tolist()))
                raise ParameterError(f"classes differ from those of the first call, {known}: name the same, or none")
            classes = self.classes_
        return super()._ingest(X, y, sample_weight, first=first, classes=classes, **how)

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        require_target(self, y)
        labels, source.target = labels_of(y, X, classes)
        [name] = ingest.target_names(source, source.target)
        return [Column(name, "categorical", tuple(labels.tolist()), declared=True, missing=0)]

    def _with_target(self, table: Table, classes: Any = None) -> Table:
        """The table with a categorical target, whose categories are the classes."""
        return ingest.with_classes(table, type(self).__name__, classes)

    def _remember(self, table: Table) -> None:
        """Keep the schema and the classes, of which there must be as many as the card says."""
        super()._remember(table)
        self._keep_classes(table)

    def _keep_classes(self, table: Table) -> None:
        labels = table.layout.target_columns[0].categories
        require_classes(table, labels, self.card.admits)
        self.classes_ = class_array(labels)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean accuracy on X; a table brings its own target."""
        if isinstance(X, Table):
            table = self._with_target(X if y is None else X.with_target(y))
            y, sample_weight = ingest.target_values(table), ingest.weight_values(table)
        return float(super().score(X, y, sample_weight))


class Regressor(RegressorMixin, Learner):
    """A learner of numbers."""

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        require_target(self, y)
        source.target = ingest.numbers_of(y, X)
        return ingest.number_columns(source)

    def _with_target(self, table: Table, classes: Any = None) -> Table:
        return ingest.with_numbers(table, type(self).__name__)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R² on X; a table brings its own target."""
        if isinstance(X, Table):
            table = X if y is None else X.with_target(y)
            y, sample_weight = ingest.target_values(table), ingest.weight_values(table)
        return float(super().score(X, y, sample_weight))


class Unsupervised(Learner):
    """A learner of rows without a target: `y` is taken for the sake of pipelines, and a table's target is left out."""

    def _ingest(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Table:
        """Rows; y is ignored."""
        return super()._ingest(X, None, sample_weight, **how)

    def _targets_beside(self, source: Any, X: Any, y: Any, classes: Any) -> list[Column]:
        return []

    def _with_target(self, table: Table, classes: Any = None) -> Table:
        return table.drop(table.layout.target) if table.layout.target else table


@cache
def _parameter_names(kind: type) -> tuple[str, ...]:
    return tuple(BaseEstimator._get_param_names.__func__(kind))


def require_target(learner: Any, y: Any) -> None:
    """Refuse a fit without a target."""
    if y is None:
        raise ingest.no_target(type(learner).__name__)


__all__ = ["Classifier", "Learner", "Regressor", "Unsupervised"]
