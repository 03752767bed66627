"""Contenders, the race, the ledger and the plan: what is run, what drops out, and what is never run twice."""

import json
import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import novacula as nv
from novacula.errors import DataError
from novacula.learner.registry import find
from novacula.study import plan as planning
from novacula.study import race as racing
from novacula.study.asking import ask
from novacula.study.candidates import LearnerCandidate
from novacula.study.cell import Job, Measurement, TrialRun
from novacula.study.contender import Contender
from novacula.study.ledger import Ledger
from novacula.study.plan import TimeGrowth, plan
from novacula.study.race import Race
from novacula.study.second_chance import second_chances
from novacula.table.crew import Alone, Crew
from novacula.table.interruption import Interruption
from novacula.table.time_limit import TimeLimitError

CARD = find("naive-bayes").card


def contender(errors: Callable[[int, int], float], sizes=(1, 2, 3), folds=6, name="naive-bayes"):
    made = Contender(LearnerCandidate(name, CARD, sizes), folds)
    made.errors = errors
    return made


def run_alone(one):
    ran = []
    while (place := one.take()) is not None:
        ran.append(place)
        one.put(place, Measurement(0.0, one.errors(*place), 1.0, 0.01, 0.01))
    return ran


def test_folds_come_one_after_the_other_and_all_sizes_run():
    one = contender(lambda size, fold: 0.1)
    assert run_alone(one) == [(size, fold) for fold in range(6) for size in range(3)]
    assert one.complete() == [0, 1, 2]
    assert one.waiting == 0


def test_a_size_that_is_clearly_worse_drops_out_after_three_folds():
    noise = np.random.default_rng(0).normal(0, 0.005, (3, 6))
    one = contender(lambda size, fold: 0.1 + 0.3 * (size == 0) + noise[size, fold])
    ran = run_alone(one)
    assert (0, 2) in ran
    assert (0, 3) not in ran
    assert one.complete() == [1, 2]
    assert one.dropped == {0: "clearly behind after 3 folds"}


def test_a_size_that_a_rule_may_still_take_stays():
    errors = np.array([[0.20, 0.30, 0.25, 0.22, 0.28, 0.25], [0.10, 0.35, 0.20, 0.15, 0.30, 0.22]])
    one = contender(lambda size, fold: errors[size, fold], sizes=(1, 2))
    run_alone(one)
    assert one.complete() == [0, 1]


def test_the_same_size_always_wins_whatever_is_dropped():
    rng = np.random.default_rng(1)
    for _ in range(200):
        level = rng.uniform(0, 0.5, 4)
        errors = level[:, None] + rng.normal(0, 0.03, (4, 8)) + rng.normal(0, 0.05, 8)
        one = contender(lambda size, fold, errors=errors: errors[size, fold], sizes=(1, 2, 3, 4), folds=8)
        run_alone(one)
        assert errors.mean(axis=1).argmin() in one.complete()


def test_a_failure_ends_its_size_alone():
    one = Contender(LearnerCandidate("naive-bayes", CARD, (1, 2)), 4)
    while (place := one.take()) is not None:
        failed = place == (0, 1)
        one.put(place, Measurement(failure="it broke") if failed else Measurement(0.0, 0.1, 1.0, 0.1, 0.1))
    assert one.complete() == [1]
    assert one.failure() == "it broke"


class Scripted(Crew):
    """Answers jobs by a function, two at a time."""

    places = 2

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def submit(self, function, job, seconds=None):
        self.asked.append(job)
        return Alone(None).submit(lambda _: self.answer(job))


def test_every_contender_is_tried_first_and_then_one_after_the_other():
    crew = Scripted(lambda job: Measurement(0.0, 0.1, 1.0, 0.01, 0.01))
    contenders = [contender(None, sizes=(None,), folds=3, name=name) for name in ("a", "b", "c")]
    Race(contenders, Ledger(), None).run(crew)
    assert [job.learner for job in crew.asked[:5]] == ["a", "a", "a", "b", "c"]  # "a" is the baseline
    assert sorted((job.learner, job.fold) for job in crew.asked) == [
        (name, fold) for name in "abc" for fold in range(3)
    ]


def test_ctrl_c_leaves_what_was_finished():
    def answer(job):
        if job.learner == "b" and job.fold == 2:
            raise KeyboardInterrupt
        return Measurement(0.0, 0.1, 1.0, 0.01, 0.01)

    contenders = [contender(None, sizes=(None,), folds=3, name=name) for name in ("a", "b")]
    race = Race(contenders, Ledger(), None)
    race.run(Scripted(answer))
    assert "interrupted" in race.stopped
    assert contenders[0].complete() == [0]
    assert contenders[1].complete() == []


def test_ctrl_c_that_was_lost_on_the_way_ends_the_race_after_the_cell():
    """Code that is called from compiled libraries passes no exceptions on."""
    interruption = Interruption()

    def answer(job):
        interruption.happened |= job.learner == "other" and job.fold == 1
        return Measurement(0.0, 0.1, 1.0, 0.01, 0.01)

    contenders = [contender(None, sizes=(None,), folds=9, name=name) for name in ("baseline", "other")]
    race = Race(contenders, Ledger(), None, interruption=interruption)
    race.run(Scripted(answer))
    assert race.interrupted
    assert contenders[0].complete() == [0]
    assert contenders[1].complete() == []


def test_ctrl_c_in_the_middle_of_the_baseline_lets_it_end():
    pressed = iter([True])

    def answer(job):
        if next(pressed, False):
            raise KeyboardInterrupt
        return Measurement(0.0, 0.1, 1.0, 0.01, 0.01)

    baseline, other = (contender(None, sizes=(None,), folds=3, name=name) for name in ("baseline", "other"))
    race = Race([baseline, other], Ledger(), None)
    race.run(Scripted(answer))
    assert race.interrupted
    assert baseline.complete() == [0]
    assert other.complete() == []


def test_a_worker_that_is_lost_is_reported_and_not_remembered(tmp_path):
    class Broken(Crew):
        def submit(self, function, job, seconds=None):
            future = Future()
            future.set_exception(RuntimeError("the process died"))
            return future

    one, ledger = contender(None, sizes=(None,), folds=2), Ledger(tmp_path, "f" * 64)
    Race([one], ledger, None).run(Broken())
    assert one.failure() == "a worker was lost: the process died"
    assert len(Ledger(tmp_path, "f" * 64)) == 0


def test_a_budget_gives_up_the_richest_sizes_of_the_slowest_first(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(racing.time, "monotonic", lambda: now[0])
    costs = {"quick": 0.01, "slow": 1.0}

    def answer(job):
        now[0] += costs[job.learner] / 2  # two at a time
        return Measurement(0.0, 0.1, 1.0, costs[job.learner], costs[job.learner])

    contenders = [contender(None, sizes=(1, 2, 3, 4), folds=5, name=name) for name in costs]
    race = Race(contenders, Ledger(), deadline=6.0)
    race.run(Scripted(answer))
    quick, slow = contenders
    assert quick.complete() == [0, 1, 2, 3]
    assert slow.complete() in ([0], [0, 1])
    assert list(slow.dropped) == [3, 2] or list(slow.dropped) == [3, 2, 1]
    assert now[0] < 8.0


def test_what_is_in_the_ledger_is_never_run_again(tmp_path):
    crew = Scripted(lambda job: Measurement(0.1, 0.2, 3.0, 0.01, 0.02, warnings=("careful",)))
    first = contender(None, sizes=(0.1, 1, None), folds=4)
    Race([first], Ledger(tmp_path, "a" * 64), None).run(crew)
    again, idle = contender(None, sizes=(0.1, 1, None), folds=4), Scripted(None)
    Race([again], Ledger(tmp_path, "a" * 64), None).run(idle)
    assert idle.asked == []
    assert again.cells == first.cells
    other = contender(None, sizes=(0.1, 1, None), folds=4)
    Race([other], Ledger(tmp_path, "b" * 64), None).run(crew)
    assert len(crew.asked) == 24  # another question begins again


def test_a_ledger_that_was_cut_off_in_a_line_goes_on(tmp_path):
    ledger = Ledger(tmp_path, "c" * 64)
    for fold in range(3):
        ledger.enter(Job("tree", 8, fold), Measurement(0.0, math.inf, 1.0, 0.1, 0.1))
    path = next(tmp_path.iterdir())
    path.write_text(path.read_text()[:-20])
    kept = Ledger(tmp_path, "c" * 64)
    assert len(kept) == 2
    assert kept.find(Job("tree", 8, 1)).error == math.inf
    lines = path.read_text().splitlines()
    path.write_text("\n".join(["not json", *lines[1:]]))
    with pytest.raises(DataError, match="line 1"):
        Ledger(tmp_path, "c" * 64)


def test_cells_are_plain_json(tmp_path):
    ledger = Ledger(tmp_path, "d" * 64)
    ledger.enter(Job("ridge", 0.5, 0), Measurement(0.0, 0.5, 1.0, 0.1, 0.1))
    entry = json.loads(next(tmp_path.iterdir()).read_text())
    assert entry["job"]["learner"] == "ridge"
    assert entry["measured"]["error"] == 0.5


# --- the plan ---------------------------------------------------------------------------------------------------------


def wide_question(n=8000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=np.where(X.sum(axis=1) > 0, "+", "-"))
    return ask(nv.read(frame, "y"), folds=5, test=0.2, metric=None, task=None, seed=0)


class Clocked(Crew):
    """Trials that take what their growth says, and err by it."""

    places = 2

    def __init__(self, seconds, errors=lambda size: 0.1):
        self.of, self.errors, self.asked = seconds, errors, []

    def submit(self, function, learner, sizes, rows, enough, seconds=None):
        self.asked.append((learner, rows))
        cells = {k: Measurement(0, self.errors(size), 1, 0.0, self.of[learner](rows)) for k, size in sizes.items()}
        return Alone(None).submit(lambda _: TrialRun(rows, self.of[learner](0), cells))


def test_slow_learners_get_fewer_rows_and_the_quick_leave_them_their_time():
    question = wide_question()
    quick = contender(None, sizes=(None,), folds=5, name="quick")
    slow = contender(None, sizes=(1, 2, 3), folds=5, name="slow")
    seconds = {"quick": lambda n: 1e-6 * n, "slow": lambda n: 6e-3 * n}  # 31 s a cell of 5,120 rows
    plan(question, [contender(None), quick, slow], Clocked(seconds), seconds=100.0)
    assert quick.rows is None
    assert slow.rows == 1000  # one size on 4,000 rows would take 120 s
    assert slow.obstacle == ""
    assert slow.alive == [0, 1]
    assert slow.guesses == pytest.approx({0: 6.0, 1: 6.0})


def test_of_many_sizes_the_promising_ones_are_run_on_more_rows():
    one = contender(None, sizes=(1, 2, 3, 4, 5, 6), folds=5, name="slow")
    crew = Clocked({"slow": lambda n: 1e-3 * n}, errors=lambda size: abs(size - 3))
    plan(wide_question(), [contender(None), one], crew, seconds=115.0)  # 5.12 s a cell: 3 of 6 sizes fit
    assert one.rows is None
    assert one.alive == [2, 3, 4]  # the best, and richer ones
    assert set(one.dropped.values()) == {"left out because time was short"}


def test_what_is_too_slow_even_so_is_left_out_with_the_reason():
    one = contender(None, sizes=(1, 2), folds=5, name="snail")
    plan(wide_question(), [contender(None), one], Clocked({"snail": lambda n: 0.1 * n}), seconds=20.0)
    assert "1,000 rows of each fold would take about 500 s" in one.obstacle


def test_what_a_fit_takes_at_least_is_not_extrapolated():
    """A start-up of 0.2 s is not paid five times for five times the rows."""
    one = contender(None, sizes=(1,), folds=5, name="slow")
    plan(wide_question(), [contender(None), one], Clocked({"slow": lambda n: 0.2 + 1e-6 * n}), seconds=2.0)
    assert one.rows is None
    assert one.guesses[0] == pytest.approx(0.205, abs=1e-3)


def test_small_tables_need_no_plan():
    question = ask(nv.datasets.load("iris"), folds=5, test=0.2, metric=None, task=None, seed=0)
    one = contender(None)
    plan(question, [contender(None), one], Scripted(None), seconds=0.001)
    assert one.rows is None


def trial(rows, seconds, fixed=0.0):
    return TrialRun(rows, fixed, {0: Measurement(0, 0.1, 1, 0.0, seconds)})


def test_growth_is_measured_by_two_trials():
    growth = TimeGrowth(contender(None, sizes=(1,)), [trial(1000, 0.5)])
    assert growth.seconds(0, 2000) == pytest.approx(1.0)  # n¹, as the card of naive Bayes says
    growth.trials.append(trial(4000, 8.0))  # n²
    assert growth.seconds(0, 8000) == pytest.approx(32.0)


def test_what_keeps_its_rows_grows_with_their_square():
    candidate = LearnerCandidate("k-neighbors-classifier", find("k-neighbors-classifier").card, (1,))
    growth = TimeGrowth(Contender(candidate, 5), [trial(1000, 0.5)])
    assert growth.seconds(0, 2000) == pytest.approx(2.0)


def test_trials_end_before_they_have_used_up_the_race(monkeypatch):
    """On a busy machine trials take long: the quick ones are tried first, and what was not tried may come back."""
    now = [0.0]
    monkeypatch.setattr(planning.time, "monotonic", lambda: now[0])
    costs = {"quick": 0.1, "slow": 6.0, "untried": 0.1}

    class Busy(Clocked):
        def submit(self, function, learner, sizes, rows, enough, seconds=None):
            now[0] += costs[learner] / self.places
            return super().submit(function, learner, sizes, rows, enough, seconds)

    crew = Busy({name: lambda n, name=name: 1e-6 * n for name in costs})
    quick, slow, untried = (contender(None, sizes=(1, 2), folds=5, name=name) for name in costs)
    for one, exponent in ((slow, 2.0), (untried, 3.0)):
        card = replace(CARD, cost_exponents={"n": exponent})
        one.candidate = LearnerCandidate(one.candidate.learner, card, (1, 2))
    plan(wide_question(), [contender(None), untried, slow, quick], crew, seconds=14.0)
    assert crew.asked == [("quick", 1000), ("slow", 1000)]
    assert (quick.obstacle, slow.obstacle) == ("", "")
    assert untried.obstacle == "left out because time was short: it was not tried"
    [chance] = second_chances([untried], 5120, seconds=30.0)
    chance.take()
    assert (untried.obstacle, untried.rows, untried.alive) == ("", None, [1])


# --- time that is left over -------------------------------------------------------------------------------------------


def measured(one, seconds, sizes, error=lambda size: 0.1):
    for size in sizes:
        for fold in range(one.n_folds):
            one.put((size, fold), Measurement(0.0, error(size), 1.0, seconds, seconds))


def test_sizes_come_back_nearest_to_the_best_as_far_as_time_allows():
    one = contender(None, sizes=(1, 2, 3, 4), folds=5)
    for size in (0, 3):
        one.give_up(size, "left out because time was short")
    measured(one, 0.1, (1, 2))
    assert second_chances([one], 5000, seconds=0.4) == []
    [chance] = second_chances([one], 5000, seconds=0.6)
    chance.take()
    assert one.alive == [0, 1, 2]
    assert one.waiting == 5
    one.give_up(0, "left out because time was short")
    [chance] = second_chances([one], 5000, seconds=0.6)  # not the same one again
    assert list(chance.seconds) == [3]


def test_a_contender_with_fewer_rows_begins_again_with_more_and_keeps_what_it_has():
    one = contender(None, sizes=(1, 2), folds=5)
    one.rows = 1000
    measured(one, 0.1, (0, 1), error=lambda size: 0.2 - 0.1 * size)
    [chance] = second_chances([one], 20_000, seconds=11.0)  # 2 s a cell of all rows, as naive Bayes grows
    assert (chance.rows, list(chance.seconds)) == (None, [1])
    chance.take()
    assert (one.rows, one.alive, one.complete()) == (None, [1], [])
    one.put((1, 0), Measurement(0.0, 0.05, 1.0, 2.0, 2.0))
    one.settle()  # the race ended before the other folds
    assert (one.rows, one.complete()) == (1000, [0, 1])


def test_time_that_is_left_is_used():
    """What is given up since one contender looks slow runs after all when it was not."""
    now = [0.0]

    def answer(job):
        is_first = job.learner == "slow" and job.fold == 0
        now[0] += (4.0 if is_first else 0.02) / 2  # the machine was busy
        return Measurement(0.0, 0.1, 1.0, 0.02, 4.0 if is_first else 0.02)

    names = ("baseline", "slow", "quick")
    contenders = [contender(None, sizes=(1, 2, 3), folds=5, name=name) for name in names]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(racing.time, "monotonic", lambda: now[0])
        Race(contenders, Ledger(), deadline=30.0, n_rows=100).run(Scripted(answer))
    assert [one.complete() for one in contenders] == [[0, 1, 2]] * 3


def test_what_saves_little_is_not_given_up_before_what_saves_much():
    now = [0.0]
    costs = {"baseline": 0.0, "behind": 0.01, "slow": 3.0}

    def answer(job):
        now[0] += costs[job.learner] / 2
        return Measurement(0.0, 0.3 if job.learner == "behind" else 0.1, 1.0, 0.0, costs[job.learner])

    contenders = [contender(None, sizes=(1, 2, 3), folds=5, name=name) for name in costs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(racing.time, "monotonic", lambda: now[0])
        Race(contenders, Ledger(), deadline=15.0, n_rows=100).run(Scripted(answer))
    assert contenders[1].complete() == [0, 1, 2]
    assert len(contenders[2].complete()) == 1


def test_an_earlier_run_decides_on_the_rows_that_it_measured():
    ledger = Ledger()
    for fold in range(5):
        ledger.enter(Job("naive-bayes", 1, fold, 4000), Measurement(0.0, 0.1, 1.0, 0.1, 0.1))
    ledger.enter(Job("naive-bayes", 1, 0), Measurement(0.0, 0.1, 1.0, 0.1, 0.1))
    one = contender(None, sizes=(1, 2), folds=5)
    Race([one], ledger, deadline=racing.time.monotonic() + 60.0).recall()
    assert (one.rows, one.complete(), one.waiting) == (4000, [0], 5)
    crew = Clocked({})
    plan(wide_question(), [contender(None), one], crew, seconds=10.0)  # it needs no trial
    assert crew.asked == []


def test_without_a_deadline_rows_that_an_earlier_run_gave_do_not_bind():
    ledger = Ledger()
    for fold in range(5):
        ledger.enter(Job("naive-bayes", 1, fold, 1000), Measurement(0.0, 0.1, 1.0, 0.1, 0.1))
    ledger.enter(Job("naive-bayes", 1, 0), Measurement(0.0, 0.2, 1.0, 0.1, 0.1))
    one = contender(None, sizes=(1, 2), folds=5)
    Race([one], ledger, deadline=None).recall()
    assert (one.rows, len(one.cells), one.waiting) == (None, 1, 9)


def test_a_size_that_was_given_up_and_then_failed_does_not_come_back():
    one = contender(None, sizes=(1, 2, 3), folds=2)
    measured(one, 0.1, (0,))
    for size in (1, 2):
        one.give_up(size, "left out because time was short")
    one.put((1, 0), Measurement(failure="it broke"))  # it was running
    [chance] = second_chances([one], 5000, seconds=100.0)
    assert list(chance.seconds) == [2]


# --- cells that take too long -----------------------------------------------------------------------------------------


def test_a_cell_that_is_ended_takes_richer_sizes_with_it_and_then_rows():
    def answer(job):
        if job.rows is None or job.size == 3:
            raise TimeLimitError(1.0)
        return Measurement(0.0, 0.1, 1.0, 0.01, 0.01)

    class Ending(Crew):
        def submit(self, function, job, seconds=None):
            future = Future()
            try:
                future.set_result(answer(job))
            except TimeLimitError as error:
                future.set_exception(error)
            return future

    baseline = contender(None, sizes=(None,), folds=3, name="baseline")
    baseline.rows = 9
    slow = contender(None, sizes=(1, 2, 3), folds=3, name="slow")
    Race([baseline, slow], Ledger(), deadline=racing.time.monotonic() + 60.0, n_rows=20_000).run(Ending())
    assert slow.rows == 16_000  # it comes back from 5,000, which take no time
    assert slow.complete() == [0, 1]
    few = contender(None, sizes=(1,), folds=3, name="few")
    Race([baseline, few], Ledger(), deadline=racing.time.monotonic() + 60.0, n_rows=200).run(Ending())
    assert few.obstacle.startswith("left out because time was short: a fit takes longer than")


def test_the_baseline_ends_even_without_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(racing.time, "monotonic", lambda: now[0])

    def answer(job):
        now[0] += 10.0
        return Measurement(0.0, 0.1, 1.0, 10.0, 10.0)

    one, other = (contender(None, sizes=(None,), folds=5, name=name) for name in ("baseline", "other"))
    race = Race([one, other], Ledger(), deadline=15.0)
    race.run(Scripted(answer))
    assert "budget" in race.stopped
    assert one.complete() == [0]
    assert other.complete() == []


def test_a_slow_cell_is_left_to_a_crew_that_can_end_it():
    """In this process a cell has little time; it is not given up, but handed over."""

    class Impatient(Crew):
        def submit(self, function, job, seconds=None):
            future = Future()
            if seconds == 0.5 and job.learner == "slow":
                future.set_exception(TimeLimitError(0.5))
            else:
                future.set_result(Measurement(0.0, 0.1, 1.0, 0.01, 0.01))
            return future

    contenders = [contender(None, sizes=(None,), folds=2, name=name) for name in ("baseline", "slow")]
    race = Race(contenders, Ledger(), None)
    race.patience = 0.5
    race.run(Impatient(), until=lambda: race.has_slow_cells)
    assert contenders[1].complete() == []
    race.patience = None
    race.run(Impatient())
    assert contenders[1].complete() == [0]
