"""What a learner admits, and how chunks are checked: during the learner's own pass, so that it costs no extra one.

Admits   which rows a learner can work with: declared on its card
RowCheck finds what is not admitted in a chunk, and counts what can only be judged of all rows
Fault    the first value of a chunk that is not admitted
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from novacula.table.chunk import MISSING, UNSEEN, Chunk, Codes, Floats

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Admits:
    """Which rows a learner can work with.

    `missing` and `infinite` values of its columns are taken or refused; in a target they are always refused. At
    least this many `classes` must have rows that count. A row of weight 0 may hold anything, but some row must have
    weight.
    """

    missing: bool = False
    infinite: bool = False
    classes: int = 1

    @property
    def refused(self) -> frozenset[str]:
        """What a column must not hold."""
        return frozenset(word for word in ("missing", "infinite") if not getattr(self, word))

    def words(self) -> str:
        """What is admitted, as a card says it."""
        values = [f"{word} values" for word in ("missing", "infinite") if getattr(self, word)]
        columns = f"finite numbers and {' and '.join(values)}" if values else "finite numbers only"
        return f"{columns}; at least {self.classes} classes" if self.classes > 1 else columns


def propagating(*what: str) -> Callable[[F], F]:
    """Mark an `observe`: these values, "missing" or "infinite", make a number of its statistic that is not finite.

    A first pass with such an `observe`, which must be over all numeric columns and the target, checks its sums only.
    """

    def mark(observe: F) -> F:
        observe.propagates = frozenset(what)  # type: ignore[attr-defined]
        return observe

    return mark


class Fault(NamedTuple):
    """A value that is not admitted: its row in a chunk, its column, and what is wrong with it."""

    row: int
    kind: str  # of the column, or "target"
    column: int  # its place among those of its kind
    what: str  # "missing" or "infinite"
    value: float = np.inf  # which of the two infinities it is


ORDER = ("numeric", "categorical", "sparse", "target")
"""Of several faults in a row the one that comes first is named."""


class NotAdmitted(Exception):  # noqa: N818  (it ends a pass, and no user sees it)
    """A chunk holds a value that is not admitted."""


@dataclass(frozen=True, slots=True, eq=False)
class RowTally:
    """What a pass saw besides its own work: weight of all rows and of each class, unseen categories by column."""

    weight: float
    classes: Floats
    unseen: npt.NDArray[np.int64]

    def __add__(self, other: Self) -> Self:
        return type(self)(self.weight + other.weight, self.classes + other.classes, self.unseen + other.unseen)


@dataclass(frozen=True, slots=True, eq=False)
class WithTally:
    """The result of a pass, or of a part of it, together with what was seen."""

    tally: RowTally | None
    result: Any

    def __add__(self, other: Self) -> Self:
        return type(self)(both_tallies(self.tally, other.tally), self.result + other.result)


def both_tallies(one: RowTally | None, other: RowTally | None) -> RowTally | None:
    """What two parts of a pass saw; None stands for no rows."""
    return one + other if one is not None and other is not None else one or other


@dataclass(frozen=True)
class RowCheck:
    """How chunks are checked, on any thread or machine.

    With `answers_propagate`, values that are not admitted make the answer for their row NaN or infinite, so that rows
    are checked only where an answer is.
    """

    admits: Admits
    n_classes: int = 0  # whose weights are added up
    answers_propagate: bool = False
    counts_unseen: bool = False

    def __call__(self, chunk: Chunk) -> RowTally:
        """What the chunk holds; `NotAdmitted` if it holds what cannot be used."""
        self.require_admitted(chunk)
        return self.tally(chunk)

    def require_admitted(self, chunk: Chunk) -> None:
        """Raise `NotAdmitted` if the chunk holds a value that cannot be used."""
        if not _is_plain(chunk, self.admits) and first_fault(chunk, self.admits) is not None:
            raise NotAdmitted

    def tally(self, chunk: Chunk) -> RowTally:
        """The weights and unseen categories of a chunk."""
        has_classes = self.n_classes > 0 and chunk.target is not None  # a pass may leave the target out
        code, weight = np.asarray(chunk.target), chunk.weight
        classes = np.bincount(code, weight, self.n_classes).astype(np.float64) if has_classes else np.empty(0)
        unseen = _unseen(chunk.codes) if self.counts_unseen else np.empty(0, np.int64)
        with np.errstate(over="ignore"):  # a total that overflows is refused
            return RowTally(float(weight.sum()), classes, unseen)

    def observe(self, chunk: Chunk, observe: Callable[..., Any], args: Any) -> WithTally:
        """The statistic of a chunk that is checked."""
        return WithTally(self(chunk), observe(chunk, *args))

    def observe_unchecked(self, chunk: Chunk, observe: Callable[..., Any], args: Any) -> WithTally:
        """The statistic of a chunk whose faults propagate into the sums, so that these are checked at the end."""
        return WithTally(self.tally(chunk), observe(chunk, *args))

    def step(self, last: WithTally, chunk: Chunk, step: Callable[..., Any], args: Any) -> WithTally:
        """The next state of a pass in order."""
        return WithTally(both_tallies(last.tally, self(chunk)), step(last.result, chunk, *args))

    def answer(self, chunk: Chunk, function: Callable[..., Any], args: Any) -> WithTally:
        """The answer for each row of a chunk."""
        if not self.answers_propagate:
            self.require_admitted(chunk)
        with np.errstate(over="ignore", invalid="ignore"):  # answers that are not finite are refused
            answers = function(chunk, *args)
        if self.answers_propagate and not all_finite(answers):
            self.require_admitted(chunk)
        return WithTally(self.tally(chunk), answers)


def _unseen(codes: Codes) -> npt.NDArray[np.int64]:
    """How many categories of each column were not there at fit; as a rule none, as the least code says."""
    if not codes.size or codes.min() > UNSEEN:
        return np.zeros(codes.shape[1], np.int64)
    return np.asarray((codes == UNSEEN).sum(axis=0), np.int64)


def is_finite(statistic: Any) -> bool:
    """Whether all numbers of a statistic are finite."""
    return all(map(all_finite, statistic.arrays().values()))


def propagated_by(observe: Any) -> frozenset[str]:
    """Which faults propagate through an `observe`; a statistic's own method has those of its class."""
    observe = getattr(observe, "func", observe)  # of a partial
    owner = getattr(observe, "__self__", None)
    propagated: frozenset[str] = getattr(observe, "propagates", getattr(owner, "propagates", frozenset()))
    return propagated


def first_fault(chunk: Chunk, admits: Admits) -> Fault | None:
    """The first row that counts and holds a value that is not admitted, and the first of its columns that does."""
    faults = [*_number_faults(chunk.numeric, "numeric", chunk, admits)]
    if chunk.sparse is not None:
        faults += _sparse_faults(chunk, admits)
    if not admits.missing:
        faults += _first(chunk.codes == MISSING, "categorical", "missing", chunk)
    if chunk.target is not None and chunk.target.dtype == np.float64:
        faults += _number_faults(
            np.asarray(chunk.target, np.float64).reshape(len(chunk), -1), "target", chunk, Admits()
        )
    return min(faults, key=lambda fault: (fault.row, ORDER.index(fault.kind), fault.column), default=None)


def _is_plain(chunk: Chunk, admits: Admits) -> bool:
    """Whether a quick look finds nothing but finite numbers and known categories."""
    numbers: list[Any] = [chunk.numeric] if admits.refused else []
    if chunk.sparse is not None and admits.refused:
        numbers.append(chunk.sparse.data)
    if chunk.target is not None and chunk.target.dtype == np.float64:
        numbers.append(chunk.target)
    gaps = not admits.missing and chunk.codes.size > 0 and bool((chunk.codes == MISSING).any())
    return not gaps and all(map(all_finite, numbers))


def all_finite(numbers: Any) -> bool:
    """Whether all are finite, by one sum where that does not overflow; not by BLAS, which would wake its threads."""
    if numbers.dtype != np.float64 or not numbers.flags.c_contiguous:
        return numbers.dtype.kind != "f" or bool(np.isfinite(numbers).all())
    flat = numbers.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.add.reduce(flat)
    return bool(np.isfinite(total) or np.isfinite(flat).all())


def _number_faults(numbers: Floats, kind: str, chunk: Chunk, admits: Admits) -> Iterator[Fault]:
    for what, test in (("missing", np.isnan), ("infinite", np.isinf)):
        if what in admits.refused:
            for row, _, column, _, _ in _first(test(numbers), kind, what, chunk):
                value = float(numbers[row, column]) if what == "infinite" else np.inf
                yield Fault(row, kind, column, what, value)


def _sparse_faults(chunk: Chunk, admits: Admits) -> Iterator[Fault]:
    entries = chunk.sparse.tocoo()
    for what, test in (("missing", np.isnan), ("infinite", np.isinf)):
        if what in admits.refused:
            places = np.flatnonzero(test(entries.data) & (chunk.weight[entries.row] > 0.0))
            if len(places):
                first = places[np.argmin(entries.row[places])]
                value = float(entries.data[first])
                yield Fault(int(entries.row[first]), "sparse", int(entries.col[first]), what, value)


def _first(flags: npt.NDArray[np.bool_], kind: str, what: str, chunk: Chunk) -> Iterator[Fault]:
    rows = np.flatnonzero(flags.any(axis=1) & (chunk.weight > 0.0))
    if len(rows):
        yield Fault(int(rows[0]), kind, int(np.argmax(flags[rows[0]])), what)
