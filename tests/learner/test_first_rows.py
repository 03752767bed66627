"""The rows that a fit keeps for its derivation: those that count, wherever they are."""

import warnings

import numpy as np
import pytest

from novacula.checks import check_work
from novacula.linear import LinearUnit, LogisticRegression
from novacula.mixture import GaussianMixture, KMeans

X = np.random.default_rng(0).random((60, 2)).round(3)
LATE = np.r_[np.zeros(50), np.ones(10)]
LAST = np.r_[np.zeros(59), 1.0]


@pytest.mark.parametrize(
    ("learner", "weight"),
    [
        (LinearUnit(max_iter=3), LATE), (LinearUnit(max_iter=3), LAST), (LogisticRegression(), LATE),
        (GaussianMixture(), LATE), (GaussianMixture(), LAST), (KMeans(1), LAST), (KMeans(2, random_state=0), LATE),
    ],
)  # fmt: skip
def test_a_fit_whose_first_rows_have_no_weight_shows_its_work(learner, weight):
    y = X[:, 0] > np.median(X[50:, 0]) if isinstance(learner, LogisticRegression) else X @ [3.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one row is little to learn from, and so are three steps
        model = learner.fit(X, y, sample_weight=weight)
    check_work(model, drawn=False)
    if isinstance(model, GaussianMixture):
        assert model.work(iteration=1).title == "Iteration 1 of a mixture of 1 Gaussian"
    if model.n_iter_:
        check_work(model, iteration=1, drawn=False)
