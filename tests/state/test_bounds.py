"""What forms say besides types: sizes that cannot be negative, numbers above 0, attributes beside each other."""

import numpy as np
import pytest

from novacula.state import (
    Scope,
    StateError,
    check_state,
    describe,
    each,
    floats,
    number,
    optional,
    probabilities,
    text,
)


def check(form, value, **sizes):
    check_state({"it": form}, {"it": value}, Scope(sizes))


def test_a_size_with_a_difference_is_not_negative():
    check(floats("iterations+1"), np.zeros(1))
    with pytest.raises(StateError, match=r"it is an array .* and there are 1 iterations\+1"):
        check(floats("iterations+1"), np.zeros(0))
    with pytest.raises(StateError, match=r"it holds 0, but there are 1 layers\+1"):
        check(each(text(), "layers+1"), ())


def test_numbers_above_0():
    check(floats("units", above=0.0), np.array([5e-324]))
    with pytest.raises(StateError, match=r"where numbers \(units\), above 0 should be"):
        check(floats("units", above=0.0), np.zeros(1))
    with pytest.raises(StateError, match="it is out of its range: a number above 0"):
        check(number(above=0.0), 0.0)


def test_axes_before_those_that_have_names():
    for value in (np.full(2, 0.5), np.full((3, 4, 2), 0.5), np.empty((0, 2))):
        check(probabilities("...", "states"), value, states=2)
    with pytest.raises(StateError, match="there are 3 states"):
        check(probabilities("...", "states"), np.full(2, 0.5), states=3)
    with pytest.raises(StateError, match=r"of shape \(\), where probabilities \(..., states\) should be"):
        check(probabilities("...", "states"), np.array(1.0))
    check(floats("..."), np.array(1.0))
    assert any(forged.ndim == 1 for forged in arrays(floats("...").forgeries(np.array(1.0), np.random.default_rng(0))))


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_no_probabilities_do_not_sum_to_1(shape):
    dims = ("classes", "entries")[-len(shape) :]
    with pytest.raises(StateError, match="probabilities that do not sum to 1"):
        check(probabilities(*dims), np.empty(shape))


def test_attributes_beside_each_other():
    state = {"history": optional(floats("steps")), "end": optional(text(), beside="history")}
    check_state(state, {}, Scope())
    check_state(state, {"history": np.zeros(2), "end": "well"}, Scope())
    with pytest.raises(StateError, match="history is there without its end"):
        check_state(state, {"history": np.zeros(2)}, Scope())
    with pytest.raises(StateError, match="end is there without its history"):
        check_state(state, {"end": "well"}, Scope())
    assert describe(state).splitlines() == [
        "history  numbers (steps), not always there",
        "end      a text, there with history",
    ]


def arrays(values):
    return [value for value in values if isinstance(value, np.ndarray)]
