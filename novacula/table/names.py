"""Names of columns, as arguments and in messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from novacula.words import listed


def as_names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """One name, several, or none, as a tuple."""
    return () if names is None else (names,) if isinstance(names, str) else tuple(names)


def repeated(names: Iterable[Any]) -> Any:
    """The first name that occurs more than once, or None."""
    return next((name for name, times in Counter(names).items() if times > 1), None)


def did_you_mean(name: str, names: Iterable[str], what: str = "columns") -> str:
    """The end of a message: the nearest of the names of columns, classes or whatever they name, or the first few."""
    import difflib

    choices = list(names)
    near = difflib.get_close_matches(str(name), choices[:10_000], n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; the {what} are {listed(choices, 8)}"


def printable(text: str, limit: int | None = None) -> str:
    """A name or value fit for one line: no line breaks or control characters, cut at a limit."""
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
