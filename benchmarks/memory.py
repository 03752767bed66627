"""Memory of this process as the system sees it; on systems other than Linux some of it cannot be told."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_PEAK_ANEW = "5"


def peak_memory() -> int:
    """The most bytes that this process has held since it began."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def begin_anew() -> int | None:
    """Give back what is free, let the peak begin anew, and give the bytes held now; None where that cannot be."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        _CLEAR.write_text(_PEAK_ANEW, "ascii")
    except (OSError, AttributeError):  # another system, or another C library
        return None
    return _status("VmRSS")


def peak_since() -> int:
    """The most bytes held since `begin_anew`."""
    return _status("VmHWM")


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text("ascii").splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
