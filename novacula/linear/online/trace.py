"""What a fit row by row keeps for its work: the weights after its first and last epochs, and the rows it began with."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.first_rows import first_counted
from novacula.learner.trace import MOST_NUMBERS, FitPath, PathRecorder
from novacula.linear.online.delta import Bowl
from novacula.linear.online.passes import dense_blocks
from novacula.state import State, codes, flag, floats, nullable, one_of, record
from novacula.table import Chunk, Table
from novacula.table.chunk import Floats

FIRST = 20
"""Showings that a model keeps, fewer of long rows, so that its work can begin where the fit began."""


@dataclass(frozen=True)
class OnlineShowings:
    """The first showings of a fit: at most 20, a row as often as it was shown, with the share of a last one."""

    state: ClassVar[State] = {
        "rows": floats("showings+1", "columns"),
        "targets": one_of(codes("showings+1", below="classes"), floats("showings+1"), floats("showings+1", "targets")),
        "shares": floats("showings+1", least=0.0, most=1.0),
        "whole": flag(),
        "ordered": flag(),
    }

    rows: Floats  # (m, d)
    targets: Any  # (m,) codes of classes, or (m,) or (m, k) numbers
    shares: Floats  # (m,)
    whole: bool  # whether they are a whole epoch
    ordered: bool  # whether every epoch begins with them


@dataclass(frozen=True)
class OnlineTrace:
    """The weights after each epoch or step that is kept, the start first, and the first showings.

    `others` is what the rows that are not kept did to the weights of the first plane or target in each of these epochs
    that began with those that are; of steps of all rows, what they add to Σ(t − o)x of the next one.
    """

    state: ClassVar[State] = {
        "path": record(FitPath),
        "others": floats("any", "any"),
        "showings": nullable(record(OnlineShowings, columns="columns", targets="targets", classes="classes")),
    }

    path: FitPath
    others: Floats  # (kept, d + 1), or nothing where the showings are a whole epoch
    showings: OnlineShowings | None = None

    @classmethod
    def of(cls, path: FitPath, showings: OnlineShowings, rule: Callable[[int], ShowingRule]) -> Self:
        """Play the first showings of each epoch again; `rule` is that of an epoch, counted from 0."""
        d = showings.rows.shape[1]
        if showings.whole:
            return cls(path, np.zeros((0, d + 1)), showings)
        weights = path.states[:, : d + 1]
        others = np.zeros_like(weights)
        for i, number in enumerate(path.iterations[1:].tolist(), start=1):
            if path.iterations[i - 1] == number - 1 and (showings.ordered or number == 1):
                others[i] = weights[i] - replay(showings, [rule(number - 1)], weights[i - 1])[-1].after
        return cls(path, others, showings)

    @classmethod
    def of_steps(cls, path: FitPath, table: Table, bowl: Bowl, rule: ShowingRule) -> Self:
        """Keep the first rows of steps down a bowl of all rows."""
        chunk, is_all = first_counted(table, FIRST)
        showings = first_showings([chunk])
        showings = replace(showings, whole=showings.whole and is_all)
        d, others = showings.rows.shape[1], np.zeros((0, 0))
        if not showings.whole:
            others = np.zeros((len(path.states), d + 1))
            for i, state in enumerate(path.states):
                first = np.append(state.reshape(bowl.cross.shape)[:, 0], 0.0)[: d + 1]
                pulls = [c.pull for c in corrections_at(showings, rule, first)]
                others[i, : len(bowl.cross)] = bowl.gradient(state.reshape(bowl.cross.shape))[:, 0]
                others[i] -= np.sum(pulls, axis=0)
        return cls(path, others, showings)

    @property
    def kept_showings(self) -> OnlineShowings:
        """The first showings of a fit that has any."""
        if self.showings is None:
            raise ModelFileError("its trace_ has no showings, which a fit row by row keeps")
        return self.showings

    def place(self, iteration: int) -> int:
        """Where the weights after an iteration are kept; FitPath says why where they are not."""
        self.path.at(iteration, self.path.states.shape[1:])
        return int(np.searchsorted(self.path.iterations, iteration))

    def with_epoch(self, weights: Floats, rule: Callable[[int], ShowingRule]) -> Self:
        """One more epoch, of other rows."""
        recorder = PathRecorder()
        for number, state in zip(self.path.iterations.tolist(), self.path.states, strict=True):
            recorder(number, 0.0, state)
        recorder(int(self.path.iterations[-1]) + 1, 0.0, weights)
        return type(self).of(recorder.kept(), replace(self.kept_showings, ordered=False), rule)


def first_showings(
    chunks: Generator[Chunk, None, None] | Iterable[Chunk], factor: Floats | None = None, *, ordered: bool = True
) -> OnlineShowings:
    """The first rows in order, repeated by their weight, which `factor` (classes,) multiplies."""
    with closing(_showings(chunks, factor)) as showings:
        x, target, share = next(showings)
        most = max(1, min(FIRST, MOST_NUMBERS // max(len(x), 1)))
        held = [(x, target, share), *islice(showings, most)]
    xs, targets, shares = zip(*held[:most], strict=True)
    return OnlineShowings(np.array(xs), np.array(targets), np.array(shares), len(held) <= most, ordered)


def _showings(chunks: Iterable[Chunk], factor: Floats | None) -> Generator[tuple[Floats, Any, float], None, None]:
    for x, piece in (pair for chunk in chunks for pair in dense_blocks(chunk)):
        targets = np.asarray(piece.target)
        for i in range(len(piece)):
            left = float(piece.weight[i]) * (1.0 if factor is None else float(factor[targets[i]]))
            while left > 0.0:
                yield x[i].copy(), targets[i], min(left, 1.0)
                left -= 1.0


# --- played again -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShowingRule:
    """How a showing moves the weights of the first plane or target: w ← w + ηs(t − o)x for a share s of a showing."""

    eta: float
    response: str
    bias: bool
    positive: int | None = None  # the class that is +1; None where targets are numbers

    @property
    def low(self) -> float:
        """The target of the other classes."""
        return 0.0 if self.response == "threshold" else -1.0

    def output(self, value: float) -> float:
        """What a unit answers."""
        if self.response == "threshold":
            return 1.0 if value >= 0.0 else 0.0
        if self.response == "step":
            return 1.0 if value > 0.0 else -1.0
        return math.tanh(value) if self.response == "tanh" else value

    def targets(self, showings: OnlineShowings) -> Floats:
        """The targets as numbers (m,)."""
        first = showings.targets if showings.targets.ndim == 1 else showings.targets[:, 0]
        return (
            np.asarray(first, np.float64) if self.positive is None else np.where(first == self.positive, 1.0, self.low)
        )


@dataclass(frozen=True)
class Correction:
    """One showing of a row: what came out, and what became of the weights (d + 1,), the bias last."""

    number: int  # the first is 1
    x: Floats  # (d,)
    target: float
    value: float
    output: float
    share: float  # of a showing
    before: Floats
    rule: ShowingRule

    @property
    def pull(self) -> Floats:
        """s(t − o)x, with 1 for the bias if there is one."""
        return self.share * (self.target - self.output) * np.append(self.x, 1.0 if self.rule.bias else 0.0)

    @property
    def change(self) -> Floats:
        """Δw = ηs(t − o)x."""
        return self.rule.eta * self.pull

    @property
    def after(self) -> Floats:
        """The weights that it leads to."""
        return self.before + self.change

    @property
    def moves(self) -> bool:
        """Whether the weights moved."""
        return self.target != self.output


def replay(
    showings: OnlineShowings, rules: Iterable[ShowingRule], weights: Floats, most: int | None = None
) -> list[Correction]:
    """Show the first rows from some weights (d + 1,), an epoch by each rule, but no more than `most` showings."""
    corrections = list[Correction]()
    shown = ((*row, rule) for rule in rules for row in _rows(showings, rule))
    for x, t, share, rule in islice(shown, most):
        correction = _shown(len(corrections) + 1, x, t, share, weights, rule)
        with np.errstate(all="ignore"):  # rows that are not finite, and rates that are too large, are refused elsewhere
            weights = correction.after
        corrections.append(correction)
    return corrections


def corrections_at(showings: OnlineShowings, rule: ShowingRule, weights: Floats) -> list[Correction]:
    """What each of the first rows asks for at the same weights (d + 1,)."""
    return [_shown(i, *row, weights, rule) for i, row in enumerate(_rows(showings, rule), start=1)]


def _rows(showings: OnlineShowings, rule: ShowingRule) -> Iterable[tuple[Floats, float, float]]:
    return zip(showings.rows, rule.targets(showings).tolist(), showings.shares.tolist(), strict=True)


def _shown(number: int, x: Floats, t: float, share: float, weights: Floats, rule: ShowingRule) -> Correction:
    with np.errstate(all="ignore"):
        value = float(weights[:-1] @ x + weights[-1])
    return Correction(number, x, t, value, rule.output(value), share, weights, rule)
