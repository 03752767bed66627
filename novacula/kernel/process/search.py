"""Parameters of a kernel, and the noise, under which the targets are most probable.

L-BFGS climbs ln p(y) over logarithms, ln θ = ln θ₀ + R tanh(u/R): near the start u is ln(θ/θ₀), and no parameter leaves
e^±R times its start. So a likelihood that keeps rising, as that of targets without noise does for σ² → 0, has an end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from novacula.errors import DataError
from novacula.kernel.algebra import Kernel
from novacula.kernel.process.evidence import ConditionedProcess, ProcessEvidence
from novacula.learner.trace import FitPath, PathRecorder
from novacula.optimize import Result, lbfgs
from novacula.state import State, floats, record
from novacula.table.chunk import Floats

REACH = math.log(1e5)
"""How far ln θ may go from its start: a factor of a hundred thousand either way."""
EDGE = 0.98
"""The share of the reach from which on a parameter counts as having run to the end."""


@dataclass(frozen=True, eq=False)
class ProcessTrace:
    """The way of a search: at most 25 states of one number for each of m parameters, and one more."""

    state: ClassVar[State] = {"start": floats("moved"), "path": record(FitPath)}

    start: Floats  # (m,): the logarithms of the parameters as they were given
    path: FitPath  # u (m,) and how far the direction that led there was followed

    @classmethod
    def of(cls, start: Floats, places: Floats, steps: Floats) -> Self:
        """From all places (k, m) and steps (k,)."""
        recorder = PathRecorder()
        for i, (place, step) in enumerate(zip(places, steps, strict=True)):
            recorder(i, 0.0, np.append(place, step))
        return cls(start, recorder.kept())


@dataclass(frozen=True, eq=False)
class BestProcess:
    """The best parameters of a search, and the way to them."""

    kernel: Kernel
    noise: float
    history: tuple[float, ...]
    converged: bool
    reason: str
    at_end: tuple[str, ...]  # parameters that ran as far as they may
    trace: ProcessTrace

    @property
    def n_iter(self) -> int:
        """Steps from the start."""
        return len(self.history) - 1


class Climb:
    """How much less probable the targets are than at the start: −Δ ln p(y) per target value, as a function of u."""

    def __init__(self, evidence: ProcessEvidence, kernel: Kernel, noise: float, moves_noise: bool) -> None:
        self.evidence, self.kernel, self.noise = evidence, kernel, noise
        self.moves_noise = moves_noise and noise > 0.0
        self.names = (*kernel.free, *(["noise"] if self.moves_noise else []))
        self.start = np.append(kernel.log_parameters, [math.log(noise)] if self.moves_noise else [])
        self.last_point: tuple[Floats, ConditionedProcess | None] | None = None
        first = self._at(np.zeros(len(self.names)))
        if first is None:  # jitter was just enough, and parameters are rounded where their logarithms are taken
            raise DataError(
                "the kernel matrix of the rows is positive definite up to rounding only: raise noise, or drop rows "
                "that repeat others"
            )
        # Measured from the start, what is minimised does not depend on the unit of the targets.
        self.base = first.log_likelihood
        if not math.isfinite(self.base):
            raise OverflowError("the targets have no finite likelihood at the start")

    def parameters(self, u: Floats) -> tuple[Kernel, float]:
        """The kernel and the noise at u."""
        theta = self.start + REACH * np.tanh(u / REACH)
        p = len(self.kernel.free)
        return self.kernel.with_log_parameters(theta[:p]), math.exp(theta[p]) if self.moves_noise else self.noise

    def _at(self, u: Floats) -> ConditionedProcess | None:
        """The process at u; the last one is kept, since optimisers need value and gradient one after the other."""
        if self.last_point is None or not np.array_equal(self.last_point[0], u):
            self.last_point = None  # its matrix makes room for the next
            self.last_point = (u, self.evidence.at(*self.parameters(u)))
        return self.last_point[1]

    def value(self, u: Floats) -> float:
        """What is minimised; infinite where the matrix is not positive definite."""
        point = self._at(u)
        return math.inf if point is None else (self.base - point.log_likelihood) / self.evidence.size

    def gradient(self, u: Floats) -> Floats:
        """Its gradient, where it is finite."""
        point = self._at(u)
        assert point is not None  # noqa: S101  (called only where the value is finite)
        slopes = self.evidence.gradient(point)[: len(self.names)]
        return np.asarray(-slopes * (1.0 - np.tanh(u / REACH) ** 2) / self.evidence.size)


def search(
    evidence: ProcessEvidence,
    kernel: Kernel,
    noise: float,
    moves_noise: bool,
    starts: Sequence[Floats],
    tol: float,
    most: int,
) -> BestProcess:
    """The best end of climbs from the parameters given and, as u, from other `starts`; `most` steps each."""
    climb = Climb(evidence, kernel, noise, moves_noise)
    runs = [_run(climb, start, tol, most) for start in (np.zeros(len(climb.names)), *starts)]
    best = min((run for run in runs if run is not None), key=lambda run: run.value)
    best_kernel, best_noise = climb.parameters(best.x)
    far = np.abs(np.tanh(best.x / REACH)) > EDGE
    history = tuple((climb.base - evidence.size * best.values).tolist())
    at_end = tuple(name for name, ran in zip(climb.names, far, strict=True) if ran)
    trace = ProcessTrace.of(climb.start, np.asarray(best.path), best.steps)
    return BestProcess(best_kernel, best_noise, history, best.converged, best.reason, at_end, trace)


def _run(climb: Climb, start: Floats, tol: float, most: int) -> Result | None:
    """One climb; None where the likelihood has no value at the start."""
    if not math.isfinite(climb.value(start)):
        return None
    return lbfgs(climb.value, climb.gradient, start, tol=tol, max_iter=most)
