"""Results: the table, the pictures, and derivatives checked by central differences."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from novacula.errors import ParameterError
from novacula.optimize import (
    Quadratic,
    check_gradient,
    conjugate_gradient,
    gradient_descent,
    lagrange,
    newton,
    quadratic_program,
)


def test_the_table_has_the_first_and_last_iterations(rosenbrock):
    r = rosenbrock
    text = str(newton(r.f, r.gradient, r.hessian, r.x0))
    lines = text.splitlines()
    assert lines[0] == "Newton's method"
    assert [line.split()[0] for line in lines[3:12]] == ["0", "1", "2", "3", "…", "19", "20", "21", "22"]
    assert lines[3].split()[:4] == ["0", "-1.2", "1", "24.2"]
    assert "It converged after 22 iterations." in lines
    assert "…" not in str(gradient_descent(r.f, r.gradient, r.x0, max_iter=8))


def test_figures_are_drawn(rosenbrock):
    r = rosenbrock
    flat = newton(r.f, r.gradient, r.hessian, r.x0)
    solid = conjugate_gradient(lambda x: x @ np.diag([1.0, 2, 3]) @ x, None, [1.0, 1.0, 1.0])
    curve = gradient_descent(lambda x: x[0] ** 2, None, [1.0], step=0.3)
    program = quadratic_program(np.eye(2), [-2, -2], G=[[1, 1]], h=[1])
    for figure in (
        flat.figure(),
        flat.history_figure(),
        solid.figure(),
        solid.figure((0, 2)),
        curve.figure(),
        program.figure(),
    ):
        assert ET.fromstring(figure.svg()).tag.endswith("svg")
    assert flat.figure().alt == "The path of 22 steps from (−1.2, 1) to (1, 1) on contours of f over x[0] and x[1]."
    assert solid.figure().alt.startswith("Over")
    with pytest.raises(ParameterError, match="two different numbers from 0 to 2"):
        solid.figure((1, 3))


def test_figures_of_short_or_strange_runs():
    at_once = gradient_descent(lambda x: np.log(x[0]) ** 2 + x[1] ** 2, None, [1.0, 0.0])
    assert at_once.n_iter == 0
    level = gradient_descent(lambda x: 0.0, None, [1.0, 0.0])
    for run in (at_once, level):
        assert run.figure().png()
        assert run.history_figure().png()


def test_a_right_derivative_agrees(rosenbrock):
    r, x = rosenbrock, [-1.2, 1.0]
    for function, derivative in ((r.f, r.gradient), (r.gradient, r.hessian), (r.residuals, r.jacobian)):
        check = check_gradient(function, derivative, x)
        assert check.passed
        assert check.error < 1e-9
        assert "agrees with" in str(check)


def test_a_wrong_derivative_is_found(rosenbrock):
    def wrong(x):
        hessian = rosenbrock.hessian(x)
        hessian[1, 0] *= 1.01
        return hessian

    check = check_gradient(rosenbrock.gradient, wrong, [-1.2, 1.0])
    assert not check.passed
    assert check.worst == (1, 0)
    assert check.error == pytest.approx(0.01 / 1.01, rel=1e-6)


def test_checks_of_bad_input(rosenbrock):
    with pytest.raises(ParameterError, match="has a derivative of shape"):
        check_gradient(rosenbrock.f, lambda x: [1.0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="the function is not finite"):
        check_gradient(lambda x: np.nan, lambda x: [1.0], [1.0])


def test_differences_keep_to_where_a_function_is_defined():
    check = check_gradient(lambda x: np.sqrt(x[0]), lambda x: 0.5 / np.sqrt(x), [1e-3])
    assert check.error < 1e-4
    assert check_gradient(lambda x: np.log(x[0]), lambda x: 1 / x, [1e-3], tol=1e-4).passed


def test_a_solution_without_a_path_is_a_point_and_every_constraint_is_in_the_picture():
    point = lagrange(Quadratic([[2, 1], [1, 4]]), ([1, -2], [3])).figure()
    assert point.alt.startswith("The point (1.125, −0.9375) on contours")
    axes = Canvas().subplots()
    point.draw(axes)
    assert "start" not in [text.get_text() for text in axes.get_legend().get_texts()]
    program = quadratic_program(np.eye(2), [-3.0, -3.0], G=[[1, 1], [-1, 0], [0, -1]], h=[2, 2, 2])
    axes = Canvas().subplots()
    program.figure().draw(axes)
    assert axes.get_xlim()[0] < -2.0
    assert axes.get_ylim()[0] < -2.0
