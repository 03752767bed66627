"""The one-standard-error rule by its definition, and intervals against SciPy and in simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from novacula.errors import DataError, ParameterError
from novacula.evaluate import choose, mean_interval, proportion_interval

laws = settings(deadline=None)
errors = st.one_of(st.integers(0, 12).map(float), st.just(math.nan), st.just(math.inf))


@laws
@given(st.lists(st.tuples(errors, st.integers(0, 4).map(float)), min_size=1, max_size=8))
def test_the_choice_is_the_simplest_that_no_other_beats_by_its_standard_error(pairs):
    mean, spread = zip(*pairs, strict=True)
    known = [i for i, e in enumerate(mean) if not math.isnan(e)]
    if not known:
        with pytest.raises(DataError, match="nothing was tried"):
            choose(mean, spread, "min")
        return
    best = min(known, key=lambda i: (mean[i], i))
    assert choose(mean, spread, "min") == best
    assert choose(mean, spread, "one_se") == min(i for i in known if mean[i] <= mean[best] + spread[best])


def test_an_unknown_standard_error_counts_as_none():
    assert choose([3.0, 2.0], [math.nan, math.nan], "one_se") == 1


def test_bad_choices_are_named():
    with pytest.raises(ParameterError, match="rule is 'best'"):
        choose([1.0], [1.0], "best")
    with pytest.raises(ParameterError, match="do not fit"):
        choose([1.0, 2.0], [1.0], "min")


# --- intervals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "theirs"), [("wilson", "wilson"), ("clopper_pearson", "exact")])
@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (37, 200)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_proportions_are_scipys(method, theirs, k, n, level):
    expected = stats.binomtest(k, n).proportion_ci(level, theirs)
    assert proportion_interval(k, n, level, method) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_clopper_and_pearson_cover_at_least_their_level_by_enumeration():
    n = 15
    limits = [proportion_interval(k, n, 0.9, "clopper_pearson") for k in range(n + 1)]
    for p in np.linspace(0.01, 0.99, 50):
        covered = sum(stats.binom.pmf(k, n, p) for k, (low, high) in enumerate(limits) if low <= p <= high)
        assert covered >= 0.9 - 1e-12


def test_means_are_scipys():
    values = np.random.default_rng(0).normal(3, 2, 12)
    low, high = stats.t.interval(0.9, 11, values.mean(), stats.sem(values))
    assert mean_interval(values, 0.9) == pytest.approx((low, high))
    assert mean_interval([4.0]) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: proportion_interval(11, 10), ParameterError, "11 errors in 10 rows are not a proportion"),
        (lambda: proportion_interval(0, 0), ParameterError, "are not a proportion"),
        (lambda: proportion_interval(math.nan, 5), ParameterError, "are not a proportion"),
        (lambda: proportion_interval(1, 10, 95), ParameterError, "level is 95"),
        (lambda: proportion_interval(1, 10, method="wald"), ParameterError, "method is 'wald'"),
        (lambda: mean_interval([]), DataError, "at least one value"),
        (lambda: mean_interval([1.0, math.inf]), DataError, "NaN or infinite"),
    ],
)
def test_bad_intervals_are_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
