"""What a pass came to, as bytes and back: data only, by the codec of model files.

    sha256 (32 bytes) · size of the document (8) · size of the arrays (8) · document (JSON) · arrays (safetensors)

Besides what model files hold, a record holds dataclasses of the library, or of the package that the learner comes from,
and objects of the very types that the pass was given. Types are looked up among those that are loaded: no name in a
record is ever imported, and nothing of a record runs.
"""

from __future__ import annotations

import dataclasses
import json
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, BinaryIO, Self

import numpy as np
import safetensors.numpy
from safetensors import SafetensorError
from scipy import sparse

from novacula.errors import ModelFileError
from novacula.learner.codec import Array, Decoder, Encoder, Json, TypeCoding, dataclass_form
from novacula.table.schema import Column, Schema

HEAD = struct.Struct("<32s2Q")
MOST = 1 << 40
"""Bytes of a part of a record that are believed."""
PLAIN = (str, bytes, int, float, bool, type(None), np.generic, Schema, Column)
"""Types that the codec knows, and that hold no others."""


@dataclass(frozen=True)
class ColumnMajor:
    """An array whose columns lie one after the other: sums over it are added in another order."""

    rows: Array  # the transposed, whose rows do


COLUMN_MAJOR = TypeCoding(ColumnMajor, "$columns", lambda value: {"rows": value.rows}, lambda rows: np.asarray(rows.T))


class LayoutEncoder(Encoder):
    """An encoder that keeps the memory layout of arrays, since digits depend on it."""

    def encode(self, value: Any, where: str = "the value", depth: int = 0) -> Json:
        """Give the JSON of a value."""
        if type(value) is np.ndarray and value.flags.f_contiguous and not value.flags.c_contiguous:
            value = ColumnMajor(value.T)
        return super().encode(value, where, depth)


@dataclass(frozen=True)
class PassRecord:
    """A pass: the fingerprint of what it asked for, and what it came to, unless that could not be kept."""

    asks: str
    is_kept: bool
    value: Any = None

    def to_bytes(self, roots: frozenset[str], given: Any) -> bytes:
        """The record of a pass that was given some arguments, with types from these packages."""
        kinds = sorted(kinds_in(self.value), key=type_name)
        encoder = LayoutEncoder([COLUMN_MAJOR, *(_form(kind, roots, given) for kind in kinds)])
        document = {
            "asks": self.asks,
            "is_kept": self.is_kept,
            "types": [type_name(kind) for kind in kinds],
            "value": encoder.encode(self.value, "what a pass came to"),
        }
        manifest, arrays = json.dumps(document).encode(), safetensors.numpy.save(encoder.arrays)
        digest = sha256(manifest + arrays).digest()
        return HEAD.pack(digest, len(manifest), len(arrays)) + manifest + arrays

    @classmethod
    def from_bytes(cls, record: bytes, asks: str, roots: frozenset[str], given: Any) -> Self | None:
        """The record, if it is of a pass that asks for the same; ModelFileError if it is damaged."""
        digest, size, _ = HEAD.unpack_from(record)
        if sha256(record[HEAD.size :]).digest() != digest:
            raise ModelFileError("its checksum is another")
        try:
            document = json.loads(record[HEAD.size :][:size])
            if document["asks"] != asks:
                return None
            arrays = safetensors.numpy.load(record[HEAD.size + size :])
            kinds = [_loaded(name, roots, given) for name in document["types"]]
            forms = [COLUMN_MAJOR, *(_form(kind, roots, given) for kind in kinds)]
            return cls(asks, document["is_kept"] is True, Decoder(arrays, forms).decode(document["value"]))
        except (SafetensorError, ValueError, LookupError, TypeError, RecursionError) as error:
            raise ModelFileError(f"it is malformed ({error})") from error


def record_places(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Where records begin in a file and how long they are, up to the first that is not whole."""
    end, start = file.seek(0, 2), 0
    while start + HEAD.size <= end:
        file.seek(start)
        _, manifest, arrays = HEAD.unpack(file.read(HEAD.size))
        size = HEAD.size + manifest + arrays
        if max(manifest, arrays) > MOST or start + size > end:
            return
        yield start, size
        start += size


# --- types --------------------------------------------------------------------------------------------------


def type_name(kind: type) -> str:
    """A type in a record."""
    return f"{kind.__module__}:{kind.__qualname__}"


def kinds_in(value: Any) -> set[type]:
    """The types of objects in a value that the codec does not know by itself."""
    kinds: set[type] = set()
    waiting, seen = [value], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, PLAIN) or id(one) in seen or sparse.issparse(one):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            waiting.extend(one.flat if one.dtype == object else ())
        elif type(one) in (tuple, list, dict):
            waiting.extend([*one, *one.values()] if isinstance(one, dict) else one)
        else:
            kinds.add(type(one))
            waiting.extend(_parts(one).values())
    return kinds


def _parts(value: Any) -> dict[str, Any]:
    """What an object holds."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return dict(getattr(value, "__dict__", {}))


def _loaded(name: str, roots: Iterable[str], given: Any) -> type:
    """The type of this name, if it is loaded and may stand in a record."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module) if module.partition(".")[0] in roots else None
    for part in path.split("."):
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
    if not isinstance(found, type) or not (dataclasses.is_dataclass(found) or found in kinds_in(given)):
        raise ModelFileError(f"it holds a {name!r}, which is not a type of a checkpoint")
    return found


def _form(kind: type, roots: Iterable[str], given: Any) -> TypeCoding:
    """How a type is taken apart and put together."""
    name = type_name(kind)
    if _loaded(name, roots, given) is not kind:
        raise ModelFileError(f"{name!r} is not the type of that name")
    if not dataclasses.is_dataclass(kind):
        return TypeCoding(kind, name, _parts, lambda **parts: _remade(kind, parts))
    if not all(field.init for field in dataclasses.fields(kind)):
        raise ModelFileError(f"{name!r} holds what its constructor does not take")
    return dataclass_form(name, kind)


def _remade(kind: Any, parts: dict[str, Any]) -> Any:
    made = kind.__new__(kind)
    vars(made).update(parts)
    return made
