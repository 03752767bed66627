"""The other learners, and the shared checks on rows that a conjunction fits."""

from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import novacula as nv
from novacula.checks import check_equations, check_work, learner_checks
from novacula.checks.samples import NASTY_NAMES, CheckSample
from novacula.concept import (
    CandidateElimination,
    ConjunctiveSpace,
    FindS,
    ListThenEliminate,
    RoteLearner,
    UnbiasedLearner,
)
from novacula.errors import DataError, DataWarning, ParameterError, UnseenCategoryWarning

LEARNERS = (FindS, ListThenEliminate, CandidateElimination, RoteLearner, UnbiasedLearner)


@pytest.fixture
def sport():
    return nv.datasets.load("enjoy_sport")


def conjunctive_sample(card, *, n=120, missing=False, random_state=0):
    """Few distinct values, and a target that a conjunction says."""
    rng = np.random.default_rng(random_state)
    columns = {f"x{j}": rng.integers(0, 3, n).astype(float) for j in range(3)}
    columns["colour"] = np.array(["blue", "green", "red"], object)[rng.integers(0, 3, n)]
    columns["size"] = np.array(["large", "small"], object)[rng.integers(0, 2, n)]
    target = np.where((columns["x0"] > 0) & (columns["colour"] == "red"), "yes", "no").astype(object)
    if missing:
        columns = {name: np.where(rng.random(n) < 0.1, None, values) for name, values in columns.items()}
    return CheckSample({name: pa.array(list(values)) for name, values in columns.items()}, target)


@pytest.mark.parametrize("learner", LEARNERS)
def test_shared_checks(learner, monkeypatch):
    for module in ("learner", "scales"):
        monkeypatch.setattr(f"novacula.checks.{module}.sample", conjunctive_sample)
    for _, check in learner_checks(learner()):
        check()


@pytest.mark.parametrize("learner", LEARNERS)
def test_hostile_names_and_values(learner, tmp_path):
    nasty = [name for name in NASTY_NAMES if name]
    X = pd.DataFrame({name: [nasty[(i + j) % len(nasty)] for i in range(3)] for j, name in enumerate(nasty[:3])})
    model = learner().fit(X, [1, 0, 0])
    for work in (model.work(), model.work(X)):
        assert "<script" not in work.to_html()
    model.save(tmp_path / "model.nova")
    assert nv.load(tmp_path / "model.nova").predict(X).tolist() == [1, 0, 0]


@pytest.mark.parametrize("learner", LEARNERS)
def test_works_as_they_are_asked_for(learner, sport):
    model, X = learner().fit(sport), sport.to_pandas().drop(columns="EnjoySport")
    for detail in ("brief", "full"):
        check_equations(model, detail=detail)
        check_equations(model, X, detail=detail, rows=4)
    assert model.work(X).notes[0] == "Only the first 3 of 4 rows are derived."
    if learner in (FindS, ListThenEliminate, CandidateElimination):
        for k in (1, 4):
            check_equations(model, iteration=k, detail="full")
        sentence = r"iteration is 5; the fit took 4 distinct examples one by one, counted from 1"
        with pytest.raises(ParameterError, match=sentence):
            model.work(iteration=5)
    else:
        with pytest.raises(ParameterError, match="keeps no iterations"):
            model.work(iteration=1)
    for how, sentence in (({"digits": 0}, "digits is 0"), ({"notation": "knuth"}, "notation is 'knuth'")):
        with pytest.raises(ParameterError, match=sentence):
            model.work(**how)
    with pytest.raises((nv.errors.SchemaError, DataError)):
        model.work(pd.DataFrame({"Sky": ["Sunny"]}))


@pytest.mark.parametrize("learner", [RoteLearner(), UnbiasedLearner()])
def test_new_values_are_like_none_that_was_seen(learner, sport):
    model = learner.fit(sport)
    foggy = sport.to_pandas().drop(columns="EnjoySport").assign(Sky="Foggy")
    with pytest.warns(UnseenCategoryWarning, match=r"no domain are like none that was seen in 'Sky' \(4\)"):
        assert model.decide(foggy).tolist() == [0, 0, 0, 0]


def test_what_is_crossed_out_is_named(sport):
    work = ListThenEliminate().fit(sport).work(iteration=3)
    assert [row[0] for row in work[-1].table.rows] == [
        "⟨?, ?, ?, Strong, Warm, ?⟩",
        "⟨?, ?, ?, Strong, ?, ?⟩",
        "⟨?, ?, ?, ?, Warm, ?⟩",
        "⟨?, ?, ?, ?, ?, ?⟩",
    ]
    assert work[-1].equations[0].value == 28


# --- FIND-S ----------------------------------------------------------------------------------------------------------


def test_find_s_traces_every_row(sport):
    model = FindS().fit(sport)
    assert [str(h) for h in model.path()][1:3] == ["⟨Sunny, Warm, ?, Strong, Warm, Same⟩"] * 2
    assert model.path()[-1] == model.hypothesis_
    assert model.consistent_
    assert model.decide(sport).tolist() == [1, 1, -1, 1]
    again = sport.to_pandas().iloc[[0, 0, 3]]
    model.partial_fit(again.drop(columns="EnjoySport"), again["EnjoySport"])
    assert len(model.path()) == 7


def test_find_s_notices_a_negative_that_it_accepts():
    X = pd.DataFrame({"p": ["a", "b", "a"], "q": ["a", "b", "b"]})
    with pytest.warns(DataWarning, match="accepts 1 negative example as well"):
        model = FindS().fit(X, [1, 1, 0])
    assert not model.consistent_
    assert model.predict(X).tolist() == [1, 1, 1]
    check_work(model)
    check_work(model, iteration=3)
    assert model.work()[-1].note.startswith("Warning: it accepts the negative of row 3, and so no conjunction fits")


def test_find_s_without_a_positive_says_no():
    X = pd.DataFrame({"p": ["a", "b"]})
    model = FindS(positive="yes").fit(X, ["no", "no"])
    assert model.hypothesis_.is_empty
    assert model.predict(X).tolist() == ["no", "no"]
    assert model.path() == (model.hypothesis_,) * 2


# --- List-Then-Eliminate ---------------------------------------------------------------------------------------------


def test_the_list_is_that_of_candidate_elimination(draw):
    for seed in range(60):
        domains, ordered, rows, labels, _ = draw(seed, target=seed % 2 == 0)
        if not rows or len(set(zip(rows, labels, strict=True))) != len(set(rows)):
            continue
        space, X = ConjunctiveSpace(domains, ordered), pd.DataFrame(rows, columns=list(domains))
        listed = ListThenEliminate(space).partial_fit(X, labels, classes=[False, True])
        expected = [h for h in space.hypotheses() if h.consistent_with(rows, labels)]
        assert list(listed.members()) == expected
        assert listed.collapsed_ == (not expected)
        if expected:
            other = CandidateElimination(space).partial_fit(X, labels, classes=[False, True])
            assert list(other.members()) == expected
            instances = pd.DataFrame(list(space.instances()), columns=list(domains))
            assert listed.votes(instances) == other.votes(instances)
            assert np.array_equal(listed.decide(instances), other.decide(instances))
            assert np.array_equal(listed.predict(instances), other.predict(instances))
            assert np.array_equal(listed.predict_proba(instances), other.predict_proba(instances))


def test_a_space_too_large_to_list_names_the_learner_for_it(sport):
    with pytest.raises(DataError, match=r"973 hypotheses, more than max_hypotheses=972: use CandidateElimination"):
        ListThenEliminate(max_hypotheses=972).fit(sport)
    assert ListThenEliminate(max_hypotheses=973).fit(sport).version_space_size() == 6


def test_an_empty_list_has_nothing_to_vote():
    X = pd.DataFrame({"p": ["a", "b", "a"], "q": ["a", "b", "b"]})
    model = ListThenEliminate().fit(X, [1, 1, 0])
    assert model.collapsed_
    with pytest.raises(DataError, match="no hypothesis fits"):
        model.predict(X)
    with pytest.raises(DataError, match="rows 1 and 3"):
        ListThenEliminate().fit(X.iloc[[0, 1, 0]], [1, 1, 0])


# --- rote and unbiased -----------------------------------------------------------------------------------------------


def test_rote_answers_only_what_it_has_seen(sport):
    X = sport.to_pandas().drop(columns="EnjoySport")
    new = X.assign(Sky="Cloudy")
    model = RoteLearner().fit(sport)
    assert model.decide(X).tolist() == [1, 1, -1, 1]
    assert model.decide(new).tolist() == [0] * 4
    assert model.predict(new).tolist() == ["Yes"] * 4, "the more frequent label"
    assert RoteLearner(default="No").fit(sport).predict(new).tolist() == ["No"] * 4
    assert model.class_count_.tolist() == [1, 3]
    with pytest.raises(ParameterError, match="default='Maybe'"):
        RoteLearner(default="Maybe").fit(sport)


def test_rote_abstains_where_it_has_seen_both_labels():
    X = pd.DataFrame({"p": ["a", "a", "b"]})
    model = RoteLearner().fit(X, [0, 1, 1])
    assert model.decide(X).tolist() == [0, 0, 1]
    check_work(model)


def test_unbiased_votes_are_those_of_the_power_set():
    """Every subset of six instances, by enumeration."""
    space = ConjunctiveSpace({"a": [1, 2, 3], "b": ["x", "y"]})
    instances = list(space.instances())
    X = pd.DataFrame(instances, columns=["a", "b"])
    model = UnbiasedLearner(space).fit(X.iloc[[0, 3]], [1, 0])
    subsets = [s for s in product([0, 1], repeat=6) if s[0] == 1 and s[3] == 0]
    assert model.version_space_size() == len(subsets) == 2**model.log2_size_
    shares = np.mean(subsets, axis=0)
    assert model.predict_proba(X)[:, 1].tolist() == shares.tolist() == [1, 0.5, 0.5, 0, 0.5, 0.5]
    assert model.decide(X).tolist() == [1, 0, 0, -1, 0, 0]
    assert model.predict(X).tolist() == [1, 0, 0, 0, 0, 0]
    assert model.specific() == ((1, "x"),)
    assert set(model.general()) == set(instances) - {instances[3]}


def test_unbiased_limits_and_contradictions():
    wide = pd.DataFrame([[0] * 30, [1] * 30], columns=[f"a{j}" for j in range(30)])
    model = UnbiasedLearner().fit(wide, [1, 0])
    assert model.log2_size_ == 2**30 - 2
    for ask in (model.version_space_size, model.general):
        with pytest.raises(DataError, match=r"too many|more than"):
            ask()
    with pytest.raises(DataError, match="rows 1 and 2"):
        UnbiasedLearner().fit(pd.DataFrame({"p": ["a", "a"]}), [0, 1])


def long_lists():
    """3^12 hypotheses of 24 positions each: few fit both classes, and most fit negatives alone."""
    rows = np.random.default_rng(0).normal(size=(2, 12))
    model = ListThenEliminate().fit(rows, [0, 1])
    yield "few", lambda: ListThenEliminate().fit(rows, [0, 1])
    yield "work", lambda: model.work()
    yield "most", lambda: ListThenEliminate(positive=True).fit(rows, [False, False])


def test_what_is_crossed_out_is_not_held(peaks_of):
    """All positions have 49 MB."""
    peaks = peaks_of(__file__, "long_lists")
    assert max(peaks["few"], peaks["work"]) < 20 * 2**20
    assert peaks["most"] < 90 * 2**20
