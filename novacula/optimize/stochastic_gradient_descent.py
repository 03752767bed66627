"""Stochastic gradient descent: a step after each few examples, whose gradient is right on average.

    w ← w − ηₜ ∇f_B(w)        f(w) = mean of the losses of N examples, f_B that of a mini-batch B

| schedule | ηₜ after t steps | |
|---|---|---|
| constant | η | goes near the minimum and stays restless there |
| decay | η / √(1 + κt) | calmer; with averaging as good as any |
| robbins_monro | η / (1 + κt) | Σ η = ∞, Σ η² < ∞: converges to the minimum itself |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_point, nonnegative_number, one_of, positive_number, read_only, whole_number
from novacula.errors import ParameterError
from novacula.learner.iterate import Outcome
from novacula.optimize.objective import CountedObjective, DescentPoint
from novacula.optimize.result import Result
from novacula.optimize.trace import Halt, follow

Rows: TypeAlias = npt.NDArray[np.intp]
BatchFunction: TypeAlias = Callable[[Floats, Rows], Any]

POWERS = {"constant": 0.0, "decay": 0.5, "robbins_monro": 1.0}
"""The exponent of 1 + κt that divides η."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Restless(DescentPoint):
    """The point that is reported, the weights that go on from it, and how many updates led there."""

    weights: Floats
    n_updates: int = 0
    n_averaged: int = 0


@dataclass(frozen=True)
class StochasticBatches:
    """How an epoch is walked through: which examples make a step, and how long it is."""

    gradient: BatchFunction
    n_examples: int
    size: int
    rate: Callable[[int], float]
    rng: np.random.Generator

    def epoch(self, weights: Floats, n_updates: int) -> tuple[Floats, Floats, int]:
        """Visit every example once: the last weights, their mean over the updates, and how many these were."""
        order, mean, done = self.rng.permutation(self.n_examples), np.zeros_like(weights), 0
        for first in range(0, self.n_examples, self.size):
            with np.errstate(all="ignore"):
                slope = np.asarray(self.gradient(weights, order[first : first + self.size]))
                if slope.shape != weights.shape:
                    raise ParameterError(f"gradient gave shape {slope.shape} for a batch; x0 has shape {weights.shape}")
                weights = read_only(weights - self.rate(n_updates + done) * slope)
                done += 1
                mean += (weights - mean) / done
        return weights, mean, done


def stochastic_gradient_descent(
    f: BatchFunction,
    gradient: BatchFunction,
    x0: npt.ArrayLike,
    n_examples: int,
    *,
    step: float = 0.01,
    schedule: str = "constant",
    decay: float = 1.0,
    batch_size: int = 1,
    n_epochs: int = 20,
    average: bool = False,
    random_state: Any = None,
    tol: float = 1e-8,
    keep_path: bool = True,
) -> Result:
    """Minimise a mean over examples from x0, by steps along gradients of mini-batches.

    `f(w, rows)` and `gradient(w, rows)` are means over the examples with these row numbers; so the gradient of a
    batch is an estimate of the whole one without bias. Each epoch visits every example once, in an order drawn
    from `random_state`. `step` is η and `decay` is κ. `average=True` reports the mean of the weights after all
    updates from the second epoch on (Polyak and Ruppert). The path, the values and the gradients are those after
    whole epochs, over all examples; it has converged when ‖∇f‖ ≤ tol · max(1, |f|) after one of them.

    >>> data = np.array([1.0, 2.0, 3.0, 6.0])
    >>> found = stochastic_gradient_descent(
    ...     lambda w, rows: np.mean((w - data[rows]) ** 2) / 2, lambda w, rows: w - data[rows].mean(),
    ...     [0.0], len(data), step=1.0, schedule="robbins_monro", n_epochs=1, random_state=0)
    >>> found.x  # with ηₜ = 1 / (1 + t) each w is the mean of the examples so far
    array([3.])
    """
    start, n_examples, n_epochs = (
        as_point(x0),
        whole_number(n_examples, "n_examples", 1),
        whole_number(n_epochs, "n_epochs", 1),
    )
    eta, kappa = positive_number(step, "step"), nonnegative_number(decay, "decay")
    power = POWERS[one_of(schedule, "schedule", tuple(POWERS))]
    every = np.arange(n_examples)
    objective = CountedObjective(lambda w: f(w, every), lambda w: gradient(w, every), size=len(start))
    size, rng = min(whole_number(batch_size, "batch_size", 1), n_examples), np.random.default_rng(random_state)
    batches = StochasticBatches(gradient, n_examples, size, lambda t: eta / (1 + kappa * t) ** power, rng)
    origin = objective.start(start)
    result = follow(
        "Stochastic gradient descent",
        objective,
        lambda point: after_epoch(objective, batches, point, average),
        Restless(start, origin.value, origin.gradient, weights=start),
        tol=tol,
        max_iter=n_epochs,
        keep_path=keep_path,
    )
    if result.converged or result.n_iter < n_epochs:
        return result
    ending = (
        f"It ran all {n_epochs} epochs; over all examples the gradient has length {result.gradient_norm:.3g} there."
    )
    worse = " The value is worse than at the start: lower step, or let it decay." if result.value > origin.value else ""
    return replace(result, reason=ending + worse)


def after_epoch(
    objective: CountedObjective, batches: StochasticBatches, point: Restless, average: bool
) -> Restless | Halt:
    """The point after one more epoch."""
    weights, mean, done = batches.epoch(point.weights, point.n_updates)
    reported, n_updates, n_averaged = weights, point.n_updates + done, 0
    if average and point.n_updates:  # the first epoch is on its way, and not averaged
        n_averaged = point.n_averaged + done
        with np.errstate(all="ignore"):
            reported = read_only(point.x + (mean - point.x) * (done / n_averaged))
    value = objective.value(reported) if np.isfinite(reported).all() else np.inf
    if not np.isfinite(value):
        return Halt(Outcome.DIVERGED, f"It diverged: f became {value:g} in an epoch; lower step, or let it decay.")
    gradient, rate = objective.at(reported, value).gradient, batches.rate(n_updates - 1)
    return Restless(reported, value, gradient, rate, weights=weights, n_updates=n_updates, n_averaged=n_averaged)
