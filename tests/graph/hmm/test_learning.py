"""Learning a chain: the earthquakes, counting by hand, laws of EM, priors, masks, labels and weights."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.exceptions import ConvergenceWarning

import novacula as nv
from novacula.errors import DataError, DataWarning, ParameterError
from novacula.graph.hmm import CategoricalHMM, GaussianHMM, PoissonHMM
from novacula.mixture import GaussianMixture
from novacula.table import threads

laws = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
quiet = pytest.mark.filterwarnings("ignore")

# Earthquakes of magnitude 7 and more in the world, 1900 to 2006 (Zucchini and MacDonald).
EARTHQUAKES = np.array(
    [13, 14, 8, 10, 16, 26, 32, 27, 18, 32, 36, 24, 22, 23, 22, 18, 25, 21, 21, 14, 8, 11, 14, 23, 18, 17, 19, 20, 22,
     19, 13, 26, 13, 14, 22, 24, 21, 22, 26, 21, 23, 24, 27, 41, 31, 27, 35, 26, 28, 36, 39, 21, 17, 22, 17, 19, 15, 34,
     10, 15, 22, 18, 15, 20, 15, 22, 19, 16, 30, 27, 29, 23, 20, 16, 21, 21, 25, 16, 18, 15, 18, 14, 10, 15, 8, 15, 6,
     11, 8, 7, 18, 16, 13, 12, 13, 20, 15, 16, 12, 18, 15, 16, 13, 15, 16, 11, 11]
)  # fmt: skip


def no_fall(model):
    return np.diff(model.history_).min(initial=0.0) >= -1e-9 * np.abs(model.history_).max(initial=1.0)


# --- the literature ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "loss", "rates"), [(2, 341.8787, [15.42, 26.02]), (3, 328.5275, [13.13, 19.71, 29.71])])
def test_earthquakes(k, loss, rates):
    """Negative log-likelihoods of Poisson chains with two and three states."""
    model = PoissonHMM(k).fit(EARTHQUAKES)
    assert -model.log_likelihood_ == pytest.approx(loss, abs=1e-4)
    assert -model.score(EARTHQUAKES) == pytest.approx(loss, abs=1e-4)
    np.testing.assert_allclose(np.sort(model.rates_.ravel()), rates, atol=0.01)
    assert model.converged_
    assert model.n_parameters_ == k + k * (k - 1) + k - 1
    assert model.aic() == pytest.approx(2 * loss + 2 * model.n_parameters_, abs=1e-3)
    assert model.bic() == pytest.approx(model.bic(EARTHQUAKES), rel=1e-12)


def test_one_state_is_the_mean():
    model = PoissonHMM(1).fit(EARTHQUAKES)
    assert model.rates_.item() == pytest.approx(EARTHQUAKES.mean())
    assert model.log_likelihood_ == pytest.approx(stats.poisson(EARTHQUAKES.mean()).logpmf(EARTHQUAKES).sum())


def test_a_chain_without_memory_is_a_mixture():
    """If the next state does not depend on the present one, EM of a step is that of a Gaussian mixture."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(3, 1, (60, 2))])
    means = X[[0, 70]]
    mixture = GaussianMixture(2, init=means, max_iter=1, tol=0.0)
    chain = GaussianHMM(
        2, init={"start": [0.5, 0.5], "transition": np.full((2, 2), 0.5), "means": means,
                 "covariances": np.tile(np.diag(X.var(axis=0)), (2, 1, 1))}, max_iter=1, tol=0.0,
    )  # fmt: skip
    for model in (mixture, chain):
        with pytest.warns(ConvergenceWarning):
            model.fit(X) if model is mixture else model.fit(list(X[:, None]))  # sequences of one step
    np.testing.assert_allclose(chain.means_, mixture.means_, rtol=1e-10)
    np.testing.assert_allclose(chain.covariances_, mixture.covariances_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(chain.start_, mixture.weights_, rtol=1e-10)


# --- one step by enumeration ------------------------------------------------------------------------------------


@quiet
@laws
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.7]))
def test_a_step_of_baum_welch_by_enumeration(seed, m):
    """Expected counts over all paths of weighted sequences, with gaps, solved by hand."""
    rng = np.random.default_rng(seed)
    k, v = 2, 3
    start, transition, emission = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k), rng.dirichlet(np.ones(v), k)
    sequences = [rng.integers(0, v, n).astype(float) for n in (4, 1, 5)]
    sequences[0][:3] = [0, 1, 2]
    sequences[2][1] = np.nan
    weight = np.array([1.0, 2.0, 0.5])
    starts, pairs, shown = np.zeros(k), np.zeros((k, k)), np.zeros((k, v))
    for x, w in zip(sequences, weight, strict=True):
        b = np.array([np.ones(k) if np.isnan(o) else emission[:, int(o)] for o in x])
        paths = list(itertools.product(range(k), repeat=len(x)))
        p = [start[z[0]] * np.prod([transition[a, c] for a, c in itertools.pairwise(z)])
             * np.prod(b[range(len(x)), z]) for z in paths]  # fmt: skip
        for z, share in zip(paths, w * np.array(p) / np.sum(p), strict=True):
            starts[z[0]] += share
            for a, c in itertools.pairwise(z):
                pairs[a, c] += share
            for o, s in zip(x, z, strict=True):
                if not np.isnan(o):
                    shown[s, int(o)] += share
    init = {"start": start, "transition": transition, "emission": emission}
    model = CategoricalHMM(k, init=init, m=m, max_iter=1, tol=0.0).fit(sequences, sample_weight=weight)
    np.testing.assert_allclose(model.start_counts_, starts, atol=1e-10)
    np.testing.assert_allclose(model.transition_counts_, pairs, atol=1e-10)
    np.testing.assert_allclose(model.emission_counts_, shown, atol=1e-10)
    for found, counts in ((model.start_, starts), (model.transition_, pairs), (model.emission_, shown)):
        np.testing.assert_allclose(found, (counts + m) / (counts + m).sum(axis=-1, keepdims=True), atol=1e-10)


# --- laws of EM -------------------------------------------------------------------------------------------------


@st.composite
def problems(draw, kind):
    """Small, often awkward sets of sequences of one kind, with gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d = draw(st.integers(1, 2))
    lengths = rng.integers(1, 15, draw(st.integers(1, 5)))
    n = int(lengths.sum())
    if kind is CategoricalHMM:
        X = rng.integers(0, 4, (n, d)).astype(float)
    elif kind is PoissonHMM:
        X = rng.poisson(rng.choice([0.5, 20.0], n)[:, None], (n, d)).astype(float)
    else:
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d) + rng.choice([0.0, 1e4], d)
    if draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    assume(n >= 4 and not np.isnan(X).all(axis=0).any())
    return X, lengths, rng


@quiet
@pytest.mark.parametrize("kind", [CategoricalHMM, GaussianHMM, PoissonHMM])
@pytest.mark.parametrize("m", [0.0, 1.5])
def test_never_falls(kind, m):
    @laws
    @given(problems(kind), st.integers(1, 3), st.sampled_from([None, "random"]))
    def law(problem, k, init):
        X, lengths, rng = problem
        more = (
            {"covariance_type": rng.choice(["full", "tied", "diag", "spherical"]).item()} if kind is GaussianHMM else {}
        )
        model = kind(k, init=init, m=m, tol=0.0, max_iter=15, random_state=int(rng.integers(1000)), **more)
        model.fit(X, lengths=lengths)
        assert no_fall(model)
        assert "worse" not in model.outcome_
        np.testing.assert_allclose(model.transition_.sum(axis=1), 1.0)
        np.testing.assert_allclose(model.smooth(X, lengths).sum(axis=1), 1.0)
        if m == 0.0:
            assert model.score(X, lengths=lengths) == pytest.approx(model.log_likelihood_, rel=1e-9, abs=1e-8)

    law()


@quiet
def test_weights_are_repetitions_of_sequences():
    rng = np.random.default_rng(0)
    sequences, weight = [rng.normal(size=(n, 2)) for n in (8, 12, 5, 9)], [2, 0, 1, 3]
    repeated = [x for x, w in zip(sequences, weight, strict=True) for _ in range(w)]
    init = {"means": [[-1.0, 0.0], [1.0, 0.0]], "covariances": np.tile(np.eye(2), (2, 1, 1)),
            "start": [0.5, 0.5], "transition": np.full((2, 2), 0.5)}  # fmt: skip
    a = GaussianHMM(2, init=init, max_iter=8, tol=0.0, m=0.3).fit(sequences, sample_weight=weight)
    b = GaussianHMM(2, init=init, max_iter=8, tol=0.0, m=0.3).fit(repeated)
    for name in ("start_", "transition_", "means_", "covariances_", "history_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9)
    rows = np.repeat(np.asarray(weight, float), [8, 12, 5, 9])
    c = GaussianHMM(2, init=init, max_iter=8, tol=0.0, m=0.3)
    c.fit(np.concatenate(sequences), lengths=[8, 12, 5, 9], sample_weight=rows)
    np.testing.assert_array_equal(c.means_, a.means_)


@quiet
def test_the_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    X, lengths = rng.integers(0, 5, 60_000), np.full(60, 1000)
    models = []
    for count in (1, 3):
        with threads(count):
            models.append(CategoricalHMM(3, max_iter=3, random_state=1).fit(X, lengths=lengths))
    for name in ("start_", "transition_", "emission_", "history_"):
        np.testing.assert_array_equal(getattr(models[0], name), getattr(models[1], name))


def test_finds_a_known_chain_up_to_the_names_of_states():
    true = CategoricalHMM.from_parameters(
        [0.6, 0.4], [[0.95, 0.05], [0.1, 0.9]], [[0.8, 0.15, 0.05], [0.1, 0.2, 0.7]], symbols=list("abc")
    )
    x, states = true.sample(4000, random_state=0)
    model = CategoricalHMM(2, n_init=3).fit(x)
    turn = np.argsort(-model.emission_[:, 0])
    np.testing.assert_allclose(model.emission_[turn], true.emission_, atol=0.05)
    np.testing.assert_allclose(model.transition_[np.ix_(turn, turn)], true.transition_, atol=0.03)
    assert model.log_likelihood_ >= true.score(x)
    assert np.mean(np.argsort(turn)[model.predict(x)] == states) > 0.85
    assert model.log_likelihood_ == pytest.approx(max(r.objective for r in model.restarts_), rel=1e-12)


# --- structure --------------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("m", [0.0, 2.0])
def test_structural_zeros_stay_zero(m):
    x = np.random.default_rng(0).integers(0, 3, (200, 1))
    mask = np.triu(np.ones((3, 3), bool))
    model = CategoricalHMM(3, transition_mask=mask, m=m, max_iter=20).fit(x)
    assert (model.transition_[~mask] == 0.0).all()
    assert model.n_parameters_ == 2 + (6 - 3) + 3 * 2
    given_zeros = {
        "start": [1.0, 0.0],
        "transition": [[0.5, 0.5], [0.0, 1.0]],
        "emission": [[0.5, 0.5, 0.0], [0.1, 0.2, 0.7]],
    }
    left_right = CategoricalHMM(2, init=given_zeros, m=m, max_iter=20).fit(np.r_[0, 1, 0, 1, 2, 2, 0, 2])
    assert left_right.start_.tolist() == [1.0, 0.0]
    assert left_right.transition_[1].tolist() == [0.0, 1.0]
    assert left_right.emission_[0, 2] == 0.0
    assert left_right.n_parameters_ == 0 + 1 + 1 + 2


def test_bad_structure_is_refused():
    x = np.array([0, 1, 0, 1])
    with pytest.raises(ParameterError, match="state 1 go nowhere"):
        CategoricalHMM(2, transition_mask=[[1, 1], [0, 0]]).fit(x)
    with pytest.raises(ParameterError, match=r"2 × 2 transitions, but has shape \(3, 3\)"):
        CategoricalHMM(2, transition_mask=np.eye(3)).fit(x)
    with pytest.raises(ParameterError, match="0 → 1 a chance"):
        CategoricalHMM(2, transition_mask=np.eye(2), init={"transition": np.full((2, 2), 0.5)}).fit(x)
    with pytest.raises(ParameterError, match="'starts', which is not one of start, transition, emission"):
        CategoricalHMM(2, init={"starts": [0.5, 0.5]}).fit(x)
    whole = {"start": [0.5, 0.5], "transition": np.eye(2), "emission": np.eye(2)}
    with pytest.raises(ParameterError, match="one whole start"):
        CategoricalHMM(2, init=whole, n_init=2).fit(x)
    with pytest.raises(DataError, match=r"sequence 1 has probability zero from its step 2 on"):
        CategoricalHMM(2, init=whole).fit(x)
    with pytest.raises(ParameterError, match="no covariances"):
        GaussianHMM(2, init={"means": [[0.0], [1.0]]}).fit(x)
    with pytest.raises(ParameterError, match=r"rates has shape \(3, 1\)"):
        PoissonHMM(2, init={"rates": [1.0, 2.0, 3.0]}).fit(x)
    with pytest.raises(ValueError, match="init"):
        CategoricalHMM(2, init="kmeans").fit(x)
    with pytest.raises(DataError, match=r"n_states is 2, but there is only 1 step \(n_samples=1\)"):
        GaussianHMM(2).fit([[1.0]])
    with pytest.raises(DataError, match="n_states is 9, but there are only 4 steps"):
        GaussianHMM(9).fit(x)
    sentence = "there are n_samples=1 distinct rows for 2 starts: give more rows, or ask for fewer components or states"
    with pytest.raises(DataError, match=f"^{sentence}$"):  # the other sequence does not count
        GaussianHMM(2).fit(np.arange(4.0)[:, None], ["a", "b", "b", "b"], lengths=[1, 3], sample_weight=[1.0, 0.0])


# --- known states -----------------------------------------------------------------------------------------------

WEATHER = [list("aabba"), list("bb")], [["r", "r", "s", "s", "r"], ["s", "s"]]


@pytest.mark.parametrize("m", [0.0, 1.0])
def test_known_states_are_counted(m):
    """By hand: r → r 1, r → s 1, s → s 2, s → r 1; r shows a three times, s shows b four times."""
    X, y = WEATHER
    model = CategoricalHMM(m=m).fit(X, y)
    assert model.states_ == ("r", "s")
    np.testing.assert_allclose(model.start_, (np.array([1, 1]) + m) / (2 + 2 * m))
    np.testing.assert_allclose(
        model.transition_, [[(1 + m) / (2 + 2 * m)] * 2, [(1 + m) / (3 + 2 * m), (2 + m) / (3 + 2 * m)]]
    )
    np.testing.assert_allclose(model.emission_[0], np.array([3 + m, m]) / (3 + 2 * m))
    np.testing.assert_allclose(model.emission_[1], np.array([m, 4 + m]) / (4 + 2 * m))
    assert model.n_iter_ == 1
    assert model.converged_
    if m == 0.0:
        joint = np.log(0.5 * 0.5 * 0.5 * (2 / 3) * (1 / 3)) + np.log(0.5 * (2 / 3))
        assert model.log_likelihood_ == pytest.approx(joint)
    assert [path.tolist() for path in model.predict(X)] == y


def test_known_states_of_numbers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), np.repeat([3, 7], 25)
    model = GaussianHMM().fit(X, y)
    assert model.states_ == (3, 7)
    np.testing.assert_allclose(model.means_, [X[:25].mean(axis=0), X[25:].mean(axis=0)], rtol=1e-12)
    np.testing.assert_allclose(model.covariances_[1], np.cov(X[25:].T, bias=True), rtol=1e-10)
    counts = PoissonHMM().fit(np.abs(X).round(), y)
    np.testing.assert_allclose(counts.rates_[0], np.abs(X).round()[:25].mean(axis=0))


@quiet
@pytest.mark.parametrize("unknown", [None, np.nan, -1])
def test_states_known_in_part_are_clamped(unknown):
    """Two clusters; the labels of four steps give the states their names."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 0, 1], 25)
    x = rng.normal(6.0 * truth, 1.0)
    y = np.full(100, unknown, object)
    y[[0, 60]] = 0
    y[[30, 90]] = 1
    model = GaussianHMM(2).fit(x, y)
    assert no_fall(model)
    assert np.mean(model.predict(x) == truth) > 0.98
    assert model.means_[0] < 1.0 < 5.0 < model.means_[1]
    y[60] = 1  # a step of cluster 0 is labelled as state 1
    held = GaussianHMM(2).fit(x, y)
    assert held.log_likelihood_ < model.log_likelihood_


@pytest.mark.parametrize("y", [[None, None], [0, 1], [[0, 1]], [[0, 1], [0]]])
def test_states_of_listed_sequences_come_in_such_a_list(y):
    with pytest.raises(DataError, match="y must be a list like X, with a state for each step of each sequence"):
        GaussianHMM(2).fit([[[0.0], [1.0]], [[2.0], [3.0]]], y)


def test_states_without_a_label_get_a_name():
    x = np.array([0.0, 0.1, 5.0, 5.1, 9.0, 9.1] * 5)
    words = np.array(["low", "low", "mid", "mid", None, None] * 5, object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert GaussianHMM(3).fit(x, words).states_ == ("low", "mid", "state 0")
        assert GaussianHMM(3).fit(x, np.array([0, 0, 2, 2, -1, -1] * 5)).states_ == (0, 1, 2)
    with pytest.raises(ParameterError, match="y names 2 states, but n_states is 1"):
        GaussianHMM(1).fit(x, words)


def test_labels_that_do_not_fit():
    X, y = WEATHER
    with pytest.raises(DataError, match="a list like X"):
        CategoricalHMM().fit(X, y[0])
    with pytest.raises(DataError, match=r"y has shape \(2,\), but X has 3 steps"):
        CategoricalHMM().fit(np.array([1, 2, 1]), [0, 1])
    with pytest.raises(DataError, match="sequence 1 has probability zero from its step 2 on"):
        CategoricalHMM(2, transition_mask=np.eye(2)).fit(np.array([1, 2, 1]), [0, 1, 1])
    with pytest.raises(DataError, match="words and numbers"):
        CategoricalHMM().fit(np.array([1, 2]), np.array(["a", 3], object))


# --- bad data ---------------------------------------------------------------------------------------------------


def test_a_state_without_spread_is_held_and_named():
    x = np.r_[np.random.default_rng(0).normal(size=50), np.full(20, 30.0)]
    with pytest.warns(DataWarning, match="held at the floor of reg_covar"):
        model = GaussianHMM(2).fit(x)
    [k] = model.collapsed_
    assert model.covariances_[k].item() == pytest.approx(1e-6 * x.var(), rel=1e-6)
    for kind in ("full", "diag", "spherical"):
        with pytest.raises(DataError, match=r"variance is 0: raise reg_covar"):
            GaussianHMM(2, covariance_type=kind, reg_covar=0.0).fit(x)


def test_no_convergence_is_reported():
    with pytest.warns(ConvergenceWarning, match="PoissonHMM: It stopped after 1 iteration"):
        model = PoissonHMM(2, max_iter=1, tol=0.0).fit(EARTHQUAKES)
    assert not model.converged_


def test_weights_that_sum_to_zero_are_said_in_one_way():
    frame = pd.DataFrame({"x": [1.0, 3.0, 2.0], "w": [0.0, 0.0, 0.0]})
    with pytest.raises(DataError, match=r"^the weights of the frame sum to zero: no row counts$"):
        GaussianHMM(1).fit(nv.read(frame, weight="w"))
    with pytest.raises(DataError, match=r"^the weights of X sum to zero: no row counts$"):
        GaussianHMM(1).fit([[1.0, 2.0], [3.0]], sample_weight=[0.0, 0.0])


def test_bad_values_are_named():
    with pytest.raises(DataError, match=r"column 'x0' is -1 in step 2 of sequence 2"):
        PoissonHMM(1).fit([[1, 2, 3], [4, -1]])
    with pytest.raises(DataError, match=r"column 'x0' is infinite \(inf\) in step 2"):
        GaussianHMM(1).fit(np.array([1.0, np.inf, 2.0]))
    frame = pd.DataFrame({"x": [1.0, -np.inf, 2.0], "w": [1.0, 1.0, 1.0]})
    with pytest.raises(DataError, match=r"column 'x' is infinite \(-inf\) in step 2 of the frame: "):
        GaussianHMM(1).fit(nv.read(frame, weight="w"))
    with pytest.raises(DataError, match=r"'x1' has no value"):
        GaussianHMM(1).fit(np.array([[1.0, np.nan], [2.0, np.nan]]))
    with pytest.raises(DataError, match=r"'x0'.*overflow"):
        GaussianHMM(1).fit(np.array([1e200, -1e200, 3.0]))
    with pytest.raises(DataError, match="weights from 1 to 2"):
        GaussianHMM(1).fit(np.arange(4.0), sample_weight=[1, 2, 1, 1])
    with pytest.raises(ValueError, match="sum to zero"):
        GaussianHMM(1).fit([np.arange(4.0), np.arange(3.0)], sample_weight=[0, 0])


@pytest.mark.parametrize("state", [float("inf"), 10**25])
def test_states_that_no_file_could_hold_are_refused(state):
    with pytest.raises(DataError, match=r"y names the state .*: states are words, numbers of 64 bits, or true"):
        CategoricalHMM().fit(np.zeros((3, 1)), np.array([1, state, 1], object))
