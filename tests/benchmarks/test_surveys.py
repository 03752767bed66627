"""Every learner is surveyed: its sizes span two decades, its data fit it, and what is measured is what was done."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks import learners, memory, runner
from benchmarks.learners import LEARNERS, Subject, fitting, learner_class, some_families
from benchmarks.tasks import TaskError
from benchmarks.workloads import cold_start
from benchmarks.workloads.cold_start import COMMAND, ColdStarts
from benchmarks.workloads.growth_curves import GrowthCurves, exponents
from novacula.learner import registry

MEGABYTES = 8
ROOT = Path(__file__).parents[2]


class Sleeper:
    """Takes time in proportion to n·d, and says that it holds memory in proportion to n."""

    held = 0

    class card:  # noqa: N801  (the attribute of a learner)
        cost_exponents = {"n": 1}  # noqa: RUF012  (never changed)

    def fit(self, X):
        time.sleep(2e-3 * X.size)
        Sleeper.held = MEGABYTES * 1_000_000 * len(X)


@pytest.fixture
def sleeper(monkeypatch):
    subject = Subject(lambda n, d: {"X": np.empty((n, d))}, n=(1, 2), d=(2, 1), factors={"n": (1, 2, 4), "d": (1, 2)})
    monkeypatch.setitem(LEARNERS, "no.Sleeper", subject)
    monkeypatch.setattr(learners, "learner_class", lambda name: Sleeper)
    monkeypatch.setattr("benchmarks.workloads.growth_curves.learner_class", lambda name: Sleeper)
    monkeypatch.setattr(memory, "reset_peak", lambda: 1_000)
    monkeypatch.setattr(memory, "peak_since", lambda: 1_000 + Sleeper.held)
    monkeypatch.setattr("gc.collect", lambda: 0)  # slow among all that tests have imported
    return "no.Sleeper"


def test_the_table_holds_every_learner_of_the_registry_and_no_other():
    assert {registry.learner_id(learner_class(name)) for name in LEARNERS} == set(registry.learners())
    assert len(LEARNERS) == len(registry.learners())
    assert GrowthCurves().subjects(quick=False) == list(LEARNERS)
    assert ColdStarts().subjects(quick=False) == [*LEARNERS, COMMAND]


def test_sizes_span_two_decades_unless_the_table_says_otherwise():
    for name, subject in LEARNERS.items():
        for axis, place in (("n", 0), ("d", 1)):
            sizes = subject.sizes(axis)
            grown = [size[place] for size in sizes]
            assert len({size[1 - place] for size in sizes}) == 1, "the other one is held"
            assert grown == sorted(grown)
            assert (grown[-1] == 100 * grown[0]) is (axis not in subject.factors), name


def test_a_quick_run_takes_one_learner_of_every_third_family():
    families = [name.partition(".")[0] for name in some_families()]
    assert families == list(dict.fromkeys(name.partition(".")[0] for name in LEARNERS))[::3]
    assert len(families) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_the_data_of_the_table_fit_each_learner(name):
    fitting(name, cold_start.ROWS, cold_start.COLUMNS)()


def test_a_curve_measures_the_time_and_the_memory_of_a_fit(sleeper):
    along_n, along_d = GrowthCurves().measure(sleeper, quick=True)["axes"]
    assert (along_n["along"], along_n["sizes"], along_n["held"], along_n["card"]) == ("n", [1, 2, 4], 2, 1)
    assert (along_d["along"], along_d["sizes"], along_d["held"], along_d["card"]) == ("d", [2, 4], 1, None)
    for seconds, cells in zip(along_n["seconds"], (2, 4, 8), strict=True):
        assert seconds >= 2e-3 * cells
    assert along_n["extra"] == [rows * MEGABYTES * 1_000_000 for rows in along_n["sizes"]]
    assert along_n["memory_exponent"] == pytest.approx(1.0)
    assert "time ∝ n^" in GrowthCurves().line({"axes": [along_n, along_d]})


def test_where_memory_is_not_known_there_is_none():
    assert exponents([1, 10], [1.0, 10.0], [None, None])["memory_exponent"] is None
    assert exponents([1, 10], [1.0, 10.0], [10, 5_000_000])["memory_exponent"] is None, "one size is not a curve"


@pytest.mark.skipif(sys.platform != "linux", reason="the peak can be reset on Linux only")
def test_the_peak_can_be_reset():
    """In a process of its own: threads of this one would add to the peak."""
    code = """if True:
        import json
        import numpy as np
        from benchmarks import memory
        np.ones(10_000_000).sum()
        before = memory.reset_peak()
        forgotten = memory.peak_since() - before
        np.ones(5_000_000).sum()
        print(json.dumps([forgotten, memory.peak_since() - before]))"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    after_eighty, after_forty = json.loads(done.stdout)
    assert after_eighty < 20_000_000, "the 80 MB from before are forgotten"
    assert after_forty == pytest.approx(40_000_000, rel=0.1)


@pytest.mark.parametrize("quick", [False, True])
def test_a_cold_start_compiles_into_an_empty_cache_and_then_finds_it_full(monkeypatch, quick):
    seen = []

    def process(*command, **environment):
        seen.append(environment.get("NUMBA_CACHE_DIR"))
        if seen[-1] is not None:
            cache = Path(seen[-1])
            assert cache.exists() is (len(seen) > 1), "empty at first"
            cache.mkdir(exist_ok=True)
            (cache / "kernel.nbc").touch()
        return float(len(seen))

    monkeypatch.setattr(cold_start, "wall", process)
    found = ColdStarts().measure("bayes.NaiveBayes", quick)
    if quick:
        assert seen == [None, None], "the cache that everybody uses"
        assert found == {"uncached": None, "cached": 2.0, "rounds": 1, "kernels": None}
    else:
        assert len(set(seen)) == 1
        assert found == {"uncached": 1.0, "cached": 4.0, "rounds": 5, "kernels": 1}
    assert "cached" in ColdStarts().line(found)


def test_each_run_of_the_command_has_a_folder_of_its_own(monkeypatch):
    folders = []
    monkeypatch.setattr(cold_start, "wall", lambda *command: folders.append(command[command.index("--out") + 1]) or 1.0)
    ColdStarts().measure(COMMAND, quick=True)
    assert len(set(folders)) == len(folders) == 2, "a study would go on from what an earlier one measured"


def test_a_survey_that_fails_is_a_result_that_says_so(monkeypatch):
    def fails(task, **arguments):
        raise TaskError(f"{task} {arguments['subject']}")

    monkeypatch.setattr(runner, "in_new_process", fails)
    said = []
    found = runner._surveyed(GrowthCurves(), "bayes.NaiveBayes", True, said.append)
    assert found == {"name": "bayes.NaiveBayes", "note": "failed: survey bayes.NaiveBayes"}
    assert said == ["growth_curves, bayes.NaiveBayes: failed: survey bayes.NaiveBayes"]
