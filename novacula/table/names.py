"""Names of columns, as arguments and in messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from novacula.words import listed, shortened


def as_names(names: Any) -> tuple[str, ...]:
    """One name, several, or none, as a tuple; a whole number, as pandas has it for a name, is its digits.

    >>> as_names("x"), as_names([0, 1]), as_names(None)
    (('x',), ('0', '1'), ())
    """
    if names is None:
        return ()
    each = (names,) if isinstance(names, (str, int)) else tuple(names)
    return tuple(name if isinstance(name, str) else str(name) for name in each)


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


def name_of(value: object) -> str:
    """A name or a class of the user's, printable and short enough for a cell; 1.0 is 1, as people write it.

    >>> name_of(1.0), name_of(0.5), name_of("")
    ('1', '0.5', '(no name)')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        value = int(value)
    return shortened(printable(str(value))) or "(no name)"


def quoted_name(value: object) -> str:
    """A name within a sentence: printable, short, in quotation marks."""
    return f"‘{name_of(value)}’"
