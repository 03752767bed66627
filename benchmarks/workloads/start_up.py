"""How long a newcomer waits for imports and for the command line; first fits are in `cold_start`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median

from benchmarks.fresh import python, wall
from benchmarks.workload import Figure, Probe

_IMPORT = "import numpy, time; b = time.perf_counter(); import novacula; print(time.perf_counter() - b)"


class StartUp(Probe):
    """Fresh processes, one after the other."""

    name = "start_up"
    title = "Start-up"

    def figures(self, rounds: int) -> list[Figure]:
        """Milliseconds of imports, seconds of whole processes from start to end."""
        beyond = 1e3 * _median(rounds, _import_seconds)
        found = [Figure("`import novacula` beyond `import numpy`", beyond, "ms", 60.0)]
        for option in ("--help", "--version"):
            seconds = _median(rounds, partial(wall, "-m", "novacula", option))
            found.append(Figure(f"`novacula {option}`", seconds, "s", 0.4))
            found.append(Figure(f"modules of NumPy that it imports, `{option}`", _numpy_modules(option), "", 0.0))
        estimator = _median(rounds, partial(wall, "-c", "import sklearn.base"))
        return [*found, Figure("`import sklearn.base`, which every first fit includes", estimator, "s")]


def _median(rounds: int, measure: Callable[[], float]) -> float:
    measure()  # files come into the cache of the system
    return median(measure() for _ in range(rounds))


def _import_seconds() -> float:
    return float(python("-c", _IMPORT).stdout)


def _numpy_modules(option: str) -> float:
    lines = python("-X", "importtime", "-m", "novacula", option).stderr.splitlines()
    names = [line.rpartition("|")[2].strip() for line in lines]
    return float(sum(name.partition(".")[0] == "numpy" for name in names))
