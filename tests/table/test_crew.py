"""Crews: the same answers from this process, from processes and from a cluster."""

import operator
import os
import subprocess
import sys

import pytest

from novacula.errors import ParameterError
from novacula.table import parallel
from novacula.table.crew import Alone, crew


def shared_plus(shared, number):
    return shared["base"] + number


def threads_of(shared):
    return os.getpid(), parallel.thread_count()


def test_alone_does_it_at_once():
    assert Alone({"base": 1}).submit(shared_plus, 2).result() == 3
    with pytest.raises(ZeroDivisionError):
        Alone(1).submit(operator.truediv, 0)


def test_processes_share_what_is_given_and_keep_to_one_thread():
    with crew({"base": 10}, 2) as helpers:
        assert helpers.places == 2
        assert [helpers.submit(shared_plus, i).result() for i in range(4)] == [10, 11, 12, 13]
        pid, count = helpers.submit(threads_of).result()
        assert pid != os.getpid()
        assert count == 1
        with pytest.raises(ZeroDivisionError):
            helpers.submit(divide_by_zero).result()


def divide_by_zero(shared):
    return 1 / 0


def test_one_place_is_this_process():
    with crew(None, 1) as helpers:
        assert helpers.submit(threads_of).result()[0] == os.getpid()


@pytest.mark.parametrize("places", [0, -1, 1.5, "two"])
def test_impossible_numbers(places):
    with pytest.raises(ParameterError, match="jobs"), crew(None, places):
        pass


def test_a_script_without_a_main_guard_may_use_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import math\nfrom novacula.table.crew import crew\nprint('once')\n"
        "with crew(2.0, 2) as helpers:\n    print(helpers.submit(math.pow, 3).result())\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["once", "8.0"]
