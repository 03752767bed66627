"""Rows as kernels take them: a dense array or a CSR matrix of floats, and what is known of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from novacula.errors import DataError, InputTypeError, SchemaError
from novacula.table.chunk import Floats

Rows: TypeAlias = Any
"""A C-ordered float64 array (n, d), or a CSR matrix or array (n, d) of float64."""
Columns: TypeAlias = int | str | Sequence[int] | Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSpread:
    """Mean and variance of each column (d,), and the columns' names where there are any."""

    mean: Floats
    variance: Floats
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, rows: Rows, weight: Floats | None = None, names: Sequence[str] | None = None) -> Self:
        """From rows, of which each counts as often as its weight says."""
        weight = np.ones(rows.shape[0]) if weight is None else weight
        share = weight / weight.sum()
        mean = np.asarray(rows.T @ share)
        with np.errstate(over="ignore"):  # callers that need the variance check that it is finite
            if is_sparse(rows):
                variance = np.asarray(rows.multiply(rows).T @ share) - mean**2
            else:
                variance = share @ (rows - mean) ** 2
        return cls(mean, np.maximum(variance, 0.0), None if names is None else tuple(names))

    @property
    def whole(self) -> float:
        """The variance of all entries of all columns."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.variance.mean() + self.mean.var())

    def on(self, columns: Columns) -> Self:
        """Of some columns only."""
        places = self.places(columns)
        names = None if self.names is None else tuple(self.names[j] for j in places)
        return replace(self, mean=self.mean[places], variance=self.variance[places], names=names)

    def places(self, columns: Columns) -> list[int]:
        """The places of columns that are given by place or by name."""
        return places_of(columns, len(self.mean), self.names)


def places_of(columns: Columns, d: int, names: Sequence[str] | None) -> list[int]:
    """The places of columns among d of them; SchemaError for one that is not there."""
    places = []
    for column in listed(columns):
        if isinstance(column, str):
            if names is None:
                raise SchemaError(
                    f"the kernel uses column {column!r}, but the rows have no names: give its place, a whole number"
                )
            if column not in names:
                raise SchemaError(f"the kernel uses column {column!r}, which is not one of {_some(names)}")
            column = names.index(column)
        elif not column < d:
            raise SchemaError(f"the kernel uses column {column}, but the rows have columns 0 to {d - 1}")
        places.append(int(column))
    return places


def listed(columns: Columns) -> list[Any]:
    """Columns as a list, also if there is one."""
    return [columns] if isinstance(columns, (str, int, np.integer)) else list(columns)


def on_columns(rows: Rows, places: Sequence[int]) -> Rows:
    """Some columns of rows; dense ones in C order."""
    chosen = rows[:, list(places)]
    return chosen if is_sparse(rows) else np.ascontiguousarray(chosen)


def is_sparse(rows: Rows) -> bool:
    """Whether rows are a sparse matrix; the caller that made one has loaded SciPy's part for them."""
    return not isinstance(rows, np.ndarray)


def dense(rows: Rows) -> Floats:
    """Rows with their zeros."""
    return np.asarray(rows.toarray() if is_sparse(rows) else rows)


def products(A: Rows, B: Rows) -> Floats:
    """The inner products xᵀy (n, m) of the rows of A with those of B."""
    inner = A @ B.T
    return inner if isinstance(inner, np.ndarray) else np.asarray(inner.toarray())


def squares(rows: Rows) -> Floats:
    """‖x‖² of each row (n,)."""
    if is_sparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


# --- what users pass ----------------------------------------------------------------------------------------


def as_rows(X: Any, name: str = "X") -> tuple[Rows, tuple[str, ...] | None]:
    """What a user passes, as rows of finite numbers, and the columns' names if it is a frame."""
    from scipy.sparse import issparse

    from novacula.table.frames import arrow_table, is_frame

    names = None
    if is_frame(X):
        frame = arrow_table(X)
        names = tuple(frame.column_names)
        X = _numbers_of(frame, name)
    rows = X.tocsr().astype(np.float64, copy=False) if issparse(X) else _array(X, name)
    if rows.ndim != 2 or 0 in rows.shape:
        raise DataError(
            f"{name} has shape {rows.shape}: a kernel takes rows and columns, at least one of each; "
            "one row is x[None, :], one column is x[:, None]"
        )
    _require_finite(rows, name, names)
    return rows, names


def as_pair(X: Any, Y: Any) -> tuple[Rows, Rows, tuple[str, ...] | None]:
    """Two sets of rows of equal columns; both sparse if one is."""
    A, names = as_rows(X)
    B, others = as_rows(Y, "Y")
    if names and others and names != others:
        raise SchemaError(f"X has the columns {_some(names)} and Y has {_some(others)}: give both in one order")
    if A.shape[1] != B.shape[1]:
        raise DataError(f"X has {A.shape[1]} columns and Y has {B.shape[1]}: a kernel compares rows of equal columns")
    if is_sparse(A) != is_sparse(B):
        A, B = (rows if is_sparse(rows) else type(B if is_sparse(B) else A)(rows) for rows in (A, B))
    return A, B, names


def _array(X: Any, name: str) -> Floats:
    try:
        array = np.asarray(X)
        if array.dtype.kind == "c":
            raise TypeError("complex numbers")
        return np.ascontiguousarray(array, np.float64)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name} cannot be taken as rows of numbers ({error}): give an array or a frame") from None


def _numbers_of(frame: Any, name: str) -> Floats:
    columns = []
    for field, column in zip(frame.schema, frame.columns, strict=True):
        try:
            columns.append(np.asarray(column.to_numpy(), np.float64))
        except (TypeError, ValueError):
            raise SchemaError(f"column {field.name!r} of {name} holds {field.type}, not numbers: encode it") from None
    return np.column_stack(columns) if columns else np.empty((frame.num_rows, 0))


def _require_finite(rows: Rows, name: str, names: Sequence[str] | None) -> None:
    values = rows.data if is_sparse(rows) else rows
    if np.isfinite(values).all():
        return
    if is_sparse(rows):
        entry = rows.tocoo()
        first = int(np.argmin(np.isfinite(entry.data)))
        i, j, value = int(entry.row[first]), int(entry.col[first]), entry.data[first]
    else:
        i, j = (int(place) for place in np.unravel_index(np.argmin(np.isfinite(rows)), rows.shape))
        value = rows[i, j]
    column = repr(f"x{j}" if names is None else names[j])
    raise DataError(
        f"{name} holds {value} in row {i + 1}, column {column}: a kernel needs finite numbers; replace or drop it"
    )


def _some(names: Sequence[str]) -> str:
    first = ", ".join(map(repr, names[:6]))
    return first if len(names) <= 6 else f"{first}, … ({len(names)} in all)"
