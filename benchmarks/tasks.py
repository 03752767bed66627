"""What runs in a process of its own: `python -m benchmarks.tasks <task> <JSON>` prints its result as JSON.

Peak memory is that of a process, and on Linux a process inherits the peak of its parent. So the process that
starts these stays small: data are made, loaded and timed here only.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias, cast

from benchmarks import machine, store
from benchmarks.memory import peak_memory
from benchmarks.race import contend
from benchmarks.timing import FULL, QUICK
from benchmarks.workload import Probe, Race, Survey, named

Result: TypeAlias = Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 1200.0
"""Seconds after which a task is given up."""


class TaskError(RuntimeError):
    """A process ended without a result; the message is the last line of its errors."""


def in_new_process(task: str, **arguments: Any) -> Result:
    """Run one of the tasks below in a fresh interpreter and give its result."""
    command = [sys.executable, "-m", "benchmarks.tasks", task, json.dumps(arguments)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise TaskError(f"it took more than {PATIENCE:.0f} s") from None
    if done.returncode != 0:
        errors = done.stderr.strip().splitlines()
        raise TaskError(errors[-1] if errors else f"it ended with code {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


@lru_cache(maxsize=1)
def _worker(file: str) -> ProcessPoolExecutor:  # noqa: ARG001  (it is the key of the cache)
    """A process for the tasks of a file of workloads; that of the file before ends as it is forgotten."""
    return ProcessPoolExecutor(1, get_context("spawn"))


def in_process_of(file: str, task: str, **arguments: Any) -> Result:
    """The same in a process that all tasks of a file share, so that its libraries are imported once."""
    try:
        return _worker(file).submit(TASKS[task], **arguments).result(PATIENCE)
    except Exception as error:
        _worker.cache_clear()
        raise TaskError((str(error) or type(error).__name__).splitlines()[0]) from error


def measure_machine() -> Result:
    """Facts and limits of the machine."""
    return asdict(machine.measure())


def prepare(workload: str, size: dict[str, int], folder: str) -> Result:
    """Make the data of a race."""
    store.keep(cast(Race, named(workload)).data(size, Path(folder)), Path(folder))


def race(workload: str, size: dict[str, int], folder: str, quick: bool) -> Result:
    """Time all contenders in this process, on the data that were prepared, or else on those that it makes."""
    entered, where = cast(Race, named(workload)), Path(folder)
    data = store.fetch(where) if store.holds(where) else entered.data(size, where)
    limit = asdict(entered.limit(data))
    return {"limit": limit, "standings": [asdict(s) for s in contend(entered, data, QUICK if quick else FULL)]}


def peak(workload: str, contender: str, folder: str) -> Result:
    """One first call: its seconds, its imports included, and peak memory in bytes before and after it."""
    entrant = next(c for c in cast(Race, named(workload)).contenders() if c.name == contender)
    ready = entrant.ready(store.fetch(Path(folder)))
    baseline = peak_memory()
    begin = time.perf_counter()
    entrant.run(ready)
    return {"first_call": time.perf_counter() - begin, "baseline": baseline, "peak": peak_memory()}


def probe(workload: str, quick: bool) -> Result:
    """The figures of a probe."""
    figures = cast(Probe, named(workload)).figures((QUICK if quick else FULL).least)
    return [asdict(figure) | {"met": figure.met} for figure in figures]


def survey(workload: str, subject: str, quick: bool) -> Result:
    """What a survey measures of one subject."""
    return cast(Survey, named(workload)).measure(subject, quick)


TASKS: dict[str, Callable[..., Result]] = {
    "machine": measure_machine,
    "prepare": prepare,
    "race": race,
    "peak": peak,
    "probe": probe,
    "survey": survey,
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](**json.loads(sys.argv[2]))))
