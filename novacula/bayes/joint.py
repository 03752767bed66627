"""A joint distribution of finitely many variables as a table: every question of probability is a sum over it.

    P(a) = Σ P(a, b)        P(a | b) = P(a, b) / P(b)        P(a, b, c) = P(a) · P(b | a) · P(c | a, b)

An event is a mapping of variables to values, or to sets of values, or a function that says of an assignment (a mapping
of all variables to values) whether it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from novacula.arguments import as_numbers, require_finite
from novacula.bayes.derivation.joint import (
    derive_bayes,
    derive_chain,
    derive_joint,
    derive_total,
    derive_union,
    event_words,
)
from novacula.bayes.joint_cells import (
    are_swapped,
    as_key,
    as_number,
    distinct,
    found_states,
    shape_of,
    shares_of_rows,
    total_of,
)
from novacula.bayes.probabilities import SUM, as_weights, refuse_doubled
from novacula.concept import ConjunctiveSpace
from novacula.concept.rows import read_positions
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work
from novacula.table import Table, read
from novacula.table.chunk import Floats
from novacula.table.names import as_names
from novacula.words import listed, quoted

Assignment: TypeAlias = Mapping[str, Any]
Event: TypeAlias = Mapping[str, Any] | Callable[[Assignment], bool]

ROUNDING = 1e-12
"""Probabilities that differ by no more are equal: sums of the same numbers in another order."""


class Joint(ShowsWork):
    """A table of P(x₁, …, x_d), with one axis per variable.

    Parameters
    ----------
    probabilities : mapping or array
        A probability for each combination of values: by tuples of values, where what is left out has probability 0, or
        as an array with one axis per variable.
    variables : mapping of str to sequence, or sequence of str
        The values of each variable in order; for a mapping of probabilities the names will do.

    Examples
    --------
    >>> visit = Joint({("yes", "ache"): 0.12, ("yes", "none"): 0.08, ("no", "ache"): 0.08, ("no", "none"): 0.72},
    ...               ["cavity", "tooth"])
    >>> visit.probability({"cavity": "yes"}), round(visit.probability({"cavity": "yes"}, given={"tooth": "ache"}), 6)
    (0.2, 0.6)
    >>> visit.independent("cavity", "tooth"), round(visit.mutual_information("cavity", "tooth"), 6)
    (False, 0.152542)
    """

    def __init__(self, probabilities: Any, variables: Mapping[str, Sequence[Any]] | Sequence[str]) -> None:
        if are_swapped(probabilities, variables):
            raise InputTypeError("the probabilities come first, then the variables: Joint(probabilities, variables)")
        if isinstance(probabilities, Mapping):
            self.states = found_states(probabilities, variables)
            table = np.zeros(shape_of(self.states))
            for key, p in probabilities.items():
                table[self._place(dict(zip(self.states, as_key(key), strict=True)))] = as_number(p, key)
        else:
            if not isinstance(variables, Mapping):
                raise InputTypeError("variables must map names to their values where probabilities are an array")
            self.states = {name: distinct(name, values) for name, values in variables.items()}
            table = as_numbers(probabilities, "probabilities")
        refuse_doubled(tuple(self.states), "variables")
        if table.shape != shape_of(self.states):
            raise ParameterError(f"probabilities have shape {table.shape}; the variables need {shape_of(self.states)}")
        require_finite(table, "probabilities")
        if (table < 0).any():
            raise ParameterError(f"probabilities have {table.min():g}; they are at least 0")
        if abs(table.sum() - 1.0) > SUM:
            raise ParameterError(f"probabilities sum to {table.sum():.10g}; they must sum to 1")
        self.table: Floats = table / table.sum()

    @classmethod
    def from_rows(cls, rows: Any, variables: Sequence[str] | None = None, weight: Any = None) -> Self:
        """The shares of combinations in rows: a table or frame, whose columns are the variables, or a list of tuples or
        mappings of values; `weight` says how often each row was seen.
        """
        if isinstance(rows, (list, tuple)):
            return cls(*shares_of_rows(rows, variables, weight))
        if isinstance(rows, Table) and weight is not None:
            raise InputTypeError("a Table holds its weights itself: read it with weight='column'")
        table = (rows if isinstance(rows, Table) else read(rows, progress=False)).with_target(None)
        if variables is not None:
            table = table.select(list(variables))
        space = ConjunctiveSpace.from_table(table)
        codes = read_positions(space, table) // 2
        counts = np.zeros(shape_of(space.domains))
        np.add.at(counts, tuple(codes.T), table.to_chunk().weight if weight is None else as_weights(weight, len(codes)))
        return cls(counts / total_of(counts.sum()), space.domains)

    # --- what it holds -----------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The variables in order."""
        return tuple(self.states)

    def assignments(self) -> Iterator[dict[str, Any]]:
        """Every combination of values, in the order of the table."""
        return (dict(zip(self.names, values, strict=True)) for values in product(*self.states.values()))

    def probability(self, event: Event, given: Event | None = None) -> float:
        """P(event), or P(event | given)."""
        if given is None:
            return float(self.table[self.where(event)].sum())
        condition = self.where(given)
        below = float(self.table[condition].sum())
        if not below > 0:
            raise DataError(f"the condition {event_words(given)} has probability 0")
        return min(1.0, float(self.table[condition & self.where(event)].sum()) / below)

    def probability_of_any(self, *events: Event) -> float:
        """P(e₁ ∪ e₂ ∪ …); `inclusion_exclusion` derives it."""
        return float(self.table[np.logical_or.reduce([self.where(event) for event in events])].sum())

    def marginal(self, names: str | Sequence[str]) -> Joint:
        """The joint distribution of some variables, in the order given: the others are summed out."""
        chosen = self._axes(names)
        if not chosen:
            raise ParameterError("there are no variables to keep; name at least one")
        others = tuple(k for k in range(self.table.ndim) if k not in chosen)
        kept = np.transpose(self.table, (*chosen, *others)).reshape(*(self.table.shape[k] for k in chosen), -1)
        return Joint(kept.sum(axis=-1), {name: self.states[name] for name in as_names(names)})

    def condition(self, given: Event) -> Joint:
        """The distribution of what is left open once an event has happened."""
        total = self.probability(given)
        if not total > 0:
            raise DataError(f"the condition {event_words(given)} has probability 0")
        fixed = {name: v for name, v in given.items() if self._is_state(name, v)} if isinstance(given, Mapping) else {}
        if len(fixed) == len(self.states):
            raise ParameterError("the condition fixes every variable, so nothing is left to have a distribution")
        left = np.where(self.where(given), self.table, 0.0) / total
        index = tuple(self._state(n, fixed[n]) if n in fixed else slice(None) for n in self.names)
        return Joint(left[index], {n: s for n, s in self.states.items() if n not in fixed})

    # --- what it says ------------------------------------------------------------------------------------------------

    def independent(self, a: str | Sequence[str], b: str | Sequence[str], given: str | Sequence[str] = ()) -> bool:
        """Whether a and b are independent, given others: P(a, b, c) · P(c) = P(a, c) · P(b, c) for all values."""
        first, second, third = map(self._axes, (a, b, given))
        if set(first) & set(second) or set(third) & {*first, *second}:
            raise ParameterError("a variable stands on two sides; a, b and given must have none in common")
        abc, c = self._summed(*first, *second, *third), self._summed(*third)
        return bool(np.all(np.abs(abc * c - self._summed(*first, *third) * self._summed(*second, *third)) <= ROUNDING))

    def entropy(self, names: str | Sequence[str] | None = None, given: str | Sequence[str] = ()) -> float:
        """H(names | given) in bits; of all variables by default."""
        chosen, known = self._axes(self.names if names is None else names), self._axes(given)
        return max(0.0, _bits(self._summed(*chosen, *known)) - _bits(self._summed(*known)))

    @property
    def bits(self) -> float:
        """The entropy of all variables."""
        return self.entropy()

    def mutual_information(
        self, a: str | Sequence[str], b: str | Sequence[str], given: str | Sequence[str] = ()
    ) -> float:
        """I(a; b | given) = H(a | given) − H(a | b, given), in bits."""
        return max(0.0, self.entropy(a, given) - self.entropy(a, (*as_names(b), *as_names(given))))

    def expectation(self, value: str | Callable[[Assignment], float], given: Event | None = None) -> float:
        """The mean of a function of an assignment, or of a variable whose values are numbers."""
        table = self.table if given is None else np.where(self.where(given), self.table, 0.0)
        if not table.sum() > 0:
            raise DataError(f"the condition {event_words(given)} has probability 0")
        if isinstance(value, str):
            [axis] = self._axes(value)
            numbers = as_numbers(self.states[value], f"the values of {quoted(value)}")
            return float(numbers @ table.sum(axis=tuple(k for k in range(table.ndim) if k != axis)) / table.sum())
        numbers = np.array([float(value(x)) for x in self.assignments()]).reshape(table.shape)
        return float((numbers * table).sum() / table.sum())

    # --- derivations -------------------------------------------------------------------------------------------------

    def chain_rule(self, assignment: Assignment, order: Sequence[str] | None = None) -> Work:
        """P(x₁, …, x_d) as a product of conditional probabilities, each variable given those before it."""
        names = tuple(assignment) if order is None else tuple(order)
        if set(names) != set(assignment):
            raise ParameterError(f"order names {listed(names)}; it must name the variables {listed(tuple(assignment))}")
        return derive_chain(self, {name: assignment[name] for name in names})

    def inclusion_exclusion(self, *events: Event) -> Work:
        """P(e₁ ∪ e₂ ∪ …) = Σ P(eᵢ) − Σ P(eᵢ, eⱼ) + …"""
        return derive_union(self, events)

    def total_probability(self, event: Event, variable: str) -> Work:
        """P(event) = Σ P(event | v) · P(v), over the values of a variable."""
        self._axes(variable)
        return derive_total(self, event, variable)

    def bayes(self, hypothesis: Event, evidence: Event) -> Work:
        """P(hypothesis | evidence) = P(evidence | hypothesis) · P(hypothesis) / P(evidence)."""
        return derive_bayes(self, hypothesis, evidence)

    def _derive(self, options: WorkOptions) -> Work:
        """The table, the distribution of each variable on its own, and the entropy."""
        return derive_joint(self, options)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        raise ParameterError("a Joint derives no rows; ask its chain_rule, total_probability or bayes")

    def __repr__(self) -> str:
        return f"<Joint of {', '.join(f'{quoted(n)} ({len(s)})' for n, s in self.states.items())}>"

    # --- how ---------------------------------------------------------------------------------------------------------

    def where(self, event: Event) -> npt.NDArray[np.bool_]:
        """In which cells of the table an event happens."""
        if callable(event):
            return np.array([bool(event(x)) for x in self.assignments()]).reshape(self.table.shape)
        if not isinstance(event, Mapping):
            raise InputTypeError(f"an event is a mapping of variables to values, or a function, not {quoted(event)}")
        held = np.ones(self.table.shape, bool)
        for name, value in event.items():
            [axis] = self._axes(name)
            values = [value] if self._is_state(name, value) or not _several(value) else list(value)
            allowed = np.zeros(len(self.states[name]), bool)
            allowed[[self._state(name, v) for v in values]] = True
            held &= allowed.reshape([-1 if k == axis else 1 for k in range(self.table.ndim)])
        return held

    def _place(self, assignment: Assignment) -> tuple[int, ...]:
        return tuple(self._state(name, value) for name, value in assignment.items())

    def _is_state(self, name: str, value: Any) -> bool:
        return isinstance(value, Hashable) and value in self.states.get(name, ())

    def _state(self, name: str, value: Any) -> int:
        if not self._is_state(name, value):
            raise ParameterError(
                f"{quoted(name)} has no value {quoted(value)}; its values are {listed(self.states[name])}"
            )
        return self.states[name].index(value)

    def _axes(self, names: str | Sequence[str]) -> tuple[int, ...]:
        chosen = as_names(names)
        for name in chosen:
            if name not in self.states:
                raise ParameterError(f"there is no variable {quoted(name)}; the variables are {listed(self.names)}")
        if len(set(chosen)) < len(chosen):
            raise ParameterError(f"a variable stands twice in {listed(chosen)}")
        return tuple(self.names.index(name) for name in chosen)

    def _summed(self, *axes: int) -> Floats:
        """The probabilities of some variables; the others' axes stay, with length 1."""
        return np.asarray(self.table.sum(axis=tuple(k for k in range(self.table.ndim) if k not in axes), keepdims=True))


def _bits(table: Floats) -> float:
    held = table[table > 0]
    return float(-(held * np.log2(held)).sum())


def _several(value: Any) -> bool:
    return isinstance(value, (set, frozenset, list, tuple))
