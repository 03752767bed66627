"""What EM of a mixture shows: the start, E[z], sums, new means, their path, and covariances with their inverses."""

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas
from scipy.stats import multivariate_normal, norm

import novacula as nv
from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.mixture import GaussianMixture, KMeans

X = np.array([[-1.2], [-1.0], [-0.9], [-0.7], [0.8], [1.1], [1.3]])
START = np.array([[-0.5], [0.5]])
PLANE = np.random.default_rng(0).normal(size=(30, 2)) @ np.array([[1.0, 0.4], [0.0, 0.7]])


def _means(**how):
    return GaussianMixture(2, weights="equal", variance=0.5, init=START, **how)


def _by_hand(steps):
    """E[z_dm] and new means of two Gaussians of known variance."""
    means, path = START.ravel(), [START.ravel()]
    for _ in range(steps):
        z = norm.pdf(X, means, np.sqrt(0.5))
        z /= z.sum(axis=1, keepdims=True)
        means = (z * X).sum(axis=0) / z.sum(axis=0)
        path.append(means)
    return np.array(path)


def test_the_start_itself_is_a_result():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = _means(max_iter=0).fit(X)
    assert model.n_iter_ == 0
    assert model.means_.tolist() == START.tolist()
    shares = norm.pdf(X, START.ravel(), np.sqrt(0.5))
    shares /= shares.sum(axis=1, keepdims=True)
    table = next(step.table for step in model.work() if step.title.startswith("E: "))
    assert [row[2:] for row in table.rows] == [pytest.approx(tuple(row)) for row in shares]
    assert model.log_likelihood_ == pytest.approx(np.log(norm.pdf(X, START.ravel(), np.sqrt(0.5)).mean(axis=1)).sum())
    check_work(model)
    check_work(model, X[:2], drawn=False)


def test_sums_and_new_means_of_an_iteration():
    with pytest.warns(match="stopped after 3"):
        model = _means(max_iter=3, tol=0.0).fit(X)
    path = _by_hand(3)
    for k in (1, 2, 3):
        check_work(model, iteration=k, drawn=False)
        work = model.work(iteration=k, detail="full")
        found = [e.value for step in work for e in step.equations if e.left in ("μ[0]", "μ[1]") and e.sign == "="]
        assert found == pytest.approx(path[k])
    step = next(step for step in model.work() if step.title == "The path of the means")
    assert np.array([row[1:] for row in step.table.rows]) == pytest.approx(path)
    axes = Canvas().add_subplot()
    step.figure.draw(axes)
    assert axes.lines[0].get_ydata() == pytest.approx(path[:, 0])
    assert axes.lines[2].get_ydata() == pytest.approx(path[:, 1])
    text = model.work(iteration=1, notation="mitchell").to_text()
    assert "E(zᵢₖ)" in text
    assert "E(z₁₀) = p(x₁, 0)" in text


def test_start_weights_and_covariances():
    weights = [0.7, 0.3]
    covariances = np.array([[[1.0, 0.3], [0.3, 0.5]], [[0.6, -0.1], [-0.1, 0.8]]])
    means = np.array([[0.0, 0.0], [1.0, 1.0]])
    start = GaussianMixture(2, init=means, init_weights=weights, init_covariances=covariances, max_iter=0).fit(PLANE)
    assert start.weights_.tolist() == weights
    assert start.covariances_.tolist() == covariances.tolist()
    density = sum(w * multivariate_normal.pdf(PLANE, m, c) for w, m, c in zip(weights, means, covariances, strict=True))
    assert start.log_likelihood_ == pytest.approx(np.log(density).sum())
    for kind, given in (("tied", covariances[0]), ("diag", [[1.0, 2.0], [0.5, 0.6]]), ("spherical", [1.0, 2.0])):
        model = GaussianMixture(2, covariance_type=kind, init=means, init_covariances=given, max_iter=0).fit(PLANE)
        assert model.covariances_.tolist() == np.asarray(given).tolist()


def test_covariances_with_determinants_and_inverses():
    model = GaussianMixture(2, random_state=0).fit(PLANE)
    step = next(step for step in model.work() if step.title.startswith("The covariances"))
    for c, row in enumerate(step.table.rows):
        matrix = model.covariances_[c]
        inverse = np.linalg.inv(matrix)
        expected = [c, matrix[0, 0], matrix[0, 1], matrix[1, 1], np.log(np.linalg.det(matrix))]
        assert row == pytest.approx((*expected, inverse[0, 0], inverse[0, 1], inverse[1, 1]))
    check_work(model)
    check_work(model, detail="full", drawn=False)
    titles = [step.title for step in model.work()]
    assert sum(title.startswith("M: ") for title in titles) == 1  # one table in place of repeated blocks
    axes = Canvas().add_subplot()
    next(step for step in model.work() if step.title == "The path of the means").figure.draw(axes)
    assert axes.lines[0].get_xdata()[-1] == pytest.approx(model.means_[0, 0])


def test_a_stated_start_is_kept_in_a_file(tmp_path):
    model = GaussianMixture(2, init=START, init_weights=[0.4, 0.6], init_covariances=np.ones((2, 1, 1)), max_iter=0)
    model.fit(X).save(tmp_path / "model.nova")
    assert nv.load(tmp_path / "model.nova").means_.tolist() == START.tolist()


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"init_weights": [0.5, 0.6]}, "numbers above 0 that sum to 1"),
        ({"init_weights": [0.5]}, "give 2 numbers"),
        ({"init_weights": [0.5, 0.5], "weights": "equal"}, "leave init_weights out"),
        ({"init_covariances": [1.0, 1.0]}, "belongs to the covariance_type"),
        ({"init_covariances": [[[-1.0]], [[1.0]]]}, "component 0 is not symmetric and definite"),
        ({"init_covariances": [[[1.0]], [[1.0]]], "variance": 1.0}, "leave init_covariances out"),
    ],
)
def test_starts_that_are_none_are_refused(how, sentence):
    with pytest.raises(ParameterError, match=sentence):
        GaussianMixture(2, init=START, **how).fit(X)


def test_k_means_shows_its_passes():
    model = KMeans(2, init=np.array([[-1.2], [-0.9]])).fit(X)
    table = next(step.table for step in model.work() if step.title == "The way down")
    centres, expected = np.array([-1.2, -0.9]), []
    for _ in range(model.n_iter_ + 1):
        near = np.abs(X - centres).argmin(axis=1)
        expected.append((np.sum((X[:, 0] - centres[near]) ** 2), *centres))
        centres = np.array([X[near == k].mean() for k in (0, 1)])
    assert [(row[1], *row[3:]) for row in table.rows] == [pytest.approx(row) for row in expected]
    assert len(table.rows) > 2
    check_work(model)


@pytest.mark.parametrize(
    ("how", "changed"),
    [
        ({"weights": "equal", "variance": 0.5}, ["μ[k]"]),
        ({"variance": 0.5}, ["w[k]", "μ[k]"]),
        ({"weights": "equal"}, ["μ[k]", "Σ[k]"]),
        ({"covariance_type": "tied"}, ["w[k]", "μ[k]", "Σ"]),
        ({"covariance_type": "diag"}, ["w[k]", "μ[k]", "σ[k, j]**2"]),
        ({"covariance_type": "spherical"}, ["w[k]", "μ[k]", "σ[k]**2"]),
    ],
)
def test_the_step_that_is_repeated_changes_what_is_learned_only(how, changed):
    model = GaussianMixture(2, random_state=0, max_iter=500, **how).fit(PLANE)
    assert [e.left for e in model.work()[0].equations if e.sign == "←"] == changed
    assert [e.left for e in model.work(iteration=1)[0].equations if e.sign == "←"] == changed
    check_work(model, drawn=False)


def test_pictures_of_two_columns_have_rows_and_fit_them():
    """Columns of different scales: the picture reaches a little beyond rows and centres, in each column by its own."""
    wide = PLANE * [1.0, 40.0]
    for model in (GaussianMixture(2, random_state=0).fit(wide), KMeans(2).fit(wide)):
        figure = model.work()[-1].figure
        assert figure.alt.endswith("points are the first 20 rows.")
        axes = Canvas().subplots()
        figure.draw(axes)
        np.testing.assert_array_equal(np.column_stack(axes.lines[-2].get_data()), wide[:20])
    low, high = axes.get_xlim()
    assert high - low < 2 * np.ptp(wide[:, 0])


def test_a_start_is_not_called_a_climb():
    text = " ".join(_means(max_iter=0).fit(X).work().to_text().split())
    assert "No step was made" in text
    assert "raise max_iter" not in text
    (figure,) = [s.figure for s in _means(max_iter=0).fit(X).work() if s.title == "Mean log-likelihood of a row"]
    assert "rises" not in figure.alt
