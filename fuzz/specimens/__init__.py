"""Fitted models that are forged: every learner as it comes, and for each family its variants.

A module of a family has a function `variants` that yields a name, a learner that is not fitted, rows and targets. It is
for settings that make a model hold other attributes, or attributes of other forms, than the learner as it comes. A
learner that is fitted already, as one of given parameters or one that was taught in pieces, is taken as it is.
"""

from __future__ import annotations

import pkgutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from novacula.checks.samples import sample
from novacula.learner.registry import learner_id, learners

ROWS = 40
"""Rows of the sample that each learner is fitted on as it comes."""


@dataclass(frozen=True)
class Specimen:
    """A model as the bytes of its file, with rows to ask it about."""

    name: str
    content: bytes
    rows: Any
    target: Any


def write_specimens(folder: Path, only: set[str] | None = None, few: set[str] | None = None) -> None:
    """Fit those that are not fitted, and save them.

    `only` those whose learners have one of these ids; with `few`, learners as they come and variants of these names.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, learner, rows, target in variants():
            own_id = learner_id(type(learner))
            if (only is None or own_id in only) and (few is None or name in {own_id, *few}):
                model = learner if hasattr(learner, "schema_") else learner.fit(rows, target)
                model.save(folder / f"{name}.nova")


def read_specimens(folder: Path) -> dict[str, Specimen]:
    """Those that were written, by name, with the rows that they were fitted on."""
    return {
        name: Specimen(name, path.read_bytes(), rows, target)
        for name, _, rows, target in variants()
        if (path := folder / f"{name}.nova").exists()
    }


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """Learners, most of them not fitted, with names, rows and targets."""
    for name, kind in learners().items():
        data = sample(kind.card, n=ROWS)
        yield name, kind(), data.X, data.target
    for module in pkgutil.iter_modules(__path__):
        yield from import_module(f"{__name__}.{module.name}").variants()
