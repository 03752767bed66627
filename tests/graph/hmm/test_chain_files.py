"""Forged files of chains: what does not fit together is refused at load, in a sentence about the file."""

import numpy as np
import pytest

import novacula as nv
from novacula.checks.state import require_refused
from novacula.errors import DataError
from novacula.graph import CategoricalHMM, GaussianHMM, PoissonHMM
from novacula.learner.files import save
from novacula.table import Column, Schema

X = np.column_stack([np.arange(20) % 3, np.arange(20) % 2]).astype(float)


def learned(kind=GaussianHMM, **parameters):
    return kind(2, max_iter=2, m=1.0, **parameters).fit(X)


pytestmark = pytest.mark.filterwarnings("ignore:.*max_iter")


@pytest.mark.parametrize("kind", [CategoricalHMM, GaussianHMM, PoissonHMM])
def test_an_infinite_transition_is_refused(kind, tmp_path):
    """The share of states in the long run was solved for by LAPACK, which never ended on it."""
    model = learned(kind)
    for wrong in (np.inf, np.nan):
        model.transition_ = np.full((2, 2), wrong)
        require_refused(model, tmp_path, "its transition_ holds a number that is not finite")
    model.transition_ = np.ones((2, 2))
    require_refused(model, tmp_path, "its transition_ holds probabilities that do not sum to 1")
    model.transition_ = np.ones((2, 1))
    require_refused(model, tmp_path, r"its transition_ is an array .* and there are 2 states")


def test_a_chain_has_a_state(tmp_path):
    model = learned()
    model.states_, model.start_, model.transition_ = (), np.empty(0), np.empty((0, 0))
    require_refused(model, tmp_path, "its start_ holds probabilities that do not sum to 1")


def test_states_are_distinct(tmp_path):
    model = learned()
    model.states_ = ("on", "on")
    require_refused(model, tmp_path, "its states_ hold a label twice")


def test_symbols_fit_the_emission(tmp_path):
    model = learned(CategoricalHMM)
    emission, schema = model.emission_, model.schema_
    model.emission_ = np.full_like(emission, 0.25)
    require_refused(model, tmp_path, "its emission_ holds probabilities of 'x0' that do not sum to 1")
    model.emission_ = emission
    first, *others = schema.columns
    model.schema_ = Schema((Column("x0", "categorical", (*first.categories, 7)), *others), missing=())
    require_refused(model, tmp_path, "its emission_ does not fit the symbols of its columns")
    model.schema_ = Schema((Column("x0", "numeric"), *others), missing=())
    require_refused(model, tmp_path, "its emission_ does not fit the symbols of its columns")


@pytest.mark.parametrize(
    ("kind", "wrong", "sentence"),
    [
        ("full", np.ones((2, 2)), r"where numbers \(states, numeric, numeric\) should be"),
        ("tied", np.ones((2, 1)), "and there are 2 numeric"),
        ("diag", np.zeros((2, 2)), r"numbers \(states, numeric\), above 0 should be"),
        ("spherical", np.array([1.0, -1.0]), r"numbers \(states\), above 0 should be"),
    ],
)
def test_covariances_are_those_of_the_type(tmp_path, kind, wrong, sentence):
    model = learned(covariance_type=kind)
    model.save(tmp_path / "m.nova")
    assert nv.load(tmp_path / "m.nova").covariances_.shape == model.covariances_.shape
    model.covariances_ = wrong
    require_refused(model, tmp_path, f"its covariances_ .*{sentence}")


@pytest.mark.parametrize("kind", ["full", "tied"])
def test_covariances_that_are_not_definite_are_refused_where_they_are_used(tmp_path, kind):
    model = learned(covariance_type=kind)
    model.covariances_ = np.zeros_like(model.covariances_)
    save(model, tmp_path / "m.nova", checked=False)
    loaded = nv.load(tmp_path / "m.nova")
    for use in (lambda: loaded.predict(X), lambda: loaded.sample(3), lambda: loaded.work(X)):
        with pytest.raises(DataError, match="the covariance of component 0 became singular"):
            use()


def test_moments_are_those_of_the_type(tmp_path):
    model = learned()
    model.moments_ = learned(covariance_type="diag").moments_
    require_refused(model, tmp_path, "its moments_ are not those of full covariances")


def test_what_was_learned_is_there_as_a_whole(tmp_path):
    model = learned(PoissonHMM)
    del model.emission_counts_
    require_refused(model, tmp_path, "its history_ is there without its emission_counts_")
    model = learned(PoissonHMM)
    model.history_ = np.empty(0)
    require_refused(model, tmp_path, r"its history_ is an array .* and there are 1 iterations\+1")
