"""Generalisation loss over a stated P(x, y): by hand, against a large sample, and the best answer of all functions."""

from itertools import product

import numpy as np
import pytest

from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.evaluate import CostMatrix, generalisation_loss

P = {("dark", "rain"): 0.3, ("dark", "dry"): 0.1, ("bright", "rain"): 0.15, ("bright", "dry"): 0.45}
LOOK = {"dark": "rain", "bright": "dry"}


def test_losses_by_hand_and_the_best_hypothesis():
    found = generalisation_loss({"always dry": lambda x: "dry", "look": LOOK}, P)
    assert found.losses == pytest.approx({"always dry": 0.45, "look": 0.25})
    assert found.best == "look"
    assert found.best_answers == LOOK
    assert found.least == pytest.approx(0.25)
    check_work(found)
    assert "∴" in str(found.work())


def test_another_loss_has_another_best():
    umbrella = CostMatrix(["rain", "dry"], [[1, 10], [3, 0]], actions=["take", "leave"])
    found = generalisation_loss({"take": lambda x: "take", "look": {"dark": "take", "bright": "leave"}}, P, umbrella)
    assert found.losses == pytest.approx({"take": 0.45 + 3 * 0.55, "look": 0.3 + 0.3 + 1.5})
    assert found.best == "take"
    late = generalisation_loss({"one": lambda x: 1, "three": lambda x: 3}, {(0, 1): 0.5, (0, 4): 0.5}, "squared")
    assert late.losses == {"one": 4.5, "three": 2.5}
    check_work(found)


@pytest.mark.parametrize("seed", range(5))
def test_no_function_is_better_than_the_best_answers_and_samples_tend_to_the_losses(seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(9)).reshape(3, 3)
    costs = rng.normal(size=(3, 3))
    stated = {(x, y): float(shares[x, y]) for x, y in product(range(3), repeat=2)}
    functions = {str(said): dict(enumerate(said)) for said in product(range(3), repeat=3)}
    found = generalisation_loss(functions, stated, lambda y, said: costs[y, said])
    assert found.least == pytest.approx(min(found.losses.values()))
    assert functions[found.best] == found.best_answers
    drawn = rng.choice(9, size=40_000, p=shares.ravel())
    for said in list(functions)[::9]:
        sample = [costs[c % 3, functions[said][c // 3]] for c in drawn]
        assert np.mean(sample) == pytest.approx(found.losses[said], abs=0.03)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: generalisation_loss({"h": LOOK}, {("dark", "rain"): 0.4}), "sum to 0.4"),
        (lambda: generalisation_loss({"h": LOOK}, {"dark": 1.0}), "keys are pairs"),
        (lambda: generalisation_loss({"h": LOOK}, {("dark", "rain"): 1.5}), "from 0 to 1"),
        (lambda: generalisation_loss({"h": {}}, P), "says nothing of x = 'dark'"),
        (lambda: generalisation_loss({}, P), "no hypotheses"),
        (lambda: generalisation_loss({"h": LOOK}, P, "log"), "needs probabilities"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_answers_that_no_y_has_are_among_the_best_ones():
    """Of 1 and 4 the middle has the least squared loss, though no row says it."""
    found = generalisation_loss({"one": lambda x: 1, "middle": lambda x: 2.5}, {(0, 1): 0.5, (0, 4): 0.5}, "squared")
    assert found.best_answers == {0: 2.5}
    assert found.least == pytest.approx(2.25)
    check_work(found)
