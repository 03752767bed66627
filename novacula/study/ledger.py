"""What was measured, one line of JSON per cell, so that a study that was interrupted goes on where it stopped.

The file is named by the fingerprint of the question: other rows, another seed or another measure begin a new one.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from novacula.errors import DataError
from novacula.study.cell import Job, Measurement
from novacula.version import __version__
from novacula.writing import explained, replace_file

LOST = "a worker was lost"
"""How the failure of a cell begins that was not run to its end."""


class Ledger:
    """Cells by their jobs: in memory, and in a file of a folder if one is given."""

    def __init__(self, folder: str | os.PathLike[str] | None = None, fingerprint: str = "") -> None:
        self._cells: dict[str, Measurement] = {}
        self._path = None if folder is None else Path(folder) / f"cells-{fingerprint[:16]}.jsonl"
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.exists():
                self._read(self._path)

    def __len__(self) -> int:
        return len(self._cells)

    def find(self, job: Job) -> Measurement | None:
        """What was measured for a job, if it was."""
        return self._cells.get(_key(job))

    def rows_of(self, learner: str) -> int | None:
        """On how many rows of each fold the most cells of a learner were measured; None: on all, or none was."""
        jobs = (json.loads(key) for key in self._cells)
        counts = Counter(job["rows"] for job in jobs if job["learner"] == learner and job["version"] == __version__)
        return max(counts, key=lambda rows: (counts[rows], rows or math.inf), default=None)

    def enter(self, job: Job, measured: Measurement) -> None:
        """Write a cell down at once; a worker that was lost is not a result."""
        key = _key(job)
        self._cells[key] = measured
        if self._path is not None and not measured.failure.startswith(LOST):
            line = json.dumps({"job": json.loads(key), "measured": asdict(measured)}) + "\n"
            with explained(self._path), self._path.open("ab") as file:
                file.write(line.encode())

    def _read(self, path: Path) -> None:
        *lines, torn = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line)
                measured = Measurement(**{**entry["measured"], "warnings": tuple(entry["measured"]["warnings"])})
                self._cells[json.dumps(entry["job"], sort_keys=True)] = measured
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(
                    f"line {number} of {path} is not a cell of a study: remove the file to begin again"
                ) from error
        if torn:  # was being written when the study was stopped: what is written next must not go on in its middle
            replace_file(path, b"".join(line + b"\n" for line in lines))


def _key(job: Job) -> str:
    return json.dumps({**asdict(job), "size": _plain(job.size), "version": __version__}, sort_keys=True)


def _plain(size: Any) -> Any:
    return size if isinstance(size, (str, int, float, bool)) or size is None else repr(size)
