"""The parts of the error: exact sums, the theory of least squares, and Domingos' identity by enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyRegressor
from sklearn.neighbors import KNeighborsClassifier as TheirNeighbours
from sklearn.tree import DecisionTreeRegressor

import novacula as nv
from novacula.bayes import NaiveBayes
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.evaluate import bias_variance
from novacula.evaluate.bias_variance import _zero_one
from novacula.linear import LinearRegression


def sines(rng, n=40):
    x = rng.uniform(0, 6, (n, 1))
    f = np.sin(x[:, 0])
    return x, f + rng.normal(0, 0.3, n), f


def stripes(rng, n=60):
    """Three classes of which a tenth of the labels are wrong."""
    x = rng.uniform(0, 3, (n, 1))
    f = x[:, 0].astype(int)
    return x, np.where(rng.random(n) < 0.1, (f + rng.integers(1, 3, n)) % 3, f), f


@pytest.mark.parametrize("learner", [LinearRegression(), DecisionTreeRegressor(random_state=0)])
def test_squared_loss_is_the_sum_of_its_parts_at_every_point(learner):
    parts = bias_variance(learner, sines, n_sets=15)
    total = parts.bias_squared_at + parts.variance_at + parts.noise_at
    assert parts.error_at == pytest.approx(total, rel=1e-12)
    assert parts.error == pytest.approx(parts.bias_squared + parts.variance + parts.noise, rel=1e-12)
    assert parts.note == ""


def test_parts_are_those_of_their_definitions():
    points = sines(np.random.default_rng(9), 7)
    parts = bias_variance(LinearRegression(), sines, n_sets=5, points=points, random_state=3)
    rng, said = np.random.default_rng(3), []
    for _ in range(5):
        x, y, _ = sines(rng)
        said.append(np.polyval(np.polyfit(x[:, 0], y, 1), points[0][:, 0]))
    assert parts.variance_at == pytest.approx(np.var(said, axis=0))
    assert parts.bias_squared_at == pytest.approx((np.mean(said, axis=0) - points[2]) ** 2)
    assert parts.noise_at == pytest.approx((points[1] - points[2]) ** 2)


def test_the_mean_of_n_numbers_has_no_bias_and_a_variance_of_one_nth():
    def constant(rng):
        return np.zeros((25, 1)), rng.normal(2.0, 1.0, 25), np.full(25, 2.0)

    parts = bias_variance(DummyRegressor(), constant, n_sets=500)
    assert parts.variance == pytest.approx(1 / 25, rel=0.2)  # a standard deviation of 6%
    assert parts.bias_squared == pytest.approx(0.0, abs=2e-3)


def test_out_of_bag_rows_have_noise_in_their_bias_and_say_so():
    x, y, f = sines(np.random.default_rng(0), 80)
    parts = bias_variance(LinearRegression(), x, y, n_sets=40)
    assert parts.noise == 0.0
    assert "noise cannot be separated from bias" in parts.note
    assert parts.note in str(parts)
    assert parts.error_at == pytest.approx(parts.bias_squared_at + parts.variance_at, rel=1e-12)
    known = bias_variance(LinearRegression(), x, y, n_sets=40, truth=lambda X: np.sin(X[:, 0]))
    assert known.noise == pytest.approx(np.mean((y - f) ** 2))
    assert known.variance == parts.variance
    assert known.error_at == pytest.approx(known.bias_squared_at + known.variance_at + known.noise_at, rel=1e-12)


def test_rows_that_were_in_every_set_are_left_out_and_counted():
    x, y, _ = sines(np.random.default_rng(0), 30)
    parts = bias_variance(LinearRegression(), x, y, n_sets=2)
    assert 0 < len(parts.error_at) < 30
    assert f"{30 - len(parts.error_at)} rows were in every training set" in parts.note


@pytest.mark.parametrize("learner", [TheirNeighbours(1), NaiveBayes()])
def test_zero_one_loss_is_the_sum_of_domingos_terms_at_every_point(learner):
    parts = bias_variance(learner, stripes, n_sets=21, loss="zero_one")
    total = parts.noise_effect * parts.noise_at + parts.bias_squared_at + parts.variance_effect * parts.variance_at
    assert parts.error_at == pytest.approx(total, abs=1e-12)
    assert parts.error == pytest.approx(parts.bias_squared + parts.variance + parts.noise, abs=1e-12)
    assert set(parts.bias_squared_at) <= {0.0, 1.0}
    assert 0.03 < parts.noise_at.mean() < 0.2


@settings(deadline=None)
@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9), st.sampled_from("abcd"), st.sampled_from("abcd"))
def test_domingos_coefficients_are_those_of_his_theorem(said, y, f):
    """Theorem 2: c₁ = P(h = f) − P(h ≠ f)·P(h = y | h ≠ f) with y ≠ f;  c₂ = 1, or −P(h = f | h ≠ h̄)."""
    h = np.array(said)[:, None]
    bias, variance, noise, error, c1, c2 = (
        v[0] for v in _zero_one(h, np.ones(h.shape, bool), np.array([y]), np.array([f]))
    )
    main = min(set(said), key=lambda c: (-said.count(c), c))
    away = [c for c in said if c != main]
    n = len(said)
    assert (bias, noise) == (main != f, y != f)
    assert variance == pytest.approx(len(away) / n)
    assert error == pytest.approx(sum(c != y for c in said) / n)
    if main != f and away:
        assert c2 == pytest.approx(-away.count(f) / len(away))
    if y != f:
        wrong = [c for c in said if c != f]
        cross = len(wrong) / n * (wrong.count(y) / len(wrong) if wrong else 0)
        assert c1 == pytest.approx(said.count(f) / n - cross)
    assert error == pytest.approx(c1 * noise + bias + c2 * variance)


def test_a_table_is_resampled_too():
    parts = bias_variance(NaiveBayes(), nv.datasets.load("play_tennis"), n_sets=30, loss="zero_one")
    assert parts.error == pytest.approx(parts.bias_squared + parts.variance, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: bias_variance(LinearRegression(), sines, loss="log"), ParameterError, "loss is 'log'"),
        (lambda: bias_variance(LinearRegression(), sines, n_sets=1), ParameterError, "n_sets is 1"),
        (lambda: bias_variance(LinearRegression(), sines, np.zeros(3)), InputTypeError, "leave y out"),
        (lambda: bias_variance(DummyRegressor(), [[1.0]], [1.0]), DataError, "1 rows are in every training set"),
        (
            lambda: bias_variance(NaiveBayes(), nv.datasets.load("iris"), n_sets=2),
            ParameterError,
            "^the squared loss is one of numbers, and the learner predicts labels: say loss='zero_one'$",
        ),
        (
            lambda: bias_variance(LinearRegression(), np.zeros((3, 1)), np.zeros(3), points=([[1.0]], [1.0])),
            InputTypeError,
            "leave points out",
        ),
    ],
)
def test_bad_input_is_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
