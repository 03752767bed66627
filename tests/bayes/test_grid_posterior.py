"""Posteriors on a grid: conjugate models as oracles, narrow posteriors, ends of the grid, bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from novacula.bayes.conjugate import BetaBernoulli, NormalInverseGamma, NormalMean
from novacula.bayes.grid_posterior import GridPosterior
from novacula.errors import DataError, DataWarning, InputTypeError, ParameterError

laws = settings(deadline=None, max_examples=25)


def coin(a=2.0, b=2.0):
    prior = stats.beta(a, b).pdf
    return GridPosterior(prior, lambda t, x: t if x else 1.0 - t, (0.0, 1.0), closed=True)


def centre(mu0=0.0, tau0=2.0, sigma=1.0, bounds=(-50.0, 50.0)):
    return GridPosterior(
        lambda m: stats.norm.logpdf(m, mu0, tau0), lambda m, x: stats.norm.logpdf(x, m, sigma), bounds, log=True
    )


@laws
@given(st.floats(1, 6), st.floats(1, 6), st.lists(st.booleans(), min_size=1, max_size=20))
def test_a_coin(a, b, data):
    grid, exact = coin(a, b).update(data), BetaBernoulli(a, b).update(data)
    assert grid.mean == pytest.approx(exact.mean, abs=1e-5)
    assert grid.std == pytest.approx(exact.posterior.std(), abs=1e-5)
    assert grid.log_evidence == pytest.approx(exact.log_evidence, abs=1e-4)
    assert grid.credible_interval(0.9) == pytest.approx(exact.credible_interval(0.9), abs=1e-4)
    assert grid.predictive(True) == pytest.approx(exact.mean, abs=1e-5)
    assert grid.probabilities.sum() == pytest.approx(1.0)


@laws
@given(st.lists(st.floats(-10, 10), min_size=1, max_size=8), st.integers(1, 10_000))
def test_a_mean_however_narrow(data, times):
    weight = [times] * len(data)
    grid, exact = centre().update(data, weight), NormalMean(0.0, 2.0, 1.0).update(data, weight)
    assert grid.mean == pytest.approx(exact.mean, abs=1e-8)
    assert grid.map == pytest.approx(exact.mean, abs=1e-6)
    assert grid.std == pytest.approx(exact.parameters["tau0"], rel=1e-5)
    assert grid.log_evidence == pytest.approx(exact.log_evidence, rel=1e-9, abs=1e-6)
    assert grid.evidence == pytest.approx(math.exp(grid.log_evidence))


def test_chains_and_orders():
    whole = centre().update([1.0, 2.0, 30.0])
    chained = centre().update([30.0]).update([2.0, 1.0])
    assert chained.mean == pytest.approx(whole.mean, abs=1e-9)
    assert chained.log_evidence == pytest.approx(whole.log_evidence, rel=1e-9)


def test_data_may_move_a_narrow_posterior_far():
    """The fine grid of the first update must not keep the second from leaving it."""
    exact = NormalMean(0.0, 2.0, 1.0).update([0.0, 20.0], [500, 5000])
    moved = centre().update([0.0], [500]).update([20.0], [5000])
    assert moved.mean == pytest.approx(exact.mean, abs=1e-8)


def test_mean_and_variance():
    data = [0.3, 1.9, 2.2, -0.4, 1.1, 0.8]
    exact = NormalInverseGamma(0.5, 1.5, 3.0, 1.2).update(data)
    prior = stats.normal_inverse_gamma(0.5, 1.5, 3.0, 1.2)
    grid = GridPosterior(
        lambda m, v: prior.pdf(m, v), lambda m, v, x: stats.norm.pdf(x, m, np.sqrt(v)), [(-8.0, 10.0), (1e-3, 25.0)]
    ).update(data)
    assert grid.mean == pytest.approx(exact.mean, rel=1e-3)
    assert grid.map == pytest.approx(exact.map, rel=1e-5)
    assert grid.credible_interval() == pytest.approx(exact.credible_interval(), abs=0.01)
    assert grid.log_evidence == pytest.approx(exact.log_evidence, abs=0.01)
    assert grid.predictive(1.0) == pytest.approx(exact.predictive.pdf(1.0), rel=1e-3)
    assert grid.plot().png()


def test_a_constant_factor_of_the_prior_cancels():
    doubled = GridPosterior(lambda t: 2e6 * t * (1 - t), lambda t, x: t if x else 1 - t, (0, 1), closed=True)
    assert doubled.update([1, 1]).log_evidence == pytest.approx(coin().update([1, 1]).log_evidence, abs=1e-6)


def test_the_picture():
    figure = coin().update([1, 1, 0, 1]).plot()
    assert "the posterior is highest at 0.66" in figure.alt
    assert figure.svg().startswith("<svg")


def test_what_has_not_died_away_at_an_end_is_told():
    with pytest.warns(DataWarning, match="has not died away at 1, an end of the grid, where it is"):
        centre(bounds=(-50.0, 1.0)).update([1.0, 1.5])
    open_ = GridPosterior(lambda a, b: np.ones_like(a), lambda a, b, x: stats.norm.pdf(x, a + 0 * b), [(-9, 9), (0, 1)])
    with pytest.warns(DataWarning, match="of number 2"):
        open_.update([0.0])


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: GridPosterior(1.0, max, (0, 1)), InputTypeError, "f is 1.0; it must be a function"),
        (lambda: GridPosterior(np.ones_like, max, (1, 0)), ParameterError, "low must be below high"),
        (lambda: GridPosterior(np.ones_like, max, (0, math.inf)), ParameterError, "bounds has inf"),
        (lambda: GridPosterior(np.ones_like, max, [(0, 1)] * 3), ParameterError, "one or two numbers"),
        (lambda: GridPosterior(np.ones_like, max, (0, 1), points=3), ParameterError, "points is 3"),
        (lambda: GridPosterior(np.zeros_like, max, (0, 1)), ParameterError, "f is 0 everywhere"),
        (lambda: GridPosterior(lambda t: t[:3], max, (0, 1)), ParameterError, "f gave shape"),
        (lambda: GridPosterior(math.exp, max, (0, 1)), InputTypeError, "f fails for θ as an array"),
        (lambda: GridPosterior(lambda t: t, max, (-1, 1)), ParameterError, "f is negative, infinite or NaN"),
        (lambda: coin().update([]), DataError, "there are no data"),
        (lambda: coin().update(1), InputTypeError, "put 1 in a list"),
        (lambda: coin().update([1], weight=[-1]), DataError, "weight has -1"),
        (lambda: coin().credible_interval(0), ParameterError, "level is 0"),
    ],
)
def test_bad_input(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


def test_likelihoods_that_nothing_explains_or_that_are_none():
    nothing = GridPosterior(np.ones_like, lambda t, x: np.zeros_like(t), (0, 1))
    with pytest.raises(DataError, match="no θ within the bounds explains the data"):
        nothing.update([1])
    strange = GridPosterior(np.ones_like, lambda t, x: t * math.nan, (0, 1))
    with pytest.raises(ParameterError, match="the likelihood of datum 1, 5, is negative, infinite or NaN"):
        strange.update([5])
