"""What is seen while a study runs: a bar with the time left on a terminal, a line a finished learner in a pipe."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from novacula.cli.output import say


class Watcher:
    """Is told after every cell of a race how far it is."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._progress: Any = None
        self._bar: Any = None

    def __enter__(self) -> Watcher:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            words = TextColumn("{task.description}", markup=False)
            left = TextColumn("{task.fields[left]}", markup=False)
            self._progress = Progress(words, BarColumn(), left, console=Console(stderr=True), transient=True)
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, standing: Any) -> None:
        """Take in how far the race is."""
        contender = standing.contender
        if self._progress is not None:
            if self._bar is None:
                self._bar = self._progress.add_task("", total=None, left="")
            self._progress.update(
                self._bar,
                completed=standing.done,
                total=standing.done + standing.waiting,
                description=contender.candidate.card.name,
                left=f"about {standing.seconds_left:.0f} s left",
            )
        name = contender.candidate.learner
        if contender.waiting == 0 and name not in self._told:
            self._told.add(name)
            self._line(contender)

    def _line(self, contender: Any) -> None:
        """The row of a learner that has come to its end."""
        from novacula.study.leaderboard import entry, short

        row = entry(contender, "one_se", "")
        words = f"{row.label}: "
        words += (
            f"{short(row.error)} ± {short(row.standard_error)}"
            if row.status == "finished"
            else f"{row.status}, {row.note}"
        )
        if self._progress is not None:
            from rich.text import Text

            self._progress.console.print(Text(words))
        else:
            say(words)
