"""The words and marks of a BIF file, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from novacula.errors import DataError
from novacula.words import listed

PATTERN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<mark>[{}()\[\],;|])
      | "(?P<quoted>(?:[^"\\]|\\.)*)"
      | (?P<word>(?:(?!//|/\*)[^\s{}()\[\],;|"])+)""",
    re.VERBOSE | re.DOTALL,
)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a name in quotes, or a mark; the end of the file is an empty mark."""

    kind: str  # "word", "quoted" or "mark"
    text: str
    line: int

    def __str__(self) -> str:
        return repr(self.text) if self.text or self.kind != "mark" else "the end of the file"


class Tokens:
    """The tokens of a file, taken one by one; what is not there when it must be is an error with its line."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._place = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self._tokens[self._place]

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self._place == len(self._tokens) - 1

    def take(self) -> Token:
        """Take the next token; the end can be taken again and again."""
        token = self.next
        self._place += not self.at_end
        return token

    def accept(self, mark: str) -> bool:
        """Take a mark if it comes next."""
        accepted = self.next.kind == "mark" and self.next.text == mark
        self._place += accepted
        return accepted

    def mark(self, *marks: str) -> str:
        """Take one of these marks."""
        token = self.take()
        if token.kind != "mark" or token.text not in marks:
            refuse(token.line, f"expected {' or '.join(map(repr, marks))}, found {token}")
        return token.text

    def keyword(self, *words: str) -> str:
        """Take one of these words."""
        token = self.take()
        if token.kind != "word" or token.text not in words:
            refuse(token.line, f"expected {' or '.join(map(repr, words))}, found {token}")
        return token.text

    def name(self, what: str) -> str:
        """Take a name, in quotes or not."""
        token = self.take()
        if token.kind == "mark":
            refuse(token.line, f"expected {what}, found {token}")
        return token.text

    def names(self, what: str, until: str) -> list[str]:
        """Take names up to a mark; commas between them may be left out."""
        names = [self.name(what)]
        while not self.accept(until):
            self.accept(",")
            names.append(self.name(what))
        return names

    def numbers(self) -> list[float]:
        """Take probabilities up to a semicolon; commas between them may be left out."""
        values = [self._probability()]
        while not self.accept(";"):
            self.accept(",")
            values.append(self._probability())
        return values

    def _probability(self) -> float:
        token = self.take()
        try:
            value = float(token.text)
        except ValueError:
            value = -1.0
        if token.kind != "word" or not 0.0 <= value <= 1.0:
            refuse(token.line, f"expected a probability between 0 and 1, found {token}")
        return value

    def whole_number(self, what: str) -> int:
        """Take a whole number."""
        token = self.take()
        if token.kind != "word" or not token.text.isdecimal() or len(token.text) > 9:
            refuse(token.line, f"expected {what}, found {token}")
        return int(token.text)

    def skip_property(self) -> None:
        """Pass over a property, which says nothing about probabilities."""
        while not self.accept(";"):
            token = self.take()
            if token.kind == "mark" and token.text in ("", "{", "}"):
                refuse(token.line, f"expected ';' at the end of a property, found {token}")


def _tokens(text: str) -> Iterator[Token]:
    line, place = 1, 0
    while place < len(text):
        match = PATTERN.match(text, place)
        if match is None:
            what = "a quotation mark" if text[place] == '"' else "a comment"
            refuse(line, f"{what} is opened here and never closed")
        kind = match.lastgroup or "quoted"
        if kind != "space":
            found = match[kind]
            yield Token(kind, _unescaped(found) if kind == "quoted" else found, line)
        line += match[0].count("\n")
        place = match.end()
    yield Token("mark", "", line)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text, flags=re.DOTALL)


def refuse(line: int, what: str) -> NoReturn:
    """Say what is wrong with a file, and where."""
    raise DataError(f"line {line} of the BIF file: {what}")


def place_of(name: str, names: tuple[str, ...] | list[str], line: int, what: str) -> int:
    """The place of a name among those that are known."""
    if name not in names:
        refuse(line, f"{what} {name!r} is not known: expected one of {listed(names)}")
    return names.index(name)
