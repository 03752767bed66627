"""Perceptrons, one per plane, and the pocket in which each keeps the best weights that it has had.

After each epoch there are two candidates: the weights of its longest run of rows without a mistake (Gallant), and
those at its end, since rows that are sorted by class make long runs of poor weights. One goes into the pocket only if,
over all rows, it makes fewer mistakes than what is there: the ratchet. So the pocket never gets worse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from novacula.linear.online.passes import OrderedRows, dense_blocks, rate, require_showable
from novacula.table import Chunk
from novacula.table.chunk import Floats

RESPONSES = {"step": 0, "threshold": 0, "linear": 1, "tanh": 2}
"""With the numbers by which the kernel knows them."""
BELOW_ZERO = -5e-324
"""The largest number below 0: what is above it is at least 0."""


@dataclass(frozen=True)
class PerceptronRule:
    """How rows change the weights; `positive` says for each plane which class is +1."""

    eta: float
    schedule: str
    response: str
    intercept: bool
    positive: tuple[int, ...]
    factor: Floats  # (classes,), by which the weight of each class's rows is multiplied

    @property
    def moves_when_right(self) -> bool:
        """Whether rows on the right side move the weights too."""
        return self.response not in ("step", "threshold")

    @property
    def low(self) -> float:
        """The target and output of the other side."""
        return 0.0 if self.response == "threshold" else -1.0

    @property
    def bound(self) -> float:
        """The value above which a row is on the positive side."""
        return BELOW_ZERO if self.response == "threshold" else 0.0


@dataclass(frozen=True)
class PerceptronPassState:
    """The state of a pass: weights (planes, d + 1), those of the longest run, and what was counted (planes, 4)."""

    weights: Floats
    longest: Floats
    tally: Floats
    sound: bool = True  # every value so far was finite


def show(state: PerceptronPassState, chunk: Chunk, rule: PerceptronRule, eta: float) -> PerceptronPassState:
    """Show the rows of a chunk to each plane's perceptron."""
    from novacula.linear.online._kernels import show_rows

    if not state.sound:
        return state
    require_showable(chunk, float(rule.factor.max()))
    weights, longest, tally = state.weights.copy(), state.longest.copy(), state.tally.copy()
    response, sound = RESPONSES[rule.response], True
    for x, piece in dense_blocks(chunk):
        for k, positive in enumerate(rule.positive):
            sound = sound and show_rows(
                x,
                piece.target,
                positive,
                piece.weight,
                rule.factor,
                eta,
                response,
                rule.low,
                rule.bound,
                rule.intercept,
                weights[k],
                longest[k],
                tally[k],
            )
    return PerceptronPassState(weights, longest, tally, sound)


def add_mistakes(wrong: Floats, chunk: Chunk, rule: PerceptronRule, candidates: Floats) -> Floats:
    """Add the weight of a chunk's rows on the wrong side of each candidate's planes (candidates, planes)."""
    from novacula.linear.online._kernels import add_wrong

    wrong = wrong.copy()
    for x, piece in dense_blocks(chunk):
        for c, k in np.ndindex(wrong.shape):
            place = rule.positive[k], piece.weight, rule.factor, rule.bound, candidates[c, k]
            add_wrong(x, piece.target, *place, wrong[c, k : k + 1])
    return wrong


@dataclass(frozen=True)
class PerceptronEpoch:
    """An epoch of perceptrons."""

    number: int
    weights: Floats  # (planes, d + 1), after it
    run: Floats  # (planes,), the weight of the rows met since the last mistake
    pocket: Floats  # (planes, d + 1), the best weights so far
    pocket_wrong: Floats  # (planes,), the weight of the rows that they put on the wrong side
    mistakes: int = 0  # in it
    updates: int = 0  # in all
    done: bool = False
    sound: bool = True  # every value was finite

    @classmethod
    def start(cls, weights: Floats) -> Self:
        """Before the first epoch, with nothing known of the weights."""
        return cls(0, weights, np.zeros(len(weights)), weights, np.full(len(weights), np.inf))

    @property
    def objective(self) -> float:
        """The mistakes of all planes."""
        return float(self.mistakes)


def teach(last: PerceptronEpoch, rows: OrderedRows, rule: PerceptronRule, pocket: bool) -> PerceptronEpoch:
    """Show the rows once more; with the step response it is done when that made no mistake."""
    from novacula.linear.online._kernels import MISTAKES, RUN, UPDATES

    if last.number:
        rows.next_epoch()
    tally = np.zeros((len(last.run), 4))
    tally[:, RUN] = last.run
    eta = rate(rule.eta, rule.schedule, last.number)
    after = rows.fold(show, PerceptronPassState(last.weights, last.weights, tally), rule, eta)
    mistakes = int(after.tally[:, MISTAKES].sum())
    lesson = replace(
        last,
        number=last.number + 1,
        weights=after.weights,
        run=after.tally[:, RUN],
        mistakes=mistakes,
        updates=last.updates + int(after.tally[:, UPDATES].sum()),
        sound=after.sound and bool(np.isfinite(after.weights).all()),
    )
    if not lesson.sound:
        return replace(lesson, done=True)
    if mistakes == 0 and not rule.moves_when_right:
        return replace(lesson, pocket=after.weights, pocket_wrong=np.zeros_like(last.run), done=True)
    if pocket:
        return with_better_pocket(lesson, rows, rule, after.longest)
    separated = rule.moves_when_right and not rows.fold(is_wrong, False, rule, after.weights)
    return replace(lesson, done=separated)


def is_wrong(wrong: bool, chunk: Chunk, rule: PerceptronRule, weights: Floats) -> bool:
    """Whether planes (planes, d + 1) put a row on the wrong side; what comes after the first such rows is passed by."""
    from novacula.linear.online._kernels import add_wrong

    count = np.zeros(1)
    for x, piece in dense_blocks(chunk):
        for positive, plane in zip(rule.positive, weights, strict=True):
            if wrong:
                return True
            add_wrong(x, piece.target, positive, piece.weight, rule.factor, rule.bound, plane, count)
            wrong = bool(count[0] > 0.0)
    return wrong


def with_better_pocket(
    lesson: PerceptronEpoch, rows: OrderedRows, rule: PerceptronRule, longest: Floats
) -> PerceptronEpoch:
    """Put the better candidate of each plane into the pocket if it beats what is there, counted by a pass.

    Where rows on the right side move the weights too, the mistakes of an epoch are not those of one set of weights:
    it is done when those at its end make none in this pass.
    """
    candidates = np.stack([lesson.weights, longest])
    wrong = rows.fold(add_mistakes, np.zeros(candidates.shape[:2]), rule, candidates)
    planes = np.arange(len(longest))
    best = wrong.argmin(axis=0)
    better = wrong[best, planes] < lesson.pocket_wrong
    return replace(
        lesson,
        pocket=np.where(better[:, None], candidates[best, planes], lesson.pocket),
        pocket_wrong=np.where(better, wrong[best, planes], lesson.pocket_wrong),
        done=rule.moves_when_right and not wrong[0].any(),
    )
