"""Workloads are found by walking the folder, and chosen by name or file; the command line around them."""

import re
from pathlib import Path

import pytest

from benchmarks import workloads
from benchmarks.__main__ import main, where
from benchmarks.workload import SHORT, Growth, Probe, Race, describe, find_workloads, select

FOUND = find_workloads()


def test_every_file_of_the_folder_holds_a_workload():
    folder = Path(workloads.__path__[0])
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {workload.file for workload in FOUND} == files
    names = [workload.name for workload in FOUND]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("race", [w for w in FOUND if isinstance(w, Race)], ids=lambda w: w.name)
def test_a_race_is_complete(race):
    first, *rivals = race.contenders()
    assert first.package == "novacula"
    assert not first.bound
    assert bool(rivals) is not isinstance(race, Growth), "growth is measured alone, a race has rivals"
    assert len(race.full) == len(race.quick)
    for small, large in zip(race.quick, race.full, strict=True):
        assert small.keys() == large.keys()
        assert all(small[name] <= large[name] for name in small)
        assert small != large


def test_growth_spans_at_least_a_decade():
    for growth in (w for w in FOUND if isinstance(w, Growth)):
        rows = [size[growth.along] for size in growth.full]
        assert max(rows) >= 10 * min(rows)


def test_selection_is_by_name_or_by_file():
    assert select(FOUND, []) == FOUND
    assert [w.name for w in select(FOUND, ["ridge", "gaussian_naive_bayes"])] == [
        "gaussian_naive_bayes_fit",
        "gaussian_naive_bayes_predict",
        "ridge",
    ]
    assert [w.name for w in select(FOUND, ["gaussian_naive_bayes_predict"])] == ["gaussian_naive_bayes_predict"]


@pytest.mark.parametrize("word", SHORT)
def test_a_short_word_selects_whole_files(word):
    assert {w.file for w in select(FOUND, [word])} == set(SHORT[word])


def test_a_workload_that_is_not_there_is_refused_with_those_that_are(capsys):
    with pytest.raises(SystemExit):
        main(["--only", "rigde"])
    said = capsys.readouterr().err
    assert "there is no workload 'rigde'" in said
    assert "ridge" in said


def test_the_list_names_each_workload(capsys):
    main(["--list"])
    lines = capsys.readouterr().out.splitlines()
    assert [re.split(" {2,}", line)[0] for line in lines] == [w.name for w in FOUND]


def test_a_quick_run_leaves_the_page_alone():
    assert [path.name for path in where(None, quick=False)] == ["latest.json", "benchmarks.md"]
    assert where(None, quick=True)[1].parent == where(None, quick=True)[0].parent
    assert where(Path("here/mine.json"), quick=True) == (Path("here/mine.json"), Path("here/mine.md"))


def test_start_up_is_a_probe_and_no_race():
    assert [w.name for w in FOUND if isinstance(w, Probe)] == [
        "serve",
        "small_fits",
        "start_up",
        "large_version_spaces",
    ]


def test_sizes_in_words():
    assert describe({"rows": 2_700_000, "columns": 50_000}) == "2.7M rows, 50k columns"
    assert describe({"rows": 1_234, "columns": 7}) == "1,234 rows, 7 columns"
