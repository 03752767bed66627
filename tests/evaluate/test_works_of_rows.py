"""Works of intervals, splits and folds: their numbers are those of SciPy and of counting, and a false one is found."""

import copy
import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import ShuffleSplit

from novacula import datasets
from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.evaluate import Folds, compare, folds, mean_interval, proportion_interval, split


@pytest.mark.parametrize(("errors", "n"), [(0, 40), (12, 40), (40, 40), (1, 700)])
@pytest.mark.parametrize(("method", "known"), [("wilson", "wilson"), ("clopper_pearson", "exact")])
def test_intervals_of_proportions_are_derived(errors, n, method, known):
    interval = proportion_interval(errors, n, method=method)
    check_work(interval, drawn=False)
    expected = stats.binomtest(errors, n).proportion_ci(method=known)
    np.testing.assert_allclose(interval, (expected.low, expected.high), atol=1e-12)


def test_fractions_of_rows_are_derived():
    check_work(proportion_interval(3.5, 40, method="clopper_pearson"), drawn=False)


@pytest.mark.parametrize("values", [[1.0, 2.0, 4.0], [3.0], np.linspace(0, 1, 50)])
def test_intervals_of_means_are_derived(values):
    check_work(mean_interval(values), drawn=False)


@pytest.mark.parametrize("interval", [proportion_interval(12, 40), mean_interval([1.0, 2.0, 4.0])])
def test_a_false_end_is_found(interval):
    false = type(interval)(interval.low, interval.high + 0.001, interval.derive)
    with pytest.raises(AssertionError, match="high"):
        check_work(false)


def test_a_false_end_of_clopper_and_pearson_is_found():
    interval = proportion_interval(3, 40, method="clopper_pearson")
    derive = interval.derive
    derive = type(derive)(derive.func, interval.low, interval.high + 0.001, **derive.keywords)
    with pytest.raises(AssertionError):
        check_work(type(interval)(interval.low, interval.high + 0.001, derive))


def test_an_interval_is_still_a_pair():
    interval = mean_interval([1.0, 2.0, 4.0])
    low, high = interval
    assert interval == (low, high) == (interval.low, interval.high)
    for other in (pickle.loads(pickle.dumps(interval)), copy.deepcopy(interval)):
        assert other == interval
        assert str(other.work()) == str(interval.work())


def test_an_interval_of_another_result_refers_to_it():
    with pytest.raises(ParameterError, match="part of another result"):
        compare([0.2, 0.3, 0.4], [0.3, 0.3, 0.5]).interval.work()


# --- rows ---------------------------------------------------------------------------------------------------


def test_the_parts_of_a_split_are_counted():
    parts = split(datasets.load("play_tennis"), test=0.3, validation=0.2)
    check_work(parts, drawn=False)
    train, validation, test = parts
    assert parts.sizes == (len(train), len(validation), len(test)) == (7, 3, 4)
    assert sorted(np.concatenate(parts.rows).tolist()) == list(range(14))
    assert "No         3           1     1" in str(parts.work())  # 5 of 14 say No


def test_a_split_without_classes_or_with_an_empty_part():
    parts = split(np.arange(20.0)[:, None], np.arange(20.0), validation=0.0)
    check_work(parts, drawn=False)
    assert parts.validation is None
    assert "classes" not in str(parts.work())
    again = pickle.loads(pickle.dumps(parts))
    assert again.sizes == parts.sizes == (16, 0, 4)
    assert str(again.work()) == str(parts.work())


def test_the_folds_are_counted():
    parts = folds(["no", "yes", "yes", "no", "yes", "no", "yes"], folds=3)
    check_work(parts, drawn=False)
    text = str(parts.work())
    assert "= 3 + 2 + 2 = 7" in text
    parts = folds(["no", "yes", "yes", "no", "yes", "no", "yes"], folds=5)
    assert "4 folds instead of 5, since no class has more rows" in str(parts.work())


def test_many_folds_are_cut_unless_all_are_asked_for():
    parts = folds(40, folds=40)
    assert "Only the first 12 of 40 folds are derived" in str(parts.work())
    assert len(list(parts.work(detail="full"))) == 41  # and the sum of them
    check_work(parts, detail="full", drawn=False)


def test_rows_that_are_held_out_twice_are_not_added_up():
    pairs = tuple(ShuffleSplit(3, test_size=4, random_state=0).split(np.zeros(10)))
    parts = Folds(pairs)
    check_work(parts, drawn=False)
    assert "held out once" not in str(parts.work())


def test_folds_of_several_sizes_are_each_counted():
    parts = Folds(((np.arange(6), np.arange(6, 10)), (np.arange(3), np.arange(6, 10))))
    check_work(parts, drawn=False)
    assert "3 + 4 = 7" in str(parts.work())
