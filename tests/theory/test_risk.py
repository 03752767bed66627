"""Structural risk, errors in parts, and the curve of dichotomies, against their definitions."""

import math
from itertools import product

import numpy as np
import pytest

from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.theory import (
    HalfSpaces,
    count_dichotomies,
    dichotomy_curve,
    error_parts,
    pac_error,
    structural_risk,
)


def test_the_bounds_by_vc_dimension():
    errors, dimensions = [0.35, 0.2, 0.04, 0.03, 0.02], [1, 2, 4, 16, 64]
    found = structural_risk(errors, 1000, vc=dimensions)
    expected = [np.sqrt((d * (np.log(2000 / d) + 1) - np.log(0.05 / 5 / 4)) / 1000) for d in dimensions]
    assert found.bounds == pytest.approx(expected)
    assert found.chosen == 1 + int(np.argmin(np.add(errors, expected))) == 3
    check_work(found)


def test_the_bounds_by_size_are_those_of_pac():
    found = structural_risk([0.3, 0.1, 0.05], 200, hypotheses=[10, 973, 2**60], delta=0.06)
    assert found.bounds == pytest.approx([pac_error(200, h, 0.02, consistent=False) for h in (10, 973, 2**60)])
    assert found.risks[1] == pytest.approx(0.1 + math.sqrt((math.log(973) + math.log(50)) / 400))
    assert found.chosen == 2
    check_work(found)


def test_the_figure_of_structural_risk():
    from matplotlib.figure import Figure

    found = structural_risk([0.35, 0.04, 0.02], 1000, vc=[1, 4, 64])
    axes = Figure().add_subplot()
    found.plot().draw(axes)
    error, bound, both = (line.get_ydata() for line in axes.lines[:3])
    assert both == pytest.approx(error + bound)
    assert axes.lines[3].get_xdata()[0] == found.chosen == 2
    assert [text.get_text() for text in axes.texts] == ["chosen: space 2"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["error on the examples", "bound", "together"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"vc": [1, 2], "hypotheses": [2, 4]}, "either hypotheses"),
        ({}, "either hypotheses"),
        ({"vc": [1]}, "1 space does not fit"),
        ({"vc": [2, 1]}, "none is smaller"),
        ({"vc": [1, 101]}, "above the 100 examples"),
        ({"vc": [0, 1]}, "a size of a space"),
    ],
)
def test_spaces_that_do_not_fit(given, sentence):
    with pytest.raises(ParameterError, match=sentence):
        structural_risk([0.2, 0.1], 100, **given)


def test_errors_that_do_not_fit():
    with pytest.raises(ParameterError, match="no larger error"):
        structural_risk([0.1, 0.2], 100, vc=[1, 2])
    with pytest.raises(ParameterError, match="from 0 to 1"):
        structural_risk([2.0, 0.2], 100, vc=[1, 2])
    with pytest.raises(ParameterError, match=r"^1 space does not fit 2 empirical errors$"):
        structural_risk([0.3, 0.2], 100, vc=[1])


def test_parts_of_an_error_by_enumeration():
    """Conjunctions of two boolean attributes for exclusive or: the best err on one instance of four."""
    instances = list(product([0, 1], repeat=2))
    truth = [a != b for a, b in instances]
    conjunctions = [
        [all(want in (None, value) for want, value in zip(h, x, strict=True)) for x in instances]
        for h in product([0, 1, None], repeat=2)
    ]
    errors = [sum(s != t for s, t in zip(said, truth, strict=True)) / 4 for said in [*conjunctions, [False] * 4]]
    parts = error_parts(errors[-1], best_in_space=min(errors))
    assert (parts.approximation, parts.estimation) == (0.25, 0.25)
    check_work(parts)


def test_parts_that_cannot_be():
    with pytest.raises(ParameterError, match="best of its space"):
        error_parts(0.1, best_in_space=0.2)
    with pytest.raises(ParameterError, match="noise is 2"):
        error_parts(0.1, best_in_space=0.1, noise=2)


def test_the_curve_of_dichotomies_leaves_all_at_the_dimension_and_half_at_twice_that():
    from matplotlib.figure import Figure

    points = np.random.default_rng(0).normal(size=(7, 3))
    axes = Figure().add_subplot()
    dichotomy_curve(3, 7).draw(axes)
    every, counted, leaves, half = axes.lines
    assert every.get_ydata().tolist() == list(range(1, 8))
    family = HalfSpaces(through_origin=True)
    assert 2 ** counted.get_ydata() == pytest.approx([count_dichotomies(points[:P], family) for P in range(1, 8)])
    assert (leaves.get_xdata()[0], half.get_xdata()[0]) == (3, 6)
    assert counted.get_ydata()[5] == 5, "half of 2⁶"
    assert (counted.get_ydata() == every.get_ydata()).tolist() == [True] * 3 + [False] * 4
    assert [text.get_text() for text in axes.texts] == ["the knee: all up to P = N = 3", "half at P = 2N = 6"]
