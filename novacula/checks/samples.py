"""Small seeded tables for checking a learner: with the columns that its card takes, and a target it can learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from novacula.learner.card import Card

NASTY_NAMES = (
    "[/red]",
    "$\\bad$",
    "<script>alert(1)</script>",
    "=cmd()",
    "a|b",
    "a_b % & # { } ~ ^",
    "line\nbreak",
    "\u202eevil",
    "",
    "日本語",
)
"""Names that have broken terminals, pages, figures or spreadsheets."""


@dataclass(frozen=True)
class CheckSample:
    """Columns, a target and its name."""

    columns: Mapping[str, Any]
    target: Any
    target_name: str = "y"  # the name of a target that comes without one

    @property
    def X(self) -> Any:  # noqa: N802  (a matrix)
        """The columns as an Arrow table."""
        return pa.table(dict(self.columns))

    @property
    def table(self) -> Any:
        """Columns and target as one Arrow table."""
        return pa.table({**self.columns, self.target_name: self.target})

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: Any) -> CheckSample:
        """Some of the rows, by number; a row may be taken more than once."""
        columns = {name: column.take(pa.array(rows)) for name, column in self.columns.items()}
        return CheckSample(columns, self.target[rows], self.target_name)

    def renamed(self, names: Mapping[str, str]) -> CheckSample:
        """The same columns under other names."""
        columns = {names.get(name, name): column for name, column in self.columns.items()}
        return CheckSample(columns, self.target, self.target_name)


def sample(card: Card, *, n: int = 120, missing: bool = False, random_state: int = 0) -> CheckSample:
    """Rows of the kinds that the learner takes, with a target of its task; `missing` blanks some cells."""
    rng = np.random.default_rng(random_state)
    numeric = rng.integers(0, 3, (n, 3)) + 0.5 if card.conjunctive else rng.normal(size=(n, 3)).round(6)
    if card.counts:
        numeric = rng.poisson(3.0, (n, 3)).astype(np.float64)
    columns: dict[str, Any] = {f"x{j}": numeric[:, j] for j in range(3)}
    signal = numeric[:, 0] - numeric[:, 1]
    if "categorical" in card.takes:
        code = rng.integers(0, 3, n)
        columns["colour"] = np.array(["blue", "green", "red"], object)[code]
        columns["size"] = np.array(["large", "small"], object)[rng.integers(0, 2, n)]
        signal = signal + code
    arrays = {name: pa.array(values) for name, values in columns.items()}
    if missing:
        arrays = {name: _with_gaps(column, rng) for name, column in arrays.items()}
    if card.conjunctive:
        return CheckSample(arrays, np.where((numeric[:, 0] > 1) & (code == 2), "yes", "no").astype(object))
    noisy = signal + 0.3 * rng.normal(size=n)
    if card.task in ("classification", "sequence"):  # the target of a sequence is its states
        return CheckSample(arrays, np.array(["no", "perhaps", "yes"], object)[np.searchsorted([-0.5, 1.0], noisy)])
    return CheckSample(arrays, noisy)


def _with_gaps(column: Any, rng: np.random.Generator) -> Any:
    gaps = rng.random(len(column)) < 0.15
    return pa.array([None if gap else value for value, gap in zip(column.to_pylist(), gaps, strict=True)], column.type)
