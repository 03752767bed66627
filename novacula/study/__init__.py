"""The study: learners compared honestly on one table, and the simplest that is as good as the best chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

if TYPE_CHECKING:
    from novacula.study.learning import learn
    from novacula.study.study import Study

_HOME = {
    "Study": "study",
    "learn": "learning",
}

__all__ = ["Study", "learn"]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
