"""Every learner whose card claims it gives the same model on a cluster."""

import pytest

from novacula.checks import check_scales
from novacula.learner.registry import learners

UNSETTLED = {"perceptron": [pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")]}
"""Learners that say of the sample, rightly, that they did not come to an end: no plane separates it."""
LEARNERS = {name: kind for name, kind in learners().items() if "cluster" in kind.card.scales}


@pytest.mark.parametrize("name", [pytest.param(name, marks=UNSETTLED.get(name, [])) for name in LEARNERS])
def test_the_model_of_the_cluster_is_that_of_memory(client, name):
    check_scales(LEARNERS[name](), client)
