"""ROC, precision and recall, confusion and calibration: against scikit-learn, by definition, and in simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from sklearn import metrics

from novacula.errors import DataError, ParameterError
from novacula.evaluate import calibration, confusion, one_vs_rest, precision_recall, roc
from novacula.evaluate.roc import delong

laws = settings(deadline=None)
scored = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)


@laws
@given(scored)
def test_roc_and_precision_are_the_reference_librarys(rows):
    y, score = (np.array(values) for values in zip(*rows, strict=True))
    curve = roc(y, score)
    for mine, theirs in zip((curve.fpr, curve.tpr, curve.thresholds), metrics.roc_curve(y, score), strict=True):
        assert (mine == theirs).all()
    assert curve.auc == pytest.approx(metrics.roc_auc_score(y, score), abs=1e-12)
    other = precision_recall(y, score)
    theirs = metrics.precision_recall_curve(y, score)
    for mine, expected in zip((other.precision, other.recall, other.thresholds), theirs, strict=True):
        assert (mine == expected).all()
    assert other.average_precision == pytest.approx(metrics.average_precision_score(y, score), abs=1e-12)
    best = max(metrics.f1_score(y, score >= t) for t in other.thresholds)
    assert other.f1().max() == pytest.approx(best)


@laws
@given(scored)
def test_delong_is_its_definition(rows):
    positives = [s for label, s in rows if label]
    negatives = [s for label, s in rows if not label]

    def wins(a, b):
        return 1.0 if a > b else 0.5 if a == b else 0.0

    above = [np.mean([wins(a, b) for b in negatives]) for a in positives]
    below = [np.mean([wins(a, b) for a in positives]) for b in negatives]
    area, error = delong(np.array(positives, float), np.array(negatives, float))
    assert area == pytest.approx(np.mean(above))
    if min(len(above), len(below)) == 1:
        assert math.isnan(error)
    else:
        expected = math.sqrt(np.var(above, ddof=1) / len(above) + np.var(below, ddof=1) / len(below))
        assert error == pytest.approx(expected, abs=1e-12)


def test_delongs_intervals_have_their_coverage():
    """Normal scores a distance d apart have an area of Φ(d/√2)."""
    rng, runs, distance = np.random.default_rng(0), 1000, 1.0
    truth, covered = float(ndtr(distance / math.sqrt(2))), dict.fromkeys(("logit", "plain"), 0)
    y = np.repeat([0, 1], [60, 40])
    for _ in range(runs):
        curve = roc(y, rng.normal(size=100) + distance * y)
        for method in covered:
            low, high = curve.interval(0.95, method)
            covered[method] += low <= truth <= high
    for count in covered.values():
        assert 0.925 <= count / runs <= 0.972, "0.95 and three standard deviations of 0.007 on either side"


@pytest.mark.slow
@pytest.mark.parametrize(("distance", "m", "n"), [(0.3, 30, 30), (1.5, 80, 40), (2.2, 100, 300)])
def test_delongs_interval_has_its_coverage_for_small_and_large_areas(distance, m, n):
    rng, runs = np.random.default_rng(1), 2000
    truth, covered = float(ndtr(distance / math.sqrt(2))), 0
    y = np.repeat([0, 1], [n, m])
    for _ in range(runs):
        low, high = roc(y, rng.normal(size=m + n) + distance * y).interval()
        covered += low <= truth <= high
    assert 0.935 <= covered / runs <= 0.965


def test_areas_without_variance_have_honest_intervals():
    y = [0] * 8 + [1] * 5
    low, high = roc(y, np.arange(13.0)).interval()
    assert (low, high) == (pytest.approx(0.025 ** (1 / 5)), 1.0)
    assert roc(y, -np.arange(13.0)).interval() == (0.0, pytest.approx(1 - 0.025 ** (1 / 5)))
    assert roc([0, 0, 1], [1.0, 3.0, 2.0]).interval() == (0.0, 1.0), "one row says nothing of its spread"


@laws
@given(scored, st.floats(0.1, 10), st.floats(0.1, 10), st.one_of(st.none(), st.floats(0, 1)))
def test_the_operating_point_has_the_least_cost_of_all_cuts(rows, cost_fp, cost_fn, prevalence):
    y, score = (np.array(values) for values in zip(*rows, strict=True))
    point = roc(y, score).operating_point(cost_fp, cost_fn, prevalence)
    pi = y.mean() if prevalence is None else prevalence

    def cost(cut):
        said = score >= cut
        return cost_fp * (1 - pi) * said[~y].mean() + cost_fn * pi * (~said[y]).mean()

    assert point.cost == pytest.approx(cost(point.threshold))
    assert point.cost <= min(cost(cut) for cut in [np.inf, *score]) + 1e-9


def test_one_class_against_the_rest():
    rng = np.random.default_rng(0)
    y, shares = np.array(list("abc"))[rng.integers(0, 3, 90)], rng.dirichlet(np.ones(3), 90)
    curves = one_vs_rest(roc, y, shares)
    mean = np.mean([curve.auc for curve in curves.values()])
    assert mean == pytest.approx(metrics.roc_auc_score(y, shares, multi_class="ovr"))
    assert list(one_vs_rest(calibration, y, shares, classes=["a", "b", "c"])) == ["a", "b", "c"]
    assert list(one_vs_rest(precision_recall, y, np.c_[shares, shares], classes=list("abcdef"))) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: roc([0, 1, 2], [1, 2, 3]), ParameterError, "3 classes: say which is positive, or use one_vs_rest"),
        (lambda: roc([1, 1], [1, 2]), DataError, "all rows are of the class 1"),
        (lambda: roc([0, 1], [[1, 2], [3, 4]]), DataError, "the column of the positive class"),
        (lambda: roc([0, 1], [1, np.nan]), DataError, "the score of row 2 is NaN"),
        (lambda: roc([0, 1], [1, 2], positive="yes"), ParameterError, "no row is of the class 'yes'"),
        (lambda: roc([0, 1], [1, 2]).interval(method="bootstrap"), ParameterError, "method is 'bootstrap'"),
        (lambda: roc([0, 1], [1, 2]).operating_point(0, 0), ParameterError, "both zero"),
        (lambda: roc([0, 1], [1, 2]).operating_point(1, 1, 2), ParameterError, "prevalence is 2"),
        (lambda: one_vs_rest(roc, [0, 1], [[1, 2, 3]] * 2), DataError, "do not fit 2 classes"),
        (lambda: calibration([0, 1], [0.5, 1.5]), DataError, "row 2 has 1.5, which is not a probability"),
        (lambda: calibration([0, 1], [0.5, 0.5], strategy="even"), ParameterError, "strategy is 'even'"),
        (lambda: calibration([0, 1], [0.5, 0.5], bins=0), ParameterError, "bins is 0"),
        (lambda: confusion([0, 1], [0]), DataError, "do not fit"),
        (lambda: confusion(["0", "1"], [0, 1]), DataError, "words and the predictions numbers"),
        (lambda: confusion([0, 1], [0, 2], labels=[0, 1]), ParameterError, "do not name the class 2"),
        (lambda: confusion([0, 1], [0, 1], labels=[0, 1, 1]), ParameterError, "labels holds 1 twice"),
    ],
)
def test_bad_input_is_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


# --- confusion ----------------------------------------------------------------------------------------------


def test_confusion_counts_as_people_write():
    result = confusion(["a"] * 5361 + ["b"] * 2, ["a"] * 5200 + ["b"] * 163)
    assert result.table().caption == "3% of 5,363 rows are wrong"
    assert "over 5,363 rows" in result.plot().alt


@laws
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=40))
def test_confusion_is_the_reference_librarys(pairs):
    y, said = (np.array(values) for values in zip(*pairs, strict=True))
    result = confusion(y, said)
    assert list(result.labels) == sorted({*y, *said})
    if len(result.labels) > 1:  # of one label the reference library warns
        assert (result.matrix == metrics.confusion_matrix(y, said)).all()
    theirs = metrics.precision_recall_fscore_support(y, said, labels=list(result.labels), zero_division=np.nan)
    precision, recall, _, support = theirs
    assert result.precision == pytest.approx(precision, nan_ok=True)
    assert result.recall == pytest.approx(recall, nan_ok=True)
    assert (result.support == support).all()
    f1 = metrics.f1_score(y, said, average=None, labels=list(result.labels), zero_division=0.0)
    assert result.f1 == pytest.approx(f1)
    assert result.error == pytest.approx(metrics.zero_one_loss(y, said))


def test_labels_give_the_order_and_weights_count():
    result = confusion([0, 1, 1], [0, 0, 1], labels=[1, 0], sample_weight=[1, 2, 4])
    assert result.matrix.tolist() == [[4, 2], [0, 1]]
    assert result.labels == (1, 0)


# --- calibration --------------------------------------------------------------------------------------------


@laws
@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=4, max_size=60).filter(
        lambda rows: len({label for label, _ in rows}) == 2
    ),
    st.integers(1, 8),
    st.sampled_from(["quantile", "uniform"]),
)
def test_the_brier_score_is_the_sum_of_its_parts(rows, bins, strategy):
    y, said = (np.array(values) for values in zip(*rows, strict=True))
    result = calibration(y, said, bins=bins, strategy=strategy)
    assert result.brier == pytest.approx(metrics.brier_score_loss(y, said), abs=1e-12)
    total = result.reliability - result.resolution + result.uncertainty + result.within
    assert result.brier == pytest.approx(total, abs=1e-12)
    assert result.count.sum() == len(y)


def test_bins_of_equal_width_are_the_reference_librarys():
    from sklearn.calibration import calibration_curve

    rng = np.random.default_rng(0)
    said = rng.random(300)
    y = rng.random(300) < said**2
    result = calibration(y, said, bins=8, strategy="uniform")
    observed, predicted = calibration_curve(y, said, n_bins=8)
    assert result.predicted == pytest.approx(predicted)
    assert result.observed == pytest.approx(observed)


def test_bins_without_spread_have_no_remainder_and_calibrated_forecasts_no_reliability():
    said = np.repeat([0.25, 0.75], 40)
    y = np.r_[np.arange(40) < 10, np.arange(40) < 30]
    result = calibration(y, said, bins=2)
    assert (result.reliability, result.within) == (pytest.approx(0), pytest.approx(0))
    assert result.resolution == pytest.approx(0.0625)
    assert (result.intervals[:, 0] < result.observed).all()
    assert (result.observed < result.intervals[:, 1]).all()
