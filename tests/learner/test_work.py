"""Works are sequences of steps that can be capped and shown."""

import subprocess
import sys

import pytest

from novacula.errors import ParameterError
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation

HALF = Equation("p", "1/2", {})


def test_a_step_has_no_one_or_several_equations():
    assert Step("s").equations == ()
    assert Step("s", HALF).equations == (HALF,)
    assert Step("s", (HALF, HALF)).equations == (HALF, HALF)
    assert list(Work("W", [Step("a", HALF), Step("b"), Step("c", (HALF, HALF))]).equations) == [HALF] * 3


def test_a_table_with_a_short_row_is_refused():
    with pytest.raises(ParameterError, match="row 1 of a table has 1 cells under 2 headings"):
        WorkTable(("a", "b"), [(1, 2), (3,)])


def test_a_work_is_a_sequence_of_its_steps():
    steps = [Step(f"step {i}") for i in range(4)]
    work = Work("W", iter(steps), notes="one note")
    assert len(work) == 4
    assert list(work) == steps
    assert work[1] is steps[1]
    assert work[-2:] == tuple(steps[-2:])
    assert work.notes == ("one note",)
    assert repr(work) == "<Work 'W', 4 steps>"
    assert work == Work("W", steps, ["one note"])
    assert work != Work("W", steps)
    assert work != Work("W", steps, ["one note"], digits=3)


@pytest.mark.parametrize(("first", "last", "left_out"), [(2, 1, 7), (0, 1, 9), (3, 0, 7), (0, 0, 10), (5, 4, 1)])
def test_a_capped_work_says_how_much_is_left_out(first, last, left_out):
    work = Work("W", [Step(f"step {i}") for i in range(10)], ["kept"], digits=3, terms=2, names={"a": "b"})
    capped = work.capped(first, last)
    assert [step.title for step in capped][:first] == [f"step {i}" for i in range(first)]
    assert capped[first].title == f"… {left_out} {'step is' if left_out == 1 else 'steps are'} left out …"
    assert [step.title for step in capped[first + 1 :]] == [f"step {i}" for i in range(10 - last, 10)]
    assert (capped.notes, capped.digits, capped.terms, capped.names) == (("kept",), 3, 2, {"a": "b"})
    assert f"{left_out} step" in capped.to_text()


def test_a_short_work_is_not_capped():
    work = Work("W", [Step("a"), Step("b")])
    assert work.capped(1, 1) is work
    with pytest.raises(ParameterError, match="cannot keep -1 first"):
        work.capped(-1, 2)


def test_the_notebook_shows_the_html_and_print_the_text():
    work = Work("W", [Step("s", HALF)])
    assert work._repr_html_() == work.to_html()
    assert str(work) == work.to_text()


def test_importing_work_loads_nothing_heavy():
    code = (
        "import sys; from novacula.learner import card, figure, iterate, work;"
        "print([m for m in ('sklearn', 'numba', 'matplotlib', 'scipy', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
