"""How a command ends that is stopped: one sentence, no traceback, and the exit code that shells expect.

Ctrl-C (SIGINT) ends with 130. SIGTERM ends with 143; it unwinds as Ctrl-C does, so that processes are ended and files
are closed, but it is not taken for a wish to see what there is so far.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from novacula.cli.output import say

INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM
"""Exit codes of a program that a signal has ended."""


class Terminated(BaseException):
    """The process was asked to end."""


class StoppableGroup(TyperGroup):
    """Commands that end in a sentence when they are stopped."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with terminable():
                return super().invoke(ctx)
        except (KeyboardInterrupt, Terminated) as stop:
            by, code = ("SIGTERM", TERMINATED) if isinstance(stop, Terminated) else ("Ctrl-C", INTERRUPTED)
            say("; ".join([f"novacula: stopped by {by}", *getattr(stop, "__notes__", ())]))
            raise typer.Exit(code) from None


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` where SIGTERM comes; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated


@contextmanager
def resumable(out: Path) -> Iterator[None]:
    """Say of a command that is stopped that it can go on."""
    try:
        yield
    except (KeyboardInterrupt, Terminated) as stop:
        stop.add_note(f"what was measured is kept in {out}, and the same command goes on from there")
        raise
