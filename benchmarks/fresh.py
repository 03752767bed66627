"""Fresh processes: what a newcomer waits for, imports and compilation included."""

from __future__ import annotations

import os
import subprocess
import sys
import time


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run an interpreter to its end."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)


def wall(*arguments: str, **environment: str) -> float:
    """Seconds from the start of an interpreter to its end."""
    begin = time.perf_counter()
    python(*arguments, **environment)
    return time.perf_counter() - begin
