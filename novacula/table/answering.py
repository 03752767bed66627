"""Answers that are not finite, though the row is: looked for in the answers themselves, and named by row and column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from novacula.table.admission import all_finite
from novacula.table.chunk import Chunk
from novacula.table.schema import Schema

F = TypeVar("F", bound=Callable[..., Any])


def unbounded(function: F) -> F:
    """Mark a function of a chunk: its answers may be infinite, as the logarithm of a density is where that is 0."""
    function.is_unbounded = True  # type: ignore[attr-defined]
    return function


def unjudged(function: F) -> F:
    """Mark a function of a chunk: what it gives is not an answer yet, and the learner looks for what is not finite."""
    function.is_unjudged = True  # type: ignore[attr-defined]
    return function


class UndefinedAnswer(NamedTuple):
    """A row without a finite answer, and where its largest value stands; no column where it has no numbers."""

    row: int
    kind: str
    column: int
    value: float


def are_defined(answers: Any, function: Callable[..., Any]) -> bool:
    """Whether a function's answers are numbers: finite ones, unless it is marked otherwise."""
    if getattr(function, "is_unjudged", False):
        return True
    if not isinstance(answers, np.ndarray) or answers.dtype.kind != "f" or all_finite(answers):
        return True
    return not _undefined(answers, function).any()


def undefined_answer(chunk: Chunk, function: Callable[..., Any], args: Any) -> UndefinedAnswer | None:
    """The first row of a chunk that has no answer, though its own values are finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        answers = function(chunk, *args)
    wrong = _undefined(answers, function).reshape(len(chunk), -1).any(axis=1)
    wrong &= ~_has_gaps(chunk)  # a missing value may come out as one
    if not wrong.any():
        return None
    row = int(np.argmax(wrong))
    return UndefinedAnswer(row, *_largest(chunk.rows(row, row + 1)))


def _has_gaps(chunk: Chunk) -> npt.NDArray[np.bool_]:
    """Which rows have a value that is missing, unseen or infinite."""
    gaps = np.asarray(~np.isfinite(chunk.numeric).all(axis=1) | (chunk.codes < 0).any(axis=1))
    if chunk.sparse is not None:
        entries = chunk.sparse.tocoo()
        gaps[entries.row[~np.isfinite(entries.data)]] = True
    return gaps


def largest_of(answer: UndefinedAnswer, schema: Schema) -> str:
    """What may be wrong with the row, in words."""
    columns = schema.of_kind(answer.kind)  # type: ignore[arg-type]
    if not columns:
        return "fit the model on rows with fewer rare values"
    name = f"{columns[0].name}[{answer.column}]" if answer.kind == "sparse" else columns[answer.column].name
    return f"its largest value is {answer.value:.3g}, in column {name!r}; scale the columns and fit again"


def _undefined(answers: Any, function: Callable[..., Any]) -> npt.NDArray[np.bool_]:
    is_unbounded = getattr(function, "is_unbounded", False)
    return np.asarray(np.isnan(answers) if is_unbounded else ~np.isfinite(answers))


def _largest(row: Chunk) -> tuple[str, int, float]:
    """Kind, place and value of what is largest in a chunk of one row."""
    if row.numeric.size:
        column = int(np.argmax(np.abs(row.numeric[0])))
        return "numeric", column, float(row.numeric[0, column])
    if row.sparse is not None and row.sparse.nnz:
        place = int(np.argmax(np.abs(row.sparse.data)))
        return "sparse", int(row.sparse.indices[place]), float(row.sparse.data[place])
    return "numeric", 0, 0.0
