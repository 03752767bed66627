"""The quality gate: a time counts only if the answer agrees with ours."""

import numpy as np
import pytest

from benchmarks.race import contend
from benchmarks.timing import Rounds
from benchmarks.workload import Contender, Limit, Race, same_labels, same_numbers

ROUNDS = Rounds(least=2, seconds=0.0, most=2)


class Sum(Race):
    """The sum of a few numbers; the contenders are put in by a test."""

    name = title = "sum"

    def __init__(self, *contenders):
        self.entered = contenders

    def data(self, size, folder):
        return {"x": np.arange(5.0)}

    def contenders(self):
        return self.entered

    def agree(self, ours, theirs):
        return same_numbers({"sum": np.array(ours)}, {"sum": np.array(theirs)}, 1e-9)

    def limit(self, data):
        return Limit(data["x"].nbytes)


OURS = Contender("ours", "numpy", lambda data: data["x"].sum())


def standings(*contenders):
    race = Sum(*contenders)
    return contend(race, race.data({}, None), ROUNDS)


def test_an_answer_that_agrees_is_timed():
    ours, rival = standings(OURS, Contender("rival", "numpy", lambda data: sum(data["x"].tolist())))
    assert ours.ratio == 1.0
    assert len(rival.times) == 2
    assert rival.seconds == pytest.approx(np.median(rival.times))
    assert rival.ratio == pytest.approx(np.median(np.divide(rival.times, ours.times)))
    assert rival.quality == "equal to 0e+00"
    assert rival.note == ""


def test_a_wrong_answer_has_no_time_however_fast_it_was():
    calls = []

    def guess(data):
        calls.append(1)
        return 10.1

    _, rival = standings(OURS, Contender("guess", "numpy", guess))
    assert rival.seconds is rival.ratio is None
    assert rival.note == "the answers differ: equal to 1e-02"
    assert len(calls) == 1, "it warmed up and was not run again"


def test_a_rival_that_is_missing_or_breaks_says_so_and_the_others_race_on():
    def breaks(data):
        raise MemoryError("out of memory\nat line 3")

    ours, missing, broken, rival = standings(
        OURS,
        Contender("missing", "no-such-package", OURS.run),
        Contender("broken", "numpy", breaks),
        Contender("rival", "numpy", OURS.run),
    )
    assert missing.note == "no-such-package is not installed"
    assert broken.note == "failed: MemoryError: out of memory"
    assert (missing.seconds, broken.seconds) == (None, None)
    assert len(ours.times) == len(rival.times) == 2


def test_without_our_answer_nobody_has_a_time():
    def breaks(data):
        raise ValueError("no")

    standing = standings(Contender("ours", "numpy", breaks), OURS)
    assert [s.seconds for s in standing] == [None, None]
    assert standing[1].note == "there is no answer of ours to compare with"


def test_goal_and_reason_of_a_contender_go_with_its_standing():
    rival = Contender("rival", "no-such-package", OURS.run, goal=1.5, because="of the sorting")
    ours, missing = standings(OURS, rival)
    assert (ours.goal, ours.because) == (None, "")
    assert (missing.goal, missing.because) == (1.5, "of the sorting")


def test_a_bound_is_timed_without_an_answer():
    _, bound = standings(OURS, Contender("reading", "numpy", lambda data: None, bound=True))
    assert bound.ratio is not None
    assert bound.quality == ""


def test_making_ready_is_done_once_and_given_to_each_run():
    made = []

    def ready(data):
        made.append(1)
        return data["x"] * 1.0

    _, rival = standings(OURS, Contender("rival", "numpy", lambda x: x.sum(), ready))
    assert len(made) == 1
    assert len(rival.times) == 2


def test_the_gap_of_numbers_is_relative_to_the_largest_entry():
    ours = {"w": np.array([1000.0, 0.0])}
    assert same_numbers(ours, {"w": np.array([1000.0, 1e-6])}, 1e-8).close
    assert not same_numbers(ours, {"w": np.array([1000.0, 1e-6])}, 1e-10).close
    assert not same_numbers(ours, {"w": np.array([1000.0])}, 1.0).close, "another shape is another answer"
    assert not same_numbers(ours, {"w": np.array([1000.0, np.nan])}, 1.0).close


def test_labels_may_differ_in_rows_on_the_border_only():
    ours = np.zeros(200_000)
    theirs = ours.copy()
    assert same_labels(ours, theirs).words == "the same classes"
    theirs[:1] = 1
    assert same_labels(ours, theirs).close
    theirs[:100] = 1
    assert not same_labels(ours, theirs).close
