"""Ctrl-C, noted even where it is pressed in the middle of something that passes no exceptions on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interruption:
    """Whether Ctrl-C came: then nothing that takes long is begun."""

    happened: bool = False


@contextmanager
def noticed(interruption: Interruption) -> Iterator[None]:
    """Note Ctrl-C, which is raised as ever; only the main thread can, and where nobody else handles it."""

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
