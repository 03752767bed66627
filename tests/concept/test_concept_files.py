"""Model files of concept learners: what does not follow from the examples, or lies outside the space, is refused."""

from dataclasses import replace

import numpy as np
import pytest

import novacula as nv
from novacula.checks.state import require_refused
from novacula.concept import CandidateElimination, ConjunctiveSpace, FindS, ListThenEliminate, RoteLearner
from novacula.concept import UnbiasedLearner as Unbiased
from novacula.errors import DataWarning, ParameterError

EVERY = [CandidateElimination, FindS, ListThenEliminate, RoteLearner, Unbiased]
TABLE = nv.datasets.load("enjoy_sport")


@pytest.mark.parametrize("kind", EVERY)
def test_models_come_back(tmp_path, kind):
    model = kind().fit(TABLE)
    model.save(tmp_path / "m.nova")
    loaded = nv.load(tmp_path / "m.nova")
    np.testing.assert_array_equal(loaded.decide(TABLE), model.decide(TABLE))
    loaded.partial_fit(TABLE)


def test_a_collapsed_model_comes_back_and_cannot_be_forged(tmp_path):
    rows, labels = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1, 1, 0, 0])
    with pytest.warns(DataWarning, match="leaves no conjunction"):
        model = CandidateElimination().fit(rows, labels)
    model.save(tmp_path / "m.nova")
    assert nv.load(tmp_path / "m.nova").diagnosis_ == model.diagnosis_
    require_refused(model, tmp_path, "its collapsed_ is not what follows from its examples_", collapsed_=False)


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: {"positive_": "Perhaps"}, "its positive_ is none of its classes_"),
        (lambda m: {"classes_": np.array(["No", "Perhaps", "Yes"])}, "classes_ has 3 labels, but there are 2"),
        (lambda m: {"examples_": replace(m.examples_, positions=m.examples_.positions + 40)}, "outside of its space_"),
        (lambda m: {"examples_": replace(m.examples_, positions=m.examples_.positions + 1)}, "outside of its space_"),
        (lambda m: {"examples_": replace(m.examples_, positive=m.examples_.positive[1:])}, "positive is an array"),
        (
            lambda m: {
                "examples_": type(m.examples_)(
                    m.examples_.positions[[0, 0, 2, 3]].copy(), m.examples_.positive[[0, 0, 2, 3]].copy()
                )
            },
            "its examples_ hold one twice",
        ),
        (lambda m: {"row_names_": replace(m.row_names_, n_rows=1)}, "its row_names_ do not rise"),
        (lambda m: {"row_names_": replace(m.row_names_, first=m.row_names_.first[::-1].copy())}, "do not rise"),
        (lambda m: {"row_names_": replace(m.row_names_, n_rows=2**60)}, "n_rows is out of its range"),
        (lambda m: {"space_": ConjunctiveSpace({"Sky": ["Sunny"]})}, "domains holds 1, but there are 6 columns"),
        (
            lambda m: {"space_": ConjunctiveSpace({name: (*v, "more") for name, v in m.space_.domains.items()})},
            "its schema_ has other columns or categories than its space_",
        ),
        (lambda m: {"space_": replace(m.space_, ordered=("Sky",))}, "its space_ is neither that of its parameters"),
        (lambda m: {"space": replace(m.space_, ordered=("Sky",))}, "its space_ is neither that of its parameters"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, kind, change, sentence):
    model = kind().fit(TABLE)
    require_refused(model, tmp_path, sentence, **change(model))


def test_a_hypothesis_that_does_not_follow_is_refused(tmp_path):
    sentence = "its hypothesis_ is not the one that follows from its examples_"
    model = FindS().fit(TABLE)
    require_refused(model, tmp_path, sentence, hypothesis_=model.space_.most_general)
    require_refused(FindS().fit(TABLE), tmp_path, sentence, consistent_=False)


def test_a_list_of_what_are_not_hypotheses_is_refused(tmp_path):
    sentence = "its listing_ holds what is not a hypothesis of its space_"
    for change in (
        lambda low, high: (low, high + 90),
        lambda low, high: (low + 1, high),
        lambda low, high: (high, low),
    ):
        model = ListThenEliminate().fit(TABLE)
        low, high = change(model.listing_.low, model.listing_.high)
        require_refused(model, tmp_path, sentence, listing_=type(model.listing_)(low, high))
    require_refused(ListThenEliminate().fit(TABLE), tmp_path, "more than max_hypotheses", max_hypotheses=3)


def test_an_instance_with_both_labels_is_refused(tmp_path):
    model = Unbiased().fit(TABLE)
    both = type(model.examples_)(model.examples_.positions[[0, 0, 2, 3]].copy(), np.array([True, False, False, True]))
    require_refused(model, tmp_path, "same instance with different labels", examples_=both)


@pytest.mark.parametrize("name", ["positive", "default"])
def test_labels_are_plain_values(name):
    with pytest.raises((ParameterError, ValueError), match=f"The '{name}' parameter of RoteLearner"):
        RoteLearner(**{name: [1, 2]}).fit(TABLE)
