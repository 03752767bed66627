"""What holds for every test: how many random cases the gate draws, a heap that is not searched again and again, one
thread of BLAS, and that no thread or process which a test starts outlives it.
"""

import gc
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import scipy.linalg  # noqa: F401  (so that its BLAS is loaded, and NumPy's)
from hypothesis import settings
from threadpoolctl import threadpool_limits

settings.register_profile("gate", settings.get_profile("ci"), max_examples=12)
settings.register_profile("all", deadline=None)  # a test may take its time on a busy machine
settings.load_profile("all")
# Tests run side by side, on small matrices: more threads of BLAS would wait for each other, and keep the cores busy so.
threadpool_limits(1, "blas")
gc.disable()  # until all is imported and collected, which leaves no garbage


def pytest_addoption(parser: pytest.Parser) -> None:
    """Only a test that fails waits for all of the grace, so that it may be long enough for any machine."""
    parser.addini("leftover_grace", "seconds that what a test started may take to end after it", default="60")


def pytest_collection_finish() -> None:
    """Tests begin: modules and tests stay to the end, so that collecting garbage need not look at them."""
    gc.collect()
    gc.freeze()
    gc.enable()


# --- nothing is left behind ---------------------------------------------------------------------------------

KNOWN = re.compile(
    r"the thread 'pytest_timeout"  # guards a test until all of it is over
    r"|the thread 'Dask-Offload"  # of distributed: one, started once and kept
    r"|the process .*resource_tracker"  # of multiprocessing and of loky: one each, started once and kept
)

Running = dict[Any, str]  # threads, and numbers of child processes, with what to call them

of_fixtures: dict[Any, Running] = {}  # started by fixtures that tests share, until these are torn down
at_setup = pytest.StashKey[tuple[Running, int]]()


def running() -> Running:
    """Threads of Python, and child processes where there is a /proc to read: twice for each test, so quickly."""
    found: Running = {thread: f"the thread {thread.name!r}" for thread in threading.enumerate()}
    for pid, command in children_of("self"):
        if "multiprocessing.forkserver" in command:  # one, started once and kept, from which others are forked
            found |= {forked: f"the process {forked} (forked)" for forked, _ in children_of(pid)}
        else:
            found[pid] = f"the process {pid} ({command or 'which has ended and was not waited for'})"
    return {key: words for key, words in found.items() if not KNOWN.match(words)}


def children_of(parent: str) -> Iterator[tuple[str, str]]:
    """The numbers and commands of a process's children."""
    tasks = f"/proc/{parent}/task"
    for task in os.listdir(tasks) if os.path.isdir(tasks) else ():
        try:
            with open(f"{tasks}/{task}/children", "rb", buffering=0) as children:
                pids = children.read().decode().split()
            for pid in pids:
                yield pid, Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
        except OSError:  # the thread or the process has ended since
            continue


def kind(words: str) -> str:
    """What is the same of all threads or processes that are started alike."""
    return re.sub(r"\d+", "", words)


def left_behind(before: Running) -> list[str]:
    """What runs now, did not before and is no shared fixture's; a fixture may replace what it has lost."""
    now, shared = running(), {key: words for owned in of_fixtures.values() for key, words in owned.items()}
    lost, left = Counter(kind(words) for key, words in shared.items() if key not in now), []
    for words in (words for key, words in now.items() if key not in before and key not in shared):
        lost[kind(words)] -= 1
        if lost[kind(words)] < 0:
            left.append(words)
    return left


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Note what a shared fixture starts."""
    if fixturedef.scope == "function":
        return (yield)
    before = running()
    try:
        return (yield)
    finally:
        of_fixtures[fixturedef] = {key: words for key, words in running().items() if key not in before}


def pytest_fixture_post_finalizer(fixturedef: pytest.FixtureDef[Any]) -> None:
    """What a fixture started ends with it, or is left by the test that was the last to use it."""
    of_fixtures.pop(fixturedef, None)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Note what runs before the test."""
    item.stash[at_setup] = running(), item.session.testsfailed
    yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test that leaves something; one that has failed already may be held by its traceback, so it may."""
    yield
    before, failed = item.stash[at_setup]
    if item.session.testsfailed > failed:
        return
    end = time.monotonic() + float(item.config.getini("leftover_grace"))
    while (left := left_behind(before)) and time.monotonic() < end:
        time.sleep(0.01)
    if left:
        pytest.fail(f"the test leaves {', '.join(left)} behind: join or close what it starts", pytrace=False)
