"""What learners of concepts share: two labels, a space, and the distinct examples as positions in it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import StrOptions

from novacula.concept.conjunction import Conjunction, Positions
from novacula.concept.rows import chunk_positions, columns_of, observed_domains
from novacula.concept.space import ConjunctiveSpace, is_number, plain
from novacula.errors import DataError, ModelFileError, ParameterError, SchemaError, UnseenCategoryWarning, warn_user
from novacula.learner.base import Classifier
from novacula.learner.derivation import only_first
from novacula.learner.labels import class_array
from novacula.learner.showing import WorkOptions
from novacula.state import State, flags, label, labels, record, whole, wholes
from novacula.table import Chunk, Table
from novacula.table.equal_rows import equal_rows
from novacula.table.schema import Schema

Flags: TypeAlias = npt.NDArray[np.bool_]

MAX_ROWS = 2**53
"""Rows that can be numbered."""


@dataclass(frozen=True, eq=False)
class ConceptExamples:
    """The distinct examples in the order in which they first came: size n·d, as every one of them may matter."""

    state: ClassVar[State] = {"positions": wholes("examples", "columns"), "positive": flags("examples")}

    positions: Positions  # (n, d)
    positive: Flags  # (n,)

    def first(self, n: int) -> ConceptExamples:
        """The first n of them."""
        return ConceptExamples(self.positions[:n], self.positive[:n])

    @property
    def positives(self) -> Positions:
        """Those of the concept."""
        return self.positions[self.positive]

    @property
    def negatives(self) -> Positions:
        """The others."""
        return self.positions[~self.positive]


@dataclass(frozen=True, eq=False)
class RowNames:
    """What the examples are called: the number of the row in which each first came, from 1 on over all fits."""

    state: ClassVar[State] = {
        "first": wholes("examples", least=1, most=MAX_ROWS),
        "n_rows": whole(most=MAX_ROWS),
    }

    first: npt.NDArray[np.int64]  # (n,)
    n_rows: int  # that were read, also those that brought nothing new


class ConceptLearner(Classifier):
    """The base of the family: keeps examples, finds the space, names rows."""

    state_types: ClassVar[tuple[type, ...]] = (ConjunctiveSpace, Conjunction, ConceptExamples, RowNames)
    state: ClassVar[State] = {
        "classes_": labels(2),
        "positive_": label(),
        "space_": record(ConjunctiveSpace, columns="columns"),
        "examples_": record(ConceptExamples, examples="examples", columns="columns"),
        "row_names_": record(RowNames, examples="examples"),
    }
    reports_unseen: ClassVar[bool] = False  # what is in no domain is reported instead
    outside: ClassVar[str] = "satisfy only ?"
    """What is said of values that are in no domain."""
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "space": [ConjunctiveSpace, None],
        "positive": ["boolean", Real, str, None],
        "unseen": [StrOptions({"ignore", "error"})],
    }

    space_: ConjunctiveSpace
    positive_: Any
    examples_: ConceptExamples
    row_names_: RowNames

    def __init__(self, space: ConjunctiveSpace | None = None, positive: Any = None, unseen: str = "ignore") -> None:
        self.space = space
        self.positive = positive
        self.unseen = unseen

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    # --- fit -------------------------------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows: the model equals that of `fit` on all rows, in any order.

        `classes` names both labels on the first call. Without `space=`, domains are those of the first call; numbers
        that come later join their grid, other new values are refused.
        """
        return self._fit_more(X, y, sample_weight, classes)

    def _keep_classes(self, table: Table) -> None:
        """They are kept with the examples: of two labels one may have no row."""

    def _learn(self, table: Table) -> None:
        self._learn_more(table, first=True)

    def _learn_more(self, table: Table, first: bool) -> None:
        """A weight of 0 leaves a row out, others count as 1, since to see an example twice says nothing new."""
        chunk = table.to_chunk()
        labels, codes = self._labels(table, chunk) if first else (self.classes_, chunk.target)
        positive = self._positive(labels)
        space, old = self._space(table, chunk, first)
        rows = chunk_positions(space, table.layout, chunk, in_domain=True)
        examples, names = self._merged(old, rows, np.asarray(codes) == positive, chunk.weight > 0)
        self._check(space, examples, names)
        if first:
            self.classes_, self.positive_ = labels, labels[positive]
        self.space_, self.examples_, self.row_names_ = space, examples, names
        self.schema_ = _coded_by(space, self.schema_)
        self._count(chunk, codes)
        self._solve()

    def _labels(self, table: Table, chunk: Chunk) -> tuple[Any, Any]:
        """The two labels in order, and the code of each row's."""
        labels, codes = class_array(table.layout.target_columns[0].categories), chunk.target
        if len(labels) > 2:
            raise DataError(
                "Only binary classification is supported. The type of the target is multiclass: it has "
                f"{len(labels)} classes, and a concept has two, what belongs to it and what does not"
            )
        if len(labels) == 1:
            if self.positive is None or self.positive == labels[0]:
                raise DataError(
                    f"the target has one class only, {plain(labels[0])!r}, and the name of the other is not known: "
                    f"name both with partial_fit(X, y, classes=[…])"
                )
            return (both := np.unique(np.array([labels[0], self.positive]))), np.searchsorted(both, labels)[codes]
        return labels, codes

    def _positive(self, labels: Any) -> int:
        if self.positive is None:
            return 1
        found = [k for k, label in enumerate(labels.tolist()) if label == self.positive]
        if not found:
            raise ParameterError(f"positive={self.positive!r} is none of the labels {labels.tolist()}")
        return found[0]

    def _space(self, table: Table, chunk: Chunk, first: bool) -> tuple[ConjunctiveSpace, ConceptExamples]:
        """The space that these rows are in, and the examples so far as positions in it."""
        if first:
            if self.space is None:
                space = ConjunctiveSpace(*observed_domains(table, chunk))
            elif len(self.space.names) != len(table.layout.features):
                raise SchemaError(
                    f"the space has {len(self.space.names)} attributes and X has {len(table.layout.features)} columns"
                )
            else:
                space = self.space
            return space, ConceptExamples(np.empty((0, len(space.names)), np.int64), np.empty(0, bool))
        if self.space is not None or not self.space_.ordered:
            return self.space_, self.examples_
        return _grown(self.space_, self.examples_, observed_domains(table, chunk)[0])

    def _merged(
        self, old: ConceptExamples, rows: Positions, positive: Flags, counted: Flags
    ) -> tuple[ConceptExamples, RowNames]:
        """All distinct examples, and their rows; rows that do not count are left out, but numbered."""
        before = getattr(self, "row_names_", RowNames(np.empty(0, np.int64), 0))
        positions = np.vstack([old.positions, rows[counted]])
        labels = np.concatenate([old.positive, positive[counted]])
        names = np.concatenate([before.first, before.n_rows + 1 + np.flatnonzero(counted)])
        place = np.sort(equal_rows(positions, labels).first)
        return ConceptExamples(positions[place], labels[place]), RowNames(names[place], before.n_rows + len(rows))

    def _begin(self) -> None:
        """Be fitted on no example: the space is all that is known, and the labels are false and true."""
        if self.space is None or self.positive not in (None, True, False):
            raise DataError("nothing is known yet: fit first, or give the space and no label but True or False")
        self.classes_, self.positive_ = np.array([False, True]), np.bool_(self.positive is not False)
        self.space_ = self.space
        self.examples_ = ConceptExamples(np.empty((0, len(self.space.names)), np.int64), np.empty(0, bool))
        self.row_names_ = RowNames(np.empty(0, np.int64), 0)
        self.schema_ = self.space.schema
        self.n_features_in_ = len(self.space.names)
        self.feature_names_in_ = np.array(self.space.names, dtype=object)
        self._solve()

    def _add(self, row: Positions, positive: bool) -> None:
        """Learn from one example more."""
        one = np.array([True])
        examples, names = self._merged(self.examples_, row[None], np.array([positive]), one)
        self._check(self.space_, examples, names)
        self.examples_, self.row_names_ = examples, names
        self._solve()

    def _check(self, space: ConjunctiveSpace, examples: ConceptExamples, names: RowNames) -> None:
        """Refuse examples that the learner cannot live with, before anything is kept."""

    def _count(self, chunk: Chunk, codes: Any) -> None:
        """Keep what else the rows say."""

    @abstractmethod
    def _solve(self) -> None:
        """Find what the examples imply."""

    # --- predict -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def decide(self, X: Any) -> npt.NDArray[np.int64]:
        """Give +1 for rows that certainly belong to the concept, −1 for those that do not, 0 where it is open."""

    def _rows(self, X: Any) -> Positions:
        """The positions of rows to predict; what was not there at fit satisfies only ?, and is reported."""
        table = self._query(X, self.unseen)
        rows = chunk_positions(self.space_, table.layout, table.to_chunk())
        grids = np.array([column.kind == "numeric" for column in columns_of(self.space_, self.schema_)])
        strange = ((rows < 0) & ~(grids & self.space_.is_ordered)).sum(axis=0)
        if strange.any():
            found = [f"{name!r} ({n})" for name, n in zip(self.space_.names, strange.tolist(), strict=True) if n]
            sentence = f"values that are in no domain {self.outside} in {', '.join(found)}"
            if self.unseen == "error":
                raise DataError(f"{sentence}, which unseen='error' does not allow")
            warn_user(sentence, UnseenCategoryWarning)
        return rows

    def _derived_rows(self, X: Any, options: WorkOptions) -> tuple[Positions, list[str]]:
        """The positions of the first rows of X, which are derived, and a note where there are more."""
        rows = self._rows(X)
        return rows[: options.rows], only_first(min(options.rows, len(rows)), len(rows), "row")

    def _labelled(self, positive: Flags) -> Any:
        """The label of each row."""
        other = self.classes_[self.classes_ != self.positive_][0]
        return np.where(positive, self.positive_, other).astype(self.classes_.dtype)

    @property
    def n_parameters_(self) -> int:
        """The values of the examples, which are kept, and their labels."""
        return self.examples_.positions.size + self.examples_.positive.size

    def _check_state(self) -> None:
        """After loading: columns and examples must fit the space, and the learner must be able to live with them."""
        if self.positive_ not in self.classes_.tolist():
            raise ModelFileError("its positive_ is none of its classes_")
        is_own = _is_observed(self.space_, self.schema_) if self.space is None else self.space == self.space_
        if not is_own:
            raise ModelFileError("its space_ is neither that of its parameters nor one that rows have")
        if not _codes_as(self.space_, self.schema_):
            raise ModelFileError("its schema_ has other columns or categories than its space_")
        rows, names = self.examples_.positions, self.row_names_
        if ((rows > 2 * self.space_.sizes - 2) | (rows % 2 == 1)).any():
            raise ModelFileError("its examples_ hold one that lies outside of its space_")
        if len(equal_rows(rows, self.examples_.positive)) != len(rows):
            raise ModelFileError("its examples_ hold one twice")
        if (np.diff(names.first) <= 0).any() or names.first.max(initial=0) > names.n_rows:
            raise ModelFileError("its row_names_ do not rise up to the number of rows")
        self._check(self.space_, self.examples_, names)


def refuse_contradiction(examples: ConceptExamples, names: RowNames) -> None:
    """Raise if one instance has both labels."""
    if rows := contradiction(examples, names):
        raise DataError(
            f"rows {rows[0]} and {rows[1]} are the same instance with different labels, which no hypothesis fits: "
            f"correct one of them or leave both out"
        )


def contradiction(examples: ConceptExamples, names: RowNames) -> tuple[int, int] | None:
    """The rows of the first two examples that are the same instance with different labels, if there are any."""
    same = equal_rows(examples.positions)
    if len(same) == len(same.kind):
        return None
    is_first = np.zeros(len(same.kind), bool)
    is_first[same.first] = True
    again = int(np.argmin(is_first))
    return int(names.first[same.first[same.kind[again]]]), int(names.first[again])


def _grown(
    space: ConjunctiveSpace, examples: ConceptExamples, seen: dict[str, Any]
) -> tuple[ConjunctiveSpace, ConceptExamples]:
    """The space with new numbers in the grids of its ordered attributes, and the examples moved to it."""
    domains = dict(space.domains)
    for name, new in zip(space.names, seen.values(), strict=True):
        if name in space.ordered:
            domains[name] = tuple(sorted({*domains[name], *filter(is_number, new)}))
    grown = ConjunctiveSpace(domains, space.ordered)
    moved = np.empty_like(examples.positions)
    for j, values in enumerate(space.values):
        moved[:, j] = grown.positions(j, values)[examples.positions[:, j] // 2]
    return grown, ConceptExamples(moved, examples.positive)


def _codes_as(space: ConjunctiveSpace, schema: Schema) -> bool:
    """Whether a schema has a column for each attribute, and the domains as categories."""
    kinds = {"numeric", "categorical"} >= {column.kind for column in schema.features}
    return kinds and all(
        column.kind == "numeric" or column.categories == values
        for column, values in zip(columns_of(space, schema), space.values, strict=True)
    )


def _is_observed(space: ConjunctiveSpace, schema: Schema) -> bool:
    """Whether a space can be that of the rows of a schema: numbers are ordered, which later rows add to."""
    numeric = tuple(column.name for column in schema.of_kind("numeric"))
    return space.ordered == numeric and all(is_number(v) for name in numeric for v in space.domains[name])


def _coded_by(space: ConjunctiveSpace, schema: Schema) -> Schema:
    """The schema with the domains as categories, so that rows to predict are coded by them."""
    columns = [
        replace(column, categories=tuple(values), declared=True)
        for column, values in zip(columns_of(space, schema), space.values, strict=True)
        if column.kind == "categorical"
    ]
    return schema.with_columns(columns)
