"""The leaderboard: one entry per learner, by its best size, the least error first, and why one cell was chosen.

The razor is applied once, over all cells: learners and sizes together. Simplicity is counted in parameters: how many
numbers one would need to predict as the model does. A constant has one or a few, a tree its tests and leaves,
neighbours all of their rows. Up to a factor of two, models are equally simple.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from novacula.errors import DataError
from novacula.evaluate.intervals import standard_error
from novacula.evaluate.loss import Floats
from novacula.evaluate.metric import NORMAL_95, Metric
from novacula.evaluate.one_standard_error import Rule
from novacula.study.candidates import BASELINES
from novacula.study.contender import TIME_SHORT, Contender
from novacula.words import counted

AS_SIMPLE = 2.0
"""Up to so many times the parameters of the simplest, a model is as simple for a reader."""

Status: TypeAlias = Literal["finished", "unfinished", "failed", "left out"]
STATUS_WORDS: dict[Status, str] = {
    "finished": "",
    "unfinished": " is unfinished",
    "failed": " failed",
    "left out": " is left out",
}


@dataclass(frozen=True, eq=False)
class Entry:
    """A learner, one of its sizes, and what was measured of both."""

    learner: str
    name: str
    status: Status
    error: float = np.nan  # mean over the folds
    standard_error: float = np.nan
    train_error: float = np.nan
    size_name: str | None = None
    size: Any = None
    n_parameters: float = np.nan  # parameters of the model, mean over the folds
    fit_seconds: float = np.nan  # the median over the folds, of which the first may load kernels
    rows: int | None = None  # it was given at most this many rows of each fold
    note: str = ""
    sizes: tuple[Any, ...] = ()
    train_curve: Floats | None = None  # (sizes, folds), NaN where not measured
    curve: Floats | None = None  # (sizes, folds)
    fold_errors: Floats | None = None  # (folds,) of this size

    @property
    def label(self) -> str:
        """Name and size."""
        return self.name if self.size is None else f"{self.name}, {self.size_name} = {short(self.size)}"

    @property
    def outcome(self) -> str:
        """Its note, after how it ended if that is not well and the note does not begin with it."""
        if self.status == "finished" or self.note.startswith(self.status):
            return self.note
        return ": ".join(filter(None, [self.status, self.note]))

    @property
    def remark(self) -> str:
        """The note as a sentence that names the learner; empty where there is none."""
        note = self.note.removeprefix(f"{self.name}: ")
        if note.startswith(self.status):
            return f"{self.name} is {note}"
        return f"{self.name}{STATUS_WORDS[self.status]}: {note}" if note else ""


def cells(contender: Contender, stopped: str) -> list[Entry]:
    """An entry for each size that was measured in every fold, or one that says why there is none."""
    candidate = contender.candidate
    learner, name = candidate.learner, candidate.card.name.removesuffix(", regression")
    whole = contender.complete()
    if not whole:
        reason = contender.obstacle or candidate.obstacle
        if reason:
            return [Entry(learner, name, "left out", note=reason)]
        failure = contender.failure()
        late = TIME_SHORT if TIME_SHORT in contender.dropped.values() else ""
        return [Entry(learner, name, "failed" if failure else "unfinished", note=failure or stopped or late)]
    errors, trained = contender.matrix("error"), contender.matrix("train_error")
    parameters, seconds = contender.matrix("n_parameters"), contender.matrix("fit_seconds")
    sized = candidate.sizes != (None,)
    return [
        Entry(
            learner,
            name,
            "finished",
            float(errors[size].mean()),
            standard_error(errors[size]),
            float(trained[size].mean()),
            candidate.card.size if sized else None,
            candidate.sizes[size] if sized else None,
            float(parameters[size].mean()),
            float(np.median(seconds[size])),
            contender.rows,
            _note(contender, size),
            candidate.sizes if sized else (),
            trained,
            errors,
            errors[size],
        )
        for size in whole
    ]


def best_of(entries: Sequence[Entry]) -> Entry:
    """The entry of a learner with the least error; ties go to the one of fewer parameters."""
    return min(entries, key=lambda one: (one.error, one.n_parameters))


def leaderboard(measured: Sequence[Entry], taken: Entry) -> tuple[Entry, ...]:
    """Each learner by its best size, and the choice, the least error first; then those that did not finish."""
    learners = dict.fromkeys(entry.learner for entry in measured)
    best = [best_of([entry for entry in measured if entry.learner == learner]) for learner in learners]
    entries = best if taken in best else [*best, taken]
    return tuple(sorted(entries, key=lambda one: (one.status != "finished", one.error, one.n_parameters)))


def without_twins(measured: Sequence[Entry], foreign: Collection[str] = ()) -> list[Entry]:
    """Of entries of different learners that predict the same numbers, as linear ones may, the quickest.

    The baseline stays whatever its time, and ours stay rather than those of other libraries.
    """
    kept: list[Entry] = []
    baselines = BASELINES.values()

    def order(one: Entry) -> tuple[bool, bool, float]:
        return one.learner not in baselines, one.learner in foreign, float(np.nan_to_num(one.fit_seconds))

    for entry in sorted(measured, key=order):
        place = next((k for k, one in enumerate(kept) if _are_twins(entry, one)), None)
        if place is None:
            kept.append(entry)
        else:
            note = "; ".join(filter(None, [kept[place].note, f"{entry.label} has the same errors"]))
            kept[place] = replace(kept[place], note=note)
    return kept


def _are_twins(one: Entry, other: Entry) -> bool:
    if one.fold_errors is None or other.fold_errors is None or one.learner == other.learner:
        return False
    return bool(np.allclose(one.fold_errors, other.fold_errors, rtol=1e-6, atol=0.0))


def _note(contender: Contender, best: int) -> str:
    notes = []
    late = [size for size, why in contender.dropped.items() if why == TIME_SHORT]
    if late:
        notes.append(f"{counted(len(late), 'size')} {TIME_SHORT}")
    broken = {size: cell.failure for (size, _), cell in contender.cells.items() if cell.failure}
    if broken:
        notes.append(f"{counted(len(broken), 'size')} failed: {next(iter(broken.values()))}")
    warnings = dict.fromkeys(
        sentence for (size, _), cell in sorted(contender.cells.items()) if size == best for sentence in cell.warnings
    )
    notes += list(warnings)[:1]
    return "; ".join(notes)


@dataclass(frozen=True, eq=False)
class Choice:
    """Which cell was taken, which has the least error, and why."""

    entry: Entry
    best: Entry
    reason: str


def choice(entries: Sequence[Entry], rule: Rule, question_task: str, measure: Metric) -> Choice:
    """The simplest cell whose error is within one standard error of the least, or the one of the least ("min").

    Of those that have at most twice the parameters of the simplest, the one with the least error is taken.
    """
    finished = [one for one in entries if one.status == "finished" and not np.isnan(one.error)]
    if not finished:
        reasons = "; ".join(f"{one.name}: {one.note or one.status}" for one in entries)
        raise DataError(f"no learner finished, so none can be chosen: {reasons}")
    best = best_of(finished)
    near = [one for one in finished if one.error <= best.error + np.nan_to_num(best.standard_error)]
    fewest = min(one.n_parameters for one in near)
    simple = [one for one in near if one.n_parameters <= AS_SIMPLE * fewest]
    taken = best if rule == "min" else best_of(simple)
    if all(one.learner == taken.learner for one in finished):
        alone = f"{taken.label} is chosen ({measure.words} {with_spread(taken, measure)}): no other learner finished."
        return Choice(taken, best, alone)
    return Choice(taken, best, _reason(taken, best, near, rule, taken.learner == BASELINES[question_task], measure))


def _reason(taken: Entry, best: Entry, near: Sequence[Entry], rule: Rule, baseline: bool, measure: Metric) -> str:
    chosen = f"{taken.label} is chosen"
    error = f"{measure.words} {with_spread(taken, measure)}"
    least = f"the {'highest' if measure.is_complement else 'least'} {measure.words}"
    if rule == "min":
        return f"{chosen} for {least}, {with_spread(taken, measure)}."
    if taken is best:
        rivals = "nothing much simpler" if len(near) > 1 else "nothing else"
        return (
            f"{chosen}: it has {least}, {with_spread(taken, measure)}, and {rivals} is within one standard error of it."
        )
    of = f"{with_spread(best, measure)} by {best.label}"
    if baseline:
        return (
            f"{chosen}, which uses no column ({error}): {least}, {of}, is within one standard error. By the "
            f"{measure.words} these rows do not show that anything can be learned."
        )
    fewest = taken.n_parameters <= min(one.n_parameters for one in near)
    simplest = "the simplest" if fewest else "the best of the simplest"
    return (
        f"{chosen} ({error}): {simplest} within one standard error of {least}, {of}, with "
        f"{short(taken.n_parameters)} parameters to {short(best.n_parameters)}."
    )


def with_spread(one: Entry, measure: Metric) -> str:
    """What people read of an error, and its standard error, to the digits that this allows."""
    value, spread = measure.shown(one.error), one.standard_error
    if np.isnan(spread):
        return short(value)
    digits = deserved(spread, value)
    return f"{number_cell(value, digits)} ± {number_cell(spread, digits)}"


def number_cell(number: float, digits: int | None) -> str:
    """A number to some decimals, or to one digit where that would make it 0; to four if none are given.

    >>> number_cell(1234.5678, 1), number_cell(1234.5678, -2), number_cell(0.000042, 3), number_cell(float("nan"), 2)
    ('1,234.6', '1,200', '0.00004', '')
    """
    if np.isnan(number):
        return ""
    if digits is None:
        return short(number)
    if number and not round(number, digits):
        return f"{number:,.{max(-int(np.floor(np.log10(abs(number)))), 0)}f}"
    return _rounded(number, digits)


def _rounded(number: float, digits: int) -> str:
    return f"{round(number, digits):,.{max(digits, 0)}f}"


def with_interval(value: float, low: float, high: float) -> str:
    """A number and its 95% interval, to the digits that this allows.

    >>> with_interval(0.85521, 0.8008, 0.9081)
    '0.855 (0.801 to 0.908)'
    """
    digits = deserved((high - low) / (2 * NORMAL_95), value)
    numbers = (short(float(one)) if digits is None else _rounded(float(one), digits) for one in (value, low, high))
    return "{} ({} to {})".format(*numbers)


def deserved(spread: float, value: float) -> int | None:
    """Decimals of a value known up to a spread: two digits of that, but no more than four of the value.

    Negative ones are digits before the point that become 0. None if the spread is no more than rounding.

    >>> deserved(0.0234, 0.5), deserved(12.3, 90.0), deserved(4567.0, 8e5), deserved(4e-5, 0.24), deserved(0.0, 1.0)
    (3, 0, -2, 4, None)
    """
    if not np.isfinite(spread) or spread <= 1e-9 * abs(value):
        return None
    digits = 1 - int(np.floor(np.log10(spread)))
    if abs(value) > spread:
        digits = min(digits, 3 - int(np.floor(np.log10(abs(value)))))
    return min(digits, 12)


def short(value: Any) -> str:
    """A number with few digits; anything else as it prints."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e3 else f"{value:.4g}"
    return str(value)
