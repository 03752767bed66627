"""Is one learner better than another, or were the folds kind to it?

Scores of folds share training rows, so their spread understates that of the mean. Nadeau and Bengio (2003) correct it:

    t = d̄ / √((1/J + n_test/n_train)·s²)       with J − 1 degrees of freedom

Every answer is a difference with its interval. Whether it matters is for the reader to say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.arguments import as_numbers, proportion
from novacula.errors import DataError, ParameterError
from novacula.evaluate.derivation.comparisons import derive_comparison, derive_mcnemar
from novacula.evaluate.intervals import Interval
from novacula.evaluate.loss import Floats, differ
from novacula.evaluate.printing import TabularResult
from novacula.learner.figure import few_digits
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import quoted

RESAMPLES = 10_000


@dataclass(frozen=True, eq=False)
class Comparison(TabularResult):
    """The mean of score a − score b with its intervals: by the corrected t-test, and by the bootstrap."""

    names: tuple[str, str]
    differences: Floats  # (J,)
    difference: float
    interval: Interval
    bootstrap: Interval
    t: float
    p: float
    level: float
    correction: float  # n_test / n_train

    def sentence(self) -> str:
        """What was found, with its uncertainty."""
        a, b = self.names
        level = f"{few_digits(100 * self.level)}%"
        ends = f"{few_digits(self.interval.low)} to {few_digits(self.interval.high)}"
        chance = self.interval.low <= 0 <= self.interval.high
        verdict = "cannot be distinguished from chance" if chance else "is not explained by chance"
        return (
            f"The mean of {a} minus {b} is {few_digits(self.difference)} over {len(self.differences)} paired scores, "
            f"{level} interval {ends} (corrected t-test, p = {few_digits(self.p)}), by the bootstrap "
            f"{few_digits(self.bootstrap.low)} to {few_digits(self.bootstrap.high)}; at this level it {verdict}."
        )

    def _derive(self, options: WorkOptions) -> Work:
        return derive_comparison(self)

    def table(self) -> WorkTable:
        """Difference, intervals and p, and in the caption what they say."""
        numbers = (self.difference, *self.interval, *self.bootstrap, self.t, self.p)
        header = (f"{self.names[0]} − {self.names[1]}", "from", "to", "bootstrap from", "to", "t", "p")
        return WorkTable(header, (numbers,), self.sentence())


def compare(
    scores_a: npt.ArrayLike,
    scores_b: npt.ArrayLike,
    *,
    test_share: float | None = None,
    level: float = 0.95,
    names: tuple[str, str] = ("a", "b"),
    random_state: Any = 0,
) -> Comparison:
    """Compare paired scores, such as the errors of two learners in the same folds.

    `test_share` is the share of the rows that each score was measured on; the model was fitted on the rest. Without it
    the scores are taken for those of J folds, 1/J each. For the losses of rows of one test set, which share nothing but
    their model, it is 0.

    >>> a, b = [0.20, 0.22, 0.19, 0.25, 0.21], [0.24, 0.23, 0.25, 0.26, 0.25]
    >>> result = compare(a, b)
    >>> print(f"{result.difference:.3f}, t = {result.t:.3f}, p = {result.p:.3f}")
    -0.032, t = -2.200, p = 0.093
    """
    first, second = (
        as_numbers(scores, f"the scores {name}", DataError) for scores, name in ((scores_a, "a"), (scores_b, "b"))
    )
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise DataError(
            f"scores of shapes {first.shape} and {second.shape} cannot be paired: give two folds or more of both"
        )
    gaps = first - second
    if not np.isfinite(gaps).all():
        raise DataError(f"score {int(np.argmin(np.isfinite(gaps))) + 1} is NaN or infinite: compare finite scores")
    portion = 1 / len(gaps) if test_share is None else test_share
    if not 0 <= portion < 1:
        raise ParameterError(f"test_share is {quoted(test_share)}; it must be at least 0 and below 1")
    correction = portion / (1 - portion)
    t, p, interval = _corrected(gaps, correction, level)
    resampled = _bootstrap(gaps, level, random_state)
    return Comparison(names, gaps, float(gaps.mean()), interval, resampled, t, p, level, correction)


def _corrected(gaps: Floats, correction: float, level: float) -> tuple[float, float, Interval]:
    """t, its two-sided p, and the interval of the mean."""
    from scipy.special import stdtr, stdtrit

    mean, free = float(gaps.mean()), len(gaps) - 1
    error = math.sqrt((1 / len(gaps) + correction) * gaps.var(ddof=1))
    half = float(stdtrit(free, (1 + float(proportion(level, "level"))) / 2)) * error
    interval = Interval(mean - half, mean + half)
    if error == 0.0:  # every pair differs by the same
        return (0.0, 1.0, interval) if mean == 0.0 else (math.copysign(math.inf, mean), 0.0, interval)
    t = mean / error
    return t, float(2 * stdtr(free, -abs(t))), interval


def _bootstrap(gaps: Floats, level: float, random_state: Any) -> Interval:
    """The middle share of the means of samples drawn from the differences with replacement."""
    rng, n = np.random.default_rng(random_state), len(gaps)
    block = max(1, 2_000_000 // n)  # resamples that are held at once
    sizes = [min(block, RESAMPLES - start) for start in range(0, RESAMPLES, block)]
    means = np.concatenate([gaps[rng.integers(0, n, (m, n))].mean(axis=1) for m in sizes])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


@dataclass(frozen=True, eq=False)
class McNemar(TabularResult):
    """Rows of one test set on which exactly one of two predictors is wrong, and the exact test of their balance."""

    names: tuple[str, str]
    only_a_wrong: int
    only_b_wrong: int
    n: int
    p: float

    def _derive(self, options: WorkOptions) -> Work:
        return derive_mcnemar(self)

    def table(self) -> WorkTable:
        """The counts and what they say."""
        a, b = self.names
        gap = few_digits((self.only_a_wrong - self.only_b_wrong) / self.n)
        header = (f"only {a} wrong", f"only {b} wrong", "rows", "p")
        words = f"The error of {a} minus that of {b} is {gap}; such counts have probability p if both are equally good"
        return WorkTable(header, ((self.only_a_wrong, self.only_b_wrong, self.n, self.p),), words)


def mcnemar(y: Any, prediction_a: Any, prediction_b: Any, *, names: tuple[str, str] = ("a", "b")) -> McNemar:
    """Compare two predictors on one test set by the rows on which one is wrong and the other right (McNemar 1947).

    >>> result = mcnemar([1] * 12, [0] * 9 + [1] * 3, [1] * 9 + [0] + [1] * 2)
    >>> result.only_a_wrong, result.only_b_wrong, round(result.p, 4)
    (9, 1, 0.0215)
    """
    truth, first, second = (np.asarray(values) for values in (y, prediction_a, prediction_b))
    if not truth.shape == first.shape == second.shape or truth.ndim != 1 or not len(truth):
        raise DataError(f"predictions of shapes {first.shape} and {second.shape} do not fit classes of {truth.shape}")
    a, b = differ(truth, first), differ(truth, second)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    from scipy.special import bdtr

    p = min(1.0, 2.0 * float(bdtr(min(only_a, only_b), only_a + only_b, 0.5))) if only_a + only_b else 1.0
    return McNemar(names, only_a, only_b, len(truth), p)
