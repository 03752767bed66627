"""The progress bar: on a terminal, on demand, and never in the way."""

import pytest

import novacula as nv
from novacula.table.progress import tracked


@pytest.mark.parametrize("show", [None, True, False])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_items_pass_through(capsys, show, count):
    assert list(tracked(iter(range(count)), count, "[/red] odd [name", show)) == list(range(count))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (captured.err != "") == (show is True and count > 1)


def test_words_are_shown_as_they_are(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    list(tracked(iter(range(3)), 3, "[/red] Looking", True))
    assert "[/red] Looking" in capsys.readouterr().err


def test_read_shows_progress_on_demand(tmp_path, capsys, monkeypatch, small_ranges):
    monkeypatch.setenv("FORCE_COLOR", "1")
    small_ranges(4)
    (tmp_path / "t.csv").write_text("a\n1\n2\n3\n4\n5\n")
    nv.read(tmp_path / "t.csv")
    assert capsys.readouterr().err == ""
    nv.read(tmp_path / "t.csv", progress=True)
    assert "Looking at" in capsys.readouterr().err
