"""A hook for whoever keeps what passes over rows came to, so that a fit can go on where it was.

A learner needs its rows only through passes, and between two passes it is a function of what the passes gave. So the
results of its passes, in their order, are all that a fit has reached: given them again, it makes the same steps as
before, to the bit, and reads no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class PassRecorder(Protocol):
    """Keeps results of passes."""

    def give(self, function: Callable[..., Any], args: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
        """The result of a pass that asks for `function` with `args`: one that was kept, or else that of `compute`."""


_recorder: ContextVar[PassRecorder | None] = ContextVar("novacula_pass_recorder", default=None)


def recorded(function: Callable[..., Any], args: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """What a pass over rows comes to; passes that it is made of are not recorded for themselves."""
    recorder = _recorder.get()
    if recorder is None:
        return compute()
    with unrecorded():
        result: T = recorder.give(function, args, compute)
    return result


@contextmanager
def recording(recorder: PassRecorder | None) -> Iterator[None]:
    """Have the passes of this thread recorded within the block; None: not recorded."""
    before = _recorder.set(recorder)
    try:
        yield
    finally:
        _recorder.reset(before)


def unrecorded() -> Any:
    """A block whose passes are not recorded: those that bring rows themselves, for instance."""
    return recording(None)
