"""Words with mathematics in them: what stands between double brackets is set as mathematics, the rest as it is.

>>> prose("⟦w_1⟧ is the weight of x", str.upper, lambda node: f"<{Layout(TextNotation()).write(node)}>")
'<w₁> IS THE WEIGHT OF X'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from types import MappingProxyType
from typing import NamedTuple

from novacula.errors import ParameterError
from novacula.mathematics import parse
from novacula.mathematics.layout import Layout
from novacula.mathematics.notation import DIGITS, Notation, TextNotation
from novacula.mathematics.tree import Node, renamed
from novacula.table.names import printable

INLINE = re.compile("⟦(.*?)⟧")


def prose(text: str, words: Callable[[str], str], mathematics: Callable[[Node], str]) -> str:
    """Set a text: words by one function, mathematics by the other; brackets around anything else are words."""
    parts, start = [], 0
    for found in INLINE.finditer(text):
        try:
            node = parse(found[1])
        except ParameterError:
            continue
        parts += [words(text[start : found.start()]), mathematics(node)]
        start = found.end()
    return "".join([*parts, words(text[start:])])


class Appearance(NamedTuple):
    """How mathematics looks: digits of numbers, what is written in place of what, and numbers that are left blank."""

    digits: int = DIGITS
    names: Mapping[Node, Node] = MappingProxyType({})
    secrets: Set[str] = frozenset()

    def notation(self, kind: type[Notation]) -> Notation:
        """A notation with these digits, which keeps these secrets."""
        return kind(self.digits, self.secrets)

    def writer(self, kind: type[Notation]) -> Callable[[Node], str]:
        """What writes mathematics in a notation."""
        layout = Layout(self.notation(kind))
        return lambda node: layout.write(renamed(node, self.names))


LOOK = Appearance()


def plain(text: str, look: Appearance) -> str:
    """A text as plain text."""
    return prose(text, printable, look.writer(TextNotation))
