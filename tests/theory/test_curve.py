"""The figure of bound and measurement: what stands on its axes, and what it says in words."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.theory import pac_curve

SIZES = [10, 50, 100]


def drawn(figure):
    axes = Figure().add_subplot()
    figure.draw(axes)
    return axes


def test_bound_and_measured_error():
    figure = pac_curve(SIZES, [0.4, 0.1, 0.0], 59050, 0.05)
    axes = drawn(figure)
    bound, measured = axes.lines
    assert (min(bound.get_xdata()), max(bound.get_xdata())) == (10, 100)
    assert bound.get_ydata() == pytest.approx(np.minimum(1, np.log(59050 * 20) / np.array(bound.get_xdata())))
    assert list(measured.get_xdata()) == SIZES
    assert measured.get_ydata() == pytest.approx([0.4, 0.1, 0.0])
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["PAC bound, δ = 0.05", "measured"]
    assert figure.alt.endswith("the measured error from 0.4 to 0; none of 3 measured errors are above the bound.")
    ET.fromstring(figure.svg())


def test_several_runs_are_a_mean_and_a_range():
    runs = np.array([[0.5, 0.1], [0.2, 0.4], [0.0, 0.1]])
    figure = pac_curve(SIZES, runs, log_hypotheses=5.0, delta=0.1)
    axes = drawn(figure)
    assert axes.lines[1].get_ydata() == pytest.approx([0.3, 0.3, 0.05])
    low, high = axes.collections[0].get_datalim(axes.transData).intervaly
    assert (low, high) == pytest.approx((0.0, 0.5))
    assert axes.get_legend().get_texts()[1].get_text() == "mean and range of 2 runs"
    assert "3 of 6 measured errors are above" in figure.alt, "(5 + ln 10)/n is 0.73, 0.146 and 0.073"


def test_any_learner_has_the_wider_bound():
    bound = drawn(pac_curve(SIZES, [0, -0.1, 0], 4, consistent=False)).lines[0]
    assert bound.get_ydata() == pytest.approx(np.sqrt(np.log(4 * 20) / 2 / np.array(bound.get_xdata())))


@pytest.mark.parametrize(
    ("sizes", "errors", "message"),
    [
        ([], [], "at least one number of examples"),
        ([10, 10], [0.1, 0.1], "each larger than the one before"),
        ([0, 10], [0.1, 0.1], "a sample size is 0"),
        ([10, 20], [0.1], r"errors of shape \(1,\) do not fit 2 sizes"),
        ([10, 20], 0.1, r"errors of shape \(\)"),
        ([10, 20], np.zeros((2, 0)), r"errors of shape \(2, 0\)"),
        ([10], [np.nan], "a measured error is not finite"),
        ([10], [12.5], "a measured error is 12.5; give shares"),
    ],
)
def test_bad_input(sizes, errors, message):
    with pytest.raises(ParameterError, match=message):
        pac_curve(sizes, errors, 100)


def test_errors_are_numbers():
    for errors in (["a", "b"], [[0.1, 0.2], [0.3]]):
        with pytest.raises(DataError, match=r"the measured errors .*must be an array of numbers"):
            pac_curve([10, 20], errors, 100)


def test_the_space_is_needed():
    with pytest.raises(ParameterError, match="either hypotheses"):
        pac_curve([10], [0.1])
    for sizes in (973, "973"):
        with pytest.raises(InputTypeError, match="it must be a list of numbers of examples"):
            pac_curve(sizes, 0.1, 100)
