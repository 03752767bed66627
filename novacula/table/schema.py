"""What the columns of a table are: kind, categories in a stated order, missing values, and who is the target.

A schema is plain data: it prints as a table, goes to JSON and back, and travels with every model, so that the
codes of a category never travel without their vocabulary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, get_args

from novacula.errors import SchemaError
from novacula.table.names import as_names, did_you_mean, printable, repeated
from novacula.table.notes import ReadingNote
from novacula.table.spelling import SPELLINGS, Spelling, is_date_order

Kind: TypeAlias = Literal["numeric", "categorical", "text", "sparse", "ignored"]
Category: TypeAlias = str | int | float | bool
Types: TypeAlias = Mapping[str, str | Sequence[Category]]

KINDS: tuple[Kind, ...] = get_args(Kind)
DEFAULT_MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")

_SHOWN = 60  # columns that are printed
_CELL = 40  # characters of a name that are printed
_HEAD = ("column", "kind", "missing", "values", "role")
_BOUNDS = ("low", "high")


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
    is_time: bool = False  # its numbers are seconds since the beginning of 1970, UTC
    spelling: Spelling | None = None  # how its numbers or dates are written in text; None: as computers write them

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            kinds = ", ".join(KINDS)
            raise SchemaError(f"column {self.name!r} has kind {self.kind!r}, which is none of {kinds}")
        if self.categories and len(set(self.categories)) != len(self.categories):
            raise SchemaError(f"column {self.name!r} names the category {repeated(self.categories)!r} twice")
        for category in self.categories:
            if isinstance(category, float) and not math.isfinite(category):
                raise SchemaError(f"column {self.name!r} has {category} as a category: name finite values only")

    def describe(self) -> str:
        """Say in a few words what the column holds."""
        if self.kind == "categorical":
            shown = ", ".join(printable(str(c), 24) for c in self.categories[:6])
            shown += ", …" if len(self.categories) > 6 else ""
            return f"{len(self.categories)}: {shown}"
        if self.kind == "sparse":
            return f"{self.width} columns"
        if self.low is not None and self.high is not None:
            if self.is_time:
                return f"{time_words(self.low)} to {time_words(self.high)}"
            return f"{self.low:g} to {self.high:g}"
        return ""

    @property
    def kind_word(self) -> str:
        """What the kind is called where people read it."""
        return "date" if self.is_time else self.kind


@dataclass(frozen=True)
class Schema:
    """The columns in order, the roles of target and weight, and what a missing value looks like."""

    columns: tuple[Column, ...]
    target: tuple[str, ...] = ()
    weight: str | None = None
    missing: tuple[str, ...] = DEFAULT_MISSING
    missing_by_column: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    n_rows: int | None = None
    notes: tuple[ReadingNote, ...] = field(default=(), compare=False)
    """What reading decided on its own."""

    def __post_init__(self) -> None:
        if len(self._place) != len(self.columns):
            raise SchemaError(f"the column name {repeated(self.names)!r} stands twice: rename one of them")
        for role in self.roles:
            self[role]
        if self.weight is not None and self.weight in self.target:
            raise SchemaError(f"column {self.weight!r} cannot be target and weight at once")

    # --- looking things up ----------------------------------------------------------------------------------

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

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the target columns and of the weight, where there are any."""
        return self.target if self.weight is None else (*self.target, self.weight)

    @cached_property
    def features(self) -> tuple[Column, ...]:
        """The columns a learner sees: all but target, weight and what is ignored."""
        roles = set(self.roles)
        return tuple(c for c in self.columns if c.name not in roles and c.kind != "ignored")

    def column_names(self, places: Iterable[int] | None = None) -> list[str]:
        """The names of the numbers of a row: numeric columns, then those of sparse blocks, then targets."""
        names = [column.name for column in self.of_kind("numeric")]
        names += [f"{block.name}[{j}]" for block in self.of_kind("sparse") for j in range(block.width)]
        names += self.target
        return names if places is None else [names[j] for j in places]

    def of_kind(self, kind: Kind) -> tuple[Column, ...]:
        """The features of one kind, in order: the order of a chunk's columns."""
        return self._by_kind[kind]

    @cached_property
    def _by_kind(self) -> dict[Kind, tuple[Column, ...]]:
        return {kind: tuple(column for column in self.features if column.kind == kind) for kind in KINDS}

    @cached_property
    def target_columns(self) -> tuple[Column, ...]:
        """The target columns, in the order in which they were named."""
        return tuple(self[name] for name in self.target)

    def markers(self, name: str) -> tuple[str, ...]:
        """What stands for a missing value in a column; a category is never missing."""
        return self._markers[self[name].name]

    @cached_property
    def _markers(self) -> dict[str, tuple[str, ...]]:
        markers = {}
        for column in self.columns:
            known = {str(category) for category in column.categories}
            stated = self.missing_by_column.get(column.name, self.missing)
            markers[column.name] = tuple(m for m in stated if m not in known) if known else stated
        return markers

    # --- making another one ---------------------------------------------------------------------------------

    def with_columns(self, columns: Iterable[Column]) -> Self:
        """Put these columns in the place of those with their names."""
        new = {column.name: column for column in columns}
        for name in new:
            self[name]
        return replace(self, columns=tuple(new.get(column.name, column) for column in self.columns))

    def select(self, names: Sequence[str]) -> Self:
        """Keep these columns, in this order, and the roles."""
        kept = (*names, *(role for role in self.roles if role not in names))
        columns = tuple(self[name] for name in kept)
        return replace(self, columns=columns, notes=tuple(note for note in self.notes if note.column in (None, *kept)))

    def drop(self, names: Sequence[str]) -> Self:
        """Leave these columns out."""
        gone = {self[name].name for name in names}
        return replace(
            self,
            columns=tuple(column for column in self.columns if column.name not in gone),
            target=tuple(name for name in self.target if name not in gone),
            weight=None if self.weight in gone else self.weight,
            notes=tuple(note for note in self.notes if note.column not in gone),
        )

    def with_target(self, target: str | Sequence[str] | None) -> Self:
        """Name the target: one column, several, or none."""
        return replace(self, target=as_names(target))

    def uncounted(self) -> Self:
        """Forget what was counted, as for other rows of the same columns."""
        seen = (c for c in self if c.kind != "sparse" and (c.missing, c.low, c.high, c.note) != (None, None, None, ""))
        return self.with_columns(replace(column, missing=None, low=None, high=None, note="") for column in seen)

    def with_notes(self, notes: Iterable[ReadingNote]) -> Self:
        """Add notes; a column has one, the last."""
        new = tuple(notes)
        named = {note.column for note in new} - {None}
        return replace(self, notes=(*(note for note in self.notes if note.column not in named), *new))

    def with_markers_of(self, other: Schema) -> Self:
        """Take what marks a missing value in another schema for one here too."""
        named = [name for name in (*self.missing_by_column, *other.missing_by_column) if name in self]

        def both(mine: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
            return tuple(dict.fromkeys((*mine, *theirs)))

        def of(schema: Schema, name: str) -> tuple[str, ...]:
            return schema.missing_by_column.get(name, schema.missing)

        return replace(
            self,
            missing=both(self.missing, other.missing),
            missing_by_column={name: both(of(self, name), of(other, name)) for name in named},
        )

    # --- in and out -----------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Write the schema as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
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
        } | ({"notes": [[note.sentence, note.column] for note in self.notes]} if self.notes else {})

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        try:
            schema = cls(
                tuple(_column_from_dict(column) for column in values["columns"]),
                tuple(values["target"]),
                values["weight"],
                tuple(values["missing"]),
                {name: tuple(markers) for name, markers in values["missing_by_column"].items()},
                values["n_rows"],
                tuple(ReadingNote(sentence, column) for sentence, column in values.get("notes", ())),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, SchemaError):
                raise
            raise SchemaError(f"this is not a schema: {type(error).__name__} {error}") from error
        markers = (marker for stated in (schema.missing, *schema.missing_by_column.values()) for marker in stated)
        if not all(isinstance(marker, str) for marker in markers) or not isinstance(schema.n_rows, int | None):
            raise SchemaError("this is not a schema: markers of missing values must be text, and n_rows a number")
        if not all(isinstance(note.sentence, str) and isinstance(note.column, str | None) for note in schema.notes):
            raise SchemaError("this is not a schema: a note is a sentence, with or without the name of a column")
        return schema

    def __str__(self) -> str:
        grid = (_HEAD, *self._grid())
        widths = [max(map(len, cells)) for cells in zip(*grid, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in grid]
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([self._size_words(), *lines, *self._left_words(len(grid) - 1), *notes])

    def _repr_html_(self) -> str:
        from novacula.table.html_grid import html_grid

        rows = self._grid()
        caption = "; ".join([self._size_words(), *self._left_words(len(rows)), *map(str, self.notes)])
        return html_grid(_HEAD, rows, caption, [name == "missing" for name in _HEAD])

    def _grid(self) -> list[tuple[str, ...]]:
        """The first columns and those that have a role, in words."""
        roles = {name: "target" if name in self.target else "weight" for name in self.roles}
        columns = [column for i, column in enumerate(self.columns) if i < _SHOWN or column.name in roles]
        return [
            (
                printable(column.name, _CELL),
                column.kind_word,
                "?" if column.missing is None else str(column.missing),
                column.describe() + (f" ({column.note})" if column.note else ""),
                roles.get(column.name, ""),
            )
            for column in columns
        ]

    def _size_words(self) -> str:
        count = "" if self.n_rows is None else f"{self.n_rows:,} rows × "
        return f"{count}{len(self.columns):,} columns"

    def _left_words(self, shown: int) -> list[str]:
        left = len(self.columns) - shown
        return [f"… and {left:,} more columns"] if left > 0 else []


def time_words(seconds: float) -> str:
    """Seconds since 1970 as a date, with the time of day unless it is midnight.

    >>> time_words(86_400.0), time_words(5_400.0)
    ('1970-01-02', '1970-01-01 01:30:00')
    """
    from datetime import UTC, datetime, timedelta

    try:
        moment = datetime.fromtimestamp(0, UTC) + timedelta(seconds=round(seconds))
    except OverflowError:
        return f"{seconds:g} s after 1970"
    return f"{moment:%Y-%m-%d}" if moment.time() == moment.min.time() else f"{moment:%Y-%m-%d %H:%M:%S}"


def category_order(values: Iterable[Category]) -> tuple[Category, ...]:
    """The order of categories that nobody stated: numbers by size, then text by code point."""
    return tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))


def _column_to_dict(column: Column) -> dict[str, Any]:
    values = {name: getattr(column, name) for name in Column.__slots__}
    values["categories"] = list(column.categories)
    for bound in _BOUNDS:  # JSON has no infinity
        if values[bound] is not None and math.isinf(values[bound]):
            values[bound] = str(values[bound])
    return {name: value for name, value in values.items() if value is not None}


def _column_from_dict(values: Mapping[str, Any]) -> Column:
    known = {name: values[name] for name in Column.__slots__ if name in values}
    known["categories"] = tuple(values.get("categories", ()))
    if any(isinstance(category, int) and abs(category) >= 2**64 for category in known["categories"]):
        raise SchemaError("a column has an integer of more than 64 bits as a category")  # many of these can hash alike
    for bound in _BOUNDS:
        if known.get(bound) in ("inf", "-inf"):
            known[bound] = float(known[bound])
    column = Column(**known)
    spelled = column.spelling is None or (column.kind == "numeric" and column.spelling in SPELLINGS)
    plain = (
        isinstance(column.name, str)
        and isinstance(column.note, str)
        and (column.is_time is False or (column.is_time is True and column.kind == "numeric"))
        and spelled
        and (column.spelling is None or column.is_time == is_date_order(column.spelling))
        and isinstance(column.width, int)
        and (column.width == 1 or (column.width > 1 and column.kind == "sparse"))
        and isinstance(column.missing, int | None)
        and all(isinstance(getattr(column, bound), int | float | None) for bound in _BOUNDS)
        and all(isinstance(category, Category) for category in column.categories)
    )
    if not plain:
        raise SchemaError(f"column {column.name!r} is not described by plain values")
    return column
