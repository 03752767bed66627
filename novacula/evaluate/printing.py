"""Results that print as a table, in a terminal and in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod

from novacula.learner.render import table_lines
from novacula.learner.render_html import table_parts
from novacula.learner.work import WorkTable


class TabularResult(ABC):
    """Something whose `table` says it all."""

    @abstractmethod
    def table(self) -> WorkTable:
        """The result as a table."""

    def __str__(self) -> str:
        return "\n".join(table_lines(self.table()))

    def _repr_html_(self) -> str:
        return "".join(table_parts(self.table()))
