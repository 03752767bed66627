"""Loading a model of 100 MB: what it costs to check all of it before it may answer."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size


def rows_of(data: Data) -> Any:
    """Ours: sizes, checksums, then every array against its declaration."""
    import novacula as nv

    return nv.load(data["nova"]).examples_["rows"]


def rows_of_pickle(data: Data) -> Any:
    """joblib's pickle of scikit-learn's learner, which is trusted."""
    import joblib

    return joblib.load(data["pickle"])._fit_X


def hashed(data: Data) -> str:
    """Read the file and take its sha256, once."""
    return hashlib.sha256(Path(data["nova"]).read_bytes()).hexdigest()


class ModelFile(Race):
    """The rows of k nearest neighbours, which are their model."""

    name = "model_file"
    title = "Loading a model file of 100 MB"
    full = ({"rows": 1_250_000, "columns": 10},)
    quick = ({"rows": 50_000, "columns": 10},)

    def data(self, size: Size, folder: Path) -> Data:
        """The same rows in both files."""
        import joblib
        import numpy as np
        from sklearn.neighbors import KNeighborsClassifier as TheirNeighbors

        from novacula.neighbors import KNeighborsClassifier

        random = np.random.default_rng(0)
        X, y = random.normal(size=(size["rows"], size["columns"])), random.integers(0, 2, size["rows"])
        KNeighborsClassifier().fit(X, y).save(folder / "model.nova")
        joblib.dump(TheirNeighbors(algorithm="brute").fit(X, y), folder / "model.pickle")
        return {"nova": str(folder / "model.nova"), "pickle": str(folder / "model.pickle")}

    def contenders(self) -> Sequence[Contender]:
        """A pickle runs whatever code it holds, so it is no rival, but a part of the work: the bytes are read."""
        return [
            Contender("Novacula", "novacula", rows_of),
            Contender("joblib, unchecked", "joblib", rows_of_pickle, bound=True),
            Contender("read and sha256", "novacula", hashed, bound=True),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same rows."""
        same = bool((ours == theirs).all())
        return Agreement(same, "the same rows" if same else "other rows")

    def limit(self, data: Data) -> Limit:
        """Read the file once."""
        return Limit(Path(data["nova"]).stat().st_size)
