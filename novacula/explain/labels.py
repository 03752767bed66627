"""Names of classes where there is little room: what tells them apart stays."""

from __future__ import annotations

from collections.abc import Sequence

from novacula.words import shortened


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Names that fit the width; where that makes several alike, what all of them begin with is left out.

    >>> told_apart(["product line 18 / region", "product line 19 / region"], 18)
    ['…18 / region', '…19 / region']
    >>> told_apart(["setosa", "virginica"], 8)
    ['setosa', 'virgi…ca']
    """
    short = [shortened(name, width) for name in names]
    if len(set(short)) == len(set(names)):
        return short
    common = _beginning(min(names), max(names))
    rest = [shortened(f"…{name[len(common) :]}", width) for name in names] if common else short
    return rest if len(set(rest)) > len(set(short)) else short


def _beginning(first: str, last: str) -> str:
    """What two names begin with, up to a whole number or word."""
    pairs = zip(first, last, strict=False)
    same = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))
    while same and first[same - 1].isalnum():
        same -= 1
    return first[:same]
