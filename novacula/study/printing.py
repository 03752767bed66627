"""How a leaderboard and findings print: as lines on a terminal, as small tables in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import numpy as np

from novacula.evaluate.metric import Metric
from novacula.study.contender import TIME_SHORT
from novacula.study.finding import Finding
from novacula.study.leaderboard import Entry, deserved, number_cell
from novacula.table.html_grid import html_grid
from novacula.table.names import printable
from novacula.words import capitalised

SENTENCE = 400
"""Characters of a sentence in a notebook's table."""


class Leaderboard(tuple[Entry, ...]):
    """The entries of a study, the least error first, that print as a table."""

    measure: Metric
    chosen: Entry
    n_rows: int  # of a fold, to learn from

    @classmethod
    def of(cls, entries: Iterable[Entry], measure: Metric, chosen: Entry, n_rows: int) -> Self:
        """Entries, and what they are shown by."""
        board = cls(entries)
        board.measure, board.chosen, board.n_rows = measure, chosen, n_rows
        return board

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """A header and rows of words; the last word of a row is its note."""
        fewer = any(entry.rows is not None for entry in self)
        names = ["learner", self.measure.words, "± s.e.", "training", "parameters", *["rows"] * fewer, "fit s", "note"]
        return tuple(names), [self._row(entry, fewer) for entry in self]

    def _row(self, entry: Entry, fewer: bool) -> tuple[str, ...]:
        label = f"{'→ ' if entry is self.chosen else '  '}{entry.label}"
        if entry.status != "finished":
            return (label, *[""] * (5 + fewer), entry.outcome)
        digits = deserved(entry.standard_error, entry.error)
        errors = (self.measure.shown(entry.error), entry.standard_error, self.measure.shown(entry.train_error))
        cells = [number_cell(number, digits) for number in errors]
        cells.append(number_cell(entry.n_parameters, None))
        rows = [f"{entry.rows or self.n_rows:,}"] * fewer
        return (label, *cells, *rows, seconds_cell(entry.fit_seconds), entry.note)

    @property
    def remarks(self) -> list[str]:
        """The notes as sentences that name their learners; those that say the same of several in one."""
        several = [one for one in self if one.status == "finished" and one.note.endswith(TIME_SHORT)]
        late = [one for one in self if one.status == "left out" and one.note.startswith(TIME_SHORT)]
        sentences = [one.remark for one in self if one.remark and one not in several and one not in late]
        if late:
            sentences.append(f"{capitalised(TIME_SHORT)}: {'; '.join(map(_late_words, late))}.")
        if several:
            words = (f"{one.name} ({one.note.removesuffix(f' {TIME_SHORT}')})" for one in several)
            sentences.append(f"Sizes {TIME_SHORT}: {', '.join(words)}.")
        return sentences

    def __str__(self) -> str:
        header, rows = self.table()
        grid = [[printable(cell) for cell in row[:-1]] for row in (header, *rows)]
        widths = [max(map(len, cells)) for cells in zip(*grid, strict=True)]
        lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in grid)
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        header, rows = self.table()
        right = [0 < place < len(header) - 1 for place in range(len(header))]
        caption = f"{len(self)} learners by their {self.measure.words}, {self.measure.direction}; → marks the choice"
        return html_grid(header, rows, caption, right)


class Findings(tuple[Finding, ...]):
    """What was found in the data, warnings first, that prints as lines."""

    @property
    def warnings(self) -> list[Finding]:
        """Those that may make the numbers wrong."""
        return [finding for finding in self if finding.gravity == "warning"]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    def lines(self) -> Iterator[str]:
        """A sentence for each, of warnings with that word before it."""
        for finding in self:
            yield f"{'Warning: ' if finding.gravity == 'warning' else ''}{finding.sentence}"

    def _repr_html_(self) -> str:
        if not self:
            return "<p>Nothing was found.</p>"
        rows: Sequence[Sequence[str]] = [(finding.gravity, finding.sentence) for finding in self]
        return html_grid(("", "what was found"), rows, "", widest=SENTENCE)


def _late_words(entry: Entry) -> str:
    why = entry.note.removeprefix(TIME_SHORT).removeprefix(": ")
    return f"{entry.name} ({why})" if why else entry.name


def seconds_cell(seconds: float) -> str:
    """Seconds as people compare them.

    >>> seconds_cell(0.002437), seconds_cell(0.2485), seconds_cell(71.3)
    ('0.002', '0.25', '71')
    """
    if np.isnan(seconds):
        return ""
    if seconds < 0.1:
        return f"{seconds:.3f}"
    return f"{seconds:.2f}" if seconds < 10.0 else f"{seconds:,.0f}"
