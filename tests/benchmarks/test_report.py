"""The page and the file: every row says what it must, and a partial run keeps the rest."""

import json

from benchmarks.machine import Machine
from benchmarks.report import KINDS, markdown, merge, with_goals, write
from benchmarks.workload import Figure, Limit, named

MACHINE = {"cpu": "A | B", "cores": 2, "memory": 24 * 2**30, "bandwidth": 33e9, "flops": 88e9}


def standing(name, seconds=None, ratio=None, note="", quality="", bound=False, peak=None, goal=None, because=""):
    measured = {} if peak is None else {"peak": peak, "baseline": 100_000_000, "first_call": 1.5}
    return {
        "name": name, "bound": bound, "note": note, "quality": quality, "seconds": seconds, "ratio": ratio,
        "times": [] if seconds is None else [seconds], "goal": goal, "because": because, **measured,
    }  # fmt: skip


def race(name, *standings):
    return {
        "name": name, "title": name.title(), "size": {"rows": 2_000_000}, "standings": list(standings),
        "limit": 0.02, "limit_by": "memory",
    }  # fmt: skip


def results(*races, machine=MACHINE, quick=False, **kinds):
    measured = {kind: list(kinds.get(kind, [])) for kind in KINDS}
    return {"machine": machine, "versions": {"numpy": "2.4.0"}, "quick": quick, **measured, "races": list(races)}


def rows(page, containing):
    return [[cell.strip() for cell in line.split(" | ")] for line in page.splitlines() if containing in line]


def test_a_row_holds_ratio_goal_times_memory_quality_and_distance():
    ours = standing("Novacula", 0.1, 1.0, peak=600_000_000)
    rival = standing("Rival 1", 0.42, 4.2, quality="equal to 1e-15", peak=1_100_000_000, goal=4.0)
    page = markdown(results(race("fit", ours, rival)))
    (row,) = rows(page, "| Rival 1 |")
    assert row[0] == "| Fit: 2M rows"
    assert row[1:6] == ["Rival 1", "**4.20**", "4", "0.1", "0.42"]
    assert row[6:] == ["600 (100)", "1100 (100)", "equal to 1e-15", "5.0 (memory) |"]
    assert "| Fit: 2M rows | 1.50 | Rival 1 1.50 |" in page, "the first call stands on its own"


def test_a_ratio_is_bold_only_where_its_goal_is_reached():
    ours = standing("Novacula", 0.1, 1.0)
    rivals = [standing(f"r{k}", 0.2, 2.0, goal=goal) for k, goal in enumerate([2.0, 2.001, None])]
    page = markdown(results(race("fit", ours, *rivals)))
    shown = [row[2:4] for k in range(3) for row in rows(page, f"| r{k} |")]
    assert shown == [["**2.00**", "2"], ["2.00", "2.001"], ["2.00", "–"]]
    assert "1 of 2 rivals are at their goal" in page


def test_every_row_behind_its_goal_is_listed_with_its_reason():
    ours = standing("Novacula", 0.1, 1.0)
    rivals = [
        standing("ahead", 0.3, 3.0, goal=2.0, because="not to be shown"),
        standing("behind", 0.15, 1.5, goal=2.0, because="sorting takes 80 %"),
        standing("silent", 0.05, 0.5, goal=1.0),
        standing("wrong", note="the answers differ: equal to 1e-02", goal=3.0),
        standing("no goal", 0.05, 0.5),
    ]
    listed = markdown(results(race("fit", ours, *rivals))).partition("## Rows behind their goal\n")[2].split("##")[0]
    assert listed.split("\n")[1:-2] == [
        "- Fit: 2M rows, behind: ratio 1.50, goal 2. Sorting takes 80 %.",
        "- Fit: 2M rows, silent: ratio 0.50, goal 1. No reason given.",
        "- Fit: 2M rows, wrong: the answers differ: equal to 1e-02, goal 3. No reason given.",
    ]
    assert "## Rows behind their goal\n\nNone.\n" in markdown(results(race("fit", ours, rivals[0])))


def test_rows_without_a_time_say_why():
    ours = standing("Novacula", 0.1, 1.0, peak=1)
    page = markdown(results(race("fit", ours, standing("gone", note="x is not installed"))))
    (gone,) = rows(page, "| gone |")
    assert gone[2:9] == ["–", "–", "0.1", "–", "0 (100)", "–", "x is not installed"]
    failed = [standing("Novacula", note="failed: z"), standing("Rival 1", note="failed: z", goal=2.0)]
    page = markdown(results(race("fit", *failed)))
    assert rows(page, "| Rival 1 |")[0][8:] == ["ours failed: z", "– |"]
    assert "- Fit: 2M rows, Rival 1: failed: z, goal 2. No reason given." in page


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


def test_a_curve_gives_its_sizes_and_exponents_and_stands_out_above_its_card():
    along_n = {
        "along": "n", "sizes": [20_000, 2_000_000], "held": 10, "seconds": [0.012, 1.5], "extra": [0, 34_000_000],
        "card": 1, "time_exponent": 1.05, "top_exponent": 1.31, "memory_exponent": None,
    }  # fmt: skip
    along_d = along_n | {"along": "d", "extra": [None, None], "card": None, "top_exponent": 2.0, "memory_exponent": 0.5}
    failed = {"name": "tree.B", "note": "failed: z"}
    page = markdown(results(curves=[{"name": "bayes.A", "note": "", "axes": [along_n, along_d]}, failed]))
    assert [row[1:] for row in rows(page, "| `bayes.A` |")] == [
        ["n", "20k · 2M; d = 10", "0.012 · 1.5", "0 · 34", "1.05", "**1.31**", "1", "– |"],
        ["d", "20k · 2M; n = 10", "0.012 · 1.5", "– · –", "1.05", "2.00", "–", "0.50 |"],
    ]
    assert rows(page, "| `tree.B` |")[0][1] == "failed: z"


def test_cold_starts_say_how_many_runs_and_kernels():
    start = {"name": "bayes.A", "note": "", "uncached": 6.456, "cached": 1.2345, "rounds": 5, "kernels": 3}
    quick = start | {"name": "bayes.Q", "uncached": None, "rounds": 1, "kernels": None}
    page = markdown(results(starts=[start, quick, {"name": "tree.B", "note": "failed: z"}]))
    assert "| `bayes.A` | 1.23 (5) | 6.46 (1) | 3 |" in page
    assert "| `bayes.Q` | 1.23 (1) | – | – |" in page
    assert "| `tree.B` | failed: z | – | – |" in page


def test_figures_stand_beside_their_goals():
    figures = [Figure("fast", 12.34, "ms", 60.0), Figure("slow", 0.5, "s", 0.4), Figure("free", 3.0, "s")]
    shown = [{"name": f.name, "value": f.value, "unit": f.unit, "goal": f.goal, "met": f.met} for f in figures]
    page = markdown(results(probes=[{"name": "p", "title": "P", "figures": shown, "note": ""}]))
    assert "| fast | 12.3 ms | ≤ 60 ms | yes |" in page
    assert "| slow | 0.5 s | ≤ 0.4 s | **no** |" in page
    assert "| free | 3 s | – | – |" in page
    assert "1 of 2 figures at theirs" in page


def test_a_partial_run_replaces_its_own_rows_and_keeps_the_others(tmp_path):
    path, page = tmp_path / "results" / "latest.json", tmp_path / "docs" / "benchmarks.md"
    old_a, old_b = race("a", standing("Novacula", 1.0, 1.0)), race("b", standing("Novacula", 1.0, 1.0))
    new_b = race("b", standing("Novacula", 0.5, 1.0))
    write(results(old_a, old_b), path, page)
    write(results(new_b), path, page)
    kept = json.loads(path.read_text("utf-8"))
    assert kept["races"] == [old_a, new_b]
    assert page.read_text("utf-8") == markdown(kept)


def test_results_of_another_size_are_not_mixed_in():
    old, new = results(race("a")), results(race("b"), quick=True)
    assert merge(old, new) == new


def test_results_of_another_machine_stay_under_its_name_until_they_are_measured_here():
    ours, start = (
        standing("Novacula", 0.1, 1.0),
        {"name": "l", "note": "", "cached": 1.0, "uncached": None, "rounds": 5},
    )
    starts = [start | {"kernels": 2}]
    old = results(race("a", ours, standing("r")), race("b", ours, standing("r")), starts=starts)
    here = MACHINE | {"cpu": "C"}
    once = merge(old, results(race("b", ours, standing("r")), machine=here))
    twice = merge(once, results(machine=MACHINE | {"cpu": "D"}))
    assert [found.get("elsewhere") for found in once["races"] + once["starts"]] == ["A | B", None, "A | B"]
    assert [found.get("elsewhere") for found in twice["races"] + twice["starts"]] == ["A | B", "C", "A | B"]
    page = markdown(once)
    assert [row[0] for row in rows(page, "| r |")] == ["| A: 2M rows (A \\| B)", "| B: 2M rows"]
    assert "| `l` (A \\| B) | 1.00 (5) |" in page
    measured_again = merge(once, results(race("a", ours, standing("r")), machine=here))
    assert [found.get("elsewhere") for found in measured_again["races"]] == [None, None]


def test_versions_may_be_added_but_not_changed():
    old, new = results(race("a")), results(race("b"))
    more, other = new | {"versions": {"numpy": "2.4.0", "rival": "1"}}, new | {"versions": {"numpy": "2.5.0"}}
    assert [found["name"] for found in merge(old, more)["races"]] == ["a", "b"]
    assert [found["name"] for found in merge(old, other)["races"]] == ["b"]


def test_goals_and_reasons_are_those_that_the_workloads_give_now():
    ridge = named("ridge")
    names = [contender.name for contender in ridge.contenders()]
    old = race("ridge", *(standing(name, 1.0, 1.0, goal=77.0, because="of old") for name in names))
    gone = race("no longer there", standing("Novacula", 1.0, 1.0))
    first, second = with_goals(results(old, gone), [ridge])["races"]
    assert [rival["goal"] for rival in first["standings"]] == [contender.goal for contender in ridge.contenders()]
    assert "of old" not in {rival["because"] for rival in first["standings"]}
    assert second == gone


def test_the_limit_is_the_slower_of_reading_and_computing():
    machine = Machine("cpu", 2, 1, bandwidth=10e9, flops=100e9)
    assert machine.seconds(Limit(1e9, 1e9)) == (0.1, "memory")
    assert machine.seconds(Limit(1e9, 50e9)) == (0.5, "arithmetic")
