"""The derivation of a fitted model: steps with formula, arithmetic with the numbers put in, table and figure.

A learner builds its `Work` on demand from fitted attributes. A step that names an attribute in `of` promises
that its result is that attribute, and `novacula.checks.check_work` holds it to that, so that a derivation
cannot drift from the model.

    >>> step = Step(
    ...     "Prior of No",
    ...     formula="P(No) = n_No / n",
    ...     expression="n_No / n",
    ...     values={"n_No": 5, "n": 14},
    ...     result=5 / 14,
    ...     of=("class_prior_", 0),
    ... )
    >>> print(Work("Naive Bayes", [step]))
    Naive Bayes
    ===========
    <BLANKLINE>
    Prior of No
      P(No) = n_No / n
            = 5/14 = 0.357143
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias, overload
from unicodedata import normalize

from novacula.errors import InputTypeError, ParameterError
from novacula.learner import render, render_html, render_latex
from novacula.learner.expression import Node, evaluate, names, parse

if TYPE_CHECKING:
    from novacula.learner.figure import Figure

Cell: TypeAlias = str | int | float


@dataclass(frozen=True)
class WorkTable:
    """A small table inside a step; numbers are shown at six significant digits."""

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
    """One step of a derivation; it may have any of its parts, and must be consistent in those it has.

    `formula` is read by people, `expression` by the machine: plain arithmetic over the names in `values`.
    `result` is what it comes to. `of` is the path to where the model keeps that number: ("class_prior_", 1),
    or ("predict_proba", 0, 1) for the output of a method. `labels` say in words what a value is.
    """

    title: str
    formula: str = ""
    expression: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    result: float | None = None
    of: tuple[str | int, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    table: WorkTable | None = None
    figure: Figure | None = None
    note: str = ""

    def __post_init__(self) -> None:
        values = {_name(name): self._number(value, f"the value of {name!r}") for name, value in self.values.items()}
        labels = {_name(name): label for name, label in self.labels.items()}
        result = None if self.result is None else self._number(self.result, "the result")
        _freeze(self, values=values, labels=labels, result=result, of=tuple(self.of))
        self._match_names()
        if self.of and not isinstance(self.of[0], str):
            raise ParameterError(f"step {self.title!r}: `of` starts with the name of an attribute, not {self.of[0]!r}")
        if self.of and self.value is None:
            raise ParameterError(f"step {self.title!r} is tied to {self.of} but has no result")

    def _number(self, value: Any, what: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputTypeError(f"step {self.title!r}: {what} is {value!r}, not a number") from None
        if math.isnan(number):
            raise ParameterError(f"step {self.title!r}: {what} is NaN")
        return number

    def _match_names(self) -> None:
        used = set(names(self.tree)) if self.tree is not None else set()
        for name in sorted(used - self.values.keys()):
            raise ParameterError(f"step {self.title!r}: the expression uses {name!r}, which has no value")
        for name in sorted(self.values.keys() - used):
            raise ParameterError(f"step {self.title!r}: the expression does not use the value {name!r}")
        for name in sorted(self.labels.keys() - used):
            raise ParameterError(f"step {self.title!r}: the label {name!r} belongs to no value")

    @property
    def tree(self) -> Node | None:
        """The expression as a tree, or None."""
        return parse(self.expression) if self.expression else None

    @property
    def value(self) -> float | None:
        """The result as stated or, where none is stated, what the expression comes to."""
        if self.result is not None or self.tree is None:
            return self.result
        return evaluate(self.tree, self.values)


@dataclass(frozen=True, init=False, repr=False)
class Work:
    """A derivation: a title, steps in order, and notes. It prints, and shows itself in a notebook."""

    title: str
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()

    def __init__(self, title: str, steps: Iterable[Step], notes: str | Iterable[str] = ()) -> None:
        _freeze(self, title=title, steps=tuple(steps), notes=(notes,) if isinstance(notes, str) else tuple(notes))

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

    def capped(self, first: int, last: int) -> Self:
        """Keep the first and the last steps, and say between them how many were left out."""
        if first < 0 or last < 0:
            raise ParameterError(f"a work cannot keep {first} first and {last} last steps")
        left_out = len(self) - first - last
        if left_out <= 0:
            return self
        gap = Step(f"… {left_out} {'step is' if left_out == 1 else 'steps are'} left out …")
        return replace(self, steps=(*self.steps[:first], gap, *self.steps[first + left_out :]))

    def to_text(self) -> str:
        """The work as plain text with Unicode symbols."""
        return render.work_to_text(self)

    def to_markdown(self) -> str:
        """The work as Markdown, with arithmetic in code blocks and tables with pipes."""
        return render.work_to_markdown(self)

    def to_latex(self) -> str:
        """The work as a LaTeX fragment that needs amsmath and nothing else."""
        return render_latex.work_to_latex(self)

    def to_html(self) -> str:
        """The work as an HTML fragment: figures are inline SVG, nothing is fetched, nothing runs."""
        return render_html.work_to_html(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Work {self.title!r}, {len(self)} {'step' if len(self) == 1 else 'steps'}>"

    _repr_html_ = to_html


def _name(name: str) -> str:
    """A name as Python reads it in an expression, where the micro sign µ is the Greek letter μ."""
    return normalize("NFKC", name)


def _freeze(instance: object, **values: object) -> None:
    """Set fields of a frozen dataclass while it is made."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
