"""Steps are consistent in what they hold, and works are sequences that can be capped and shown."""

import math
import subprocess
import sys

import numpy as np
import pytest

from novacula.errors import InputTypeError, ParameterError
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable


def test_a_step_turns_whatever_is_a_number_into_one():
    step = Step("s", expression="a + b", values={"a": np.float32(0.5), "b": np.int64(2)}, result=np.float64(2.5))
    assert step.values == {"a": 0.5, "b": 2.0}
    assert all(type(number) is float for number in (*step.values.values(), step.result))


def test_the_value_is_the_result_or_else_what_the_expression_comes_to():
    assert Step("s", expression="1 + 1", result=3).value == 3  # whether it is right is for check_work to say
    assert Step("s", expression="1 + 1").value == 2
    assert Step("s", formula="x").value is None
    assert Step("s", expression="log(p)", values={"p": 0}).value == -math.inf


def test_the_two_letters_mu_are_one_name():
    step = Step("s", expression="\N{MICRO SIGN} + 1", values={"\N{MICRO SIGN}": 2}, labels={"\N{MICRO SIGN}": "mean"})
    assert step.values == {"\N{GREEK SMALL LETTER MU}": 2}
    assert "where μ = 2: mean" in str(Work("W", [step]))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"expression": "a / b", "values": {"a": 1}}, "uses 'b', which has no value"),
        ({"expression": "a", "values": {"a": 1, "b": 2}}, "does not use the value 'b'"),
        ({"values": {"a": 1}}, "does not use the value 'a'"),
        ({"expression": "a", "values": {"a": 1}, "labels": {"c": "x"}}, "label 'c' belongs to no value"),
        ({"expression": "a", "values": {"a": math.nan}}, "value of 'a' is NaN"),
        ({"result": math.nan}, "the result is NaN"),
        ({"of": ("coef_", 0)}, "has no result"),
        ({"of": (0, "coef_"), "result": 1}, "starts with the name of an attribute"),
        ({"expression": "a.b"}, "not plain arithmetic"),
    ],
)
def test_an_inconsistent_step_is_refused(parts, message):
    with pytest.raises(ParameterError, match=message):
        Step("s", **parts)


@pytest.mark.parametrize("value", ["three", None, [1, 2]])
def test_a_value_that_is_no_number_is_refused(value):
    with pytest.raises(InputTypeError, match="step 's': the value of 'a' is"):
        Step("s", expression="a", values={"a": value})


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


@pytest.mark.parametrize(("first", "last", "left_out"), [(2, 1, 7), (0, 1, 9), (3, 0, 7), (0, 0, 10), (5, 4, 1)])
def test_a_capped_work_says_how_much_is_left_out(first, last, left_out):
    work = Work("W", [Step(f"step {i}") for i in range(10)], ["kept"])
    capped = work.capped(first, last)
    assert [step.title for step in capped][:first] == [f"step {i}" for i in range(first)]
    assert capped[first].title == f"… {left_out} {'step is' if left_out == 1 else 'steps are'} left out …"
    assert [step.title for step in capped[first + 1 :]] == [f"step {i}" for i in range(10 - last, 10)]
    assert capped.notes == ("kept",)
    assert f"{left_out} step" in capped.to_text()


def test_a_short_work_is_not_capped():
    work = Work("W", [Step("a"), Step("b")])
    assert work.capped(1, 1) is work
    with pytest.raises(ParameterError, match="cannot keep -1 first"):
        work.capped(-1, 2)


def test_the_notebook_shows_the_html_and_print_the_text():
    work = Work("W", [Step("s", expression="1/3")])
    assert work._repr_html_() == work.to_html()
    assert str(work) == work.to_text()


def test_importing_work_loads_nothing_heavy():
    code = (
        "import sys; from novacula.learner import card, figure, iterate, work;"
        "print([m for m in ('sklearn', 'numba', 'matplotlib', 'scipy', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
