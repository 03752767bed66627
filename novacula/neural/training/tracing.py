"""What is kept of a training, so that its updates can be derived afterwards: little, and of small networks only."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from novacula.learner.trace import FitPath, PathRecorder
from novacula.neural.network import BackPropagation
from novacula.neural.training.epochs import TeachingPlan, TeachingState, TrainingEpoch, memory, teach
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.record import NetworkTrace
from novacula.neural.training.showings import Feed, NetworkShowings
from novacula.neural.training.sums import counted_rows
from novacula.optimize.result import Result
from novacula.table import Table
from novacula.table.chunk import Floats

MOST_WEIGHTS = 256
"""Weights and biases of a network whose updates are kept."""
MOST_SHOWINGS = 32
"""Showings up to which all are kept, and with them the path of the epochs."""
EXAMPLES = 20
"""Showings that are kept where there are more."""


def keeps_updates(lesson: NetworkLesson) -> bool:
    """Whether a network is small, and each of its weights a parameter of its own."""
    return lesson.objective.tying is None and lesson.architecture.n_parameters <= MOST_WEIGHTS


def keeps_epochs(lesson: NetworkLesson, showings: float) -> bool:
    """Whether rows are so few, too, that all are kept, and the weights of each epoch."""
    return keeps_updates(lesson) and showings <= MOST_SHOWINGS


def state_numbers(state: TeachingState) -> Floats:
    """The weights, and what the rule remembers of each: its last change, or the means of gradients and squares."""
    kept = memory(state.rule)
    remembered = [kept[name] for name in ("velocity", "mean", "square") if name in kept]
    zero = np.zeros_like(state.theta)
    return np.concatenate([state.theta, *(zero if part is None else part for part in remembered)]).astype(np.float64)


def updates_before(state: TeachingState) -> int:
    """The updates that a rule has counted, if it counts."""
    return int(memory(state.rule).get("n_steps", 0))


def trace_of_epochs(plan: TeachingPlan, showings: NetworkShowings, path: FitPath, updates: int) -> NetworkTrace:
    """All showings, and the weights epoch by epoch."""
    n = len(showings)
    orders = np.empty((0, n), np.int64)
    if n > plan.batch:
        found = [plan.order(n, max(0, int(epoch) - 1), 0) for epoch in path.iterations]
        orders = np.array([np.arange(n) if order is None else order for order in found], np.int64)
    return _trace(showings, plan.batch, plan.share, path=path, orders=orders, updates=updates, by_epoch=True)


def trace_of_first_update(plan: TeachingPlan, window: NetworkShowings, begin: TrainingEpoch) -> NetworkTrace:
    """The first update alone: its first showings, what the others add, and the weights before and after it."""
    order = plan.order(len(window), begin.number, 0)
    first = plan.batches.take(window, order, 0)
    batch = NetworkShowings(first.x.copy(), first.t.copy(), first.share.copy())
    after = teach(begin.state, batch, 0, replace(plan, shuffle=False), begin.number)
    states = np.array([state_numbers(begin.state), state_numbers(after)])
    rest = _sum_of(plan.lesson, begin.state.theta, batch.part(EXAMPLES, len(batch)))
    path = FitPath(np.array([begin.number, begin.number + 1], np.int64), states)
    updates = updates_before(begin.state)
    return _trace(batch.part(0, EXAMPLES), len(batch), plan.share, path=path, rest=rest, updates=updates)


def trace_of_solver(table: Table, lesson: NetworkLesson, result: Result, stretch: Any) -> NetworkTrace:
    """All rows, and the weights iteration by iteration, with the steps of gradient descent."""
    chunk = table.to_chunk()
    rows = NetworkShowings(*counted_rows(chunk.dense(), chunk, lesson))
    recorder = PathRecorder()
    for i, place in enumerate([] if result.path is None else result.path):
        recorder(i, 0.0, place * stretch)
    path = recorder.kept()
    steps = result.steps[path.iterations] if result.method.startswith("Gradient") else np.empty(0)
    return _trace(rows, len(rows), 1.0, path=path, steps=steps, by_epoch=True)


def trace_of_examples(table: Table, lesson: NetworkLesson, feed: Feed) -> NetworkTrace:
    """The first showings alone, in the order of the rows."""
    targets, pieces = lesson.targets, list[NetworkShowings]()
    feed = replace(feed, dtype="float64", targets=replace(targets, factor=None))
    with closing(table.chunks()) as chunks:
        for chunk in chunks:
            few = chunk.counted().rows(0, EXAMPLES)
            few = replace(few, weight=np.minimum(targets.weight(few), EXAMPLES))  # no row is needed more often
            pieces.append(feed.showings(few.dense(), few, 0)[0])
            if sum(map(len, pieces)) >= EXAMPLES:
                break
    return _trace(NetworkShowings.joined(pieces).part(0, EXAMPLES), 1, 1.0)


def _sum_of(lesson: NetworkLesson, theta: Any, showings: NetworkShowings) -> Floats:
    """Σ share · δ · input of showings less what their derivatives cost, in double precision; nothing of none."""
    if not len(showings):
        return np.empty(0)
    architecture, slope = lesson.architecture, np.empty(lesson.architecture.n_parameters)
    x, t, share = (part.astype(np.float64) for part in (showings.x, showings.t, showings.share))
    if not lesson.plain:
        return np.asarray(-lesson.sums(theta.astype(np.float64), x, t, share)[1])
    work = BackPropagation(architecture, lesson.objective.loss.name, len(showings), np.float64)
    work.gradient(architecture.layers(theta.astype(np.float64)), x, t, share, architecture.layers(slope))
    return -slope


def _trace(showings: NetworkShowings, batch: int, share: float, **more: Any) -> NetworkTrace:
    rows, targets = showings.x, showings.t
    parts: dict[str, Any] = {
        "rows": np.array(rows, np.float64),
        "targets": np.array(targets, np.float64),
        "shares": np.array(showings.share, np.float64),
        "batch": batch,
        "share": share,
        "updates": 0,
        "rest": np.empty(0),
        "path": FitPath(np.empty(0, np.int64), np.empty((0, 0))),
        "orders": np.empty((0, len(rows)), np.int64),
        "steps": np.empty(0),
        "by_epoch": False,
    }
    return NetworkTrace(**{**parts, **more})
