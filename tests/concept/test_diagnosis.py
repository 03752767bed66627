"""Collapse: the row that empties the version space, and why it is empty."""

import pandas as pd
import pytest
from brute_force import accepts, version_space

from novacula.checks import check_work
from novacula.concept import CandidateElimination, ConjunctiveSpace, FindS
from novacula.concept.diagnosis import two_terms
from novacula.errors import DataError, DataWarning


def frame(rows, names):
    return pd.DataFrame(rows, columns=list(names))


XOR = frame([("a", "a"), ("b", "b"), ("a", "b"), ("b", "a")], "pq")


def test_a_concept_outside_the_space_collapses_at_its_row():
    with pytest.warns(DataWarning, match=r"row 3 leaves no conjunction.*a disjunction of two does"):
        model = CandidateElimination().fit(XOR, [1, 1, 0, 0])
    assert (model.collapsed_, model.collapsed_at_, model.version_space_size()) == (True, 3, 0)
    assert model.specific() == model.general() == tuple(model.members()) == ()
    assert "⟨a, a⟩" in model.diagnosis_
    for ask in (model.predict, model.predict_proba, model.decide, model.votes):
        with pytest.raises(DataError, match="no hypothesis to predict with: row 3"):
            ask(XOR)
    check_work(model)


@pytest.mark.parametrize("seed", range(30))
def test_the_row_of_the_collapse_is_that_of_one_by_one(draw, seed):
    domains, ordered, rows, labels, _ = draw(seed, n=10, target=False)
    if not rows:
        return
    first = next(
        (n for n in range(1, len(rows) + 1) if not version_space(domains, ordered, rows[:n], labels[:n])), None
    )
    model = CandidateElimination(ConjunctiveSpace(domains, ordered), contradiction="collapse")
    if first is None:
        model.partial_fit(frame(rows, domains), labels, classes=[False, True])
    else:
        with pytest.warns(DataWarning, match=f"row {first} leaves"):
            model.partial_fit(frame(rows, domains), labels, classes=[False, True])
    assert model.collapsed_at_ == first


@pytest.mark.filterwarnings("ignore:FIND-S:novacula.errors.DataWarning")
@pytest.mark.parametrize("seed", range(40))
def test_two_terms_are_found_wherever_there_are_two(draw, seed):
    domains, ordered, rows, labels, _ = draw(seed, n=8, target=False, attributes=2)
    if len(set(zip(rows, labels, strict=True))) != len(set(rows)) or not rows:
        return
    space = ConjunctiveSpace(domains, ordered)
    model = FindS(space).partial_fit(frame(rows, domains), labels, classes=[False, True])
    safe = [h.constraints for h in space.hypotheses()]
    negatives = [x for x, label in zip(rows, labels, strict=True) if not label]
    safe = [h for h in safe if not any(accepts(h, x, domains) for x in negatives)]
    positives = [x for x, label in zip(rows, labels, strict=True) if label]
    exists = any(all(accepts(h, x, domains) or accepts(g, x, domains) for x in positives) for h in safe for g in safe)
    found = two_terms(space, model.examples_)
    assert (found is not None) == exists
    if found:
        assert all(any(h(x) for h in found) for x in positives)
        assert not any(h(x) for h in found for x in negatives)


def test_noise_that_two_terms_do_not_fit():
    X = frame([(c, d) for c in "abc" for d in "abc"], "pq")
    with pytest.warns(DataWarning, match="nor does a disjunction of two"):
        CandidateElimination().fit(X, [c == d for c, d in zip(X.p, X.q, strict=True)])


def test_a_search_that_is_given_up_says_so(monkeypatch):
    monkeypatch.setattr("novacula.concept.diagnosis.MAX_SPLITS", 1)
    with pytest.warns(DataWarning, match="could not be found out"):
        CandidateElimination().fit(XOR, [1, 1, 0, 0])


def test_contradictory_labels_name_both_rows():
    X = frame([("a", "a"), ("b", "b"), ("a", "a")], "pq")
    with pytest.raises(DataError, match="rows 1 and 3 are the same instance"):
        CandidateElimination().fit(X, [1, 0, 0])
    with pytest.warns(DataWarning, match="rows 1 and 3 are the same instance"):
        model = CandidateElimination(contradiction="collapse").fit(X, [1, 0, 0])
    assert model.collapsed_at_ == 3
    later = CandidateElimination().fit(X[:2], [1, 0])
    with pytest.raises(DataError, match="rows 1 and 3"):
        later.partial_fit(X[2:], [0])
    assert later.version_space_size() == 3, "a refused piece leaves the model as it was"
