"""What a message says of an option: as it is written where the message is read.

types={'zip': 'categorical'}        --types zip=categorical        in Python, and on the command line

Who sends rows over HTTP has no options, and is told what to send.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

Reader: TypeAlias = Literal["python", "command line", "request"]

_reader: Reader = "python"


@contextmanager
def for_command_line() -> Iterator[None]:
    """Within the block messages name options as the command line has them."""
    with _read_by("command line"):
        yield


@contextmanager
def for_request() -> Iterator[None]:
    """Within the block messages say what is to be sent in a request."""
    with _read_by("request"):
        yield


@contextmanager
def _read_by(reader: Reader) -> Iterator[None]:
    global _reader
    before, _reader = _reader, reader
    try:
        yield
    finally:
        _reader = before


def step(name: str, value: Any = None) -> str:
    """The method of a table that does what an option of reading does; on the command line the option itself.

    >>> step("types", {"zip": "numeric"}), step("drop", "zip"), step("target")
    ("with_types({'zip': 'numeric'})", "drop('zip')", 'y= or with_target')
    >>> with for_command_line():
    ...     step("types", {"zip": "numeric"}), step("drop", "zip"), step("target")
    ('--types zip=numeric', '--drop zip', '--target')
    """
    if _reader == "command line":
        return option(name, [value] if isinstance(value, str) else value)
    if name == "target":
        return "y= or with_target"
    return f"with_types({value!r})" if name == "types" else f"{name}({value!r})"


def option(name: str, value: Any = None) -> str:
    """An option of `read` as it is to be written, with its value if it has one.

    >>> option("types", {"zip": "categorical"}), option("header", False)
    ("types={'zip': 'categorical'}", 'header=False')
    >>> option("missing", ["tbd"])
    "missing=[..., 'tbd']"
    >>> with for_command_line():
    ...     option("types", {"zip code": "categorical"}), option("header", False), option("drop", ["id"])
    ("--types 'zip code=categorical'", '--no-header', '--drop id')
    >>> with for_request():
    ...     option("encoding", "cp1252")
    'charset=cp1252 in the content type'
    """
    if _reader == "request" and name in _REQUEST:
        return _REQUEST[name].format(value or "…")
    if _reader == "command line":
        return f"--{name}" if value is None else _COMMAND_LINE.get(name, _one_value)(name, value)
    if name == "unlabelled":
        return "labelled(most=1.0)"
    if value is None:
        return f"{name}="
    return f"missing=[..., {', '.join(map(repr, value))}]" if name == "missing" else f"{name}={value!r}"


def advice_on_words(name: str, word: str) -> str:
    """What to do about a word among the numbers of a column."""
    if _reader == "request":
        return "send a number, or nothing where there is none"
    said = option("types", {name: "categorical"})
    return f"say {option('missing', [word])} if it stands for a missing value, or {said}"


def _one_value(name: str, value: Any) -> str:
    return f"--{name} {shlex.quote(str(value))}"


def _one_by_one(name: str, values: Any) -> str:
    pairs = [f"{k}={v}" for k, v in values.items()] if isinstance(values, Mapping) else list(values)
    return " ".join(f"--{name} {shlex.quote(str(each))}" for each in pairs)


def _separated(name: str, values: Any) -> str:
    return f"--{name} {shlex.quote(','.join(values))}"


def _flag(name: str, value: Any) -> str:
    return f"--{name}" if value else f"--no-{name}"


_REQUEST: Mapping[str, str] = {
    "encoding": "charset={} in the content type",
    "names": "a name of its own for each column",
    "header": "the names in the first line",
}
_COMMAND_LINE: Mapping[str, Callable[[str, Any], str]] = {
    "types": _one_by_one,
    "missing": _one_by_one,
    "drop": _one_by_one,
    "keep": _one_by_one,
    "names": _separated,
    "header": _flag,
    "unlabelled": _flag,
}
