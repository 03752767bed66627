"""What is shown while a study runs: how far it is and the time left, and a line for each learner that is done.

On a terminal that is a bar, in a notebook a line that updates itself. Elsewhere nothing is shown, or lines only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from html import escape
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol, Self

from novacula.evaluate.metric import Metric
from novacula.study.contender import Contender
from novacula.study.leaderboard import best_of, cells, with_spread
from novacula.study.race import Standing

COMPILES = "Loops are compiled, once on this machine; that takes up to a minute."


class Display(Protocol):
    """Where a race is shown."""

    def move(self, done: int, total: int, name: str, left: str) -> None:
        """Show how far it is."""

    def line(self, words: str) -> None:
        """Print a line that stays."""

    def end(self) -> None:
        """Take away what moves."""


class Watcher:
    """Is called after every cell of a race; `lines`: whether it prints rows even where there is nobody to see a bar."""

    def __init__(self, lines: bool = False) -> None:
        self.lines = lines
        self._printed: set[str] = set()
        self._display: Display | None = None
        self._until_end = ExitStack()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._display = TerminalBar()
        elif (show := notebook_display()) is not None:
            self._display = NotebookLine(show)
        if self._display is not None or self.lines:
            self._until_end.enter_context(compiling_told(self.say))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._until_end.close()
        if self._display is not None:
            self._display.end()

    def __call__(self, standing: Standing) -> None:
        """Show how far the race is."""
        contender = standing.contender
        if self._display is not None:
            total = standing.done + standing.waiting
            left = f"about {max(standing.seconds_left, 0.0):.0f} s left"
            self._display.move(standing.done, total, contender.candidate.card.name, left)
        if contender.waiting == 0 and contender.candidate.learner not in self._printed:
            self._printed.add(contender.candidate.learner)
            self.say(row_words(contender, standing.measure))

    def say(self, words: str) -> None:
        """Print a line that stays, if anybody reads it."""
        if self._display is not None:
            self._display.line(words)
        elif self.lines:
            print(words, file=sys.stderr, flush=True)  # noqa: T201  (whoever asked for lines reads them there)


def row_words(contender: Contender, measure: Metric) -> str:
    """A learner that has finished, and its error."""
    row = best_of(cells(contender, ""))
    return f"{row.label}: {with_spread(row, measure) if row.status == 'finished' else row.outcome}"


class TerminalBar:
    """A bar at the foot of a terminal, with lines above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        words = TextColumn("{task.description}", markup=False)
        left = TextColumn("{task.fields[left]}", markup=False)
        self._progress = Progress(words, BarColumn(), left, console=Console(stderr=True), transient=True)
        self._progress.start()
        self._bar: Any = None

    def move(self, done: int, total: int, name: str, left: str) -> None:
        """Move the bar on."""
        if self._bar is None:
            self._bar = self._progress.add_task("", total=None, left="")
        self._progress.update(self._bar, completed=done, total=total, description=name, left=left)

    def line(self, words: str) -> None:
        """Print a line above the bar."""
        from rich.text import Text

        self._progress.console.print(Text(words))

    def end(self) -> None:
        """Take the bar away."""
        self._progress.stop()


# --- notebooks -----------------------------------------------------------------------------------------------------


class ProgressWords:
    """How far something is, as a notebook shows it."""

    def __init__(self, done: int, total: int, words: str) -> None:
        self.done, self.total, self.words = done, total, words

    def __repr__(self) -> str:
        return f"{self.done} of {self.total}: {self.words}"

    def _repr_html_(self) -> str:
        bar = f'<progress max="{self.total}" value="{self.done}"></progress>'
        return f'<div class="nv-progress tex2jax_ignore mathjax_ignore">{bar} {escape(self.words)}</div>'


class NotebookLine:
    """One line under a cell, which is written over each time; who has finished is counted in it."""

    def __init__(self, show: Callable[..., Any]) -> None:
        self._shown = show(ProgressWords(0, 1, "begins"), display_id=True)
        self._last = ProgressWords(0, 1, "begins")
        self._finished = ""

    def move(self, done: int, total: int, name: str, left: str) -> None:
        """Write the line again."""
        self._update(ProgressWords(done, total, "; ".join(filter(None, [name, left, self._finished]))))

    def line(self, words: str) -> None:
        """Show who was the last to finish."""
        self._finished = f"done: {words}"
        self._update(ProgressWords(self._last.done, self._last.total, self._finished))

    def end(self) -> None:
        """Leave a line that says that it is over."""
        self._update(ProgressWords(self._last.total, self._last.total, "done"))

    def _update(self, words: ProgressWords) -> None:
        self._last = words
        if self._shown is not None:  # an old IPython gives no handle
            self._shown.update(words)


def notebook_display() -> Callable[..., Any] | None:
    """How a notebook shows things, if this is one: a shell of IPython that has a kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return None
    show: Callable[..., Any] = import_module("IPython.display").display
    return show


# --- compiling -----------------------------------------------------------------------------------------------------


@contextmanager
def compiling_told(say: Callable[[str], None]) -> Iterator[None]:
    """Say once that something is compiled, when it is, and not when kernels are loaded as they were kept."""
    from numba.core import event

    told: list[str] = []

    class CompileNote(event.Listener):
        def on_start(self, _: Any) -> None:
            if not told:
                told.append(COMPILES)
                say(COMPILES)

        def on_end(self, _: Any) -> None:
            """Nothing is said of that."""

    note = CompileNote()
    event.register("numba:compile", note)
    try:
        yield
    finally:
        event.unregister("numba:compile", note)
