"""Results as text: numbers in aligned columns."""

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
