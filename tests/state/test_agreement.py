"""What attributes have to agree in: sums of dimensions, choices that are alike, and company."""

import numpy as np
import pytest

from novacula.state import Scope, StateError, check_state, describe, each, floats, number, one_of, optional, text, whole

TARGETS = {
    "names": each(text(), "targets"),
    "coef": one_of(floats("columns"), floats("targets", "columns"), alike="layout"),
    "sums": floats("columns+targets"),
    "error": one_of(number(), floats("targets"), alike="layout"),
}


def several(**changed):
    return {"names": ["a", "b"], "coef": np.ones((2, 3)), "sums": np.ones(5), "error": np.ones(2)} | changed


def one(**changed):
    return {"names": ["a"], "coef": np.ones(3), "sums": np.ones(4), "error": 1.0} | changed


@pytest.mark.parametrize("values", [one(), several()])
def test_attributes_that_agree_pass(values):
    check_state(TARGETS, values, Scope({"columns": 3}))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (several(sums=np.ones(4)), r"sums is an array of float64 of shape \(4,\), but there are 5 columns\+targets"),
        (several(error=1.0), r"error is a float, where numbers \(targets\) should be"),
        (one(error=np.ones(1)), r"error is an array of float64 of shape \(1,\), where a number should be"),
    ],
)
def test_attributes_that_do_not_agree_are_refused(values, sentence):
    with pytest.raises(StateError, match=sentence):
        check_state(TARGETS, values, Scope({"columns": 3}))


def test_a_sum_needs_the_sizes_of_all_but_its_last_name():
    with pytest.raises(StateError, match="nothing before says how many columns there are"):
        floats("columns+targets").check(np.ones(4), "sums", Scope())
    scope = Scope({"columns": 3})
    floats("columns+targets").check(np.ones(4), "sums", scope)
    assert scope.sizes["targets"] == 1
    assert scope.size("columns+targets-1") == 3
    assert not scope.knows("columns+rows")


def test_a_dimension_is_not_negative():
    with pytest.raises(StateError, match=r"history holds 0, but there are 1 steps\+1"):
        each(number(), "steps+1").check([], "history", Scope())


def test_what_stands_beside_another_comes_and_goes_with_it():
    state = {"error": optional(number()), "grid": optional(floats("penalties"), beside="error")}
    check_state(state, {}, Scope())
    check_state(state, {"error": 1.0, "grid": np.ones(2)}, Scope())
    with pytest.raises(StateError, match="error is there without its grid"):
        check_state(state, {"error": 1.0}, Scope())
    with pytest.raises(StateError, match="grid is there without its error"):
        check_state(state, {"grid": np.ones(2)}, Scope())
    assert describe(state).splitlines()[1] == "grid   numbers (penalties), there with error"


@pytest.mark.parametrize(
    ("form", "right", "wrong"),
    [(number(above=0.0), 1e-300, 0.0), (floats("n", above=0.0), np.array([1e-300]), np.array([0.0]))],
)
def test_above_leaves_out_the_bound_itself(form, right, wrong):
    form.check(right, "weight", Scope())
    with pytest.raises(StateError, match=r"weight .*above 0"):
        form.check(wrong, "weight", Scope())


@pytest.mark.parametrize("form", [number(), whole()])
def test_whole_numbers_have_64_bits(form):
    form.check(2**63 - 1, "count", Scope())
    for large in (2**63, 2**5000):
        with pytest.raises(StateError, match="count is a whole number of more than 64 bits"):
            form.check(large, "count", Scope())
