"""The loop over partitions, which checks rows during the first pass: what a learner does not admit is refused.

The tally is a statistic next to the learner's own, so admission says the same of an array, a frame, a file and a table
on a cluster. Only where a value must be refused is the table read again, in order, for the first row that holds one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import DataError, UnseenCategoryWarning, warn_user
from novacula.table.admission import (
    Admits,
    Fault,
    NotAdmitted,
    RowCheck,
    RowTally,
    WithTally,
    both_tallies,
    first_fault,
    is_finite,
    propagated_by,
)
from novacula.table.answering import are_defined, largest_of, undefined_answer
from novacula.table.chunk import Chunk
from novacula.table.encode import refused_target, require_total_weight
from novacula.table.runner import ChunkLayout, Runner
from novacula.table.schema import Schema
from novacula.table.source import Partition

if TYPE_CHECKING:
    from novacula.table.table import Table


class AdmittingRunner(ABC):
    """A table's runner that checks the rows during their first pass."""

    def __init__(self, table: Table, check: RowCheck) -> None:
        self._table, self._check = table, check
        self._inner: Runner = table.runner
        self._is_over = False

    @abstractmethod
    def judge(self, tally: RowTally) -> None:
        """Refuse, or warn of, what was seen in all rows."""

    @property
    def is_local(self) -> bool:
        """Whether passes run in this process."""
        return self._inner.is_local

    @property
    def client(self) -> Any:
        """The Dask client of a cluster."""
        return self._inner.client

    def reduce(self, parts: Sequence[Partition], layout: ChunkLayout, observe: Callable[..., Any], args: Any) -> Any:
        """Add what `observe` says of each chunk."""
        if not self._is_over:
            with self._refusing():
                in_sums = self._check.admits.refused <= propagated_by(observe)
                look = self._check.observe_unchecked if in_sums else self._check.observe
                both = self._inner.reduce(parts, layout, look, (observe, args))
                if in_sums and not is_finite(both.result):
                    self.refuse_faults()  # which returns if the numbers of the table are finite, and only sums are not
                self._conclude(both.tally, layout)
                return both.result
        return self._inner.reduce(parts, layout, observe, args)

    def fold(
        self, parts: Sequence[Partition], layout: ChunkLayout, step: Callable[..., Any], state: Any, args: Any
    ) -> Any:
        """Take the chunks in order; in this process they are checked while the step is at work on the one before."""
        if not self._is_over:
            with self._refusing():
                if self.is_local:
                    checked = CheckedLayout(layout, self._check)
                    result = self._inner.fold(parts, checked, step, state, args)
                    self._conclude(checked.tally, layout)
                    return result
                both = self._inner.fold(parts, layout, self._check.step, WithTally(None, state), (step, args))
                self._conclude(both.tally, layout)
                return both.result
        return self._inner.fold(parts, layout, step, state, args)

    def map(self, parts: Sequence[Partition], layout: ChunkLayout, function: Callable[..., Any], args: Any) -> Any:
        """Give the function's array for each chunk, in order."""
        if not self._is_over:
            with self._refusing():
                both = self._inner.map(parts, layout, self._check.answer, (function, args))
                self._conclude(reduce(both_tallies, (one.tally for one in both)), layout)
                return [one.result for one in both]
        return self._inner.map(parts, layout, function, args)

    def find(self, parts: Sequence[Partition], layout: ChunkLayout, examine: Callable[..., Any], args: Any) -> Any:
        """The first row that an examination points at."""
        return self._inner.find(parts, layout, examine, args)

    def watch(self, chunks: Iterable[Chunk], layout: ChunkLayout, propagates: bool = False) -> Iterator[Chunk]:
        """Check chunks that are taken one by one; chunks that are never taken are not checked."""
        if self._is_over:
            yield from chunks
            return
        look = self._check.tally if propagates else self._check
        tally: RowTally | None = None
        for chunk in chunks:
            with self._refusing():
                tally = both_tallies(tally, look(chunk))
            yield chunk
        self._conclude(tally, layout)

    def at_home(self, table: Table) -> Runner:
        """The runner for some of the rows."""
        return self._inner.at_home(table)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Refuse a value that ended a pass; one that was not there to begin with but came of other columns may stay."""
        try:
            yield
        except NotAdmitted:
            self.refuse_faults()
            self._is_over = True

    def refuse_faults(self) -> None:
        """Read the table in order, and refuse the first value that is not admitted."""
        table = self._table
        found = self._inner.find(
            table.source.partitions(), ChunkLayout(table.layout, table.unseen), first_fault, (self._check.admits,)
        )
        if found is not None:
            part, row, fault = found
            raise refusal(fault, table.layout, part.row_name(row)) from None

    def _conclude(self, tally: RowTally | None, layout: ChunkLayout) -> None:
        """Judge the tally, and check no more, unless the pass left the target out."""
        self._is_over = layout.schema.target == self._table.layout.target
        if tally is not None:
            self.judge(tally)


class CheckedLayout(ChunkLayout):
    """A layout whose chunks are checked as they are made, with the tally of all of them."""

    def __init__(self, layout: ChunkLayout, check: RowCheck) -> None:
        super().__init__(layout.schema, layout.unseen)
        self._check = check
        self.tally: RowTally | None = None

    def chunks(self, partition: Partition) -> Iterator[Chunk]:
        """The chunks of a partition; `NotAdmitted` if one holds what cannot be used."""
        for chunk in super().chunks(partition):
            self.tally = both_tallies(self.tally, self._check(chunk))
            yield chunk


class FitRunner(AdmittingRunner):
    """For a fit: some rows must count, of as many classes as the learner needs."""

    def __init__(self, table: Table, admits: Admits) -> None:
        targets = table.layout.target_columns
        self._labels = targets[0].categories if admits.classes > 1 and len(targets) == 1 else ()
        super().__init__(table, RowCheck(admits, len(self._labels)))

    def judge(self, tally: RowTally) -> None:
        """Refuse weights that sum to zero or beyond all bounds, and too few classes."""
        require_total_weight(tally.weight, self._table.source.name)
        if len(tally.classes):
            require_classes(self._table, [self._labels[k] for k in np.flatnonzero(tally.classes)], self._check.admits)


class AnswerRunner(AdmittingRunner):
    """For answers: categories that were not there at fit are reported."""

    def __init__(self, table: Table, admits: Admits, propagates: bool, reports_unseen: bool = True) -> None:
        super().__init__(table, RowCheck(admits, answers_propagate=propagates, counts_unseen=True))
        self._reports_unseen = reports_unseen

    def at_home(self, table: Table) -> Runner:
        """The rows that were brought here are still unchecked."""
        table.runner = super().at_home(table)
        return AnswerRunner(table, self._check.admits, self._check.answers_propagate, self._reports_unseen)

    def map(self, parts: Sequence[Partition], layout: ChunkLayout, function: Callable[..., Any], args: Any) -> Any:
        """Give the function's array for each chunk, in order; an answer that is not finite is refused, with its row."""
        answers = super().map(parts, layout, function, args)
        if not all(are_defined(array, function) for array in answers):
            found = self._inner.find(parts, layout, undefined_answer, (function, args))
            if found is not None:
                part, row, answer = found
                reason = largest_of(answer, layout.schema)
                raise DataError(f"the answer for {part.row_name(row)} is not finite: {reason}")
        return answers

    def judge(self, tally: RowTally) -> None:
        """Warn of unseen categories, with their columns and how many there are."""
        columns = self._table.layout.of_kind("categorical")
        new = [f"{column.name!r} ({count})" for column, count in zip(columns, tally.unseen, strict=True) if count]
        if new and self._reports_unseen:
            warn_user(
                f"categories that were not there at fit were treated as missing in {', '.join(new)}",
                UnseenCategoryWarning,
            )


def require_classes(table: Table, labels: Sequence[Any], admits: Admits) -> None:
    """Refuse a table whose rows that count are of too few classes."""
    if len(labels) < admits.classes:
        only = " and ".join(map(repr, labels))
        few = f"one class only, {only}" if len(labels) == 1 else f"{len(labels)} classes only, {only}"
        raise DataError(f"{table.source.name} has rows of {few}: this learner needs at least {admits.classes} classes")


def refusal(fault: Fault, layout: Schema, row: str) -> DataError:
    """The error of a value that is not admitted, with its column and row."""
    if fault.kind == "target":
        return refused_target(fault.what, layout.target[fault.column], row, fault.value)
    columns = layout.of_kind(fault.kind)  # type: ignore[arg-type]
    name = f"{columns[0].name}[{fault.column}]" if fault.kind == "sparse" else columns[fault.column].name
    if fault.what == "missing":
        return DataError(f"column {name!r} is missing (NaN) in {row}: fill the value in or leave the row out")
    return DataError(f"column {name!r} is infinite ({fault.value:g}) in {row}: replace the value or leave the row out")
