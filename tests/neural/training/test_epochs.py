"""Epochs of mini-batches: the textbook's rule written out, and no arrays made in a batch."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.neural.mlp_classifier import MLPClassifier
from novacula.neural.mlp_regressor import MLPRegressor
from novacula.neural.network import Architecture, NetworkObjective, Penalties
from novacula.neural.training.epochs import Patience, TeachingPlan, TeachingState, TrainingEpoch, teach
from novacula.neural.training.lesson import NetworkLesson
from novacula.neural.training.showings import NetworkShowings
from novacula.neural.training.targets import Targets
from novacula.optimize.updates import Adam, Momentum

laws = settings(deadline=None, max_examples=10)
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def logistic(z):
    return 1 / (1 + math.exp(-z))


def by_hand(weights, X, T, eta, alpha, epochs):
    """Back-propagation as the textbook has it, in loops: δ_k = o_k(1−o_k)(t_k−o_k), δ_h = o_h(1−o_h)Σ w_hk δ_k."""
    V, b, W, c = (np.array(part, float) for part in weights)
    before = [np.zeros_like(part) for part in (V, b, W, c)]
    for _ in range(epochs):
        for x, t in zip(X, T, strict=True):
            hidden = [logistic(sum(x[i] * V[i, h] for i in range(len(x))) + b[h]) for h in range(len(b))]
            out = [logistic(sum(hidden[h] * W[h, k] for h in range(len(b))) + c[k]) for k in range(len(c))]
            delta = [o * (1 - o) * (t_k - o) for o, t_k in zip(out, t, strict=True)]
            below = [o * (1 - o) * sum(W[h, k] * delta[k] for k in range(len(c))) for h, o in enumerate(hidden)]
            moves = [np.outer(x, below), np.array(below), np.outer(hidden, delta), np.array(delta)]
            before = [eta * move + alpha * last for move, last in zip(moves, before, strict=True)]
            V, b, W, c = (part + step for part, step in zip((V, b, W, c), before, strict=True))
    return V, b, W, c


@quiet
@laws
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.9]), st.integers(1, 3))
def test_rows_one_by_one_are_taught_by_the_textbooks_rule(seed, alpha, epochs):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(9, 3)), rng.integers(0, 2, (9, 2))
    model = MLPClassifier(
        4, loss="squared", eta0=0.3, momentum=alpha, batch_size=1, shuffle=False, dtype="float64", max_epochs=1
    ).fit(X, labels)
    start = [part.copy() for pair in zip(model.coefs_, model.intercepts_, strict=True) for part in pair]
    model.set_params(warm_start=True, max_epochs=epochs).fit(X, labels)
    wanted = by_hand(start, X, labels, 0.3, alpha, epochs)
    found = [part for pair in zip(model.coefs_, model.intercepts_, strict=True) for part in pair]
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("schedule", "rates"), [("constant", [0.1] * 3), ("decay", [0.1, 0.1 / 2**0.5, 0.1 / 3**0.5])])
@quiet
def test_a_linear_unit_steps_by_the_rate_of_its_epoch(schedule, rates):
    """One weight and a bias, one row: w ← w + η(t − o)x."""
    model = MLPRegressor((), eta0=0.1, schedule=schedule, momentum=0.0, dtype="float64", max_epochs=1)
    model.fit([[2.0]], [1.0])
    w, b = model.coefs_[0].item(), model.intercepts_[0].item()
    model.set_params(warm_start=True, max_epochs=3).fit([[2.0]], [1.0])
    for eta in rates:
        error = 1.0 - (2.0 * w + b)
        w, b = w + eta * error * 2.0, b + eta * error
    assert model.coefs_[0].item() == pytest.approx(w, rel=1e-12)
    assert model.intercepts_[0].item() == pytest.approx(b, rel=1e-12)


@quiet
def test_half_a_showing_is_half_a_step():
    """The first row counts half as much as the mean of both, the second one and a half times."""
    X, y = np.array([[1.0], [3.0]]), np.array([2.0, -1.0])
    model = MLPRegressor((), eta0=0.01, momentum=0.0, batch_size=1, shuffle=False, dtype="float64", max_epochs=1)
    model.fit(X, y)
    w, b = model.coefs_[0].item(), model.intercepts_[0].item()
    model.set_params(warm_start=True).fit(X, y, sample_weight=[0.5, 1.0])
    for x, t, share in ((1.0, 2.0, 0.5 / 0.75), (3.0, -1.0, 1.0 / 0.75)):
        error = t - (w * x + b)
        w, b = w + 0.01 * share * error * x, b + 0.01 * share * error
    assert model.coefs_[0].item() == pytest.approx(w, rel=1e-12)


@quiet
def test_weight_decay_pulls_weights_and_no_biases():
    """Rows of zeros and targets that are met: nothing but the price of the weight moves it."""
    model = MLPRegressor((), eta0=0.1, momentum=0.0, weight_decay=0.25, dtype="float64", max_epochs=1)
    model.fit(np.zeros((3, 1)), np.zeros(3))
    w, b = model.coefs_[0].item(), model.intercepts_[0].item()
    model.set_params(warm_start=True).fit(np.zeros((3, 1)), np.full(3, b))
    assert model.coefs_[0].item() == pytest.approx(w * (1 - 0.1 * 2 * 0.25), rel=1e-12)
    assert model.intercepts_[0].item() == pytest.approx(b, rel=1e-12)


RULES = {"momentum": Momentum(0.9), "adam": Adam()}
DECAYS = (0.0, 0.1)
NETWORK = Architecture((50, 64, 10), "logistic", "softmax")


def second_epochs():
    """For each rule, with and without a price of weights: four batches of 1024 rows."""
    rng = np.random.default_rng(0)
    window = NetworkShowings(
        rng.normal(size=(4096, 50)).astype("float32"),
        np.eye(10, dtype="float32")[rng.integers(0, 10, 4096)],
        np.ones(4096, "float32"),
    )
    for (name, rule), decay in itertools.product(RULES.items(), DECAYS):
        lesson = NetworkLesson(
            NetworkObjective(NETWORK, "cross_entropy", Penalties(weight_decay=decay)), Targets(10, 10)
        )
        plan = TeachingPlan(lesson, 0.1, None, "constant", 1024, True, 0, "float32", 1.0)
        state = teach(TeachingState(NETWORK.initial(rng, "float32"), rule), window, 0, plan, 0)
        yield f"{name} {decay}", partial(teach, state, window, 0, plan, 1)


@pytest.fixture(scope="module")
def peaks(peaks_of):
    return peaks_of(__file__, "second_epochs")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("decay", DECAYS)
def test_batches_make_no_arrays(peaks, rule, decay):
    own = 6 * NETWORK.n_parameters * 4 + 4096 * 8  # weights and memories of the rule, copied once, and the order
    assert peaks[f"{rule} {decay}"] - own < 1024 * 10 * 4  # the smallest array of a batch: its outputs


def test_patience_waits_for_epochs_that_lower_the_loss_by_too_little():
    patience, epoch = Patience(0.01, 2), TrainingEpoch(0, TeachingState(np.zeros(1), Momentum(0.0)))
    for loss, waited in ((10.0, 0), (9.0, 0), (8.95, 1), (8.8, 0), (8.75, 1), (8.9, 2)):
        epoch = epoch.watched(loss, patience)
        assert epoch.waited == waited
        assert epoch.done == (waited == 2)
    assert epoch.best == 8.75
    assert not epoch.watched(9.0, Patience(None, 1)).done
