"""Compare a derivation with the model: its equations are evaluated, and its results are looked up in the model.

An equation that is not true, a name that means two things, or a result that is not the attribute or prediction that
it says it is, fails with a sentence that names the step.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np

from novacula.checks.verdict import require
from novacula.learner.work import Work
from novacula.mathematics import Equation
from novacula.mathematics.equation import agree

PRINTABLE = re.compile(r"[ -~\n]*")
"""What pdfLaTeX reads without any package for characters."""
VOID = frozenset({"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


def check_work(learner: Any, X: Any = None, *, drawn: bool = True, **how: Any) -> None:
    """Check the work of a fitted learner, or of its predictions for X; AssertionError says what is wrong.

    At least one step must hold arithmetic, and at least one must be tied to the model by `of`. Methods named
    in `of` are called once, on X if they take rows. All four renderings must come out, the HTML well formed and
    without scripts. Where many works of one kind are checked, `drawn=False` leaves the drawing of their figures to
    one of them.
    """
    work = check_equations(learner, X, **how)
    if not drawn:
        work = replace(work, steps=tuple(replace(step, figure=None) for step in work))
    _check_renderings(work, type(learner).__name__)


def check_equations(learner: Any, X: Any = None, **how: Any) -> Work:
    """Check what a work says, without writing it out, and give it."""
    work = learner.work(**how) if X is None else learner.work(X, **how)
    name = type(learner).__name__
    require(isinstance(work, Work), f"{name}.work() gives {type(work).__name__}, not a Work")
    equations = [equation for equation in work.equations if equation.is_evaluated]
    require(bool(equations), f"no step of the work of {name} holds arithmetic")
    require(any(equation.of for equation in equations), f"no step of the work of {name} is tied to the model by `of`")
    outputs: dict[str, Any] = {}
    meanings: dict[str, str] = {}
    for i, step in enumerate(work):
        where = f"step {i} of the work of {name}, {step.title!r},"
        for equation in step.equations:
            _check_equation(equation, where, learner, X, outputs)
            _check_meanings(equation, where, meanings)
    return work


def _check_equation(equation: Equation, where: str, learner: Any, X: Any, outputs: dict[str, Any]) -> None:
    fault = equation.fault()
    require(fault is None, f"{where} has an equation of {equation.left} that {fault}")
    if not equation.of:
        return
    path = ".".join(map(str, equation.of))
    try:
        actual = _look_up(equation.of, learner, X, outputs)
        actual = str(actual) if isinstance(equation.value, str) else np.asarray(actual, float)
        actual = actual.item() if isinstance(actual, np.ndarray) and actual.ndim == 0 else actual
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise AssertionError(f"{where} is tied to {path}, which gives no number: {error}") from error
    measured = equation.measured[-1]
    require(
        agree(measured.value, actual, measured.scale),
        f"{where} has an equation whose value is {measured.value!r}, but {path} of the model is {actual!r}",
    )


def _check_meanings(equation: Equation, where: str, meanings: dict[str, str]) -> None:
    """A name that is explained means the same in all of a work."""
    for name, words in equation.where.items():
        known = meanings.setdefault(name, words)
        require(known == words, f"{where} calls {name} {words!r}, which was {known!r} before")


def _look_up(path: tuple[str | int, ...], learner: Any, X: Any, outputs: dict[str, Any]) -> Any:
    """Follow a path from an attribute, or from what a method returns for X, by attribute, key and index."""
    start = str(path[0])
    if start not in outputs:
        attribute = getattr(learner, start)
        outputs[start] = _output(attribute, start, X) if callable(attribute) else attribute
    value = outputs[start]
    for key in path[1:]:
        by_name = isinstance(key, str) and not isinstance(value, Mapping) and hasattr(value, key)
        value = getattr(value, str(key)) if by_name else value[key]
    return value


def _output(method: Callable[..., Any], name: str, X: Any) -> Any:
    if not inspect.signature(method).parameters:
        return method()
    if X is None:
        raise ValueError(f"{name} is a method, and there is no X to call it on")
    return method(X)


def _check_renderings(work: Work, name: str) -> None:
    renderings = {
        "text": work.to_text(),
        "Markdown": work.to_markdown(),
        "LaTeX": work.to_latex(),
        "HTML": work.to_html(),
    }
    for kind, rendering in renderings.items():
        require(bool(rendering.strip()), f"the work of {name} renders to nothing as {kind}")
    known = PRINTABLE.fullmatch(renderings["LaTeX"]) is not None
    require(known, f"the LaTeX of the work of {name} holds other characters than printable ASCII")
    fault = html_fault(renderings["HTML"])
    require(fault is None, f"the HTML of the work of {name} is not well formed: {fault}")
    require("<script" not in renderings["HTML"].lower(), f"the HTML of the work of {name} holds a script")


def html_fault(page: str) -> str | None:
    """Say which element of a page is not closed, or closed without being open; None if all is well."""
    reader = _Balance()
    reader.feed(page)
    reader.close()
    return reader.fault or (f"<{reader.open[-1]}> is never closed" if reader.open else None)


class _Balance(HTMLParser):
    """Keep the elements that are open, and the first that is closed out of turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fault: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element that closes itself, as in SVG, leaves nothing open."""

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        elif self.fault is None:
            self.fault = f"</{tag}> is where {f'</{self.open[-1]}>' if self.open else 'nothing'} should be"
