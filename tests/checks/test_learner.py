"""Every registered learner passes every check."""

import pytest

from novacula.checks import learner_checks
from novacula.learner.registry import learners

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
UNSETTLED = {"perceptron": [quiet], "linear-unit": [quiet], "mlp-classifier": [quiet], "mlp-regressor": [quiet]}
"""Learners that say of the sample, rightly, that they did not come to an end: no plane separates it, or the loss of a
network was still falling in its last epoch."""
FEWER = {
    "perceptron": {"max_iter": 50},
    "linear-unit": {"max_iter": 50},
    "ada-boost-classifier": {"n_estimators": 8},
    "bagging-classifier": {"n_estimators": 4},
    "bagging-regressor": {"n_estimators": 4},
    "random-forest-classifier": {"n_estimators": 25},
    "random-forest-regressor": {"n_estimators": 25},
}
"""Epochs, or models, for learners whose own default is many: what is checked is the same."""
CASES = [
    pytest.param(check, id=f"{name}-{what}", marks=UNSETTLED.get(name, []))
    for name, kind in learners().items()
    for what, check in learner_checks(kind(**FEWER.get(name, {})))
]


@pytest.mark.parametrize("check", CASES)
def test_learner(check):
    check()
