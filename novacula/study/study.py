"""A finished study: the leaderboard, the choice and its reason, the model, and its error on the test rows."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from novacula.evaluate.one_standard_error import Rule
from novacula.study.answers import Answers, fold_answers, test_answers
from novacula.study.clock import Clock
from novacula.study.headline import headline
from novacula.study.leaderboard import Choice, Entry
from novacula.study.printing import Findings, Leaderboard
from novacula.study.question import Question
from novacula.study.verdict import Verdict
from novacula.table.names import printable


@dataclass(frozen=True, eq=False)
class Study:
    """What `novacula.learn` returns: `leaderboard`, `best_`, `reason`, `test`, `findings`, and a report of it all.

    `best_` is the chosen learner behind its preparation, fitted on `n_fitted` rows: all but those of the test, or where
    the table is too large to be held, all that there are. Errors are errors: lower is better.
    """

    question: Question
    rule: Rule
    cells: tuple[Entry, ...]  # every learner and size that was measured in all folds, and learners without any
    leaderboard: Leaderboard  # each learner by its best size, by error; those that did not finish at the end
    choice: Choice
    best_: Any
    test: Verdict | None  # None: no rows were put aside
    findings: Findings
    seconds: float
    stopped: str = ""  # why the study ended before its time, if it did
    command: str = ""  # what repeats this study
    n_fitted: int = 0  # rows that `best_` was fitted on
    clock: Clock = field(default_factory=lambda: Clock(None))  # what is left of the budget
    tested_model: Any = None  # the model that was tested, where `best_` was then fitted on the test rows too
    answers: Answers | None = None  # those out of fold, where there was time for all folds

    def __post_init__(self) -> None:
        question = self.question
        board = Leaderboard.of(self.leaderboard, question.metric, self.choice.entry, question.extent.n_rows)
        object.__setattr__(self, "leaderboard", board)
        object.__setattr__(self, "findings", Findings(self.findings))

    @property
    def reason(self) -> str:
        """Why this learner was chosen."""
        return self.choice.reason

    @property
    def is_foreign(self) -> bool:
        """Whether the choice is another library's, which no model file can hold."""
        return self.question.is_foreign(self.choice.entry.learner)

    @cached_property
    def out_of_fold(self) -> Answers:
        """Answers for the training rows, each by a model that has not seen it; takes as many fits as folds.

        They are as sure as the chosen model is.
        """
        known = getattr(self.best_, "classes_", None)
        found = self.answers or fold_answers(self.choice.entry, self.question, known)
        return found.as_sure_as(getattr(self.best_, "sureness_", None))

    @cached_property
    def on_test(self) -> Answers | None:
        """Answers for the test rows, by a model that has not seen them; None without such rows."""
        if self.question.test is None:
            return None
        return test_answers(self.best_ if self.tested_model is None else self.tested_model, self.question)

    def report(self, path: str | os.PathLike[str], budget: float | None = None) -> None:
        """Write the report: one page that needs nothing else, in the seconds that are left of the study's budget.

        `budget` allows other seconds; what does not fit is left out, and the page says so. Ctrl-C ends what takes long,
        and is raised again when the file is written.
        """
        from novacula.report import write_report

        write_report(self, path, budget)

    @cached_property
    def headline(self) -> tuple[str, ...]:
        """What the model does and how well, in sentences that need no statistics."""
        return headline(self)

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The leaderboard as a header and rows of words."""
        return self.leaderboard.table()

    def __str__(self) -> str:
        remarks = self.leaderboard.remarks
        parts = [str(self.leaderboard), *map("\n".join, (self.sentences(), remarks, list(self.findings.lines())))]
        return "\n\n".join(filter(None, parts))

    def sentences(self) -> list[str]:
        """How good the choice is, its reason, the test, and why the study ended early, as far as there is one."""
        tested = self.test.sentence if self.test else ""
        return [*filter(None, [" ".join(self.headline), self.reason, tested, self.stopped])]

    def __repr__(self) -> str:
        return f"<Study of {printable(self.question.target)!r}: {self.choice.entry.label} chosen>"

    def _repr_html_(self) -> str:
        words = "".join(f"<p>{escape(printable(sentence))}</p>" for sentence in self.sentences())
        found = self.findings._repr_html_() if self.findings else ""
        return f'<div class="nv-study">{words}{self.leaderboard._repr_html_()}{found}</div>'

    def to_dict(self) -> dict[str, Any]:
        """The study as values that JSON can hold."""
        question = self.question
        return {
            "task": question.task,
            "target": question.target,
            "metric": question.metric.name,
            "rows": {"train": len(question.train), "test": 0 if question.test is None else len(question.test)},
            "folds": len(question.folds),
            "leaderboard": [_plain_entry(one) | {"chosen": one is self.choice.entry} for one in self.leaderboard],
            "chosen": self.choice.entry.learner,
            "reason": self.reason,
            "test": None if self.test is None else {**vars(self.test)},
            "headline": list(self.headline),
            "findings": [vars(finding) | {"columns": list(finding.columns)} for finding in self.findings],
            "seconds": self.seconds,
            "stopped": self.stopped,
            "fingerprint": question.fingerprint,
            "command": self.command,
        }


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
