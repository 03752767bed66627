"""The search over sizes and families, and the derivations of mixtures."""

import numpy as np
import pandas as pd
import pytest
import sklearn.mixture

from novacula.checks import check_equations, check_work
from novacula.checks.samples import NASTY_NAMES
from novacula.errors import DataError, ParameterError
from novacula.mixture import GaussianMixture

KINDS = ("full", "tied", "diag", "spherical")
quiet = pytest.mark.filterwarnings("ignore")


def three_balls(n=300):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)) + np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[rng.integers(0, 3, n)]


# --- search -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["bic", "aic", "cv"])
def test_finds_three_round_clusters(criterion):
    X = three_balls()
    found = GaussianMixture.search(X, range(1, 5), ("full", "spherical"), criterion=criterion, folds=3, random_state=0)
    scores = [candidate.score for candidate in found.leaderboard]
    assert scores == sorted(scores)
    assert len(scores) == 8
    assert found.best.n_components == found.leaderboard[0].n_components
    if criterion != "aic":  # which is known to choose too many
        assert (found.best.n_components, found.best.covariance_type) == (3, "spherical")
    assert found.best.predict(X).shape == (300,)
    assert "lower is better" in str(found)
    assert "<table" in found._repr_html_()
    assert "full goes from" in found.figure().alt


def test_scores_are_those_of_scikit_learn():
    X = three_balls(120)
    found = GaussianMixture.search(X, (1, 3), ("full", "diag"), random_state=0, tol=1e-9, max_iter=1000)
    for candidate in found.leaderboard:
        theirs = sklearn.mixture.GaussianMixture(
            candidate.n_components, covariance_type=candidate.covariance_type, random_state=0, tol=1e-9, max_iter=1000
        ).fit(X)
        assert candidate.score == pytest.approx(theirs.bic(X), abs=1e-2)
        assert candidate.n_parameters == theirs._n_parameters()


def test_cross_validation_by_hand():
    """One component: the loss of rows left out is that of a normal distribution of the others."""
    from scipy import stats

    from novacula.mixture.gaussian.rows import RowFold
    from novacula.table import Chunk

    X = three_balls(60)
    found = GaussianMixture.search(X, (1,), ("full",), criterion="cv", folds=4, random_state=7)
    seed = np.random.RandomState(7).randint(2**31)
    chunk = Chunk(X, np.empty((60, 0), np.int32), np.ones(60))
    loss = 0.0
    for number in range(4):
        left_in = RowFold(number, 4, seed).reweighted(chunk).weight > 0
        rest = X[left_in]
        normal = stats.multivariate_normal(rest.mean(axis=0), np.cov(rest.T, bias=True))
        loss -= normal.logpdf(X[~left_in]).sum()
        assert 0 < left_in.sum() < 60
    assert found.leaderboard[0].score == pytest.approx(loss / 60, rel=1e-9)
    assert found.best.cross_entropy(X, folds=4) == found.leaderboard[0].score
    with pytest.raises(ParameterError, match="folds is 1"):
        found.best.cross_entropy(X, folds=1)


def test_sizes_that_cannot_be_are_noted_and_the_others_ranked():
    X = np.repeat(three_balls(4), 10, axis=0)
    found = GaussianMixture.search(X, (1, 9), ("spherical",), random_state=0)
    assert found.best.n_components == 1
    assert "distinct rows" in found.leaderboard[1].note
    assert "distinct rows" in str(found)
    line = np.repeat(three_balls(2), 10, axis=0)  # has no full covariance
    with pytest.raises(DataError, match="no curve to draw"):
        GaussianMixture.search(line, (1,), ("full", "spherical"), reg_covar=0.0).figure()
    with pytest.raises(DataError, match="distinct rows"):
        GaussianMixture.search(X, (9,), ("full",))


def test_a_fit_that_did_not_converge_is_noted():
    found = GaussianMixture.search(three_balls(), (3,), ("full",), tol=0.0, max_iter=1, random_state=0)
    assert not found.leaderboard[0].converged
    assert "max_iter" in found.leaderboard[0].note


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "luck"}, "criterion is 'luck'"),
        ({"folds": 1}, "folds is 1"),
        ({"n_components": ()}, "at least one number"),
    ],
)
def test_bad_searches(options, words):
    with pytest.raises(ParameterError, match=words):
        GaussianMixture.search(three_balls(30), **options)


# --- work ---------------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("options", [{}, {"weights": "equal"}, {"variance": 2.0}, {"max_iter": 1}])
def test_the_work_comes_to_the_model(kind, d, options):
    X = np.random.default_rng(d).normal(size=(50, d)) + 4.0 * (np.arange(50) % 3)[:, None]
    X[5, 0], X[6] = np.nan, np.nan
    model = GaussianMixture(3, covariance_type=kind, random_state=0, **options).fit(X)
    check = check_work if not options else check_equations  # the pictures are those of the kind and the columns
    check(model)
    check(model, X[3:8])
    check_equations(model, X[3:5] + 1e3)  # densities that underflow


def test_the_work_shows_the_textbook():
    x = np.array([[-1.2], [-0.8], [0.9], [1.1]])
    model = GaussianMixture(2, weights="equal", variance=0.25, init=[[-1.0], [1.0]]).fit(x)
    text = str(model.work(x))
    assert "p(x₁, 0) = w₀ / √(2 · π · σ₀²) · exp(−(x₁ − μ₀)² / (2 · σ₀²))" in text
    assert "μ₀ = (Σᵢ pᵢ₀ · xᵢ) / n₀" in str(model.work())
    assert "rises from" in str(model.work())
    assert "w₀ = 1/K" in str(model.work())


@quiet
def test_hostile_names_are_only_drawn():
    rng = np.random.default_rng(0)
    alone, pairs = np.array(NASTY_NAMES)[:, None], np.reshape(NASTY_NAMES, (-1, 2))
    for columns in (*alone.tolist(), *pairs.tolist()):
        frame = pd.DataFrame(rng.normal(size=(20, len(columns))), columns=columns)
        page = GaussianMixture(2, random_state=0).fit(frame).work().to_html()
        assert "<svg" in page
        assert "<script" not in page
