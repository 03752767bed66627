"""The works of the room come to what the models hold, and pictures can be drawn, for any names of columns."""

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.checks import check_equations, check_work
from novacula.checks.samples import NASTY_NAMES
from novacula.projection import PCA, FeatureRanker
from novacula.projection.figures import spaced


@pytest.mark.parametrize("shape", [(60, 3), (60, 30), (8, 30), (40, 7)])
@pytest.mark.parametrize("settings", [{}, {"n_components": 2}, {"n_components": 2, "whiten": True}, {"method": "svd"}])
def test_the_work_of_components(shape, settings):
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(3, 1, shape[1]) + 5
    model = PCA(**settings).fit(X)
    check_equations(model)
    check_equations(model, X[:7])


def test_the_work_of_rows_that_miss_values():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    model = PCA(2).fit(X)
    check_work(model)
    check_work(model, X[:6])
    assert "found by EM" in str(model.work())
    assert "what the model expects" in str(model.work(X[:6], rows=6))


def test_the_work_of_columns_that_do_not_vary():
    X = np.column_stack([np.full(20, 1e8), np.arange(20.0), 2 * np.arange(20.0)])
    check_work(PCA().fit(X))
    assert "nothing to share" in str(PCA().fit(np.ones((4, 2))).work())


def test_the_equations_of_the_irises():
    text = str(PCA(2).fit(nv.datasets.load("iris")).work())
    assert "464.325 / (150 − 1) = 3.11628" in text
    assert "= 4.22824/4.57296 = 0.924619" in text


@pytest.mark.parametrize("score", ["correlation", "anova", "mutual_information", "gain"])
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_the_work_of_a_ranking(score, kind):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(90, 12)), columns=[f"c{j}" for j in range(12)])
    frame["still"] = 1.0
    if (score, kind) != ("anova", "classes"):
        frame["word"] = rng.choice(list("abcdefghijkl"), 90)
    y = frame["c0"] + rng.normal(size=90)
    model = FeatureRanker(score, k="all").fit(frame, y if kind == "numbers" else np.searchsorted([-1, 1], y))
    check_equations(model)
    check_equations(FeatureRanker(score).fit(frame[["still", "c1"]], y))


def test_the_gain_of_outlook():
    text = str(FeatureRanker("gain").fit(nv.datasets.load("play_tennis")).work())
    assert "0.940286 − (4/14 × 0 + 5/14 × 0.970951 + 5/14 × 0.970951) = 0.24675" in text


def test_pictures_of_hostile_columns():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(30, len(NASTY_NAMES))), columns=list(NASTY_NAMES))
    model = PCA(2).fit(X)
    for figure in (model.scree(), model.biplot(X), FeatureRanker().fit(X, X.iloc[:, 0] * 2.0).figure()):
        assert figure.svg().startswith("<svg")
        assert "<script" not in figure.svg()
    assert "arrows for columns" in model.biplot(X).alt


def test_names_in_a_biplot_are_pushed_apart_and_no_more():
    heights = np.array([0.0, 5.0, 0.1, -0.1])
    found = spaced(heights, 1.0)
    assert np.diff(np.sort(found)).min() >= 1.0 - 1e-12
    assert found[1] == 5.0
    assert np.argsort(found).tolist() == np.argsort(heights).tolist()
    assert found[[0, 2, 3]].mean() == pytest.approx(0.0)
