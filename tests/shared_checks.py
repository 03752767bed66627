"""The shared checks of learners with other settings than their defaults, which `tests/checks/test_learner.py` runs.

What the base does alike for every learner, whatever its settings, is proved there: with other settings it is `slow`.
"""

from typing import Any

import pytest

from novacula.checks import learner_checks

BY_THE_BASE = frozenset({"scikit_learn", "frames", "missing", "admission", "nasty_names", "display", "study", "unseen"})


def checks_of_settings(*learners: Any, leave_out: tuple[str, ...] = ()) -> list[Any]:
    """Every check of learners with other settings, as parameters of a test."""
    return [
        pytest.param(check, id=f"{learner}-{name}", marks=[pytest.mark.slow] if name in BY_THE_BASE else [])
        for learner in learners
        for name, check in learner_checks(learner)
        if name not in leave_out
    ]
