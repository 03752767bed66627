"""Peaks of memory, which are measured in a process of their own: threads of this one would add to them."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Peaks = dict[str, int]

sys.path.insert(0, str(Path(__file__).parent))  # so that tests of several folders can share a module


def peaks_in_a_child(file: str, function: str) -> Peaks:
    command = [sys.executable, Path(__file__).with_name("peaks.py"), file, function]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=120)
    peaks: Peaks = json.loads(done.stdout)
    return peaks


@pytest.fixture(scope="session")
def peaks_of() -> Callable[[str, str], Peaks]:
    """The bytes held at most by each call that a function of a file gives: `peaks_of(__file__, "name")`."""
    return peaks_in_a_child
