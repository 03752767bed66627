"""Line searches: the conditions hold at the step for any function; a direction must descend."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.optimize import line_search

laws = settings(deadline=None)
FUNCTIONS = {
    "rosenbrock": (
        lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
        lambda x: np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)]),
    ),
    "waves": (
        lambda x: np.sin(3 * x[0]) + np.cos(2 * x[1]) + x @ x / 10,
        lambda x: np.array([3 * np.cos(3 * x[0]), -2 * np.sin(2 * x[1])]) + x / 5,
    ),
    "narrow": (
        lambda x: np.sqrt(1 + 1e4 * x[0] ** 2) + x[1] ** 4,
        lambda x: [1e4 * x[0] / np.sqrt(1 + 1e4 * x[0] ** 2), 4 * x[1] ** 3],
    ),
}
places = st.tuples(st.floats(-3, 3), st.floats(-3, 3))


@laws
@given(st.sampled_from(sorted(FUNCTIONS)), places, st.floats(1e-3, 1e3), st.sampled_from([0.1, 0.5, 0.9]))
def test_the_strong_wolfe_conditions_hold(name, x, first, c2):
    f, gradient = FUNCTIONS[name]
    x = np.array(x)
    g = np.asarray(gradient(x))
    if np.linalg.norm(g) < 1e-3:
        return
    found = line_search(f, gradient, x, -g, step=first, c2=c2)
    assert found.converged, found.reason
    after = x - found.step * g
    assert f(after) <= f(x) - 1e-4 * found.step * g @ g + 1e-14 * abs(f(x))
    assert abs(np.asarray(gradient(after)) @ g) <= c2 * g @ g
    assert found.value == f(found.x)
    np.testing.assert_array_equal(found.x, after)


@laws
@given(st.sampled_from(sorted(FUNCTIONS)), places, st.floats(0.1, 0.9))
def test_backtracking_takes_the_first_step_that_descends_enough(name, x, shrink):
    f, gradient = FUNCTIONS[name]
    x = np.array(x)
    g = np.asarray(gradient(x))
    if np.linalg.norm(g) < 1e-3:
        return
    found = line_search(f, gradient, x, -g, method="armijo", shrink=shrink, max_iter=500)
    steps = shrink ** np.arange(found.n_evaluations - 1)
    enough = [f(x - t * g) <= f(x) - 1e-4 * t * g @ g + 1e-14 * abs(f(x)) for t in steps]
    assert found.converged
    assert enough == [False] * (len(steps) - 1) + [True]
    assert found.step == pytest.approx(steps[-1])


def test_a_direction_that_does_not_descend():
    with pytest.raises(ParameterError, match="does not descend: the slope gradientᵀdirection is 4"):
        line_search(lambda x: x @ x, lambda x: 2 * x, [1.0], [2.0])
    with pytest.raises(ParameterError, match="does not descend"):
        line_search(lambda x: x @ x, lambda x: 2 * x, [1.0], [0.0])


def test_no_step_and_no_end_are_reported():
    kink = line_search(lambda x: abs(x[0]), lambda x: np.array([1.0]), [0.0], [-1.0])
    assert (kink.step, kink.converged) == (0.0, False)
    assert "No step" in kink.reason
    is_endless = line_search(lambda x: x[0], lambda x: np.array([1.0]), [0.0], [-1.0])
    assert not is_endless.converged
    assert "without end" in is_endless.reason


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"method": "newton"}, "method is 'newton'"),
        ({"step": 0}, "step is 0"),
        ({"c1": 0.95}, "c1 is 0.95"),
        ({"c2": 1.0}, "c2 is 1.0"),
        ({"shrink": 1.0}, "shrink is 1.0"),
        ({"max_iter": 0}, "max_iter is 0"),
    ],
)
def test_bad_input(more, message):
    with pytest.raises(ParameterError, match=message):
        line_search(lambda x: x @ x, lambda x: 2 * x, [1.0], [-1.0], **more)


def test_shapes():
    with pytest.raises(ParameterError, match="direction has shape"):
        line_search(lambda x: x @ x, lambda x: 2 * x, [1.0], [-1.0, 0.0])
