"""Workers at a target: each is started, listened to, and replaced when an input ends it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from time import monotonic

ROOT = Path(__file__).parent.parent
ENDS = {signal.SIGPROF: "took more processor time than it may", signal.SIGSEGV: "crashed: it read or wrote elsewhere"}
"""What it means that a signal ended a worker."""


@dataclass
class Tally:
    """How the inputs of a campaign ended."""

    outcomes: Counter[str] = field(default_factory=Counter)
    finds: list[tuple[int, str, Path | None]] = field(default_factory=list)  # number, what happened, the input

    @property
    def total(self) -> int:
        """How many inputs were tried."""
        return self.outcomes.total() + len(self.finds)


class Campaign:
    """Tries inputs of a target on several processes, for some seconds or up to some number of inputs."""

    def __init__(
        self, target: str, seed: int, keep: Path, *, say: Callable[[str], None] = print, quick: bool = False
    ) -> None:
        self.target, self.seed, self.keep, self.say = target, seed, keep, say
        self.quick = quick  # whether a target may leave out some of what it takes long to prepare
        self.tally = Tally()
        self.failure = ""
        self._lock = Lock()

    def run(self, *, seconds: float, most: int | None = None, workers: int = 2) -> Tally:
        """Attack; `seconds` count from the first outcome of each worker, so that compiling takes nothing of them."""
        with tempfile.TemporaryDirectory() as prepared:
            command = [sys.executable, "-m", "fuzz.prepare", self.target, prepared]
            subprocess.run(command, cwd=ROOT, env=self._environment(checked=False), check=True)
            threads = [
                Thread(target=self._work, args=(prepared, first, workers, seconds, most)) for first in range(workers)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if self.failure:
            raise RuntimeError(self.failure)
        return self.tally

    def _work(self, prepared: str, first: int, step: int, seconds: float, most: int | None) -> None:
        """Keep one worker going: where one was ended, the next begins behind the input that did it."""
        number, deadline = first, None
        with tempfile.TemporaryDirectory() as folder:
            while (deadline is None or monotonic() < deadline) and (most is None or number < most):
                process = self._start(prepared, folder, number, step)
                try:
                    for line in process.stdout or ():
                        deadline = deadline or monotonic() + seconds
                        done, outcome, is_find = json.loads(line)
                        self._note(done, outcome, Path(folder) / str(done) if is_find else None)
                        number = done + step
                        if monotonic() >= deadline or (most is not None and number >= most):
                            return
                    code = process.wait()
                finally:
                    process.kill()
                    process.wait()
                    process.stdout.close()
                if code >= 0:  # it was not ended from outside, so it is the harness that is wrong
                    self.failure = f"a worker on {self.target} ended with code {code} at input {number}"
                    return
                self._note(number, ENDS.get(-code, f"was ended by signal {-code}"), Path(folder) / str(number))
                number += step

    def _start(self, prepared: str, folder: str, number: int, step: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "fuzz.worker", self.target, str(self.seed), prepared, folder]
        command += [str(number), str(step)]
        env = self._environment(checked=True)
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env)

    def _note(self, number: int, outcome: str, place: Path | None) -> None:
        with self._lock:
            if place is None:
                self.tally.outcomes[outcome] += 1
                return
            kept = self._keep(number, place)
            self.tally.finds.append((number, outcome, kept))
            self.say(f"{self.target} {number}: {outcome}" + (f" ({kept})" if kept else ""))

    def _keep(self, number: int, place: Path) -> Path | None:
        """Move an input that hurt to where finds are kept."""
        inputs = sorted(path for path in place.rglob("*") if path.is_file())
        if not inputs:
            return None
        self.keep.mkdir(parents=True, exist_ok=True)
        kept = self.keep / f"{self.seed}-{number}~{inputs[0].name}"
        shutil.move(inputs[0], kept)
        shutil.rmtree(place)
        return kept

    def _environment(self, checked: bool) -> dict[str, str]:
        """The environment of a worker; loops that check where they read and write are cached apart.

        They are hardly optimised: compiling them takes longer than an attempt does.
        """
        own = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        if checked:
            own |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1", "NUMBA_CACHE_DIR": str(ROOT / ".fuzz_cache")}
        if self.quick:
            own["NOVACULA_FUZZ_QUICK"] = "1"
        return os.environ | own
