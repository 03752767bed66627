"""A finished study: the leaderboard, the choice and its reason, the model, and its error on the test rows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from novacula.evaluate.loss import metric_name
from novacula.evaluate.one_standard_error import Rule
from novacula.study.cell import build
from novacula.study.finding import Finding
from novacula.study.leaderboard import Choice, Entry, short
from novacula.study.question import Question, subsample
from novacula.study.verdict import Verdict
from novacula.table.names import printable


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of models of the chosen size for rows that they were not fitted on, in the order of the rows."""

    y: Any
    prediction: Any
    probability: Any  # (n, K), or None where the learner gives none
    classes: Any  # of the columns of `probability`


@dataclass(frozen=True, eq=False)
class Study:
    """What `novacula.learn` returns: `leaderboard`, `best_`, `reason`, `test`, `findings`, and a report of it all.

    `best_` is the chosen learner behind its preparation, fitted on `n_fitted` rows: all but those of the test, or where
    the table is too large to be held, all that there are. Errors are errors: lower is better.
    """

    question: Question
    rule: Rule
    leaderboard: tuple[Entry, ...]  # by error; those that did not finish at the end
    choice: Choice
    best_: Any
    test: Verdict | None  # None: no rows were put aside
    findings: tuple[Finding, ...]
    seconds: float
    stopped: str = ""  # why the study ended before its time, if it did
    command: str = ""  # what repeats this study
    n_fitted: int = 0  # rows that `best_` was fitted on

    @property
    def reason(self) -> str:
        """Why this learner was chosen."""
        return self.choice.reason

    @cached_property
    def out_of_fold(self) -> OutOfFold:
        """Predictions for every training row, each by a model that has not seen it; takes as many fits as folds."""
        question, entry = self.question, self.choice.entry
        prediction, probability = np.empty(len(question.train), question.train.y.dtype), None
        classes = getattr(self.best_, "classes_", None)
        for train, held_out in question.folds:
            rows = subsample(question.train.take(train), entry.rows, question.seed)
            model = rows.fit(build(entry.learner, entry.size, question.task, question.seed))
            X = question.train.take(held_out).X
            prediction[held_out] = model.predict(X)
            if classes is not None and hasattr(model, "predict_proba"):
                probability = np.zeros((len(question.train), len(classes))) if probability is None else probability
                probability[np.ix_(held_out, np.searchsorted(classes, model.classes_))] = model.predict_proba(X)
        return OutOfFold(question.train.y, prediction, probability, classes)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report: one page that needs nothing else."""
        from novacula.report import write_report

        write_report(self, path)

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The leaderboard as a header and rows of words."""
        header = (
            "learner",
            metric_name(self.question.metric),
            "± s.e.",
            "training",
            "parameters",
            "fit s",
            "note",
        )
        return header, [_row(entry, entry is self.choice.entry) for entry in self.leaderboard]

    def __str__(self) -> str:
        header, rows = self.table()
        widths = [max(map(len, cells)) for cells in zip(header[:-1], *(row[:-1] for row in rows), strict=True)]
        lines = []
        for row in (header, *rows):
            cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:-1], widths[1:])]
            lines.append("  ".join([*cells, row[-1]]).rstrip())
        sentences = [*self.sentences(), *(finding.sentence for finding in self.findings)]
        return "\n".join([*lines, "", *sentences])

    def sentences(self) -> list[str]:
        """The choice and its reason, the test, and why the study ended early, as far as there is something to say."""
        return [*filter(None, [self.reason, self.test.sentence if self.test else "", self.stopped])]

    def __repr__(self) -> str:
        return f"<Study of {printable(self.question.target)!r}: {self.choice.entry.label} chosen>"

    def _repr_html_(self) -> str:
        header, rows = self.table()
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences())
        return f'<table class="nv-study tex2jax_ignore mathjax_ignore"><tr>{head}</tr>{body}</table>{words}'

    def to_dict(self) -> dict[str, Any]:
        """The study as values that JSON can hold."""
        question = self.question
        return {
            "task": question.task,
            "target": question.target,
            "metric": question.metric.name,
            "rows": {"train": len(question.train), "test": 0 if question.test is None else len(question.test)},
            "folds": len(question.folds),
            "leaderboard": [_plain_entry(entry) for entry in self.leaderboard],
            "chosen": self.choice.entry.learner,
            "reason": self.reason,
            "test": None if self.test is None else {**vars(self.test)},
            "findings": [vars(finding) | {"columns": list(finding.columns)} for finding in self.findings],
            "seconds": self.seconds,
            "stopped": self.stopped,
            "fingerprint": question.fingerprint,
            "command": self.command,
        }


def _row(entry: Entry, chosen: bool) -> tuple[str, ...]:
    numbers = (entry.error, entry.standard_error, entry.train_error, entry.n_parameters, entry.fit_seconds)
    cells = ["" if np.isnan(number) else short(number) for number in numbers]
    note = entry.note if entry.status == "finished" else f"{entry.status}: {entry.note}"
    return (f"{'→ ' if chosen else '  '}{entry.label}", *cells, note)


def _plain_entry(entry: Entry) -> dict[str, Any]:
    names = ("error", "standard_error", "train_error", "n_parameters", "fit_seconds")
    numbers = {name: _number(getattr(entry, name)) for name in names}
    sized = {"size_name": entry.size_name, "size": entry.size, "rows": entry.rows}
    return {
        "learner": entry.learner,
        "name": entry.name,
        "status": entry.status,
        **numbers,
        **sized,
        "note": entry.note,
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
