"""The choice, fitted on all training rows: or on as many as time allows, which is said first."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

from novacula.errors import UnseenCategoryWarning
from novacula.study.cell import message_line
from novacula.study.clock import Clock
from novacula.study.contender import FEWEST_ROWS
from novacula.study.finding import Finding
from novacula.study.leaderboard import Entry
from novacula.study.question import Question, subsample
from novacula.table import Table


@dataclass(frozen=True, eq=False)
class FittedChoice:
    """A fitted model, on how many rows, what is to be known about that, and why it was ended early, if it was."""

    model: Any
    n_rows: int
    findings: tuple[Finding, ...] = ()
    stopped: str = ""


def refit(taken: Entry, question: Question, clock: Clock) -> FittedChoice:
    """The choice, fitted on the training rows."""
    most = rows_in_time(taken, question, len(question.train), clock)
    try:
        return _fit(taken, question, most, clock)
    except KeyboardInterrupt:
        few = _fit(taken, question, min(FEWEST_ROWS, len(question.train)), clock.interrupt())
        return replace(few, stopped="The study was interrupted while the choice was fitted to all rows.")


def _fit(taken: Entry, question: Question, most: int, clock: Clock) -> FittedChoice:
    rows = subsample(question.train, most, question.seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        model = question.fit(taken.learner, taken.size, rows)
    sentences = dict.fromkeys(message_line(warning.message) for warning in caught)
    findings = [Finding("fit", f"The chosen model warned: {sentence}", (), "warning") for sentence in sentences]
    if len(rows) < len(question.train):
        findings.insert(0, _fewer(len(rows), len(question.train), clock))
    return FittedChoice(model, len(rows), tuple(findings))


def _fewer(n: int, of: int, clock: Clock) -> Finding:
    why = "there was no time for more: allow more with budget= or --budget"
    if clock.interrupted:
        why = "the study was interrupted"
    sentence = f"The model was fitted on {n:,} of {of:,} training rows, drawn at random, since {why}."
    return Finding("fewer-rows", sentence, (), "warning")


def rows_in_time(taken: Entry, question: Question, wanted: int, clock: Clock) -> int:
    """As many of the wanted rows as can be fitted in the time that is left for it, but no fewer than in the race."""
    measured = taken.rows or question.extent.n_rows
    exponent = question.card(taken.learner).cost_exponents.get("n", 1.0)
    if clock.budget is None or wanted <= measured or taken.fit_seconds <= 0.0:
        return wanted
    growth = (clock.for_refit / taken.fit_seconds) ** (1.0 / exponent)
    return wanted if growth >= wanted / measured else max(int(measured * growth), min(measured, wanted))


def fit_on_all(taken: Entry, question: Question, table: Table, tested: FittedChoice, clock: Clock) -> FittedChoice:
    """The choice fitted on every row of a table too large to hold, if it streams; else the model that was tested."""
    n, rows = question.n_drawn_from, tested.n_rows
    if "stream" not in question.card(taken.learner).scales:
        sentence = f"The model was fitted on {rows:,} of {n:,} rows, since {taken.name} needs all its rows in memory."
        return replace(tested, findings=(*tested.findings, Finding("sampled", sentence)))
    if rows_in_time(taken, question, n, clock) < n:
        return replace(tested, findings=(*tested.findings, _fewer(rows, n, clock)))
    if question.task == "classification" and table.layout[question.target].kind == "numeric":
        table = table.with_types({question.target: "categorical"})
    taking_part = [column.name for column in question.table.layout.features]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it gave its warnings on the rows that were drawn
        model = question.learner(taken.learner, taken.size).fit(table.select(taking_part))
    sentence = (
        f"The test measured the model fitted on {rows:,} rows drawn at random; the returned model was then "
        f"fitted on all {n:,} rows."
    )
    for name in ("interval_", "sureness_"):  # found on rows that the model had not seen
        if hasattr(tested.model, name):
            setattr(model, name, getattr(tested.model, name))
    return FittedChoice(model, n, (*tested.findings, Finding("sampled", sentence)))
