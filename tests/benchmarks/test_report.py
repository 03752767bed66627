"""The page and the file: every row says what it must, and a partial run keeps the rest."""

import json

import pytest

from benchmarks.machine import Machine
from benchmarks.report import markdown, merge, write
from benchmarks.workload import Figure, Limit

MACHINE = {"cpu": "A | B", "cores": 2, "memory": 24 * 2**30, "bandwidth": 33e9, "flops": 88e9}


def standing(name, seconds=None, ratio=None, note="", quality="", bound=False, peak=None):
    measured = {} if peak is None else {"peak": peak, "baseline": 100_000_000, "first_call": 1.5}
    return {
        "name": name, "bound": bound, "note": note, "quality": quality, "seconds": seconds, "ratio": ratio,
        "times": [] if seconds is None else [seconds], **measured,
    }  # fmt: skip


def race(name, *standings, note=""):
    return {
        "name": name, "title": name.title(), "size": {"rows": 2_000_000}, "standings": list(standings),
        "limit": 0.02, "limit_by": "memory", "note": note,
    }  # fmt: skip


def results(*races, growths=(), probes=(), machine=MACHINE, quick=False):
    return {
        "machine": machine, "versions": {"numpy": "2.4.0"}, "quick": quick, "races": list(races),
        "growths": list(growths), "probes": list(probes),
    }  # fmt: skip


def rows(page, containing):
    return [[cell.strip() for cell in line.split(" | ")] for line in page.splitlines() if containing in line]


def test_a_row_holds_ratio_times_memory_quality_and_distance():
    ours = standing("Novacula", 0.1, 1.0, peak=600_000_000)
    rival = standing("Rival 1", 0.42, 4.2, quality="equal to 1e-15", peak=1_100_000_000)
    page = markdown(results(race("fit", ours, rival)))
    (row,) = [row for row in rows(page, "| Rival 1 |") if len(row) == 9]
    assert row[0] == "| Fit: 2M rows"
    assert row[1:5] == ["Rival 1", "**4.20**", "0.1", "0.42"]
    assert row[5:] == ["600 (100)", "1100 (100)", "equal to 1e-15", "5.0 (memory) |"]
    assert ["| Fit", "Rival 1", "1.50", "0.42 |"] in rows(page, "| Rival 1 |"), "cold start stands on its own"


def test_rows_without_a_time_say_why():
    ours = standing("Novacula", 0.1, 1.0, peak=1)
    page = markdown(
        results(race("fit", ours, standing("gone", note="x is not installed")), race("broken", note="failed: y"))
    )
    (gone,) = rows(page, "| gone |")
    assert gone[2:8] == ["–", "0.1", "–", "0 (100)", "–", "x is not installed"]
    (broken,) = rows(page, "| Broken")
    assert broken[1] == "failed: y"
    page = markdown(results(race("fit", standing("Novacula", note="failed: z"), standing("Rival 1", note="no answer"))))
    assert rows(page, "| Rival 1 |")[0][7] == "ours failed: z"


def test_machine_and_versions_are_on_the_page_without_a_date():
    page = markdown(results())
    assert "2 cores, 24 GiB; it reads 33 GB/s and multiplies matrices at 88 Gflop/s." in page
    assert "Versions: numpy 2.4.0." in page
    assert "20" + "26" not in page


def test_growth_gives_each_size_and_the_exponents():
    steps = [race("stream", standing("Novacula", s, 1.0, peak=250_000_000)) for s in (0.2, 2.0)]
    growth = {
        "name": "stream", "title": "Stream", "along": "rows", "steps": steps, "time_exponent": 1.0,
        "memory_exponent": 0.0, "memory_goal": 0.05,
    }  # fmt: skip
    page = markdown(results(growths=[growth]))
    assert [row[2:] for row in rows(page, "| Stream |")] == [["0.2", "250 (100) |"], ["2", "250 (100) |"]]
    assert "time grows as rows^1.00, peak memory as rows^0.00 (promised: at most 0.05)" in page


def test_figures_stand_beside_their_goals():
    figures = [Figure("fast", 12.34, "ms", 60.0), Figure("slow", 0.5, "s", 0.4), Figure("free", 3.0, "s")]
    shown = [{"name": f.name, "value": f.value, "unit": f.unit, "goal": f.goal, "met": f.met} for f in figures]
    page = markdown(results(probes=[{"name": "p", "title": "P", "figures": shown, "note": ""}]))
    assert "| fast | 12.3 ms | ≤ 60 ms | yes |" in page
    assert "| slow | 0.5 s | ≤ 0.4 s | **no** |" in page
    assert "| free | 3 s | – | – |" in page


def test_a_partial_run_replaces_its_own_rows_and_keeps_the_others(tmp_path):
    path, page = tmp_path / "results" / "latest.json", tmp_path / "docs" / "benchmarks.md"
    old_a, old_b = race("a", standing("Novacula", 1.0, 1.0)), race("b", standing("Novacula", 1.0, 1.0))
    new_b = race("b", standing("Novacula", 0.5, 1.0))
    write(results(old_a, old_b), path, page)
    write(results(new_b), path, page)
    kept = json.loads(path.read_text("utf-8"))
    assert kept["races"] == [old_a, new_b]
    assert page.read_text("utf-8") == markdown(kept)


@pytest.mark.parametrize("change", [{"quick": True}, {"machine": MACHINE | {"cores": 64}}])
def test_results_of_another_machine_or_size_are_not_mixed_in(change):
    old, new = results(race("a")), results(race("b"), **change)
    assert merge(old, new) == new


def test_the_limit_is_the_slower_of_reading_and_computing():
    machine = Machine("cpu", 2, 1, bandwidth=10e9, flops=100e9)
    assert machine.seconds(Limit(1e9, 1e9)) == (0.1, "memory")
    assert machine.seconds(Limit(1e9, 50e9)) == (0.5, "arithmetic")
