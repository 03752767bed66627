"""The version space against brute force, its counting methods against each other, and sizes no list could hold."""

import math
from itertools import product

import numpy as np
import pytest
from brute_force import accepts, boundaries, candidate_elimination, fits, version_space
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.concept import ConjunctiveSpace, VersionSpace, counting
from novacula.concept.boundary import minimal_cuts
from novacula.concept.counting import CountingEffort, count_choices, count_steps
from novacula.errors import DataError


def of(space, rows, labels):
    """The version space of rows with labels."""
    positions = np.array([space.instance(x) for x in rows], np.int64).reshape(len(rows), len(space.names))
    labels = np.array(labels, bool)
    return VersionSpace.of(space, positions[labels], positions[~labels])


@pytest.mark.parametrize("target", [True, False], ids=["target", "noise"])
@pytest.mark.parametrize("kind", ["nominal", "ordered", "mixed"])
@pytest.mark.parametrize("part", range(6))
def test_everything_is_that_of_brute_force(draw, kind, target, part):
    """Members, size, S, G, votes, certainty, and how many instances are certain, on 3,600 random problems."""
    for seed in range(100 * part, 100 * part + 100):
        domains, ordered, rows, labels, concept = draw(seed, kind, target=target)
        space = ConjunctiveSpace(domains, ordered)
        held, members = of(space, rows, labels), version_space(domains, ordered, rows, labels)
        assert held.size == len(members)
        assert held.is_empty == (not members)
        found = [h.constraints for h in held.members()]
        assert len(found) == len(members)
        assert set(found) == set(members)
        specific, general = boundaries(members, domains)
        assert [{h.constraints for h in side} for side in (held.specific, held.general)] == [specific, general]
        assert (len(held.specific), len(held.general)) == (len(specific), len(general))
        if target:
            assert fits(concept, rows, labels, domains)
            assert concept in set(found), "without noise the target is never lost"
        if members:
            check_instances(held, space, members, domains)


def check_instances(held, space, members, domains):
    instances = list(space.instances())
    positions = np.array([space.instance(x) for x in instances])
    votes = [sum(accepts(h, x, domains) for h in members) for x in instances]
    certain = [1 if v == len(members) else -1 if v == 0 else 0 for v in votes]
    assert held.votes(positions) == votes
    assert held.decide(positions).tolist() == certain
    assert held.n_decided() == (certain.count(1), certain.count(-1))


@pytest.mark.parametrize("seed", range(150))
def test_boundaries_are_those_of_the_textbook_algorithm(draw, seed):
    domains, _, rows, labels, _ = draw(seed, "nominal", n=8, attributes=4, target=seed % 3 > 0)
    held = of(ConjunctiveSpace(domains), rows, labels)
    specific, general = candidate_elimination(domains, rows, labels)
    assert {h.constraints for h in held.specific} == specific
    assert {h.constraints for h in held.general} == general


@pytest.mark.parametrize("seed", range(80))
def test_instances_off_the_grid_have_the_votes_of_their_members(draw, seed):
    domains, ordered, rows, labels, _ = draw(seed, "mixed")
    space = ConjunctiveSpace(domains, ordered)
    held = of(space, rows, labels)
    members = list(held.members())
    rng = np.random.default_rng(seed)
    for _ in range(10):
        x = tuple(
            float(rng.choice([-5, 5, 10, 15, 99])) if name in ordered else str(rng.choice([*values, "new"]))
            for name, values in domains.items()
        )
        positions = space.instance(x)[None]
        yes = sum(h(x) for h in members)
        assert held.votes(positions) == [yes]
        if members:
            assert held.decide(positions).tolist() == [1 if yes == len(members) else -1 if yes == 0 else 0]


# --- counting ------------------------------------------------------------------------------------------------------


def by_enumeration(ease, room):
    steps = product(*(range(r + 1) for r in room))
    return sum(all(any(s < e for s, e in zip(step, row, strict=True)) for row in ease) for step in steps)


@settings(deadline=None)
@given(st.integers(0, 10**9))
def test_each_way_of_counting_gives_the_count(seed):
    rng = np.random.default_rng(seed)
    room = rng.integers(0, 4, rng.integers(1, 6))
    ease = rng.integers(0, room + 1, (rng.integers(0, 7), len(room)))
    expected = by_enumeration(ease, room)
    with pytest.MonkeyPatch.context() as patch:
        assert count_steps(ease, room, CountingEffort()) == expected
        patch.setattr(counting, "SMALL_TABLE", 0)
        assert count_steps(ease, room, CountingEffort()) == expected
        patch.setattr(counting, "LARGE_TABLE", 0)
        assert count_steps(ease, room, CountingEffort()) == expected
        patch.setattr(counting, "LARGE_TABLE", 4)
        patch.setattr(counting, "MAX_STATES", 0)
        assert count_steps(ease, room, CountingEffort()) == expected


def test_counts_of_disjoint_pairs_are_a_power_of_three():
    """A pair of attributes of which one must be kept has three ways; 60 pairs have 3^60."""
    ease = np.kron(np.eye(60, dtype=np.int64), np.ones((1, 2), np.int64))
    assert count_steps(ease, np.ones(120, np.int64), CountingEffort()) == 3**60


def test_counts_along_a_path_are_fibonacci_numbers():
    """Vertex covers of a path of n edges: F(n + 3)."""
    ease = np.eye(80, 81, dtype=np.int64) + np.eye(80, 81, k=1, dtype=np.int64)
    a, b = 1, 1
    for _ in range(82):
        a, b = b, a + b
    assert count_steps(ease, np.ones(81, np.int64), CountingEffort()) == a


def test_wide_steps_give_integers_beyond_64_bits():
    room = np.full(12, 10**6)
    ease = np.full((1, 12), 10)
    assert count_steps(ease, room, CountingEffort()) == (10**6 + 1) ** 12 - (10**6 + 1 - 10) ** 12


def test_a_hopeless_count_is_refused_with_its_limit(monkeypatch):
    monkeypatch.setattr(counting, "MAX_STATES", 3)
    with pytest.raises(DataError, match="more than 3 cases"):
        count_choices(
            [[(1, 4095 ^ (0b100101 << i)), (1, 4095)] for i in range(7)] + [[(1, 0), (1, 4095)]], 12, CountingEffort()
        )


def test_a_count_that_would_take_hours_is_refused_with_its_limit():
    rng = np.random.default_rng(2)
    ease = (rng.random((300, 60)) < 0.25).astype(np.int64)
    with pytest.raises(DataError, match="takes more than 1,000,000 steps, which is the limit"):
        count_steps(ease, np.ones(60, np.int64), CountingEffort(1_000_000))


def test_rows_asked_together_share_an_allowance_that_grows_with_them(monkeypatch):
    """Forty rows that each take a table of 2¹⁸ cells: more than the allowance of a question, less than of its rows."""
    rng = np.random.default_rng(1)
    space = ConjunctiveSpace({f"a{j}": ("x", "y") for j in range(18)})
    negatives = 2 * rng.integers(0, 2, (30, 18))
    kept = VersionSpace.of(space, np.zeros((1, 18), np.int64), negatives)
    rows = 2 * (rng.random((40, 18)) < 0.05)
    votes = kept.votes(rows)
    assert votes == [kept.votes(row[None])[0] for row in rows]
    monkeypatch.setattr("novacula.concept.version_space.ALLOWANCE", 0)
    monkeypatch.setattr("novacula.concept.version_space._PER_ROW", 1 << 16)
    with pytest.raises(DataError, match="about fewer rows at a time"):
        kept.votes(rows)


def test_thirty_attributes_agree_with_inclusion_and_exclusion():
    rng = np.random.default_rng(0)
    ease = (rng.random((12, 30)) < 0.3).astype(np.int64)
    expected = 0
    for chosen in product([0, 1], repeat=12):
        union = ease[np.array(chosen, bool)].any(axis=0).sum() if any(chosen) else 0
        expected += (-1) ** sum(chosen) * 2 ** (30 - int(union))
    assert count_steps(ease, np.ones(30, np.int64), CountingEffort()) == expected


# --- the general boundary ------------------------------------------------------------------------------------------


def matching(pairs):
    """One positive, and a negative per pair that differs from it in the two attributes of the pair."""
    space = ConjunctiveSpace({f"a{j}": ["x", "y"] for j in range(2 * pairs)})
    rows = [["x"] * (2 * pairs) for _ in range(pairs + 1)]
    for k in range(pairs):
        rows[k + 1][2 * k] = rows[k + 1][2 * k + 1] = "y"
    return of(space, rows, [True] + [False] * pairs)


@pytest.mark.slow
def test_a_boundary_of_more_than_a_hundred_thousand_members():
    held = matching(17)
    assert held.size == 3**17
    assert len(held.general) == len(set(held.general)) == 2**17
    for g in (held.general[0], held.general[-1]):
        assert sum(constraint != "?" for constraint in g.constraints) == 17


def test_a_boundary_beyond_the_limit_is_refused():
    with pytest.raises(DataError, match="more than 100 members"):
        matching(8).most_general(100)
    assert minimal_cuts([], 0) == [()]


def test_before_any_example_everything_is_open():
    space = ConjunctiveSpace({"a": [1, 2, 3], "b": ["x", "y"]}, ordered=["a"])
    held = of(space, [], [])
    assert held.size == space.size_semantic == 1 + 6 * 3
    assert (held.specific, held.general) == ((space.most_specific,), (space.most_general,))
    assert held.n_decided() == (0, 0)


def test_when_all_instances_are_negative_only_the_empty_hypothesis_is_left():
    space = ConjunctiveSpace({"a": [1, 2, 3], "b": ["x", "y"]}, ordered=["a"])
    held = of(space, list(space.instances()), [False] * 6)
    assert list(held.members()) == [space.most_specific] == list(held.general) == list(held.specific)
    assert held.size == 1


def test_many_attributes_before_the_first_positive():
    """One negative: of each attribute's d + 1 constraints two accept it."""
    space = ConjunctiveSpace({f"a{j}": range(5) for j in range(40)})
    held = of(space, [[0] * 40], [False])
    assert held.size == 1 + 6**40 - 2**40
    assert len(held.general) == 40 * 4
    assert held.votes(np.full((1, 40), 2)) == [2**40 - 1]


def test_members_come_one_by_one():
    held = matching(20)
    members = held.members()
    first = [next(members) for _ in range(5)]
    assert len(set(first)) == 5
    assert all(held.specific[0] <= h for h in first)
    assert math.log(held.size, 3) == pytest.approx(20)
