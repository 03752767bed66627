"""How long an attempt may take, and how much memory it may have.

Time is the processor's, so that a busy machine changes nothing: a process that exceeds it is ended by the system, even
inside a compiled loop. Memory is what the process holds at most during the attempt, as Linux counts it.
"""

from __future__ import annotations

import resource
import signal
from pathlib import Path

SECONDS = 10.0
"""Processor time of one attempt."""
SLACK = 100 * 2**20
"""Bytes that an attempt may hold besides ten times its file."""
ADDRESSES = 4 * 2**30
"""Bytes that a process may reserve beyond those that it has when it is ready: above it an allocation fails at once."""

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def start_clock() -> None:
    """End this process by SIGPROF unless `stop_clock` is called in time."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)


def stop_clock() -> None:
    """The attempt is over."""
    signal.setitimer(signal.ITIMER_PROF, 0.0)


def limit_addresses() -> None:
    """Have allocations far beyond what any attempt needs fail, rather than bring the machine down."""
    resource.setrlimit(resource.RLIMIT_AS, (_status("VmSize") + ADDRESSES, resource.RLIM_INFINITY))


def reset_peak() -> int:
    """Begin to measure the peak of memory; gives what is held now."""
    _CLEAR.write_text("5")
    return _status("VmRSS")


def peak_since(held: int) -> int:
    """Bytes held at most since `reset_peak`, beyond those held then."""
    return _status("VmHWM") - held


def allowed(path: Path) -> int:
    """Bytes that an attempt with this file may hold."""
    return 10 * path.stat().st_size + SLACK


def _status(field: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(f"{field}:"))
    return 1024 * int(line.split()[1])
