"""How long a newcomer waits: imports, the command line, the first fit with and without compiled kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.workload import Figure, Probe

_IMPORT = "import numpy, time; b = time.perf_counter(); import novacula; print(time.perf_counter() - b)"
_FITS = {
    "naive Bayes": "from novacula.bayes import NaiveBayes as L; L().fit([[0.0], [1.0], [2.0]], [0, 0, 1])",
    "least squares": "from novacula.linear import LinearRegression as L; L().fit([[0.0], [1.0]], [0, 1])",
}


class StartUp(Probe):
    """Fresh processes, one after the other."""

    name = "start_up"
    title = "Start-up"

    def figures(self, rounds: int) -> list[Figure]:
        """Milliseconds of imports, seconds of whole processes from start to end."""
        beyond = 1e3 * _median(rounds, _import_seconds)
        found = [Figure("`import novacula` beyond `import numpy`", beyond, "ms", 60.0)]
        for option in ("--help", "--version"):
            seconds = _median(rounds, partial(_wall, "-m", "novacula", option))
            found.append(Figure(f"`novacula {option}`", seconds, "s", 0.4))
            found.append(Figure(f"modules of NumPy that it imports, `{option}`", _numpy_modules(option), "", 0.0))
        estimator = _median(rounds, partial(_wall, "-c", "import sklearn.base"))
        found.append(Figure("`import sklearn.base`, which every first fit includes", estimator, "s"))
        for learner, code in _FITS.items():
            fresh, cached = _first_fits(code, rounds)
            found.append(Figure(f"fresh process to first fit, {learner}, kernels to be compiled", fresh, "s"))
            found.append(Figure(f"fresh process to first fit, {learner}, kernels cached", cached, "s"))
        return found


def _median(rounds: int, measure: Callable[[], float]) -> float:
    measure()  # files come into the cache of the system
    return median(measure() for _ in range(rounds))


def _python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)


def _wall(*arguments: str, **environment: str) -> float:
    begin = time.perf_counter()
    _python(*arguments, **environment)
    return time.perf_counter() - begin


def _import_seconds() -> float:
    return float(_python("-c", _IMPORT).stdout)


def _numpy_modules(option: str) -> float:
    lines = _python("-X", "importtime", "-m", "novacula", option).stderr.splitlines()
    names = [line.rpartition("|")[2].strip() for line in lines]
    return float(sum(name.partition(".")[0] == "numpy" for name in names))


def _first_fits(code: str, rounds: int) -> tuple[float, float]:
    """Medians of whole processes: in each round one with an empty cache of kernels, one with a full one."""
    fresh, cached = [], []
    for _ in range(rounds):
        with TemporaryDirectory() as folder:
            fresh.append(_wall("-c", code, NUMBA_CACHE_DIR=folder))
            cached.append(_wall("-c", code, NUMBA_CACHE_DIR=folder))
    return median(fresh), median(cached)
