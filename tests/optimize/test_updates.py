"""Update rules against their formulas and scikit-learn's, number by number."""

import math

import numpy as np
import pytest
from sklearn.neural_network._stochastic_optimizers import AdamOptimizer, SGDOptimizer

from novacula.errors import ParameterError
from novacula.optimize.updates import Adam, Momentum


@pytest.fixture(scope="module")
def gradients():
    return np.random.default_rng(0).normal(size=(30, 7)) * 10.0 ** np.arange(-3, 4)


def walk(rule, gradients, dtype=np.float64, eta=0.01):
    weights = np.linspace(-1, 1, 7).astype(dtype)
    for gradient in gradients:
        rule.step(weights, gradient.astype(dtype), eta)
    assert weights.dtype == dtype
    return weights


def test_momentum_by_its_formula(gradients):
    """Δw = −η∇ + α·(previous Δw)."""
    expected = []
    for j in range(7):
        w, last = float(np.linspace(-1, 1, 7)[j]), 0.0
        for gradient in gradients[:, j]:
            last = -0.01 * gradient + 0.8 * last
            w += last
        expected.append(w)
    np.testing.assert_allclose(walk(Momentum(0.8), gradients), expected, rtol=1e-12)
    np.testing.assert_allclose(walk(Momentum(0), gradients), np.linspace(-1, 1, 7) - 0.01 * gradients.sum(axis=0))


def test_adam_by_its_formula(gradients):
    """With ε next to nothing, w ← w − η m̂ / √v̂, where m̂ = m / (1−β₁ᵗ) and v̂ = v / (1−β₂ᵗ)."""
    expected = []
    for j in range(7):
        w, m, v = float(np.linspace(-1, 1, 7)[j]), 0.0, 0.0
        for t, gradient in enumerate(gradients[:, j], start=1):
            m, v = 0.7 * m + 0.3 * gradient, 0.95 * v + 0.05 * gradient**2
            w -= 0.01 * (m / (1 - 0.7**t)) / math.sqrt(v / (1 - 0.95**t))
        expected.append(w)
    np.testing.assert_allclose(walk(Adam(0.7, 0.95, 1e-300), gradients), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda: Momentum(0.9), lambda w: SGDOptimizer([w], 0.01, "constant", 0.9, nesterov=False)),
        (lambda: Adam(), lambda w: AdamOptimizer([w], 0.01)),
        (lambda: Adam(0.5, 0.9, 0.1), lambda w: AdamOptimizer([w], 0.01, 0.5, 0.9, 0.1)),
    ],
)
def test_same_as_scikit_learn(gradients, ours, theirs):
    weights = np.linspace(-1, 1, 7)
    optimizer = theirs(weights)
    for gradient in gradients:
        optimizer.update_params([weights], [gradient])
    np.testing.assert_allclose(walk(ours(), gradients), weights, rtol=1e-12)
    np.testing.assert_allclose(walk(ours(), gradients, np.float32), weights, rtol=1e-3)


@pytest.mark.parametrize("rule", [Momentum, Adam])
def test_a_rate_for_each_weight(gradients, rule):
    rates = np.array([0.1, 0, 0.01, 0.01, 0.01, 0.01, 0.02])
    moved = walk(rule(), gradients, eta=rates)
    for j, rate in enumerate(rates):
        assert moved[j] == pytest.approx(walk(rule(), gradients, eta=rate)[j], rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Momentum(1.0), "momentum is 1.0"),
        (lambda: Momentum(-0.1), "momentum is -0.1"),
        (lambda: Adam(beta1=1.0), "beta1 is 1.0"),
        (lambda: Adam(beta2=2), "beta2 is 2"),
        (lambda: Adam(epsilon=0), "epsilon is 0"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
