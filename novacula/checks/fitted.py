"""What a fitted model holds, as arrays that can be compared with those of another fit of the same model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from novacula.checks.verdict import require
from novacula.table.chunk import Floats
from novacula.table.equal_rows import equal_rows

PLAIN = (str, bool, int, float)


def fitted_arrays(model: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """What a fitted model has learned, each array with the path that leads to it, without the names of columns.

    What the learner names in `not_compared`, with a reason, is left out. Anything else that cannot be compared is an
    error.
    """
    exempt = dict(getattr(model, "not_compared", {}))
    for name, reason in exempt.items():
        require(bool(reason.strip()), f"{type(model).__name__} gives no reason why {name} is not compared")
    row_attributes = dict(getattr(model, "kept_rows", {}))
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and not name.endswith("names_") and name != "schema_":
            comparable = (
                rows_as_a_set(value, row_attributes[name]) if name in row_attributes and value is not None else value
            )
            for place, leaf in _leaves(name, comparable, type(model).__name__):
                if not any(place == out or place.startswith((f"{out}.", f"{out}[")) for out in exempt):
                    yield path + place, leaf


def _leaves(path: str, value: Any, learner: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, BaseEstimator):
        yield f"{path}.parameters", np.asarray(repr(value))
        yield from fitted_arrays(value, f"{path}.")
    elif is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from _leaves(f"{path}.{part.name}", getattr(value, part.name), learner)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(f"{path}.{key}", part, learner)
    elif isinstance(value, (set, frozenset)):
        yield from _leaves(path, sorted(value, key=repr), learner)
    elif isinstance(value, (tuple, list)) and not all(isinstance(part, PLAIN) for part in value):
        for i, part in enumerate(value):
            yield from _leaves(f"{path}[{i}]", part, learner)
    elif sparse.issparse(value):
        yield path, value.toarray()
    elif isinstance(value, Enum):
        yield path, np.asarray(value.name)
    else:
        is_plain = value is None or isinstance(value, (np.ndarray, np.generic, tuple, list, *PLAIN))
        require(
            is_plain,
            f"{learner} keeps a {type(value).__name__} in {path}, which cannot be compared: keep numbers, words, "
            f"arrays, dataclasses or dictionaries of them, or name it in not_compared with the reason it may differ",
        )
        yield path, np.asarray(value)


def rows_as_a_set(examples: Mapping[str, Any], sums: tuple[str, ...]) -> dict[str, Any]:
    """Kept rows in an order that depends on their values alone, equal ones joined; arrays named in `sums` add up.

    Rows are equal if "rows" and "target" are; those of weight 0 are dropped. Arrays of another length stay as they are.
    """
    weight = np.asarray(examples["weight"])
    n = len(weight)
    whole = {name: _dense(array) for name, array in examples.items()}
    per_row = {name: array[weight > 0] for name, array in whole.items() if array is not None and len(array) == n}
    identity = [per_row[name].reshape(len(per_row["weight"]), -1) for name in ("rows", "target") if name in per_row]
    keys = np.nan_to_num(np.hstack(identity).astype(np.float64), nan=np.inf)
    same = equal_rows(keys)
    by_value = np.lexsort(keys[same.first].T[::-1])  # the last bits of a value change its place least of all
    joined = {
        name: (_sums(array, same.kind, len(same)) if name in sums else array[same.first])[by_value]
        for name, array in per_row.items()
    }
    return whole | joined


def _dense(array: Any) -> Any:
    return array.toarray() if sparse.issparse(array) else array


def _sums(array: Floats, group: Any, n: int) -> Floats:
    total = np.zeros((n, *array.shape[1:]))
    np.add.at(total, group, array)
    return total
