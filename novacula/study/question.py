"""What a study asks: which table, what to predict, how an error is measured, which rows are held out when.

The test rows are put aside here, and no learner sees them until the choice is made. All learners see the same folds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import clone

from novacula.evaluate.costs import CostMatrix
from novacula.evaluate.folds import Folds
from novacula.evaluate.metric import Metric
from novacula.evaluate.rows import SupervisedRows
from novacula.learner.base import Learner
from novacula.learner.card import Card, Extent
from novacula.learner.registry import find
from novacula.study.guest import Guest
from novacula.table import Table

Task: TypeAlias = Literal["classification", "regression"]


@dataclass(frozen=True, eq=False)
class Question:
    """Rows to learn from in folds, rows to be tested on at the end, and what an error is."""

    task: Task
    target: str
    train: SupervisedRows
    test: SupervisedRows | None
    folds: Folds
    metric: Metric
    seed: int
    notes: tuple[str, ...] = ()  # what was decided on the way, in sentences
    class_weight: str | Mapping[Any, float] | None = None
    target_transform: str | None = None  # what a target of numbers is learned as
    n_drawn_from: int = 0  # rows of the table, if these rows were drawn from more than could be held; else 0
    numbers: Any = None  # of the training rows in the table that was read, from 1; None: not known
    test_numbers: Any = None  # of the test rows
    guests: Mapping[str, Learner] = field(default_factory=dict)  # learners that were given rather than named

    @property
    def table(self) -> Table:
        """The rows to learn from."""
        table: Table = self.train.X
        return table

    def without(self, names: Collection[str]) -> Self:
        """The same question of tables without some columns."""
        if not names:
            return self
        kept = replace(self.train, X=self.train.X.drop(list(names)))
        test = None if self.test is None else replace(self.test, X=self.test.X.drop(list(names)))
        return replace(self, train=kept, test=test)

    def unprepared(self, name: str) -> Learner:
        """A learner as a study takes it, not fitted: by its name, or the one that was given."""
        if name in self.guests:
            return clone(self.guests[name])
        kind = find(name)
        return kind(**kind.card.study_settings)

    def card(self, name: str) -> Card:
        """The card of a learner that takes part."""
        return self.guests[name].card if name in self.guests else find(name).card

    def estimator(self, name: str) -> Any:
        """What a learner was named or given as."""
        guest = self.guests.get(name, name)
        return guest.estimator if isinstance(guest, Guest) else guest

    def is_foreign(self, name: str) -> bool:
        """Whether a learner is another library's, which no model file can hold."""
        return isinstance(self.guests.get(name), Guest)

    def learner(self, name: str, size: Any) -> Any:
        """A learner of this size, not fitted, behind its preparation, which answers by the metric's costs."""
        from novacula.prepare import PreparedClassifier, PreparedRegressor

        model: Any = self.unprepared(name)
        if size is not None:
            model.set_params(**{str(model.card.size): size})
        if "random_state" in model.get_params():
            model.set_params(random_state=self.seed)
        if self.task == "regression":
            return PreparedRegressor(model, target_transform=self.target_transform)
        costs = self.costs if hasattr(model, "predict_proba") else None
        return PreparedClassifier(model, costs=costs, class_weight=self.class_weight)

    def fit(self, name: str, size: Any, rows: SupervisedRows) -> Any:
        """A learner of this size, fitted on rows as if no others had been read."""
        return replace(rows, X=rows.X.with_own_categories()).fit(self.learner(name, size))

    @cached_property
    def costs(self) -> dict[Any, dict[Any, float]] | None:
        """What answers cost by the truth, where the metric says so; for balanced accuracy 1 over the class's share."""
        priced = self.metric.loss
        if isinstance(priced, CostMatrix):
            actions = priced.actions.tolist()
            rows = zip(priced.classes.tolist(), priced.costs.tolist(), strict=True)
            return {label: dict(zip(actions, row, strict=True)) for label, row in rows}
        if self.metric.name != "balanced":
            return None
        labels = np.unique(self.train.y)
        shares = [float(np.average(self.train.y == label, weights=self.train.weight)) for label in labels]
        names = labels.tolist()
        return {
            one: {other: 0.0 if one == other else 1.0 / max(share, 1e-12) for other in names}
            for one, share in zip(names, shares, strict=True)
        }

    @cached_property
    def extent(self) -> Extent:
        """What paths of sizes depend on, in a fold."""
        n = min(len(train) for train, _ in self.folds)
        width = sum(
            len(column.categories) if column.kind == "categorical" else column.width
            for column in self.table.layout.features
        )
        if self.task == "classification":
            return Extent(n, width, len(np.unique(self.train.y)))
        return Extent(n, width, target_spread=float(np.std(self.train.y)))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the rows, the split and the measure: the same question has the same."""
        digest = hashlib.sha256()
        for part in (self.train, self.test):
            if part is not None:
                digest.update(rows_hash(part.X).encode())
        digest.update(f"{self.task} {self.metric.name} {self.seed} {self.costs}".encode())
        digest.update(f"{self.class_weight} {self.target_transform}".encode())
        for train, held_out in self.folds:
            digest.update(train.astype(np.int64).tobytes() + held_out.astype(np.int64).tobytes())
        return digest.hexdigest()


def rows_hash(table: Table) -> str:
    """A hash of the columns, what they are, and every value."""
    digest, chunk = hashlib.sha256(table.layout.to_json().encode()), table.to_chunk()
    for array in (chunk.numeric, chunk.codes, chunk.weight, np.asarray(chunk.target is not None), chunk.target):
        if array is not None:
            digest.update(np.ascontiguousarray(array).tobytes())
    for column in chunk.text:
        digest.update("\x00".join(map(str, column)).encode())
    if chunk.sparse is not None:
        for array in (chunk.sparse.data, chunk.sparse.indices, chunk.sparse.indptr):
            digest.update(array.tobytes())
    return digest.hexdigest()


def subsample(rows: SupervisedRows, most: int | None, seed: int) -> SupervisedRows:
    """At most `most` of the rows, at random; all if it is None."""
    if most is None or most >= len(rows):
        return rows
    return rows.take(np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False)))
