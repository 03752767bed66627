"""k / (N · V · rᵈ) against its definition, and the choice of k."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import digamma

from novacula.errors import DataError, DataWarning
from novacula.neighbors import KNeighborsDensity
from novacula.neighbors.metric import log_ball_volume

VOLUMES = {
    "euclidean": lambda d: math.pi ** (d / 2) / math.gamma(d / 2 + 1),
    "manhattan": lambda d: 2**d / math.factorial(d),
    "chebyshev": lambda d: 2**d,
}
NAMES = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}


@pytest.mark.parametrize("metric", VOLUMES)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_formula(metric, d):
    rng = np.random.default_rng(d)
    X, Q, k = rng.normal(size=(100, d)), rng.normal(size=(20, d)), 7
    radius = np.sort(cdist(Q, X, NAMES[metric]), axis=1)[:, k - 1]
    expected = k / (100 * VOLUMES[metric](d) * radius**d)
    model = KNeighborsDensity(k, metric=metric).fit(X)
    np.testing.assert_allclose(np.exp(model.score_samples(Q)), expected, rtol=1e-9)
    np.testing.assert_allclose(model.score(Q), np.log(expected).sum(), rtol=1e-9)


def test_volume_by_throwing_points():
    points = np.random.default_rng(0).uniform(-1, 1, (400_000, 3))
    share = (np.sum(np.abs(points) ** 3, axis=1) <= 1).mean()
    assert abs(np.exp(log_ball_volume(3, 3.0)) / 8 - share) < 5 * np.sqrt(share * (1 - share) / 400_000)


def test_it_tends_to_the_density():
    X = np.random.default_rng(0).normal(size=(40_000, 1))
    places = np.array([[-1.0], [0.0], [2.0]])
    truth = np.exp(-(places[:, 0] ** 2) / 2) / np.sqrt(2 * np.pi)
    estimate = np.exp(KNeighborsDensity(400).fit(X).score_samples(places))
    np.testing.assert_allclose(estimate, truth, rtol=5 / np.sqrt(400))


def test_weights_are_repetitions():
    rng = np.random.default_rng(0)
    X, weight, Q = rng.normal(size=(40, 2)), rng.integers(0, 4, 40), rng.normal(size=(10, 2))
    for k in (5, "cv_ml"):
        weighted = KNeighborsDensity(k).fit(X, sample_weight=weight)
        repeated = KNeighborsDensity(k).fit(np.repeat(X, weight, axis=0))
        assert weighted.n_neighbors_ == repeated.n_neighbors_
        np.testing.assert_allclose(weighted.score_samples(Q), repeated.score_samples(Q), rtol=1e-12)


def test_k_by_rows_left_out():
    X = np.random.default_rng(1).normal(size=(60, 2))
    model = KNeighborsDensity("cv_ml").fit(X)
    gap = cdist(X, X)
    np.fill_diagonal(gap, np.inf)
    radius = np.sort(gap, axis=1)
    losses = []
    for k in range(1, 60):
        log_density = np.log(k / (59 * math.pi * radius[:, k - 1] ** 2))
        losses.append(np.mean(-log_density) + np.log(k) - digamma(k))
    np.testing.assert_allclose(model.loo_error_, losses, rtol=1e-9)
    assert model.n_neighbors_ == 1 + np.argmin(losses)


def test_where_k_rows_stand_the_density_is_infinite_and_says_so():
    X = [[0.0], [0.0], [0.0], [1.0], [3.0], [7.0]]
    with pytest.warns(DataWarning, match=r"1 rows, .* row 2, are where 3 rows"):
        scores = KNeighborsDensity(3).fit(X).score_samples([[0.5], [0.0]])
    assert np.isfinite(scores[0])
    assert scores[1] == np.inf
    chosen = KNeighborsDensity("cv_ml").fit(X)
    assert chosen.n_neighbors_ > 2  # with fewer a row left out has density +∞
    assert np.isneginf(chosen.loo_error_[:2]).all()


def test_no_k_can_be_chosen_where_all_rows_are_one():
    with pytest.raises(DataError, match="no k can be chosen"):
        KNeighborsDensity("cv_ml").fit([[1.0], [1.0], [1.0]])
