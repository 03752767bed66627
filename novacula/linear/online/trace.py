"""What a fit row by row keeps for its work: the weights after its first and last epochs, and the rows it began with."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from typing import Any, ClassVar, Self

import numpy as np

from novacula.errors import ModelFileError
from novacula.learner.trace import MOST_NUMBERS, FitPath, PathRecorder
from novacula.linear.online.passes import OrderedRows, dense_blocks
from novacula.state import State, codes, flag, floats, nullable, one_of, record
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
    """The weights after each epoch or step that is kept, the start first; of epochs also the first showings.

    `others` is what the rows that are not kept did to the weights of the first plane or target in each of these epochs
    that began with those that are.
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
                others[i] = weights[i] - replay(showings, rule(number - 1), weights[i - 1])[-1].after
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


def first_showings(rows: OrderedRows, factor: Floats | None = None, *, ordered: bool = True) -> OnlineShowings:
    """The first rows in order, repeated by their weight, which `factor` (classes,) multiplies."""
    with closing(_showings(rows, factor)) as showings:
        x, target, share = next(showings)
        most = max(1, min(FIRST, MOST_NUMBERS // max(len(x), 1)))
        held = [(x, target, share), *islice(showings, most)]
    xs, targets, shares = zip(*held[:most], strict=True)
    ordered = ordered and not rows.shuffled
    return OnlineShowings(np.array(xs), np.array(targets), np.array(shares), len(held) <= most, ordered)


def _showings(rows: OrderedRows, factor: Floats | None) -> Generator[tuple[Floats, Any, float], None, None]:
    with closing(rows.chunks()) as chunks:
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

    def targets(self, showings: OnlineShowings) -> Floats:
        """The targets as numbers (m,)."""
        first = showings.targets if showings.targets.ndim == 1 else showings.targets[:, 0]
        return np.asarray(first, np.float64) if self.positive is None else np.where(first == self.positive, 1.0, -1.0)


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
    after: Floats

    @property
    def moves(self) -> bool:
        """Whether the weights moved."""
        return self.target != self.output


def replay(
    showings: OnlineShowings, rule: ShowingRule, weights: Floats, epochs: int = 1, most: int | None = None
) -> list[Correction]:
    """Show the first rows once more from some weights (d + 1,), for some epochs but no more than `most` times."""
    corrections = list[Correction]()
    epoch = list(zip(showings.rows, rule.targets(showings).tolist(), showings.shares.tolist(), strict=True))
    for x, t, share in islice(chain.from_iterable(repeat(epoch, epochs)), most):
        with np.errstate(all="ignore"):  # rows that are not finite, and rates that are too large, are refused elsewhere
            value = float(weights[:-1] @ x + weights[-1])
            output = {"step": 1.0 if value > 0.0 else -1.0, "linear": value, "tanh": math.tanh(value)}[rule.response]
            after = weights + rule.eta * share * (t - output) * np.append(x, 1.0 if rule.bias else 0.0)
        corrections.append(Correction(len(corrections) + 1, x, t, value, output, share, weights, after))
        weights = after
    return corrections
