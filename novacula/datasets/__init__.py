"""Small data sets by name, as tables with their target set: textbook examples, and those that scikit-learn brings.

>>> from novacula import datasets
>>> datasets.load("play_tennis")
Table('play_tennis', 6 columns, target='PlayTennis')
>>> print(datasets.load("iris").schema.n_rows)
150
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from typing import Any

from novacula.errors import ParameterError
from novacula.table import Table, read
from novacula.table.schema import Types


@dataclass(frozen=True)
class Dataset:
    """What is known of a data set before it is read."""

    target: str
    summary: str
    types: Types = field(default_factory=dict)
    weight: str | None = None


_YES_NO = ["No", "Yes"]
_OWN: Mapping[str, Dataset] = {
    "candies": Dataset(
        "Flavor",
        "1,000 candies from two mixed bags: flavour, wrapper and hole, as eight rows with counts (Russell and Norvig)",
        weight="Count",
    ),
    "earthquakes": Dataset(
        "Count", "Earthquakes of magnitude 7 and more in the world by year, 1900 to 2006 (Zucchini and MacDonald)"
    ),
    "enjoy_sport": Dataset(
        "EnjoySport",
        "Four days on which somebody did or did not enjoy a sport (Mitchell 1997)",
        {
            "Sky": ["Sunny", "Cloudy", "Rainy"],
            "AirTemp": ["Warm", "Cold"],
            "Humidity": ["Normal", "High"],
            "Wind": ["Strong", "Weak"],
            "Water": ["Warm", "Cool"],
            "Forecast": ["Same", "Change"],
            "EnjoySport": _YES_NO,
        },
    ),
    "play_tennis": Dataset(
        "PlayTennis",
        "Fourteen days on which somebody did or did not play tennis (Mitchell 1997)",
        {"Day": "ignored"},
    ),
    "restaurant": Dataset(
        "WillWait",
        "Twelve times that somebody did or did not wait for a table (Russell and Norvig)",
        {
            "Patrons": ["None", "Some", "Full"],
            "Price": ["$", "$$", "$$$"],
            "WaitEstimate": ["0-10", "10-30", "30-60", ">60"],
        },
    ),
    "spam_messages": Dataset("Class", "Eight short messages, three of them spam", {"Message": "text"}),
    "umbrella": Dataset(
        "Rain",
        "Five days with or without an umbrella, and the most probable weather behind them (Russell and Norvig)",
        {"Day": "ignored"},
    ),
}
_BORROWED: Mapping[str, tuple[str, str]] = {
    "breast_cancer": ("load_breast_cancer", "569 tumours, 30 measurements, benign or malignant"),
    "diabetes": ("load_diabetes", "442 patients, 10 measurements, progress of the disease after a year"),
    "digits": ("load_digits", "1,797 handwritten digits of 8 × 8 grey values"),
    "iris": ("load_iris", "150 irises of three species, 4 measurements"),
    "linnerud": ("load_linnerud", "20 men, 3 exercises, 3 body measurements as targets"),
    "wine": ("load_wine", "178 wines of three growers, 13 measurements"),
}


def names() -> dict[str, str]:
    """The data sets, each with a sentence."""
    every = {name: own.summary for name, own in _OWN.items()} | {name: s for name, (_, s) in _BORROWED.items()}
    return dict(sorted(every.items()))


def load(name: str) -> Table:
    """Load a data set by name, as a `Table` with its target set."""
    if name in _OWN:
        own = _OWN[name]
        with as_file(files(__name__) / "files" / f"{name}.csv") as path:
            table = read(path, own.target, types=own.types, weight=own.weight, missing=("",), progress=False)
        table.source.name = name
        return table
    if name in _BORROWED:
        return _borrow(name)
    raise ParameterError(f"there is no data set {name!r}; there are {', '.join(names())}")


def _borrow(name: str) -> Table:
    """A data set of scikit-learn's: measurements by name, class labels as words."""
    import numpy as np
    import pyarrow as pa
    import sklearn.datasets

    bunch: Any = getattr(sklearn.datasets, _BORROWED[name][0])()
    columns = {str(column): bunch.data[:, j] for j, column in enumerate(bunch.feature_names)}
    if bunch.target.ndim == 2:
        targets = {str(column): bunch.target[:, j] for j, column in enumerate(bunch.target_names)}
    elif "target_names" in bunch:
        targets = {"target": np.asarray([str(label) for label in bunch.target_names])[bunch.target]}
    else:
        targets = {"target": bunch.target}
    table = read(pa.table(columns | targets), list(targets), progress=False)
    table.source.name = name
    return table
