"""The PAC bound and a measured learning curve on one axis: what is guaranteed, and what happened."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from novacula.arguments import Floats, as_numbers, whole_number
from novacula.errors import DataError, InputTypeError, ParameterError
from novacula.learner.figure import COLOURS, INK, LINES, Figure, draw_curves, few_digits, finite
from novacula.theory.bounds import pac_error
from novacula.theory.shattering import cover_dichotomies
from novacula.words import quoted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BENDS = 200
"""Sample sizes at which the bound is drawn, so that it looks as smooth as it is."""


def pac_curve(
    sizes: Sequence[int],
    errors: npt.ArrayLike,
    hypotheses: int | None = None,
    delta: float = 0.05,
    *,
    log_hypotheses: float | None = None,
    consistent: bool = True,
) -> Figure:
    """Draw the error that n examples guarantee, and the errors measured after as many.

    `errors` has one number for each of `sizes`, or one row: the errors of several runs, of which the mean is drawn
    and the range. With `consistent=False` an error is how much worse a hypothesis is elsewhere than on its examples.

    >>> pac_curve([50, 100, 200], [0.05, 0.02, 0.0], hypotheses=59050).alt
    'Error over the number of examples, from 50 to 200. The PAC bound goes from 0.2796 to 0.06991, the measured
    error from 0.05 to 0; none of 3 measured errors are above the bound.'
    """

    def bound(places: Sequence[int]) -> Floats:
        return np.array(
            [pac_error(n, hypotheses, delta, log_hypotheses=log_hypotheses, consistent=consistent) for n in places]
        )

    places = increasing(sizes)
    runs = one_row_a_size(errors, len(places))
    smooth = np.unique(np.rint(np.geomspace(places[0], places[-1], BENDS)).astype(int)).tolist()
    guaranteed = bound(smooth)

    def draw(axes: Axes) -> None:
        axes.plot(smooth, guaranteed, color=COLOURS[0], linestyle=LINES[0])
        draw_runs(axes, places, runs)
        how = "measured" if runs.shape[1] == 1 else f"mean and range of {runs.shape[1]} runs"
        axes.legend(axes.lines, [f"PAC bound, δ = {few_digits(delta)}", how])
        axes.set_xlabel("examples")
        axes.set_ylabel("error" if consistent else "error beyond that on the examples")

    return Figure(draw, in_words(places, bound(places), runs), "What is guaranteed, and what was measured")


def dichotomy_curve(dimensions: int, points: int | None = None) -> Figure:
    """Draw how many dichotomies half-spaces through the origin of N dimensions make of P points: log₂ N_d against P.

    Up to P = N these are all 2ᴾ, and the curve is a straight line. There, at its knee, it leaves the line: at P = 2N
    they are half of all, and beyond it the curve bends, since they grow as a polynomial. `points` is the largest P, by
    default 4N.

    >>> dichotomy_curve(3, 6).alt
    'log2 of the dichotomies of P points by half-spaces through the origin of 3 dimensions, beside P, that of all
    2^P: equal up to P = 3, then less; 32 of 64 at P = 6.'
    """
    N = whole_number(dimensions, "dimensions", 1)
    most = 4 * N if points is None else whole_number(points, "points", 1)
    places = list(range(1, most + 1))
    counts = [cover_dichotomies(P, N).value for P in places]
    logs = [math.log2(count) for count in counts]

    def draw(axes: Axes) -> None:
        draw_curves(axes, np.array(places, float), {"all: 2ᴾ": np.array(places, float), "N_d": np.array(logs)}, {})
        for place, words in ((N, f"the knee: all up to P = N = {N}"), (2 * N, f"half at P = 2N = {2 * N}")):
            if place <= most:
                axes.axvline(place, color=INK, linewidth=0.8, linestyle=LINES[3])
                axes.annotate(words, (place, logs[place - 1]), (8, -14), textcoords="offset points")
        axes.set_xlabel("points P")
        axes.set_ylabel("log₂ of the dichotomies")

    where = min(2 * N, most)
    alt = (
        f"log2 of the dichotomies of P points by half-spaces through the origin of {N} dimensions, beside P, that of "
        f"all 2^P: equal up to P = {N}, then less; {counts[where - 1]:,} of {2**where:,} at P = {where}."
    )
    return Figure(draw, alt, "Dichotomies by half-spaces")


def draw_runs(axes: Axes, places: Sequence[int], runs: Floats) -> None:
    """Draw the mean of each row over its place, and the range if there are several runs."""
    axes.plot(places, runs.mean(axis=1), color=COLOURS[1], linestyle=LINES[1], marker="o", markersize=4)
    if runs.shape[1] > 1:
        axes.fill_between(places, runs.min(axis=1), runs.max(axis=1), color=COLOURS[1], alpha=0.2, linewidth=0)
    axes.grid()


def in_words(places: Sequence[int], bound: Floats, runs: Floats) -> str:
    """What the figure shows."""
    mean, above = runs.mean(axis=1), int((runs > bound[:, None]).sum())
    return (
        f"Error over the number of examples, from {places[0]} to {places[-1]}. "
        f"The PAC bound goes from {few_digits(bound[0])} to {few_digits(bound[-1])}, "
        f"the {'mean measured' if runs.shape[1] > 1 else 'measured'} error "
        f"from {few_digits(mean[0])} to {few_digits(mean[-1])}; "
        f"{above or 'none'} of {runs.size} measured errors {'is' if above == 1 else 'are'} above the bound."
    )


def increasing(sizes: Sequence[int]) -> list[int]:
    """Numbers of examples in their order, which is that of the axis."""
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise InputTypeError(f"sizes is {quoted(sizes)}; it must be a list of numbers of examples")
    places = [whole_number(n, "a sample size", 1) for n in sizes]
    if not places or any(after <= before for before, after in pairwise(places)):
        raise ParameterError("sizes must be at least one number of examples, each larger than the one before")
    return places


def one_row_a_size(errors: npt.ArrayLike, n_sizes: int) -> Floats:
    """Measured errors as an array (sizes, runs)."""
    measured = finite(as_numbers(errors, "the measured errors", DataError), "a measured error")
    if measured.ndim not in (1, 2) or len(measured) != n_sizes or not measured.size:
        raise ParameterError(f"errors of shape {measured.shape} do not fit {n_sizes} sizes: give one row per size")
    large = measured[np.abs(measured) > 1]
    if len(large):
        raise ParameterError(
            f"a measured error is {few_digits(large[0])}; give shares of examples, which are at most 1"
        )
    return measured.reshape(n_sizes, -1)
