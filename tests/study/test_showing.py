"""How a study shows itself: on a terminal, in a notebook, and while it runs."""

import pickle
import sys
import types
from dataclasses import replace
from html import unescape

import pytest

import novacula as nv
from novacula.study import learn, watching
from novacula.study.finding import Finding
from novacula.study.printing import Findings
from novacula.study.watching import NotebookLine, ProgressWords, Watcher, compiling_told


@pytest.fixture(scope="module")
def wine():
    study = learn(nv.datasets.load("wine"), learners=["naive-bayes", "tree"], folds=4, jobs=1)
    found = (Finding("leak", "A <b>column</b> gives it away.", gravity="warning"), Finding("few", "Rows are few."))
    return replace(study, findings=found)


def test_the_headline_comes_before_the_choice_and_notes_come_last(wine):
    words = str(wine)
    order = [words.index(one) for one in (wine.headline[0], wine.reason, "Warning: A <b>column</b>", "Rows are few.")]
    assert order == sorted(order)
    assert words.startswith("learner ")


def test_a_notebook_shows_tables_without_markup_of_names(wine):
    markup = wine._repr_html_()
    assert markup.count("<table>") == 2
    assert "<b>" not in markup
    for sentence in (*wine.headline, wine.reason, "A <b>column</b> gives it away."):
        assert sentence in unescape(markup)
    assert "lower is better" in wine.leaderboard._repr_html_()


def test_findings_that_are_none_are_a_sentence():
    assert Findings(())._repr_html_() == "<p>Nothing was found.</p>"
    assert str(Findings(())) == ""


def test_a_leaderboard_and_findings_are_tuples_that_print(wine):
    assert [entry.learner for entry in wine.leaderboard][-1] == "plurality-classifier"
    assert str(wine.leaderboard).splitlines()[1].startswith("→ ")
    assert str(wine.findings) == "Warning: A <b>column</b> gives it away.\nRows are few."
    assert [one.kind for one in wine.findings.warnings] == ["leak"]
    again = pickle.loads(pickle.dumps(wine))
    assert str(again) == str(wine)


class Handle:
    """What IPython gives for something that can be shown anew."""

    def __init__(self, first):
        self.shown = [first]

    def update(self, what):
        self.shown.append(what)


def test_in_a_notebook_one_line_is_written_over(monkeypatch):
    handles = []

    def display(what, display_id):
        assert display_id
        handles.append(Handle(what))
        return handles[-1]

    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    learn(nv.datasets.load("wine"), learners=["naive-bayes"], folds=3, jobs=1)
    [handle] = handles
    words = [repr(one) for one in handle.shown]
    assert words[-1] == "6 of 6: done"
    assert any("Naive Bayes; about 0 s left" in one for one in words)
    assert any("done: Naive Bayes: 0.0" in one for one in words)
    assert all("<progress" in one._repr_html_() for one in handle.shown)
    shell.kernel = None  # IPython on a terminal
    assert watching.notebook_display() is None


def test_names_in_a_notebooks_line_are_escaped():
    handle = Handle(None)
    line = NotebookLine(lambda what, display_id: handle)
    line.move(1, 4, "<script>", "about 3 s left")
    assert "<script>" not in handle.shown[-1]._repr_html_()
    assert repr(handle.shown[-1]) == "1 of 4: <script>; about 3 s left"
    assert repr(ProgressWords(1, 2, "x")) == "1 of 2: x"


def test_where_nobody_looks_nothing_is_shown(capsys):
    with Watcher() as watcher:
        learn(nv.datasets.load("wine"), learners=["naive-bayes"], folds=3, jobs=1, watch=watcher)
    assert capsys.readouterr() == ("", "")
    with Watcher(lines=True) as watcher:
        learn(nv.datasets.load("wine"), learners=["naive-bayes"], folds=3, jobs=1, watch=watcher)
    assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()] == ["Plurality", "Naive Bayes"]


def test_compiling_is_said_when_something_compiles_and_once():
    from numba.core import event

    told = []
    with compiling_told(told.append):
        assert told == []
        for _ in range(2):
            with event.trigger_event("numba:compile", data=None):
                pass
    with event.trigger_event("numba:compile", data=None):
        pass
    assert told == [watching.COMPILES]
