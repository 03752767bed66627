"""What this machine is and what it can do: cores, memory, bandwidth of reading, speed of matrix products."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workload import Limit

_REPEATS = 20


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts, and two measured limits over all cores together."""

    cpu: str
    cores: int
    memory: int  # bytes
    bandwidth: float  # bytes read per second
    flops: float  # float64 operations per second in a product of matrices

    def seconds(self, limit: Limit) -> tuple[float, str]:
        """The least time for a limit, and which part of the machine sets it."""
        reading, computing = limit.bytes / self.bandwidth, limit.flops / self.flops
        return (computing, "arithmetic") if computing > reading else (reading, "memory")


def measure() -> Machine:
    """Describe the machine and time it; the best of several, since a limit is what can be reached at all."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(_cpu(), cores(), memory, _bandwidth(), _matrix_flops())


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cpu() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text("utf-8").splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _bandwidth() -> float:
    """Each core takes the maximum of a block that no cache holds; unlike `@`, it frees the GIL."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    blocks = [np.ones(1 << 24) for _ in range(cores())]
    with ThreadPoolExecutor(len(blocks)) as pool:
        best = _best(lambda: list(pool.map(np.max, blocks)))
    return sum(block.nbytes for block in blocks) / best


def _matrix_flops() -> float:
    import numpy as np

    n = 2048
    a = np.random.default_rng(0).normal(size=(n, n))
    out = np.empty_like(a)
    return 2.0 * n**3 / _best(lambda: np.matmul(a, a, out=out))


def _best(call: Callable[[], object]) -> float:
    seconds = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)
