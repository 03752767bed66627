"""Seeded data that workloads share: rows of two classes, in memory or in files, and a linear target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SEED = 20


def normal_classes(rows: int, columns: int, *part: int) -> tuple[Any, Any]:
    """X (rows, columns) and labels 0 or 1, of classes that differ a little; `part` varies the seed."""
    import numpy as np

    rng = np.random.default_rng([SEED, *part])
    y = rng.integers(0, 2, rows)
    X = rng.standard_normal((rows, columns))
    place = np.linspace(-2.0, 2.0, columns)
    X *= 1.0 + 0.25 * y[:, None]
    X += place + 0.2 * y[:, None]
    return X, y


def arrow_tables(sizes: Sequence[int], columns: int, part: int = 0, digits: int | None = None) -> Iterator[Any]:
    """Such rows as Arrow tables of columns x0, x1, … and label, one after the other to spare memory."""
    import pyarrow as pa

    for piece, rows in enumerate(sizes):
        X, y = normal_classes(rows, columns, part, piece)
        if digits is not None:
            X = X.round(digits)
        yield pa.table({**{f"x{j}": X[:, j].copy() for j in range(columns)}, "label": y})


def parquet_file(path: Path, sizes: Sequence[int], columns: int, part: int = 0) -> str:
    """Write row groups of these sizes to one Parquet file."""
    import pyarrow.parquet as pq

    tables = arrow_tables(sizes, columns, part)
    first = next(tables)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)
    return str(path)


def regression(rows: int, columns: int) -> tuple[Any, Any]:
    """X with columns that depend on each other, and y linear in it with noise."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    X = rng.standard_normal((rows, columns))
    X[:, 1:] += 0.5 * X[:, :1]
    X += np.arange(columns)
    y = X @ rng.standard_normal(columns) + 3.0 + rng.standard_normal(rows)
    return X, y
