"""A space of conjunctions: attributes with finite domains, and one constraint per attribute.

    nominal attribute of d values    a value or ? (any): d + 1 constraints
    ordered attribute of m values    an interval [a, b] with ends among them, the full one being ?: m(m + 1)/2
    ∅ (none)                         on any attribute makes a hypothesis that no instance satisfies

Inside, a value with number k in its domain stands at *position* 2k, and a constraint is a range of positions. What lies
between two ordered values has an odd position, and what a domain does not know stands at −1 or beyond its end, where
only ? reaches. So one comparison, low ≤ position ≤ high, serves every kind of attribute and every instance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from numbers import Real
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from novacula.concept.conjunction import ANY, NONE, Conjunction, Positions, Range
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.state import State, each, label, mapping, text
from novacula.table.names import did_you_mean, repeated
from novacula.table.schema import Category, Column, Schema

Domain: TypeAlias = tuple[Category, ...]


@dataclass(frozen=True, eq=False)
class ConjunctiveSpace:
    """All conjunctions of one constraint per attribute.

    Parameters
    ----------
    domains : mapping of str to sequence
        The values of each attribute, in the order of the attributes. A domain is a closed set.
    ordered : sequence of str, default=()
        Attributes whose values are in order, lowest first, and are constrained to intervals.

    Examples
    --------
    >>> domains = {"Sky": ["Sunny", "Cloudy", "Rainy"], "Degrees": [10, 15, 20, 25]}
    >>> space = ConjunctiveSpace(domains, ordered=["Degrees"])
    >>> space.n_instances, space.size_semantic
    (12, 41)
    >>> warm = space.conjunction("Sunny", (15, 25))
    >>> print(warm, warm(("Sunny", 20)), warm(("Sunny", 10)), warm <= space.most_general)
    ⟨Sunny, [15, 25]⟩ True False True
    >>> print(warm | ("Rainy", 25))
    ⟨?, [15, 25]⟩
    """

    state: ClassVar[State] = {"domains": mapping(each(label()), "columns"), "ordered": each(text())}

    domains: Mapping[str, Sequence[Category]]
    ordered: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.domains, Mapping):
            raise InputTypeError(f"domains maps attributes to their values; it is a {type(self.domains).__name__}")
        if not self.domains:
            raise ParameterError("a space needs at least one attribute")
        domains = {name: _domain(name, values) for name, values in self.domains.items()}
        if isinstance(self.ordered, str):
            raise InputTypeError(f"ordered is a sequence of attributes: say ordered=[{self.ordered!r}]")
        for name in self.ordered:
            if name not in domains:
                raise ParameterError(
                    f"ordered names {name!r}, which is not an attribute{did_you_mean(name, domains, 'attributes')}"
                )
            _check_order(name, domains[name])
        object.__setattr__(self, "domains", domains)
        object.__setattr__(self, "ordered", tuple(name for name in domains if name in self.ordered))

    @classmethod
    def from_table(cls, X: Any) -> Self:
        """Take the domains from a table, frame or array: categories in schema order, numbers as ordered grids."""
        from novacula.concept.rows import observed_domains
        from novacula.table import Table, read

        table = X if isinstance(X, Table) else read(X, progress=False)
        return cls(*observed_domains(table, table.to_chunk()))

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, ConjunctiveSpace) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        return tuple(self.domains.items()), self.ordered

    # --- attributes ------------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes in order."""
        return tuple(self.domains)

    @cached_property
    def values(self) -> tuple[Domain, ...]:
        """The domain of each attribute."""
        return tuple(map(tuple, self.domains.values()))

    @cached_property
    def sizes(self) -> Positions:
        """How many values each domain has."""
        return np.array([len(values) for values in self.values], np.int64)

    @cached_property
    def is_ordered(self) -> Any:
        """Whether each attribute is ordered."""
        return np.array([name in self.ordered for name in self.names])

    @cached_property
    def _place(self) -> tuple[dict[Category, int], ...]:
        return tuple({value: k for k, value in enumerate(values)} for values in self.values)

    @cached_property
    def _grids(self) -> tuple[Any, ...]:
        """The numbers of each ordered attribute that has nothing but numbers, else None."""
        numbers = [o and all(map(is_number, v)) for o, v in zip(self.is_ordered, self.values, strict=True)]
        return tuple(np.array(v, np.float64) if n else None for n, v in zip(numbers, self.values, strict=True))

    @property
    def schema(self) -> Schema:
        """The attributes as columns of a table."""
        return Schema(
            tuple(
                Column(name, "categorical", values, declared=True) if grid is None else Column(name, "numeric")
                for name, values, grid in zip(self.names, self.values, self._grids, strict=True)
            )
        )

    def positions(self, attribute: int, values: Sequence[Any]) -> Positions:
        """Where values of one attribute stand; what the domain does not know stands where only ? reaches."""
        place, grid = self._place[attribute], self._grids[attribute]
        if grid is None or not all(map(is_number, values)):
            return np.array([2 * place[value] if value in place else -1 for value in values], np.int64)
        numbers = np.array(values, np.float64)
        above = np.searchsorted(grid, numbers)
        return 2 * above - (grid[np.minimum(above, len(grid) - 1)] != numbers)

    def instance(self, x: Sequence[Any] | Mapping[str, Any]) -> Positions:
        """The positions of one instance, given in the order of the attributes or by their names."""
        if isinstance(x, Mapping):
            missing = [name for name in self.names if name not in x]
            if missing:
                raise DataError(f"the instance has no value for {missing[0]!r}")
            x = [x[name] for name in self.names]
        elif isinstance(x, str) or not isinstance(x, (Sequence, np.ndarray)):
            raise InputTypeError(f"an instance is a sequence or a mapping of values, not a {type(x).__name__}")
        if len(x) != len(self.names):
            raise ParameterError(f"the instance has {len(x)} values for {len(self.names)} attributes")
        for name, value in zip(self.names, x, strict=True):
            if value is None or value != value:
                raise DataError(f"the instance has no value for {name!r}, and a missing value satisfies no test")
        return np.array([self.positions(j, [plain(value)])[0] for j, value in enumerate(x)], np.int64)

    def refuse_unknown(self, position: Positions, instance: str, *, between: bool = False) -> None:
        """Raise if an instance (d,) has a value that is in no domain; `between`: numbers may lie off their grid."""
        for j, (name, place) in enumerate(zip(self.names, position.tolist(), strict=True)):
            if place % 2 == 1 and not (between and self._grids[j] is not None):
                raise DataError(
                    f"{instance} has a value of {name!r} that is not in its domain, {_few(self.values[j])}: correct "
                    "it, or state a domain that has it"
                )

    # --- sizes -----------------------------------------------------------------------------------------------------

    @cached_property
    def constraint_counts(self) -> tuple[int, ...]:
        """How many constraints but ∅ each attribute has."""
        pairs = zip(self.values, self.is_ordered, strict=True)
        return tuple(len(v) * (len(v) + 1) // 2 if ordered else len(v) + 1 for v, ordered in pairs)

    @property
    def size_syntactic(self) -> int:
        """How many conjunctions can be written down, ∅ being one more constraint: Π(dᵢ + 2) for nominal ones."""
        return math.prod(count + 1 for count in self.constraint_counts)

    @property
    def size_semantic(self) -> int:
        """How many of them differ in meaning, all with an ∅ being one: 1 + Π(dᵢ + 1) for nominal attributes."""
        return 1 + math.prod(self.constraint_counts)

    @property
    def n_instances(self) -> int:
        """How many instances there are: Πdᵢ."""
        return math.prod(len(values) for values in self.values)

    # --- hypotheses and instances ----------------------------------------------------------------------------------

    @property
    def most_general(self) -> Conjunction:
        """⟨?, …, ?⟩, which every instance satisfies."""
        return self.conjunction(*["?"] * len(self.names))

    @property
    def most_specific(self) -> Conjunction:
        """⟨∅, …, ∅⟩, which no instance satisfies."""
        return self.conjunction(*["∅"] * len(self.names))

    def conjunction(self, *constraints: Any) -> Conjunction:
        """Make a conjunction: a value, "?", "∅", or a pair of ends for an ordered attribute, each in its place."""
        if len(constraints) != len(self.names):
            raise ParameterError(f"{len(constraints)} constraints were given for {len(self.names)} attributes")
        ranges = [self._range(j, constraint) for j, constraint in enumerate(constraints)]
        return Conjunction.of_ranges(self, ranges)

    def _range(self, attribute: int, constraint: Any) -> Range:
        if constraint in ("?", "∅"):
            return self.any_range(attribute) if constraint == "?" else NONE
        ends = constraint if isinstance(constraint, (tuple, list)) else (constraint, constraint)
        name, place = self.names[attribute], self._place[attribute]
        if isinstance(constraint, (tuple, list)) and (len(ends) != 2 or not self.is_ordered[attribute]):
            raise ParameterError(
                f"{constraint!r} is not a constraint on {name!r}: intervals are for ordered attributes"
            )
        for end in ends:
            if end not in place:
                raise ParameterError(f"{name!r} has no value {end!r}; its values are {_few(self.values[attribute])}")
        low, high = (2 * place[end] for end in ends)
        if low > high:
            raise ParameterError(f"the interval {constraint!r} on {name!r} ends before it begins")
        return self.normal(attribute, low, high)

    def any_range(self, attribute: int) -> Range:
        """The range of ?, which reaches beyond the domain."""
        return -1, 2 * len(self.values[attribute]) - 1

    def normal(self, attribute: int, low: int, high: int) -> Range:
        """A range, with the full interval of an ordered attribute as ?."""
        full = self.is_ordered[attribute] and low <= 0 and high >= 2 * len(self.values[attribute]) - 2
        return self.any_range(attribute) if full else (low, high)

    def ranges(self, attribute: int) -> list[Range]:
        """Every constraint but ∅ on one attribute, ? last."""
        m = len(self.values[attribute])
        if not self.is_ordered[attribute]:
            return [*((2 * k, 2 * k) for k in range(m)), self.any_range(attribute)]
        inside = [(2 * a, 2 * b) for a in range(m) for b in range(a, m) if b - a < m - 1]
        return [*inside, self.any_range(attribute)]

    def hypotheses(self) -> Iterator[Conjunction]:
        """Every hypothesis that differs in meaning, ∅ first, one by one."""
        yield self.most_specific
        for ranges in product(*(self.ranges(j) for j in range(len(self.names)))):
            yield Conjunction.of_ranges(self, ranges)

    def instances(self) -> Iterator[tuple[Category, ...]]:
        """Every instance, one by one."""
        return product(*self.values)


def _domain(name: Any, values: Any) -> Domain:
    if not isinstance(name, str):
        raise InputTypeError(f"attributes are called by words, but one is {name!r}")
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise InputTypeError(f"the domain of {name!r} is a sequence of values, not {values!r}")
    domain = tuple(plain(value) for value in values)
    if not domain:
        raise ParameterError(f"the domain of {name!r} is empty")
    for value in domain:
        if value in (ANY, "∅"):
            raise ParameterError(f"{name!r} has the value {value!r}, which stands for a constraint: rename the value")
        if not isinstance(value, Category) or (isinstance(value, float) and not math.isfinite(value)):
            raise ParameterError(f"{name!r} has the value {value!r}: values are words, finite numbers, true and false")
    if len(set(domain)) != len(domain):
        raise ParameterError(f"{name!r} names the value {repeated(domain)!r} twice")
    return domain


def _check_order(name: str, values: Domain) -> None:
    numbers = [float(value) for value in values if is_number(value)]
    if len(numbers) == len(values) and sorted(numbers) != numbers:
        raise ParameterError(f"the numbers of the ordered attribute {name!r} are not in increasing order")


def all_places(sizes: Positions, start: int = 0, stop: int | None = None) -> Positions:
    """Every combination of places below the sizes (d,), the last one fastest: (Π sizes, d), or some of these rows."""
    strides = np.cumprod([1, *sizes[:0:-1]])[::-1]
    return np.arange(start, math.prod(sizes.tolist()) if stop is None else stop)[:, None] // strides % sizes


def plain(value: Any) -> Any:
    """A value of Python's own, where it is one of NumPy's."""
    return value.item() if isinstance(value, np.generic) else value


def is_number(value: Any) -> bool:
    """Whether a value is a number, which true and false are not."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _few(values: Domain) -> str:
    return ", ".join(map(repr, values[:8])) + (", …" if len(values) > 8 else "")
