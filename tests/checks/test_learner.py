"""Every registered learner passes every check."""

import pytest

from novacula.checks import learner_checks
from novacula.learner.registry import learners

CASES = [
    pytest.param(check, id=f"{name}-{what}")
    for name, kind in learners().items()
    for what, check in learner_checks(kind())
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # no plane separates the sample
@pytest.mark.parametrize("check", CASES)
def test_learner(check):
    check()
