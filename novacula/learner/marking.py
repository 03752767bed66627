"""Marks for answers to an exercise: right, right but rounded too early, wrong with the slip that led there, missing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from numbers import Integral
from typing import Any, Literal, TypeAlias

from novacula.errors import ParameterError
from novacula.learner.questions import GapQuestion, operand_sites
from novacula.mathematics import Equation
from novacula.mathematics.measuring import measure
from novacula.mathematics.notation import TextNotation
from novacula.mathematics.rounding import is_rounded, read_number, significant_digits, unit
from novacula.mathematics.slips import slip_of, without_prior
from novacula.mathematics.tree import Node
from novacula.table.names import printable
from novacula.words import shortened

Verdict: TypeAlias = Literal["right", "rounded", "wrong", "missing"]
POINTS = {"right": 1.0, "rounded": 0.5, "wrong": 0.0, "missing": 0.0}
NEAR = 5
"""Units of the last digit by which an answer may be off that was rounded on the way."""


@dataclass(frozen=True)
class Mark:
    """The verdict on one answer, and why; what is missing stays to be found, so nothing is expected there."""

    number: int
    verdict: Verdict
    answer: str
    expected: str
    slip: str = ""

    def __str__(self) -> str:
        if self.verdict == "right":
            return f"{self.number}. right: {self.answer}."
        if self.verdict == "missing":
            return f"{self.number}. missing."
        if self.verdict == "rounded":
            return f"{self.number}. right, but rounded too early: {self.answer} in place of {self.expected}."
        reason = f"; {self.slip}" if self.slip else ""
        return f"{self.number}. wrong: {self.answer} in place of {self.expected}{reason}."


@dataclass(frozen=True)
class Marks:
    """The marks of an exercise, in the order of its questions; they print, and show themselves in a notebook."""

    marks: tuple[Mark, ...]

    def __len__(self) -> int:
        return len(self.marks)

    def __iter__(self) -> Iterator[Mark]:
        return iter(self.marks)

    def __getitem__(self, place: int) -> Mark:
        return self.marks[place]

    @property
    def score(self) -> float:
        """The points: 1 for what is right, ½ for what was rounded too early."""
        return sum(POINTS[mark.verdict] for mark in self.marks)

    @property
    def summary(self) -> str:
        """The score in words."""
        return f"{TextNotation().number(self.score).text} of {len(self)} right."

    def to_text(self) -> str:
        """A line per question, and the score."""
        return "\n".join([*map(str, self.marks), self.summary])

    def to_html(self) -> str:
        """A list of the questions, and the score."""
        items = "".join(f'<li class="nv-{mark.verdict}">{escape(str(mark).split(" ", 1)[1])}</li>' for mark in self)
        return f'<section class="nv-work"><ol class="nv-marks">{items}</ol><p>{escape(self.summary)}</p></section>'

    __str__ = to_text
    _repr_html_ = to_html


def mark(number: int, question: GapQuestion, answer: Any, digits: int, before: Sequence[Equation] = ()) -> Mark:
    """Mark the answer to a question that was to be given with so many significant digits.

    `before` are the equations of which it may be made: a slip in all of them leads to another answer here too.
    """
    value = question.value
    text = _written(answer)
    shown = shortened(printable(text))
    if not text:
        return Mark(number, "missing", "", "")
    if not isinstance(answer, str) and significant_digits(text) > digits:
        shown = expected_text(float(answer), digits)
    if isinstance(value, str):
        same = " ".join(text.casefold().split()) == " ".join(value.casefold().split())
        return Mark(number, "right" if same else "wrong", shown, expected_text(value, digits))
    written = read_number(text) if isinstance(answer, str) else float(answer)
    if written is None or math.isnan(written):
        slip = "it cannot be read as a number"
        return Mark(number, "wrong", shown, expected_text(value, digits), slip)
    verdict, slip = _verdict(question, written, digits, significant_digits(text))
    if verdict == "wrong" and not slip and _follows_without_priors(question, written, digits, before):
        slip = "the prior is forgotten in the probabilities that it is made of"
    return Mark(number, verdict, shown, expected_text(value, digits), slip)


def _written(answer: Any) -> str:
    """An answer as text: a number of any type as the number that it is."""
    if answer is None:
        return ""
    if isinstance(answer, str):
        return answer.strip()
    return str(int(answer)) if isinstance(answer, Integral) else repr(float(answer))


def _verdict(question: GapQuestion, answer: float, digits: int, given: int) -> tuple[Verdict, str]:
    value = question.value
    if isinstance(value, str):
        return "wrong", ""
    if is_rounded(answer, value, digits) or _solves(question, answer, digits):
        return "right", ""
    slip = _slip(question, answer, digits)
    if slip:
        return "wrong", slip
    is_coarse = 2 <= given < digits and is_rounded(answer, value, given)
    is_near = abs(answer - value) <= NEAR * unit(value, digits) and digits > 1
    return ("rounded", "") if is_coarse or is_near else ("wrong", "")


def _solves(question: GapQuestion, answer: float, digits: int) -> bool:
    """Whether the equation comes to its result with another operand than stood there, as x² = 4 does with −2."""
    if question.site is None or not math.isfinite(answer):
        return False
    try:
        result = question.site.put(question.equation, answer).value
    except ParameterError:
        return False
    return isinstance(result, float) and is_rounded(result, question.equation.value, max(digits, 6))


def _slip(question: GapQuestion, answer: float, digits: int) -> str:
    equation, value = question.equation, question.value
    if question.site is None:
        found = slip_of(answer, equation.members[-1], equation.scope, equation.left_tree, digits)
        return found or ""
    for factor, words in ((-1.0, "the sign is wrong"), (100.0, "it is in percent, and a share is asked for")):
        if value != 0.0 and is_rounded(answer, factor * float(value), digits):
            return words
    return ""


def _follows_without_priors(question: GapQuestion, answer: float, digits: int, before: Sequence[Equation]) -> bool:
    """Whether the answer is right for operands that were found, in the equations before, without their priors."""
    found: dict[Node, float] = {}
    for equation in before:
        if equation.is_evaluated and (tree := without_prior(equation.members[0])) is not None:
            with suppress(ParameterError):
                found[equation.left_tree] = measure(tree, equation.scope).value
    changed = question.equation
    for site in operand_sites(question.equation) if question.site is None else ():
        if site.node in found:
            changed = site.put(changed, found[site.node])
    try:
        return changed is not question.equation and is_rounded(answer, changed.value, digits)
    except ParameterError:
        return False


def expected_text(value: float | str, digits: int) -> str:
    """The right answer as it should have been given, with zeros at its end that are digits too."""
    if isinstance(value, str):
        return shortened(printable(value))
    if value == int(value) if math.isfinite(value) else True:
        return TextNotation().number(value).text
    text = TextNotation(digits).number(value).text
    missing = digits - significant_digits(text)
    return text + "0" * missing if "." in text and "×" not in text and missing > 0 else text
