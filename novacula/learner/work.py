"""The derivation of a fitted model: steps with equations, the numbers put in, a table and a figure.

A learner builds its `Work` on demand from fitted attributes. An equation that names an attribute in `of` promises
that its value is that attribute, and `novacula.checks.check_work` holds it to that, so that a derivation
cannot drift from the model.

    >>> prior = Equation("P('No')", "n['No'] / n", {"n['No']": 5, "n": 14}, of=("class_prior_", 0))
    >>> print(Work("Naive Bayes", [Step("Prior of No", prior)]))
    Naive Bayes
    ===========
    <BLANKLINE>
    Prior of No
      P(No) = n_No/n
            = 5/14 = 0.357143

Mathematics may stand in any words of a step, between double brackets: "⟦w_1⟧ is the weight of a column".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, overload

from novacula.errors import ParameterError
from novacula.learner import render, render_html, render_latex
from novacula.learner.prose import Appearance
from novacula.mathematics import Equation, parse
from novacula.mathematics.layout import TERMS
from novacula.mathematics.notation import DIGITS

if TYPE_CHECKING:
    from novacula.learner.exercise import Exercise
    from novacula.learner.figure import Figure

Cell: TypeAlias = str | int | float
ASKED_DIGITS = 3
"""Significant digits of an answer, unless other are asked for."""


@dataclass(frozen=True)
class WorkTable:
    """A small table inside a step; numbers are shown at as many digits as those of its work."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    def __post_init__(self) -> None:
        _freeze(self, header=tuple(self.header), rows=tuple(tuple(row) for row in self.rows))
        for i, row in enumerate(self.rows):
            if len(row) != len(self.header):
                raise ParameterError(f"row {i} of a table has {len(row)} cells under {len(self.header)} headings")


@dataclass(frozen=True)
class Step:
    """One step of a derivation: a title, one or more equations, a table, a figure, a note; it may have any of these."""

    title: str
    equation: Equation | tuple[Equation, ...] = ()
    table: WorkTable | None = None
    figure: Figure | None = None
    note: str = ""

    @property
    def equations(self) -> tuple[Equation, ...]:
        """Its equations, however many."""
        return (self.equation,) if isinstance(self.equation, Equation) else tuple(self.equation)


@dataclass(frozen=True, init=False, repr=False)
class Work:
    """A derivation: a title, steps in order, and notes. It prints, and shows itself in a notebook.

    `digits` and `terms` say how many significant digits numbers have, and how many terms of a sum are written out;
    `names` maps expressions to what is written in their place, for another book's notation; `secrets` are numbers, as
    they stand at these digits, that are left blank.
    """

    title: str
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()
    digits: int = DIGITS
    terms: int = TERMS
    names: Mapping[str, str] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()

    def __init__(
        self,
        title: str,
        steps: Iterable[Step],
        notes: str | Iterable[str] = (),
        *,
        digits: int = DIGITS,
        terms: int = TERMS,
        names: Mapping[str, str] | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        _freeze(self, title=title, steps=tuple(steps), notes=(notes,) if isinstance(notes, str) else tuple(notes))
        _freeze(self, digits=digits, terms=terms, names=dict(names or {}), secrets=frozenset(secrets))

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, place: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[place]

    @property
    def equations(self) -> Iterator[Equation]:
        """The equations of all steps, in order."""
        return (equation for step in self.steps for equation in step.equations)

    @property
    def look(self) -> Appearance:
        """How mathematics looks inside its words."""
        names = {parse(name): parse(other) for name, other in self.names.items()}
        return Appearance(self.digits, names, self.secrets)

    def capped(self, first: int, last: int) -> Self:
        """Keep the first and the last steps, and say between them how many were left out."""
        if first < 0 or last < 0:
            raise ParameterError(f"a work cannot keep {first} first and {last} last steps")
        left_out = len(self) - first - last
        if left_out <= 0:
            return self
        gap = Step(f"… {left_out} {'step is' if left_out == 1 else 'steps are'} left out …")
        return replace(self, steps=(*self.steps[:first], gap, *self.steps[first + left_out :]))

    def exercise(
        self, hide: Literal["results", "one", "all"] = "results", seed: int = 0, *, digits: int = ASKED_DIGITS
    ) -> Exercise:
        """A worksheet with blanks: results, one operand of each equation, or all of its arithmetic.

        Parameters
        ----------
        hide : what is left blank
        seed : other seeds ask other questions of the same work
        digits : significant digits that answers must have
        """
        from novacula.learner.exercise import make_exercise

        return make_exercise(self, hide, seed, digits)

    def to_text(self) -> str:
        """The work as plain text with Unicode symbols."""
        return render.work_to_text(self)

    def to_markdown(self) -> str:
        """The work as Markdown, with equations in LaTeX between dollars and tables with pipes."""
        return render.work_to_markdown(self)

    def to_latex(self) -> str:
        """The work as a LaTeX fragment that needs amsmath and nothing else."""
        return render_latex.work_to_latex(self)

    def to_html(self) -> str:
        """The work as an HTML fragment: equations are MathML, figures inline SVG; nothing is fetched, nothing runs."""
        return render_html.work_to_html(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Work {self.title!r}, {len(self)} {'step' if len(self) == 1 else 'steps'}>"

    _repr_html_ = to_html


def _freeze(instance: object, **values: object) -> None:
    """Set fields of a frozen dataclass while it is made."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
