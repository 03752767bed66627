"""Entropy, information gain and gain ratio of columns: plain numbers that derive themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from novacula.errors import DataError, InputTypeError
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.theory.results import DerivedFloat
from novacula.tree.attributes import Attribute
from novacula.tree.criterion import CRITERIA
from novacula.tree.derivation import equations
from novacula.tree.derivation.split import ExaminedSplit
from novacula.tree.export import Condition
from novacula.tree.missing import STRATEGIES
from novacula.words import quoted

GAIN = CRITERIA["gain"]
VALUE = ("value",)


def entropy(labels: Iterable[Any] | Mapping[Any, float]) -> DerivedFloat:
    """Give H(S) = −Σ p log₂ p of labels, or of how often each of them occurs.

    >>> h = entropy({"Yes": 9, "No": 5})
    >>> round(h, 4), round(entropy(["Yes", "No"]), 4)
    (0.9403, 1.0)
    """
    names, counts = _counted(labels)
    return DerivedFloat(float(GAIN.impurities(counts)), partial(_entropy_work, names=names, counts=counts))


def information_gain(values: Iterable[Any], labels: Iterable[Any], name: str = "A") -> DerivedFloat:
    """Give Gain(S, A) = H(S) − Σ |Sᵥ| / |S| · H(Sᵥ) of a column of values about labels.

    >>> round(information_gain(["None", "Some", "Full", "Full"], ["No", "Yes", "Yes", "No"], "Patrons"), 4)
    0.5
    """
    split, names = _split(values, labels, name)
    return DerivedFloat(split.gain(GAIN), partial(_gain_work, split=split, classes=names, name=name))


def gain_ratio(values: Iterable[Any], labels: Iterable[Any], name: str = "A") -> DerivedFloat:
    """Give Gain(S, A) / SplitInformation(S, A); 0 where all rows have one value, which informs of nothing.

    >>> round(gain_ratio(["None", "Some", "Full", "Full"], ["No", "Yes", "Yes", "No"], "Patrons"), 4)
    0.3333
    """
    split, names = _split(values, labels, name)
    information = float(GAIN.impurities(split.known.sum(axis=1)))
    ratio = split.gain(GAIN) / information if information > 0.0 else 0.0
    return DerivedFloat(ratio, partial(_ratio_work, split=split, classes=names, name=name))


def entropy_curve(places: int = 201) -> Figure:
    """Draw B(q) = −q log₂ q − (1 − q) log₂(1 − q), the entropy of two classes, over the share q of one.

    >>> entropy_curve().alt
    'The entropy B(q) of two classes over the share q of one: 0 at q = 0, 1 bit at q = 0.5, 0 at q = 1.'
    """
    q = np.linspace(0.0, 1.0, places)
    alt = "The entropy B(q) of two classes over the share q of one: 0 at q = 0, 1 bit at q = 0.5, 0 at q = 1."
    bits = GAIN.impurities(np.column_stack([q, 1.0 - q]))
    title, share = "The entropy of two classes", "q, the share of one class"
    return curve_figure(q, {"B(q)": bits}, title=title, xlabel=share, ylabel="B(q) in bits", alt=alt)


def _counted(labels: Any) -> tuple[list[str], Floats]:
    """Labels in their order and how often each occurs."""
    if not isinstance(labels, Mapping):
        found = _column(labels, "labels")
        labels = {label: found.count(label) for label in sorted(set(found), key=str)}
    try:
        counts = np.array([float(count) for count in labels.values()])
    except (TypeError, ValueError):
        raise InputTypeError("the counts of labels must be numbers") from None
    if not len(counts) or not (counts >= 0).all() or not 0 < counts.sum() < np.inf:
        raise DataError("there are no labels to count, or a count is below 0: give at least one label")
    return equations.distinct(labels), counts


def _column(values: Any, what: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputTypeError(f"{what} are {quoted(values)}; give one for each row")
    found = np.asarray(values).tolist() if hasattr(values, "__array__") else list(values)
    if any(value is None or value != value for value in found):
        raise DataError(f"{what} have a missing value, of which nothing is counted: leave its row out")
    return found


def _split(values: Any, labels: Any, name: str) -> tuple[ExaminedSplit, list[str]]:
    """The rows dealt out by value, and the names of the classes."""
    column, classes = _column(values, "values"), _column(labels, "labels")
    if len(column) != len(classes) or not column:
        raise DataError(f"there are {len(column)} values and {len(classes)} labels: give one of each for every row")
    branches, kinds = sorted(set(column), key=str), sorted(set(classes), key=str)
    counts = np.zeros((len(branches), len(kinds)))
    np.add.at(counts, ([branches.index(v) for v in column], [kinds.index(label) for label in classes]), 1.0)
    attribute = Attribute(str(name), "nominal", 0, tuple(branches))
    conditions = tuple(Condition(attribute, codes=(code,)) for code in range(len(branches)))
    nothing = np.zeros(len(kinds))
    return ExaminedSplit(conditions, counts, nothing, STRATEGIES["most_common"]), equations.distinct(kinds)


# --- derivations ----------------------------------------------------------------------------------------------------


def _entropy_work(_: float, names: list[str], counts: Floats) -> Work:
    found = equations.impurity(names, counts, GAIN, of=VALUE)
    figure = entropy_curve() if len(names) == 2 else None
    return Work("Entropy", [Step("The labels", found, figure=figure)])


def _gain_steps(split: ExaminedSplit, classes: list[str], name: str, of: tuple[str | int, ...]) -> list[Step]:
    """The entropy of all rows and of each branch, and the gain."""
    branches = zip(equations.branch_names(split), split.known, strict=True)
    parts = [equations.impurity(classes, row, GAIN, label) for label, row in branches]
    gain = equations.gain(name, split, GAIN, split.start, 0.0, of)
    spread = GAIN.impurities(split.known)
    rows = tuple(
        (condition.on_branch(), *row.tolist(), float(row.sum()), float(h))
        for condition, row, h in zip(split.conditions, split.known, spread, strict=True)
    )
    table = WorkTable((str(name), *classes, "examples", "⟦H(S[v])⟧"), rows)
    return [
        Step("All examples", equations.impurity(classes, split.start, GAIN)),
        Step(f"What {name} gains", (*parts, gain), table),
    ]


def _gain_work(_: float, split: ExaminedSplit, classes: list[str], name: str) -> Work:
    return Work("Information gain", _gain_steps(split, classes, name, VALUE))


def _ratio_work(_: float, split: ExaminedSplit, classes: list[str], name: str) -> Work:
    information = equations.information(name, split, split.start, ())
    ratio = equations.ratio(name, split.gain(GAIN), float(information.value), VALUE)
    nothing = Equation(f"GainRatio(S, {word(name)})", "0", {}, VALUE)
    last = Step("One value only", nothing) if ratio is None else Step("By its split information", (information, ratio))
    return Work("Gain ratio", [*_gain_steps(split, classes, name, ()), last])
