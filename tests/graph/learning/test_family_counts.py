"""Counts and moments of families: the laws of statistics, row by row counts, and coarser groups."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from novacula.checks import check_statistic
from novacula.graph.learning.family_counts import JOINT_ROWS, FamilyCounts, GroupMoments
from novacula.graph.learning.family_layout import FamilyLayout
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Cells, Variables
from novacula.table import Chunk

laws = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def random_edges(rng, names, most=3):
    """Edges along the order of the names."""
    edges = []
    for i, child in enumerate(names):
        for parent in rng.permutation(i)[: rng.integers(0, most + 1)]:
            edges.append((names[parent], child))
    return edges


@given(st.integers(0, 10_000))
@settings(laws, max_examples=10)
def test_statistics_obey_the_laws(seed):
    rng = np.random.default_rng(seed)
    n = 30
    codes = rng.integers(-1, 2, (n, 3)).astype(np.int32)
    numbers = np.where(rng.random((n, 2)) < 0.2, np.nan, rng.normal(size=(n, 2)))
    chunk = Chunk(numbers, codes, rng.integers(0, 3, n).astype(float))
    variables = Variables({"a": ("p", "q"), "b": ("p", "q"), "c": ("p", "q")}, ("x", "y"))
    families = [("a", ()), ("b", ("a",)), ("c", ("a", "b")), ("x", ("a",)), ("y", ("b", "x"))]
    layout = FamilyLayout.of(families, variables)
    cells = Cells((0, 1, 2), (0, 1))
    for whole in (False, True):
        check_statistic(
            lambda c, whole=whole: FamilyCounts.observe(c, cells, layout, whole), chunk, FamilyCounts.zero(layout)
        )


@pytest.mark.parametrize("gaps", [0, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_families_of_many_rows_are_counted_as_one_by_one(gaps, weighted):
    rng = np.random.default_rng(gaps)
    names, cards, n = tuple("abcdefg"), (2, 3, 4, 2, 3, 2, 600), JOINT_ROWS
    variables = Variables({name: tuple(range(card)) for name, card in zip(names, cards, strict=True)}, ())
    layout = FamilyLayout.of(Dag.of(random_edges(rng, names[:-1], 2), names).parents.items(), variables)
    joint_sizes = np.diff([*layout.joint.flat[-1], layout.joint.size])
    assert 2 <= len(joint_sizes) < len(layout.tables)
    assert max(joint_sizes) == 600  # a table that is too large to be joined
    codes = np.stack([rng.integers(0, card, n) for card in cards], axis=1).astype(np.int32)
    codes[rng.integers(0, n // 2, gaps), rng.integers(0, 7, gaps)] = -1  # half of the blocks stay whole
    weight = rng.random(n) if weighted else np.ones(n)
    seen = FamilyCounts.of_rows(codes, np.empty((n, 0)), weight, layout)
    assert seen.incomplete == pytest.approx(weight[(codes < 0).any(axis=1)].sum(), rel=1e-12)
    for columns, counts in zip(layout.tables, layout.split(seen.counts), strict=True):
        expected = np.zeros(counts.shape)
        known = (codes[:, columns] >= 0).all(axis=1)
        np.add.at(expected, tuple(codes[known][:, columns].T), weight[known])
        np.testing.assert_array_equal(counts, expected)


def test_moments_of_coarser_groups_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=(40, 2)) + 100.0, rng.integers(0, 6, 40)
    fine = GroupMoments.of_rows(x, group, np.ones(40), 6)
    coarse = fine.merged(np.arange(6) // 2, 3)
    for name in ("weight", "mean", "scatter"):
        direct = getattr(GroupMoments.of_rows(x, group // 2, np.ones(40), 3), name)
        np.testing.assert_allclose(getattr(coarse, name), direct, rtol=1e-12)
