"""Results that are numbers, a picture and a derivation at once."""

from __future__ import annotations

from abc import abstractmethod
from html import escape

from novacula.evaluate.printing import TabularResult
from novacula.learner.figure import Figure
from novacula.table.names import printable


class SeenResult(TabularResult):
    """Something that was seen in a model: it prints as a table with its notes, and shows its figure in a notebook."""

    @abstractmethod
    def figure(self) -> Figure:
        """The result as a picture."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known of the numbers, in sentences."""
        return ()

    def __str__(self) -> str:
        return "\n".join((super().__str__(), *map(printable, self.notes)))

    def _repr_html_(self) -> str:
        words = "".join(f"<p>{escape(printable(note))}</p>" for note in self.notes)
        return f"{super()._repr_html_()}{words}{self.figure().svg()}"
