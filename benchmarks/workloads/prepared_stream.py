"""A learner behind its preparation, from Parquet files: what the preparation costs in time and memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import parquet_file
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers
from benchmarks.workloads.gaussian_naive_bayes import moments
from benchmarks.workloads.parquet_stream import ours as alone


def prepared(data: Data) -> dict[str, Any]:
    """One pass for the preparation, one for the model; nothing is held but sums."""
    import novacula as nv
    from novacula.bayes import NaiveBayes
    from novacula.prepare import PreparedClassifier

    table = nv.read(data["files"], target="label", progress=False)
    return moments(PreparedClassifier(NaiveBayes()).fit(table).model_)


class PreparedStream(Race):
    """Naive Bayes, which takes columns as they are, with and without its preparation."""

    name = "prepared_stream"
    title = "Naive Bayes behind its preparation, from Parquet"
    full = ({"rows": 4_000_000, "columns": 8},)
    quick = ({"rows": 400_000, "columns": 8},)

    def data(self, size: Size, folder: Path) -> Data:
        """Row groups of 250,000 rows."""
        each = size["rows"] // 16
        return {"files": parquet_file(folder / "rows.parquet", [each] * 16, size["columns"])}

    def contenders(self) -> Sequence[Contender]:
        """The learner alone is a part of the work that cannot be left out."""
        return [
            Contender("Novacula", "novacula", prepared),
            Contender("naive Bayes alone", "novacula", alone, bound=True),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same parameters."""
        return same_numbers(ours, theirs, 1e-9)

    def limit(self, data: Data) -> Limit:
        """Read the file once."""
        return Limit(os.path.getsize(data["files"]))
