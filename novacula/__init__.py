"""Novacula: classical machine learning that shows its work.

Names load when they are first used, so that `import novacula` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from novacula.version import __version__

if TYPE_CHECKING:
    from novacula import (
        baseline,
        bayes,
        checks,
        concept,
        datasets,
        evaluate,
        graph,
        kernel,
        linear,
        mixture,
        neighbors,
        neural,
        optimize,
        prepare,
        projection,
        statistics,
        theory,
        tree,
    )
    from novacula.learner import Card, Work, checkpoint, load
    from novacula.study import Study, learn
    from novacula.table import Schema, Table, read

_HOME = {
    "Card": "novacula.learner",
    "Schema": "novacula.table",
    "Study": "novacula.study",
    "Table": "novacula.table",
    "Work": "novacula.learner",
    "checkpoint": "novacula.learner",
    "learn": "novacula.study",
    "load": "novacula.learner",
    "read": "novacula.table",
}

__all__ = [
    "Card",
    "Schema",
    "Study",
    "Table",
    "Work",
    "__version__",
    "baseline",
    "bayes",
    "checkpoint",
    "checks",
    "concept",
    "datasets",
    "evaluate",
    "graph",
    "kernel",
    "learn",
    "linear",
    "load",
    "mixture",
    "neighbors",
    "neural",
    "optimize",
    "prepare",
    "projection",
    "read",
    "statistics",
    "theory",
    "tree",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in __all__:  # a room
        value = import_module(f"novacula.{name}")
    else:
        raise AttributeError(f"module 'novacula' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
