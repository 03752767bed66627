"""From a fresh process to the end of a first small fit: each learner, and the command line, kernels cached or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.fresh import wall
from benchmarks.learners import LEARNERS, some_families
from benchmarks.timing import FULL
from benchmarks.workload import Survey

ROWS, COLUMNS = 200, 3  # sequences have a hundred steps
COMMAND = "novacula learn play_tennis"
_FIT = f"import sys; from benchmarks.learners import fitting; fitting(sys.argv[1], {ROWS}, {COLUMNS})()"


class ColdStarts(Survey):
    """One process with an empty cache of kernels, then some that find there what it compiled."""

    name = "cold_start"
    title = "Fresh process to first fit"
    kind = "starts"

    def subjects(self, quick: bool) -> Sequence[str]:
        """The learners, then the command."""
        return some_families() if quick else [*LEARNERS, COMMAND]

    def measure(self, subject: str, quick: bool) -> dict[str, Any]:
        """Seconds without kernels, seconds with them in the median of some runs, and how many there are.

        A quick run does not wait for a compilation: it has the cache that everybody uses, filled by a first process.
        """
        if quick:
            _seconds(subject)
            return {"uncached": None, "cached": _seconds(subject), "rounds": 1, "kernels": None}
        with TemporaryDirectory() as folder:
            cache = Path(folder) / "kernels"
            uncached = _seconds(subject, NUMBA_CACHE_DIR=str(cache))
            cached = [_seconds(subject, NUMBA_CACHE_DIR=str(cache)) for _ in range(FULL.least)]
            kernels = len(list(cache.rglob("*.nbc")))
        return {"uncached": uncached, "cached": median(cached), "rounds": FULL.least, "kernels": kernels}

    def line(self, measured: dict[str, Any]) -> str:
        """The result in a line."""
        uncached = (
            "" if measured["uncached"] is None else f"{measured['uncached']:.2f} s with {measured['kernels']} kernels, "
        )
        return f"{uncached}cached {measured['cached']:.2f} s"


def _seconds(subject: str, **environment: str) -> float:
    with TemporaryDirectory() as folder:  # a new one, since a study goes on from what it finds there
        study = ["-m", *COMMAND.split(), "--out", folder]
        return wall(*(study if subject == COMMAND else ["-c", _FIT, subject]), **environment)
