"""Description length: the bits of a hypothesis and of the data once it is known. The shortest description is the MAP
hypothesis under the prior P(h) = 2^−bits(h), for −log₂ P(h) − log₂ P(D|h) is least where P(h)·P(D|h) is largest.

    data, classes     −Σ log₂ P(y|x); of a model without probabilities its mistakes: log₂(n + 1) bits how many,
                      log₂ C(n, e) which rows, log₂(K − 1) per mistake which class instead
    data, numbers     −Σ log₂ (δ·N(y; ŷ, σ²)) for targets that are known to δ, σ² the mean squared residual, σ ≥ δ
    model             ½ log₂ n per parameter (Rissanen 1978), σ among them
                      log₂ |H| where there are finitely many hypotheses
                      a code of its own where the learner has one in `code_length`, as trees do
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np

from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.parts import derive_description
from novacula.evaluate.loss import Floats, differ, loss
from novacula.evaluate.printing import TabularResult
from novacula.evaluate.rows import SupervisedRows, is_classifier, rows_for
from novacula.learner.figure import few_digits
from novacula.learner.parameter_count import n_parameters
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import counted, quoted


@dataclass(frozen=True)
class DescriptionLength(TabularResult):
    """Bits of a model and of the targets given it, and by which codes."""

    model_bits: float
    data_bits: float
    model_code: str
    data_code: str
    parts: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)  # the numbers that are coded

    @property
    def total(self) -> float:
        """All bits."""
        return self.model_bits + self.data_bits

    def _derive(self, options: WorkOptions) -> Work:
        return derive_description(self)

    def table(self) -> WorkTable:
        """Both parts with their codes, and their sum."""
        rows = (
            ("model", self.model_bits, self.model_code),
            ("data given the model", self.data_bits, self.data_code),
            ("together", self.total, ""),
        )
        return WorkTable(("part", "bits", "code"), rows, "Description length, shorter is better")


def description_length(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    model_bits: float | None = None,
    precision: float | None = None,
    sample_weight: Any = None,
) -> DescriptionLength:
    """Count the bits of a fitted model, and of the targets of rows given it.

    `model_bits` states the bits of the model, −log₂ of its prior, instead of counting them. `precision` is the δ to
    which a regression target is known, by default the least gap between its values; it is the same for every model, so
    differences do not depend on it.

    >>> import novacula as nv
    >>> from novacula.tree import DecisionTreeClassifier
    >>> table = nv.datasets.load("play_tennis")
    >>> print(description_length(DecisionTreeClassifier(max_leaf_nodes=3).fit(table), table))
    Description length, shorter is better
    part                     bits  code
    ────────────────────  ───────  ────────────────────────────────────────────────────────────────────────
    model                  11.711  code with shares: a tree of 4 nodes and 1 test, 3 class shares in leaves
    data given the model  9.70951  −Σ log₂ P(y|x)
    together              21.4205
    """
    rows = rows_for(model, X, y, sample_weight)
    n = float(len(rows) if rows.weight is None else rows.weight.sum())
    classes = is_classifier(model)
    data, data_code, parts = _class_bits(model, rows) if classes else _number_bits(model, rows, precision)
    if model_bits is not None:
        if not model_bits >= 0:
            raise ParameterError(f"model_bits is {quoted(model_bits)}; it must be a number of at least 0")
        return DescriptionLength(float(model_bits), data, "as stated", data_code, parts)
    bits, code, count = _model_bits(model, n, 0 if classes else 1)
    more = {} if count is None else {"parameters": count, "n": n}
    return DescriptionLength(bits, data, code, data_code, parts | more)


def _class_bits(model: Any, rows: SupervisedRows) -> tuple[float, str, dict[str, Any]]:
    """The bits of classes, their code, and the numbers that it codes."""
    if hasattr(model, "predict_proba"):
        lost = loss("log")(rows.y, model.predict_proba(rows.X), model.classes_)
        code, strange = "−Σ log₂ P(y|x)", np.flatnonzero(np.isinf(lost))
        if len(strange):
            code += f", infinite: {len(strange)} rows have probability 0, the first is row {strange[0] + 1}"
        return _total(lost, rows.weight) / math.log(2), code, {"probabilities": np.exp(-lost), "weight": rows.weight}
    wrong = differ(np.asarray(rows.y), np.asarray(model.predict(rows.X))).astype(np.float64)
    n, e = _total(np.ones(len(rows)), rows.weight), _total(wrong, rows.weight)
    others = max(len(model.classes_) - 1, 1)
    which = (math.lgamma(n + 1) - math.lgamma(e + 1) - math.lgamma(n - e + 1)) / math.log(2)
    bits = math.log2(n + 1) + which + e * math.log2(others)
    return bits, f"{e:g} mistakes in {n:g} rows", {"n": n, "mistakes": e, "classes": len(model.classes_)}


def _number_bits(model: Any, rows: SupervisedRows, precision: float | None) -> tuple[float, str, dict[str, Any]]:
    """The bits of numbers, their code, and the numbers that it codes."""
    y = np.asarray(rows.y, np.float64)
    if y.ndim != 1:
        raise DataError("the model has several targets: describe one at a time")
    delta = _least_gap(y) if precision is None else precision
    if not 0 < delta < math.inf:
        raise ParameterError(f"precision is {quoted(precision)}; it must be a number above 0")
    residuals = y - model.predict(rows.X)
    squares = residuals**2
    sigma = max(math.sqrt(np.average(squares, weights=rows.weight)), delta)
    nats = squares / (2 * sigma**2) + math.log(sigma * math.sqrt(2 * math.pi) / delta)
    code = f"normal residuals, σ = {few_digits(sigma)}, targets to {few_digits(delta)}"
    parts = {"residuals": residuals, "σ": sigma, "δ": delta, "weight": rows.weight}
    return _total(nats, rows.weight) / math.log(2), code, parts


def _least_gap(y: Floats) -> float:
    """The least distance of values that differ; 1 where none do."""
    gaps = np.diff(np.unique(y))
    return float(gaps.min()) if len(gaps) else 1.0


def _model_bits(model: Any, n: float, more: int) -> tuple[float, str, int | None]:
    """The bits of a model by its own code or by its parameters, and their number in the last case.

    `more` are the parameters of the data's distribution.
    """
    from novacula.learner.base import Learner

    own = model.code_length(n) if isinstance(model, Learner) else None
    if own is not None:
        return (*own, None)
    size = _log2_hypotheses(model)
    if size is not None:
        return size, "log₂ of the number of hypotheses", None
    count = n_parameters(model) + more
    return count * math.log2(n) / 2, f"{counted(count, 'parameter')} at ½ log₂ n", count


def _log2_hypotheses(model: Any) -> float | None:
    """log₂ |H| of a concept learner, by the function on its card."""
    count = getattr(getattr(model, "card", None), "log2_hypotheses", None)
    if count is None or not hasattr(model, "space_"):
        return None
    space = model.space_
    sizes = {"counts": space.constraint_counts, "n_instances": space.n_instances}
    return float(count(*(sizes[name] for name in signature(count).parameters)))


def _total(values: Floats, weight: Floats | None) -> float:
    return float(values.sum() if weight is None else values @ weight)
