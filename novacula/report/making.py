"""Sections from what makes them: one that cannot be made says so, for a long study must not go without its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from novacula.report.blocks import Alert, Block, Section
from novacula.study.cell import told

S = TypeVar("S")
Maker: TypeAlias = tuple[str, str, Callable[[S], Iterable[Block]]]
"""What links point to, the heading, and what gives the blocks."""


def sections_of(subject: S, makers: Sequence[Maker[S]]) -> tuple[Section, ...]:
    """The sections of a page, in order."""
    return tuple(Section(name, title, _made(make, subject)) for name, title, make in makers)


def _made(make: Callable[[S], Iterable[Block]], subject: S) -> tuple[Block, ...]:
    try:
        return tuple(make(subject))
    except Exception as error:  # whatever a learner raises when it is fitted, or drawn, once more
        return (Alert(f"This part could not be made: {told(error)}"),)
