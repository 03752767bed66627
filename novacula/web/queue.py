"""Requests that come while others are answered wait, and are then answered together: one pass for all of them.

Nobody waits for company. A request that finds nothing under way is answered at once, alone.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

from novacula.web.answers import Asked
from novacula.web.refusal import BUSY, RefusedRequest

TOGETHER = 4_096
"""Rows that are answered in one pass, at least where there are as many."""


class AnswerQueue:
    """Hands batches to a thread, one after the other; used by one event loop."""

    def __init__(
        self, answer_each: Callable[[Sequence[Asked]], list[bytes | Exception]], pool: Executor, most_waiting: int
    ) -> None:
        self._answer_each, self._pool, self._most_waiting = answer_each, pool, most_waiting
        self._waiting: deque[tuple[Asked, asyncio.Future[bytes]]] = deque()
        self._n_rows = 0  # that wait
        self._at_work: asyncio.Task[None] | None = None

    async def ask(self, asked: Asked) -> bytes:
        """The answer to a request."""
        if self._n_rows + len(asked) > self._most_waiting:
            raise RefusedRequest(BUSY, f"{self._n_rows:,} rows are waiting for their answers already: ask again later")
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, future))
        self._n_rows += len(asked)
        if self._at_work is None:
            self._at_work = asyncio.create_task(self._work())
        answer: bytes = await future
        return answer

    async def _work(self) -> None:
        """Answer all that waits."""
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                batch = self._next()
                if not batch:
                    continue
                answers = await loop.run_in_executor(self._pool, self._answer_each, [asked for asked, _ in batch])
                for (_, future), answer in zip(batch, answers, strict=True):
                    _settle(future, answer)
        finally:
            self._at_work = None

    def _next(self) -> list[tuple[Asked, asyncio.Future[bytes]]]:
        """The requests of the next batch, without those that nobody waits for any more."""
        batch, rows = list[tuple[Asked, asyncio.Future[bytes]]](), 0
        while self._waiting and rows < TOGETHER:
            asked, future = self._waiting.popleft()
            self._n_rows -= len(asked)
            if not future.done():
                batch.append((asked, future))
                rows += len(asked)
        return batch


def _settle(future: asyncio.Future[Any], answer: bytes | Exception) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
