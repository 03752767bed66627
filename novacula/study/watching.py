"""What a terminal shows while a study runs: a bar with the time left, and a line for each learner that is done."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self

from novacula.study.contender import Contender
from novacula.study.leaderboard import entry, short
from novacula.study.race import Standing


class Watcher:
    """Is called after every cell of a race; `lines`: whether it prints rows even where there is no terminal."""

    def __init__(self, lines: bool = False) -> None:
        self.lines = lines
        self._printed: set[str] = set()
        self._progress: Any = None
        self._bar: Any = None

    def __enter__(self) -> Self:
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

    def __call__(self, standing: Standing) -> None:
        """Show how far the race is."""
        contender = standing.contender
        if self._progress is not None:
            self._move(standing)
        if contender.waiting == 0 and contender.candidate.learner not in self._printed:
            self._printed.add(contender.candidate.learner)
            self._print_row(contender)

    def _move(self, standing: Standing) -> None:
        """Move the bar on."""
        if self._bar is None:
            self._bar = self._progress.add_task("", total=None, left="")
        self._progress.update(
            self._bar,
            completed=standing.done,
            total=standing.done + standing.waiting,
            description=standing.contender.candidate.card.name,
            left=f"about {standing.seconds_left:.0f} s left",
        )

    def _print_row(self, contender: Contender) -> None:
        """Print the row of a learner that has finished."""
        row = entry(contender, "one_se", "")
        errors = f"{short(row.error)} ± {short(row.standard_error)}"
        words = f"{row.label}: {errors if row.status == 'finished' else f'{row.status}, {row.note}'}"
        if self._progress is not None:
            from rich.text import Text

            self._progress.console.print(Text(words))
        elif self.lines:
            print(words, file=sys.stderr, flush=True)  # noqa: T201  (whoever asked for lines reads them there)
