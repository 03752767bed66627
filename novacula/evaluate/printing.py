"""Results that print as a table, in a terminal and in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from novacula.errors import ParameterError
from novacula.learner.render import table_lines
from novacula.learner.render_html import table_parts
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work, WorkTable


class TabularResult(ShowsWork, ABC):
    """Something whose `table` says it all, and whose `work` derives it."""

    @abstractmethod
    def table(self) -> WorkTable:
        """The result as a table."""

    @abstractmethod
    def _derive(self, options: WorkOptions) -> Work:
        """The result with the numbers put in."""

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        raise ParameterError(f"the work of a {type(self).__name__} takes no rows X: what was measured is in it")

    def __str__(self) -> str:
        return "\n".join(table_lines(self.table()))

    def _repr_html_(self) -> str:
        return "".join(table_parts(self.table()))
