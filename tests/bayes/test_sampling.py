"""Draws from densities of one and two numbers, held against what is exact."""

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy.integrate import quad
from scipy.stats import binom, kstest, norm

from novacula.bayes import GridPosterior, metropolis, rejection_sampling
from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError, ParameterError

SEEDS = 100


def two_hills(θ):
    return np.exp(-(θ**2) / 2) + 0.5 * np.exp(-((θ - 3) ** 2) / 0.5)


def leaning(first, second):
    return np.exp(-(first**2 + second**2 - 1.2 * first * second) / 2)


ONE = GridPosterior(two_hills, two_hills, (-6, 7), closed=True)
TWO = GridPosterior(leaning, leaning, ((-5, 5), (-5, 5)), closed=True)


@pytest.mark.parametrize(("target", "exact"), [(ONE, [0.6]), (TWO, [0.0, 0.0])], ids=["one number", "two numbers"])
@pytest.mark.parametrize(("draw", "n"), [(metropolis, 20_000), (rejection_sampling, 20_000)])
def test_means_lie_within_their_stated_errors(draw, n, target, exact):
    """2.6 standard errors hold 99 of 100 normal deviates, and one holds 68: errors neither too small nor too large."""
    samples = [draw(target, n=n, random_state=seed) for seed in range(SEEDS)]
    away = np.array([np.abs(sample.mean - exact) / sample.standard_error for sample in samples])
    assert ((away <= 2.6).sum(axis=0) >= 95).all()
    assert ((away <= 1.0).sum(axis=0) <= 82).all()
    assert ((away <= 1.0).sum(axis=0) >= 54).all()


@pytest.mark.parametrize(("target", "exact"), [(ONE, [0.6]), (TWO, [0.0, 0.0])], ids=["one number", "two numbers"])
@pytest.mark.parametrize("draw", [metropolis, rejection_sampling])
def test_stated_intervals_hold_the_exact_mean(draw, target, exact):
    """At least 92 of 100 hold it with a probability of 0.94 where 95 of 100 do in the long run, of 0.03 where 85 do.

    And intervals that are always wide enough would say nothing.
    """
    intervals = np.array([draw(target, n=10_000, random_state=seed).interval for seed in range(SEEDS)])
    held = ((intervals[..., 0] <= exact) & (exact <= intervals[..., 1])).sum(axis=0)
    assert binom.sf(91, SEEDS, 0.95) > 0.93
    assert binom.sf(91, SEEDS, 0.85) < 0.03
    assert (held >= 92).all(), held
    away = np.abs(intervals.mean(axis=-1) - exact) / (intervals[..., 1] - intervals[..., 0])
    assert (np.median(away, axis=0) > 0.1).all()  # half of normal deviates are beyond 0.67 of 3.92 standard errors


def test_the_exact_mean_is_that_of_quadrature():
    top, bottom = quad(lambda θ: θ * two_hills(θ), -6, 7)[0], quad(two_hills, -6, 7)[0]
    assert metropolis(ONE, n=1000).exact_mean[0] == pytest.approx(top / bottom, abs=1e-6)


def test_independent_draws_have_the_density():
    sample = rejection_sampling(lambda θ: np.exp(-(θ**2) / 2), (-6, 6), n=20_000, random_state=1)
    assert kstest(sample.draws[:, 0], norm.cdf).pvalue > 0.01
    assert sample.acceptance == pytest.approx(np.sqrt(2 * np.pi) / 12, abs=0.01)
    assert metropolis(ONE, n=50_000).std[0] == pytest.approx(ONE.std, abs=0.05)


@pytest.mark.parametrize("draw", [metropolis, rejection_sampling])
@pytest.mark.parametrize("target", [ONE, TWO])
def test_the_work_and_the_picture(draw, target):
    sample = draw(target, n=5000, random_state=2)
    check_work(sample)
    canvas = Canvas()
    sample.plot().draw(canvas.add_subplot())
    trace, mean, where = canvas.axes
    assert trace.lines[0].get_ydata().tolist() == sample.draws[:500, 0].tolist()
    assert mean.lines[0].get_ydata()[-1] == pytest.approx(sample.mean[0])
    assert mean.lines[1].get_ydata()[0] == pytest.approx(sample.exact_mean[0])
    assert where.get_title() == "Draws beside the density"
    accepted = sample.first.uniform < sample.first.density[:, 1] / sample.first.density[:, 0]
    assert accepted.tolist() == sample.first.accepted.tolist()


def test_the_same_seed_gives_the_same_draws():
    assert np.array_equal(metropolis(ONE, n=500, random_state=3).draws, metropolis(ONE, n=500, random_state=3).draws)
    assert not np.array_equal(
        metropolis(ONE, n=500, random_state=3).draws, metropolis(ONE, n=500, random_state=4).draws
    )
    assert len(metropolis(two_hills, (-6, 7), n=500, burn=0, step=0.5).draws) == 500


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: metropolis(3, (0, 1)), InputTypeError, "give a function or a GridPosterior"),
        (lambda: metropolis(two_hills), ParameterError, "bounds are missing"),
        (lambda: metropolis(ONE, (0, 1)), ParameterError, "leave bounds out"),
        (lambda: metropolis(ONE, step=0), ParameterError, "longer than 0"),
        (lambda: metropolis(ONE, n=3), ParameterError, "n"),
        (lambda: rejection_sampling(lambda θ: θ > 0.999, (0, 1), n=100), DataError, "too few to tell an error"),
    ],
)
def test_what_cannot_be_drawn_is_said(make, error, sentence):
    with pytest.raises(error, match=sentence):
        make()


# --- densities on a grid


def test_one_spike_or_several():
    (place, height), (second, lower) = ONE.spikes()
    assert (place, second) == pytest.approx((0.0, 3.0), abs=0.05)
    assert height > lower
    assert "2 spikes" in ONE.work().to_text()
    coin = GridPosterior(lambda θ: θ * (1 - θ), lambda θ, x: θ if x else 1 - θ, (0, 1), closed=True).update([1, 1, 0])
    assert len(coin.spikes()) == 1
    assert coin.spikes()[0][0] == pytest.approx(0.6, abs=1e-3)
    assert len(GridPosterior(np.ones_like, lambda θ, x: θ, (0, 1), closed=True).spikes()) == 1  # a plateau
    with pytest.raises(ParameterError, match="least"):
        ONE.spikes(0)


def test_update_after_update_is_all_data_at_once():
    coin = GridPosterior(lambda θ: θ * (1 - θ), lambda θ, x: θ if x else 1 - θ, (0, 1), points=200, closed=True)
    chained, at_once = coin.update([1, 1]).update([0, 1]), coin.update([1, 1, 0, 1])
    assert chained.density == pytest.approx(at_once.density)
    check_work(chained, drawn=False)
    assert "Update after update is the same as all data at once" in chained.work().to_text()
    check_work(coin.update([1, 0] * 300).update([1, 0] * 300), drawn=False)


def test_the_two_weights_of_a_unit():
    X, t = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, 0.5], [-2.0, -1.0]]), np.array([1, 1, 0, 0])
    unit = GridPosterior.of_unit(X, t, alpha=0.5, bounds=((-8, 8), (-8, 8)), points=120)
    first, second = unit.grid.mesh
    logs = -0.25 * (first**2 + second**2)
    for x, label in zip(X, t, strict=True):
        net = first * x[0] + second * x[1]
        logs = logs + np.log(1 / (1 + np.exp(-net if label else net)))
    shares = np.exp(logs) / np.exp(logs).sum()
    assert unit.probabilities == pytest.approx(shares)
    check_work(unit)
    assert metropolis(unit, n=20_000).mean == pytest.approx(unit.mean, abs=0.2)
    with pytest.raises(DataError, match="t has 2 in place 2; labels are 0 and 1"):
        GridPosterior.of_unit(X, [1, 2, 1, 0])


def test_the_panel_of_two_numbers_is_filled_by_the_draws():
    unit = GridPosterior.of_unit([[1.0, 2.0], [-2.0, -1.0]], [1, 0], alpha=9.0, points=60)
    sample = metropolis(unit, n=500)
    canvas = Canvas()
    sample.plot().draw(canvas.add_subplot())
    panel = canvas.axes[-1]
    for ends, draws in zip((panel.get_xlim(), panel.get_ylim()), sample.draws.T, strict=True):
        assert np.ptp(draws) < ends[1] - ends[0] < 1.5 * np.ptp(draws)


def test_draws_that_are_independent_are_not_called_batches():
    drawn = rejection_sampling(GridPosterior.of_unit([[1.0, 2.0]], [1], points=60), n=4000)
    chain = metropolis(GridPosterior.of_unit([[1.0, 2.0]], [1], points=60), n=300)
    said = [" ".join(sample.work().to_text().split()) for sample in (drawn, chain)]
    assert ["means of batches, one after the other" in text for text in said] == [False, True]
