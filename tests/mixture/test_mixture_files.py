"""Mixtures and clusters from files that were forged: one sentence at load."""

from dataclasses import replace

import numpy as np
import pytest

from novacula.checks.state import forged_file, require_refused
from novacula.errors import DataError
from novacula.learner.files import load
from novacula.mixture import GaussianMixture, KMeans

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3)) + 4.0 * RANDOM.integers(0, 2, 40)[:, None]
FAMILIES = ("full", "tied", "diag", "spherical")


def mixture(family="full"):
    return GaussianMixture(2, covariance_type=family, random_state=0).fit(X)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mixture_passes_as_it_is(tmp_path, family):
    model = mixture(family)
    np.testing.assert_array_equal(load(forged_file(model, tmp_path)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("family", FAMILIES)
def test_covariances_have_the_form_of_their_type(tmp_path, family):
    other = FAMILIES[FAMILIES.index(family) - 1]
    require_refused(mixture(family), tmp_path, "its covariances_ is", covariances_=mixture(other).covariances_)


@pytest.mark.parametrize("family", FAMILIES)
def test_variances_are_positive(tmp_path, family):
    model = mixture(family)
    sentence = "its covariances_ (hold a variance that is not above 0|holds a number that is out of range)"
    require_refused(model, tmp_path, sentence, covariances_=-model.covariances_)


@pytest.mark.parametrize("family", ["full", "tied"])
def test_matrices_that_are_not_definite_are_refused_where_they_are_factored(tmp_path, family):
    model = mixture(family)
    odd = np.broadcast_to(np.ones((3, 3)) + np.eye(3) * -0.5, model.covariances_.shape).copy()
    loaded = load(forged_file(model, tmp_path, covariances_=odd))
    for use in (lambda: loaded.predict(X), loaded.work, loaded.sample):
        with pytest.raises(DataError, match="the covariance of component 0 became singular"):
            use()


def test_a_mixture_has_as_many_components_as_it_says(tmp_path):
    model = mixture().set_params(n_components=3)
    require_refused(model, tmp_path, "its weights_ are 2, but n_components=3")


def test_a_mixture_is_of_rows(tmp_path):
    model = mixture()
    nothing = replace(model.moments_, weight=np.zeros(2))
    require_refused(model, tmp_path, "its moments_ are of no row: all their weights are 0", moments_=nothing)


def test_collapsed_components_are_some_of_the_components(tmp_path):
    require_refused(mixture(), tmp_path, r"its collapsed_\[0\] is out of its range", collapsed_=(2,))


def test_clusters_have_as_many_centres_as_they_say(tmp_path):
    require_refused(KMeans(2).fit(X).set_params(n_clusters=3), tmp_path, "its cluster_centers_ are 2, but n_clusters=3")


def test_clusters_are_of_rows(tmp_path):
    sentence = "its clusters are of no row: all of cluster_weight_ is 0"
    require_refused(KMeans(2).fit(X), tmp_path, sentence, cluster_weight_=np.zeros(2))


def test_centres_and_origin_have_one_length(tmp_path):
    sentence = r"its origin_ is an array .* and there are 3 columns"
    require_refused(KMeans(2).fit(X), tmp_path, sentence, origin_=np.zeros(2))
