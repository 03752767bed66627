"""The works of optimisers: every step is evaluated, systems and conditions hold, and bad questions are refused."""

import numpy as np
import pytest

from novacula.checks import check_equations, check_work
from novacula.errors import ParameterError
from novacula.optimize import (
    Quadratic,
    conjugate_gradient,
    gradient_descent,
    lagrange,
    lbfgs,
    levenberg_marquardt,
    line_search,
    newton,
    quadratic_program,
)


@pytest.mark.parametrize(
    "run",
    [
        lambda r: gradient_descent(r.f, r.gradient, r.x0, max_iter=30, momentum=0.5),
        lambda r: gradient_descent(r.f, r.gradient, r.x0, max_iter=30, step=1e-3, momentum=0.9),
        lambda r: gradient_descent(lambda x: -(x @ x), None, [1.0, 2.0], ascent=True, momentum=0.3, max_iter=9),
        lambda r: conjugate_gradient(r.f, r.gradient, r.x0),
        lambda r: lbfgs(r.f, r.gradient, r.x0),
        lambda r: newton(r.f, r.gradient, r.hessian, r.x0),
        lambda r: levenberg_marquardt(r.residuals, r.jacobian, r.x0),
        lambda r: gradient_descent(lambda x: (x[0] - 2) ** 2, None, [5.0], step=0.2),
    ],
)
def test_the_path_and_single_steps_are_right(rosenbrock, run):
    found = run(rosenbrock)
    check_equations(found)
    for k in {1, 2, found.n_iter}:
        check_equations(found, iteration=k)


def test_the_rows_of_newton_show_both_derivatives():
    """x⁴/4 + x²/2 − 2x from 3: f′ = x³ + x − 2, f″ = 3x² + 1, so x goes to 3 − 28/28 = 2."""
    found = newton(
        lambda x: x[0] ** 4 / 4 + x[0] ** 2 / 2 - 2 * x[0],
        lambda x: x**3 + x - 2,
        lambda x: [[3 * x[0] ** 2 + 1]],
        [3.0],
    )
    table = found.work()[0].table
    assert table.header == ("⟦k⟧", "⟦x⟧", "⟦f⟧", "⟦f′⟧", "⟦f′′⟧", "step ⟦η⟧")
    assert table.rows[:2] == ((0, 3.0, 18.75, 28.0, 28.0, ""), (1, 2.0, 2.0, 8.0, 13.0, 1.0))


def test_lagranges_system_is_written_and_solved():
    """x² + 2y² + xy where x − 2y = 3: x = 9/8, y = −15/16, α = 21/16."""
    found = lagrange(Quadratic([[2, 1], [1, 4]]), ([1, -2], [3]))
    check_work(found)
    [solved] = [e for e in found.work().equations if e.left == "u"]
    np.testing.assert_allclose(solved.value, [9 / 8, -15 / 16, 21 / 16])


def test_which_constraint_binds_and_why():
    found = quadratic_program([[2, 0], [0, 2]], [-2, -5], G=[[1, 2], [-1, 0], [0, -1]], h=[3, 0, 0])
    check_work(found)
    [table] = [step.table for step in found.work() if step.title == "Which constraints bind"]
    assert [row[-1] for row in table.rows] == ["binds", "is slack", "is slack"]
    assert "[1 2]ᵀ · [1 2.5] > 3" in str(found.work())  # the free minimum lies beyond it


@pytest.mark.parametrize(
    "found",
    [
        lagrange(lambda x: x[0] + x[1], lambda x: x[0] ** 2 + x[1] ** 2 - 2, [-0.5, -1.0]),
        lagrange((np.eye(3), [1, 2, 3]), ([[1, 1, 1], [2, 2, 2]], [1, 2])),
        quadratic_program(None, [1, 1], G=[[-1, 0], [0, -1]], h=[0, 0]),
        quadratic_program(np.eye(3), [0, 0, 1], A=[[1, 1, 1]], b=[2], G=-np.eye(3), h=np.zeros(3)),
        quadratic_program(np.eye(2), [1, 1]),
        quadratic_program(None, [-1, -1], G=[[-1, 0], [0, -1]], h=[0, 0]),
        quadratic_program(np.eye(2), [0, 0], G=[[1, 0], [-1, 0]], h=[-1, -1]),
        quadratic_program(np.eye(2), [1, 1], A=[[1, 0], [1, 0]], b=[1, 2]),
    ],
)
def test_constrained_problems_with_and_without_a_solution(found):
    check_equations(found)


@pytest.mark.parametrize("method", ["wolfe", "armijo"])
def test_line_searches_show_their_conditions(rosenbrock, method):
    r = rosenbrock
    found = line_search(r.f, r.gradient, r.x0, -np.asarray(r.gradient(np.asarray(r.x0))), method=method)
    check_equations(found)
    assert ("Curvature (strong Wolfe)" in str(found.work())) == (method == "wolfe")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"iteration": 99}, "iteration is 99; the run made 1 iteration, counted from 1"),
        ({"digits": 0}, "digits is 0"),
        ({"notation": "bishop"}, "notation is 'bishop'"),
        ({"X": [[1.0]]}, "takes no rows X"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(how, words):
    found = gradient_descent(lambda x: x @ x, lambda x: 2 * x, [3.0, 4.0], step=0.5)
    with pytest.raises(ParameterError, match=words):
        found.work(**how)


def test_a_path_that_was_not_kept():
    found = gradient_descent(lambda x: x @ x, lambda x: 2 * x, [3.0, 4.0], step=0.4, keep_path=False)
    check_work(found, drawn=False)
    with pytest.raises(ParameterError, match="keep_path=True"):
        found.work(iteration=1)
