"""Kills a process at drawn moments of its work, has the work done again, and compares it with work left in peace.

    python tests/faults/moments.py save,stream 80 0        scenarios, how many moments of each, a seed

A moment is a line of the library that the process is about to run, or a byte of a file that it is about to write, drawn
evenly from those of a run left in peace: so it depends on progress, and not on time. Each life is a fork of this
process, which has loaded everything and has no threads left.
"""

import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

ONE = dict.fromkeys(("NOVACULA_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


@dataclass
class Lines:
    """Counts the lines that a process runs in some modules, and kills it before the one with a drawn number."""

    modules: tuple[str, ...]
    last: int = 0
    count: int = 0

    def __enter__(self) -> "Lines":
        sys.settrace(self.follow)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def follow(self, frame: FrameType, event: str, _: Any) -> Any:
        name = frame.f_globals.get("__name__", "")
        if not name.startswith(self.modules):
            return None
        if event == "line":
            self.count += 1
            if self.count == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.follow


TASKS = Lines(("novacula",))
"""Of a worker of a cluster: the lines that its tasks run."""


def follow_tasks(last: int) -> None:
    """Follow the tasks of this worker; call it before the first one, which makes the thread that they run in."""
    TASKS.last = last
    threading.settrace(TASKS.follow)


def lines_of_tasks() -> int:
    return TASKS.count


@dataclass
class Scenario:
    """Work in a folder: what prepares it, what is done, which modules are of interest, and what comes of it."""

    prepare: Callable[[Path], None]
    work: Callable[[Path], None]
    modules: tuple[str, ...]
    outcome: Callable[[Path], Any]
    again: bool = True  # whether the work is done again after a kill
    bytes_too: int = 0  # of a file, at which a process is killed in every second life


def life(work: Callable[[], Any]) -> bool:
    """Do some work in a process of its own; True if it was killed."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0, "the work failed"
    return False


def limited(size: int) -> None:
    """Have this process killed as it writes a file beyond a size."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def count_lines(scenario: Scenario, folder: Path) -> int:
    """The lines of a life that is left in peace."""

    def work() -> None:
        with Lines(scenario.modules) as lines:
            scenario.work(folder)
        (folder.parent / "lines").write_text(str(lines.count))

    assert not life(work)
    return int((folder.parent / "lines").read_text())


def campaign(scenario: Scenario, moments: int, seed: int) -> dict[str, int]:
    """Kill, do again and compare; says how many lives were killed, and how many outcomes were others."""
    draw, base = random.Random(seed), Path(tempfile.mkdtemp(prefix="novacula-faults-"))
    folder = base / "work"
    try:
        scenario.prepare(folder)
        scenario.work(folder)  # so that every life finds modules and kernels loaded
        shutil.rmtree(folder)
        scenario.prepare(folder)
        before = scenario.outcome(folder)
        total = count_lines(scenario, folder)
        after = scenario.outcome(folder)
        expected = [after] if scenario.again else [before, after]
        killed = wrong = 0
        for number in range(moments):
            shutil.rmtree(folder)
            scenario.prepare(folder)
            if scenario.bytes_too and number % 2:
                size = draw.randrange(1, scenario.bytes_too)
                killed += life(lambda size=size: (limited(size), scenario.work(folder)))
            else:
                lines = Lines(scenario.modules, last=draw.randrange(1, total + 1))
                killed += life(lambda lines=lines: traced(lines, lambda: scenario.work(folder)))
            if scenario.again:
                assert not life(lambda: scenario.work(folder))
            wrong += scenario.outcome(folder) not in expected
        return {"moments": moments, "killed": killed, "wrong": wrong, "lines": total}
    finally:
        shutil.rmtree(base)


def traced(lines: Lines, work: Callable[[], Any]) -> None:
    with lines:
        work()


# --- scenarios --------------------------------------------------------------------------------------------------------


def saving() -> Scenario:
    """A model takes the place of another one."""
    import numpy as np

    import novacula as nv

    x = np.random.default_rng(0).normal(size=(3000, 20))
    old, new = nv.neighbors.KNeighborsRegressor(), nv.neighbors.KNeighborsRegressor()
    old.fit(x, x[:, 0])
    new.fit(-x, x[:, 1])

    def prepare(folder: Path) -> None:
        folder.mkdir()
        old.save(folder / "model.nova")

    def outcome(folder: Path) -> bytes:
        nv.load(folder / "model.nova")
        return (folder / "model.nova").read_bytes()

    return Scenario(
        prepare,
        lambda folder: new.save(folder / "model.nova"),
        ("novacula.writing", "novacula.learner.files"),
        outcome,
        again=False,
        bytes_too=600_000,
    )


def learning() -> Scenario:
    """A study whose folder holds what was measured; its leaderboard is what comes of it."""
    import novacula as nv

    table = nv.datasets.load("iris")

    def work(folder: Path) -> None:
        study = nv.learn(table, learners=["naive-bayes", "tree"], folds=3, resume=folder, jobs=1)
        study.best_.save(folder / "model.nova")
        rows = [(one.learner, repr(one.error), repr(one.standard_error), one.n_parameters) for one in study.leaderboard]
        from novacula.writing import replace_file

        replace_file(folder / "rows.json", json.dumps([rows, repr(study.test.error)]).encode())

    def outcome(folder: Path) -> Any:
        place = folder / "rows.json"
        return (place.read_bytes(), (folder / "model.nova").read_bytes()) if place.exists() else None

    return Scenario(Path.mkdir, work, ("novacula.study", "novacula.writing"), outcome)


def streaming() -> Scenario:
    """A mixture from files, with checkpoints."""
    import numpy as np

    import novacula as nv

    rows = np.random.default_rng(0).normal(size=(600, 3)) + np.repeat([[0.0], [3.0]], 300, axis=0)
    text = "a,b,c\n" + "\n".join(",".join(map(repr, row)) for row in rows.tolist())

    def prepare(folder: Path) -> None:
        folder.mkdir()
        (folder / "rows.csv").write_text(text)

    def work(folder: Path) -> None:
        with nv.checkpoint(folder / "kept", every=0), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = nv.mixture.GaussianMixture(3, random_state=0, max_iter=12).fit(nv.read(folder / "rows.csv"))
        model.save(folder / "model.nova")

    def outcome(folder: Path) -> Any:
        place = folder / "model.nova"
        return (place.read_bytes(), sorted(os.listdir(folder))) if place.exists() else None

    modules = "novacula.writing", "novacula.learner", "novacula.mixture", "novacula.table.recording"
    return Scenario(prepare, work, modules, outcome)


SCENARIOS = {"save": saving, "learn": learning, "stream": streaming}

if __name__ == "__main__":
    os.environ.update(ONE)
    names, moments, seed = sys.argv[1:]
    for name in names.split(","):
        found = campaign(SCENARIOS[name](), int(moments), int(seed))
        sys.stdout.write(json.dumps({"scenario": name, **found}) + "\n")
