"""Before and after: two checkouts, two processes, turns; what fails says so in its row."""

import pytest

from benchmarks.before_after import compare, take_turns
from benchmarks.timing import Rounds

WORKLOAD = """
from types import SimpleNamespace

def named(name):
    print("noise")
    contender = SimpleNamespace(ready=lambda data: data, run={run})
    return SimpleNamespace(data=lambda size, folder: size, contenders=lambda: [contender])
"""


def checkout(folder, run):
    package = folder / "benchmarks"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "workload.py").write_text(WORKLOAD.format(run=run))
    return folder


def test_each_checkout_runs_its_own_code(tmp_path):
    log = tmp_path / "log"
    old, new = (
        checkout(tmp_path / name, f"lambda data: open({str(log)!r}, 'a').write('{name}' * data['times'])")
        for name in ("b", "a")
    )
    row = compare(old, new, "any", {"times": 2}, Rounds(2, 0.0, 2))
    assert log.read_text() == "bb" + "aa" + "bbaaaabb"  # the first calls are not timed
    assert all(float(cell.strip("*")) > 0 for cell in row.split(" | "))


def test_a_process_that_fails_is_a_row_that_says_so(tmp_path, capfd):
    fine = checkout(tmp_path / "old", "lambda data: None")
    broken = checkout(tmp_path / "new", "lambda data: 1 / 0")
    assert "ended with exit code 1" in compare(fine, broken, "any", {}, Rounds(1, 0.0, 1))
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.parametrize(("rounds", "expected"), [(Rounds(3, 0.0, 9), 3), (Rounds(1, 100.0, 4), 4)])
def test_the_first_of_a_round_changes(rounds, expected):
    calls = []
    times = take_turns(lambda: calls.append("b") or 1.0, lambda: calls.append("a") or 2.0, rounds)
    assert "".join(calls) == ("baab" * expected)[: 2 * expected]
    assert times == ([1.0] * expected, [2.0] * expected)
