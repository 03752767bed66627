"""The same rows as an array, a list, a frame, a sparse matrix or a table, with their target and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
from scipy import sparse

from fuzz.array_case import ArrayCase, odd_value
from novacula.table import read

FORMS = ("array", "fortran", "strided", "list", "object", "pandas", "polars", "arrow", "csr", "csc", "table")
"""Ways to give rows."""
DENSE = tuple(form for form in FORMS if form not in ("csr", "csc"))
FRAMES = frozenset({"pandas", "polars", "arrow", "table"})
LABEL_FORMS = ("array", "list", "tuple", "series", "column")
"""Ways to give labels."""
WEIGHT = "how often"


def fit_arguments(case: ArrayCase) -> dict[str, Any]:
    """What `fit` is called with."""
    if case.form == "table" and case.rows.ndim == 2 and (table := _table(case)) is not None:
        return {"X": table}
    more = {} if case.lengths is None else {"lengths": case.lengths}
    return {"X": formed(case, case.rows), "y": _target(case), "sample_weight": _weight(case), **more}


def formed(case: ArrayCase, rows: Any) -> Any:
    """Rows in the form of the case."""
    if rows.ndim == 2 and (case.odd_cells or case.words is not None or case.form in FRAMES):
        return _frame(case, rows)
    if case.form in ("csr", "csc"):
        try:
            return sparse.csr_matrix(rows) if case.form == "csr" else sparse.csc_matrix(rows)
        except ValueError:  # SciPy has no sparse matrix of this type
            return rows
    if case.form == "strided":
        return np.repeat(np.repeat(rows, 2, axis=0), 2, axis=1)[::2, ::2] if rows.ndim == 2 else rows
    return {"fortran": np.asfortranarray, "list": np.ndarray.tolist, "object": lambda array: array.astype(object)}.get(
        case.form, lambda array: array
    )(rows)


def _frame(case: ArrayCase, rows: Any) -> Any:
    """Rows as a frame, or as an array of objects where the form is none of frames."""
    cells = rows.astype(object) if case.odd_cells else rows
    for i, j, token in case.odd_cells:
        if i < len(rows):
            cells[i, j] = odd_value(token)
    columns: dict[str, Any] = {f"x{j}": cells[:, j] for j in range(cells.shape[1])}
    if case.words is not None:
        column = [odd_value(token) for token in case.words]
        columns["word"] = (column * (len(rows) // max(len(column), 1) + 1))[: len(rows)]
    try:
        if case.form == "polars":
            return polars.DataFrame(columns)
        if case.form == "arrow":
            return pa.table(columns)
    except Exception:  # the other library does not make such a frame
        return pd.DataFrame(columns)
    frame = pd.DataFrame(columns)
    return frame if case.form in ("pandas", "table") else frame.to_numpy(object)


def _target(case: ArrayCase) -> Any:
    if case.labels is None:
        return case.target
    array = _objects(case.labels)
    if case.label_form in ("list", "tuple"):
        return list(array) if case.label_form == "list" else tuple(array)
    if case.label_form == "series":
        return pd.Series(array, name="y")
    return array[:, None] if case.label_form == "column" else array


def _objects(tokens: list[list[Any]]) -> Any:
    array = np.empty(len(tokens), object)
    array[:] = [odd_value(token) for token in tokens]
    return array


def _weight(case: ArrayCase) -> Any:
    return case.weight if case.odd_weight is None else odd_value(case.odd_weight)


def _table(case: ArrayCase) -> Any:
    """Rows with target and weights as a table of the library, made from a frame of pandas; None: pandas makes none."""
    frame, n = _frame(case, case.rows), len(case.rows)
    y, target = case.target if case.labels is None else _objects(case.labels), None
    if y is not None and y.shape == (n,):
        target = "y"
        frame[target] = y
    if case.weight is not None:
        if case.weight.shape != (n,):
            return None
        frame[WEIGHT] = case.weight
    return read(frame, target, weight=WEIGHT if case.weight is not None else None)
