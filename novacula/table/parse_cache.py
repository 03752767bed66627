"""Parsed rows, kept for the next pass while there is room: parsing text takes longer than counting."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

CACHE_BYTES = 1 << 29
"""The most bytes of a source's rows that are kept, for as long as its table is in use."""


class ParsedForm(NamedTuple):
    """How rows were parsed: the Arrow type of each column, and what counts as missing."""

    types: Mapping[str, Any]
    markers: tuple[str, ...]

    def serves(self, other: ParsedForm) -> bool:
        """Whether rows of this form hold those of the other one."""
        return self.markers == other.markers and self.types.items() >= other.types.items()


class ParseCache:
    """The batches of some partitions by key, each in the one form that had the most columns.

    What travels to another process is empty, and stays so.
    """

    def __init__(self, room: int = CACHE_BYTES) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._rows: dict[str, tuple[ParsedForm, list[Any]]] = {}

    def __reduce__(self) -> Any:
        return ParseCache, (0,)

    def find(self, key: str, form: ParsedForm) -> list[Any] | None:
        """The batches of a partition in a form; None if they have to be parsed."""
        held = self._rows.get(key)
        if held is None or not held[0].serves(form):
            return None
        return [batch.select(list(form.types)) for batch in held[1]]

    def keep(self, key: str, form: ParsedForm, batches: Iterator[Any]) -> Iterator[Any]:
        """Give batches on, and hold them once all have come, if there is room and their types are those of the form."""
        parsed, size, worthwhile = list[Any](), 0, self._is_wider(key, form)
        for batch in batches:
            if worthwhile:
                parsed.append(batch)
                size += batch.get_total_buffer_size()
                alike = dict(zip(batch.schema.names, batch.schema.types, strict=True)) == form.types
                worthwhile = alike and size <= self._room
            else:
                parsed.clear()
            yield batch
        if worthwhile:
            self._hold(key, form, parsed)

    def _is_wider(self, key: str, form: ParsedForm) -> bool:
        held = self._rows.get(key)
        return held is None or len(form.types) >= len(held[0].types)

    def _hold(self, key: str, form: ParsedForm, batches: list[Any]) -> None:
        with self._lock:
            if key in self._rows:
                self._room += _size(self._rows.pop(key)[1])
            if (size := _size(batches)) <= self._room:
                self._room -= size
                self._rows[key] = form, batches


def _size(batches: Sequence[Any]) -> int:
    return sum(batch.get_total_buffer_size() for batch in batches)
