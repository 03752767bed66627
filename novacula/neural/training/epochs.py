"""Epochs of mini-batches: each step goes against the gradient of the mean loss of a batch.

    Δw = −η ∂E/∂w + α · previous Δw        (sgd; Adam has its own moments)

The mean of a batch of B showings is Σ share·loss / (B s̄), s̄ being the mean share of all showings. So every epoch's
mean of the steps is right, a showing of half a share moves the weights by half, and whole weights have s̄ = 1.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from novacula.learner.iterate import Run
from novacula.learner.trace import PathRecorder
from novacula.linear.online.passes import rate, run_epochs
from novacula.neural.network import BackPropagation, Layers
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.showings import NetworkShowings, Windows

Array = npt.NDArray[Any]


class UpdateRule(Protocol):
    """How a gradient moves the weights; it may remember the last ones."""

    def step(self, theta: Array, gradient: Array, eta: Any) -> None:
        """Move the weights, in place, at a rate or at one for each of them."""


def memory(rule: UpdateRule) -> dict[str, Any]:
    """What a rule remembers: all but its parameters, which are fractions."""
    return {name: value for name, value in vars(rule).items() if not isinstance(value, float)}


def recall(rule: UpdateRule, remembered: dict[str, Any]) -> None:
    """Give a new rule the memory of one of its kind; it keeps its own parameters."""
    if memory(rule).keys() <= remembered.keys():
        vars(rule).update(deepcopy(remembered))


@dataclass(frozen=True, eq=False)
class TeachingPlan:
    """How showings are taught."""

    lesson: NetworkLesson
    eta: float
    rates: Array | None  # by what η is multiplied for each weight that can be chosen
    schedule: str
    batch: int
    shuffle: bool
    seed: int
    dtype: str
    share: float  # the mean of all showings

    def rate(self, epoch: int) -> Any:
        """The rate of an epoch, or of each weight in it."""
        eta = rate(self.eta, self.schedule, epoch)
        return eta if self.rates is None else (eta * self.rates).astype(self.dtype)

    @cached_property
    def batches(self) -> BatchGradients:
        """The arrays in which batches are worked on."""
        return BatchGradients(self.lesson, self.batch, self.dtype)

    def __getstate__(self) -> dict[str, Any]:
        """All but the arrays of batches, whose views into each other would not be views elsewhere."""
        return {name: value for name, value in vars(self).items() if name != "batches"}

    def order(self, count: int, epoch: int, window: int) -> Array | None:
        """The order in which a window's showings are taught: a function of seed, epoch and window alone."""
        return np.random.default_rng((self.seed, epoch, window)).permutation(count) if self.shuffle else None


class BatchGradients:
    """Batches of a window one after the other, and the gradient of each, in arrays that are made once."""

    def __init__(self, lesson: NetworkLesson, batch: int, dtype: str) -> None:
        self.lesson, self.batch = lesson, batch
        architecture, targets = lesson.architecture, lesson.targets
        shapes = (batch, architecture.sizes[0]), (batch, targets.outputs + targets.slopes), (batch,)
        self.room = NetworkShowings(*(np.empty(shape, dtype) for shape in shapes))
        self.back = BackPropagation(architecture, lesson.objective.loss.name, batch, dtype) if lesson.plain else None
        self.slope, self.pull = np.empty((2, architecture.n_parameters), dtype)
        self.slopes = architecture.layers(self.slope)
        self.decay = (2.0 * lesson.objective.penalties.weight_decay * architecture.is_weight).astype(dtype)

    def take(self, window: NetworkShowings, order: Array | None, start: int) -> NetworkShowings:
        """The batch that begins at `start`; a view where the order is that of the window."""
        stop = min(start + self.batch, len(window))
        if order is None:
            return window.part(start, stop)
        batch = self.room.part(0, stop - start)
        rows = order[start:stop]
        for source, out in ((window.x, batch.x), (window.t, batch.t), (window.share, batch.share)):
            source.take(rows, axis=0, out=out, mode="clip")  # "raise" would make a copy first
        return batch

    def gradient(self, free: Array, layers: Layers, batch: NetworkShowings, weight: float) -> tuple[float, Array]:
        """Σ share·loss of a batch, and the gradient of that sum over `weight`, with that of weight decay.

        `layers` are views into the weights where none are tied.
        """
        objective = self.lesson.objective
        if self.back is None:
            total, slope = self.lesson.sums(free, batch.x, batch.t, batch.share)
            return total, objective.combine(free, total, slope, weight)[1].astype(free.dtype, copy=False)
        total = self.back.gradient(layers, batch.x, batch.t, batch.share, self.slopes)
        self.slope *= 1.0 / weight
        if objective.penalties.weight_decay:
            np.multiply(self.decay, free, out=self.pull)
            self.slope += self.pull
        return total, self.slope


@dataclass(frozen=True, eq=False)
class TeachingState:
    """The state of a pass: the weights that can be chosen, the rule with its memory, and what was counted."""

    theta: Array
    rule: UpdateRule
    loss: float = 0.0  # Σ share·loss, each showing's as it was shown
    weight: float = 0.0  # Σ share
    steps: int = 0  # in all
    is_finite: bool = True  # every loss so far was finite


def teach(state: TeachingState, window: NetworkShowings, number: int, plan: TeachingPlan, epoch: int) -> TeachingState:
    """Show a window, batch by batch."""
    if not state.is_finite:
        return state
    theta, rule = state.theta.copy(), deepcopy(state.rule)  # a cluster may take a pass up again where it began
    batches, eta = plan.batches, plan.rate(epoch)
    layers = plan.lesson.architecture.layers(theta) if plan.lesson.plain else []
    order, steps, total = plan.order(len(window), epoch, number), state.steps, state.loss
    with np.errstate(all="ignore"):  # weights that grow without end show in the loss
        for start in range(0, len(window), plan.batch):
            batch = batches.take(window, order, start)
            loss, slope = batches.gradient(theta, layers, batch, len(batch) * plan.share)
            steps += 1
            if not math.isfinite(loss):
                return replace(state, steps=steps, is_finite=False)
            rule.step(theta, slope, eta)
            total += loss
    return TeachingState(theta, rule, total, state.weight + float(window.share.sum(dtype=np.float64)), steps)


def add_loss(
    sums: tuple[float, float], window: NetworkShowings, _: int, lesson: NetworkLesson, free: Array
) -> tuple[float, float]:
    """Add a window's loss and weight."""
    weight = float(window.share.sum(dtype=np.float64))
    return sums[0] + lesson.loss_sum(free, window.x, window.t, window.share), sums[1] + weight


def mean_loss(windows: Windows, lesson: NetworkLesson, free: Array) -> float:
    """The mean loss of all showings, with the penalties that speak of rows."""
    loss, weight = windows.fold(add_loss, (0.0, 0.0), lesson, free)
    return loss / weight


# --- one epoch after the other ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Patience:
    """When the epochs end: after several in a row that did not lower the loss by tol of what it was in the first."""

    tol: float | None
    epochs: int


@dataclass(frozen=True, eq=False)
class TrainingEpoch:
    """A pass over all showings, and what the ones before came to."""

    number: int
    state: TeachingState
    objective: float = math.nan
    held_out: tuple[float, ...] = ()  # the loss of showings that are held out, after each epoch
    first: float = math.nan  # the loss that is watched, in the first epoch
    best: float = math.inf  # and the lowest so far
    best_theta: Array | None = None
    waited: int = 0  # epochs since it was lowered by enough
    done: bool = False

    def watched(self, loss: float, patience: Patience) -> TrainingEpoch:
        """See how the loss of this epoch compares with the best."""
        first = loss if math.isnan(self.first) else self.first
        enough = patience.tol is None or self.best - loss > patience.tol * first
        waited = 0 if enough else self.waited + 1
        better = loss < self.best
        return replace(
            self,
            first=first,
            best=min(loss, self.best),
            best_theta=self.state.theta if better else self.best_theta,
            waited=waited,
            done=waited >= patience.epochs,
        )


@dataclass(frozen=True, eq=False)
class Epochs:
    """Passes over the showings; those held out, if any, decide when to end and which weights to keep."""

    plan: TeachingPlan
    windows: Windows
    held_out: Windows | None
    patience: Patience
    recorder: PathRecorder | None = None

    def run(self, begin: TeachingState, max_epochs: int) -> Run[TrainingEpoch]:
        """Teach from a state."""
        return run_epochs(self.show, self.seen(TrainingEpoch(0, begin)), max_epochs)

    def seen(self, epoch: TrainingEpoch) -> TrainingEpoch:
        """Have an epoch recorded, if epochs are."""
        if self.recorder is not None:
            self.recorder(epoch.number, epoch.objective, epoch.state)
        return epoch

    def show(self, last: TrainingEpoch) -> TrainingEpoch:
        """Make one more pass over the showings."""
        return self.seen(self._show(last))

    def _show(self, last: TrainingEpoch) -> TrainingEpoch:
        before = replace(last.state, loss=0.0, weight=0.0)
        state = self.windows.fold(teach, before, self.plan, last.number)
        epoch = replace(last, number=last.number + 1, state=state)
        if not state.is_finite or not np.isfinite(state.theta).all():
            return replace(epoch, state=replace(state, is_finite=False), objective=0.0, done=True)
        lesson = self.plan.lesson
        epoch = replace(epoch, objective=state.loss / state.weight + lesson.decay(state.theta))
        if self.held_out is None:
            return epoch.watched(epoch.objective, self.patience)
        loss = mean_loss(self.held_out, lesson, state.theta)
        return replace(epoch, held_out=(*epoch.held_out, loss)).watched(loss, self.patience)
