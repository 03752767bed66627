"""What a message says of an option: as it is written where the message is read, in Python or on the command line.

types={'zip': 'categorical'}        --types zip=categorical
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_on_command_line = False


@contextmanager
def for_command_line() -> Iterator[None]:
    """Within the block messages name options as the command line has them."""
    global _on_command_line
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before


def step(name: str, value: Any = None) -> str:
    """The method of a table that does what an option of reading does; on the command line the option itself.

    >>> step("types", {"zip": "numeric"}), step("drop", "zip"), step("target")
    ("with_types({'zip': 'numeric'})", "drop('zip')", 'y= or with_target')
    >>> with for_command_line():
    ...     step("types", {"zip": "numeric"}), step("drop", "zip"), step("target")
    ('--types zip=numeric', '--drop zip', '--target')
    """
    if _on_command_line:
        return option(name, [value] if isinstance(value, str) else value)
    if name == "target":
        return "y= or with_target"
    return f"with_types({value!r})" if name == "types" else f"{name}({value!r})"


def option(name: str, value: Any = None) -> str:
    """An option of `read` as it is to be written, with its value if it has one.

    >>> option("types", {"zip": "categorical"}), option("header", False)
    ("types={'zip': 'categorical'}", 'header=False')
    >>> with for_command_line():
    ...     option("types", {"zip code": "categorical"}), option("header", False), option("drop", ["id"])
    ("--types 'zip code=categorical'", '--no-header', '--drop id')
    """
    if name == "unlabelled" and not _on_command_line:
        return "labelled(most=1.0)"
    if value is None:
        return f"--{name}" if _on_command_line else f"{name}="
    if _on_command_line:
        return _COMMAND_LINE.get(name, _one_value)(name, value)
    return f"{name}={value!r}"


def advice_on_words(name: str) -> str:
    """What to do about words among the numbers of a column."""
    return f"name it with {option('missing')}, or say {option('types', {name: 'categorical'})}"


def _one_value(name: str, value: Any) -> str:
    return f"--{name} {shlex.quote(str(value))}"


def _one_by_one(name: str, values: Any) -> str:
    pairs = [f"{k}={v}" for k, v in values.items()] if isinstance(values, Mapping) else list(values)
    return " ".join(f"--{name} {shlex.quote(str(each))}" for each in pairs)


def _separated(name: str, values: Any) -> str:
    return f"--{name} {shlex.quote(','.join(values))}"


def _flag(name: str, value: Any) -> str:
    return f"--{name}" if value else f"--no-{name}"


_COMMAND_LINE: Mapping[str, Callable[[str, Any], str]] = {
    "types": _one_by_one,
    "missing": _one_by_one,
    "drop": _one_by_one,
    "keep": _one_by_one,
    "names": _separated,
    "header": _flag,
    "unlabelled": _flag,
}
