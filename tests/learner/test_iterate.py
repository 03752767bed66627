"""The driver, by the learners it must carry: EM, Lloyd, Newton, a tree by levels; then every way to end."""

import itertools
import math
import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novacula.errors import ParameterError
from novacula.learner.iterate import Outcome, Run, iterate, warn_unless_converged

# --- learners as steps --------------------------------------------------------------------------------------


def test_em_finds_the_two_coins_of_the_textbook():
    # Five times ten tosses of one of two coins, which one is hidden (Do and Batzoglou 2008): 0.80 and 0.52.
    heads = np.array([5, 9, 8, 4, 7])

    def step(bias):
        log_joint = np.log(0.5) + heads[:, None] * np.log(bias) + (10 - heads)[:, None] * np.log(1 - bias)
        log_evidence = np.logaddexp(*log_joint.T)
        share = np.exp(log_joint - log_evidence[:, None])
        return share.T @ heads / (10 * share.sum(axis=0)), log_evidence.sum()

    run = iterate(step, np.array([0.6, 0.5]), tol=1e-6, max_iter=100, direction="up", monotone=True)
    assert run.converged
    assert run.params == pytest.approx([0.80, 0.52], abs=0.005)
    assert all(new >= old for old, new in itertools.pairwise(run.history))
    assert run.history[-1] == step(run.params)[1], "the params are those of the last entry"


def test_lloyd_ends_at_the_best_of_all_partitions():
    points = np.array([1.0, 1.5, 2.0, 8.0, 9.0, 9.5])

    def step(centres):
        nearest = np.abs(points[:, None] - centres).argmin(axis=1)
        moved = np.array([points[nearest == k].mean() for k in range(len(centres))])
        return moved, ((points - centres[nearest]) ** 2).sum()

    run = iterate(step, np.array([1.0, 2.0]), tol=0.0, max_iter=50, monotone=True)
    best = min(
        sum(((group - group.mean()) ** 2).sum() for group in (points[list(mask)], points[~np.array(mask)]))
        for mask in (np.array(m) for m in itertools.product([False, True], repeat=6))
        if 0 < mask.sum() < 6
    )
    assert run.outcome is Outcome.CONVERGED
    assert run.history[-1] == pytest.approx(best, rel=1e-12)


def test_newton_converges_quadratically_and_says_itself_that_it_is_done():
    def step(x):  # the minimum of x − ln x is 1, at x = 1
        gradient, curvature = 1 - 1 / x, 1 / x**2
        if abs(gradient) < 1e-12:
            return Outcome.CONVERGED, x - math.log(x)
        return x - gradient / curvature, x - math.log(x)

    run = iterate(step, 0.5, tol=None, max_iter=20)
    assert run.converged
    assert run.n_iter <= 6
    assert run.params == pytest.approx(1, abs=1e-12)
    assert run.history[0] == 0.5 - math.log(0.5)


def test_a_tree_grows_by_levels_even_where_a_level_gains_nothing():
    # Exclusive or: the first split leaves the error as it is, the second removes it.
    rows = [((a, b), a ^ b) for a in (0, 1) for b in (0, 1)]

    def step(leaves):
        error = sum(min(labels.count(0), labels.count(1)) for labels in ([y for _, y in leaf] for leaf in leaves))
        depth = int(math.log2(len(leaves)))
        if error == 0 or depth == 2:
            return Outcome.CONVERGED, error
        split = [[row for row in leaf if row[0][depth] == side] for leaf in leaves for side in (0, 1)]
        return split, error

    run = iterate(step, [rows], tol=None, max_iter=10)
    assert run.history == (2, 2, 0)
    assert len(run.params) == 4


# --- every way to end ---------------------------------------------------------------------------------------


def halving(x):
    return x / 2, x


def test_max_iter_counts_updates_and_keeps_the_last():
    run = iterate(halving, 8.0, tol=0, max_iter=3)
    assert run == Run(1.0, (8.0, 4.0, 2.0, 1.0), Outcome.MAX_ITER)
    assert run.n_iter == 3
    assert not run.converged
    assert "3 iterations, as many as max_iter allows" in run.sentence
    assert iterate(halving, 8.0, tol=0, max_iter=0).history == (8.0,)


def test_a_deadline_ends_it_as_max_iter_does():
    run = iterate(halving, 8.0, tol=0, max_iter=math.inf, deadline=time.monotonic())
    assert run == Run(8.0, (8.0,), Outcome.OUT_OF_TIME)
    assert "0 iterations, when its time_budget was spent" in run.sentence
    assert iterate(halving, 8.0, tol=0, max_iter=1, deadline=0.0).outcome is Outcome.OUT_OF_TIME
    assert iterate(halving, 8.0, tol=0, max_iter=0, deadline=0.0).outcome is Outcome.MAX_ITER
    with pytest.warns(ConvergenceWarning, match="Halving: It stopped .* raise time_budget"):
        warn_unless_converged(run, "Halving")


def test_steps_of_several_iterations_are_counted():
    run = iterate(halving, 8.0, tol=0, max_iter=50, count=lambda x: int(80 / x))
    assert (run.params, run.n_iter, run.outcome) == (1.0, 80, Outcome.MAX_ITER)
    assert "after 80 iterations" in run.sentence
    assert run.history == (8.0, 4.0, 2.0, 1.0)


@pytest.mark.parametrize("unit", [1.0, 1e-9, -1e9])
def test_tolerance_is_relative_to_the_objective(unit):
    def step(x):
        return x / 2, unit * (1 + x)

    # |new − old| / old is 1/2 ÷ 2, 1/4 ÷ 1.5, 1/8 ÷ 1.25, 1/16 ÷ 1.125: the fourth is the first below 0.06
    assert iterate(step, 1.0, tol=0.06, max_iter=50).n_iter == 4


def test_absolute_tolerance_serves_an_objective_that_goes_to_zero():
    assert iterate(halving, 1.0, tol=1e-3, max_iter=2000).n_iter > 1000
    assert iterate(halving, 1.0, tol=0, atol=1e-3, max_iter=2000).n_iter == 10


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_bad_objective_ends_it_and_the_last_good_params_are_kept(bad):
    objectives = iter([3.0, 2.0, bad])
    run = iterate(lambda x: (x + 1, next(objectives)), 0, tol=0, max_iter=10)
    assert (run.params, run.history, run.outcome) == (1, (3.0, 2.0), Outcome.DIVERGED)
    assert f"after 1 iteration the objective became {bad:g}" in run.sentence


def test_gradient_descent_with_too_long_a_step_diverges():
    def step(x):
        with np.errstate(over="ignore"):
            return x - 3.0 * 2 * x, x * x

    run = iterate(step, np.float64(1.0), tol=1e-9, max_iter=10_000)
    assert run.outcome is Outcome.DIVERGED
    assert np.isfinite(run.params)


def test_a_bad_start_is_given_back():
    run = iterate(lambda x: (x + 1, math.nan), 7, tol=0, max_iter=10)
    assert (run.params, run.history, run.n_iter, run.outcome) == (7, (), 0, Outcome.DIVERGED)


@pytest.mark.parametrize(("direction", "sign"), [("down", 1), ("up", -1)])
def test_a_monotone_objective_that_worsens_ends_it(direction, sign):
    def run(objectives, **options):
        given = iter(sign * objective for objective in objectives)
        return iterate(lambda x: (x + 1, next(given)), 0, max_iter=3, direction=direction, **options)

    worse = run([3.0, 2.0, 2.5, 1.0], tol=0, monotone=True)
    assert (worse.params, worse.history, worse.outcome) == (1, (sign * 3.0, sign * 2.0), Outcome.WORSENED)
    assert "made the objective worse" in worse.sentence
    assert run([3.0, 2.0, 2.5, 1.0], tol=0).outcome is Outcome.MAX_ITER
    assert run([3.0, 2.0, 2.0 * (1 + 1e-12), 1.0], tol=0, monotone=True).outcome is Outcome.MAX_ITER
    assert run([3.0, 2.0, 2.0001], tol=1e-3, monotone=True).outcome is Outcome.CONVERGED


def test_a_step_that_finds_no_way_on_stalls():
    run = iterate(lambda x: (Outcome.STALLED if x == 2 else x + 1, 10.0 - x), 0, tol=0, max_iter=10)
    assert (run.params, run.history, run.outcome) == (2, (10.0, 9.0, 8.0), Outcome.STALLED)
    assert "no step from there" in run.sentence


def test_the_monitor_sees_all_and_may_stop():
    seen = []

    def monitor(iteration, objective, params):
        seen.append((iteration, objective, params))
        return np.bool_(objective <= 2)

    run = iterate(halving, 8.0, tol=0, max_iter=100, monitor=monitor)
    assert (run.params, run.outcome) == (2.0, Outcome.STOPPED)
    assert seen == [(0, 8.0, 8.0), (1, 4.0, 4.0), (2, 2.0, 2.0)]
    assert iterate(halving, 8.0, tol=0, max_iter=5, monitor=lambda *_: None).n_iter == 5


def test_a_monitor_can_keep_a_budget_of_time():
    end = time.monotonic() + 0.05

    def spent(iteration, *_):
        return iteration > 0 and time.monotonic() > end  # the first step is done on the slowest machine

    run = iterate(lambda x: (x + 1, 1.0 + x % 2), 0, tol=0, max_iter=10**9, monitor=spent)
    assert run.outcome is Outcome.STOPPED
    assert run.n_iter > 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_a_step_raises_is_not_swallowed(error):
    def step(x):
        raise error

    with pytest.raises(error):
        iterate(step, 0, tol=0, max_iter=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tol": -1}, "tol is -1"),
        ({"tol": math.nan}, "tol is nan"),
        ({"atol": math.inf}, "atol is inf"),
        ({"max_iter": -1}, "max_iter is -1"),
        ({"direction": "left"}, "direction is 'left'"),
    ],
)
def test_senseless_options_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        iterate(halving, 1.0, **{"tol": 0, "max_iter": 3, **options})


@pytest.mark.parametrize("outcome", Outcome)
def test_whoever_does_not_converge_warns(outcome):
    run = Run(0.0, (2.0, 1.0), outcome, refused=3.0)
    if outcome in (Outcome.CONVERGED, Outcome.STOPPED):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warn_unless_converged(run, "KMeans")
    else:
        with pytest.warns(ConvergenceWarning, match=r"^KMeans: It .*1 iteration\b"):
            warn_unless_converged(run, "KMeans")


def test_noise_is_no_fall():
    """An objective about 0 has no size to measure rounding by; its unit may say what is nothing."""

    def step(i):
        return i + 1, (1e-3, 1e-3 - 1e-11, 1e-3 - 2e-11)[i]

    strict = iterate(step, 0, max_iter=2, tol=None, direction="up", monotone=True)
    assert strict.outcome is Outcome.WORSENED
    assert len(iterate(step, 0, max_iter=2, tol=None, direction="up", monotone=True, noise=1e-10).history) == 3
