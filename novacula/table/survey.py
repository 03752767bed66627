"""From a source to a schema: what the storage settles, what the user says, and what only the values can say.

Columns of text that begin with numbers are first parsed as such, which is fast; those in which something else
turns up are surveyed again, as words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from novacula.errors import DataError, ParameterError, SchemaError
from novacula.table.arrow import numbers_of
from novacula.table.decide import MAX_CATEGORIES, MAX_DECLARED, count, decide
from novacula.table.encode import Place
from novacula.table.names import did_you_mean
from novacula.table.parallel import map_ordered, tree_sum
from novacula.table.profile import ColumnProfile, profile_partition
from novacula.table.progress import tracked
from novacula.table.schema import KINDS, Category, Column, Kind, Schema, Types
from novacula.table.source import Source, holds_single_values, is_textual, is_time_type


def survey(source: Source, roles: Schema, types: Types, progress: bool | None) -> Schema:
    """Make the schema of a source; `roles` names its columns, target, weight and markers, not their kinds."""
    kinds, stated = split_types(types, roles.names)
    schema = replace(roles, n_rows=source.count_rows())
    return _settle(source, schema, roles.names, kinds, stated, progress)


def retype(source: Source, schema: Schema, types: Types, progress: bool | None) -> Schema:
    """Change what some columns of a schema are."""
    kinds, stated = split_types(types, schema.names)
    return _settle(source, schema, list(kinds), kinds, stated, progress)


def _settle(
    source: Source,
    schema: Schema,
    names: Sequence[str],
    kinds: Mapping[str, Kind],
    stated: Mapping[str, Sequence[Category]],
    progress: bool | None,
) -> Schema:
    """Settle the named columns, by a pass over those of which storage and user do not say enough."""
    stored = {field.name: field.type for field in source.arrow_schema()}
    declared, native = source.declared() | dict(stated), source.kinds()
    columns, unsettled = [], []
    for column in map(schema.__getitem__, names):
        name = column.name
        if name not in stored:
            columns.append(column)  # a sparse block
            continue
        kind = kinds.get(name) or native[name]
        if kind != "ignored" and not holds_single_values(stored[name]):
            what = f"column {name!r} of {source.name} holds {stored[name]}, not single values"
            raise DataError(f"{what}: unpack it, or say types={{{name!r}: 'ignored'}}")
        unread = kind == "numeric" and native[name] != "numeric"
        if kind is None or unread or (kind == "categorical" and name not in declared):
            unsettled.append(name)
        settled = _column(name, kind, declared.get(name, ()))
        columns.append(replace(settled, is_time=kind == "numeric" and is_time_type(stored[name])))
    return survey_columns(source, schema.with_columns(columns), unsettled, kinds, progress)


def _column(name: str, kind: Kind | None, declared: Sequence[Category]) -> Column:
    """A column as far as it is known; declared categories are trimmed as values are."""
    if kind != "categorical":
        return Column(name, kind or "ignored")
    categories = tuple(c.strip() if isinstance(c, str) else c for c in declared)
    return Column(name, kind, categories, declared=bool(categories))


def split_types(types: Types, names: Sequence[str]) -> tuple[dict[str, Kind], dict[str, tuple[Category, ...]]]:
    """Take what a user says of columns apart: kinds, and categories in a stated order."""
    columns = set(names)
    kinds: dict[str, Kind] = {}
    declared: dict[str, tuple[Category, ...]] = {}
    for name, kind in types.items():
        if name not in columns:
            raise SchemaError(f"types names {name!r}, which is not a column{did_you_mean(name, names)}")
        if not isinstance(kind, str):
            kinds[name], declared[name] = "categorical", tuple(kind)
        elif kind in KINDS and kind != "sparse":
            kinds[name] = kind
        else:
            choices = "numeric, categorical, text, ignored or a list of categories"
            raise ParameterError(f"types[{name!r}] is {kind!r}; it must be {choices}")
    return kinds, declared


def survey_columns(
    source: Source, schema: Schema, names: Sequence[str], kinds: Mapping[str, Kind], progress: bool | None
) -> Schema:
    """Pass over the named columns and settle their kinds, categories and counts."""
    if names:
        profiles = _column_profiles(source, schema, names, kinds, progress)
        textual = {field.name for field in source.arrow_schema() if is_textual(field.type)}
        settled = []
        for name in names:
            profile, spelled = profiles[name], name in textual and source.is_text
            if name in textual and not spelled and kinds.get(name) != "numeric":
                profile = profile.as_words()  # who stored digits as strings meant words
            find = partial(_first_word, source, name, schema.markers(name))
            settled.append(decide(schema[name], profile, kinds.get(name), spelled, find))
        schema = replace(schema.with_columns(settled), n_rows=profiles[names[0]].rows)
    if not (source.has_rows() if schema.n_rows is None else schema.n_rows):
        raise DataError(f"{source.name} has no rows")
    return schema


def _column_profiles(
    source: Source, schema: Schema, names: Sequence[str], kinds: Mapping[str, Kind], progress: bool | None
) -> dict[str, ColumnProfile]:
    """Profiles of columns, of those that seem to be numbers as such; of some again, as words."""
    numeric = {name for name in names if kinds.get(name) == "numeric"}
    open_names = [name for name in names if name not in kinds]
    for part in source.partitions()[:1]:
        numeric |= part.seem_numeric(open_names, schema.missing, schema.target)
    caps = {name: MAX_DECLARED if name in kinds else MAX_CATEGORIES for name in names}
    profiles = _profiles(source, schema, numeric, caps, progress)
    mixed = {name: caps[name] for name in open_names if name in numeric and profiles[name].words}
    return profiles | _profiles(source, schema, set(), mixed, progress) if mixed else profiles


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


def _first_word(source: Source, name: str, markers: tuple[str, ...]) -> str:
    """Name the first value of a column that is not a number, and its row: slow, but only for a message."""
    for part in source.partitions():
        row = 0
        for batch in part.batches([name]):
            _, words = numbers_of(batch.column(name), markers)
            if words is not None:
                value = batch.column(name)[int(np.argmax(words))].as_py()
                return f"{value!r} in {Place(part, row).name(words)}"
            row += batch.num_rows
    return "one that is no longer there"
