"""What a hypothesis says of data: ln P(datum | h) for each datum, however the hypothesis is given.

A hypothesis speaks for itself in one of these ways, and all hypotheses of a posterior in ways of one side:

    of single data    a mapping of values to probabilities; a function of a datum; a frozen SciPy distribution
    of labelled rows  a fitted learner with `predict_proba`; a `Conjunction`, which says true or false of a row

With `likelihood(h, datum)` a hypothesis may be anything, such as the number of limes in a hundred candies.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from novacula.arguments import as_numbers
from novacula.bayes.probabilities import as_probabilities, as_weights, logarithm, refuse_doubled
from novacula.concept import Conjunction
from novacula.errors import DataError, InputTypeError, ParameterError, warned_once
from novacula.table.chunk import Floats
from novacula.words import listed, quoted

Likelihood: TypeAlias = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class ObservedLikelihoods:
    """Observations as they came, what every hypothesis says of each, and how often each was seen."""

    data: Sequence[Any]  # n data, or the labels of n rows
    log_likelihood: Floats  # (n, H)
    weight: Floats  # (n,)

    @property
    def total(self) -> Floats:
        """ln P(data | h) for each hypothesis (H,); what was seen 0 times says nothing."""
        seen = self.weight > 0
        return np.asarray((self.weight[seen, None] * self.log_likelihood[seen]).sum(axis=0))


# --- hypotheses and their names --------------------------------------------------------------------------------------


def hypotheses_by_name(hypotheses: Any) -> dict[Hashable, Any]:
    """Hypotheses by name; in a sequence, words and numbers are their own names, and functions have theirs."""
    if isinstance(hypotheses, str) or not hasattr(hypotheses, "__iter__"):
        raise InputTypeError(f"hypotheses are a mapping or a sequence, not {quoted(hypotheses)}")
    pairs = hypotheses.items() if isinstance(hypotheses, Mapping) else ((_name(h), h) for h in hypotheses)
    found = list(pairs)
    refuse_doubled([name for name, _ in found], "hypotheses")
    return dict(found)


def _name(hypothesis: Any) -> Hashable:
    if isinstance(hypothesis, (str, int, float, Conjunction)):
        return hypothesis
    return str(getattr(hypothesis, "__name__", type(hypothesis).__name__))


def labels_rows(hypothesis: Any) -> bool:
    """Whether a hypothesis speaks of labelled rows."""
    return hasattr(hypothesis, "predict_proba") or isinstance(hypothesis, Conjunction)


# --- single data -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SingleData:
    """Hypotheses of single data; `density`: they give densities, which may exceed 1."""

    hypotheses: Mapping[Hashable, Any]
    likelihood: Likelihood | None
    density: bool

    def __post_init__(self) -> None:
        for name, h in self.hypotheses.items():
            if self.likelihood is None and not (isinstance(h, Mapping) or callable(h) or _log_method(h)):
                raise InputTypeError(
                    f"the hypothesis {quoted(name)} is {quoted(h)}, which gives no probabilities: give a mapping of "
                    f"values to probabilities, a function of a datum, a fitted learner, or likelihood(h, datum)"
                )
            if self.likelihood is None and not self.density and isinstance(h, Mapping):
                as_probabilities(h, tuple(h), f"the hypothesis {quoted(name)}")

    def observe(self, data: Any, weight: Any) -> ObservedLikelihoods:
        """What the hypotheses say of a sequence of data."""
        if isinstance(data, (str, bytes, Mapping)) or not hasattr(data, "__iter__"):
            raise InputTypeError(f"data are a sequence of observations: put {quoted(data)} in a list")
        data = list(data)
        if not data:
            raise DataError("there are no data; give at least one observation")
        logs = np.column_stack([self._logs(name, data) for name in self.hypotheses])
        return ObservedLikelihoods(data, logs, as_weights(weight, len(data)))

    def predict(self, x: Any, weights: Floats) -> float:
        """Σ P(x | h) · weight of h, for one datum."""
        return float(np.exp([self._logs(name, [x])[0] for name in self.hypotheses]) @ weights)

    def _logs(self, name: Hashable, data: Sequence[Any]) -> Floats:
        h = self.hypotheses[name]
        if self.likelihood is None and (method := _log_method(h)):
            logs = np.asarray(method(as_numbers(data, "data")), np.float64).reshape(-1)
            self._refuse(np.isnan(logs) | (logs == np.inf), logs, name, data)
            return logs
        if self.likelihood is not None:
            values = [self.likelihood(h, x) for x in data]
        elif isinstance(h, Mapping):
            values = [_entry(h, name, x) for x in data]
        else:
            values = [h(x) for x in data]
        given = np.array([_number(value, name, x) for value, x in zip(values, data, strict=True)])
        self._refuse(~np.isfinite(given) | (given < 0), given, name, data)
        if not self.density:
            self._refuse(given > 1.0 + 1e-12, given, name, data)
        return logarithm(given)

    def _refuse(self, strange: Any, given: Floats, name: Hashable, data: Sequence[Any]) -> None:
        if strange.any():
            place = int(np.argmax(strange))
            limit = "a number of at least 0" if self.density else "a probability from 0 to 1 (or say density=True)"
            raise ParameterError(
                f"the likelihood of observation {place + 1}, {quoted(data[place])}, under {quoted(name)} is "
                f"{given[place]:g}; it must be {limit}"
            )


def _log_method(h: Any) -> Callable[[Any], Any] | None:
    """A distribution's own logarithm, which does not underflow."""
    return getattr(h, "logpmf", None) or getattr(h, "logpdf", None)


def _entry(table: Mapping[Any, Any], name: Hashable, x: Any) -> Any:
    if x not in table:
        raise DataError(
            f"the hypothesis {quoted(name)} has no probability for {quoted(x)}; it knows {listed(list(table))}"
        )
    return table[x]


def _number(value: Any, name: Hashable, x: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"the likelihood of {quoted(x)} under {quoted(name)} is {quoted(value)}, not a number"
        ) from None


# --- labelled rows ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Hypotheses that give the probability of each class of a row; data are a pair (X, y)."""

    hypotheses: Mapping[Hashable, Any]

    def __post_init__(self) -> None:
        for name, h in self.hypotheses.items():
            if not labels_rows(h):
                raise InputTypeError(f"the hypothesis {quoted(name)} labels no rows, as others do: give one kind only")
            if _classes(h) is None:
                raise ParameterError(f"the hypothesis {quoted(name)} is not fitted; fit it first")
            if not np.array_equal(_classes(h), self.classes):
                raise ParameterError(
                    f"the hypothesis {quoted(name)} knows the classes {listed(_classes(h).tolist())}, and another one "
                    f"{listed(self.classes.tolist())}; all must know the same"
                )

    @property
    def classes(self) -> Any:
        """The classes in order."""
        return _classes(next(iter(self.hypotheses.values())))

    def observe(self, data: Any, weight: Any) -> ObservedLikelihoods:
        """What the hypotheses say of the labels y of rows X."""
        if not isinstance(data, (tuple, list)) or len(data) != 2:
            raise InputTypeError("data are a pair (X, y) of rows and their labels")
        X, y = data
        labels = np.asarray(y).reshape(-1)
        if not len(labels):
            raise DataError("there are no data; give at least one row")
        codes = self._codes(labels.tolist())
        logs = [_log_shares(h, X) for h in self.hypotheses.values()]
        if len(logs[0]) != len(codes):
            raise DataError(f"there are {len(logs[0])} rows in X and {len(codes)} labels in y")
        rows = np.arange(len(codes))
        return ObservedLikelihoods(
            labels.tolist(), np.column_stack([log[rows, codes] for log in logs]), as_weights(weight, len(codes))
        )

    def _codes(self, labels: list[Any]) -> Any:
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        for i, label in enumerate(labels):
            if label not in place:
                raise DataError(f"row {i + 1} has the label {quoted(label)}, which is none of {listed(list(place))}")
        return np.array([place[label] for label in labels])

    def probabilities(self, X: Any) -> Iterator[Floats]:
        """P(t | x, h) for each row and class (n, K), one hypothesis after the other."""
        said = set[str]()
        for h in self.hypotheses.values():
            with warned_once(said):
                shares = _shares(h, X)
            yield shares

    def predict(self, X: Any, weights: Floats) -> Floats:
        """Σ P(t | x, h) · weight of h, for each row and class (n, K)."""
        return np.asarray(sum(w * share for w, share in zip(weights, self.probabilities(X), strict=True)))


def _classes(h: Any) -> Any:
    return np.array([False, True]) if isinstance(h, Conjunction) else getattr(h, "classes_", None)


def _shares(h: Any, X: Any) -> Floats:
    if isinstance(h, Conjunction):
        accepted = h.predict(X)
        return np.column_stack([~accepted, accepted]).astype(np.float64)
    return np.asarray(h.predict_proba(X), np.float64)


def _log_shares(h: Any, X: Any) -> Floats:
    """Logarithms as the hypothesis itself has them, if it does: e⁻⁸⁰⁰ is small, but not 0."""
    if not hasattr(h, "predict_log_proba"):
        return logarithm(_shares(h, X))
    with np.errstate(divide="ignore"):
        return np.asarray(h.predict_log_proba(X), np.float64)
