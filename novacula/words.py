"""Names and numbers as sentences and figures show them: shortened, quoted, listed, counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

LABEL_WIDTH = 40  # characters


def shortened(text: str, width: int = LABEL_WIDTH) -> str:
    """A text that fits the width; its middle is left out, since names often differ at their ends.

    >>> shortened("a rather long name of a column", 12)
    'a rathe…lumn'
    """
    if len(text) <= width:
        return text
    tail = width // 3
    return f"{text[: width - tail - 1]}…{text[-tail:]}"


def quoted(value: Any) -> str:
    """A value for a message, however long it is.

    >>> quoted("ID3"), quoted(2**100)
    ("'ID3'", 'a number of 101 bits')
    """
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    return shortened(repr(value))


def listed(values: Iterable[object], most: int = 12) -> str:
    """The first few values, and how many more there are.

    >>> listed(["sunny", "rain"]), listed(range(9), most=6)
    ("'sunny', 'rain'", '0, 1, 2, 3, 4, 5 and 3 more')
    """
    every = list(values)
    first = ", ".join(map(quoted, every[:most]))
    return f"{first} and {len(every) - most} more" if len(every) > most else first


def capitalised(text: str) -> str:
    """A text with a capital at its beginning; what follows stays as it is.

    >>> capitalised("mean cost of Mondays")
    'Mean cost of Mondays'
    """
    return text[:1].upper() + text[1:]


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "iteration"), counted(2, "iteration")
    ('1 iteration', '2 iterations')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
