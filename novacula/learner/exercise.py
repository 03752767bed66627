"""A derivation as an exercise: a sheet with gaps, marks for what was filled in, and the solution apart from it.

>>> from novacula.learner.work import Step, Work
>>> right = "-sum(p[v] * log2(p[v]) for v in _)"
>>> entropy = Equation("H(S)", right, {"p": {"Yes": 9 / 14, "No": 5 / 14}})
>>> exercise = Work("Entropy", [Step("The root", entropy)]).exercise()
>>> print(exercise)
Entropy
=======
<BLANKLINE>
The root
  H(S) = −Σᵥ pᵥ · log₂(pᵥ)
       = −(0.642857 × log₂(0.642857) + 0.357143 × log₂(0.357143)) = ____
  Question 1: find H(S) to 3 significant digits.
>>> print(exercise.check([0.652]))
1. wrong: 0.652 in place of 0.940; the logarithm is natural, and not to base 2.
0 of 1 right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, get_args

from novacula.errors import InputTypeError, ParameterError
from novacula.learner.marking import Marks, mark
from novacula.learner.questions import BlankEquation, GapQuestion, Hidden, draw_questions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.mathematics.rounding import is_rounded, significant_digits
from novacula.words import counted, quoted

MOST_DIGITS = 12
WRITTEN = re.compile(r"(?<![\w.,])[−-]?\d+[.,]\d+(?![\w])")
"""A number with decimals in words."""


@dataclass(frozen=True)
class Exercise:
    """Questions of a work, and the sheet that asks them.

    `work` is the whole derivation, `sheet` the one with gaps; `digits` are the significant digits of an answer.
    """

    work: Work
    sheet: Work
    questions: tuple[GapQuestion, ...]
    digits: int

    def __len__(self) -> int:
        return len(self.questions)

    def __repr__(self) -> str:
        return f"<Exercise {self.work.title!r}, {counted(len(self), 'question')}>"

    def check(self, answers: Sequence[Any] | Mapping[Any, Any]) -> Marks:
        """Mark answers, given in order or by the number of their question.

        An answer is a number, or text such as "5/14", "0,357" or "2 1/2"; for a conclusion it is a word. What is not
        answered is missing, and not told: `solution` tells it.
        """
        given = self._by_number(answers)
        marks = (mark(i + 1, q, given.get(i + 1), self.digits, self._before(q)) for i, q in enumerate(self.questions))
        return Marks(tuple(marks))

    def _before(self, question: GapQuestion) -> list[Equation]:
        """The equations of the work that come before a question, whose values it may be made of."""
        steps = [step.equations for step in self.work][: question.step + 1]
        return [equation for equations in (*steps[:-1], steps[-1][: question.place]) for equation in equations]

    def _by_number(self, answers: Any) -> dict[int, Any]:
        if isinstance(answers, str) or not isinstance(answers, Sequence | Mapping):
            answers = answers.tolist() if hasattr(answers, "tolist") and getattr(answers, "ndim", 0) == 1 else answers
        if isinstance(answers, str) or not isinstance(answers, Sequence | Mapping):
            raise InputTypeError(
                f"answers are {quoted(answers)}; give a list of them, or a mapping from numbers of questions"
            )
        pairs = answers.items() if isinstance(answers, Mapping) else enumerate(answers, start=1)
        given: dict[int, Any] = {}
        for number, answer in pairs:
            if str(number) not in map(str, range(1, len(self) + 1)):
                have = f"the sheet has {counted(len(self), 'question')}"
                raise ParameterError(f"there is an answer to question {quoted(number)}; {have}")
            if answer is not None and (isinstance(answer, bool) or not isinstance(answer, str | Real)):
                raise InputTypeError(f"the answer to question {number} is {quoted(answer)}; give a number or text")
            if int(number) in given:
                raise ParameterError(f"there are two answers to question {int(number)}; give one of them")
            given[int(number)] = answer
        return given

    def solution(self) -> Work:
        """The whole derivation, with the answers by the numbers of their questions."""
        notes: dict[int, list[str]] = {}
        for number, question in enumerate(self.questions, start=1):
            shown = question.value if isinstance(question.value, str) else f"⟦{question.value!r}⟧"
            notes.setdefault(question.step, []).append(f"Answer {number}: {shown}.")
        return replace(self.work, title=f"{self.work.title}: solution", steps=tuple(_noted(self.work, notes)))

    def to_text(self) -> str:
        """The sheet as plain text."""
        return self.sheet.to_text()

    def to_markdown(self) -> str:
        """The sheet as Markdown."""
        return self.sheet.to_markdown()

    def to_latex(self) -> str:
        """The sheet as a LaTeX fragment that needs amsmath."""
        return self.sheet.to_latex()

    def to_html(self) -> str:
        """The sheet as an HTML fragment."""
        return self.sheet.to_html()

    __str__ = to_text
    _repr_html_ = to_html


def make_exercise(work: Work, hide: Hidden, seed: int, digits: int) -> Exercise:
    """Draw questions and make the sheet that asks them."""
    if hide not in get_args(Hidden):
        raise ParameterError(f"hide is {hide!r}; it must be 'results', 'one' or 'all'")
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise ParameterError(f"seed is {seed!r}; it must be a whole number of at least 0")
    if not isinstance(digits, Integral) or isinstance(digits, bool) or not 1 <= digits <= MOST_DIGITS:
        raise ParameterError(f"digits is {digits!r}; it must be a whole number from 1 to {MOST_DIGITS}")
    questions = draw_questions(work, hide, int(seed))
    return Exercise(work, _sheet(work, questions, int(digits)), questions, int(digits))


def _sheet(work: Work, questions: Sequence[GapQuestion], digits: int) -> Work:
    """The work with gaps; figures are left out, and numbers that would give an answer away are blank everywhere."""
    notes: dict[int, list[str]] = {}
    for number, question in enumerate(questions, start=1):
        is_exact = isinstance(question.value, str) or question.is_count
        end = "" if is_exact else f" to {counted(digits, 'significant digit')}"
        notes.setdefault(question.step, []).append(f"Question {number}: find {question.asked}{end}.")
    values = [question.value for question in questions if question.secret(work.digits) is not None]
    steps = []
    for i, step in enumerate(work):
        asked_here = {question.place: question for question in questions if question.step == i}
        equations = tuple(
            asked_here[k].blank() if k in asked_here else _without(equation, questions)
            for k, equation in enumerate(step.equations)
        )
        note = " ".join([*([_kept(step.note, values)] if step.note else []), *notes.get(i, [])])
        table = None if step.table is None else _kept_table(step.table, values)
        steps.append(Step(_kept(step.title, values), equations, table, None, note))
    secrets = [secret for question in questions if (secret := question.secret(work.digits)) is not None]
    kept_notes = [_kept(note, values) for note in work.notes]
    return replace(work, steps=tuple(steps), notes=tuple(kept_notes), secrets=frozenset(secrets))


def _without(equation: Equation, questions: Sequence[GapQuestion]) -> Equation:
    """An equation that is not asked, without the operands that are asked elsewhere under the same name."""
    asked = [(question.site, float(question.value)) for question in questions if question.site is not None]
    hidden = frozenset(site.node for site, number in asked if site.is_in(equation, number))
    return BlankEquation.of_equation(equation, hidden=hidden) if hidden else equation


def _noted(work: Work, notes: Mapping[int, Sequence[str]]) -> Iterator[Step]:
    """The steps of a work with more in their notes."""
    for i, step in enumerate(work):
        more = " ".join([*([step.note] if step.note else []), *notes.get(i, ())])
        yield replace(step, note=more)


def _kept(text: str, values: Sequence[Any]) -> str:
    """Words in which numbers that give an answer away are blank."""
    return WRITTEN.sub(lambda found: "____" if _gives_away(found[0], values) else found[0], text)


def _gives_away(written: str, values: Sequence[Any]) -> bool:
    number = float(written.replace("−", "-").replace(",", "."))
    digits = significant_digits(written)
    return digits >= 2 and any(isinstance(v, float) and is_rounded(number, v, digits) for v in values)


def _kept_table(table: WorkTable, values: Sequence[Any]) -> WorkTable:
    rows = tuple(tuple(_kept(cell, values) if isinstance(cell, str) else cell for cell in row) for row in table.rows)
    return WorkTable(tuple(_kept(name, values) for name in table.header), rows, _kept(table.caption, values))
