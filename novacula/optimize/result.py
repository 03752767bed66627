"""What an optimiser returns: where it ended, how it went there, and why it stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novacula.arguments import Floats
from novacula.errors import ParameterError
from novacula.learner.figure import Figure
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.optimize.derivation.run import derive_run, derive_step
from novacula.optimize.figures import Levels, history_figure, path_figure
from novacula.optimize.objective import CountedObjective
from novacula.optimize.printing import aligned
from novacula.words import counted, listed

SHOWN = 4
"""Iterations that are printed at the beginning and at the end."""


@dataclass(frozen=True, eq=False)
class Result(ShowsWork):
    """The end of a run, and the way to it; `str` prints its first and last iterations, `work` derives them.

    `path` holds the iterates, shape (n_iter + 1, d), from the start on, or is None if it was not kept. `values`,
    `gradient_norms` and `steps` have one entry for each of them. A step is the factor of the direction; 0 at the
    start. `n_evaluations` counts calls of f, those for central differences among them. `directions` are the directions
    of the steps, NaN at the start and where a method has none; `momentum` is the share of the last one in the next.
    """

    method: str
    x: Floats  # (d,)
    value: float
    gradient: Floats  # (d,)
    path: Floats | None = field(repr=False)
    values: Floats = field(repr=False)
    gradient_norms: Floats = field(repr=False)
    steps: Floats = field(repr=False)
    n_evaluations: int
    n_gradients: int
    n_hessians: int
    converged: bool
    reason: str
    objective: Callable[[Floats], float] = field(repr=False)
    modified: tuple[int, ...] = ()  # iterations whose Hessian was not positive definite (Newton)
    directions: Floats | None = field(default=None, repr=False)  # (n_iter + 1, d), with the path
    problem: CountedObjective | None = field(default=None, repr=False)  # f with its derivatives, for its work
    momentum: float = 0.0
    tol: float = 0.0  # of the length of the gradient at which it ends

    @property
    def n_iter(self) -> int:
        """Steps from the start to x."""
        return len(self.values) - 1

    @property
    def gradient_norm(self) -> float:
        """Length of the gradient at x."""
        return float(np.linalg.norm(self.gradient))

    def figure(self, coordinates: tuple[int, int] | None = None) -> Figure:
        """The path on the contours of f; in more than two dimensions, the history, or a plane of two coordinates.

        The plane runs through x, parallel to the two axes. The path is projected onto it, so the contours
        are those that the last iterates see.
        """
        if self.path is None or (coordinates is None and len(self.x) > 2):
            return self.history_figure()
        return path_figure(self.method, self.objective, self.path, coordinates, self._allowed())

    def _allowed(self) -> Levels | None:
        """The constraints h ≤ 0 and g = 0 at a place, for the picture, if there are any."""
        return None

    def history_figure(self) -> Figure:
        """The length of the gradient, and how far the value is from its best, on a logarithmic scale."""
        return history_figure(self.method, self.values, self.gradient_norms)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_run(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        raise ParameterError("the work of an optimiser takes no rows X: it has a path, and iteration=k shows step k")

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        return derive_step(self, iteration)

    def __str__(self) -> str:
        n, rows, places = self.n_iter, list[tuple[str, ...]](), self._places()
        for i in range(n + 1):
            if i < SHOWN or i > n - SHOWN or n <= 2 * SHOWN:
                step = f"{self.steps[i]:.4g}" if i else ""
                numbers = f"{self.values[i]:.8g}", step, f"{self.gradient_norms[i]:.3g}"
                rows.append((str(i), *(column[i] for column in places.values()), *numbers))
            elif i == SHOWN:
                rows.append(("…", *[""] * (len(places) + 3)))
        lines = [self.method, aligned(("iteration", *places, "value", "step", "‖gradient‖"), rows), self.reason]
        if self.n_evaluations:  # a linear system takes none
            lines.append(
                f"Evaluations: {self.n_evaluations} of f, {counted(self.n_gradients, 'gradient')}" + self._hessians()
            )
        if self.modified:
            lines.append(f"The Hessian was not positive definite in the step to iteration {listed(self.modified)}.")
        return "\n".join(lines)

    def _places(self) -> dict[str, list[str]]:
        """The first coordinates of the iterates in words, by their names; none if the path was not kept."""
        if self.path is None:
            return {}
        d = len(self.x)
        shown = {"x" if d == 1 else f"x[{j}]": [f"{x:.6g}" for x in self.path[:, j]] for j in range(min(d, SHOWN))}
        return shown if d <= SHOWN else shown | {"": ["…"] * len(self.path)}

    def _hessians(self) -> str:
        return f", {counted(self.n_hessians, 'Hessian')}." if self.n_hessians else "."
