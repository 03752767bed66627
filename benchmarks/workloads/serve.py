"""A served model under load: single rows over connections that stay open, asked on the machine that answers them."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.workload import Figure, Probe

REQUESTS = 100_000
CONNECTIONS = 32
FIRST = 5_000
"""Requests after which memory is looked at for the first time: buffers have the size that they keep then."""
PATIENCE = 600.0
"""Seconds after which the whole is given up."""
ROWS = 2_000


class ServedModel(Probe):
    """Requests of one row, one after the other on each of several connections."""

    name = "serve"
    title = "A served model"

    def figures(self, rounds: int) -> list[Figure]:
        """Time, latency, and what memory has grown by."""
        with TemporaryDirectory(prefix="serve-") as folder, served(_model(Path(folder))) as (process, port):
            requests = _requests(port)
            asyncio.run(ask(port, requests, FIRST, CONNECTIONS))
            before = memory_of(process.pid)
            load = asyncio.run(ask(port, requests, REQUESTS, CONNECTIONS))
            after = memory_of(process.pid)
            alone = asyncio.run(ask(port, requests, FIRST, 1))
        crowd = f"{REQUESTS:,} requests of one row on {CONNECTIONS} connections"
        return [
            Figure(f"{crowd}, for each 1,000 of them", 1e3 * load.seconds / REQUESTS, "s", 1.0),
            Figure("their latency, median", 1e3 * median(load.latencies), "ms"),
            Figure("their latency, 99th percentile", 1e3 * quantiles(load.latencies, n=100)[-1], "ms"),
            Figure(f"memory of the service before them {before / 1e6:.0f} MB, and after them more by",
                   (after - before) / 1e6, "MB", 5.0),
            Figure("latency of one connection alone, median", 1e3 * median(alone.latencies), "ms"),
        ]  # fmt: skip


@dataclass
class LoadSeen:
    """What a load came to: seconds of all, and of each request."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)


async def ask(port: int, requests: Sequence[bytes], count: int, connections: int) -> LoadSeen:
    """Send requests in turn until so many are answered; anything but an answer ends it."""
    loop, seen = asyncio.get_running_loop(), LoadSeen()
    supply = (requests[k % len(requests)] for k in range(count))
    begin = time.perf_counter()
    async with asyncio.timeout(PATIENCE):
        ends = []
        for _ in range(connections):
            _, asker = await loop.create_connection(lambda: AskingConnection(supply, seen, loop), "127.0.0.1", port)
            ends.append(asker.end)
        await asyncio.gather(*ends)
    seen.seconds = time.perf_counter() - begin
    if len(seen.latencies) != count:
        raise RuntimeError(f"{len(seen.latencies)} of {count} requests were answered")
    return seen


class AskingConnection(asyncio.Protocol):
    """A connection that asks again as soon as it has its answer."""

    def __init__(self, supply: Iterator[bytes], seen: LoadSeen, loop: asyncio.AbstractEventLoop) -> None:
        self.supply, self.seen, self.end = supply, seen, loop.create_future()
        self.held = b""
        self.sent = 0.0

    def connection_made(self, transport: Any) -> None:
        """Ask the first time."""
        self.transport = transport
        self._ask()

    def _ask(self) -> None:
        request = next(self.supply, None)
        if request is None:
            self.transport.close()
            self.end.set_result(None)
            return
        self.sent = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Take what came, and ask again when the answer is whole."""
        self.held += data
        head = self.held.find(b"\r\n\r\n")
        if head < 0:
            return
        length = re.search(rb"content-length: (\d+)", self.held[:head])
        if length is None or len(self.held) < head + 4 + int(length[1]):
            return
        if not self.held.startswith(b"HTTP/1.1 200"):
            self._fail(self.held[head + 4 :].decode(errors="replace"))
            return
        self.seen.latencies.append(time.perf_counter() - self.sent)
        self.held = b""
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        """An end that nobody asked for is an error."""
        if not self.end.done():
            self._fail(f"the connection was closed: {error}")

    def _fail(self, why: str) -> None:
        if not self.end.done():
            self.end.set_exception(RuntimeError(why))
        self.transport.close()


@contextmanager
def served(model: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that serves a model on a free port of loopback, and the port; it is ended as Ctrl-C ends it."""
    command = [sys.executable, "-m", "novacula", "serve", str(model), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
        if found is None:
            raise RuntimeError(said or f"the service ended with code {process.wait()}")
        yield process, int(found[1])
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def memory_of(pid: int) -> int:
    """Bytes of memory that a process holds, as Linux says."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096


def _model(folder: Path) -> Path:
    """Logistic regression behind its preparation, as studies save it: numbers and categories."""
    from novacula.linear import LogisticRegression
    from novacula.prepare import PreparedClassifier

    frame, y = _rows()
    path = folder / "model.nova"
    PreparedClassifier(LogisticRegression()).fit(frame, y).save(path)
    return path


def _rows() -> tuple[Any, Any]:
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    numbers = {f"number{j}": rng.normal(size=ROWS).round(3) for j in range(6)}
    words = {f"word{j}": rng.choice(["red", "green", "blue"], ROWS) for j in range(4)}
    frame = pd.DataFrame(numbers | words)
    return frame, np.where((frame["number0"] > 0) ^ (frame["word0"] == "red"), "yes", "no")


def _requests(port: int) -> list[bytes]:
    """A request for each row, in the bytes of HTTP."""
    requests = []
    for row in _rows()[0].to_dict("records"):
        body = json.dumps(row).encode()
        head = f"POST /predict HTTP/1.1\r\nhost: localhost:{port}\r\ncontent-type: application/json\r\n"
        requests.append(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    return requests
