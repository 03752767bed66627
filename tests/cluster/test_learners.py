"""Every learner whose card claims it gives the same model on a cluster."""

import pytest

from novacula.checks import check_scales
from novacula.learner.registry import learners

LEARNERS = {name: kind for name, kind in learners().items() if "cluster" in kind.card.scales}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # no plane separates the sample
@pytest.mark.parametrize("name", LEARNERS)
def test_the_model_of_the_cluster_is_that_of_memory(client, name):
    check_scales(LEARNERS[name](), client)
