"""What a chain says of sequences: the literature's numbers, every path enumerated, long sequences, extremes."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from novacula.errors import DataError, ParameterError, UnseenCategoryWarning
from novacula.graph.hmm import CategoricalHMM, GaussianHMM, PoissonHMM
from novacula.graph.hmm.blocks import cut
from novacula.graph.hmm.forward_backward import Lattice
from novacula.table import threads

laws = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def umbrella(**more):
    return CategoricalHMM.from_parameters(
        [0.5, 0.5], [[0.7, 0.3], [0.3, 0.7]], [[0.9, 0.1], [0.2, 0.8]],
        states=["rain", "sun"], symbols=["umbrella", "none"], **more,
    )  # fmt: skip


def enumerate_paths(start, transition, likelihood):
    """Every path and its joint probability with the steps; likelihood (n, K)."""
    n, k = likelihood.shape
    for path in itertools.product(range(k), repeat=n):
        p = start[path[0]] * likelihood[0, path[0]]
        for t in range(1, n):
            p *= transition[path[t - 1], path[t]] * likelihood[t, path[t]]
        yield path, p


def by_enumeration(start, transition, likelihood):
    """ln p, filtered and smoothed states, ln p of the best path, expected transitions."""
    n, k = likelihood.shape
    smoothed, filtered, pairs = np.zeros((n, k)), np.zeros((n, k)), np.zeros((k, k))
    total = best = 0.0
    for path, p in enumerate_paths(start, transition, likelihood):
        total += p
        best = max(best, p)
        smoothed[np.arange(n), path] += p
        for i, j in itertools.pairwise(path):
            pairs[i, j] += p
    for t in range(n):
        for path, p in enumerate_paths(start, transition, likelihood[: t + 1]):
            filtered[t, path[-1]] += p
    filtered /= filtered.sum(axis=1, keepdims=True)
    return np.log(total), filtered, smoothed / total, np.log(best), pairs / total


@st.composite
def chains(draw):
    """Start and transition, with zeros at times."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(1, 3))
    start, transition = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k)
    if k > 1 and draw(st.booleans()):
        transition[0, k - 1] = 0.0
        transition /= transition.sum(axis=1, keepdims=True)
    return rng, start, transition, draw(st.integers(1, 6))


# --- the literature ---------------------------------------------------------------------------------------------


def test_umbrella_world():
    """Russell and Norvig: 0.818, 0.883, smoothed 0.883; the best explanation of u, u, ¬u, u, u is r, r, ¬r, r, r."""
    model = umbrella()
    two = ["umbrella", "umbrella"]
    np.testing.assert_allclose(model.filter(two)[:, 0], [0.818, 0.883], atol=5e-4)
    assert model.smooth(two)[0, 0] == pytest.approx(0.883, abs=5e-4)
    path, log_probability = model.decode(["umbrella", "umbrella", "none", "umbrella", "umbrella"])
    assert path.tolist() == ["rain", "rain", "sun", "rain", "rain"]
    expected = 0.5 * 0.9 * (0.7 * 0.9) * (0.3 * 0.8) * (0.3 * 0.9) * (0.7 * 0.9)
    assert np.exp(log_probability) == pytest.approx(expected, rel=1e-12)
    ahead = model.predict_next(two, 50)
    assert ahead.states[0, 0] == pytest.approx(0.7 * 0.8833570 + 0.3 * 0.1166430, abs=1e-6)
    np.testing.assert_allclose(ahead.states[-1], [0.5, 0.5], atol=1e-12)  # the forecast forgets
    np.testing.assert_allclose(ahead.probability, ahead.states @ [[0.9, 0.1], [0.2, 0.8]])
    np.testing.assert_allclose(model.stationary_, [0.5, 0.5])


# --- every path enumerated --------------------------------------------------------------------------------------


def compare(model, x, likelihood):
    start, transition = model.start_, model.transition_
    score, filtered, smoothed, best, pairs = by_enumeration(start, transition, likelihood)
    assert model.score(x) == pytest.approx(score, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(model.filter(x), filtered, atol=1e-10)
    np.testing.assert_allclose(model.smooth(x), smoothed, atol=1e-10)
    found, log_probability = model.decode(x)
    assert log_probability == pytest.approx(best, rel=1e-9, abs=1e-9)
    p_found = next(p for z, p in enumerate_paths(start, transition, likelihood) if list(z) == found.tolist())
    assert np.log(p_found) == pytest.approx(best, rel=1e-9, abs=1e-9)
    _, blocks = model._blocks(x, None, None, None)
    starts, counted, visits = Lattice.of(blocks[0], model._parameters()).expect(blocks[0].code, len(blocks[0].values))
    np.testing.assert_allclose(counted, pairs, atol=1e-10)
    np.testing.assert_allclose(starts, smoothed[0], atol=1e-10)
    assert visits.sum() == pytest.approx(len(likelihood))


@laws
@given(chains())
def test_symbols_by_enumeration(chain):
    rng, start, transition, n = chain
    emission = rng.dirichlet(np.ones(3), len(start))
    x = rng.integers(0, 3, n).astype(float)
    x[rng.random(n) < 0.3] = np.nan
    likelihood = np.array([np.ones(len(start)) if np.isnan(v) else emission[:, int(v)] for v in x])
    compare(CategoricalHMM.from_parameters(start, transition, emission), x, likelihood)


@laws
@given(chains(), st.sampled_from(["full", "tied", "diag", "spherical"]))
def test_numbers_by_enumeration(chain, kind):
    """SciPy's densities of the values that are known."""
    rng, start, transition, n = chain
    k = len(start)
    means, half = rng.normal(size=(k, 2)) * 3, rng.normal(size=(k, 2, 2))
    matrices = half @ half.swapaxes(1, 2) + 0.3 * np.eye(2)
    if kind == "tied":
        matrices = np.tile(matrices[0], (k, 1, 1))
    elif kind != "full":
        variances = np.diagonal(matrices, axis1=1, axis2=2) if kind == "diag" else matrices[:, :1, 0].repeat(2, axis=1)
        matrices = variances[:, :, None] * np.eye(2)
    shown = {"full": matrices, "tied": matrices[0], "diag": matrices[:, [0, 1], [0, 1]], "spherical": matrices[:, 0, 0]}
    model = GaussianHMM.from_parameters(start, transition, means, shown[kind], covariance_type=kind)
    x = rng.normal(size=(n, 2)) * 2
    x[rng.random((n, 2)) < 0.3] = np.nan
    likelihood = np.ones((n, k))
    for t, j in itertools.product(range(n), range(k)):
        known = ~np.isnan(x[t])
        if known.any():
            normal = stats.multivariate_normal(means[j][known], matrices[j][np.ix_(known, known)])
            likelihood[t, j] = normal.pdf(x[t][known])
    compare(model, x, likelihood)


@laws
@given(chains())
def test_counts_by_enumeration(chain):
    rng, start, transition, n = chain
    rates = rng.gamma(2.0, 2.0, size=(len(start), 2))
    x = rng.poisson(3.0, (n, 2)).astype(float)
    x[rng.random((n, 2)) < 0.2] = np.nan
    each = stats.poisson(rates).pmf(np.nan_to_num(x)[:, None])
    likelihood = np.where(np.isnan(x)[:, None], 1.0, each).prod(axis=2)
    compare(PoissonHMM.from_parameters(start, transition, rates), x, likelihood)


def test_several_columns_of_symbols_are_independent_given_the_state():
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.choice(["a", "b"], 60), rng.choice(["u", "v", "w"], 60)]).astype(object)
    x[5, 0] = x[9, 1] = None
    model = CategoricalHMM(2, max_iter=5, tol=0.0, m=0.5)
    with pytest.warns(Warning, match="max_iter"):
        model.fit(x)
    assert model.symbols_ == ("a", "b", "u", "v", "w")
    np.testing.assert_allclose(model.emission_[:, :2].sum(axis=1), 1.0)
    np.testing.assert_allclose(model.emission_[:, 2:].sum(axis=1), 1.0)
    place = {label: v for v, label in enumerate(model.symbols_)}
    rows = x[4:10]
    seen = [[place[v] for v in row if v is not None] for row in rows]
    likelihood = np.array([model.emission_[:, own].prod(axis=1) for own in seen])
    compare(model, rows, likelihood)


# --- ties, extremes, lengths ------------------------------------------------------------------------------------


def test_ties_go_to_the_lowest_state():
    model = CategoricalHMM.from_parameters(np.ones(3) / 3, np.ones((3, 3)) / 3, np.ones((3, 2)) / 2)
    assert model.predict([0, 1, 1, 0]).tolist() == [0, 0, 0, 0]


def test_a_million_steps_do_not_underflow():
    """A chain that forgets everything at once: ln p is that of independent draws, and smoothing that of each alone."""
    rng = np.random.default_rng(0)
    start, emission = np.array([0.2, 0.3, 0.5]), rng.dirichlet(np.ones(4), 3)
    model = CategoricalHMM.from_parameters(start, np.tile(start, (3, 1)), emission)
    x = rng.integers(0, 4, 1_000_000)
    joint = start[:, None] * emission
    assert model.score(x) == pytest.approx(np.log(joint.sum(axis=0))[x].sum(), rel=1e-10)
    smoothed = model.smooth(x)
    np.testing.assert_allclose(smoothed, (joint / joint.sum(axis=0)).T[x], atol=1e-12)
    np.testing.assert_allclose(smoothed.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(x), np.argmax(joint, axis=0)[x])


def test_a_path_beyond_the_range_of_doubles_is_not_lost():
    """State 1 is e⁻¹²⁵⁰ times less likely at first, and e⁵⁰⁰⁰ times more afterwards; no transition leads there."""
    model = GaussianHMM.from_parameters([0.5, 0.5], np.eye(2), [[0.0], [50.0]], [1.0, 1.0], covariance_type="spherical")
    x = np.array([0.0, 150.0])
    logs = stats.norm([0.0, 50.0], 1.0).logpdf(x[:, None])
    assert model.score(x) == pytest.approx(np.log(0.5) + logs[:, 1].sum(), rel=1e-12)
    np.testing.assert_allclose(model.smooth(x)[:, 1], 1.0)
    np.testing.assert_allclose(model.filter(x)[:, 1], [0.0, 1.0])
    assert model.predict(x).tolist() == [1, 1]
    slow = np.r_[np.full(40, 10.0), 2000.0]  # each step makes it e⁻⁷⁵⁰ in the end
    assert model.smooth(slow)[-1, 1] == pytest.approx(1.0)


def test_far_outliers_do_not_break_a_chain_that_can_go_anywhere():
    model = GaussianHMM.from_parameters([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.0], [5.0]], [[[1.0]], [[1.0]]])
    logs = stats.norm([0.0, 5.0], 1.0).logpdf(np.array([[0.0], [1e4], [0.0]]))
    assert np.isfinite(model.score([0.0, 1e4, 0.0]))
    assert model.score([0.0, 1e4, 0.0]) == pytest.approx(
        np.log(0.5 * 0.1 * 0.2) + logs[0, 0] + logs[1, 1] + logs[2, 0], rel=1e-6
    )


def test_impossible_sequences_are_named():
    model = CategoricalHMM.from_parameters([1.0, 0.0], [[0.5, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    assert model.score([0, 1, 0]) == -np.inf
    assert model.score_sequences([[0, 1, 1], [0, 1, 0]])[0] == pytest.approx(np.log(0.25 * 2))
    for ask in (model.filter, model.smooth, model.decode, model.predict_next):
        with pytest.raises(DataError, match=r"sequence 2 has probability zero from its step 3 on.*m > 0"):
            ask([[0, 1, 1], [0, 1, 0]])


def test_relabelling_the_states_changes_nothing_else():
    rng = np.random.default_rng(3)
    start, transition, emission = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4), 4), rng.dirichlet(np.ones(5), 4)
    turn, x = np.array([2, 0, 3, 1]), rng.integers(0, 5, 300)
    here = CategoricalHMM.from_parameters(start, transition, emission)
    there = CategoricalHMM.from_parameters(start[turn], transition[np.ix_(turn, turn)], emission[turn])
    assert there.score(x) == pytest.approx(here.score(x), rel=1e-13)
    np.testing.assert_allclose(there.smooth(x), here.smooth(x)[:, turn], atol=1e-12)
    np.testing.assert_array_equal(turn[there.predict(x)], here.predict(x))
    np.testing.assert_allclose(there.stationary_, here.stationary_[turn], atol=1e-12)


def test_answers_do_not_depend_on_blocks_or_threads():
    rng = np.random.default_rng(1)
    model = CategoricalHMM.from_parameters(
        rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3), np.eye(3) / 2 + 1 / 6
    )
    parts = [rng.integers(0, 3, n) for n in rng.integers(1, 3000, 40)]
    assert len(cut(np.concatenate(parts)[:, None], None, np.array([len(p) for p in parts]), np.ones(40), True)) > 2
    with threads(1):
        alone = model.smooth(parts)
    with threads(3):
        together = model.smooth(parts)
    for part, a, b in zip(parts, alone, together, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(model.smooth(part), a, atol=1e-13)
    assert model.score(parts) == pytest.approx(sum(model.score(part) for part in parts), rel=1e-12)


# --- drawing, forecasting ---------------------------------------------------------------------------------------


def test_samples_follow_the_chain():
    rng = np.random.default_rng(0)
    transition, emission = rng.dirichlet(np.ones(3), 3), rng.dirichlet(np.ones(4), 3)
    model = CategoricalHMM.from_parameters([1.0, 0.0, 0.0], transition, emission, symbols=list("abcd"))
    x, states = model.sample(40_000, random_state=1)
    assert states[0] == 0
    pairs = np.zeros((3, 3))
    np.add.at(pairs, (states[:-1], states[1:]), 1.0)
    np.testing.assert_allclose(pairs / pairs.sum(axis=1, keepdims=True), transition, atol=0.02)
    for k in range(3):
        found = [np.mean(x[states == k, 0] == v) for v in "abcd"]
        np.testing.assert_allclose(found, emission[k], atol=0.02)
    again, _ = model.sample(40_000, random_state=1)
    np.testing.assert_array_equal(again, x)


@pytest.mark.parametrize("kind", ["gaussian", "poisson"])
def test_forecasts_have_the_moments_of_what_is_drawn(kind):
    chain = [1.0, 0.0], [[0.4, 0.6], [0.3, 0.7]]
    if kind == "gaussian":
        model = GaussianHMM.from_parameters(*chain, [[0.0, 1.0], [4.0, -2.0]], [np.eye(2), [[2.0, 0.5], [0.5, 1.0]]])
    else:
        model = PoissonHMM.from_parameters(*chain, [[1.0, 6.0], [5.0, 2.0]])
    ahead = model.predict_next(np.full((1, 2), np.nan))  # nothing is known but the start
    x, states = model.sample(60_000, random_state=0)
    after = x[1:][states[:-1] == 0]
    np.testing.assert_allclose(ahead.states[0], [0.4, 0.6], atol=1e-12)
    np.testing.assert_allclose(ahead.mean[0], after.mean(axis=0), atol=0.06)
    np.testing.assert_allclose(ahead.covariance[0], np.cov(after.T), atol=0.2)


def test_unseen_symbols():
    with pytest.warns(UnseenCategoryWarning, match=r"'x0' \(1\)"):
        found = umbrella().filter(["umbrella", "parasol"])
    np.testing.assert_allclose(found, umbrella().filter(["umbrella", None]))
    with pytest.raises(DataError, match=r"row 2 of X holds 'parasol' in column 'x0'"):
        umbrella(unseen="error").filter(["umbrella", "parasol"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": [0.5, 0.6]}, "start holds probabilities that add up to 1.1"),
        ({"start": [1.0]}, r"start has shape \(1,\)"),
        ({"transition": [[0.5, 0.5], [-0.5, 1.5]]}, "-0.5, which is not a probability"),
        ({"emission": [0.5, 0.5]}, "one row per state"),
        ({"symbols": ["a"]}, "2 different labels"),
        ({"symbols": ["a", "a"]}, "2 different labels"),
        ({"states": ["a"]}, "2 different labels"),
        ({"start": ["a", "b"]}, "must hold numbers"),
    ],
)
def test_bad_parameters_are_named(change, words):
    fine = {"start": [0.5, 0.5], "transition": np.eye(2), "emission": np.eye(2)}
    with pytest.raises(ParameterError, match=words):
        CategoricalHMM.from_parameters(**{**fine, **change})


def test_bad_numbers_are_named():
    chain = [0.5, 0.5], np.eye(2)
    with pytest.raises(ParameterError, match="positive variances"):
        GaussianHMM.from_parameters(*chain, [[0.0], [1.0]], [[[1.0]], [[0.0]]])
    with pytest.raises(ParameterError, match=r"covariances has shape \(2,\), but full ones have \(2, 1, 1\)"):
        GaussianHMM.from_parameters(*chain, [[0.0], [1.0]], [1.0, 1.0])
    with pytest.raises(ParameterError, match="not a rate"):
        PoissonHMM.from_parameters(*chain, [1.0, -1.0])
    for steps in (0, 1.5):
        with pytest.raises(ParameterError, match="steps is"):
            umbrella().predict_next(["none"], steps)
        with pytest.raises(ParameterError, match="n_steps is"):
            umbrella().sample(steps)
