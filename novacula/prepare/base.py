"""A learner behind its preparation: what classifier and regressor share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from novacula.learner.base import Learner
from novacula.learner.work import Step, Work, WorkTable
from novacula.prepare.encoding import Encoding, described
from novacula.table import Chunk, Table
from novacula.table.chunk_source import ChunkSource

DESCRIBED = 40
"""Columns whose preparation is told one by one."""


class Prepared(Learner):
    """Holds a learner in `model_`, and in `encoding_` what it is given in place of the columns."""

    state_types: ClassVar[tuple[type, ...]] = (Encoding,)
    learner: Any
    max_words: int
    unseen: str

    def _fit_behind(self, table: Table, learner: Any) -> None:
        """Find the preparation from the rows of a table with its target, and fit a clone of the learner behind it."""
        chunk = table.to_chunk()
        self.encoding_ = Encoding.fit(chunk, self.schema_, learner.card, self.max_words)
        self.model_ = clone(learner).fit(self._behind(chunk, table))

    @property
    def n_parameters_(self) -> int:
        """Those of the learner behind the preparation."""
        return int(self.model_.n_parameters_)

    def _behind(self, chunk: Chunk, table: Table) -> Table:
        """The rows as the learner sees them."""
        chunk = self.encoding_.apply(chunk)
        layout = replace(self.encoding_.layout(table.layout), n_rows=len(chunk))
        return Table(ChunkSource(chunk, layout, table.source.name), layout, unseen="ignore", progress=False)

    def _answer(self, method: str, X: Any) -> Any:
        """What the learner answers for rows as they come."""
        check_is_fitted(self)
        table = self._query(X, self.unseen)
        return getattr(self.model_, method)(self._behind(table.to_chunk(), table))

    def work(self, X: Any = None) -> Work:
        """What is done to the columns, and then the learner's own work."""
        check_is_fitted(self)
        if X is None:
            inner = self.model_.work()
        else:
            table = self._query(X, self.unseen)
            inner = self.model_.work(self._behind(table.to_chunk(), table))
        return Work(inner.title, [self._told(), *(self._tied(step) for step in inner)], inner.notes)

    def _told(self) -> Step:
        rows = described(self.encoding_, self.model_.card)
        left = len(rows) - DESCRIBED
        return Step(
            "Preparation",
            table=WorkTable(("column", f"what {self.model_.card.name} is given"), tuple(rows[:DESCRIBED])),
            note=f"… and {left} more columns." if left > 0 else "",
        )

    def _tied(self, step: Step) -> Step:
        """A step of the learner, tied to where it stands here: methods answer alike, attributes are its own."""
        if not step.of:
            return step
        if callable(getattr(type(self.model_), str(step.of[0]), None)):
            return step if hasattr(self, str(step.of[0])) else replace(step, of=())
        return replace(step, of=("model_", *step.of))


def answers_with(method: str) -> Any:
    """Whether the learner, fitted or not, has a method: for scikit-learn's `available_if`."""

    def check(prepared: Prepared) -> bool:
        return hasattr(getattr(prepared, "model_", prepared._learner()), method)

    return check
