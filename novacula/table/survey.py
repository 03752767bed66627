"""From a source to a schema: what the storage settles, what the user says, and what only the values can say.

Columns of text that begin with numbers are first parsed as such, which is fast; those in which something else
turns up are surveyed again, as words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np

from novacula.advice import option
from novacula.errors import DataError, DataWarning, ParameterError, SchemaError, warn_user
from novacula.table.arrow import numbers_of
from novacula.table.dates import DATE_ORDERS, DateOrder
from novacula.table.decide import MAX_CATEGORIES, MAX_DECLARED, OddValue, Wanted, count, decide, decision_note
from novacula.table.decimal_mark import DecimalMark, below_thousand, fitted_mark, shown_mark
from novacula.table.encode import Place
from novacula.table.names import did_you_mean
from novacula.table.parallel import map_ordered, tree_sum
from novacula.table.profile import ColumnProfile, ColumnProfiles, profile_partition
from novacula.table.progress import tracked
from novacula.table.schema import KINDS, Category, Column, Kind, Schema, Types
from novacula.table.source import Source, TextHabits, holds_single_values, is_textual, is_time_type
from novacula.table.spelling import Spelling

_NUMBERS = (None, "numeric")  # kinds that are numbers, or may be
_SAMPLE_ROWS = 500  # in which nearly all columns of plain numbers show their decimal mark


def survey(source: Source, roles: Schema, types: Types, progress: bool | None, fitted: Schema | None = None) -> Schema:
    """Make the schema of a source; `roles` names its columns, target, weight and markers, not their kinds.

    `fitted` is the schema of a model: numbers that may be written in two ways are written as they were at its fit.
    """
    schema = replace(roles, n_rows=source.count_rows())
    stated = StatedTypes.of(types, roles.names)
    return _settle(source, schema, roles.names, replace(stated, fitted=fitted), progress)


def retype(source: Source, schema: Schema, types: Types, progress: bool | None) -> Schema:
    """Change what some columns of a schema are."""
    stated = StatedTypes.of(types, schema.names)
    others = tuple(note for note in schema.notes if note.column not in stated.kinds)
    return _settle(source, replace(schema, notes=others), list(stated.kinds), stated, progress)


def _settle(source: Source, schema: Schema, names: Sequence[str], stated: StatedTypes, progress: bool | None) -> Schema:
    """Settle the named columns, by a pass over those of which storage and user do not say enough."""
    stored = {field.name: field.type for field in source.arrow_schema()}
    declared, native = source.declared() | dict(stated.categories), source.kinds()
    columns, unsettled = [], []
    for column in map(schema.__getitem__, names):
        name = column.name
        if name not in stored:
            columns.append(column)  # a sparse block
            continue
        kind = stated.kinds.get(name) or native[name]
        if kind != "ignored" and not holds_single_values(stored[name]):
            what = f"column {name!r} of {source.name} holds {stored[name]}, not single values"
            leave = f"say {option('types', {name: 'ignored'})} or {option('drop', [name])}"
            raise DataError(f"{what}: unpack it, or {leave}")
        unread = kind == "numeric" and native[name] != "numeric"
        if kind is None or unread or (kind == "categorical" and name not in declared):
            unsettled.append(name)
        settled = _column(name, kind, declared.get(name, ()))
        is_time = kind == "numeric" and (is_time_type(stored[name]) or name in stated.dates)
        columns.append(replace(settled, is_time=is_time, spelling=stated.dates.get(name) if unread else None))
    return survey_columns(source, schema.with_columns(columns), unsettled, stated, progress)


def _column(name: str, kind: Kind | None, declared: Sequence[Category]) -> Column:
    """A column as far as it is known; declared categories are trimmed as values are."""
    if kind != "categorical":
        return Column(name, kind or "ignored")
    categories = tuple(c.strip() if isinstance(c, str) else c for c in declared)
    return Column(name, kind, categories, declared=bool(categories))


@dataclass(frozen=True)
class StatedTypes:
    """What a user says of columns, taken apart: kinds, categories in a stated order, dates with or without theirs."""

    kinds: Mapping[str, Kind]
    categories: Mapping[str, tuple[Category, ...]]
    dates: Mapping[str, DateOrder | None]
    fitted: Schema | None = None  # of a model that is to answer for the rows

    @classmethod
    def of(cls, types: Types, names: Sequence[str]) -> Self:
        """Take apart what was said of some of the columns with these names."""
        columns = set(names)
        kinds: dict[str, Kind] = {}
        categories: dict[str, tuple[Category, ...]] = {}
        dates: dict[str, DateOrder | None] = {}
        for name, kind in types.items():
            if name not in columns:
                raise SchemaError(f"types names {name!r}, which is not a column{did_you_mean(name, names)}")
            if not isinstance(kind, str):
                kinds[name], categories[name] = "categorical", tuple(kind)
            elif kind == "date" or kind in DATE_ORDERS:
                kinds[name], dates[name] = "numeric", next((order for order in DATE_ORDERS if order == kind), None)
            elif kind in KINDS and kind != "sparse":
                kinds[name] = kind
            else:
                orders = f"date ({', '.join(DATE_ORDERS)})"
                choices = f"numeric, categorical, text, {orders}, ignored or a list of categories"
                raise ParameterError(f"types[{name!r}] is {kind!r}; it must be {choices}")
        return cls(kinds, categories, dates)

    def wanted(self, name: str) -> Wanted:
        """What is said of a column."""
        return Wanted(self.kinds.get(name), name in self.dates)


def survey_columns(
    source: Source, schema: Schema, names: Sequence[str], stated: StatedTypes, progress: bool | None
) -> Schema:
    """Pass over the named columns and settle their kinds, categories and counts."""
    if names:
        textual = {field.name for field in source.arrow_schema() if is_textual(field.type)}
        profiles, shown = _column_profiles(source, schema, names, stated, progress)
        text_habits = replace(source.habits, shown_decimal=shown)
        settled, notes = [], []
        for name in names:
            profile, wanted = profiles[name], stated.wanted(name)
            habits = text_habits if name in textual else TextHabits()
            if name in textual and not habits.is_text and wanted.kind != "numeric":
                profile = profile.as_words()  # who stored digits as strings meant words
            column = schema[name]
            find = partial(_first_word, source, name, schema.markers(name))
            if column.spelling is None:
                column = decide(column, profile, wanted, habits, find)
                if (note := decision_note(column, profile, wanted, habits, find)) is not None:
                    notes.append(note)
                    if note.is_doubtful:
                        warn_user(note.sentence, DataWarning)
            else:
                column = count(column, profile, find)
            settled.append(column)
        schema = replace(schema.with_columns(settled).with_notes(notes), n_rows=profiles[names[0]].rows)
    if not (source.has_rows() if schema.n_rows is None else schema.n_rows):
        raise DataError(f"{source.name} has no rows")
    return schema


def _column_profiles(
    source: Source, schema: Schema, names: Sequence[str], stated: StatedTypes, progress: bool | None
) -> tuple[dict[str, ColumnProfile], DecimalMark | None]:
    """Profiles of columns, of those that seem to be numbers as such, of some again as words; and the mark they show."""
    kinds, unordered = stated.kinds, {name for name, order in stated.dates.items() if order is None}
    numeric = {name for name in names if kinds.get(name) == "numeric"} - unordered
    open_names = [name for name in names if name not in kinds]
    if source.habits.decimal != ",":
        for part in source.partitions()[:1]:
            numeric |= part.seem_numeric(open_names, schema.missing, schema.target)
    else:
        numeric &= set(stated.dates)  # 1.234 is read as words first, since it may be a thousand
    caps = {name: MAX_DECLARED if kinds.get(name) == "categorical" else MAX_CATEGORIES for name in names}
    profiles = _profiles(source, schema, numeric, caps, progress)

    def as_words(some: Iterable[str]) -> dict[str, ColumnProfile]:
        wanted = {name: caps[name] for name in some}
        return _profiles(source, schema, set(), wanted, progress) if wanted else {}

    profiles |= as_words(name for name in numeric if profiles[name].words and name not in stated.dates)
    if source.habits.decimal is not None or not source.is_text:
        return profiles, None
    textual = {field.name for field in source.arrow_schema() if is_textual(field.type)} & set(names)
    written = {name: profiles[name] for name in sorted(textual - set(stated.dates)) if kinds.get(name) in _NUMBERS}
    mark, again = _written_mark(source, schema, written, stated.fitted)
    if again:
        profiles |= as_words(again)
        mark = _mark_of({**written, **{name: profiles[name] for name in again}}, stated.fitted)
    return profiles, mark


def _written_mark(
    source: Source, schema: Schema, written: Mapping[str, ColumnProfile], fitted: Schema | None
) -> tuple[DecimalMark | None, list[str]]:
    """The decimal mark that columns show; and those, taken for plain numbers, whose points may group thousands."""
    mark = _mark_of(written, fitted)
    plain = [name for name, profile in written.items() if profile.numbers and not profile.spelled]
    if not plain or mark == "." or (mark is None and source.habits.likely_decimal != ","):
        return mark, []
    batch = next(batch for part in source.partitions() for batch in part.batches(plain))
    sample = ColumnProfiles.zero((), dict.fromkeys(plain, 1)).observe(batch.slice(0, _SAMPLE_ROWS), schema).columns()
    mark = _mark_of({**written, **sample}, fitted)
    if mark == ".":
        return mark, []
    return mark, [name for name in plain if below_thousand(written[name]) and shown_mark([sample[name]]) is None]


def _mark_of(written: Mapping[str, ColumnProfile], fitted: Schema | None) -> DecimalMark | None:
    """The decimal mark that columns show; if they do not, that of the fit of a model."""
    shown = shown_mark(written.values())
    return shown if shown is not None or fitted is None else fitted_mark(written, fitted)


def recount(source: Source, schema: Schema, progress: bool | None) -> Schema:
    """Fill in the missing counts and ranges that no earlier pass needed."""
    stored = set(source.arrow_schema().names)
    names = [c.name for c in schema if c.missing is None and c.kind != "ignored" and c.name in stored]
    if not names:
        return schema
    numeric = {name for name in names if schema[name].kind == "numeric"}
    found = _profiles(source, schema, numeric, dict.fromkeys(names, 1), progress)
    finders = {name: partial(_first_word, source, name, schema.markers(name)) for name in names}
    counted = [count(schema[name], found[name], find) for name, find in finders.items()]
    return replace(schema.with_columns(counted), n_rows=found[names[0]].rows)


def _profiles(
    source: Source, schema: Schema, numeric: set[str], caps: Mapping[str, int], progress: bool | None
) -> dict[str, ColumnProfile]:
    """One pass: the profile of each column that has a cap, some of them taken for numbers."""
    numbers = [name for name in caps if name in numeric]
    others = {name: cap for name, cap in caps.items() if name not in numeric}
    parsed = [replace(schema[name], kind="numeric") for name in numbers]
    parsed += [replace(schema[name], kind="categorical") for name in others]
    task = partial(profile_partition, schema=schema.with_columns(parsed), numbers=numbers, caps=others)
    parts = source.partitions()
    with closing(map_ordered(task, parts)) as found:
        return tree_sum(tracked(found, len(parts), f"Looking at {source.name}", progress)).columns()


def _first_word(source: Source, name: str, markers: tuple[str, ...], spelling: Spelling | None) -> OddValue:
    """Find the first value of a column that is not a number, and its row: slow, but only for a message."""
    for part in source.partitions():
        row = 0
        for batch in part.batches([name]):
            _, words = numbers_of(batch.column(name), markers, spelling)
            if words is not None:
                value = batch.column(name)[int(np.argmax(words))].as_py()
                return OddValue(str(value).strip(), Place(part, row).name(words))
            row += batch.num_rows
    return OddValue("", f"{source.name}, where it is no longer")
