"""Works of networks, chains, mixtures and projections: steered the same way, each iteration tied to the path."""

import numpy as np
import pytest

import novacula as nv
from novacula.checks import check_equations, check_work
from novacula.errors import DataError, InputTypeError, ParameterError, SchemaError
from novacula.graph import BayesianNetwork, CategoricalHMM, GaussianHMM, PoissonHMM
from novacula.mixture import GaussianMixture, KMeans, expectation_maximization
from novacula.projection import PCA

REFUSED = (DataError, InputTypeError, ParameterError, SchemaError)
CANDY = [("Bag", "Flavor"), ("Bag", "Wrapper"), ("Bag", "Hole")]
quiet = pytest.mark.filterwarnings("ignore")
ROWS = np.abs(np.random.default_rng(0).normal(size=(40, 2)).round(1) * 3)
LEARNERS = [
    GaussianMixture(2, random_state=0),
    KMeans(3),
    CategoricalHMM(2, max_iter=4),
    GaussianHMM(2, max_iter=4),
    PoissonHMM(2, max_iter=4),
]


@quiet
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_works_are_steered_and_checked(learner):
    model = learner.fit(ROWS)
    for how in ({}, {"iteration": 1}, {"iteration": model.n_iter_}, {"detail": "full"}):
        check_equations(model, **how)
    check_equations(model, ROWS[:4])
    for how, words in (
        ({"iteration": model.n_iter_ + 1}, f"the fit made {model.n_iter_} iteration"),
        ({"iteration": 0}, "counted from 1"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "nobody"}, "notation is 'nobody'"),
    ):
        with pytest.raises(REFUSED, match=words):
            model.work(**how)
    with pytest.raises(REFUSED):
        model.work(np.ones((3, 5)))


@quiet
def test_the_first_step_of_the_candies():
    model = BayesianNetwork(CANDY, hidden={"Bag": [1, 2]}, max_iter=3).fit(nv.datasets.load("candies"))
    for how in ({}, {"iteration": 1}, {"iteration": 3}, {"detail": "full"}):
        check_equations(model, **how)
    rows = nv.datasets.load("candies").head(3)
    check_work(model, rows, drawn=False)
    check_work(model, rows, target="Bag", drawn=False)
    check_work(BayesianNetwork.from_network(model.network_), rows, target="Bag", drawn=False)
    with pytest.raises(REFUSED, match="give X, too"):
        model.work(target="Bag")


def test_pca_has_no_iterations():
    with pytest.raises(REFUSED, match="keeps no iterations"):
        PCA(1).fit(ROWS).work(iteration=1)


def test_the_two_coins():
    heads = np.array([5, 9, 8, 4, 7])

    def e_step(theta):
        joint = 0.5 * theta ** heads[:, None] * (1 - theta) ** (10 - heads[:, None])
        share = joint / joint.sum(axis=1, keepdims=True)
        return (heads @ share, (10 - heads) @ share), np.log(joint.sum(axis=1)).sum()

    result = expectation_maximization(e_step, lambda s: s[0] / (s[0] + s[1]), np.array([0.6, 0.5]))
    for how in ({}, {"iteration": 1}, {"iteration": 9}):
        check_equations(result, **how)
    assert "0.713012" in str(result.work(iteration=1))  # 0.71 and 0.58 (Do and Batzoglou, 2008)
    with pytest.raises(REFUSED, match="the fit made 9 iterations"):
        result.work(iteration=10)
