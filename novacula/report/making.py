"""Sections from their makers: one that fails says so in its place, so that a long study still gets its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from novacula.report.blocks import Alert, Block, Paragraph, Section
from novacula.study.cell import message_line
from novacula.table.interruption import Interruption
from novacula.table.time_limit import TimeLimitError

INTERRUPTED = "Not made: interrupted."

S = TypeVar("S")
Maker: TypeAlias = tuple[str, str, Callable[[S], Iterable[Block]]]
"""The name that links point to, the heading, and the function that gives the blocks."""


def sections_of(subject: S, makers: Sequence[Maker[S]], interruption: Interruption) -> tuple[Section, ...]:
    """The sections of a page, in order; after a second Ctrl-C the rest of them is not made."""
    sections, stopped = [], False
    for name, title, make in makers:
        again = interruption.happened
        blocks = (Paragraph(INTERRUPTED),) if stopped else tuple(blocks_of(make, subject, interruption))
        stopped = stopped or (again and blocks[-1:] == (Paragraph(INTERRUPTED),))
        sections.append(Section(name, title, blocks))
    return tuple(sections)


def blocks_of(make: Callable[[S], Iterable[Block]], subject: S, interruption: Interruption) -> Iterator[Block]:
    """The blocks of a section as far as they can be made, and why there are no more."""
    try:
        yield from make(subject)
    except KeyboardInterrupt:
        interruption.happened = True
        yield Paragraph(INTERRUPTED)
    except TimeLimitError as error:
        yield Paragraph(f"The rest of this part is left out: {error}.")
    except Exception as error:  # a learner may raise anything when it is fitted or drawn again
        yield Alert(f"This part could not be made: {message_line(error)}")
