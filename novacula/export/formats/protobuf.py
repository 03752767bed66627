"""The parts of the protobuf wire format that an ONNX file needs, and its messages by the numbers of their fields.

A message is its fields one after the other; a field is a number with a type of 3 bits, and then the content: a whole
number of variable length (type 0), four bytes (5), or a length and so many bytes (2).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

VARINT, BYTES, FOUR = 0, 2, 5
DOUBLE, FLOAT, INT64, STRING = 11, 1, 7, 8
"""Types of tensors."""
TYPES = {np.dtype(np.float64): DOUBLE, np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}


def varint(value: int) -> bytes:
    """A whole number in groups of 7 bits, the lowest first; a negative one as that of 64 bits.

    >>> varint(300).hex(), len(varint(-1))
    ('ac02', 10)
    """
    value &= 2**64 - 1
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def whole(number: int, value: int) -> bytes:
    """A field that is a whole number."""
    return varint(number << 3 | VARINT) + varint(value)


def held(number: int, content: bytes | str) -> bytes:
    """A field that is text, bytes or a message."""
    encoded = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | BYTES) + varint(len(encoded)) + encoded


def single(number: int, value: float) -> bytes:
    """A field that is a float of 32 bits."""
    return varint(number << 3 | FOUR) + struct.pack("<f", value)


# --- the messages of ONNX -------------------------------------------------------------------------------------------


def tensor(name: str, values: npt.NDArray[Any] | Sequence[str], shape: Sequence[int]) -> bytes:
    """TensorProto: numbers as raw bytes, or texts."""
    begin = b"".join(whole(1, size) for size in shape)
    if isinstance(values, np.ndarray):
        little = values.astype(values.dtype.newbyteorder("<"), copy=False)
        return begin + whole(2, TYPES[values.dtype]) + held(8, name) + held(9, little.tobytes())
    return begin + whole(2, STRING) + b"".join(held(6, value) for value in values) + held(8, name)


def attribute(name: str, value: Any) -> bytes:
    """AttributeProto: a whole number, a float, a text, or a list of whole numbers or of texts."""
    match value:
        case int():
            return held(1, name) + whole(3, value) + whole(20, 2)
        case float():
            return held(1, name) + single(2, value) + whole(20, 1)
        case str():
            return held(1, name) + held(4, value) + whole(20, 3)
        case [str(), *_]:
            return held(1, name) + b"".join(held(9, part) for part in value) + whole(20, 8)
    return held(1, name) + b"".join(whole(8, part) for part in value) + whole(20, 7)


def node(kind: str, inputs: Iterable[str], outputs: Iterable[str], domain: str, attributes: dict[str, Any]) -> bytes:
    """NodeProto: an operation with the names of what goes in and comes out."""
    parts = [held(1, name) for name in inputs] + [held(2, name) for name in outputs] + [held(4, kind)]
    parts += [held(5, attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts) + (held(7, domain) if domain else b"")


def value_info(name: str, kind: int, width: int) -> bytes:
    """ValueInfoProto: a tensor of any number of rows and so many columns."""
    rows, columns = held(1, held(2, "rows")), held(1, whole(1, width))
    shape = held(2, rows + columns)
    return held(1, name) + held(2, held(1, whole(1, kind) + shape))


def model(
    graph: bytes, operators: Iterable[tuple[str, int]], producer: str, version: str, format_version: int
) -> bytes:
    """ModelProto: a graph, and the versions of the operators that it uses."""
    sets = b"".join(held(8, (held(1, domain) if domain else b"") + whole(2, number)) for domain, number in operators)
    return whole(1, format_version) + held(2, producer) + held(3, version) + held(7, graph) + sets
