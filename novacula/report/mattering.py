"""Which columns matter to the answers of the chosen model, measured once for the whole page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import DataError
from novacula.evaluate.loss import Floats
from novacula.evaluate.rows import SupervisedRows
from novacula.explain import Importance, importance
from novacula.study.question import subsample
from novacula.table.time_limit import TimeLimitError

if TYPE_CHECKING:
    from novacula.report.reading import Reading

PATIENCE = 4.0
"""Seconds that permutations may take."""
ROWS, FEWEST = 2000, 30
"""Rows that are looked at, at most and at least."""
REPEATS = 5
"""Permutations of each column."""
LEAST_COLUMNS = 10
"""Columns that are permuted at least: of fewer one would not know whether others matter more."""


def measure_importance(reading: Reading) -> Importance | str:
    """The importance of the columns, or why it was not measured."""
    if reading.blind:
        return f"{reading.chosen.name} uses no column: there is nothing to see into."
    rows, _ = reading.asked
    n_columns = len(reading.model.schema_.features)
    a_column = reading.seconds_per_row * REPEATS
    time = min(PATIENCE, reading.left)
    many = int(min(ROWS, len(rows), time / (a_column * n_columns)))
    fewest = min(FEWEST, len(rows))
    if many >= fewest:
        return _importance(reading, subsample(rows, many, reading.question.seed), None)
    columns = int(time / (a_column * fewest))
    if columns < min(LEAST_COLUMNS, n_columns):
        seconds = a_column * fewest * min(LEAST_COLUMNS, n_columns)
        return f"What the model looks at is {reading.too_long(seconds, PATIENCE)}."
    few = subsample(rows, fewest, reading.question.seed)
    return _importance(reading, few, most_related(reading.model, rows, columns))


def _importance(reading: Reading, rows: SupervisedRows, columns: list[str] | None) -> Importance | str:
    """By the loss that speaks of single rows; where that is infinite, by the usual one."""
    how: dict[str, Any] = {"repeats": REPEATS, "random_state": reading.question.seed, "columns": columns}
    try:
        with reading.limited(PATIENCE):
            try:
                return importance(reading.model, rows.X, metric=reading.row_loss, **how)
            except DataError:
                return importance(reading.model, rows.X, **how)
    except TimeLimitError as error:
        return f"What the model looks at is left out: {error}."


def most_related(model: Any, rows: SupervisedRows, many: int) -> list[str]:
    """The columns that go most with the answers of a model: a screen where all of them would take too long.

    A number by its correlation with an answer, a category by the share of the answers' variance between categories;
    columns of words first.
    """
    few = subsample(rows, ROWS // 4, 0).X
    answers = np.asarray(model.predict_proba(few) if hasattr(model, "predict_proba") else _as_numbers(model, few))
    answers = answers.reshape(len(answers), -1) - answers.mean(axis=0)
    chunk, strength = few.to_chunk(), {}
    for column, values in zip(few.layout.of_kind("numeric"), chunk.numeric.T, strict=True):
        strength[column.name] = _correlation(values, answers)
    for column, codes in zip(few.layout.of_kind("categorical"), chunk.codes.T, strict=True):
        strength[column.name] = _between(codes, answers)
    strength |= {column.name: 2.0 for column in few.layout.of_kind("text")}
    known = [column.name for column in model.schema_.features]
    return sorted(known, key=lambda name: -strength.get(name, 0.0))[:many]


def _as_numbers(model: Any, rows: Any) -> Floats:
    """Predictions as numbers; of classes whether it is each of them."""
    said = np.asarray(model.predict(rows))
    if said.dtype.kind in "fiu" and not hasattr(model, "classes_"):
        return said.astype(np.float64)
    return np.asarray(said[:, None] == np.unique(said)[None, :], np.float64)


def _correlation(values: Floats, answers: Floats) -> float:
    deviation = np.nan_to_num(values - np.nanmean(values)) if not np.isnan(values).all() else np.zeros(len(values))
    size = np.sqrt((deviation**2).sum() * (answers**2).sum(axis=0))
    return float(np.divide(np.abs(deviation @ answers), size, out=np.zeros_like(size), where=size > 0).max())


def _between(codes: Any, answers: Floats) -> float:
    """The square root of the share of variance that lies between categories."""
    kind = codes - codes.min()
    count = np.bincount(kind)[:, None]
    sums = np.array([np.bincount(kind, weights=column) for column in answers.T]).T
    between = np.divide(sums**2, count, out=np.zeros_like(sums), where=count > 0).sum(axis=0)
    whole = (answers**2).sum(axis=0)
    return float(np.sqrt(np.divide(between, whole, out=np.zeros_like(whole), where=whole > 0).max()))
