"""Questions that a derivation asks when parts of it are left blank: which can be asked, and which give none away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from novacula.errors import ParameterError
from novacula.learner.work import Work
from novacula.mathematics import Equation, parse
from novacula.mathematics.equation import EQUAL, Row, value_text
from novacula.mathematics.layout import TERMS, Layout
from novacula.mathematics.measuring import IndexPlace
from novacula.mathematics.notation import Notation, Piece, TextNotation
from novacula.mathematics.rounding import is_rounded
from novacula.mathematics.tree import Apply, Big, Indexed, Node, Symbol, renamed, walk

Hidden: TypeAlias = Literal["results", "one", "all"]
MOST_QUESTIONS = 10
ASKED_SHARE = 2 / 3
"""Of the equations that can be asked, so many are, that another seed may ask others."""
SMALL = 1000
"""Whole numbers below it are counts that stand in many places for many things, and are no secrets."""

COUNTING = frozenset({"+", "-", "*", "size"})
"""What makes whole numbers of whole numbers."""


@dataclass(frozen=True)
class BlankEquation(Equation):
    """An equation with gaps: some of its operands, its result, or all of its arithmetic."""

    hidden: frozenset[Node] = frozenset()
    lacks: Literal["", "result", "arithmetic"] = ""

    @classmethod
    def of_equation(cls, equation: Equation, **gaps: Any) -> BlankEquation:
        """An equation with gaps in it."""
        return cls(**{part.name: getattr(equation, part.name) for part in fields(Equation)}, **gaps)

    def rows(
        self,
        notation: Notation,
        *,
        terms: int = TERMS,
        names: Mapping[Node, Node] | None = None,
        hidden: Set[Node] = frozenset(),
        is_result_hidden: bool = False,
        is_broken: bool = False,
    ) -> list[Row]:
        """The lines of the equation, with its gaps."""
        rows = super().rows(
            notation,
            terms=terms,
            names=names,
            hidden=self.hidden | hidden,
            is_result_hidden=is_result_hidden or self.lacks != "",
            is_broken=is_broken,
        )
        if self.lacks != "arithmetic":
            return rows
        return [*rows[: len(self.members)], *[Row("", "=", notation.blank().text)] * 2]

    def shown_value(self, node: Node) -> float | None:
        """The number beside a meaning, unless it is a gap."""
        return None if node in self.hidden else super().shown_value(node)


@dataclass(frozen=True)
class OperandSite:
    """One number among the values of an equation: the value of a name, or one of several values of it."""

    name: str
    key: int | str | None
    node: Node  # as it stands in the arithmetic

    def value(self, equation: Equation) -> float:
        """The number there."""
        value = (equation.values or {})[self.name]
        return float(value if self.key is None else value[self.key])

    def is_in(self, equation: Equation, number: float) -> bool:
        """Whether another equation has this number under this name too."""
        try:
            return self.value(equation) == number
        except (LookupError, TypeError):
            return False

    def put(self, equation: Equation, number: float) -> Equation:
        """The equation with another number there."""
        values = dict(equation.values or {})
        if self.key is None:
            values[self.name] = number
        elif isinstance(values[self.name], Mapping):
            values[self.name] = {**values[self.name], self.key: number}
        else:
            values[self.name] = values[self.name].copy()
            values[self.name][self.key] = number
        return replace(equation, values=values)


@dataclass(frozen=True)
class GapQuestion:
    """A gap in a step: the result of an equation, or one of its operands."""

    step: int
    place: int  # of the equation in its step
    equation: Equation
    hide: Hidden
    site: OperandSite | None = None

    @property
    def asked(self) -> str:
        """What is asked for, as prose."""
        if self.site is None:
            return f"⟦{self.equation.left}⟧"
        return f"⟦{self.site.name}⟧" if self.site.key is None else Layout(TextNotation()).write(self.site.node)

    @property
    def value(self) -> float | str:
        """The right answer."""
        return self.equation.value if self.site is None else self.site.value(self.equation)

    @property
    def is_count(self) -> bool:
        """Whether whole numbers stand there, so that an answer need not be rounded, and saying so tells nothing."""
        operands = [site.value(self.equation) for site in operand_sites(self.equation)]
        applied = {node.function for node in walk(self.equation.members[-1]) if isinstance(node, Apply)}
        is_whole = bool(operands) and all(number.is_integer() for number in operands)
        return is_whole and (self.site is not None or applied <= COUNTING)

    def secret(self, digits: int) -> str | None:
        """The right answer as it would give itself away elsewhere, or None for words and small counts."""
        if isinstance(self.value, str):
            return None
        text = TextNotation(digits).plain_digits(self.value)
        return None if float(text).is_integer() and abs(float(text)) < SMALL else text

    def blank(self) -> BlankEquation:
        """Its equation with the gap."""
        if self.site is not None:
            return BlankEquation.of_equation(self.equation, hidden=frozenset({self.site.node}))
        return BlankEquation.of_equation(self.equation, lacks="result" if self.hide == "results" else "arithmetic")


def draw_questions(work: Work, hide: Hidden, seed: int) -> tuple[GapQuestion, ...]:
    """Questions of a work, in its order: which equations, and which of their operands, the seed decides."""
    rng = np.random.default_rng(seed)
    candidates = [
        question
        for i, step in enumerate(work)
        for k, equation in enumerate(step.equations)
        if (question := _question(equation, i, k, hide, work, rng)) is not None
    ]
    if not candidates:
        raise ParameterError(f"{work.title!r} has no equation with numbers of which something could be asked")
    wanted = min(MOST_QUESTIONS, max(1, round(ASKED_SHARE * len(candidates))))
    chosen: list[int] = []
    numbers = [_numbers_in(question.equation, work) for question in candidates]
    secrets = [question.secret(work.digits) for question in candidates]
    for i in rng.permutation(len(candidates)).tolist():
        # what an earlier question asks may be an operand of a later one, but not the other way round
        if all(secrets[max(i, k)] not in numbers[min(i, k)] for k in chosen) and len(chosen) < wanted:
            chosen.append(i)
    return tuple(candidates[i] for i in sorted(chosen))


def _question(
    equation: Equation, step: int, place: int, hide: Hidden, work: Work, rng: np.random.Generator
) -> GapQuestion | None:
    if not _can_be_asked(equation, work):
        return None
    if hide != "one":
        return GapQuestion(step, place, equation, hide)
    sites = [site for site in operand_sites(equation) if _is_solvable(equation, site, work)]
    return GapQuestion(step, place, equation, hide, sites[int(rng.integers(len(sites)))]) if sites else None


def _can_be_asked(equation: Equation, work: Work) -> bool:
    """Whether it has arithmetic that comes to one finite number or to a word, which does not stand there already."""
    if not equation.is_evaluated or equation.sign not in EQUAL or equation.fault() is not None:
        return False
    if not any(isinstance(node, Apply | Big) for node in walk(equation.members[-1])):
        return False
    value = equation.value
    if isinstance(value, str):
        return True
    if not isinstance(value, float) or not np.isfinite(value):
        return False
    text = TextNotation(work.digits)
    written = Layout(text, equation.scope, terms=work.terms).write(equation.members[-1])
    secret = GapQuestion(0, 0, equation, "results").secret(work.digits)
    return written != value_text(value, text) and secret not in _numbers_in(equation, work)


class _RecordingNotation(TextNotation):
    """Plain text that remembers the numbers that were written."""

    def __init__(self, digits: int) -> None:
        super().__init__(digits)
        self.written: set[str] = set()

    def number(self, value: float) -> Piece:
        """A number, which is remembered."""
        self.written.add(self.plain_digits(value))
        return super().number(value)


def _numbers_in(equation: Equation, work: Work) -> set[str]:
    """The numbers of the arithmetic of an equation, as they are written; its result is not one of them."""
    notation = _RecordingNotation(work.digits)
    Layout(notation, equation.scope, terms=work.terms).write(equation.members[-1])
    return notation.written


def operand_sites(equation: Equation) -> Iterator[OperandSite]:
    """The numbers that are put into an equation, one by one."""
    indices = {node.index for member in equation.members for node in walk(member) if isinstance(node, Big)}
    for name, value in (equation.values or {}).items():
        node = parse(name)
        own = [part for part in walk(node) if isinstance(part, Symbol) and part.name in indices]
        if isinstance(value, float) and not own:
            yield OperandSite(name, None, node)
        keys: list[Any] = []
        if isinstance(value, Mapping) and all(isinstance(part, float) for part in value.values()):
            keys = list(value)
        elif isinstance(value, np.ndarray) and value.ndim == 1:
            keys = list(range(len(value)))
        for i, key in enumerate(keys if len(set(own)) < 2 else []):
            place = IndexPlace(i, key if isinstance(key, str) else None).node
            yield OperandSite(name, key, renamed(node, {own[0]: place}) if own else Indexed(node, (place,)))


def _is_solvable(equation: Equation, site: OperandSite, work: Work) -> bool:
    """Whether a gap there is seen, and the result tells what stood in it."""
    notation, value = TextNotation(work.digits), site.value(equation)
    if not np.isfinite(value) or isinstance(equation.value, str):
        return False
    hidden = frozenset({site.node})
    written = Layout(notation, equation.scope, terms=work.terms, hidden=hidden).write(equation.members[-1])
    if notation.blank().text not in written:
        return False
    for other in (value * 1.01 + 0.01, value * 0.99 - 0.01):
        try:
            moved = site.put(equation, other).value
        except ParameterError:
            continue
        if is_rounded(moved, equation.value, work.digits):
            return False
    return True
