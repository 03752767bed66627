"""The same model from rows in memory, in other cuts, from files, and on a cluster."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from novacula.checks.fitted import fitted_arrays
from novacula.checks.samples import CheckSample, sample
from novacula.checks.verdict import require
from novacula.learner.base import Learner
from novacula.table import Table, read
from novacula.table.frames import FrameSource

RTOL = 1e-9


class CutFrame(FrameSource):
    """A frame in memory that is cut into blocks of seven rows."""

    @property
    def rows_per_chunk(self) -> int:
        """Seven, for any width."""
        return 7


def check_chunking(learner: Learner) -> None:
    """The model must not depend on how the rows are cut into chunks, nor on their order where it says `reduce`."""
    data = sample(learner.card)
    whole = clone(learner).fit(data.X, data.target)
    table = read(data.table, data.target_name)
    cut = Table(CutFrame(data.table), table.layout)
    same_model(whole, clone(learner).fit(cut), data, "cut into chunks of seven rows")
    if learner.card.uses == "reduce":
        order = np.random.default_rng(1).permutation(len(data))
        mixed = data.take(order)
        same_model(whole, clone(learner).fit(mixed.X, mixed.target), data, "fitted on the rows in another order")
    if hasattr(learner, "partial_fit"):
        check_partial_fit(learner, data, whole)


def check_partial_fit(learner: Learner, data: CheckSample, whole: Learner) -> None:
    """Pieces one after the other must give the model of all rows.

    A learner that takes rows in order reads them once, so it must answer as after one pass over all rows.
    """
    model = _fitted_by_pieces(learner, data, 40)
    if learner.card.uses == "reduce":
        same_model(whole, model, data, "fitted piece by piece")
        return
    for a, b in zip(answers(_fitted_by_pieces(learner, data, len(data)), data.X), answers(model, data.X), strict=True):
        require(close(a, b), f"{type(model).__name__} fitted piece by piece predicts otherwise")


def _fitted_by_pieces(learner: Learner, data: CheckSample, size: int) -> Any:
    model: Any = clone(learner)
    extra = {"classes": np.unique(data.target)} if learner.card.task == "classification" else {}
    for start in range(0, len(data), size):
        piece = data.take(np.arange(start, min(start + size, len(data))))
        model.partial_fit(piece.X, piece.target, **extra)
        extra = {}
    return model


def check_scales(learner: Learner, client: Any = None) -> None:
    """The model from memory must be that from files and, with a Dask client, that from the cluster."""
    import pyarrow.csv
    import pyarrow.parquet

    data = sample(learner.card, missing=learner.card.admits.missing)
    whole = clone(learner).fit(data.X, data.target)
    with tempfile.TemporaryDirectory() as folder:
        parts = [data.table.slice(start, 50) for start in range(0, len(data), 50)]
        for i, part in enumerate(parts):
            pyarrow.parquet.write_table(part, Path(folder) / f"{i}.parquet", row_group_size=20)
        pyarrow.csv.write_csv(data.table, Path(folder) / "all.csv")
        files = read(str(Path(folder) / "*.parquet"), data.target_name)
        if "stream" in learner.card.scales:
            streamed = clone(learner).fit(files)
            same_model(whole, streamed, data, "fitted from Parquet files")
            text = read(str(Path(folder) / "all.csv"), data.target_name)
            same_model(whole, clone(learner).fit(text), data, "fitted from a CSV file")
            same_answers(streamed, whole, files, data)
        if "cluster" in learner.card.scales and client is not None:
            same_model(whole, clone(learner).fit(files.on(client)), data, "fitted on a cluster")


def same_answers(model: Learner, other: Learner, files: Table, data: CheckSample) -> None:
    """Predictions for a table must be those for the frame."""
    for a, b in zip(answers(model, files), answers(other, data.X), strict=True):
        require(close(a, b), f"{type(model).__name__} predicts otherwise from files than from memory")


def same_model(model: Learner, other: Learner, data: CheckSample, how: str) -> None:
    """Two models must have the same parameters and give the same answers, up to the rounding of sums."""
    mine, theirs = dict(fitted_arrays(model)), dict(fitted_arrays(other))
    for name in sorted(mine.keys() | theirs.keys()):
        same = name in mine and name in theirs and close(mine[name], theirs[name])
        require(same, f"{type(model).__name__} {how} has another {name}")
    for a, b in zip(answers(model, data.X), answers(other, data.X), strict=True):
        require(close(a, b), f"{type(model).__name__} {how} predicts otherwise")


def answers(model: Any, X: Any) -> list[Any]:
    """The answers of a model for X, by every method that it has."""
    methods = ("predict", "predict_proba", "decision_function", "score_samples", "transform")
    return [as_array(getattr(model, name)(X)) for name in methods if hasattr(model, name)]


def as_array(answer: Any) -> Any:
    """An answer as an array; a selector returns tables as tables, with their roles."""
    return np.asarray(answer.drop(answer.layout.roles).to_pandas() if isinstance(answer, Table) else answer)


def close(a: Any, b: Any) -> bool:
    """Equal shapes and values, numbers up to RTOL of the largest."""
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "O":  # columns of any kind, passed on: a missing value is None or NaN
        return all(x == y or (is_missing(x) and is_missing(y)) for x, y in zip(a.flat, b.flat, strict=True))
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    scale = np.abs(a[finite]).max(initial=1.0)
    return bool(np.all(np.abs(a[finite] - b[finite]) <= RTOL * scale))


def identical(a: Any, b: Any) -> bool:
    """Equal to the bit, and NaN where the other is NaN."""
    return close(a, b) if a.dtype.kind == "O" else bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


def is_missing(value: Any) -> bool:
    """Whether a cell of a mixed column holds nothing."""
    return value is None or value != value
