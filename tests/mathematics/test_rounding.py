"""Numbers as people write them: read from text whatever it holds, and compared at the digits that were asked for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacula.mathematics import Equation
from novacula.mathematics.rounding import is_rounded, read_number, significant_digits, unit, without_noise


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5/14", 5 / 14),
        ("-5/14", -5 / 14),
        ("− 5 / 14", -5 / 14),
        ("2 1/2", 2.5),
        ("-2 1/2", -2.5),
        ("0,357", 0.357),
        ("0.357", 0.357),
        (".5", 0.5),
        ("5.", 5.0),
        ("+3", 3.0),
        ("−0.94", -0.94),
        ("–0,94", -0.94),
        ("1.5e-9", 1.5e-9),
        ("1.5E3", 1500.0),
        ("1.5×10⁻⁹", 1.5e-9),
        ("1.5 * 10^-9", 1.5e-9),
        ("1,5 · 10⁹", 1.5e9),
        ("35.7%", 0.357),
        ("35,7 %", 0.357),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("∞", math.inf),
        ("-inf", -math.inf),
        ("−∞", -math.inf),
        (" 7 ", 7.0),
    ],
)
def test_numbers_are_read(text, value):
    assert read_number(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["", " ", "ten", "1/0", "1//2", "1/2/3", "1 2", "1.2.3", "1,2,3", "--1", "0x10", "1_000", "nan", "1e99999", "1e999",
     "__import__('os')", "5/14; import os", "٣", "½", "\0", "1\n2", "9" * 100, "1 × 10", "e", "%", "1 %%", "10^3 4",
     "3 × 10^9999"],
)  # fmt: skip
def test_what_is_no_number_is_not_read(text):
    assert read_number(text) is None


@given(st.text(max_size=80))
def test_any_text_is_a_number_or_not(text):
    value = read_number(text)
    assert value is None or not math.isnan(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read(value):
    assert read_number(repr(value)) == pytest.approx(value, rel=1e-14)


finite = st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x == 0 or 1e-290 < abs(x) < 1e290)


@given(finite, st.integers(1, 12))
def test_a_rounded_value_is_the_value_at_its_digits(value, digits):
    rounded = float(f"{value:.{digits - 1}e}")
    assert is_rounded(rounded, value, digits)
    assert is_rounded(value, value, digits)
    away = rounded + math.copysign(1.01 * unit(value, digits), value)
    assert not is_rounded(away, value, digits)
    assert not is_rounded(-value, value, digits) or value == 0


def test_infinity_is_itself():
    assert is_rounded(math.inf, math.inf, 3)
    assert not is_rounded(-math.inf, math.inf, 3)
    assert not is_rounded(1.0, math.inf, 3)
    assert not is_rounded(math.inf, 1.0, 3)


@pytest.mark.parametrize(("text", "digits"), [("0.940", 3), ("0,0481", 3), ("14", 2), ("1.50e-9", 3), ("0", 0)])
def test_significant_digits(text, digits):
    assert significant_digits(text) == digits


@pytest.mark.parametrize(
    ("right", "values", "result"),
    [
        ("a + b - c", {"a": 0.1, "b": 0.2, "c": 0.3}, "0"),  # 5.6e-17 by floats
        ("a * b - c", {"a": 0.1, "b": 3.0, "c": 0.3}, "0"),
        ("sum(x[i] for i in _)", {"x": [0.1] * 10 + [-1.0]}, "0"),
        ("X @ v", {"X": np.array([[0.1, 0.2, -0.3], [1.0, 0.0, 0.0]]), "v": np.ones(3)}, "[0 1]"),
        ("a * b", {"a": 1e-9, "b": 1e-9}, "1×10⁻¹⁸"),  # small, and nothing cancels
        ("a - b", {"a": 3e-17, "b": 1e-17}, "2×10⁻¹⁷"),
        ("a - b", {"a": 1.0, "b": 1.0 - 2.0**-40}, "9.09495×10⁻¹³"),  # little is left, but more than rounding
        ("a ** b", {"a": 0.5, "b": 60.0}, "8.67362×10⁻¹⁹"),
        ("exp(a)", {"a": -40.0}, "4.24835×10⁻¹⁸"),
        ("det(A)", {"A": np.diag([1e-18, 1.0])}, "1×10⁻¹⁸"),
    ],
)
def test_only_what_rounding_left_of_larger_terms_is_written_as_zero(right, values, result):
    equation = Equation("y", right, values)
    assert str(equation).endswith(f"= {result}")


def test_entries_are_compared_with_their_own_terms():
    assert without_noise(np.array([1e-17, 1e-17]), np.array([1.0, 1e-17])).tolist() == [0.0, 1e-17]
    assert without_noise("word", 0.0) == "word"
    assert without_noise(-math.inf, math.inf) == -math.inf
