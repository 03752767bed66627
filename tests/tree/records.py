"""Records of trees: whether two trees are the same, and records that somebody damaged."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from hypothesis import strategies as st

from novacula.tree.export import AnyNamedTree

OWN = [{"counts": [1.0]}, {"mass": 1.0}]
STRANGE = [None, True, -1, 0, 1, 2, 10**30, -0.5, float("nan"), float("inf"), "", "x", [], [0], {}, *OWN]


def same(first: AnyNamedTree, second: AnyNamedTree) -> bool:
    """Whether two named trees are equal to the last bit and type."""
    if type(first) is not type(second):
        return False
    pairs = [(getattr(first.tree, part.name), getattr(second.tree, part.name)) for part in fields(first.tree)]
    arrays = all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)
    names = [part.name for part in fields(first) if part.name != "tree"]
    return arrays and all(getattr(first, name) == getattr(second, name) for name in names)


def put(record: Any, path: tuple[Any, ...], value: Any) -> None:
    """Another value at a place of a record."""
    _holder(record, path)[path[-1]] = value


@st.composite
def damaged(draw: st.DrawFn, record: Any) -> Any:
    """A record of which one part is gone, or is something strange."""
    found = copy.deepcopy(record)
    path = draw(st.sampled_from(list(_places(record))))
    if draw(st.booleans()):
        put(found, path, draw(st.sampled_from(STRANGE)))
    else:
        del _holder(found, path)[path[-1]]
    return found


def _holder(record: Any, path: tuple[Any, ...]) -> Any:
    """The part of a record that a path ends in."""
    for key in path[:-1]:
        record = record[key]
    return record


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to everything inside a record."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield (*path, key)
        yield from _places(part, (*path, key))
