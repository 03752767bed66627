"""A limit on the time of something that runs in this thread: when it is over, an exception ends it where it stands.

The clock is the one of the operating system, whose signals reach the main thread only. A compiled loop is not
interrupted before it returns.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


class TimeLimitError(Exception):
    """A job was ended because its time was over."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it took longer than {seconds:.3g} s")


class _TimeOver(BaseException):
    """Passes through `except Exception`, so that nothing takes it for a failure of its own."""


def can_limit_time() -> bool:
    """Whether this thread can be interrupted by a clock."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `TimeLimitError` after so many seconds, where that can be done; None is no limit.

    A timer that was set before goes on afterwards.
    """
    if seconds is None or not can_limit_time():
        yield
        return
    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, _end)
    left, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    except _TimeOver:
        raise TimeLimitError(seconds) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, handler)
        if left > 0.0:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - started), 1e-3), interval)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _TimeOver
