"""Fingerprints: short texts that are equal where values are, in any process, and differ where they do not.

Values are taken by what they hold: arrays by their numbers whatever their memory layout, dataclasses by their fields,
learners by their parameters, functions by their names. Of other objects only the type counts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
from scipy import sparse

from novacula.table import Table
from novacula.table.expanded import ExpandedSource
from novacula.table.memory import MemorySource
from novacula.table.runner import ChunkLayout

DEPTH = 64
"""How deep values are followed."""


def fingerprint(*values: Any) -> str:
    """The fingerprint of values.

    >>> fingerprint([1, np.eye(2)]) == fingerprint([1, np.asfortranarray(np.eye(2))])
    True
    >>> fingerprint(1) == fingerprint(1.0)
    False
    """
    digest = sha256()
    _feed(values, digest.update, 0)
    return digest.hexdigest()


def table_fingerprint(table: Table) -> str:
    """That of a table: files by name, size and time, rows in memory by what they hold."""
    layout = ChunkLayout(table.layout, table.unseen)
    parts = table.source.partitions()
    if not isinstance(table.source, (MemorySource, ExpandedSource)):
        return fingerprint(layout.mark, [part.key for part in parts])
    return fingerprint(layout.mark, [fingerprint(chunk) for part in parts for chunk in layout.chunks(part)])


def name_of(function: Any) -> str:
    """What a function is called, with its module."""
    if isinstance(function, partial):
        return name_of(function.func)
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def _feed(value: Any, take: Callable[[bytes], object], depth: int) -> None:
    if depth > DEPTH:
        return
    kind = type(value)
    take(f"<{kind.__module__}.{kind.__qualname__}>".encode())
    if value is None or isinstance(value, (bool, int, str, bytes, float, Enum)):
        take(repr(value).encode())
    elif isinstance(value, (np.ndarray, np.generic)):
        _feed_array(np.asarray(value), take, depth)
    else:
        for part in _parts(value):
            _feed(part, take, depth + 1)


def _feed_array(array: Any, take: Callable[[bytes], object], depth: int) -> None:
    take(f"{array.dtype.str}{array.shape}".encode())
    if array.dtype == object:
        for item in array.flat:
            _feed(item, take, depth + 1)
    else:
        take(np.ascontiguousarray(array).tobytes())


def _parts(value: Any) -> list[Any]:
    """The values that a value is made of."""
    if isinstance(value, (tuple, list)):
        return [len(value), *value]
    if isinstance(value, Mapping):
        return [len(value), *sorted((fingerprint(key), fingerprint(item)) for key, item in value.items())]
    if isinstance(value, (set, frozenset)):
        return [len(value), *sorted(map(fingerprint, value))]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in dataclasses.fields(value) if field.init]
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, Table):
        return [table_fingerprint(value)]
    if isinstance(value, np.random.RandomState):
        return list(value.get_state(legacy=True))
    if isinstance(value, np.random.Generator):
        return [value.bit_generator.state]
    if sparse.issparse(value):
        rows = value.tocsr()
        return [rows.shape, rows.data, rows.indices, rows.indptr]
    if hasattr(value, "get_params") and not isinstance(value, type):
        return [value.get_params(deep=False)]
    if callable(value):
        code = getattr(value, "__code__", None)
        return [name_of(value), b"" if code is None else code.co_code]
    return [np.asarray(value)] if hasattr(value, "__array__") else []
