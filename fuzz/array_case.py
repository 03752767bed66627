"""One extreme fit as a file: arrays without pickles, and a line of JSON for everything that is no array of numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

ODD: Mapping[str, Callable[[Any], Any]] = {
    "none": lambda _: None,
    "nan": lambda _: float("nan"),
    "inf": lambda _: float("inf"),
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "bytes": lambda text: text.encode(),
    "tuple": tuple,
    "list": list,
    "date": lambda _: date(2020, 2, 29),
    "decimal": Decimal,
    "big": lambda digits: 10**digits,
    "complex": lambda _: 1 + 2j,
    "object": lambda _: object(),
}
"""How a value that JSON has no word for is made of the word and the argument that stand for it."""


def odd_value(token: list[Any]) -> Any:
    """The value that a word and an argument stand for, as in ["big", 400]."""
    return ODD[token[0]](token[1])


@dataclass
class ArrayCase:
    """What is fitted on what, and how it is given."""

    learner: str
    settings: dict[str, Any]
    rows: Any  # (n, d), of any type that is not object
    query: Any  # other rows to answer for
    form: str = "array"  # of the rows: a name in `fuzz.array_forms`
    target: Any = None  # (n,) or (n, k)
    labels: list[list[Any]] | None = None  # the target as odd values, instead
    label_form: str = "array"
    weight: Any = None
    odd_weight: list[Any] | None = None  # one odd value as the weight
    odd_cells: list[list[Any]] = field(default_factory=list)  # [row, column, token]: makes the rows objects
    words: list[list[Any]] | None = None  # a column of odd values beside the numbers
    lengths: list[int] | None = None  # of sequences
    pieces: int = 0  # so many calls of partial_fit, instead of a fit

    def write(self, path: Path) -> None:
        """Keep it in a file."""
        arrays = {name: value for name in ARRAYS if (value := getattr(self, name)) is not None}
        rest = {name: value for name, value in asdict(self).items() if name not in ARRAYS}
        np.savez(path, case=np.array(json.dumps(rest)), **{name: _plain(array) for name, array in arrays.items()})

    @classmethod
    def read(cls, path: Path) -> ArrayCase:
        """Take it from a file."""
        with np.load(path, allow_pickle=False) as held:
            arrays = {name: held[name] for name in ARRAYS if name in held.files}
            return cls(**json.loads(str(held["case"])), **arrays)


ARRAYS = ("rows", "query", "target", "weight")


def _plain(array: Any) -> Any:
    if array.dtype == object:
        raise ValueError("an array of objects cannot be kept without a pickle: use odd values")
    return array
