"""Results in words: numbers in aligned columns, and plurals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def aligned(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is flush left and whose others, numbers, are flush right."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("─" * width for width in widths))
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "iteration"), counted(2, "iteration")
    ('1 iteration', '2 iterations')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(numbers: Sequence[int], most: int = 6) -> str:
    """The first of some numbers.

    >>> listed([1, 2, 3]), listed(range(9))
    ('1, 2, 3', '0, 1, 2, 3, 4, 5 and 3 more')
    """
    shown = ", ".join(map(str, numbers[:most]))
    return f"{shown} and {len(numbers) - most} more" if len(numbers) > most else shown
