"""What to ask next, and how many questions it takes."""

import numpy as np
import pandas as pd
import pytest
from brute_force import accepts

import novacula as nv
from novacula.concept import CandidateElimination, ConjunctiveSpace
from novacula.errors import DataError


@pytest.fixture
def model():
    return CandidateElimination().fit(nv.datasets.load("enjoy_sport"))


def frame(rows, names):
    return pd.DataFrame(rows, columns=list(names))


@pytest.mark.parametrize("seed", range(60))
def test_the_query_is_the_best_of_all_instances(draw, seed):
    domains, ordered, rows, labels, concept = draw(seed)
    if not rows:
        return
    space = ConjunctiveSpace(domains, ordered)
    model = CandidateElimination(space).partial_fit(frame(rows, domains), labels, classes=[False, True])
    instances = frame(list(space.instances()), domains)
    votes, total = model.votes(instances)
    best = min(abs(2 * v - total) for v in votes)
    for candidates in (None, instances):
        x = model.query(candidates)
        if best == total:
            assert x is None
        else:
            assert abs(2 * model.votes(pd.DataFrame([x]))[0][0] - total) == best
    found = model.identify(lambda x: accepts(concept, tuple(x.values()), domains))
    every = list(space.instances())
    assert [found.hypothesis(x) for x in every] == [accepts(concept, x, domains) for x in every]
    assert found.n_queries == len(found.queries)
    assert found.size_before == total


@pytest.mark.parametrize("n", [5, 18, 30])
def test_twenty_questions_take_as_many_as_there_are_bits(n):
    """After one positive the version space has 2^n members, and each question halves it; beyond 20 by exchange."""
    space = ConjunctiveSpace({f"a{j}": ["no", "yes", "maybe"] for j in range(n)})
    rng = np.random.default_rng(n)
    secret = space.conjunction(*rng.choice(["yes", "?"], n).tolist())
    model = CandidateElimination(space).partial_fit(frame([["yes"] * n], space.names), [True], classes=[False, True])
    found = model.identify(secret)
    assert found.hypothesis == secret
    assert found.n_queries == found.bound == n
    assert found.size_after == model.version_space_size() == 1
    assert f"⌈log₂ {2**n:,}⌉ = {n}" in str(found)


def test_identify_from_nothing_but_a_space():
    space = ConjunctiveSpace({"a": [1, 2, 3], "b": ["x", "y"]}, ordered=["a"])
    for secret in space.hypotheses():
        model = CandidateElimination(space)
        found = model.identify(secret)
        assert found.hypothesis == secret
        assert found.size_before == space.size_semantic
        assert model.predict(frame([(2, "x")], "ab")).tolist() == [secret((2, "x"))]


def test_identify_takes_labels_and_limits_and_refuses_other_answers(model):
    answers = iter(["Yes", "No"])
    found = model.identify(lambda x: next(answers), max_queries=2)
    assert [answer for _, answer in found.queries] == [True, False]
    assert found.size_after < found.size_before == 6
    with pytest.raises(DataError, match="answered 'maybe'"):
        model.identify(lambda x: "maybe")
    with pytest.raises(DataError, match="fit first"):
        CandidateElimination().identify(lambda x: True)


def test_large_spaces_without_a_positive_are_searched_by_exchange():
    space = ConjunctiveSpace({f"a{j}": range(4) for j in range(10)})
    model = CandidateElimination(space)
    model.partial_fit(frame([[0] * 10], space.names), [False], classes=[False, True])
    x = model.query()
    yes, total = model.votes(pd.DataFrame([x]))
    assert 0 < yes[0] < total
