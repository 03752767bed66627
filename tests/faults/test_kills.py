"""`kill -9` at drawn moments: an old file or a new one, a study and a fit that go on, the same digits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


def kill(scenario: str, moments: int, seed: int) -> dict[str, int]:
    command = [sys.executable, str(Path(__file__).with_name("moments.py")), scenario, str(moments), str(seed)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=3000)
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="lives are forks")
@pytest.mark.parametrize("scenario", ["save", "learn", "stream"])
def test_nothing_is_lost_at_a_few_moments(scenario):
    found = kill(scenario, 4, 1)
    assert found["wrong"] == 0
    assert found["killed"] >= 3  # a byte may be drawn beyond the end of the file


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="lives are forks")
@pytest.mark.parametrize("scenario", ["save", "learn", "stream"])
def test_nothing_is_lost_at_many_moments(scenario):
    assert kill(scenario, 60, 2)["wrong"] == 0
