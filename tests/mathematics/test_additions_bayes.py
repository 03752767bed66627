"""What derivations of Bayesian models added to the language: factorials."""

import math

import pytest

from novacula.errors import ParameterError
from novacula.mathematics import Equation
from novacula.mathematics.latex import LatexNotation
from novacula.mathematics.mathml import MathmlNotation


def test_a_factorial():
    poisson = Equation("P(x)", "λ ** x * exp(-λ) / factorial(x)", {"λ": 2.5, "x": 3})
    assert poisson.value == pytest.approx(2.5**3 * math.exp(-2.5) / 6)
    assert str(poisson).splitlines()[0] == "P(x) = λ^x · exp(−λ) / x!"
    assert "3! = 0.213763" in str(poisson)
    assert "x!" in poisson.rows(LatexNotation())[0].right
    assert ">!</mo>" in poisson.rows(MathmlNotation())[0].right


def test_a_factorial_of_a_sum_has_brackets_and_a_negative_one_no_value():
    assert str(Equation("a", "factorial(n + 1)", {"n": 3})).splitlines()[0] == "a = (n + 1)!"
    with pytest.raises(ParameterError, match="cannot be evaluated at factorial"):
        _ = Equation("a", "factorial(n)", {"n": -1}).value
