"""Conjugate models: quadrature and brute force as oracles, chains, weights, theorems, intervals, bad input."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from novacula.bayes import NaiveBayes
from novacula.bayes.conjugate import BetaBernoulli, DirichletCategorical, NormalInverseGamma, NormalMean, gaussian_ml
from novacula.bayes.posterior import Posterior
from novacula.checks import check_work
from novacula.errors import DataError, InputTypeError, ParameterError

laws = settings(deadline=None, max_examples=20)
above = st.floats(0.3, 8.0)
numbers = st.lists(st.floats(-5, 5), min_size=1, max_size=8)
MODELS = {
    "beta": (BetaBernoulli(2.0, 3.0), [1, 0, 1, 1, 0, 1]),
    "dirichlet": (DirichletCategorical({"u": 0.5, "v": 1.0, "w": 2.5}), ["u", "w", "w", "v", "u"]),
    "mean": (NormalMean(1.0, 2.0, 0.7), [0.3, 1.9, 2.2, -0.8]),
    "gamma": (NormalInverseGamma(0.5, 1.5, 2.0, 1.2), [0.3, 1.9, 2.2, -0.8]),
}
models = pytest.mark.parametrize("kind", MODELS)


def flat(parameters):
    return np.concatenate([np.atleast_1d(value) for value in parameters.values()])


# --- against quadrature ----------------------------------------------------------------------------------------------


@laws
@given(above, above, st.lists(st.booleans(), min_size=1, max_size=10))
def test_beta_by_quadrature(a, b, data):
    model, k = BetaBernoulli(a, b).update(data), sum(data)

    def joint(t, power=0):
        return stats.beta.pdf(t, a, b) * t ** (k + power) * (1 - t) ** (len(data) - k)

    mass, first = (integrate.quad(joint, 0, 1, args=(p,), limit=200, points=[1e-3, 0.999])[0] for p in (0, 1))
    assert model.evidence == pytest.approx(mass, rel=1e-3)
    assert model.mean == pytest.approx(first / mass, rel=1e-3)
    assert model.predictive.pmf(1) == pytest.approx(model.mean)


@laws
@given(st.floats(-3, 3), above, above, numbers)
def test_normal_mean_by_quadrature(mu0, tau0, sigma, data):
    model, x = NormalMean(mu0, tau0, sigma).update(data), np.array(data)
    low, high = model.posterior.ppf([1e-13, 1 - 1e-13])
    grid = np.linspace(low, high, 4001)
    logs = stats.norm.logpdf(grid, mu0, tau0) + stats.norm.logpdf(x[:, None], grid, sigma).sum(axis=0)
    values = np.exp(logs - logs.max())
    mass = integrate.simpson(values, x=grid)
    assert model.log_evidence == pytest.approx(math.log(mass) + logs.max(), abs=1e-8)
    assert model.mean == model.map == pytest.approx(integrate.simpson(values * grid, x=grid) / mass, abs=1e-8)
    spread = math.sqrt(integrate.simpson(values * (grid - model.mean) ** 2, x=grid) / mass)
    assert model.parameters["tau0"] == pytest.approx(spread, rel=1e-8)
    next_ = integrate.simpson(values * stats.norm.pdf(0.5, grid, sigma), x=grid) / mass
    assert model.predictive.pdf(0.5) == pytest.approx(next_, rel=1e-8)


def test_normal_inverse_gamma_by_quadrature():
    prior, data = MODELS["gamma"]
    model, x = prior.update(data), np.array(data)
    mu, v = np.linspace(-15, 17, 1601)[:, None], np.geomspace(0.02, 900, 601)
    logs = stats.norm.logpdf(mu, 0.5, np.sqrt(v / 1.5)) + stats.invgamma.logpdf(v, 2.0, scale=1.2)
    for value in x:
        logs = logs + stats.norm.logpdf(value, mu, np.sqrt(v))

    def integral(values):
        return integrate.simpson(integrate.simpson(values * v, x=np.log(v), axis=1), x=mu[:, 0])

    density = np.exp(logs)
    mass = integral(density)
    assert model.log_evidence == pytest.approx(math.log(mass), abs=1e-4)
    assert model.mean == pytest.approx((integral(density * mu) / mass, integral(density * v) / mass), rel=1e-3)
    top = np.unravel_index(density.argmax(), density.shape)
    assert model.map == pytest.approx((mu[top[0], 0], v[top[1]]), abs=0.02)
    assert model.predictive.pdf(1.0) == pytest.approx(
        integral(density * stats.norm.pdf(1.0, mu, np.sqrt(v))) / mass, rel=1e-4
    )
    assert model.posterior.logpdf(1.0, 0.8) == pytest.approx(
        stats.norm.logpdf(1.0, 0.5, math.sqrt(0.8 / 1.5))
        + stats.invgamma.logpdf(0.8, 2.0, scale=1.2)
        + stats.norm.logpdf(x, 1.0, math.sqrt(0.8)).sum()
        - model.log_evidence
    )


def test_dirichlet_by_the_product_of_predictions():
    """P(data) is the product of each datum's probability given those before it."""
    model, data = MODELS["dirichlet"]
    log_evidence = 0.0
    for datum in data:
        log_evidence += math.log(model.predictive[datum])
        model = model.update([datum])
    assert model.log_evidence == pytest.approx(log_evidence)
    draws = stats.dirichlet([2.5, 2.0, 4.5]).rvs(20_000, random_state=0)
    assert model.mean == pytest.approx(draws.mean(axis=0), abs=0.005)
    assert model.credible_interval(0.9) == pytest.approx(np.quantile(draws, [0.05, 0.95], axis=0).T, abs=0.01)


# --- laws ------------------------------------------------------------------------------------------------------------


@models
def test_chains_orders_and_weights(kind):
    model, data = MODELS[kind]
    whole = model.update(data)
    assert flat(model.update(data[:2]).update(data[2:]).parameters) == pytest.approx(flat(whole.parameters))
    assert flat(model.update(data[::-1]).parameters) == pytest.approx(flat(whole.parameters))
    counts = [2, 0, 1, *[1] * (len(data) - 3)]
    repeated = [x for x, n in zip(data, counts, strict=True) for _ in range(n)]
    weighted = model.update(data, weight=counts)
    assert flat(weighted.parameters) == pytest.approx(flat(model.update(repeated).parameters))
    assert weighted.log_evidence == pytest.approx(model.update(repeated).log_evidence)


@models
def test_evidence_is_the_product_of_predictions(kind):
    model, data = MODELS[kind]
    total = 0.0
    for x in data:
        now = model.predictive
        total += math.log(now[x]) if isinstance(now, dict) else now.logpmf(x) if kind == "beta" else now.logpdf(x)
        model = model.update([x])
    assert model.log_evidence == pytest.approx(total)
    assert model.evidence == pytest.approx(math.exp(total))


@models
def test_without_data_the_posterior_is_the_prior(kind):
    model, data = MODELS[kind]
    assert model.log_evidence == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(DataError, match="there are no data"):
        _ = model.ml
    assert flat(model.update(data).parameters) != pytest.approx(flat(model.parameters))


@models
def test_work_and_picture(kind):
    model, data = MODELS[kind]
    check_work(model.update(data))
    check_work(model)
    assert model.update(data).plot().svg().startswith("<svg")
    assert type(model).__name__ in repr(model.update(data))


# --- theorems --------------------------------------------------------------------------------------------------------


def test_the_most_probable_is_the_likeliest_under_a_uniform_prior():
    data = [1, 0, 1, 1, 0, 1, 1]
    assert BetaBernoulli(1, 1).update(data).map == pytest.approx(BetaBernoulli(5, 2).update(data).ml)
    sides = DirichletCategorical([1, 1, 1]).update([0, 2, 2, 1, 2])
    assert sides.map == pytest.approx(sides.ml)
    assert sides.ml.tolist() == [0.2, 0.2, 0.6]


@pytest.mark.parametrize("kind", ["beta", "mean", "gamma"])
def test_the_most_probable_becomes_the_likeliest_as_data_grow(kind):
    model, data = MODELS[kind]
    gaps = [np.abs(np.subtract(m.map, m.ml)).max() for m in (model.update(data * n) for n in (10, 100, 1000))]
    assert all(later < earlier / 5 for earlier, later in pairwise(gaps))


def test_the_predictive_is_the_m_estimate_of_naive_bayes():
    values = np.array(["p"] * 3 + ["q"] * 2 + ["r"], object)
    model = NaiveBayes(m=2.0, distributions="categorical").fit(values[:, None], np.zeros(6, int))
    shares = DirichletCategorical(dict.fromkeys("pqr", 2.0 / 3.0)).update(values).predictive
    assert np.exp(model.predict_joint_log_proba(values[[0, 3, 5], None])[:, 0]) == pytest.approx(list(shares.values()))


def test_gaussian_by_maximum_likelihood():
    x = np.random.default_rng(0).normal(3.0, 2.0, 50)
    found = gaussian_ml(x)
    assert (found.mean, found.std) == pytest.approx(stats.norm.fit(x))
    assert found.log_likelihood == pytest.approx(stats.norm.logpdf(x, found.mean, found.std).sum())
    for other in ((found.mean + 0.1, found.std), (found.mean, 1.1 * found.std), (found.mean, 0.9 * found.std)):
        assert stats.norm.logpdf(x, *other).sum() < found.log_likelihood
    far = gaussian_ml(x + 1e8)
    assert far.std == pytest.approx(found.std, rel=1e-7)
    assert NormalInverseGamma(0, 1, 1, 1).update(x).ml == pytest.approx((found.mean, found.std**2))


def test_predictions_are_hypotheses():
    """Which of two coins was thrown: models compared by their evidence."""
    fair, unknown = BetaBernoulli(1e9, 1e9), BetaBernoulli(1, 1)
    data = [1] * 9 + [0]
    compared = Posterior.of_likelihoods(
        {"fair": fair.predictive, "unknown": unknown.predictive},
        None,
        {"fair": fair.update(data).log_evidence, "unknown": unknown.update(data).log_evidence},
    )
    assert compared.probabilities["unknown"] == pytest.approx((1 / 110) / (1 / 110 + 2**-10), rel=1e-6)


# --- intervals -------------------------------------------------------------------------------------------------------


def test_equal_tails_and_shortest():
    skew = BetaBernoulli(1, 1).update([1, 0, 0, 0, 0, 0])
    low, high = skew.credible_interval(0.9)
    assert skew.posterior.cdf([low, high]) == pytest.approx([0.05, 0.95])
    short = skew.credible_interval(0.9, kind="hpd")
    assert skew.posterior.cdf(short[1]) - skew.posterior.cdf(short[0]) == pytest.approx(0.9)
    assert skew.posterior.pdf(short[0]) == pytest.approx(skew.posterior.pdf(short[1]), rel=1e-3)
    assert short[1] - short[0] < high - low
    assert BetaBernoulli(1, 4).credible_interval(0.9, kind="hpd")[0] == 0.0
    normal = NormalMean(0.0, 1.0, 1.0)
    assert normal.credible_interval(0.95, "hpd") == pytest.approx(normal.credible_interval(0.95), abs=1e-4)


@pytest.mark.parametrize(("a", "b", "mode"), [(1, 3, 0.0), (3, 1, 1.0), (0.5, 2, 0.0), (0.5, 1, 0.0), (3, 2, 2 / 3)])
def test_modes_at_the_ends(a, b, mode):
    assert BetaBernoulli(a, b).map == pytest.approx(mode)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: BetaBernoulli(0, 1), ParameterError, "a is 0; it must be a finite number above 0"),
        (lambda: BetaBernoulli(1, math.nan), ParameterError, "b is nan"),
        (lambda: BetaBernoulli(1, 1).update([]), DataError, "at least one 0 or 1"),
        (lambda: BetaBernoulli(1, 1).update([0, 2]), DataError, "data have 2 in place 2; they must be 0 and 1"),
        (lambda: BetaBernoulli(1, 1).update([0, math.nan]), DataError, "data have nan in place 2"),
        (lambda: BetaBernoulli(1, 1).map, ParameterError, r"no single mode: Beta\(1, 1\) is flat"),
        (lambda: BetaBernoulli(0.5, 0.5).map, ParameterError, "grows towards both ends"),
        (lambda: BetaBernoulli(0.5, 0.5).credible_interval(kind="hpd"), ParameterError, "no one interval is densest"),
        (lambda: BetaBernoulli(1, 1).credible_interval(1.0), ParameterError, "level is 1.0"),
        (lambda: BetaBernoulli(1, 1).credible_interval(kind="both"), ParameterError, "'equal-tailed', 'hpd'"),
        (lambda: DirichletCategorical([1.0]), ParameterError, "one category only"),
        (lambda: DirichletCategorical({"u": 1, "v": -1}), ParameterError, "alpha of 'v' is -1"),
        (lambda: DirichletCategorical([1, 1], (math.nan, 0)), ParameterError, "counts has nan"),
        (lambda: DirichletCategorical([1, 1], (1.0,)), ParameterError, "counts must be 2 numbers"),
        (lambda: DirichletCategorical("uv"), InputTypeError, "alpha is 'uv'"),
        (lambda: DirichletCategorical([1, 1]).update([2]), DataError, "datum 1 is 2, which is none of 0, 1"),
        (lambda: DirichletCategorical([1, 1]).update([]), DataError, "there are no data"),
        (lambda: DirichletCategorical([1, 1]).update("u"), InputTypeError, "put 'u' in a list"),
        (lambda: DirichletCategorical([0.5, 1]).map, ParameterError, "no single mode"),
        (lambda: NormalMean(0, 1, 0), ParameterError, "sigma is 0"),
        (lambda: NormalMean(math.inf, 1, 1), ParameterError, "mu0 has inf"),
        (lambda: NormalMean(0, 1, 1).update([1.0, math.nan]), ParameterError, "data has nan in place 2"),
        (lambda: NormalMean(0, 1, 1).update(["1"]), ParameterError, "must be an array of numbers"),
        (lambda: NormalMean(0, 1, 1).update([[1.0]]), DataError, r"data have shape \(1, 1\)"),
        (lambda: NormalMean(0, 1, 1).update([1.0], weight=[0]), DataError, "the weights sum to zero"),
        (lambda: NormalInverseGamma(0, 1, 1, -1), ParameterError, "beta0 is -1"),
        (lambda: NormalInverseGamma(0, 1, 0.5, 1).mean, ParameterError, "the variance has no mean as α = 0.5"),
        (lambda: gaussian_ml([2.0, 2.0]), DataError, "all data are one number"),
        (lambda: gaussian_ml([]), DataError, "at least one number"),
    ],
)
def test_bad_input(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()
