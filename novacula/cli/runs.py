"""Folders that `novacula learn --out` wrote, read back: what was asked, what was measured, what was chosen.

What a field does not say stays open: folders of other versions have other fields.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from novacula.errors import DataError

T = TypeVar("T")

NUMBERS = "study.json"
ASKED = {"target": "target", "task": "task", "metric": "metric", "folds": "number of folds", "seed": "seed"}
"""Fields of a question, and what sentences call them."""


@dataclass(frozen=True)
class RunEntry:
    """A row of the leaderboard of a run."""

    learner: str
    name: str
    status: str
    size_name: str | None
    size: Any
    rows: int | None
    error: float | None
    standard_error: float | None
    n_parameters: float | None

    @classmethod
    def of(cls, values: Any) -> RunEntry | None:
        """A row of JSON; None where it does not name a learner."""
        learner = taken(values, "learner", str)
        if learner is None:
            return None
        numbers = [taken(values, name, float) for name in ("error", "standard_error", "n_parameters")]
        return cls(
            learner,
            taken(values, "name", str) or learner,
            taken(values, "status", str) or "",
            taken(values, "size_name", str),
            values.get("size"),
            taken(values, "rows", int),
            *numbers,
        )

    @property
    def label(self) -> str:
        """Name and size."""
        if self.size is None or self.size_name is None:
            return self.name
        size = f"({', '.join(map(str, self.size))})" if isinstance(self.size, list) else self.size
        return f"{self.name}, {self.size_name} = {f'{size:g}' if isinstance(size, float) else size}"


class StudyRun:
    """One folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.numbers = _read(path)
        rows = taken(self.numbers, "leaderboard", list)
        if rows is None:
            raise DataError(f"{str(path)!r} has no leaderboard: only studies of a target can be compared")
        self.entries = tuple(entry for entry in map(RunEntry.of, rows) if entry is not None)

    def field(self, name: str, kind: type[T]) -> T | None:
        """A field of the study, None where it is not there."""
        return taken(self.numbers, name, kind)

    @property
    def chosen(self) -> RunEntry | None:
        """The learner that was chosen."""
        return self.entry(self.field("chosen", str) or "")

    def entry(self, learner: str) -> RunEntry | None:
        """A learner's row."""
        return next((entry for entry in self.entries if entry.learner == learner), None)

    @property
    def metric_word(self) -> str:
        """What errors are measured by, in words; empty where it is not said."""
        return (self.field("metric", str) or "").replace("_", " ")

    @property
    def asked(self) -> dict[str, Any]:
        """What is known of the question."""
        rows = self.field("rows", dict) or {}
        counted = {f"number of {part} rows": rows[name] for name, part in _PARTS.items() if name in rows}
        asked = {words: self.numbers[name] for name, words in ASKED.items() if name in self.numbers}
        return asked | ({"metric": self.metric_word} if "metric" in asked else {}) | counted

    @property
    def missing(self) -> list[str]:
        """What is not in the file, as far as a comparison would use it."""
        wanted = ("target", "metric", "chosen", "fingerprint", "findings")
        return [name for name in wanted if name not in self.numbers]

    @property
    def findings(self) -> list[str]:
        """The sentences about the data."""
        found = self.field("findings", list) or []
        return [sentence for one in found if (sentence := taken(one, "sentence", str)) is not None]

    def fold_errors(self, entry: RunEntry) -> list[float] | None:
        """The errors of a row in each fold, in their order; None where they are not all there."""
        folds = self.field("folds", int)
        held = {job["fold"]: error for job, error in self._cells if _is_cell_of(job, entry)}
        if folds is None or held.keys() != set(range(folds)):
            return None
        return [held[fold] for fold in range(folds)]

    @cached_property
    def _cells(self) -> list[tuple[dict[str, Any], float]]:
        """What was measured, cell by cell: jobs and their errors, as far as they ended in a number."""
        path = self.path / f"cells-{(self.field('fingerprint', str) or '')[:16]}.jsonl"
        cells = []
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            try:
                cell = json.loads(line)
            except ValueError:  # was being written when the study was stopped
                continue
            job, error = taken(cell, "job", dict), taken(taken(cell, "measured", dict), "error", float)
            if job is not None and error is not None and "fold" in job:
                cells.append((job, error))
        return cells


_PARTS = {"train": "training", "test": "test"}


def taken(values: Any, name: str, kind: type[T]) -> T | None:
    """A value of JSON by its name, if it is of this kind; whole numbers are numbers."""
    value = values.get(name) if isinstance(values, dict) else None
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)  # type: ignore[return-value]
    return value if type(value) is kind else None


def _is_cell_of(job: dict[str, Any], entry: RunEntry) -> bool:
    """Whether a cell is one of a row of the leaderboard; sizes of several numbers are written as Python writes them."""
    size = repr(tuple(entry.size)) if isinstance(entry.size, list) else entry.size
    return (job.get("learner"), job.get("size"), job.get("rows")) == (entry.learner, size, entry.rows)


def _read(folder: Path) -> dict[str, Any]:
    path = folder / NUMBERS
    if not path.is_file():
        raise DataError(f"there is no {NUMBERS} in {str(folder)!r}: name a folder that novacula learn --out wrote")
    try:
        numbers = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        numbers = None
    if not isinstance(numbers, dict):
        raise DataError(f"{str(path)!r} is not what novacula learn wrote: run it again")
    return numbers
