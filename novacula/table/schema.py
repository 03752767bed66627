"""What the columns of a table are: kind, categories in a stated order, missing values, and who is the target.

A schema is plain data: it prints as a table, goes to JSON and back, and travels with every model, so that the codes
of a category never travel without their vocabulary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, get_args

from novacula.errors import SchemaError

Kind: TypeAlias = Literal["numeric", "categorical", "text", "sparse", "ignored"]
Category: TypeAlias = str | int | float | bool
Types: TypeAlias = Mapping[str, "Kind | Sequence[Category]"]

KINDS: tuple[Kind, ...] = get_args(Kind)
DEFAULT_MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: what it is called, what it holds, and what was counted of it.

    A `sparse` column stands for a block of `width` numeric columns that are mostly zero.
    """

    name: str
    kind: Kind
    categories: tuple[Category, ...] = ()
    declared: bool = False  # the categories were stated, so their order is kept and their set is closed
    missing: int | None = None  # rows without a value; None: not counted
    low: float | None = None
    high: float | None = None
    width: int = 1
    note: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SchemaError(f"column {self.name!r} has kind {self.kind!r}, which is none of {', '.join(KINDS)}")
        if len(set(self.categories)) != len(self.categories):
            raise SchemaError(f"column {self.name!r} names a category twice")

    def describe(self) -> str:
        """Say in a few words what the column holds."""
        if self.kind == "categorical":
            shown = ", ".join(map(str, self.categories[:6])) + (", …" if len(self.categories) > 6 else "")
            return f"{len(self.categories)}: {shown}"
        if self.kind == "sparse":
            return f"{self.width} columns"
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        return ""


@dataclass(frozen=True)
class Schema:
    """The columns in order, the roles of target and weight, and what a missing value looks like."""

    columns: tuple[Column, ...]
    target: tuple[str, ...] = ()
    weight: str | None = None
    missing: tuple[str, ...] = DEFAULT_MISSING
    missing_by_column: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    n_rows: int | None = None

    def __post_init__(self) -> None:
        if len(self._place) != len(self.columns):
            names = [column.name for column in self.columns]
            twice = next(name for name in names if names.count(name) > 1)
            raise SchemaError(f"the column name {twice!r} stands twice: rename one of them")
        for role in (*self.target, *(() if self.weight is None else (self.weight,))):
            self[role]
        if self.weight is not None and self.weight in self.target:
            raise SchemaError(f"column {self.weight!r} cannot be target and weight at once")

    # --- looking things up -------------------------------------------------------------------------------------

    @cached_property
    def _place(self) -> dict[str, int]:
        return {column.name: i for i, column in enumerate(self.columns)}

    def __getitem__(self, name: str) -> Column:
        try:
            return self.columns[self._place[name]]
        except KeyError:
            raise SchemaError(f"there is no column {name!r}{did_you_mean(name, self._place)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._place

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def features(self) -> tuple[Column, ...]:
        """The columns a learner sees: all but target, weight and what is ignored."""
        roles = {*self.target, self.weight}
        return tuple(c for c in self.columns if c.name not in roles and c.kind != "ignored")

    def of_kind(self, kind: Kind) -> tuple[Column, ...]:
        """The features of one kind, in order: the order of a chunk's columns."""
        return tuple(column for column in self.features if column.kind == kind)

    @cached_property
    def target_columns(self) -> tuple[Column, ...]:
        """The target columns, in the order in which they were named."""
        return tuple(self[name] for name in self.target)

    def markers(self, name: str) -> tuple[str, ...]:
        """What stands for a missing value in a column; a stated category is never missing."""
        markers = self.missing_by_column.get(name, self.missing)
        column = self[name]
        return tuple(m for m in markers if m not in column.categories) if column.declared else tuple(markers)

    # --- making another one ------------------------------------------------------------------------------------

    def with_columns(self, columns: Iterable[Column]) -> Self:
        """Put these columns in the place of those with their names."""
        new = {column.name: column for column in columns}
        for name in new:
            self[name]
        return replace(self, columns=tuple(new.get(column.name, column) for column in self.columns))

    def select(self, names: Sequence[str]) -> Self:
        """Keep these columns, in this order, and the roles."""
        roles = [role for role in (*self.target, self.weight) if role is not None and role not in names]
        return replace(self, columns=tuple(self[name] for name in (*names, *roles)))

    def drop(self, names: Sequence[str]) -> Self:
        """Leave these columns out."""
        gone = {self[name].name for name in names}
        return replace(
            self,
            columns=tuple(column for column in self.columns if column.name not in gone),
            target=tuple(name for name in self.target if name not in gone),
            weight=None if self.weight in gone else self.weight,
        )

    def with_target(self, target: str | Sequence[str] | None) -> Self:
        """Name the target: one column, several, or none."""
        return replace(self, target=as_names(target))

    # --- in and out --------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write the schema as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        try:
            return cls.from_dict(json.loads(text))
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise SchemaError(f"this is not a schema: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """Give the schema as plain values."""
        return {
            "columns": [_column_to_dict(column) for column in self.columns],
            "target": list(self.target),
            "weight": self.weight,
            "missing": list(self.missing),
            "missing_by_column": {name: list(markers) for name, markers in self.missing_by_column.items()},
            "n_rows": self.n_rows,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        return cls(
            tuple(_column_from_dict(column) for column in values["columns"]),
            tuple(values["target"]),
            values["weight"],
            tuple(values["missing"]),
            {name: tuple(markers) for name, markers in values["missing_by_column"].items()},
            values["n_rows"],
        )

    def __str__(self) -> str:
        head = ("column", "kind", "missing", "values", "role")
        rows = [
            (
                printable(column.name),
                column.kind,
                "?" if column.missing is None else str(column.missing),
                printable(column.describe()) + (f" ({column.note})" if column.note else ""),
                "target" if column.name in self.target else "weight" if column.name == self.weight else "",
            )
            for column in self.columns[:60]
        ]
        widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)]
        if len(self.columns) > len(rows):
            lines.append(f"… and {len(self.columns) - len(rows)} more columns")
        count = "" if self.n_rows is None else f"{self.n_rows:,} rows × "
        return "\n".join([f"{count}{len(self.columns)} columns", *lines])


def as_names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """One name, several, or none, as a tuple."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def printable(text: str) -> str:
    """A name or value as it may stand in a line of text: no line breaks or control characters."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Words for the end of an error: the nearest name, or the first few."""
    import difflib

    known = list(names)
    near = difflib.get_close_matches(str(name), known[:10_000], n=1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; the columns are {', '.join(map(repr, known[:8]))}{', …' if len(known) > 8 else ''}"


def category_order(values: Iterable[Category]) -> tuple[Category, ...]:
    """The order of categories that nobody stated: numbers by size, then text by code point, never by appearance."""
    return tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))


def _column_to_dict(column: Column) -> dict[str, Any]:
    values = {name: getattr(column, name) for name in Column.__slots__} | {"categories": list(column.categories)}
    return {name: value for name, value in values.items() if value is not None}


def _column_from_dict(values: Mapping[str, Any]) -> Column:
    known = {name: values[name] for name in Column.__slots__ if name in values}
    known["categories"] = tuple(values.get("categories", ()))
    column = Column(**known)
    plain = isinstance(column.name, str) and isinstance(column.width, int) and column.width >= 1
    if not plain or not all(isinstance(c, (str, int, float, bool)) for c in column.categories):
        raise SchemaError(f"column {column.name!r} is not described by plain values")
    if any(isinstance(c, float) and math.isnan(c) for c in column.categories):
        raise SchemaError(f"column {column.name!r} has NaN as a category")
    return column
