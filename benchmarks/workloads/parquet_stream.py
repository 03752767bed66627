"""Parquet files to Gaussian naive Bayes: streamed, against loading everything first."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import parquet_file
from benchmarks.machine import cores
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers
from benchmarks.workloads.gaussian_naive_bayes import moments

DECODED = (
    "Of the processor time 55 % decodes the files, 14 % turns columns into rows, 12 % adds up moments, and the rest "
    "codes labels and makes chunks. Arrow's own way from columns to rows took three times as long as the kernel's. "
    "Batches and chunks of 32 MB in place of 8 take a seventh less and half as much memory again; smaller ones take "
    "longer."
)
"""What bounds a stream of decoded columns."""


def ours(data: Data) -> dict[str, Any]:
    """One pass over the labels, one over all columns."""
    import novacula as nv
    from novacula.bayes import NaiveBayes

    return moments(NaiveBayes().fit(nv.read(data["files"], target="label", progress=False)))


def pandas_scikit_learn(data: Data) -> dict[str, Any]:
    """Load, convert, fit."""
    import pyarrow.parquet as pq
    from sklearn.naive_bayes import GaussianNB

    frame = pq.read_table(data["folder"]).to_pandas()
    return moments(GaussianNB().fit(frame.drop(columns="label"), frame["label"]))


def polars_scan(data: Data) -> dict[str, Any]:
    """Means and variances by class as a lazy query, streamed."""
    import polars as pl

    return polars_moments(pl.scan_parquet(data["files"]))


def polars_moments(rows: Any) -> dict[str, Any]:
    """The model's parameters from a lazy frame."""
    import numpy as np
    import polars as pl

    values = pl.exclude("label")
    parts = values.mean().name.prefix("mean "), values.var(ddof=0).name.prefix("var "), pl.len()
    found = rows.group_by("label").agg(*parts).sort("label").collect(engine="streaming")
    mean = found.select(pl.col("^mean .*$")).to_numpy()
    var = found.select(pl.col("^var .*$")).to_numpy()
    spread = _whole_variance(mean, var, found["len"].to_numpy())
    return {
        "mean": mean,
        "variance": var + 1e-9 * spread,
        "prior": np.asarray(found["len"] / found["len"].sum()),
    }


def _whole_variance(mean: Any, var: Any, count: Any) -> Any:
    """The largest variance of a column over all classes, of which the models add a share."""
    share = (count / count.sum())[:, None]
    centre = (share * mean).sum(axis=0)
    return (share * (var + (mean - centre) ** 2)).sum(axis=0).max()


def reading(data: Data) -> None:
    """Decode every batch on all cores, and drop it."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(_decode, glob.glob(data["files"])))


def _decode(path: str) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for _ in file.iter_batches(use_threads=False):
            pass


class ParquetStream(Race):
    """From sixteen files to a model."""

    name = "parquet_stream"
    title = "Parquet to Gaussian naive Bayes"
    full = ({"rows": 10_000_000, "columns": 20},)
    quick = ({"rows": 1_000_000, "columns": 20},)
    files = 16

    def data(self, size: Size, folder: Path) -> Data:
        """Files of one row group each."""
        rows = size["rows"] // self.files
        (folder / "parts").mkdir()
        for i in range(self.files):
            parquet_file(folder / "parts" / f"{i:02}.parquet", [rows], size["columns"], part=i)
        return {"folder": str(folder / "parts"), "files": str(folder / "parts" / "*.parquet")}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn on a frame, Polars as a lazy query, and reading alone."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("PyArrow → pandas → scikit-learn", "pandas", pandas_scikit_learn, goal=5.0, because=DECODED),
            Contender("Polars scan", "polars", polars_scan, goal=1.0, because=DECODED),
            Contender("decoding the files", "pyarrow", reading, bound=True),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same parameters."""
        return same_numbers(ours, theirs, 1e-9)

    def limit(self, data: Data) -> Limit:
        """Read the files once, from the cache of the system."""
        return Limit(sum(os.path.getsize(path) for path in glob.glob(data["files"])))
