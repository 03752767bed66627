"""Derivatives by rule, against differences and against the rules of calculus."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.mathematics.calculus import SmoothFunction

leaves = st.sampled_from(["x", "y", "2", "0.5", "3"])


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("-({})".format, inner),
        st.builds("({})**{}".format, inner, st.sampled_from(["2", "3", "-1"])),
        st.builds("{}({})".format, st.sampled_from(["exp", "sin", "cos", "tanh"]), inner),
        st.builds("{}(1 + ({})**2)".format, st.sampled_from(["log", "log2", "sqrt"]), inner),
    )


@settings(deadline=None)
@given(st.recursive(leaves, combined, max_leaves=6), st.floats(0.3, 1.5), st.floats(0.3, 1.5))
def test_slopes_are_those_of_differences(source, x, y):
    point, h = np.array([x, y]), 1e-5
    try:
        f = SmoothFunction(source, ("x", "y"))
        gradient = f.gradient(point)
        around = [[f(point + s * h * e) for s in (-2, -1, 1, 2)] for e in np.eye(2)]
    except ParameterError:  # a division by zero, or a number too large
        assume(False)
    scale = max(1.0, *(abs(value) for row in around for value in row), *np.abs(gradient))
    assume(scale < 1e3 and np.abs(f.hessian(point)).max() < 1e4)
    differences = [(a - 8 * b + 8 * c - d) / (12 * h) for a, b, c, d in around]
    assert gradient == pytest.approx(differences, abs=1e-5 * scale, rel=1e-5)


def test_the_textbook_rules():
    assert SmoothFunction("x**3").gradient([2.0])[0] == 12.0
    assert SmoothFunction("x**3").hessian([2.0])[0, 0] == 12.0
    assert SmoothFunction("log(x)").gradient([4.0])[0] == 0.25
    assert SmoothFunction("x**x").gradient([2.0])[0] == pytest.approx(4 * (math.log(2) + 1))
    assert SmoothFunction("exp(-x**2 / 2)").gradient([1.0])[0] == pytest.approx(-math.exp(-0.5))
    assert SmoothFunction("π * x").gradient([1.0])[0] == math.pi


def test_a_hessian_is_symmetric():
    h = SmoothFunction("x**2 * y + sin(x * y) / (1 + y**2)").hessian([0.7, -1.2])
    assert h == pytest.approx(h.T, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SmoothFunction("abs(x)"), "the derivative of abs is not known"),
        (lambda: SmoothFunction("x + y", ("x",)), "uses 'y', which is none of x"),
        (lambda: SmoothFunction("x + y")([1.0]), "is a function of x, y, not of 1 numbers"),
        (lambda: SmoothFunction("import os"), "cannot be read"),
        (lambda: SmoothFunction("1 / x")([0.0]), "cannot be evaluated"),
    ],
)
def test_bad_input_gets_one_sentence(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
