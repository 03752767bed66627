"""The EM driver: the literature's coins, monotonicity, restarts, priors, and how it says that it stopped."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.learner import Outcome
from novacula.mixture import expectation_maximization

HEADS = np.array([5, 9, 8, 4, 7])
START = np.array([0.6, 0.5])


def coins(theta):
    """Expected heads and tails of each coin, and the log-likelihood without its constant."""
    joint = 0.5 * theta ** HEADS[:, None] * (1 - theta) ** (10 - HEADS[:, None])
    share = joint / joint.sum(axis=1, keepdims=True)
    return (HEADS @ share, (10 - HEADS) @ share), np.log(joint.sum(axis=1)).sum()


def shares(statistics):
    heads, tails = statistics
    return heads / (heads + tails)


def test_two_coins_of_the_literature():
    """Do and Batzoglou (2008): first step 0.71 and 0.58, tenth 0.80 and 0.52."""
    once = expectation_maximization(coins, shares, START, max_iter=1)
    np.testing.assert_allclose(once.params, [0.71, 0.58], atol=0.005)
    ten = expectation_maximization(coins, shares, START, tol=0.0, max_iter=10)
    np.testing.assert_allclose(ten.params, [0.80, 0.52], atol=0.005)
    assert ten.n_iter == 10
    assert ten.outcome is Outcome.MAX_ITER
    assert "max_iter" in ten.sentence


def test_params_are_solved_from_the_statistics_and_history_ends_with_them():
    result = expectation_maximization(coins, shares, START)
    assert result.converged
    np.testing.assert_array_equal(shares(result.statistics), result.params)
    assert result.history[-1] == result.log_likelihood == coins(result.params)[1]
    assert result.history[0] == coins(START)[1]


@settings(deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_never_falls_from_any_start(a, b):
    history = expectation_maximization(coins, shares, np.array([a, b]), tol=0.0, max_iter=30).history
    assert np.diff(history).min(initial=0.0) >= -1e-10 * abs(history[-1])


def test_a_wrong_m_step_is_found_out():
    result = expectation_maximization(coins, lambda s: 1 - shares(s), START)
    assert result.outcome is Outcome.WORSENED
    assert not result.converged
    assert "worse" in result.sentence
    np.testing.assert_array_equal(result.params, START)
    assert result.statistics is None


def test_a_fall_within_the_tolerance_is_no_convergence():
    falling = iter([-10.0, -9.0, -9.0 - 1e-5])
    result = expectation_maximization(lambda p: (p, next(falling)), lambda s: s + 1, 0, atol=1e-3)
    assert result.outcome is Outcome.WORSENED
    assert result.params == 1
    assert result.history == (-10.0, -9.0)


def test_keeps_the_best_of_several_starts_and_tells_of_each():
    starts = [np.array([0.5, 0.5]), START, np.array([0.9, 0.1])]
    alone = [expectation_maximization(coins, shares, start) for start in starts]
    result = expectation_maximization(coins, shares, lambda i: starts[i], n_init=3)
    assert [restart.objective for restart in result.restarts] == [one.log_likelihood for one in alone]
    assert result.log_likelihood == max(one.log_likelihood for one in alone)
    assert result.best == int(np.argmax([one.log_likelihood for one in alone]))
    assert result.sentence == result.restarts[result.best].sentence
    assert all("converged" in restart.sentence for restart in result.restarts)


def test_a_start_that_fails_is_told_and_the_others_go_on():
    def start(i):
        if i == 0:
            raise DataError("this start is no good")
        return START

    result = expectation_maximization(coins, shares, start, n_init=2)
    assert result.best == 1
    assert result.restarts[0].sentence == "this start is no good"
    assert result.restarts[0].objective == -math.inf
    with pytest.raises(DataError, match="no good"):
        expectation_maximization(coins, shares, start, n_init=1)


def test_with_a_prior_the_posterior_rises_to_its_mode():
    """Ten heads and ten tails more for each coin: the objective is the log posterior, the likelihood is told apart."""

    def log_prior(theta):
        return float(10 * (np.log(theta) + np.log1p(-theta)).sum())

    def m_step(statistics):
        heads, tails = statistics
        return (heads + 10) / (heads + tails + 20)

    result = expectation_maximization(coins, m_step, START, tol=0.0, max_iter=200, log_prior=log_prior)
    assert np.diff(result.history).min() >= -1e-9
    assert result.history[-1] == pytest.approx(coins(result.params)[1] + log_prior(result.params), rel=1e-12)
    assert result.log_likelihood == pytest.approx(coins(result.params)[1], rel=1e-12)
    grid = np.stack(np.meshgrid(*[np.linspace(0.4, 0.7, 121)] * 2), axis=-1).reshape(-1, 2)
    best = max(grid, key=lambda theta: coins(theta)[1] + log_prior(theta))
    np.testing.assert_allclose(np.sort(result.params), np.sort(best), atol=0.0025)


def test_a_monitor_sees_every_step_and_may_end_it():
    seen = []

    def monitor(iteration, objective, params):
        seen.append((iteration, objective, params.tolist()))
        return iteration == 3

    result = expectation_maximization(coins, shares, START, monitor=monitor)
    assert result.outcome is Outcome.STOPPED
    assert [entry[0] for entry in seen] == [0, 1, 2, 3]
    assert tuple(entry[1] for entry in seen) == result.history
    assert seen[-1][2] == result.params.tolist()


def test_a_likelihood_that_is_not_finite_ends_it():
    result = expectation_maximization(lambda p: (p, -math.inf), lambda s: s, 1.0)
    assert result.outcome is Outcome.DIVERGED
    assert result.statistics is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_init": 0}, "at least one start"),
        ({"n_init": 2}, "init is one start"),
        ({"tol": -1.0}, "tol is -1"),
        ({"max_iter": -1}, "max_iter is -1"),
    ],
)
def test_bad_parameters(options, words):
    with pytest.raises(ParameterError, match=words):
        expectation_maximization(coins, shares, START, **options)


def test_q_is_computed_and_shown():
    """Two coins: Q(h′ | h) = Σ of expected heads · ln θ′ + expected tails · ln(1 − θ′), by hand from the shares."""
    heads = np.array([5, 9, 8, 4, 7])

    def e_step(theta):
        joint = 0.5 * theta ** heads[:, None] * (1 - theta) ** (10 - heads[:, None])
        share = joint / joint.sum(axis=1, keepdims=True)
        return (heads @ share, (10 - heads) @ share), float(np.log(joint.sum(axis=1)).sum())

    def q(statistics, theta):
        return float(statistics[0] @ np.log(theta) + statistics[1] @ np.log(1 - theta) + 5 * np.log(0.5))

    result = expectation_maximization(e_step, lambda s: s[0] / (s[0] + s[1]), np.array([0.6, 0.5]), q=q)
    old, new = result.q_history[1]
    theta = np.array([0.6, 0.5])
    joint = 0.5 * theta ** heads[:, None] * (1 - theta) ** (10 - heads[:, None])
    share = joint / joint.sum(axis=1, keepdims=True)

    def by_hand(t):
        return (share * np.log(0.5 * t ** heads[:, None] * (1 - t) ** (10 - heads[:, None]))).sum()

    assert old == pytest.approx(by_hand(theta))
    assert new == pytest.approx(by_hand(result.path[1].params))
    grid = np.linspace(0.3, 0.95, 66)
    assert new >= max(by_hand(np.array([a, b])) for a in grid for b in grid)  # the M-step makes it largest
    assert result.history[1] - result.history[0] >= new - old
    check_work(result)
    check_work(result, iteration=1, drawn=False)
    assert "Q(h′ | h) − Q(h | h)" in result.work(iteration=1).to_text()
    assert "Q(h′ | h)" in result.work()[1].table.header[-1]
    assert result.plot().svg()


@pytest.mark.parametrize(
    ("q", "words"),
    [(lambda h, new: -abs(new - h), "Q falls"), (lambda h, new: -1e6 * abs(new), "L rises by less than Q")],
)
def test_functions_that_do_not_belong_together_are_noted(q, words):
    """Halving h climbs −h², while Q falls, or rises by more than the likelihood does."""
    result = expectation_maximization(lambda h: (h, -(h**2)), lambda h: h / 2, 4.0, q=q, tol=0.5)
    assert words in result.work(iteration=1).to_text()
    check_work(result, iteration=1, drawn=False)


def test_an_e_step_gives_a_pair():
    with pytest.raises(InputTypeError, match=r"^e_step gave 3; it must give a pair, the statistics and the log"):
        expectation_maximization(lambda _: 3, lambda s: s, 1.0)
