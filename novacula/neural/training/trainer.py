"""One training after the other on the same rows: windows of showings are made once for all starts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.learner.trace import PathRecorder
from novacula.neural.training.epochs import (
    Epochs,
    Patience,
    TeachingPlan,
    TeachingState,
    TrainingEpoch,
    UpdateRule,
    mean_loss,
)
from novacula.neural.training.gauge import Gauge
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.record import NetworkTrace, Start, TrainingEnd
from novacula.neural.training.settings import TrainingSettings
from novacula.neural.training.showings import Feed, Tally, Windows, capacity
from novacula.neural.training.solvers import LessonRows, NetworkDescent
from novacula.neural.training.tracing import (
    keeps_epochs,
    keeps_updates,
    state_numbers,
    trace_of_epochs,
    trace_of_examples,
    trace_of_first_update,
    updates_before,
)
from novacula.table import Table
from novacula.table.parallel import one_blas_thread
from novacula.words import counted


@dataclass(eq=False)
class Trainer:
    """Rows and a lesson, ready to be trained with from any start."""

    settings: TrainingSettings
    table: Table
    lesson: NetworkLesson
    tally: Tally
    gauge: Gauge | None
    seed: int  # of what is held out

    @cached_property
    def batch(self) -> int:
        """Showings of a batch."""
        return self.settings.batch(int(self.tally.showings))

    @cached_property
    def eta(self) -> float:
        """The rate η."""
        return self.settings.rate(self.lesson, self.batch)

    def start(self, seed: int) -> Any:
        """Random weights θ."""
        architecture = self.lesson.architecture
        theta = architecture.initial(np.random.default_rng(seed))
        theta = theta if self.gauge is None else self.gauge.start(architecture, theta)
        return theta.astype(self.settings.precision)

    def run(self, theta: Any, seed: int) -> TrainingEnd:
        """Train from all weights θ; the seed is that of the orders."""
        free, settings = self.lesson.contract(theta).astype(self.settings.precision), self.settings
        if settings.by_batches:
            return self._by_batches(free, seed)
        step = "backtracking" if isinstance(settings.eta0, str) else float(settings.eta0)
        is_small = keeps_epochs(self.lesson, self.tally.showings)
        descent = NetworkDescent(
            settings.solver, step, float(settings.momentum), settings.tolerance or 0.0, settings.max_epochs, is_small
        )
        with one_blas_thread():  # blocks of rows are small, and other threads work on others
            end = descent.run(LessonRows(self.table, self.lesson, self.gauge), free)
        return end if is_small else replace(end, trace=self._examples)

    # --- by batches -----------------------------------------------------------------------------------------

    def _by_batches(self, free: Any, seed: int) -> TrainingEnd:
        windows, held_out = self._windows
        patience = Patience(self.settings.tolerance, self.settings.n_iter_no_change)
        plan, recorder = self.plan(seed), self._recorder()
        epochs, begin = Epochs(plan, windows, held_out, patience, recorder), TeachingState(free, self.settings.rule())
        with one_blas_thread():
            run = epochs.run(begin, self.settings.max_epochs)
            end = run.params
            theta = end.state.theta if held_out is None or end.best_theta is None else end.best_theta
            loss = math.inf
            if end.state.is_finite:
                loss = mean_loss(windows, self.lesson, theta) + self.lesson.decay(theta)
        start = Start(loss, end.number, *self.ending(end))
        trace = partial(self._trace, plan, TrainingEpoch(0, begin), recorder)
        return TrainingEnd(theta, run.history, end.held_out, start, trace)

    def once(self, theta: Any, rule: UpdateRule, number: int) -> tuple[TrainingEpoch, NetworkTrace]:
        """Show all rows once, as epoch `number` from 0 on of a training that goes on."""
        plan, recorder = self.plan(self.seed), self._recorder()
        epochs = Epochs(plan, self._windows[0], None, Patience(None, 1), recorder)
        free = self.lesson.contract(theta).astype(self.settings.precision)
        begin = TrainingEpoch(number, TeachingState(free, rule))
        with one_blas_thread():
            epoch = epochs.show(epochs.seen(begin))
            return epoch, self._trace(plan, begin, recorder) if epoch.state.is_finite else self._examples()

    def _trace(self, plan: TeachingPlan, begin: TrainingEpoch, recorder: PathRecorder | None) -> NetworkTrace:
        """What is kept of a training that has ended."""
        window = self._windows[0].kept
        if window is not None and recorder is not None:
            return trace_of_epochs(plan, window, recorder.kept(), updates_before(begin.state))
        if window is not None and keeps_updates(self.lesson):
            return trace_of_first_update(plan, window, begin)
        return self._examples()

    def _examples(self) -> NetworkTrace:
        return trace_of_examples(self.table, self.lesson, self.feed())

    def _recorder(self) -> PathRecorder | None:
        return PathRecorder(state_numbers) if keeps_epochs(self.lesson, self.tally.showings) else None

    def plan(self, seed: int) -> TeachingPlan:
        """How the showings are taught."""
        rates = None
        if self.gauge is not None:
            stretch = self.gauge.stretch(self.lesson)
            rates = (stretch / self.gauge.scale) ** 2 if self.settings.solver == "sgd" else stretch
        return TeachingPlan(
            self.lesson,
            self.eta,
            rates,
            self.settings.schedule,
            self.batch,
            self.settings.shuffle,
            seed,
            self.settings.dtype,
            self.tally.share,
        )

    @cached_property
    def _windows(self) -> tuple[Windows, Windows | None]:
        """The windows to learn from, and those that are held out."""
        fraction = float(self.settings.validation_fraction) if self.settings.early_stopping else 0.0
        feed, showings = self.feed(fraction), int(self.tally.showings)
        windows = Windows(self.table, feed, showings)
        if not self.settings.early_stopping:
            return windows, None
        held_out = Windows(self.table, feed.other(), showings)
        for part, name in ((windows, "learn from"), (held_out, "hold out")):
            if not len(part):
                raise DataError(
                    f"early_stopping with validation_fraction={fraction:g} leaves none of the {showings} rows of "
                    f"{self.table.source.name} to {name}: give more rows, or another fraction"
                )
        return windows, held_out

    def feed(self, held_out: float = 0.0) -> Feed:
        """How rows become showings."""
        columns = self.lesson.architecture.sizes[0] + self.lesson.targets.outputs + self.lesson.targets.slopes
        window = capacity(columns, self.batch)
        return Feed(self.lesson.targets, self.settings.precision, window, held_out, self.seed)

    def ending(self, end: TrainingEpoch) -> tuple[bool, str]:
        """Whether it converged, and how it ended in a sentence."""
        name = "held-out loss" if end.held_out else "loss"
        if not end.state.is_finite:
            return False, (
                f"The training diverged in step {end.state.steps}, in epoch {end.number}, at the rate η = "
                f"{self.eta:g}: lower eta0, or bring the columns, and a numeric target, to one scale."
            )
        if end.done and not end.held_out and end.objective > end.first:
            return False, (
                f"The loss went up, from {end.first:.4g} in the first epoch to {end.objective:.4g} in epoch "
                f"{end.number}, at the rate η = {self.eta:g}: lower eta0."
            )
        if end.done:
            return True, f"The {name} settled after {counted(end.number, 'epoch')}."
        return False, (
            f"The {name} was still falling after {counted(end.number, 'epoch')}, as many as max_epochs allows: raise "
            "it, or tol if that precision is not needed, or say tol=None to have that many epochs and no more."
        )
