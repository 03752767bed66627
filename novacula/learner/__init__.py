"""What every learner shares: the base classes, Card, Work, the iteration driver, model files, the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

if TYPE_CHECKING:
    from novacula.learner.base import Classifier, Learner, Regressor, Unsupervised
    from novacula.learner.card import Admits, Card
    from novacula.learner.card_table import CardTable, side_by_side
    from novacula.learner.checkpointing import checkpoint
    from novacula.learner.figure import Figure
    from novacula.learner.files import load
    from novacula.learner.iterate import Outcome
    from novacula.learner.left_out import LeftOut
    from novacula.learner.registry import learners
    from novacula.learner.work import Step, Work, WorkTable

_HOME = {
    "Admits": "card",
    "Card": "card",
    "CardTable": "card_table",
    "Classifier": "base",
    "Figure": "figure",
    "Learner": "base",
    "LeftOut": "left_out",
    "Outcome": "iterate",
    "Regressor": "base",
    "Step": "work",
    "Unsupervised": "base",
    "Work": "work",
    "WorkTable": "work",
    "checkpoint": "checkpointing",
    "learners": "registry",
    "load": "files",
    "side_by_side": "card_table",
}

__all__ = [
    "Admits",
    "Card",
    "CardTable",
    "Classifier",
    "Figure",
    "Learner",
    "LeftOut",
    "Outcome",
    "Regressor",
    "Step",
    "Unsupervised",
    "Work",
    "WorkTable",
    "checkpoint",
    "learners",
    "load",
    "side_by_side",
]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
