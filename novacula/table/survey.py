"""From a source to a schema: what the storage settles, what the user says, and what only the values can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from novacula.errors import DataError, ParameterError, SchemaError
from novacula.table.parallel import map_ordered, tree_sum
from novacula.table.profile import MAX_CATEGORIES, MAX_DECLARED, decide, profile_partition
from novacula.table.progress import tracked
from novacula.table.schema import KINDS, Kind, Schema, Types, did_you_mean
from novacula.table.source import Source, kind_of_type


def survey(source: Source, roles: Schema, types: Types, progress: bool | None) -> Schema:
    """Make the schema of a source; `roles` names its columns, target, weight and markers, but not their kinds."""
    asked, stated = split_types(types, roles.names)
    declared = source.declared() | stated
    native = source.kinds()
    textual = {field.name for field in source.arrow_schema() if kind_of_type(field.type) is None}
    columns, unsettled = [], []
    for column in roles:
        name = column.name
        kind = asked.get(name) or native.get(name) or (column.kind if column.kind == "sparse" else None)
        unread = kind == "numeric" and name in textual and native.get(name) is None
        if kind is None or unread or (kind == "categorical" and name not in declared):
            unsettled.append(name)
        held = declared.get(name, ()) if kind == "categorical" else ()
        columns.append(replace(column, kind=kind or "ignored", categories=tuple(held), declared=bool(held)))
    schema = replace(roles, columns=tuple(columns), n_rows=source.count_rows())
    return look(source, schema, unsettled, asked, progress)


def split_types(types: Types, names: Sequence[str]) -> tuple[dict[str, Kind], dict[str, tuple[object, ...]]]:
    """Take what a user says of columns apart: kinds, and categories in a stated order."""
    asked: dict[str, Kind] = {}
    declared: dict[str, tuple[object, ...]] = {}
    for name, said in types.items():
        if name not in names:
            raise SchemaError(f"types names {name!r}, which is no column{did_you_mean(name, names)}")
        if isinstance(said, str):
            if said not in KINDS or said == "sparse":
                raise ParameterError(f"types[{name!r}] is {said!r}; it must be numeric, categorical, text or ignored")
            asked[name] = said
        else:
            asked[name], declared[name] = "categorical", tuple(said)
    return asked, declared


def look(
    source: Source, schema: Schema, names: Sequence[str], asked: Mapping[str, Kind], progress: bool | None
) -> Schema:
    """Pass over the named columns once and settle their kinds, categories and counts."""
    if names:
        parts = source.partitions()
        caps = [MAX_DECLARED if asked.get(name) == "categorical" else MAX_CATEGORIES for name in names]
        task = partial(profile_partition, names=list(names), schema=schema, caps=caps)
        found = tree_sum(tracked(map_ordered(task, parts), len(parts), f"Looking at {source.name}", progress))
        stored = {field.name: kind_of_type(field.type) is None for field in source.arrow_schema()}
        pairs = zip(names, found.columns, strict=True)
        decided = [decide(schema[name], profile, asked.get(name), stored[name]) for name, profile in pairs]
        schema = replace(schema.with_columns(decided), n_rows=found.columns[0].rows)
    if schema.n_rows == 0:
        raise DataError(f"{source.name} has no rows")
    source.learn(schema)
    return schema


def count(source: Source, schema: Schema, progress: bool | None) -> Schema:
    """Fill in the missing counts and ranges that no earlier pass needed."""
    stored = set(source.arrow_schema().names)
    names = [c.name for c in schema if c.missing is None and c.kind != "ignored" and c.name in stored]
    return look(source, schema, names, {name: schema[name].kind for name in names}, progress)
