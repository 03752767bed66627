"""`check_admission`: a learner refuses what its card does not admit, in one sentence with the right row, and only that.

The same for an array, a frame in any cut, a file and a table on a cluster: at fit and when it answers.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone

from novacula.checks.samples import CheckSample, sample
from novacula.checks.scales import CutFrame
from novacula.checks.verdict import require
from novacula.errors import DataError
from novacula.learner.base import Learner
from novacula.table import Table, read

ROW = 57
"""The row that holds the value to be refused; it is not in the first chunk of a cut table."""
FAULTS = {"missing": np.nan, "infinite": np.inf}


def check_admission(learner: Learner, client: Any = None) -> None:
    """Values that are not admitted must be refused with their column and row; so must zero weights and one class."""
    admits = learner.card.admits
    whole = sample(learner.card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of a learner are not the question here
        model: Any = clone(learner).fit(whole.X, whole.target)
        for what in sorted(admits.refused):
            for name in [column for column in whole.columns if column.startswith("x")]:
                bad = with_value(whole, name, FAULTS[what])
                for how, fit in ways_to_fit(learner, bad, client):
                    _require_place(fit, name, what, f"fitted on {how}")
                if hasattr(model, "predict") and model.schema_[name].kind == "numeric":  # not a symbol by now
                    _require_place(partial(model.predict, bad.X), name, what, "asked for a prediction")
        _check_weightless(learner, whole)
        _check_weights(learner, whole)
        if learner.card.task == "classification" and admits.classes > 1:
            _check_classes(learner, whole)


def with_value(data: CheckSample, name: str, value: float) -> CheckSample:
    """The sample with another number in one cell."""
    numbers = np.array(data.columns[name].to_pylist(), np.float64)
    numbers[ROW] = value
    return CheckSample({**data.columns, name: pa.array(numbers)}, data.target, data.target_name)


def ways_to_fit(learner: Learner, data: CheckSample, client: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The ways in which the rows can be given, each with the call that fits a clone on them."""
    yield "a frame", lambda: clone(learner).fit(data.X, data.target)
    if learner.card.task == "sequence":  # a table would be sequences of its own
        return
    table = read(data.table, data.target_name)
    yield "chunks", lambda: clone(learner).fit(Table(CutFrame(data.table), table.layout))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        import pyarrow.parquet as pq

        pq.write_table(data.table, path, row_group_size=25)
        file = read(path, data.target_name)
        yield "a file", lambda: clone(learner).fit(file)
        if client is not None and "cluster" in learner.card.scales:
            yield "a cluster", lambda: clone(learner).fit(file.on(client))


def _require_place(call: Callable[[], Any], column: str, what: str, how: str) -> None:
    error = refusal_of(call)
    words = {"missing": "is missing (NaN)", "infinite": "is infinite (inf)"}[what]
    names_column = isinstance(error, DataError) and f"column {column!r} {words} in " in str(error)
    step = f"step {ROW + 1}" in str(error)  # of a sequence
    names_place = names_column and (f"row {ROW + 1} of " in str(error) or step)
    require(names_place, f"{how}, a value of {column!r} that {words} in row {ROW + 1} is answered with: {error!r}")


def refusal_of(call: Callable[[], Any]) -> Exception | None:
    """The error with which a call refuses its data, or None."""
    try:
        call()
    except Exception as error:  # the check says what it is
        return error
    return None


def _check_weightless(learner: Learner, whole: CheckSample) -> None:
    """A row of weight 0 may hold anything."""
    if learner.card.task == "sequence":  # there a weight belongs to a whole sequence
        return
    weight = np.ones(len(whole))
    weight[ROW] = 0.0
    for what, value in FAULTS.items():
        bad = with_value(whole, "x1", value)
        fresh: Any = clone(learner)
        error = refusal_of(partial(fresh.fit, bad.X, bad.target, sample_weight=weight))
        require(error is None, f"a value that is {what} in a row of weight 0 is refused: {error!r}")


def _check_weights(learner: Learner, whole: CheckSample) -> None:
    error = refusal_of(lambda: clone(learner).fit(whole.X, whole.target, sample_weight=np.zeros(len(whole))))
    is_refused = isinstance(error, DataError) and "weights" in str(error) and "sum to zero" in str(error)
    require(is_refused, f"weights that sum to zero are answered with: {error!r}")


def _check_classes(learner: Learner, whole: CheckSample) -> None:
    label = whole.target[0]
    same = np.full(len(whole), label, dtype=object)
    weight = (whole.target == label).astype(np.float64)
    for how, call in (
        ("in every row", lambda: clone(learner).fit(whole.X, same)),
        ("in every row that counts", lambda: clone(learner).fit(whole.X, whole.target, sample_weight=weight)),
    ):
        error = refusal_of(call)
        is_refused = isinstance(error, DataError) and "class" in str(error) and repr(label) in str(error)
        require(is_refused, f"one class {how} is answered with: {error!r}")
