"""k / (N · V · rᵈ) against its definition, and the choice of k."""

import math

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy.spatial.distance import cdist
from scipy.special import digamma, polygamma

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
    for k in (5, "loo"):
        weighted = KNeighborsDensity(k).fit(X, sample_weight=weight)
        repeated = KNeighborsDensity(k).fit(np.repeat(X, weight, axis=0))
        assert weighted.n_neighbors_ == repeated.n_neighbors_
        np.testing.assert_allclose(weighted.score_samples(Q), repeated.score_samples(Q), rtol=1e-12)


def test_k_by_rows_left_out():
    X = np.random.default_rng(1).normal(size=(60, 2))
    model = KNeighborsDensity("loo").fit(X)
    gap = cdist(X, X)
    np.fill_diagonal(gap, np.inf)
    radius = np.sort(gap, axis=1)
    few, losses = digamma(5) - np.log(59 * math.pi * radius[:, 4] ** 2), []
    for k in range(1, 60):
        even = digamma(k) - np.log(59 * math.pi * radius[:, k - 1] ** 2)
        losses.append(np.mean((even - few) ** 2) + 2 * polygamma(1, max(k, 5)) - polygamma(1, 5))
    np.testing.assert_allclose(model.loo_error_, losses, rtol=1e-9)
    assert model.n_neighbors_ == 1 + np.argmin(losses)


def test_where_k_rows_stand_the_density_is_infinite_and_says_so():
    X = [[0.0], [0.0], [0.0], [1.0], [3.0], [7.0]]
    with pytest.warns(DataWarning, match=r"1 rows, .* row 2, are where 3 rows"):
        scores = KNeighborsDensity(3).fit(X).score_samples([[0.5], [0.0]])
    assert np.isfinite(scores[0])
    assert scores[1] == np.inf
    chosen = KNeighborsDensity("loo").fit(X)
    assert chosen.n_neighbors_ > 2  # with fewer a row left out has density +∞
    assert np.isposinf(chosen.loo_error_[:2]).all()


def test_no_k_can_be_chosen_where_all_rows_are_one():
    with pytest.raises(DataError, match="no k can be chosen"):
        KNeighborsDensity("loo").fit([[1.0], [1.0], [1.0]])


def three_hills(seed):
    """128 points of a mixture of three round hills, and the density of the mixture."""
    rng = np.random.default_rng(seed)
    share, centre = np.array([0.2, 0.3, 0.5]), np.array([[0.25, 0.3], [0.6, 0.75], [0.7, 0.3]])
    width = np.array([0.08, 0.1, 0.07])
    hill = rng.choice(3, size=128, p=share)
    points = centre[hill] + width[hill, None] * rng.normal(size=(128, 2))

    def density(x):
        far = np.sum((x[:, None] - centre) ** 2, axis=2) / width**2
        return np.exp(-far / 2) @ (share / (2 * math.pi * width**2))

    return points, density


def test_k_is_not_chosen_at_random():
    side = np.linspace(-0.1, 1.2, 60)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    chosen, best, worse = [], [], []
    for seed in range(30):
        points, density = three_hills(seed)
        gap, truth = np.sort(cdist(grid, points), axis=1), density(grid)
        errors = [np.mean((k / (128 * math.pi * gap[:, k - 1] ** 2) - truth) ** 2) for k in range(1, 101)]
        chosen.append(KNeighborsDensity("loo").fit(points).n_neighbors_)
        best.append(1 + np.argmin(errors))
        worse.append(errors[chosen[-1] - 1] / min(errors))
    assert min(chosen) >= 6  # with the likelihood it was 1 in a quarter of the samples
    assert max(chosen) <= 30
    assert abs(np.median(chosen) - np.median(best)) <= 5
    assert np.median(worse) < 1.4


def test_equal_rows_are_reached_beyond():
    X = np.repeat(np.random.default_rng(0).normal(size=(40, 2)), 8, axis=0)
    model = KNeighborsDensity("loo").fit(X)  # the seventh nearest other row is at the very place
    assert np.isposinf(model.loo_error_[:7]).all()
    assert np.isfinite(model.loo_error_[7:]).all()
    assert model.n_neighbors_ >= 8
    assert KNeighborsDensity("cv_ml").fit(X).n_neighbors_ == model.n_neighbors_


@pytest.mark.parametrize("d", [1, 2])
def test_the_density_is_drawn_for_three_k(d):
    X = np.random.default_rng(0).normal(size=(60, d))
    figure = KNeighborsDensity(10).fit(X).work().steps[-1].figure
    canvas = Canvas()
    axes = canvas.add_subplot()
    figure.draw(axes)
    assert "3, 10, 30" in figure.alt
    if d == 1:
        lines = {line.get_label(): line.get_xydata() for line in axes.lines}
        for k in (3, 10, 30):
            x, y = lines[f"k = {k}"].T
            radius = np.sort(np.abs(x[:, None] - X[:, 0]), axis=1)[:, k - 1]
            np.testing.assert_allclose(y, np.log(k / (60 * 2 * radius)), rtol=1e-9)
    else:
        panels = [panel for panel in canvas.axes if panel.get_title()]
        assert [panel.get_title() for panel in panels] == ["k = 3", "k = 10", "k = 30"]
        for panel, k in zip(panels, (3, 10, 30), strict=True):
            np.testing.assert_array_equal(panel.lines[0].get_xydata(), X)
            shades = panel.collections[0]
            heights, corner = shades.get_array().ravel(), shades.get_coordinates()
            middle = (corner[:-1, :-1] + corner[1:, 1:]).reshape(-1, 2) / 2
            radius = np.sort(cdist(middle, X), axis=1)[:, k - 1]
            np.testing.assert_allclose(heights, np.log(k / (60 * math.pi * radius**2)), rtol=1e-6)
