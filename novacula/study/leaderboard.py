"""The leaderboard: one entry per learner, the least error first, and why one was chosen.

Simplicity is counted in parameters: how many numbers one would need to predict as the model does. A constant has one or
a few, a tree its tests and leaves, neighbours all of their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from novacula.errors import DataError
from novacula.evaluate.intervals import standard_error
from novacula.evaluate.loss import Floats
from novacula.evaluate.one_standard_error import Rule, choose
from novacula.study.candidates import BASELINES
from novacula.study.contender import TIME_SHORT, Contender
from novacula.words import counted

Status: TypeAlias = Literal["finished", "unfinished", "failed", "left out"]
STATUS_WORDS: dict[Status, str] = {
    "finished": "",
    "unfinished": " is unfinished",
    "failed": " failed",
    "left out": " is left out",
}


@dataclass(frozen=True, eq=False)
class Entry:
    """A learner, its chosen size, and what was measured of both."""

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
    fold_errors: Floats | None = None  # (folds,) of the chosen size

    @property
    def label(self) -> str:
        """Name and size."""
        return self.name if self.size is None else f"{self.name}, {self.size_name} = {short(self.size)}"

    @property
    def remark(self) -> str:
        """The note as a sentence that names the learner; empty where there is none."""
        note = self.note.removeprefix(f"{self.name}: ")
        return f"{self.name}{STATUS_WORDS[self.status]}: {note}" if note else ""


def entry(contender: Contender, rule: Rule, stopped: str) -> Entry:
    """The entry of a contender."""
    candidate = contender.candidate
    learner, name = candidate.learner, candidate.card.name
    if contender.obstacle or candidate.obstacle:
        return Entry(learner, name, "left out", note=contender.obstacle or candidate.obstacle)
    whole = contender.complete()
    if not whole:
        failure = contender.failure()
        return Entry(learner, name, "failed" if failure else "unfinished", note=failure or stopped)
    errors, trained = contender.matrix("error"), contender.matrix("train_error")
    mean, spread = np.full(len(errors), np.nan), np.full(len(errors), np.nan)
    for size in whole:
        mean[size], spread[size] = errors[size].mean(), standard_error(errors[size])
    best = choose(mean, spread, rule)
    sized = candidate.sizes != (None,)
    return Entry(
        learner,
        name,
        "finished",
        float(mean[best]),
        float(spread[best]),
        float(trained[best].mean()),
        candidate.card.size if sized else None,
        candidate.sizes[best] if sized else None,
        float(contender.matrix("n_parameters")[best].mean()),
        float(np.median(contender.matrix("fit_seconds")[best])),
        contender.rows,
        _note(contender, best),
        candidate.sizes if sized else (),
        trained,
        errors,
        errors[best],
    )


def _note(contender: Contender, best: int) -> str:
    notes = []
    if contender.rows is not None:
        notes.append(f"on {contender.rows:,} rows of each fold")
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
    """Which entry was taken, which has the least error, and why."""

    entry: Entry
    best: Entry
    reason: str


def choice(entries: Sequence[Entry], rule: Rule, task: str) -> Choice:
    """The simplest entry whose error is within one standard error of the best, or the best ("min")."""
    finished = [one for one in entries if one.status == "finished"]
    if not finished:
        reasons = "; ".join(f"{one.name}: {one.note or one.status}" for one in entries)
        raise DataError(f"no learner finished, so none can be chosen: {reasons}")
    finished.sort(key=lambda one: (one.n_parameters, one.error))
    errors, spreads = [one.error for one in finished], [one.standard_error for one in finished]
    best, taken = finished[choose(errors, spreads, "min")], finished[choose(errors, spreads, rule)]
    return Choice(taken, best, _reason(taken, best, finished, rule, taken.learner == BASELINES[task]))


def _reason(taken: Entry, best: Entry, finished: Sequence[Entry], rule: Rule, baseline: bool) -> str:
    error = f"{short(taken.error)} ± {short(taken.standard_error)}"
    least = f"{best.label}, with {short(best.error)} ± {short(best.standard_error)}"
    if rule == "min":
        return f"{taken.label} is chosen for the least error, {error}."
    if taken is best:
        simpler = [one for one in finished if one.n_parameters < best.n_parameters]
        words = "no simpler learner comes within one standard error of it" if simpler else "nothing simpler was tried"
        return f"{taken.label} is chosen: it has the least error, {error}, and {words}."
    if baseline:
        return (
            f"{taken.label} is chosen, which uses no column: its error, {error}, is within one standard error of "
            f"the least, that of {least}. These rows do not show that anything can be learned."
        )
    return (
        f"{taken.label} is chosen: of the learners within one standard error of the least error, that of {least}, it "
        f"is the simplest, with {short(taken.n_parameters)} parameters to {short(best.n_parameters)}; its error is "
        f"{error}."
    )


def short(value: Any) -> str:
    """A number with few digits; anything else as it prints."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return str(value)
