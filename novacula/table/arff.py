"""ARFF files: a header that declares the attributes, then dense or sparse rows.

Values stay text until the schema lays them out, so that `?` means what the schema says. Nominal attributes
keep the order in which the header names their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from novacula.errors import DataError
from novacula.table.encode import ArrowPartition
from novacula.table.files import name_of
from novacula.table.names import repeated
from novacula.table.schema import Kind, Schema
from novacula.table.source import Source
from novacula.table.textfile import TextFile, encoding_notes

_ROWS = 20_000  # a batch
_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_NAME = re.compile(rf"\s*(?:{_QUOTED}|([^\s{{]+))\s*(.*)", re.DOTALL)
_VALUE = re.compile(rf"\s*(?:{_QUOTED}|([^,]*?))\s*(?:,|$)")
_PAIR = re.compile(rf"\s*(\d+)\s+(?:{_QUOTED}|([^,]*?))\s*(?:,|$)")
_ESCAPE = re.compile(r"\\(.)")
_KINDS: dict[str, Kind | None] = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "text",
    "date": None,
}


@dataclass(frozen=True, slots=True)
class ArffAttribute:
    """A declared attribute: numeric, text, or nominal with its values; of a date the values say how it is written."""

    name: str
    kind: Kind | None
    values: tuple[str, ...] = ()


class ArffSource(Source):
    """ARFF files with the same attributes."""

    is_text = True

    def __init__(
        self, paths: Sequence[str], encoding: str | None, encodings: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.name = name_of(paths)
        self._texts = [TextFile(path, encoding or encodings.get(path)) for path in paths]
        self.notes = tuple(encoding_notes(self._texts, encoding))
        self.attributes = read_header(self._texts[0])
        for text in self._texts[1:]:
            if read_header(text) != self.attributes:
                raise DataError(f"{text.path} declares other attributes than {paths[0]}")

    def arrow_schema(self) -> Any:
        """Text columns; what they hold is declared."""
        return pa.schema([(attribute.name, pa.string()) for attribute in self.attributes])

    def kinds(self) -> dict[str, Kind | None]:
        """The declared kinds."""
        return {attribute.name: attribute.kind for attribute in self.attributes}

    def declared(self) -> dict[str, tuple[Any, ...]]:
        """The values of nominal attributes in the header's order."""
        return {a.name: a.values for a in self.attributes if a.kind == "categorical"}

    def partitions(self) -> Sequence[ArffPartition]:
        """A file is a partition."""
        return [ArffPartition(text, self.attributes) for text in self._texts]


class ArffPartition(ArrowPartition):
    """The rows of one ARFF file."""

    def __init__(self, text: TextFile, attributes: tuple[ArffAttribute, ...]) -> None:
        self.text, self.attributes = text, attributes
        self.name = text.path
        self.key = f"{text.file.token}-{text.encoding}"

    def batches(self, names: Sequence[str], schema: Schema | None = None) -> Iterator[Any]:
        """Give the named columns as text."""
        place = {attribute.name: j for j, attribute in enumerate(self.attributes)}
        wanted = {name: place[name] for name in names} or {self.attributes[0].name: 0}
        rows: list[list[str]] = []
        for row in self._rows():
            rows.append(row)
            if len(rows) == _ROWS:
                yield _batch(rows, wanted)
                rows = []
        if rows:
            yield _batch(rows, wanted)

    def _rows(self) -> Iterator[list[str]]:
        inside = False
        for number, line in self.text.lines():
            if line.startswith("%"):
                continue
            if not inside:
                inside = line[:5].lower() == "@data"
                continue
            row = self._sparse(line, number) if line.startswith("{") else split_values(line)
            if len(row) != len(self.attributes):
                found = f"{len(row)} values where there are {len(self.attributes)} attributes"
                raise DataError(f"{self.name}, line {number}: {found}")
            yield row

    def _sparse(self, line: str, number: int) -> list[str]:
        """A row of index and value pairs; what is not named is 0, or the first of an attribute's values."""
        row = [attribute.values[0] if attribute.values else "0" for attribute in self.attributes]
        body = line.removeprefix("{").removesuffix("}").strip()
        at = 0
        while at < len(body):
            pair = _PAIR.match(body, at)
            if pair is None or not line.endswith("}"):
                odd = body[at : at + 20].strip()
                raise DataError(f"{self.name}, line {number}: {odd!r} is not an index and a value")
            if int(pair[1]) >= len(row):
                raise DataError(f"{self.name}, line {number}: there is no attribute {pair[1]}")
            row[int(pair[1])] = _unquoted(pair[2], pair[3], pair[4])
            at = pair.end()
        return row


def _batch(rows: list[list[str]], wanted: dict[str, int]) -> Any:
    columns = [pa.array([row[j] for row in rows], pa.string()) for j in wanted.values()]
    return pa.record_batch(columns, names=list(wanted))


def read_header(text: TextFile) -> tuple[ArffAttribute, ...]:
    """The attributes that a file declares."""
    attributes: list[ArffAttribute] = []
    path = text.path
    for number, line in text.lines():
        word = " ".join(line.split(None, 1)[:1]).lower()  # of a line of white space beyond ASCII there is none
        if word == "@data":
            break
        if word == "@attribute":
            attributes.append(_attribute(line[len("@attribute") :], f"{path}, line {number}"))
        elif word != "@relation" and not line.startswith("%"):
            raise DataError(f"{path}, line {number}: expected @attribute or @data, found {line[:40]!r}")
    else:
        raise DataError(f"{path} has no @data section: it is empty or not an ARFF file")
    if not attributes:
        raise DataError(f"{path} declares no attribute")
    if (twice := repeated(attribute.name for attribute in attributes)) is not None:
        raise DataError(f"{path} declares the attribute {twice!r} twice: rename one of them")
    return tuple(attributes)


def _attribute(text: str, where: str) -> ArffAttribute:
    match = _NAME.match(text)
    if match is None or not match[4]:
        raise DataError(f"{where}: an attribute needs a name and a type")
    name, kind = _unquoted(match[1], match[2], match[3]), match[4].strip()
    if kind.startswith("{") and kind.endswith("}"):
        values = tuple(split_values(kind[1:-1]))
        if (twice := repeated(values)) is not None:
            raise DataError(f"{where}: attribute {name!r} names the value {twice!r} twice")
        return ArffAttribute(name, "categorical", values)
    word = kind.split()[0].lower()
    if word not in _KINDS:
        raise DataError(f"{where}: attribute {name!r} has the type {kind[:40]!r}, which is not known")
    return ArffAttribute(name, _KINDS[word])


def split_values(text: str) -> list[str]:
    """Values between commas, quotes taken off.

    >>> split_values("5.1, 'a, b', ?")
    ['5.1', 'a, b', '?']
    """
    if "'" not in text and '"' not in text:
        return [value.strip() for value in text.split(",")]
    values: list[str] = []
    at = 0
    while True:
        match = _VALUE.match(text, at)
        if match is None:  # a quote that is not closed
            return [*values, text[at:]]
        values.append(_unquoted(match[1], match[2], match[3]))
        if not match[0].endswith(","):
            return values
        at = match.end()


def _unquoted(single: str | None, double: str | None, plain: str) -> str:
    quoted = double if single is None else single
    return plain if quoted is None else _ESCAPE.sub(r"\1", quoted)
