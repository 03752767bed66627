"""A learner behind its preparation: what classifier, regressor and clusterer share.

A preparation is found from sums over the rows, and is then a function from a chunk to a chunk. So a learner that
streams still streams behind it, and the model is the same in memory, from files and on a cluster.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError, UnseenCategoryWarning
from novacula.learner.base import Learner
from novacula.learner.card import Card
from novacula.learner.derivation import cut_table
from novacula.learner.registry import learners
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.prepare.category_means import CategoryMeans
from novacula.prepare.choice import PreparationChoice
from novacula.prepare.drift import ColumnDrift, SeenValues, drift_of
from novacula.prepare.encoding import Encoding, same_columns
from novacula.prepare.preparation import Preparation
from novacula.prepare.sums import PreparationSums
from novacula.prepare.times import TimeParts
from novacula.state import State, each, instance, record
from novacula.table import Chunk, Column, Schema, Table
from novacula.table.answering import unbounded
from novacula.table.chunk_source import ChunkSource

MOST_DESCRIBED = 40
"""Columns whose preparation is shown one by one."""


class PreparedLearner(Learner):
    """Holds a learner in `model_`, and in `preparation_` how columns become what it takes."""

    state_types: ClassVar[tuple[type, ...]] = (Preparation, TimeParts, Encoding, CategoryMeans, SeenValues)
    state: ClassVar[State] = {
        "preparation_": record(Preparation, categorical="categorical", text="text"),
        "columns_": each(instance(Column)),
        "seen_": record(SeenValues, numeric="numeric", categorical="categorical"),
        "model_": instance(Learner),
    }

    def __init__(
        self,
        learner: Any = None,
        max_words: int = 300,
        unseen: str = "ignore",
        *,
        scale: str | None = None,
        fill: str | float | None = None,
        ordered: Sequence[str] | Mapping[str, Sequence[Any]] = (),
    ) -> None:
        self.learner = learner
        self.max_words = max_words
        self.unseen = unseen
        self.scale = scale
        self.fill = fill
        self.ordered = ordered

    @abstractmethod
    def inner_learner(self) -> Any:
        """The learner behind the preparation, not fitted: the one that was given, or the default."""

    def _learn(self, table: Table) -> None:
        """Find the preparation from one pass over the rows, and fit a clone of the learner behind it."""
        learner = self.inner_learner()
        if not answers(learner):
            raise ParameterError(f"learner={type(learner).__name__}() predicts nothing: give one that has a predict")
        ordered = self.ordered if isinstance(self.ordered, Mapping) else dict.fromkeys(self.ordered)
        choice = PreparationChoice(self.scale, self.fill, ordered)
        self.preparation_, sums = Preparation.find(table, learner.card, self.max_words, choice)
        self.columns_ = self.preparation_.columns(table.layout.roles)
        self.seen_ = SeenValues.of(sums, len(table.layout.of_kind("numeric")))
        kept, then = self._classes_with_rows(sums), self._on_target(sums)
        behind = table.expanded(self.preparation_.apply, self.columns_, kept, then)
        self.model_ = clone(learner).fit(behind.in_memory() if table.is_local else behind)

    def _classes_with_rows(self, sums: PreparationSums) -> list[Any] | None:
        """The classes that have rows of weight above 0, since a fold may lack a rare one; None without classes."""
        return None

    def _on_target(self, sums: PreparationSums) -> Callable[[Chunk], Chunk] | None:
        """What is done to target and weights before the learner sees them."""
        return None

    def _check_storable(self) -> None:
        if isinstance(self.learner, Learner) and type(self.learner) not in learners().values():
            self.learner._check_storable()  # which says why no file knows it

    def _check_state(self) -> None:
        """After loading: columns must go through the preparation to the learner, which is of the kind asked for."""
        if not self.preparation_.fits(self.schema_):
            raise ModelFileError("its preparation_ does not prepare the columns of its schema_")
        if not self.seen_.fits(self.schema_):
            raise ModelFileError("its seen_ is not of the columns of its schema_")
        if not _same_but_names(self.columns_, self.preparation_.columns()):
            raise ModelFileError("its columns_ are not those that its preparation_ gives")
        model = self.model_
        if type(model) is not type(self.inner_learner()) or not (hasattr(model, "schema_") and answers(model)):
            raise ModelFileError("its model_ is another learner than its parameters say, or is not fitted")
        seen = [(column.name, column.width) for column in model.schema_.features]
        if seen != [(column.name, column.width) for column in self.columns_]:
            raise ModelFileError("its model_ was fitted on other columns than its columns_")

    @property
    def n_parameters_(self) -> int:
        """Those of the learner, and the means of the target by category: other numbers of the preparation do not look
        at the target."""
        check_is_fitted(self)
        return int(self.model_.n_parameters_) + self.preparation_.n_parameters

    def drift(self, X: Any) -> tuple[ColumnDrift, ...]:
        """How the columns of other rows differ from those of the fit: unseen categories, values outside, drift."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)  # what it says is in the answer
            return drift_of(self.seen_, self.schema_, self._query(X))

    def _answer(self, method: str, X: Any) -> Any:
        """What the learner answers for rows as they come, chunk by chunk."""
        check_is_fitted(self)
        layout = Schema(self.columns_, missing=())
        return self._answers(X, answers_behind, self.preparation_, layout, self.model_, method, unseen=self.unseen)

    def _derive(self, options: WorkOptions) -> Work:
        """The preparation of the columns, and then the learner's own work."""
        return self._prepared(self.model_.work(**asdict(options)), options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        chunk = self._query(X, self.unseen).to_chunk()
        rows = behind(chunk, self.preparation_, Schema(self.columns_, missing=()))
        return self._prepared(self.model_.work(rows, **asdict(options)), options)

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return self._prepared(self.model_.work(iteration=iteration, **asdict(options)), options)

    def _prepared(self, inner: Work, options: WorkOptions) -> Work:
        """The learner's work behind its preparation, in the learner's notation."""
        described = self.preparation_.words()
        header = ("column", f"what {self.model_.card.name} is given")
        most = len(described) if options.is_full else MOST_DESCRIBED
        first = Step("Preparation", table=cut_table(header, described, len(described), most=most))
        return replace(inner, steps=(first, *map(self._tied, inner)))

    def _tied(self, step: Step) -> Step:
        """A step of the learner, tied to this model: methods answer alike, attributes are those of `model_`."""
        return replace(step, equation=tuple(replace(each, of=self._path(each.of)) for each in step.equations))

    def _path(self, of: tuple[str | int, ...]) -> tuple[str | int, ...]:
        if not of:
            return of
        if callable(getattr(type(self.model_), str(of[0]), None)):
            return of if hasattr(self, str(of[0])) else ()
        return ("model_", *of)


def answers(learner: Any) -> bool:
    """Whether a learner predicts something of rows."""
    return hasattr(learner, "predict")


def answers_with(method: str) -> Any:
    """Whether the learner, fitted or not, has a method: for scikit-learn's `available_if`."""

    def check(prepared: PreparedLearner) -> bool:
        return hasattr(getattr(prepared, "model_", prepared.inner_learner()), method)

    return check


@unbounded
def answers_behind(chunk: Chunk, preparation: Preparation, layout: Schema, model: Any, method: str) -> Any:
    """The answers of a method of the learner for the rows of a chunk."""
    return getattr(model, method)(behind(chunk, preparation, layout))


def behind(chunk: Chunk, preparation: Preparation, layout: Schema) -> Table:
    """The rows of a chunk as the learner sees them."""
    return Table(ChunkSource(preparation.apply(chunk), layout), layout, unseen="ignore", progress=False)


def _same_but_names(columns: Sequence[Column], made: Sequence[Column]) -> bool:
    """Whether columns are those that were made; at fit some had to avoid the names of target and weight."""
    named = [replace(one, name=two.name) for one, two in zip(made, columns, strict=False)]
    return len(columns) == len(made) and same_columns(columns, named)


class CardOfLearner:
    """The card of a preparation: it scales as the learner behind it does."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self._made: dict[tuple[Any, ...], Card] = {}  # kept, since every answer asks for it several times

    def __get__(self, prepared: PreparedLearner | None, kind: type | None = None) -> Card:
        if prepared is None:
            return self.card
        learner = prepared.inner_learner().card
        scale = learner.scales, learner.uses
        if scale not in self._made:
            self._made[scale] = replace(self.card, scales=learner.scales, uses=learner.uses)
        return self._made[scale]
