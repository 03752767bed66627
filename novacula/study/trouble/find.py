"""All that is looked for: in a question, and in a table without a target."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from novacula.study.finding import Finding
from novacula.study.question import Question
from novacula.study.trouble.columns import Feature, Numbers, columns_named, features_of, safe_quote, sample_rows
from novacula.study.trouble.drift import find_drift
from novacula.study.trouble.duplicates import Copies, find_contradictions, find_copies, find_test_copies
from novacula.study.trouble.giveaway import find_class_giveaways, find_number_giveaways, find_telling_gaps
from novacula.study.trouble.identifiers import find_identifiers
from novacula.study.trouble.target import find_rare_categories, find_skew, find_uneven_classes
from novacula.study.trouble.together import find_alike, find_few_rows, find_scales
from novacula.study.trouble.values import find_extremes, find_idle, find_misread, find_variants
from novacula.table import Chunk, Table

MANY = 10
"""Findings of one kind that are reported one by one; the columns of the others are named together."""


def find_trouble(question: Question, keep: Collection[str] = ()) -> tuple[Finding, ...]:
    """Everything that was found, warnings first, after what was decided on the way.

    Columns that name rows or say nothing are left out of the study, but for those to keep.

    The test rows are compared with the training rows; nothing that is found in them changes what is learned.
    """
    decided = [Finding("decided", sentence) for sentence in question.notes]
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the range of numbers there is infinity
        return (*decided, *by_gravity(_of_question(question, keep)))


def find_table_trouble(table: Table, random_state: int = 0) -> tuple[Finding, ...]:
    """What can be found in a table without a target."""
    part, rows = _part(table, random_state)
    features = features_of(part.to_chunk(), part.layout)
    with np.errstate(over="ignore", invalid="ignore"):
        return by_gravity([*_of_columns(features, table), *_unchecked(len(rows), len(table), features, table)])


def by_gravity(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The same findings, warnings first, and many of one kind in one."""
    kinds = dict.fromkeys((finding.gravity, finding.kind) for finding in findings)
    grouped = [[one for one in findings if (one.gravity, one.kind) == kind] for kind in kinds]
    shortened = [one for group in grouped for one in _gather(group)]
    return tuple(sorted(shortened, key=lambda finding: finding.gravity != "warning"))


def _gather(group: Sequence[Finding]) -> Sequence[Finding]:
    """Findings of one kind and gravity; those beyond MANY become one that names the columns."""
    if len(group) <= MANY:
        return group
    names = tuple(dict.fromkeys(name for finding in group[MANY - 1 :] for name in finding.columns))
    sentence = f"{columns_named(names)}: the same as for {safe_quote(group[0].columns[0])}, each for itself."
    return [*group[: MANY - 1], Finding(group[0].kind, sentence, names, group[0].gravity)]


def _of_columns(features: Sequence[Feature], table: Table, keep: Collection[str] = ()) -> Iterator[Finding]:
    named = list(find_identifiers(features, keep))
    yield from named
    yield from find_idle(features, keep)
    gone = {finding.columns[0] for finding in named if finding.kind == "identifier"}
    yield from find_extremes(features)
    columns = [one.column for one in features if one.column.kind == "categorical"]
    yield from find_misread(columns)
    yield from find_variants([*columns, *table.layout.target_columns], next(iter(table.layout.target), None))
    described = [one for one in features if one.name not in gone]
    yield from find_scales(described)
    yield from find_alike(described)
    yield from find_few_rows(len(table), sum(column.width for column in table.layout.features))


def _of_question(question: Question, keep: Collection[str]) -> list[Finding]:
    train, rows = _part(question.table, question.seed)
    test = None if question.test is None else _part(question.test.X, question.seed)[0]
    chunk, layout = train.to_chunk(), train.layout
    features = features_of(chunk, layout)
    findings = [
        *_of_columns(features, question.table, keep),
        *_unchecked(len(rows), len(question.train), features, train),
    ]
    names = {finding.columns[0] for finding in findings if finding.kind == "identifier"}
    described = [one for one in features if one.name not in names]
    fold = _fold_of_rows(question)[rows]
    findings += _of_target(question, chunk, features)
    findings += find_rare_categories(described, fold)
    test_chunk = None if test is None else test.to_chunk()
    findings += _of_copies(question, chunk, test_chunk, names, fold)
    if test_chunk is not None:
        tested = [one for one in features_of(test_chunk, layout) if one.name not in names]
        findings += find_drift(described, tested, ("the training rows", "the test rows"))
    return findings


def _part(table: Table, seed: int) -> tuple[Table, Numbers]:
    """The rows that are checked, and their numbers."""
    rows = sample_rows(table, seed)
    return table.take(rows), rows


def _of_target(question: Question, chunk: Chunk, features: Sequence[Feature]) -> Iterator[Finding]:
    target, y = question.target, _target(question, chunk)
    yield from find_telling_gaps(features, y, target)
    if question.task == "classification":
        labels = question.table.layout.target_columns[0].categories
        yield from find_class_giveaways(features, y, len(labels), target)
        yield from find_uneven_classes(y, chunk.weight, labels, target, question.metric.name)
    else:
        yield from find_number_giveaways(features, y, target)
        yield from find_skew(y, target)


def _of_copies(
    question: Question, chunk: Chunk, test: Chunk | None, names: Collection[str], fold: Numbers
) -> Iterator[Finding]:
    """Copies among the training rows and in the test; identifiers are left out, since they make rows differ."""
    both = chunk if test is None else Chunk.concatenate([chunk, test])
    features = [one for one in features_of(both, question.table.layout) if one.name not in names]
    if not features and both.sparse is None:
        return
    copies = Copies.of(features, both.sparse)
    n, y = len(chunk), _target(question, both)
    yield from find_copies(copies, fold)
    if test is not None:
        yield from find_test_copies(copies, y, n)
    yield from find_contradictions(copies.same[:n], y[:n], chunk.weight)


def _target(question: Question, chunk: Chunk) -> Any:
    """The target of a chunk as whole numbers for classes, or as numbers."""
    return np.asarray(chunk.target, np.intp if question.task == "classification" else np.float64)


def _fold_of_rows(question: Question) -> Numbers:
    """The fold in which each training row is held out."""
    fold = np.zeros(len(question.train), np.intp)
    for number, (_, held_out) in enumerate(question.folds):
        fold[held_out] = number
    return fold


def _unchecked(n_rows: int, n_all: int, features: Sequence[Feature], table: Table) -> Iterator[Finding]:
    """Which rows and columns were not checked."""
    columns = [column for column in table.layout.features if column.kind != "sparse"]
    if n_rows < n_all:
        yield Finding("sampled", f"Trouble was looked for in {n_rows:,} of {n_all:,} rows, drawn at random.")
    if len(features) < len(columns):
        sentence = f"Trouble was looked for in the first {len(features):,} of {len(columns):,} columns."
        yield Finding("sampled", sentence)
