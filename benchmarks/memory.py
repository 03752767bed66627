"""Memory of this process as the system sees it; on systems other than Linux some of it is not known."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


def peak_memory() -> int:
    """The most bytes that this process has held since it began."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def reset_peak() -> int | None:
    """Return free memory to the system, reset the peak, and give the bytes held now; None where that is impossible."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        _CLEAR.write_text(_RESET_PEAK, "ascii")
    except (OSError, AttributeError):  # another system, or another C library
        return None
    return _status("VmRSS")


def peak_since() -> int:
    """The most bytes held since `reset_peak`."""
    return _status("VmHWM")


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text("ascii").splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
