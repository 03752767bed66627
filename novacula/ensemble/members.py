"""What ensembles of any learner share: models in `estimators_`, fitted on the same columns with other weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from novacula.errors import ModelFileError, ParameterError
from novacula.learner.base import Learner
from novacula.learner.card import Card
from novacula.state import State, each, instance
from novacula.table import Chunk, Schema, Table
from novacula.table.answering import unbounded
from novacula.table.chunk import Floats
from novacula.table.chunk_source import ChunkSource


class CardOfMembers:
    """The card of an ensemble: it takes and admits what its learner does."""

    def __init__(self, card: Card) -> None:
        self.card = card

    def __get__(self, ensemble: EnsembleOfLearners | None, kind: type | None = None) -> Card:
        if ensemble is None:
            return self.card
        learner = ensemble.inner_learner().card
        return replace(self.card, takes=learner.takes, admits=learner.admits, uses=learner.uses, counts=learner.counts)


class EnsembleOfLearners(Learner):
    """Holds models of one learner in `estimators_`."""

    estimator: Any
    estimators_: Sequence[Any]
    state: ClassVar[State] = {"estimators_": each(instance(Learner), "members")}

    @abstractmethod
    def inner_learner(self) -> Any:
        """The learner of the models, not fitted: the one that was given, or the default."""

    def _fitted(self, table: Table, seed: int) -> Any:
        """A model of the learner; where it draws, it draws by this seed."""
        model = clone(self.inner_learner())
        if "random_state" in model.get_params(deep=False):
            model.set_params(random_state=seed)
        return model.fit(table)

    def _rows(self, table: Table) -> Table:
        """The rows in memory."""
        if not hasattr(self.inner_learner(), "predict"):
            raise ParameterError(f"estimator={type(self.inner_learner()).__name__}() predicts nothing: give another")
        return table if table.is_local else table.in_memory()

    def _layout(self) -> Schema:
        return Schema(self.schema_.features, missing=())

    @property
    def n_parameters_(self) -> int:
        """Those of all models, and a weight for each."""
        check_is_fitted(self)
        return sum(int(model.n_parameters_) + 1 for model in self.estimators_)

    def _check_state(self) -> None:
        """After loading: the models are fitted ones of the learner, on columns of the ensemble."""
        names = {(column.name, column.kind, column.width) for column in self.schema_.features}
        for model in self.estimators_:
            if type(model) is not type(self.inner_learner()) or not hasattr(model, "schema_"):
                raise ModelFileError("its estimators_ hold another learner than its parameters say")
            if not {(column.name, column.kind, column.width) for column in model.schema_.features} <= names:
                raise ModelFileError("its estimators_ were fitted on other columns")
            if hasattr(self, "classes_") and not np.array_equal(model.classes_, self.classes_):
                raise ModelFileError("its estimators_ have other classes than its classes_")
        if not self.estimators_:
            raise ModelFileError("its estimators_ are none")


def answers_of(chunk: Chunk, layout: Schema, models: Sequence[Any], method: str) -> Iterator[Any]:
    """What each model answers for the rows of a chunk."""
    for model in models:
        yield getattr(model, method)(Table(ChunkSource(chunk, layout), layout, unseen="ignore", progress=False))


def votes_of(answers: Any, classes: Any) -> Floats:
    """Labels (n,) as votes (n, K)."""
    return (np.asarray(answers)[:, None] == classes).astype(np.float64)


@unbounded
def all_votes(chunk: Chunk, layout: Schema, models: Sequence[Any], classes: Any) -> Floats:
    """The votes (n, M, K) of each model: for `_answers`."""
    votes = [votes_of(said, classes) for said in answers_of(chunk, layout, models, "predict")]
    return np.stack(votes, axis=1)


@unbounded
def all_answers(chunk: Chunk, layout: Schema, models: Sequence[Any], method: str) -> Floats:
    """The answers (n, M, K) of each model, of numbers (n, M, 1): for `_answers`."""
    said = [np.asarray(answer, np.float64) for answer in answers_of(chunk, layout, models, method)]
    return np.stack([answer.reshape(len(answer), -1) for answer in said], axis=1)
