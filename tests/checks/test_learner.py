"""Every registered learner passes every check."""

import pytest

from novacula.checks import learner_checks
from novacula.learner.registry import learners

UNSETTLED = {"perceptron": [pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]}
"""Learners that say of the sample, rightly, that they did not come to an end: no plane separates it."""
CASES = [
    pytest.param(check, id=f"{name}-{what}", marks=UNSETTLED.get(name, []))
    for name, kind in learners().items()
    for what, check in learner_checks(kind())
]


@pytest.mark.parametrize("check", CASES)
def test_learner(check):
    check()
