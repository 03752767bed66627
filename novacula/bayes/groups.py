"""Which columns share a distribution, and how their categories grow when more rows come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from novacula.advice import option
from novacula.bayes.distributions import DISTRIBUTIONS, Group, Tokenization
from novacula.errors import ParameterError, SchemaError
from novacula.statistics import Bundle, Contingency
from novacula.table import Column, Schema, Table
from novacula.table.schema import Kind, category_order

_AUTO: dict[Kind, str] = {
    "numeric": "gaussian",
    "categorical": "categorical",
    "text": "multinomial",
    "sparse": "multinomial",
}


def distributions_by_column(schema: Schema, distributions: str | Mapping[Any, str]) -> dict[str, str]:
    """The distribution of each feature, by name; a dict may name columns by position too."""
    features = schema.features
    if isinstance(distributions, str):
        if distributions == "auto":
            return {column.name: _AUTO[column.kind] for column in features}
        return {column.name: _check_distribution(distributions) for column in features}
    names = [column.name for column in features]
    by_name = {}
    for key, distribution in distributions.items():
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and 0 <= key < len(names):
            by_name[names[key]] = _check_distribution(distribution)
        elif key in names:
            by_name[key] = _check_distribution(distribution)
        else:
            few = ", ".join(names[:8])
            raise ParameterError(f"distributions names {key!r}, which is not a column; there are {few}")
    return {column.name: by_name.get(column.name) or _AUTO[column.kind] for column in features}


def _check_distribution(distribution: str) -> str:
    if distribution not in DISTRIBUTIONS:
        raise ParameterError(f"there is no distribution {distribution!r}; there are {', '.join(DISTRIBUTIONS)}")
    return distribution


def kinds_needed(schema: Schema, distributions: Mapping[str, str]) -> dict[str, Kind]:
    """Numeric columns that a distribution wants as categories."""
    return {
        c.name: "categorical" for c in schema.features if c.kind == "numeric" and distributions[c.name] == "categorical"
    }


def group_columns(schema: Schema, distributions: Mapping[str, str], words: Tokenization) -> tuple[Group, ...]:
    """One group per distribution and kind, and one per text column."""
    groups: list[Group] = []
    for kind in ("numeric", "categorical", "text", "sparse"):
        columns = schema.of_kind(kind)
        for name in DISTRIBUTIONS:
            places = [i for i, c in enumerate(columns) if _for_column(c, distributions[c.name]) == name]
            packs = [[i] for i in places] if kind == "text" else [places] if places else []
            groups.extend(_group(name, columns, pack, words) for pack in packs)
    return tuple(groups)


def _for_column(column: Column, distribution: str) -> str:
    """The distribution that does the work; two categories are a Bernoulli variable as they are."""
    if column.kind == "categorical" and distribution == "bernoulli" and len(column.categories) <= 2:
        return "categorical"
    if column.kind not in DISTRIBUTIONS[distribution].kinds:
        raise SchemaError(f"column {column.name!r} is {column.kind}, which a {distribution} distribution does not take")
    return distribution


def _group(name: str, columns: tuple[Column, ...], places: list[int], words: Tokenization) -> Group:
    held = [columns[i] for i in places]
    coded = tuple(c.categories for c in held) if held[0].kind == "categorical" else ()
    names = tuple(c.name for c in held)
    return Group(name, held[0].kind, names, tuple(places), coded, words, sum(c.width for c in held))


def group_fits(group: Group, schema: Schema) -> bool:
    """Whether a group is one that `group_columns` could have made of a schema."""
    columns, part = schema.of_kind(group.kind), DISTRIBUTIONS.get(group.distribution)
    if part is None or group.kind not in part.kinds or not group.places or max(group.places) >= len(columns):
        return False
    if group.kind == "text" and len(group.places) > 1:
        return False
    if group.kind == "sparse" and len(group.places) < len(columns):  # all blocks lie side by side in one matrix
        return False
    return group == _group(group.distribution, columns, list(group.places), group.words)


def groups_fit(groups: tuple[Group, ...], schema: Schema) -> bool:
    """Whether groups share the columns of a schema among them, each column in one of them."""
    names = [name for group in groups for name in group.names]
    complete = len(names) == len(set(names)) == len(schema.features)
    return complete and all(group_fits(group, schema) for group in groups)


def merge_categories(
    table: Table, schema: Schema, groups: tuple[Group, ...], statistic: Bundle
) -> tuple[Table, Schema, tuple[Group, ...], Bundle]:
    """Grow the vocabularies of a schema by those of new rows, and move what was counted to the new codes.

    Gives the table laid out by the grown schema, that schema, its groups and the moved statistic.
    """
    columns = {column.name: _joined(column, table.layout[column.name]) for column in schema}
    grown = schema.with_columns(columns.values())
    rows, *parts = statistic.parts
    moved_groups, moved = [], [rows]
    for group, part in zip(groups, parts, strict=True):
        if isinstance(part, Contingency):
            new = tuple(columns[name].categories for name in group.names)
            place = [{value: v for v, value in enumerate(values)} for values in new]
            maps = [np.array([place[j][value] for value in old], np.intp) for j, old in enumerate(group.categories)]
            part = part.recode([len(values) for values in new], maps)
            group = replace(group, categories=new)
        moved_groups.append(group)
        moved.append(part)
    role = table.layout
    layout = replace(role, columns=tuple(columns.get(column.name, column) for column in role.columns))
    table = Table(table.source, layout, unseen="error", runner=table.runner, progress=table.progress)
    return table, grown, tuple(moved_groups), Bundle(tuple(moved))


def _joined(old: Column, new: Column) -> Column:
    if old.kind != new.kind:
        raise SchemaError(
            f"column {old.name!r} was {old.kind} at first and is {new.kind} now: state it in {option('types')}"
        )
    if old.kind != "categorical" or set(new.categories) <= set(old.categories):
        return old
    if old.declared:
        extra = [value for value in new.categories if value not in old.categories]
        raise SchemaError(f"column {old.name!r} has the new category {extra[0]!r}, but its categories were stated")
    return replace(old, categories=category_order({*old.categories, *new.categories}))
