"""Data on disk between processes: arrays and sparse matrices as files, plain values as JSON.

A process that measures memory loads arrays straight into place, so that making the data is not charged to it.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.workload import Data

_INDEX = "data.json"


def keep(data: Data, folder: Path) -> None:
    """Write data to a folder."""
    import numpy as np
    from scipy.sparse import issparse, save_npz

    index: dict[str, list[object]] = {}
    for name, value in data.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            index[name] = ["array", f"{name}.npy"]
        elif issparse(value):
            save_npz(folder / f"{name}.npz", value, compressed=False)
            index[name] = ["sparse", f"{name}.npz"]
        else:
            index[name] = ["plain", value]
    (folder / _INDEX).write_text(json.dumps(index), "utf-8")


def holds(folder: Path) -> bool:
    """Whether data were written to a folder."""
    return (folder / _INDEX).exists()


def fetch(folder: Path) -> Data:
    """Read what `keep` wrote, importing nothing that the data do not need."""
    data: Data = {}
    for name, (kind, value) in json.loads((folder / _INDEX).read_text("utf-8")).items():
        if kind == "array":
            import numpy as np

            data[name] = np.load(folder / value)
        elif kind == "sparse":
            from scipy.sparse import load_npz

            data[name] = load_npz(folder / value)
        else:
            data[name] = value
    return data
