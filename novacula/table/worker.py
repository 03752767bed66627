"""The other side of a crew of processes: takes jobs from standard input and answers on standard output, one at a time.

A job is a pickle of (function, path of what is shared, arguments), an answer one of (whether it was done, the result or
the exception). Each begins with its length.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from functools import lru_cache
from pathlib import Path
from struct import calcsize, pack, unpack
from threading import Thread
from typing import IO, Any

LENGTH = "<Q"
"""How the length of a message is written."""
LOOK = 1.0
"""Seconds after which a process looks again whether the one that started it is still there."""


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message."""
    stream.write(pack(LENGTH, len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read a message; None where the other side is gone."""
    head = stream.read(calcsize(LENGTH))
    if len(head) < calcsize(LENGTH):
        return None
    size = int(unpack(LENGTH, head)[0])
    message = stream.read(size)
    return message if len(message) == size else None


def work(leader: int) -> None:
    """Do jobs until the leader closes the stream, or is gone."""
    import cloudpickle

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the leader's
    Thread(target=_end_with, args=(leader,), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a learner prints is no answer
    while (message := receive(sys.stdin.buffer)) is not None:
        try:
            function, path, arguments = pickle.loads(message)  # noqa: S301  (from the process that started this one)
            answer = cloudpickle.dumps((True, function(_shared(path), *arguments)))
        except Exception as error:  # is raised again by whoever asked
            answer = _as_answer(error)
        send(answers, answer)


def _as_answer(error: Exception) -> bytes:
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps((False, error)))
    except Exception:  # an exception may hold anything
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))


@lru_cache(maxsize=1)
def _shared(path: str) -> Any:
    return pickle.loads(Path(path).read_bytes())  # noqa: S301  (written by the process that started this one)


def _end_with(leader: int) -> None:
    while os.getppid() == leader:
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)
