"""Streaming does not hold what it has read: peak memory at ten times the rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generate import parquet_file
from benchmarks.workload import Contender, Data, Growth, Limit, Size
from benchmarks.workloads.parquet_stream import ours


class StreamedFit(Growth):
    """Gaussian naive Bayes from one Parquet file of many row groups."""

    name = "growth_of_memory"
    title = "Parquet to Gaussian naive Bayes, streamed"
    full = tuple({"rows": rows, "columns": 10, "rows a group": 1_000_000} for rows in (2_000_000, 20_000_000))
    quick = tuple({"rows": rows, "columns": 10, "rows a group": 100_000} for rows in (200_000, 2_000_000))
    memory_exponent = 0.05  # a tenfold of rows may cost an eighth more, which is noise of the allocator

    def data(self, size: Size, folder: Path) -> Data:
        """Row groups written one after the other."""
        each = size["rows a group"]
        return {"files": parquet_file(folder / "rows.parquet", [each] * (size["rows"] // each), size["columns"])}

    def contenders(self) -> Sequence[Contender]:
        """Ours alone."""
        return [Contender("Novacula", "novacula", ours)]

    def limit(self, data: Data) -> Limit:
        """Read the file once."""
        return Limit(os.path.getsize(data["files"]))
