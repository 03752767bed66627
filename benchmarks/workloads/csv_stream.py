"""A CSV file to Gaussian naive Bayes: streamed, against loading everything first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import arrow_tables
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers
from benchmarks.workloads.gaussian_naive_bayes import moments
from benchmarks.workloads.parquet_stream import polars_moments

PIECE = 100_000
"""Rows made and written at a time."""

PARSED_ONCE = (
    "All rows decide the types, and are held for the labels and the counts, so the file is parsed once: two fifths of "
    "the processor time are the compiled parser's, at 22 ns per number. It took 35 to 55 while Numba counted "
    "references to the text for each number, and a function of its own for short numbers gains another tenth at most. "
    "Blocks of 16 MB in place of 1 MB spare small pages of memory."
)
"""What bounds the whole."""


def ours(data: Data) -> dict[str, Any]:
    """One pass to find the types; the labels are found and rows counted as they were held then."""
    import novacula as nv
    from novacula.bayes import NaiveBayes

    return moments(NaiveBayes().fit(nv.read(data["path"], target="label", progress=False)))


def pandas_scikit_learn(data: Data) -> dict[str, Any]:
    """The fastest of pandas' parsers, then fit."""
    import pandas as pd
    from sklearn.naive_bayes import GaussianNB

    frame = pd.read_csv(data["path"], engine="pyarrow")
    return moments(GaussianNB().fit(frame.drop(columns="label"), frame["label"]))


def polars_scikit_learn(data: Data) -> dict[str, Any]:
    """Polars' parser, then fit."""
    import polars as pl
    from sklearn.naive_bayes import GaussianNB

    frame = pl.read_csv(data["path"])
    return moments(GaussianNB().fit(frame.drop("label").to_numpy(), frame["label"].to_numpy()))


def polars_scan(data: Data) -> dict[str, Any]:
    """Means and variances by class as a lazy query, streamed; types are guessed from the first rows."""
    import polars as pl

    return polars_moments(pl.scan_csv(data["path"]))


def parsing(data: Data) -> None:
    """Arrow's own reader on all cores, its types guessed from the first block, and every batch dropped."""
    import pyarrow.dataset as ds

    for _ in ds.dataset(data["path"], format="csv").to_batches():
        pass


class CsvStream(Race):
    """From one file of text to a model."""

    name = "csv_stream"
    title = "CSV to Gaussian naive Bayes"
    full = ({"rows": 2_700_000, "columns": 20},)  # about 500 MB
    quick = ({"rows": 200_000, "columns": 20},)

    def data(self, size: Size, folder: Path) -> Data:
        """Numbers of six decimals."""
        from pyarrow.csv import CSVWriter

        pieces = arrow_tables([PIECE] * (size["rows"] // PIECE), size["columns"], digits=6)
        first = next(pieces)
        path = folder / "rows.csv"
        with CSVWriter(path, first.schema) as writer:
            writer.write_table(first)
            for piece in pieces:
                writer.write_table(piece)
        return {"path": str(path)}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn on two kinds of frame, Polars as a lazy query, and parsing alone."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("pandas → scikit-learn", "pandas", pandas_scikit_learn, goal=1.0),
            Contender("Polars → scikit-learn", "polars", polars_scikit_learn, goal=1.0, because=PARSED_ONCE),
            Contender("Polars scan", "polars", polars_scan, goal=1.0, because=PARSED_ONCE),
            Contender("parsing the file once", "pyarrow", parsing, bound=True),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same parameters."""
        return same_numbers(ours, theirs, 1e-9)

    def limit(self, data: Data) -> Limit:
        """Read the file once, from the cache of the system."""
        return Limit(os.path.getsize(data["path"]))
