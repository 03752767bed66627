"""From a table to a question: the task, the rows that are put aside for the test, the folds, and the measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from novacula.errors import DataError, ParameterError, SchemaError
from novacula.evaluate.folds import Folds, is_classes
from novacula.evaluate.folds import folds as cut
from novacula.evaluate.metric import USUAL, MetricLike, metric, of_rarer, require_classes, require_task
from novacula.evaluate.rows import SupervisedRows
from novacula.evaluate.split import split_rows
from novacula.learner.ingest import target_values, weight_values
from novacula.prepare.target import TRANSFORMS
from novacula.study.question import Question, Task
from novacula.table import Table
from novacula.table.labelled import row_numbers
from novacula.words import listed, quoted

MAX_COLUMNS = 10_000
"""Columns of a table that is compared; a sparse block is one of them."""
MAX_CELLS = 50_000_000
"""Values that a study holds in memory; from a larger table it takes rows at random."""
USUAL_FOLDS = ((100_000, 3), (10_000, 5), (0, 10))
"""Folds where nobody says how many, by the rows there are: many rows need few."""


def ask(
    table: Table,
    *,
    folds: int | None,
    test: float | Table,
    metric: MetricLike | None,
    task: Task | None,
    seed: int,
    groups: str | None = None,
    time: str | None = None,
    class_weight: str | Mapping[Any, float] | None = None,
    target_transform: str | None = None,
) -> Question:
    """Settle the question of a table with a target.

    `test` is a share of the rows or a table of others. Rows with the same value in the column `groups` stay together;
    by the column `time`, learners are measured on later rows than those they were fitted on.
    """
    name = _target_of(table)
    _require_columns(table, name, groups, time)
    n_rows = len(table)
    table, numbers, notes = _sample(table, seed)
    table, task, more = _settle_task(table, name, task)
    labels = target_values(table)
    if task == "classification" and len(np.unique(labels)) < 2:
        raise DataError(f"the target {name!r} has one class only, {str(labels[0])!r}: there is nothing to learn")
    if len(labels) < 4:
        raise DataError(f"{table.source.name} has {len(labels)} rows, and a study needs at least 4")
    measure = _measure(metric, task, labels)
    if time is not None:
        order = np.argsort(_values_of(table, time), kind="stable")
        table, labels, numbers = table.take(order), labels[order], _some(numbers, order)
    groups_of_rows = None if groups is None else _values_of(table, groups)
    share = test if not isinstance(test, Table) else 0.0
    train_rows, test_rows, note = _put_aside(labels, share, task, seed, groups_of_rows, time is not None)
    if groups is not None:
        table = table.drop(groups)
    train = _rows(table, train_rows, task)
    k = min(_usual_folds(len(train_rows)) if folds is None else folds, len(train_rows))
    if time is None:
        groups_of_rows = None if groups_of_rows is None else groups_of_rows[train_rows]
        parts = cut(train.y, k, task == "classification", seed, groups_of_rows)
    else:
        parts = folds_in_order(len(train_rows), k)
    sentences = [*notes, *more, note, parts.reason and f"There are {parts.reason}.", _kept_together(groups, time)]
    aside, test_numbers = _rows(table, test_rows, task) if len(test_rows) else None, _some(numbers, test_rows)
    if isinstance(test, Table):
        aside = _test_rows(test, table, task)
        test_numbers = row_numbers(test)
    kept = tuple(sentence for sentence in sentences if sentence)
    _require_settings(task, class_weight, target_transform)
    n_drawn_from = n_rows if notes else 0
    question = Question(
        task, name, train, aside, parts, measure, seed, kept, class_weight, target_transform, n_drawn_from
    )
    return replace(question, numbers=_some(numbers, train_rows), test_numbers=test_numbers)


def _some(numbers: Any, places: Any) -> Any:
    """The numbers of some rows, where they are known."""
    return None if numbers is None else numbers[places]


def _target_of(table: Table) -> str:
    if len(table.layout.target) != 1:
        raise SchemaError(
            f"a study learns one target, and {table.source.name} has {len(table.layout.target)}: name one"
        )
    return table.layout.target[0]


def _require_columns(table: Table, name: str, groups: str | None, time: str | None) -> None:
    """Refuse tables that are too narrow or too wide, and roles of columns that cannot have them."""
    if not table.layout.features:
        raise SchemaError(f"{table.source.name} has no column to learn from, only the target {name!r}")
    if len(table.layout.features) > MAX_COLUMNS:
        raise SchemaError(
            f"{table.source.name} has {len(table.layout.features):,} columns, and a study compares learners on at most "
            f"{MAX_COLUMNS:,}: keep the most informative ones, which FeatureRanker finds"
        )
    if groups is not None and time is not None:
        raise ParameterError("groups and time cannot both say which rows are held out: give one of them")
    known = {column.name: column.kind for column in table.layout.features}
    for role, column, kinds in (("groups", groups, ("numeric", "categorical", "text")), ("time", time, ("numeric",))):
        if column is None:
            continue
        if column not in known:
            raise SchemaError(f"{role} names {quoted(column)}, which is not a column that learners are given")
        if known[column] not in kinds:
            raise SchemaError(
                f"{role} names {quoted(column)}, which is {known[column]}: name a column of dates or numbers"
            )
    if groups is not None and len(known) == 1:
        raise SchemaError(
            f"{quoted(groups)} is the only column, and groups leaves it out: nothing is left to learn from"
        )


def _measure(which: MetricLike | None, task: Task, labels: Any) -> Any:
    measure = metric(USUAL[task] if which is None else which)
    require_task(measure, task)
    if task == "classification":
        require_classes(measure, np.unique(labels))
        measure = of_rarer(measure, labels)
    return measure


def _require_settings(task: Task, class_weight: Any, target_transform: str | None) -> None:
    """Refuse what is said of the target that its task does not have."""
    if class_weight is not None and task == "regression":
        raise ParameterError("class_weight is for classes, and the target is numbers: leave it out")
    if target_transform is not None and task == "classification":
        raise ParameterError("target_transform is for a target of numbers, and the target is classes: leave it out")
    if target_transform is not None and target_transform not in TRANSFORMS:
        raise ParameterError(f"target_transform is {quoted(target_transform)}; it must be one of {listed(TRANSFORMS)}")
    if isinstance(class_weight, str) and class_weight != "balanced":
        raise ParameterError(f"class_weight is {quoted(class_weight)}; it must be 'balanced', or say a weight by class")


def _usual_folds(n: int) -> int:
    return next(k for least, k in USUAL_FOLDS if n >= least)


def _sample(table: Table, seed: int) -> tuple[Table, Any, list[str]]:
    """The table in memory, or as many of its rows as a study can hold; their numbers, from 1."""
    width = sum(column.width for column in table.layout.features) + 1
    most = max(MAX_CELLS // width, 1000)
    n = len(table)
    if n <= most:
        return table.in_memory(), row_numbers(table), []
    rows = np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
    note = f"The study uses {most:,} rows drawn at random from {n:,}, too many to hold at once."
    numbers = row_numbers(table)
    return table.take(rows), None if numbers is None else numbers[rows], [note]


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
    table = table.with_types({name: _whole_classes(table)}).in_memory()
    count = len(table.layout[name].categories)
    note = f"The target {name!r} has {count} distinct whole numbers, so they are treated as classes."
    return table, "classification", [note] if task is None else []


def _whole_classes(table: Table) -> Any:
    """What a numeric target is to be: the classes 0 and 1 where numbers are 0.0 and 1.0, as people write them."""
    values = np.unique(target_values(table))
    is_whole = values.dtype.kind == "f" and np.abs(values).max() < 2.0**53 and (values == np.round(values)).all()
    return [int(value) for value in values] if is_whole else "categorical"


def _values_of(table: Table, name: str) -> Any:
    """The values of a column, which must all be known, as numbers: equal values have equal ones."""
    chunk, column = table.to_chunk(), table.layout[name]
    place = table.layout.of_kind(column.kind).index(column)
    if column.kind == "text":
        values = np.array([str(word) for word in chunk.text[place]])
        missing = np.array([word is None for word in chunk.text[place]])
    else:
        values = chunk.numeric[:, place] if column.kind == "numeric" else chunk.codes[:, place]
        missing = np.isnan(values) if column.kind == "numeric" else values < 0
    if missing.any():
        raise DataError(f"row {int(np.argmax(missing)) + 1} has no value in {name!r}, by which rows are held out")
    return values


def _kept_together(groups: str | None, time: str | None) -> str:
    """What decides about which rows are held out, as a sentence; empty where it is chance alone."""
    if groups is not None:
        return f"Rows with the same {quoted(groups)} are held out together, and no learner is given that column."
    if time is not None:
        return f"Learners are measured on rows that come later, by {quoted(time)}, than those they were fitted on."
    return ""


def _put_aside(labels: Any, test: float, task: Task, seed: int, groups: Any, in_order: bool) -> tuple[Any, Any, str]:
    """The rows to learn from, those for the test, and a note."""
    n = len(labels)
    if in_order:
        train_rows, _, test_rows = split_rows(n, test=test, validation=0.0, random_state=seed)
        return np.arange(len(train_rows)), np.arange(len(train_rows), n), ""
    if groups is not None:
        train_rows, _, test_rows = split_rows(n, test=test, validation=0.0, groups=groups, random_state=seed)
        return train_rows, test_rows, ""
    stratified = task == "classification" and np.unique(labels, return_counts=True)[1].min() > 1
    y = labels if stratified else n
    train_rows, _, test_rows = split_rows(y, test=test, validation=0.0, random_state=seed)
    note = (
        "" if stratified or task == "regression" else "A class has one row only, so the test rows are not stratified."
    )
    return train_rows, test_rows, note


def folds_in_order(n: int, k: int) -> Folds:
    """Rows in the order of time, cut into k + 1 blocks: each but the first is held out from those before it.

    >>> [(train.tolist(), held_out.tolist()) for train, held_out in folds_in_order(7, 2)]
    [([0, 1, 2], [3, 4]), ([0, 1, 2, 3, 4], [5, 6])]
    """
    k = min(k, n - 1)
    ends = np.cumsum([len(block) for block in np.array_split(np.arange(n), k + 1)])
    return Folds(tuple((np.arange(ends[i]), np.arange(ends[i], ends[i + 1])) for i in range(k)))


def _rows(table: Table, places: Any, task: Task) -> SupervisedRows:
    part = table.take(places)
    target = target_values(part)
    return SupervisedRows(part, target.astype(float) if task == "regression" else target, weight_values(part))


def _test_rows(test: Table, table: Table, task: Task) -> SupervisedRows:
    """Rows of another table to be tested on, laid out as those to learn from."""
    [name] = table.layout.target
    if name not in test.layout:
        raise SchemaError(f"{test.source.name} has no column {name!r}, which is to be predicted: a test needs it")
    test = test.with_target(name)
    if task == "classification" and test.layout[name].kind != "categorical":
        test = test.with_types({name: "categorical"})
    rows = test.conform(table.layout, "ignore", keep_roles=True).in_memory()
    return _rows(rows, np.arange(len(rows)), task)
