"""Sections from their makers: one that fails says so in its place, so that a long study still gets its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from novacula.report.blocks import Alert, Block, Section
from novacula.study.cell import message_line

S = TypeVar("S")
Maker: TypeAlias = tuple[str, str, Callable[[S], Iterable[Block]]]
"""The name that links point to, the heading, and the function that gives the blocks."""


def sections_of(subject: S, makers: Sequence[Maker[S]]) -> tuple[Section, ...]:
    """The sections of a page, in order."""
    return tuple(Section(name, title, _blocks_of(make, subject)) for name, title, make in makers)


def _blocks_of(make: Callable[[S], Iterable[Block]], subject: S) -> tuple[Block, ...]:
    try:
        return tuple(make(subject))
    except Exception as error:  # a learner may raise anything when it is fitted or drawn again
        return (Alert(f"This part could not be made: {message_line(error)}"),)
