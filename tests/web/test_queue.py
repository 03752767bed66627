"""Batches of requests: nobody waits for company, and who comes while others are answered is answered with the next."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from novacula.web.queue import TOGETHER, AnswerQueue
from novacula.web.refusal import RefusedRequest


class Answerer:
    """Gives back how many rows were asked; the first batch waits until it may end."""

    def __init__(self):
        self.batches, self.begun, self.may_end = [], threading.Event(), threading.Event()

    def __call__(self, asked):
        self.batches.append([len(one) for one in asked])
        self.begun.set()
        assert self.may_end.wait(10.0)
        return [str(len(one)).encode() if len(one) != 3 else ValueError("three") for one in asked]


def rows(n):
    return [[0.0]] * n


def test_who_comes_while_others_are_answered_is_answered_with_the_next():
    answerer = Answerer()

    async def run(pool):
        queue = AnswerQueue(answerer, pool, 100)
        first = asyncio.create_task(queue.ask(rows(1)))
        await asyncio.to_thread(answerer.begun.wait, 10.0)
        others = [asyncio.create_task(queue.ask(rows(n))) for n in (2, 3, 4)]
        gone = asyncio.create_task(queue.ask(rows(5)))
        await asyncio.sleep(0)
        gone.cancel()
        answerer.may_end.set()
        return await asyncio.gather(first, *others, gone, return_exceptions=True)

    with ThreadPoolExecutor(1) as pool:
        one, two, three, four, gone = asyncio.run(run(pool))
    assert answerer.batches == [[1], [2, 3, 4]]  # without the one that nobody waits for any more
    assert (one, two, four) == (b"1", b"2", b"4")
    assert isinstance(three, ValueError)
    assert isinstance(gone, asyncio.CancelledError)


def test_a_batch_has_an_end_and_so_has_the_queue():
    answerer = Answerer()
    answerer.may_end.set()

    async def run(pool):
        queue = AnswerQueue(answerer, pool, 3 * TOGETHER)
        asked = [asyncio.create_task(queue.ask(rows(TOGETHER - 1))) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(RefusedRequest, match="12,285 rows are waiting for their answers already") as refused:
            await queue.ask(rows(4))
        await asyncio.gather(*asked)
        assert await queue.ask(rows(4)) == b"4"  # there is room again
        return refused.value.status

    with ThreadPoolExecutor(1) as pool:
        assert asyncio.run(run(pool)) == 503
    assert answerer.batches == [[TOGETHER - 1] * 2, [TOGETHER - 1], [4]]
