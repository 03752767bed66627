"""What a fit row by row keeps for its work: the weights after its first and last epochs, and the rows it began with."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
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
        weights, numbers = path.states[:, : d + 1], path.iterations
        others = np.zeros_like(weights)
        begun = np.flatnonzero((np.diff(numbers) == 1) & (showings.ordered | (numbers[1:] == 1))) + 1
        if len(begun):
            rules = [rule(number - 1) for number in numbers[begun].tolist()]
            others[begun] = weights[begun] - weights_after(showings, rules, weights[begun - 1])
        return cls(path, others, showings)

    @classmethod
    def of_steps(cls, path: FitPath, table: Table, bowl: Bowl, rule: ShowingRule) -> Self:
        """Keep the first rows of steps down a bowl of all rows."""
        chunk, is_all = first_counted(table, FIRST)
        showings = first_showings([chunk])
        showings = replace(showings, whole=showings.whole and is_all)
        d, others = showings.rows.shape[1], np.zeros((0, 0))
        if not showings.whole:
            q, k = bowl.cross.shape
            first = np.zeros((len(path.states), d + 1))
            first[:, :q] = path.states.reshape(-1, q, k)[:, :, 0]
            others = np.zeros_like(first)
            others[:, :q] = bowl.cross[:, 0] - first[:, :q] @ bowl.gram
            others -= pulls_at(showings, rule, first)
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

    def output(self, value: Any) -> Any:
        """What a unit answers, for one value or an array of them."""
        if self.response == "threshold":
            return np.where(value >= 0.0, 1.0, 0.0)
        if self.response == "step":
            return np.where(value > 0.0, 1.0, -1.0)
        return np.tanh(value) if self.response == "tanh" else value

    def inputs(self, rows: Floats) -> Floats:
        """Rows (m, d + 1) with the 1 of the bias, or 0 where there is none."""
        return np.column_stack([rows, np.full(len(rows), float(self.bias))])

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
        return self.share * (self.target - self.output) * self.rule.inputs(self.x[None])[0]

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


def weights_after(showings: OnlineShowings, rules: Sequence[ShowingRule], weights: Floats) -> Floats:
    """Where `replay` ends from each of several weights (epochs, d + 1), an epoch by each rule, all at once.

    The rules differ in their rates alone. Sums are taken in the order of `replay`, since a unit that has a step could
    answer otherwise where two orders differ by rounding.
    """
    rule, eta = rules[0], np.array([rule.eta for rule in rules])[:, None]
    weights = weights.copy()
    slopes, bias = weights[:, :-1], weights[:, -1]
    with np.errstate(all="ignore"):
        for inputs, (x, t, share) in zip(rule.inputs(showings.rows), _rows(showings, rule), strict=True):
            pull = share * (t - rule.output(np.vecdot(slopes, x) + bias))
            weights += eta * (pull[:, None] * inputs)
    return weights


def pulls_at(showings: OnlineShowings, rule: ShowingRule, weights: Floats) -> Floats:
    """Σs(t − o)x of the first rows at each of several weights (steps, d + 1)."""
    output = rule.output(weights[:, :-1] @ showings.rows.T + weights[:, -1:])
    pulls = showings.shares * (rule.targets(showings) - output)
    return pulls @ rule.inputs(showings.rows)


def corrections_at(showings: OnlineShowings, rule: ShowingRule, weights: Floats) -> list[Correction]:
    """What each of the first rows asks for at the same weights (d + 1,)."""
    return [_shown(i, *row, weights, rule) for i, row in enumerate(_rows(showings, rule), start=1)]


def _rows(showings: OnlineShowings, rule: ShowingRule) -> Iterable[tuple[Floats, float, float]]:
    return zip(showings.rows, rule.targets(showings).tolist(), showings.shares.tolist(), strict=True)


def _shown(number: int, x: Floats, t: float, share: float, weights: Floats, rule: ShowingRule) -> Correction:
    with np.errstate(all="ignore"):
        value = float(weights[:-1] @ x + weights[-1])
    return Correction(number, x, t, value, float(rule.output(value)), share, weights, rule)
