"""Rounds, medians and ratios, by a clock that the test moves itself."""

import pytest

from benchmarks.timing import Rounds, exponent, interleave, median_ratio


class Clock:
    """A clock that stands still unless a call takes its time."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def call(self, name, durations, log):
        supply = iter(durations)

        def run():
            log.append(name)
            self.now += next(supply)

        return run


def test_rounds_interleave_and_no_contender_is_always_first():
    clock, log = Clock(), []
    calls = {name: clock.call(name, [1.0] * 3, log) for name in "abc"}
    interleave(calls, Rounds(least=3, seconds=0.0, most=9), clock)
    assert "".join(log) == "abcbcacab"


def test_each_call_is_charged_its_own_time_in_every_round():
    clock, log = Clock(), []
    calls = {
        "ours": clock.call("ours", [1.0, 2.0, 4.0], log),
        "rival": clock.call("rival", [3.0, 2.0, 8.0], log),
    }
    seconds = interleave(calls, Rounds(least=3, seconds=0.0, most=9), clock)
    assert seconds == {"ours": [1.0, 2.0, 4.0], "rival": [3.0, 2.0, 8.0]}
    assert median_ratio(seconds["rival"], seconds["ours"]) == 2.0, "the median of 3, 1 and 2"


def test_the_ratio_is_taken_within_rounds_so_a_slow_spell_cancels():
    ours, rival = [1.0, 10.0, 1.0], [2.0, 20.0, 2.0]
    assert median_ratio(rival, ours) == 2.0
    assert median_ratio([9.0, *rival[1:]], ours) == 2.0


@pytest.mark.parametrize(
    ("duration", "rounds"),
    [(0.5, 8), (0.01, 9), (100.0, 3)],
    ids=["until the time is up", "at most", "at least"],
)
def test_short_calls_get_more_rounds_within_bounds(duration, rounds):
    clock, log = Clock(), []
    interleave({"a": clock.call("a", [duration] * 20, log)}, Rounds(least=3, seconds=4.0, most=9), clock)
    assert len(log) == rounds


def test_nothing_to_time_ends_at_once():
    assert interleave({}, Rounds(least=3, seconds=1.0, most=9)) == {}


def test_the_exponent_is_that_of_a_power_law():
    sizes = [1e3, 1e4, 1e5]
    assert exponent(sizes, [0.3 * size**1.5 for size in sizes]) == pytest.approx(1.5)
    assert exponent(sizes, [7.0, 7.0, 7.0]) == pytest.approx(0.0)
