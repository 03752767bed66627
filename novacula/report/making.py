"""Sections from their makers: one that fails says so in its place, so that a long study still gets its page."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TypeAlias, TypeVar

from novacula.report.blocks import Alert, Block, Paragraph, Section
from novacula.study.cell import message_line
from novacula.table.time_limit import TimeLimitError

INTERRUPTED = "Not made: interrupted."


@dataclass
class Interruption:
    """Whether Ctrl-C came while a page was made: then nothing that takes long is begun."""

    happened: bool = False


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


@contextmanager
def noticed(interruption: Interruption) -> Iterator[None]:
    """Note Ctrl-C, even where it is pressed in the middle of something that passes no exceptions on."""

    def note(_number: int, _frame: FrameType | None) -> None:
        interruption.happened = True
        raise KeyboardInterrupt

    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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
