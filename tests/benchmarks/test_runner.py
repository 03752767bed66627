"""A race that breaks off leaves a row for each contender that says how far it came."""

from dataclasses import asdict

import pytest

from benchmarks import runner
from benchmarks.machine import Machine
from benchmarks.tasks import TaskError
from benchmarks.workload import named

MACHINE = Machine("cpu", 2, 1, bandwidth=10e9, flops=100e9)
RIDGE = named("ridge")
NAMES = [contender.name for contender in RIDGE.contenders()]


def raced(monkeypatch, task_that_fails, quick=False):
    def process(task, contender="", **arguments):
        if task == task_that_fails and contender != NAMES[0]:
            raise TaskError("no memory")
        standing = {
            "bound": False,
            "goal": 2.0,
            "because": "",
            "note": "",
            "times": [1.0],
            "seconds": 1.0,
            "ratio": 1.0,
        }
        standings = [standing | {"name": name, "quality": "equal"} for name in NAMES]
        peak = {"peak": 2, "baseline": 1, "first_call": 1.5}
        return {"race": {"limit": {"bytes": 1.0, "flops": 0.0}, "standings": standings}, "peak": peak}.get(task)

    monkeypatch.setattr(runner, "in_new_process", process)
    monkeypatch.setattr(runner, "in_process_of", lambda file, task, **arguments: process(task, **arguments))
    return runner._raced(RIDGE, RIDGE.quick[0], quick, MACHINE, lambda line: None)["standings"]


@pytest.mark.parametrize("task", ["prepare", "race"])
def test_without_a_race_every_contender_says_why_and_keeps_its_goal(monkeypatch, task):
    found = raced(monkeypatch, task)
    assert [standing["name"] for standing in found] == NAMES
    assert {standing["note"] for standing in found} == {"failed: no memory"}
    assert [standing["goal"] for standing in found] == [contender.goal for contender in RIDGE.contenders()]
    assert {standing["ratio"] for standing in found} == {None}


def test_a_failure_after_the_race_keeps_the_times_and_marks_those_without_a_peak(monkeypatch):
    ours, *rivals = raced(monkeypatch, "peak")
    assert (ours["note"], ours["peak"]) == ("", 2)
    assert {(rival["note"], rival["ratio"]) for rival in rivals} == {("failed: no memory", 1.0)}


def test_a_quick_race_has_times_and_no_peaks(monkeypatch):
    found = raced(monkeypatch, "peak", quick=True)
    assert {(standing["note"], standing["ratio"], "peak" in standing) for standing in found} == {("", 1.0, False)}


def test_results_are_given_after_each_measurement(monkeypatch):
    monkeypatch.setattr(runner, "in_new_process", lambda task: asdict(MACHINE))
    monkeypatch.setattr(runner, "_raced", lambda race, size, *_: {"name": race.name, "size": dict(size)})
    trees = named("exact_tree")
    known = [len(results["races"]) for results in runner.run([RIDGE, trees], True, lambda line: None)]
    assert known == list(range(1, len(RIDGE.quick) + len(trees.quick) + 1))
