"""ARFF files: a header that declares the attributes, then dense or sparse rows.

Values stay text until the schema lays them out, so that `?` means what the schema says. Nominal attributes keep the
order in which the header names their values.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from novacula.errors import DataError
from novacula.table.arrow import ArrowPartition
from novacula.table.schema import Kind
from novacula.table.source import Source

_ROWS = 50_000  # a batch
_TOKEN = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*?))\s*(?:,|$)""")
_NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s*(.*)""", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared attribute: numeric, text, or nominal with its values."""

    name: str
    kind: Kind
    values: tuple[str, ...] = ()


class ArffSource(Source):
    """ARFF files with the same attributes."""

    def __init__(self, paths: Sequence[str], encoding: str) -> None:
        self.paths = tuple(paths)
        self.encoding = encoding
        self.name = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        self.attributes = read_header(paths[0], encoding)
        for path in paths[1:]:
            if read_header(path, encoding) != self.attributes:
                raise DataError(f"{path} declares other attributes than {paths[0]}")

    def arrow_schema(self) -> Any:
        """Text columns; what they hold is declared."""
        return pa.schema([(a.name, pa.string()) for a in self.attributes])

    def kinds(self) -> dict[str, Kind | None]:
        """The declared kinds."""
        return {a.name: a.kind for a in self.attributes}

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """The values of nominal attributes in the header's order."""
        return {a.name: a.values for a in self.attributes if a.kind == "categorical"}

    def partitions(self) -> Sequence[ArffPartition]:
        """A file is a partition."""
        return [ArffPartition(path, self.encoding, self.attributes) for path in self.paths]


class ArffPartition(ArrowPartition):
    """The rows of one ARFF file."""

    def __init__(self, path: str, encoding: str, attributes: tuple[Attribute, ...]) -> None:
        status = os.stat(path)
        self.path, self.encoding, self.attributes = path, encoding, attributes
        self.name = path
        self.key = f"{path}-{status.st_mtime_ns}-{status.st_size}"

    def batches(self, names: Sequence[str], raw: bool = False) -> Iterator[Any]:  # noqa: ARG002  (always text)
        """Give the named columns as text."""
        place = {a.name: j for j, a in enumerate(self.attributes)}
        wanted = [place[name] for name in names]
        held: list[list[str]] = []
        for row in self._rows():
            held.append(row)
            if len(held) == _ROWS:
                yield self._batch(held, wanted, names)
                held = []
        yield self._batch(held, wanted, names)

    def _batch(self, rows: list[list[str]], wanted: list[int], names: Sequence[str]) -> Any:
        return pa.record_batch([pa.array([r[j] for r in rows], pa.string()) for j in wanted], names=list(names))

    def _rows(self) -> Iterator[list[str]]:
        inside = False
        for number, line in _lines(self.path, self.encoding):
            if not inside:
                inside = line[:5].lower() == "@data"
                continue
            row = self._sparse(line, number) if line.startswith("{") else split_values(line)
            if len(row) != len(self.attributes):
                raise DataError(
                    f"{self.path}, line {number}: {len(row)} values where there are {len(self.attributes)} attributes"
                )
            yield row

    def _sparse(self, line: str, number: int) -> list[str]:
        row = [a.values[0] if a.values else "0" for a in self.attributes]
        body = line.strip().removeprefix("{").removesuffix("}").strip()
        for pair in re.findall(r"""\s*(\d+\s+(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*))\s*(?:,|$)""", body):
            index, value = pair.split(None, 1)
            if int(index) >= len(row):
                raise DataError(f"{self.path}, line {number}: there is no attribute {index}")
            row[int(index)] = split_values(value)[0]
        return row


def _lines(path: str, encoding: str) -> Iterator[tuple[int, str]]:
    """Lines that say something, with their numbers."""
    number = 0
    try:
        with open(path, encoding=encoding) as file:
            for number, line in enumerate(file, start=1):  # noqa: B007  (named in the error below)
                stripped = line.strip()
                if stripped and not stripped.startswith("%"):
                    yield number, stripped
    except UnicodeDecodeError as error:
        raise DataError(f"{path}, after line {number}: {error.reason}; say encoding='latin-1' or the like") from error


def read_header(path: str, encoding: str) -> tuple[Attribute, ...]:
    """The attributes that a file declares."""
    attributes: list[Attribute] = []
    for number, line in _lines(path, encoding):
        lower = line.lower()
        if lower.startswith("@data"):
            break
        if lower.startswith("@attribute"):
            attributes.append(_attribute(line[len("@attribute") :], path, number))
        elif not lower.startswith("@relation"):
            raise DataError(f"{path}, line {number}: expected @attribute or @data, found {line[:40]!r}")
    else:
        raise DataError(f"{path} has no @data section")
    if not attributes:
        raise DataError(f"{path} declares no attribute")
    names = [a.name for a in attributes]
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"{path} declares the attribute {name!r} twice")
    return tuple(attributes)


def _attribute(text: str, path: str, number: int) -> Attribute:
    match = _NAME.match(text)
    if match is None or not match.group(4):
        raise DataError(f"{path}, line {number}: an attribute needs a name and a type")
    name = _unescape(match)
    kind = match.group(4).strip()
    if kind.startswith("{"):
        values = tuple(split_values(kind.strip("{} \t")))
        if len(set(values)) != len(values):
            raise DataError(f"{path}, line {number}: attribute {name!r} names a value twice")
        return Attribute(name, "categorical", values)
    word = kind.split()[0].lower()
    if word in ("numeric", "real", "integer"):
        return Attribute(name, "numeric")
    if word in ("string", "date"):
        return Attribute(name, "text")
    raise DataError(f"{path}, line {number}: attribute {name!r} has the type {kind[:40]!r}, which is not known")


def split_values(text: str) -> list[str]:
    """Values between commas, quotes taken off."""
    values = []
    position = 0
    while position <= len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return [*values, text[position:]]
        values.append(_unescape(match))
        if match.end() == len(text) and not text.endswith(","):
            break
        position = match.end()
        if position == len(text):
            values.append("")
            break
    return values


def _unescape(match: re.Match[str]) -> str:
    quoted = match.group(1) if match.group(1) is not None else match.group(2)
    return match.group(3) if quoted is None else _ESCAPE.sub(r"\1", quoted)
