"""Crews: the same answers from this process, from processes and from a cluster."""

import operator
import os
import signal
import subprocess
import sys
import time

import pytest

from novacula.errors import ParameterError
from novacula.table import parallel
from novacula.table.crew import Alone, ProcessLostError, crew, waiting_workers
from novacula.table.time_limit import TimeLimitError, time_limit


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


def loaded(shared, module):
    return os.getpid(), module in sys.modules


def test_workers_that_wait_have_loaded_what_jobs_need():
    with waiting_workers(3, "json.tool") as waiting:
        known = {process.pid for process in waiting}
        with crew(None, 2, waiting=waiting) as helpers:
            pid, is_loaded = helpers.submit(loaded, "json.tool").result()
        assert pid in known
        assert is_loaded
        rest = list(waiting)
        assert len(rest) == 2  # it took one, since one was free for the only job
    assert all(process.poll() is not None for process in rest)


# --- jobs that take too long ------------------------------------------------------------------------------------------


def sleep(shared, seconds):
    time.sleep(seconds)
    return os.getpid()


def end(shared):
    os._exit(7)


def test_a_job_that_takes_too_long_is_ended_and_others_go_on():
    with crew(None, 1 + 1) as helpers:
        slow = helpers.submit(sleep, 600.0, seconds=0.2)
        quick = [helpers.submit(sleep, 0.0, seconds=600.0) for _ in range(4)]
        assert isinstance(slow.exception(), TimeLimitError)
        assert all(job.result() > 0 for job in quick)


def test_a_process_that_ends_is_reported_and_replaced():
    with crew(None, 2) as helpers:
        with pytest.raises(ProcessLostError, match="exit code 7"):
            helpers.submit(end).result()
        assert helpers.submit(shared_plus_one).result() == 1


def shared_plus_one(shared):
    return 1


def test_what_is_running_when_a_crew_is_closed_is_ended():
    with crew(None, 2) as helpers:
        job = helpers.submit(sleep, 600.0)
    assert job.exception() is not None or job.cancelled()


def test_in_this_process_a_clock_interrupts():
    started = time.monotonic()
    job = Alone(None).submit(sleep, 600.0, seconds=0.05)
    assert isinstance(job.exception(), TimeLimitError)
    assert time.monotonic() - started < 300.0
    assert Alone(None).submit(sleep, 0.0, seconds=600.0).result() == os.getpid()
    assert signal.getitimer(signal.ITIMER_REAL)[0] != pytest.approx(600.0, abs=60.0)  # the clock is taken down


def test_a_clock_that_was_set_before_goes_on():
    before = signal.getitimer(signal.ITIMER_REAL)
    signal.setitimer(signal.ITIMER_REAL, 500.0)
    try:
        with time_limit(400.0):
            pass
        assert 0.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 500.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)
