"""Works of what checks an answer: derivatives beside differences, and the conditions of a minimum."""

from dataclasses import replace

import numpy as np
import pytest

from novacula.checks import check_work
from novacula.errors import ParameterError
from novacula.optimize import (
    QuadraticProgram,
    check_gradient,
    kkt_residuals,
    lagrange,
    quadratic_program,
    sequential_quadratic,
)


def square(x):
    return x[0] ** 2 * x[1]


def test_a_wrong_slope_is_shown_beside_its_differences():
    check = check_gradient(square, lambda x: [2 * x[0] * x[1], x[0]], [3.0, 2.0])
    check_work(check, drawn=False)
    text = str(check.work())
    assert "coordinate 2" in text
    assert "|3 − 9| / max(|3|, |9|, 0.012) = 0.666667" in text  # ∂(x²y)/∂y = x² = 9
    assert "The derivative fails" in text


def test_an_entry_of_a_jacobian_is_named_by_row_and_column():
    check = check_gradient(lambda x: [square(x), x[1]], lambda x: [[12.0, 9.0], [0.0, 2.0]], [3.0, 2.0])
    check_work(check, drawn=False)
    assert "entry 2, 2" in str(check.work())


@pytest.mark.parametrize("change", [{"floor": 100.0}, {"error": 0.5}, {"differences": np.array([12.0, 9.01])}])
def test_a_false_check_is_found(change):
    check = check_gradient(square, lambda x: [2 * x[0] * x[1], x[0]], [3.0, 2.0])
    with pytest.raises(AssertionError):
        check_work(replace(check, **change))


def test_conditions_are_the_largest_of_what_is_missed():
    problem = QuadraticProgram([[2, 0], [0, 2]], [-2, -5], G=[[1, 2], [1, 0]], h=[3, np.inf], A=[[1, -1]], b=[0.2])
    found = kkt_residuals(problem, [1.0, 0.9], [0.5, 0.0], [-0.1])
    check_work(found, drawn=False)
    # ∇L = 2x + q + Gᵀz − Aᵀα = (0 + 0.5 + 0.1, −3.2 + 1 − 0.1)
    assert "max(|0.6|, |−2.3|) = 2.3" in str(found.work())


@pytest.mark.parametrize(
    "result",
    [
        quadratic_program([[2, 0], [0, 2]], [-2, -5], G=[[1, 2]], h=[3]),
        lagrange(lambda x: x @ x, lambda x: [x.sum() - 1.0], [3.0, 0.0]),
        sequential_quadratic(lambda x: x[0] + x[1], lambda x: 2 - x @ x, [0.0, 0.0]),
    ],
    ids=["quadratic", "lagrange", "sequential"],
)
def test_every_result_under_constraints_shows_its_conditions(result):
    check_work(result.residuals, drawn=False)
    false = replace(result.residuals, stationarity=result.residuals.stationarity + 1.0)
    with pytest.raises(AssertionError, match="stationarity"):
        check_work(false)


def test_without_a_solution_there_is_nothing_to_measure():
    with pytest.raises(ParameterError, match="there is no solution"):
        quadratic_program(None, [1.0]).residuals.work()
