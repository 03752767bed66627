"""Dichotomies and shattered sets, against enumeration, exact arithmetic and the theorems."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.theory import (
    HalfSpaces,
    Intervals,
    Rectangles,
    count_dichotomies,
    cover_dichotomies,
    growth_function,
    shattered,
    vc_dimension,
)

laws = settings(deadline=None)
few = st.integers(1, 7)


@st.composite
def grid_points(draw, dimensions=None):
    """Points of a small grid: often on one line, often the same."""
    n = draw(st.integers(1, 3)) if dimensions is None else dimensions
    return draw(arrays(np.int64, (draw(few), n), elements=st.integers(-2, 2)))


def as_set(labels):
    return set(map(tuple, np.asarray(labels, bool).tolist()))


# --- oracles ------------------------------------------------------------------------------------------------


def regions(vectors):
    """Cells that the hyperplanes v·w = 0 cut space into, by deletion and restriction in exact arithmetic.

    Take one hyperplane away; the cells that it cut in two are those of the others on it (Zaslavsky 1975).
    """
    distinct = []
    for v in vectors:
        lead = next(a for a in v if a)
        v = tuple(a / lead for a in v)
        if v not in distinct:
            distinct.append(v)
    if not distinct:
        return 1
    *others, last = distinct
    k = next(i for i, a in enumerate(last) if a)
    on_last = ([a - b * v[k] / last[k] for i, (a, b) in enumerate(zip(v, last, strict=True)) if i != k] for v in others)
    return regions(others) + regions([v for v in on_last if any(v)])


def half_space_count(points, through_origin):
    one = [] if through_origin else [Fraction(1)]
    return regions([[*map(Fraction, row), *one] for row in points.tolist()])


def by_turning_a_line(points):
    """Labellings of points in the plane: all cuts along a line that turns through every angle between two events."""
    gaps = [a - b for a, b in combinations(points, 2) if (a != b).any()]
    events = sorted({math.atan2(gap[0], -gap[1]) % math.pi for gap in gaps} or {0.0})
    found = set()
    for before, after in zip(events, [*events[1:], events[0] + math.pi], strict=True):
        angle = (before + after) / 2
        heights = np.round(points @ [math.cos(angle), math.sin(angle)], 9)
        for cut in [*heights, -np.inf]:
            found |= as_set([heights > cut, heights <= cut])
    return found


def by_all_boxes(points):
    """Labellings by every choice of two coordinates in every dimension, the ends included."""
    sides = [list(product(set(column), repeat=2)) for column in points.T.tolist()]
    boxes = [
        [all(a <= v <= b for v, (a, b) in zip(x, box, strict=True)) for x in points.tolist()] for box in product(*sides)
    ]
    return as_set([*boxes, [False] * len(points)])


def largest_by_enumeration(labels):
    rows, n = as_set(labels), len(labels[0])
    for size in range(n, 0, -1):
        for subset in combinations(range(n), size):
            if len({tuple(row[i] for i in subset) for row in rows}) == 2**size:
                return subset
    return ()


# --- half-spaces --------------------------------------------------------------------------------------------


@laws
@given(grid_points(), st.booleans())
def test_half_spaces_are_the_cells_of_an_arrangement(points, through_origin):
    if through_origin:
        assume(points.any(axis=1).all())
    assert count_dichotomies(points, HalfSpaces(through_origin)) == half_space_count(points, through_origin)


@laws
@given(grid_points(dimensions=2))
def test_half_spaces_of_the_plane_are_turning_lines(points):
    assert as_set(HalfSpaces().dichotomies(points)) == by_turning_a_line(points)


@pytest.mark.parametrize("seed", range(5))
def test_half_spaces_of_random_points_of_the_plane(seed):
    points = np.random.default_rng(seed).normal(size=(9, 2))
    assert as_set(HalfSpaces().dichotomies(points)) == by_turning_a_line(points)


@pytest.mark.parametrize(("P", "N"), [(1, 1), (5, 1), (30, 1), (12, 2), (10, 3), (8, 4), (7, 9)])
@pytest.mark.parametrize("through_origin", [True, False])
def test_general_position_is_cover_s_formula(P, N, through_origin):
    points = np.random.default_rng(P + N).normal(size=(P, N))
    expected = cover_dichotomies(P, N if through_origin else N + 1)
    assert count_dichotomies(points, HalfSpaces(through_origin)) == expected


def test_points_on_a_curve_of_moments():
    """Powers of x are badly conditioned as vectors and in general position all the same."""
    x = np.arange(1.0, 11.0)
    points = np.column_stack([x**k for k in range(1, 6)])
    assert count_dichotomies(points, HalfSpaces()) == cover_dichotomies(10, 6)


def test_no_line_separates_exclusive_or():
    labels = as_set(HalfSpaces().dichotomies([[0, 0], [0, 1], [1, 0], [1, 1]]))
    assert set(product([False, True], repeat=4)) - labels == {(True, False, False, True), (False, True, True, False)}


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.1, 0.7), (1e5, -3e4)])
def test_points_on_a_line_up_to_rounding_are_on_it(shift):
    t = np.random.default_rng(0).normal(size=9)
    assert count_dichotomies(np.outer(t, [0.3, 0.7]) + shift, HalfSpaces()) == 2 * 9
    assert count_dichotomies([[1, 0.1 * 3], [2, 0.3], [3, 0.1 + 0.2], [4, 0.3]], HalfSpaces()) == 2 * 4


@laws
@given(st.integers(0, 10**6))
def test_units_and_places_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(-3, 4, (6, 2)).astype(float)
    plain = as_set(HalfSpaces().dichotomies(points))
    assert as_set(HalfSpaces().dichotomies(points * [1e-9, 1e12] + [1e-4, -1e15])) == plain


def test_lengths_do_not_matter_through_the_origin():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(9, 2))
    plain = as_set(HalfSpaces(through_origin=True).dichotomies(points))
    stretched = points * 10.0 ** rng.integers(-12, 12, (9, 1))
    assert as_set(HalfSpaces(through_origin=True).dichotomies(stretched)) == plain


def test_copies_are_labelled_alike():
    labels = HalfSpaces().dichotomies([[1.0, 2.0], [3.0, 1.0], [1.0, 2.0]])
    assert (labels[:, 0] == labels[:, 2]).all()
    assert len(labels) == 4


# --- boxes --------------------------------------------------------------------------------------------------


@laws
@given(grid_points())
def test_rectangles_are_all_boxes(points):
    labels = Rectangles().dichotomies(points)
    assert as_set(labels) == by_all_boxes(points)
    assert len(labels) == len(as_set(labels)), "none twice"


@laws
@given(grid_points(dimensions=1))
def test_intervals_are_runs(points):
    assert as_set(Intervals().dichotomies(points)) == by_all_boxes(points)
    distinct = len(np.unique(points))
    assert count_dichotomies(points.ravel(), Intervals()) == distinct * (distinct + 1) // 2 + 1


# --- shattering ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("N", [1, 2, 3])
def test_half_spaces_have_dimension_one_more_than_space(N):
    points = np.random.default_rng(N).normal(size=(N + 4, N))
    assert vc_dimension(HalfSpaces(), points) == N + 1
    assert vc_dimension(HalfSpaces(through_origin=True), points) == N


def test_intervals_shatter_two_points_and_rectangles_four():
    assert vc_dimension(Intervals(), np.arange(8)) == 2
    diamond = [[0, 1], [1, 0], [0, -1], [-1, 0]]
    assert shattered(Rectangles(), [[0, 0], *diamond, [0.2, 0.1]]) == (1, 2, 3, 4)
    assert vc_dimension(Rectangles(), np.random.default_rng(0).normal(size=(15, 2))) == 4


def test_a_set_on_a_line_shatters_less():
    assert vc_dimension(HalfSpaces(), [[i, 2 * i] for i in range(6)]) == 2
    assert vc_dimension(Rectangles(), [[i, i] for i in range(6)]) == 2


label_tables = st.integers(1, 6).flatmap(
    lambda P: st.integers(1, 40).flatmap(lambda m: arrays(np.bool_, (m, P), elements=st.booleans()))
)


@settings(deadline=None)
@given(label_tables)
def test_any_family_against_enumeration_and_the_lemma_of_sauer(labels):
    points = np.arange(labels.shape[1])
    found = shattered(lambda _: labels, points)
    assert found == largest_by_enumeration(labels)
    assert (
        count_dichotomies(points, lambda _: labels) == len(as_set(labels)) <= growth_function(len(points), len(found))
    )


@laws
@given(grid_points(), st.sampled_from([HalfSpaces(), Rectangles()]))
def test_families_against_enumeration(points, family):
    assert shattered(family, points) == largest_by_enumeration(family.dichotomies(points))


def test_a_family_may_be_a_function_that_yields():
    def rays(points):
        for threshold in [-np.inf, *points.ravel()]:
            yield (points.ravel() > threshold).astype(int).tolist()

    assert count_dichotomies([3, 1, 2], rays) == 4
    assert shattered(rays, [3, 1, 2]) == (0,)


def test_everything_is_shattered_by_all_functions():
    assert vc_dimension(lambda points: product([False, True], repeat=len(points)), np.arange(12)) == 12


def test_no_points():
    for family in (HalfSpaces(), HalfSpaces(through_origin=True), Rectangles(), Intervals()):
        assert count_dichotomies([], family) == 1
        assert shattered(family, []) == ()


# --- formulas -----------------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.integers(1, 60))
def test_cover_s_recurrence(P, N):
    """A new point cuts in two the dichotomies that a boundary through it gives: C(P+1, N) = C(P, N) + C(P, N−1)."""
    assert cover_dichotomies(P + 1, N) == cover_dichotomies(P, N) + cover_dichotomies(P, N - 1)
    assert cover_dichotomies(P, N) == 2 * sum(math.comb(P - 1, k) for k in range(N))


def test_cover_s_numbers():
    assert [cover_dichotomies(P, 3) for P in range(6)] == [1, 2, 4, 8, 14, 22]
    assert cover_dichotomies(200, 100) == 2**199, "half of all at twice as many points as dimensions"
    assert cover_dichotomies(5, 0) == 0


@given(st.integers(0, 12), st.integers(0, 14))
def test_growth_counts_small_subsets(n, vc):
    assert growth_function(n, vc) == sum(1 for bits in range(2**n) if bits.bit_count() <= vc)


# --- bad input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.0, 1.0], [np.nan, 2.0]], "point in row 2 has nan in column 1"),
        ([[0.0, np.inf]], "point in row 1 has inf in column 2"),
        ([["a", "b"]], "must be an array of numbers"),
        ([[1, 2], [3]], "not rows that differ in length"),
        ([[1j, 2]], "type complex128"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.zeros((3, 0)), r"shape \(3, 0\)"),
        (5, r"shape \(\)"),
    ],
)
def test_bad_points(points, message):
    for family in (HalfSpaces(), Rectangles(), Intervals(), lambda points: [[True] * len(points)]):
        with pytest.raises(DataError, match=message):
            count_dichotomies(points, family)


def test_the_origin_has_no_side():
    with pytest.raises(DataError, match="row 2 is the origin"):
        count_dichotomies([[1, 2], [0, 0]], HalfSpaces(through_origin=True))


def test_intervals_are_on_a_line():
    with pytest.raises(DataError, match="2 columns: take Rectangles"):
        count_dichotomies([[1, 2], [0, 0]], Intervals())


def test_too_many_points_are_refused_with_advice(monkeypatch):
    rng = np.random.default_rng(0)
    with pytest.raises(
        DataError, match="may take more than 50000 linear programs: give fewer, or take cover_dichotomies"
    ):
        count_dichotomies(rng.normal(size=(60, 5)), HalfSpaces())
    with pytest.raises(DataError, match="more than 65536 boxes"):
        count_dichotomies(np.arange(70_000), Intervals())
    monkeypatch.setattr("novacula.theory.families.MAX_BOXES", 1000)
    with pytest.raises(DataError, match="40 points span more than 1000 boxes: give fewer"):
        count_dichotomies(rng.normal(size=(40, 20)), Rectangles())
    monkeypatch.setattr("novacula.theory.shattering.MAX_READS", 10**7)
    with pytest.raises(DataError, match="subsets of 40 points takes too long"):
        vc_dimension(lambda _: rng.random((40_000, 40)) < 0.5, np.arange(40))


@pytest.mark.parametrize("rows", [[], [[True]], [[[True, False]]], [[True, False], [True]], [True, False]])
def test_labellings_must_fit_the_points(rows):
    with pytest.raises(DataError, match="at least one labelling, each with 2 booleans"):
        vc_dimension(lambda _: rows, [1, 2])


@pytest.mark.parametrize("rows", [[[0, 2]], [[0.5, 1]], [["a", "b"]], [[None, True]], [[-1, 1]]])
def test_labels_must_be_booleans(rows):
    with pytest.raises(DataError, match="other than True and False"):
        vc_dimension(lambda _: rows, [1, 2])


def test_what_is_no_family():
    with pytest.raises(InputTypeError, match=r"HalfSpaces is a class; .* HalfSpaces\(\)"):
        vc_dimension(HalfSpaces, [1, 2])
    with pytest.raises(InputTypeError, match="the family gave 5; give labellings"):
        vc_dimension(lambda _: 5, [1, 2])
    with pytest.raises(InputTypeError, match="'lines' is not a family"):
        count_dichotomies([1, 2], "lines")


@pytest.mark.parametrize("bad", [-1, 2.0, "3", None, True])
def test_numbers_are_whole(bad):
    for call in (cover_dichotomies, growth_function):
        for arguments in ((bad, 2), (2, bad)):
            with pytest.raises(ParameterError, match="whole number of at least 0"):
                call(*arguments)
