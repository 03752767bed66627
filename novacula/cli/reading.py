"""The options of every command that reads a table: declared once, and given to a command as one value."""

from __future__ import annotations

import csv
import functools
import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any

import typer

Several = list[str] | None

TABS = ("tab", "\\t", "\t")
"""How a tab is typed."""


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is to be read; None and empty lists leave it to the table."""

    types: Annotated[
        Several,
        typer.Option(
            help="What a column is, as name=kind: numeric, categorical, text, date, ignored, or categories a,b."
        ),
    ] = None
    missing: Annotated[
        Several, typer.Option(help="A text that stands for a missing value, beside the usual ones; may be repeated.")
    ] = None
    encoding: Annotated[str | None, typer.Option(help="The encoding of text; otherwise it is found out.")] = None
    delimiter: Annotated[str | None, typer.Option(help="The character between fields, or tab.")] = None
    decimal: Annotated[str | None, typer.Option(help="The decimal mark of numbers: . or a comma.")] = None
    names: Annotated[
        str | None, typer.Option(help="Names of the columns, with commas between, for files without a header.")
    ] = None
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first record names the columns.")
    ] = None
    skip: Annotated[
        int | None, typer.Option(min=0, help="Lines to leave out at the top, such as a title above the names.")
    ] = None
    drop: Annotated[
        Several, typer.Option(help="A column that is left out before anything looks at it; may be repeated.")
    ] = None
    keep: Annotated[
        Several, typer.Option(help="A column to keep that would be left out, such as names of rows; may be repeated.")
    ] = None
    sheet: Annotated[str | None, typer.Option(help="The sheet of a workbook, by name or by number from 1.")] = None

    def for_reading(self) -> dict[str, Any]:
        """The parameters of `novacula.read` that were given."""
        given = {name: value for name, value in asdict(self).items() if value not in (None, [])}
        if self.types:
            given["types"] = dict(map(_typed, self.types))
        if self.missing:
            given["missing"] = [..., *self.missing]
        if self.names is not None:
            given["names"] = [name.strip() for name in next(csv.reader([self.names]), [])]
        if self.delimiter in TABS:
            given["delimiter"] = "\t"
        return given


def _typed(setting: str) -> tuple[str, Any]:
    """`name=kind`, or `name=a,b,c` or a JSON list for categories in their order; the name may hold = itself."""
    from novacula.errors import ParameterError

    name, equals, kind = setting.partition("=[") if setting.endswith("]") else setting.rpartition("=")
    if not equals or not name:
        raise ParameterError(f"{setting!r} says nothing of a column: write --types name=kind")
    if equals == "=[":
        try:
            return name, json.loads("[" + kind)
        except ValueError:
            raise ParameterError(f'{"[" + kind!r} is no list: write --types \'{name}=["a", "b"]\'') from None
    return name, [part.strip() for part in kind.split(",")] if "," in kind else kind


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of reading, which it takes as `reading`."""
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "reading"]
    hints = inspect.get_annotations(ReadingOptions, eval_str=True)
    options = [
        inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hints[option.name])
        for option in fields(ReadingOptions)
    ]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        reading = ReadingOptions(**{option.name: given.pop(option.name) for option in options})
        command(**given, reading=reading)

    parameters: Sequence[inspect.Parameter] = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in (*own, *options)
    ]
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options
