"""What a study asks: which table, what to predict, how an error is measured, which rows are held out when.

The test rows are put aside here, and no learner sees them until the choice is made. All learners see the same folds.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from novacula.errors import DataError, ParameterError, SchemaError
from novacula.evaluate.folds import Folds, is_classes
from novacula.evaluate.folds import folds as cut
from novacula.evaluate.loss import LossFunction, loss, metric_name
from novacula.evaluate.rows import SupervisedRows
from novacula.evaluate.split import split_rows
from novacula.learner.card import Extent
from novacula.learner.ingest import target_values, weight_values
from novacula.table import Table

Task: TypeAlias = Literal["classification", "regression"]

MAX_COLUMNS = 10_000
"""Columns of a table that is compared; a sparse block is one of them."""
MAX_CELLS = 50_000_000
"""Values that a study holds in memory; from a larger table it takes rows at random."""


@dataclass(frozen=True, eq=False)
class Question:
    """Rows to learn from in folds, rows to be tested on at the end, and what an error is."""

    task: Task
    target: str
    train: SupervisedRows
    test: SupervisedRows | None
    folds: Folds
    metric: LossFunction
    seed: int
    notes: tuple[str, ...] = ()  # what was decided on the way, in sentences
    n_drawn_from: int = 0  # rows of the table, if these rows were drawn from more than could be held; else 0

    @property
    def table(self) -> Table:
        """The rows to learn from."""
        table: Table = self.train.X
        return table

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
        digest.update(f"{self.task} {self.metric.name} {self.seed}".encode())
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


def ask(
    table: Table, *, folds: int, test: float, metric: str | LossFunction | None, task: Task | None, seed: int
) -> Question:
    """Settle the question of a table with a target."""
    if len(table.layout.target) != 1:
        raise SchemaError(
            f"a study learns one target, and {table.source.name} has {len(table.layout.target)}: name one"
        )
    name = table.layout.target[0]
    if not table.layout.features:
        raise SchemaError(f"{table.source.name} has no column to learn from, only the target {name!r}")
    if len(table.layout.features) > MAX_COLUMNS:
        raise SchemaError(
            f"{table.source.name} has {len(table.layout.features):,} columns, and a study compares learners on at most "
            f"{MAX_COLUMNS:,}: keep the most informative ones, which FeatureRanker finds"
        )
    n_rows = len(table)
    table, notes = _sample(table, seed)
    table, task, more = _settle_task(table, name, task)
    labels = target_values(table)
    if task == "classification" and len(np.unique(labels)) < 2:
        raise DataError(f"the target {name!r} has one class only, {str(labels[0])!r}: there is nothing to learn")
    if len(labels) < 4:
        raise DataError(f"{table.source.name} has {len(labels)} rows, and a study needs at least 4")
    train_rows, test_rows, note = _put_aside(labels, test, task, seed)
    train = _rows(table, train_rows, task)
    parts = cut(train.y, min(folds, len(train_rows)), task == "classification", seed)
    measure = loss(("zero_one" if task == "classification" else "squared") if metric is None else metric)
    if (measure.needs == "numbers") != (task == "regression"):
        raise ParameterError(f"the {metric_name(measure)} is not a measure of {task}: take another metric")
    sentences = tuple(filter(None, [*notes, *more, note, parts.reason and f"There are {parts.reason}."]))
    aside = _rows(table, test_rows, task) if len(test_rows) else None
    return Question(task, name, train, aside, parts, measure, seed, sentences, n_rows if notes else 0)


def _sample(table: Table, seed: int) -> tuple[Table, list[str]]:
    """The table in memory, or as many of its rows as a study can hold."""
    width = sum(column.width for column in table.layout.features) + 1
    most = max(MAX_CELLS // width, 1000)
    n = len(table)
    if n <= most:
        return table.in_memory(), []
    rows = np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
    return table.take(rows), [f"The study uses {most:,} rows drawn at random from {n:,}, too many to hold at once."]


def _settle_task(table: Table, name: str, task: Task | None) -> tuple[Table, Task, list[str]]:
    """The table with a target of classes or numbers, as the task asks; the task, where nobody said; and notes."""
    column = table.layout[name]
    if task not in (None, "classification", "regression"):
        raise ParameterError(f"task is {task!r}; it must be 'classification' or 'regression'")
    if column.kind == "text":
        raise SchemaError(f"the target {name!r} is text with too many distinct values to be classes")
    if column.kind == "categorical":
        if task == "regression":
            raise SchemaError(
                f"the target {name!r} holds words, which regression cannot learn: take task='classification'"
            )
        return table, "classification", []
    if task is None and not is_classes(target_values(table)):
        return table, "regression", []
    if task == "regression":
        return table, task, []
    table = table.with_types({name: "categorical"}).in_memory()
    count = len(table.layout[name].categories)
    note = f"The target {name!r} has {count} distinct whole numbers, so they are treated as classes."
    return table, "classification", [note] if task is None else []


def _put_aside(labels: Any, test: float, task: Task, seed: int) -> tuple[Any, Any, str]:
    """The rows to learn from, those for the test, and a note."""
    stratified = task == "classification" and np.unique(labels, return_counts=True)[1].min() > 1
    y = labels if stratified else len(labels)
    train_rows, _, test_rows = split_rows(y, test=test, validation=0.0, random_state=seed)
    note = (
        "" if stratified or task == "regression" else "A class has one row only, so the test rows are not stratified."
    )
    return train_rows, test_rows, note


def _rows(table: Table, places: Any, task: Task) -> SupervisedRows:
    part = table.take(places)
    target = target_values(part)
    return SupervisedRows(part, target.astype(float) if task == "regression" else target, weight_values(part))


def subsample(rows: SupervisedRows, most: int | None, seed: int) -> SupervisedRows:
    """At most `most` of the rows, at random; all if it is None."""
    if most is None or most >= len(rows):
        return rows
    return rows.take(np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False)))
