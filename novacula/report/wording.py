"""Lists as a sentence has them."""

from __future__ import annotations

from collections.abc import Sequence


def series(items: Sequence[str]) -> str:
    """Items with commas between, and "and" before the last.

    >>> series(["a tree"]), series(["a tree", "a net"]), series(["a tree", "a net", "a line"])
    ('a tree', 'a tree and a net', 'a tree, a net and a line')
    """
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def first_of(items: Sequence[str], most: int) -> str:
    """A series of the first few items, and how many more there are.

    >>> first_of(["a", "b", "c", "d"], 2), first_of(["a", "b"], 2)
    ('a, b and 2 more', 'a and b')
    """
    more = len(items) - most
    return series([*items[:most], f"{more:,} more"] if more > 0 else items)
