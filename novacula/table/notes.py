"""What reading decided on its own: a sentence for each decision that its user may want to know of, or to change."""

from __future__ import annotations

from dataclasses import dataclass

from novacula.table.names import printable


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """A decision in a sentence, and the column that it is about, if it is about one.

    It is doubtful where another decision would have been as good: a warning says so too. It is weak where nothing but
    custom speaks for it, so that a model decides as at its fit.
    """

    sentence: str
    column: str | None = None
    is_doubtful: bool = False
    is_weak: bool = False

    def __str__(self) -> str:
        return printable(self.sentence)
