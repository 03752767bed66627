"""Comparisons: the corrected t-test by its formula, its size in simulation, McNemar's test against SciPy's."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from novacula.errors import DataError, ParameterError
from novacula.evaluate import compare, mcnemar

laws = settings(deadline=None)
scores = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=3, max_size=12)


@laws
@given(scores, st.floats(0, 0.5))
def test_the_test_is_nadeau_and_bengios_formula(pairs, share):
    a, b = (np.array(values) / 50 for values in zip(*pairs, strict=True))
    gaps, n = a - b, len(pairs)
    result = compare(a, b, test_share=share)
    error = math.sqrt((1 / n + share / (1 - share)) * gaps.var(ddof=1))
    if error < 1e-12:
        return
    assert result.t == pytest.approx(gaps.mean() / error)
    assert result.p == pytest.approx(2 * stats.t.sf(abs(result.t), n - 1))
    assert result.interval == pytest.approx(stats.t.interval(0.95, n - 1, gaps.mean(), error))
    assert (result.p < 0.05) == (not result.interval.low <= 0 <= result.interval.high)


def test_without_shared_rows_it_is_the_paired_t_test_and_folds_share_theirs():
    a, b = np.random.default_rng(0).normal(size=(2, 10))
    assert compare(a, b, test_share=0.0).p == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert compare(a, b).correction == pytest.approx(1 / 9), "ten folds: one to test on, nine to train on"


def test_the_bootstrap_is_scipys():
    a, b = np.random.default_rng(1).normal(size=(2, 40))
    mine = compare(a, b, level=0.9).bootstrap
    theirs = stats.bootstrap(((a - b),), np.mean, confidence_level=0.9, method="percentile", rng=5)
    assert mine == pytest.approx(tuple(theirs.confidence_interval), abs=0.02)
    assert mine == compare(a, b, level=0.9).bootstrap


def test_equal_learners_seldom_differ_beyond_chance():
    """Scores of ten folds that share a part, as overlapping training sets make them: plain t says too much."""
    rng, runs, false = np.random.default_rng(0), 300, [0, 0]
    for _ in range(runs):
        gaps = rng.normal(size=10) + math.sqrt(1 / 9) * rng.normal()
        for i, share in enumerate((None, 0.0)):
            result = compare(gaps, np.zeros(10), test_share=share)
            false[i] += result.p < 0.05
    assert false[0] / runs < 0.09 < false[1] / runs, "they are 0.05 and 0.15, with standard deviations of 0.02"


def test_the_answer_is_a_sentence_with_its_uncertainty():
    text = compare([0.3, 0.31, 0.29, 0.3], [0.2, 0.22, 0.18, 0.2], names=("tree", "bayes")).sentence()
    for part in ("tree minus bayes is 0.1", "95% interval", "p = ", "bootstrap", "not explained by chance"):
        assert part in text
    assert "cannot be distinguished from chance" in str(compare([1, 2, 3], [3, 1, 2]))


def test_scores_that_differ_by_the_same():
    assert (compare([1, 2], [1, 2]).p, compare([1, 2], [1, 2]).t) == (1.0, 0.0)
    assert (compare([1, 2], [2, 3]).p, compare([1, 2], [2, 3]).t) == (0.0, -math.inf)


@laws
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_mcnemar_is_the_binomial_test(pairs):
    a, b = (np.array(values) for values in zip(*pairs, strict=True))
    result = mcnemar(np.ones(len(a), bool), a, b)
    counts = [sum(not x and z for x, z in pairs), sum(x and not z for x, z in pairs)]
    assert [result.only_a_wrong, result.only_b_wrong] == counts
    expected = stats.binomtest(counts[0], sum(counts)).pvalue if sum(counts) else 1.0
    assert result.p == pytest.approx(expected)
    assert "only a wrong" in str(result)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: compare([1, 2], [1]), DataError, "cannot be paired"),
        (lambda: compare([1], [2]), DataError, "two folds or more"),
        (lambda: compare([1, np.nan], [1, 2]), DataError, "score 2 is NaN"),
        (lambda: compare([1, 2], [2, 3], test_share=1.0), ParameterError, "test_share is 1.0"),
        (lambda: compare([1, 2], [2, 4], level=95), ParameterError, "level is 95"),
        (lambda: mcnemar([1, 2], [1], [1, 2]), DataError, "do not fit"),
    ],
)
def test_bad_input_is_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call()
