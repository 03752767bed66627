"""`work`, which means the same for everything that shows its work: what can be asked for, and how it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from novacula.errors import ParameterError
from novacula.learner.derivation import explained_once
from novacula.learner.work import Work
from novacula.mathematics.layout import TERMS
from novacula.mathematics.notation import DIGITS

ROWS = 3
MOST_DIGITS = 17  # a double has no more
NOTATIONS = ("mitchell", "aima")
"""Books whose symbols can be asked for."""


@dataclass(frozen=True)
class WorkOptions:
    """What is asked of a derivation: rows that are derived, terms and digits that are written, and how much is said."""

    rows: int = ROWS
    terms: int = TERMS
    digits: int = DIGITS
    detail: Literal["brief", "full"] = "brief"
    notation: str | None = None

    def __post_init__(self) -> None:
        for name, most in (("rows", None), ("terms", None), ("digits", MOST_DIGITS)):
            value = getattr(self, name)
            if (
                not isinstance(value, int | np.integer)
                or isinstance(value, bool)
                or value < 1
                or (most and value > most)
            ):
                bound = f"from 1 to {most}" if most else "of at least 1"
                raise ParameterError(f"{name} is {value!r}; it must be a whole number {bound}")
        if self.detail not in ("brief", "full"):
            raise ParameterError(f"detail is {self.detail!r}; it must be 'brief' or 'full'")
        if self.notation is not None and self.notation not in NOTATIONS:
            known = " or ".join(map(repr, NOTATIONS))
            raise ParameterError(f"notation is {self.notation!r}; it must be None, {known}")

    @property
    def is_full(self) -> bool:
        """Whether everything is written out."""
        return self.detail == "full"


class ShowsWork:
    """Something that derives itself: a learner, or the result of a function."""

    notations: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """By the name of a book, what it writes in place of what: {"mitchell": {"b": "w_0"}}."""

    def work(
        self,
        X: Any = None,
        *,
        iteration: int | None = None,
        rows: int = ROWS,
        terms: int = TERMS,
        digits: int = DIGITS,
        detail: Literal["brief", "full"] = "brief",
        notation: str | None = None,
    ) -> Work:
        """Derive the model, or with X its answers, with the numbers put in.

        Parameters
        ----------
        X : rows whose answers are derived
        iteration : the number of an iteration to derive, from 1: what went in, each quantity, what came out
        rows : how many rows of X are derived
        terms : how many terms of a sum are written out; the others become one number
        digits : significant digits of numbers
        detail : "full" writes out what "brief" leaves to a table
        notation : "mitchell" or "aima" for the symbols of that book
        """
        self._require_result()
        options = WorkOptions(rows, terms, digits, detail, notation)
        if iteration is None:
            work = self._derive(options) if X is None else self._answers_with_values(X, options)
        elif X is not None:
            raise ParameterError("work takes X or iteration, not both: an iteration belongs to the fit")
        else:
            work = self._derive_iteration(iteration, options)
        names = {**work.names, **self._symbols(notation)}
        return replace(work, steps=explained_once(work.steps), digits=digits, terms=terms, names=names)

    def _symbols(self, notation: str | None) -> Mapping[str, str]:
        """What a book writes in place of what; to be overridden where that depends on the result."""
        return self.notations.get(notation or "", {})

    def _require_result(self) -> None:
        """Refuse something that has no result yet, such as a learner that is not fitted."""

    def _answers_with_values(self, X: Any, options: WorkOptions) -> Work:
        """The derivation of answers, each equation of which has a value."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # it is infinite in the work too, or refused
                work = self._derive_answers(X, options)
            for step in work:
                for equation in step.equations:
                    equation.measured  # noqa: B018  (kept for whoever writes it)
        except ParameterError:
            self._refuse_answers(X)
            raise
        return work

    def _refuse_answers(self, X: Any) -> None:
        """Refuse rows that cannot be answered, where their derivation has come upon what is not a number."""

    def _derive(self, options: WorkOptions) -> Work:
        """Derive the model."""
        raise NotImplementedError(f"{type(self).__name__} must derive its work")

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        """Derive the answers for the first rows of X."""
        raise ParameterError(f"{type(self).__name__} answers no rows, so its work takes no X")

    def _derive_iteration(self, iteration: int, options: WorkOptions) -> Work:
        """Derive one iteration of the fit."""
        raise ParameterError(f"{type(self).__name__} keeps no iterations, so it has no iteration {iteration!r} to show")
