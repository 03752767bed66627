"""`kill -9` at drawn moments: an old file or a new one, a study and a fit that go on, the same digits."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCENARIOS = "save,learn,stream"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="lives are forks")


def kill(moments: int, seed: int) -> list[dict]:
    return lines_of("moments.py", SCENARIOS, str(moments), str(seed))


def lines_of(script: str, *arguments: str) -> list[dict]:
    """What a script beside this file prints."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=3000)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_nothing_is_lost_at_a_few_moments():
    found = kill(3, 1)
    assert [one["wrong"] for one in found] == [0, 0, 0]
    assert all(one["killed"] >= 2 for one in found)  # a byte may be drawn beyond the end of the file


@pytest.mark.slow
def test_nothing_is_lost_at_many_moments():
    assert [one["wrong"] for one in kill(67, 2)] == [0, 0, 0]


def test_a_killed_worker_changes_no_digit_at_a_moment():
    """Where it comes to have fewer tasks than in peace, the worker lives; `cluster/test_losses.py` always kills."""
    [found] = lines_of("cluster_moments.py", "1", "1")
    assert found["wrong"] == 0


@pytest.mark.slow
def test_a_killed_worker_changes_no_digit_at_many_moments():
    [found] = lines_of("cluster_moments.py", "30", "2")
    assert found["wrong"] == 0
    assert found["killed"] >= 10
