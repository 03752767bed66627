"""What every learner shares: the base classes, Card, Work, the iteration driver, model files, the registry."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novacula.learner.base import Classifier, Learner, Regressor
    from novacula.learner.card import Card
    from novacula.learner.figure import Figure
    from novacula.learner.files import load
    from novacula.learner.iterate import Outcome
    from novacula.learner.registry import learners
    from novacula.learner.work import Step, Work, WorkTable

_HOME = {
    "Card": "card",
    "Classifier": "base",
    "Figure": "figure",
    "Learner": "base",
    "Outcome": "iterate",
    "Regressor": "base",
    "Step": "work",
    "Work": "work",
    "WorkTable": "work",
    "learners": "registry",
    "load": "files",
}

__all__ = [
    "Card",
    "Classifier",
    "Figure",
    "Learner",
    "Outcome",
    "Regressor",
    "Step",
    "Work",
    "WorkTable",
    "learners",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'novacula.learner' has no attribute {name!r}")
    return getattr(import_module(f"novacula.learner.{_HOME[name]}"), name)
