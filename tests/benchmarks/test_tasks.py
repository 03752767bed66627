"""Processes of their own: data travel through a folder, results as JSON, failures as one line."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchmarks import store, tasks
from benchmarks.tasks import ROOT, TASKS, TaskError, in_new_process, in_process_of


def test_data_come_back_as_they_were_kept(tmp_path):
    sparse = csr_matrix(np.array([[0.0, 2.0], [1.0, 0.0]]))
    store.keep({"X": np.arange(6).reshape(2, 3), "S": sparse, "sizes": [5, 6], "path": "a/b"}, tmp_path)
    data = store.fetch(tmp_path)
    np.testing.assert_array_equal(data["X"], [[0, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(data["S"].toarray(), sparse.toarray())
    assert (data["sizes"], data["path"]) == ([5, 6], "a/b")


def test_a_race_runs_from_data_to_peak_memory(tmp_path):
    where = {"workload": "gaussian_naive_bayes_predict", "folder": str(tmp_path)}
    size = {"rows": 4_000, "columns": 3}
    in_new_process("prepare", size=size, **where)
    found = in_new_process("race", size=size, quick=True, **where)
    assert found["limit"]["bytes"] == 4_000 * (3 + 1) * 8
    ours, rival = found["standings"]
    assert ours["note"] == rival["note"] == ""
    assert rival["quality"] == "the same classes"
    peak = in_new_process("peak", contender="Novacula", **where)
    assert 0 < peak["baseline"] <= peak["peak"]


def test_a_race_makes_the_data_that_were_not_prepared(tmp_path):
    size = {"rows": 4_000, "columns": 3}
    found = TASKS["race"](workload="gaussian_naive_bayes_fit", size=size, folder=str(tmp_path), quick=True)
    assert found["limit"]["bytes"] > 0
    assert [standing["note"] for standing in found["standings"]] == ["", ""]


def test_the_process_that_starts_the_others_stays_small():
    """On Linux a child inherits the peak of its parent, so the parent loads neither NumPy nor any rival."""
    code = "import sys, benchmarks.__main__ as m; m.find_workloads(); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_task_that_fails_is_one_line():
    with pytest.raises(TaskError, match="StopIteration"):
        in_new_process("probe", workload="no such workload", quick=True)


@pytest.fixture
def no_worker_left():
    yield
    tasks._worker("a").shutdown()
    tasks._worker.cache_clear()


@pytest.mark.usefixtures("no_worker_left")
def test_tasks_of_a_file_share_a_process_until_one_fails(monkeypatch):
    monkeypatch.setitem(TASKS, "number", os.getpid)
    first = in_process_of("a", "number")
    assert first == in_process_of("a", "number") != os.getpid()
    assert in_process_of("b", "number") != first
    second = in_process_of("a", "number")
    with pytest.raises(TaskError, match="StopIteration"):
        in_process_of("a", "probe", workload="no such workload", quick=True)
    assert in_process_of("a", "number") != second
