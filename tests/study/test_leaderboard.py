"""The razor over all cells, learners that predict the same, and numbers to the digits they deserve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacula.errors import DataError
from novacula.evaluate import metric
from novacula.study.leaderboard import AS_SIMPLE, Entry, choice, leaderboard, with_spread, without_twins

ERROR_RATE = metric("error_rate")


def cell(learner, error, spread, parameters, size=None, errors=None, seconds=1.0):
    return Entry(
        learner, learner, "finished", error, spread, 0.0, "size", size, parameters, seconds, fold_errors=errors
    )


numbers = st.tuples(st.sampled_from("abc"), st.integers(0, 30), st.integers(0, 8), st.integers(1, 2000))


@given(st.lists(numbers, min_size=1, max_size=12))
def test_the_choice_is_near_the_best_simple_and_beaten_by_nothing(drawn):
    cells = [cell(name, e / 30, s / 100, p, k) for k, (name, e, s, p) in enumerate(drawn)]
    taken = choice(cells, "one_se", "classification", ERROR_RATE)
    least = min(one.error for one in cells)
    assert taken.best.error == least
    assert choice(cells, "min", "classification", ERROR_RATE).entry is taken.best
    near = [one for one in cells if one.error <= least + taken.best.standard_error]
    assert taken.entry in near
    assert taken.entry.n_parameters <= AS_SIMPLE * min(one.n_parameters for one in near)
    for one in cells:  # nothing has less error and fewer parameters
        assert not (one.error < taken.entry.error and one.n_parameters <= taken.entry.n_parameters)
    shown = leaderboard(cells, taken.entry)
    assert taken.entry in shown
    for name in {one.learner for one in cells}:
        best = min(one.error for one in cells if one.learner == name)
        assert best in [one.error for one in shown if one.learner == name]
    assert [one.error for one in shown] == sorted(one.error for one in shown)


def test_a_learner_is_compared_by_its_best_size_and_not_by_its_simplest():
    """Each learner's razor first, and then that of all, called another learner the best (heart disease)."""
    cells = [
        cell("mlp", 0.1570, 0.01, 900, 16), cell("mlp", 0.1660, 0.01, 60, 2), cell("logistic", 0.1572, 0.012, 20, 1)
    ]  # fmt: skip
    taken = choice(cells, "one_se", "classification", ERROR_RATE)
    assert taken.best is cells[0]
    assert taken.entry is cells[2]
    assert "the least error rate, 0.157 ± 0.010 by mlp, size = 16" in taken.reason
    assert choice(cells, "min", "classification", ERROR_RATE).entry is cells[0]


def test_a_few_parameters_less_are_no_reason_for_more_error():
    cells = [cell("forest", 0.100, 0.012, 34_916), cell("boosting", 0.111, 0.01, 33_795)]
    assert choice(cells, "one_se", "classification", ERROR_RATE).entry is cells[0]


def test_more_is_better_for_what_people_read_so():
    cells = [cell("rich", 0.10, 0.02, 1000), cell("simple", 0.11, 0.03, 10)]
    words = choice(cells, "one_se", "classification", metric("auc")).reason
    assert words.startswith("simple is chosen (AUC 0.890 ± 0.030)")
    assert "within one standard error of the highest AUC, 0.900 ± 0.020 by rich" in words


def test_learners_that_predict_the_same_numbers_are_one_row():
    errors = np.array([1.0, 2.0])
    cells = [
        cell("slow", 1.5, 0.1, 5, errors=errors * (1 + 1e-9), seconds=3.0),
        cell("quick", 1.5, 0.1, 5, errors=errors),
        cell("quick", 1.5, 0.1, 5, size=2, errors=errors),  # another size of the same learner stays
        cell("other", 1.5, 0.1, 5, errors=errors[::-1]),
    ]
    kept = without_twins(cells)
    assert sorted((one.learner, one.size or 0) for one in kept) == [("other", 0), ("quick", 0), ("quick", 2)]
    assert [one.note for one in kept if one.note] == ["slow has the same errors"]


def test_numbers_have_the_digits_they_deserve():
    assert with_spread(cell("a", 788_534_754.0, 106_287_315.0, 1), metric("rmse")) == "790,000,000 ± 110,000,000"
    assert with_spread(cell("a", 0.123456, 0.0123, 1), ERROR_RATE) == "0.123 ± 0.012"
    assert with_spread(cell("a", 2 / 3, 3e-17, 1), ERROR_RATE) == "0.6667 ± 3e-17"


def test_where_nothing_finished_there_is_no_choice():
    with pytest.raises(DataError, match="no learner finished"):
        choice([Entry("a", "A", "failed", note="it broke")], "one_se", "classification", ERROR_RATE)
