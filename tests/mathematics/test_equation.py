"""Equations: what must be true of them, what is refused, and the lines in which they are written."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novacula.errors import InputTypeError, ParameterError
from novacula.mathematics import Equation, parse, word
from novacula.mathematics.equation import agree, value_text
from novacula.mathematics.notation import TextNotation

PRIOR = Equation("P('No')", "n['No'] / n", {"n['No']": 5, "n": 14}, of=("class_prior_", 0))


def test_the_right_side_is_the_value_of_the_left():
    assert PRIOR.value == 5 / 14
    assert PRIOR.left_value is None  # P(No) has no value of its own
    assert PRIOR.fault() is None
    assert str(PRIOR) == "P(No) = n_No/n\n      = 5/14 = 0.357143"


def test_whatever_is_a_number_becomes_one():
    equation = Equation("y", "a + b + sum(w[j] for j in _)", {"a": np.float32(0.5), "b": np.int64(2), "w": [1, 2]})
    assert type(equation.values["a"]) is type(equation.values["b"]) is float
    assert equation.values["w"].dtype == np.float64
    assert equation.value == 5.5


def test_the_two_letters_mu_are_one_name():
    equation = Equation("y", "\N{MICRO SIGN} + 1", {"\N{MICRO SIGN}": 2}, where={"\N{MICRO SIGN}": "mean"})
    assert equation.value == 3
    assert str(equation) == "y = μ + 1\n  = 2 + 1 = 3"


@pytest.mark.parametrize(
    ("equation", "fault"),
    [
        (Equation("σ**2", "sqrt(a)", {"σ": 2.0, "a": 4.0}), r"says σ\*\*2 = sqrt\(a\), which come to 4\.0 and 2\.0"),
        (Equation("y", ("a + b", "2 * a"), {"a": 1.0, "b": 2.0}), r"says a \+ b = 2 \* a, which come to 3\.0 and 2\.0"),
        (Equation("a", "b", {"a": 1.0, "b": 2.0}, sign="≥"), r"says that 1\.0 ≥ 2\.0"),
        (Equation("a", "b", {"a": 2.0, "b": 2.0}, sign="<"), r"says that 2\.0 < 2\.0"),
        (Equation("a", "b", {"a": 2.0, "b": 2.0}, sign="≠"), r"says that 2\.0 ≠ 2\.0"),
        (Equation("a", "b", {"a": 0.1 + 0.2, "b": 0.3}, sign="≠"), r"says that 0\.30000000000000004 ≠ 0\.3"),
        (Equation("y", "1 / n", {"n": 0}), "has no value: .*division by zero"),
        (Equation("y", "a + b", {"a": 1.0}), "has no value: .*'b', which has no value"),
        (Equation("a", "b", {"a": "word", "b": 1.0}, sign="<"), "has no value: the two sides of < cannot be compared"),
        (Equation("w", "A", {"w": [1.0, 2.0], "A": [1.0, 3.0]}), "says w = A, which come to"),
        (Equation("w", "A", {"w": [1.0, 2.0], "A": [1.0, 2.0, 3.0]}), "says w = A, which come to"),
        (Equation("c", "argmax(p[k] for k in _)", {"c": "No", "p": {"No": 0.2, "Yes": 0.8}}), "No and Yes"),
        (Equation("a", "log(b)", {"a": 0.0, "b": 0.0}), "which come to 0.0 and -inf"),
    ],
)
def test_what_is_false_is_found(equation, fault):

    assert re.search(fault, equation.fault() or ""), equation.fault()


@pytest.mark.parametrize(
    "equation",
    [
        Equation("0.1 + 0.2", "0.3", {}),
        Equation("a", "0.3", {"a": 0.1 + 0.2}, sign="≤"),
        Equation("y", ("a - b", "-(b - a)", "a + -b"), {"a": 1.0, "b": 2.0}),
        Equation("w", "w - η * g", {"w": 1.0, "η": 0.1, "g": 3.0}, sign="←"),
        Equation("p(x)", "exp(-x)", {"x": 1.0}, sign="∝"),
        Equation("a", "b", None, sign="≥"),
        Equation("y - b * x", "r", {"y": 1e8, "b": 2.0, "x": 5e7, "r": 1e-6}),
        Equation("a", "log(b)", {"a": -math.inf, "b": 0.0}),
        Equation("h", "argmax(p[k] for k in _)", {"h": "Yes", "p": {"No": 0.2, "Yes": 0.8}}, therefore=True),
        Equation("A @ x", "b", {"A": np.eye(2), "x": [1, 2], "b": [1, 2]}),
    ],
)
def test_what_is_true_passes(equation):
    assert equation.fault() is None


numbers = st.floats(-1e6, 1e6)


@given(numbers, numbers, numbers)
def test_a_chain_holds_if_its_members_are_equal(a, b, wrong):
    members = ("(a + b)**2", "a**2 + 2*a*b + b**2")
    assert Equation("y", members, {"a": a, "b": b}).fault() is None
    false = Equation("y", (*members, "c"), {"a": a, "b": b, "c": wrong})
    scale = (abs(a) + abs(b)) ** 2
    if abs((a + b) ** 2 - wrong) > 1e-6 * max(scale, abs(wrong), 1.0):
        assert false.fault() is not None


@given(numbers, numbers)
def test_inequalities_are_checked(a, b):
    def is_true(sign):
        return Equation("a", "b", {"a": a, "b": b}, sign=sign).fault() is None

    if agree(a, b):
        assert (is_true("≤"), is_true("≥"), is_true("<"), is_true(">"), is_true("≠")) == (
            True,
            True,
            False,
            False,
            False,
        )
    else:
        assert is_true("≤") == is_true("<") == (a < b)
        assert is_true("≥") == is_true(">") == (a > b)
        assert is_true("≠")


@pytest.mark.parametrize(
    ("one", "other", "scale", "same"),
    [
        (1.0, 1.0 + 1e-10, 0.0, True),
        (1.0, 1.0 + 1e-8, 0.0, False),
        (0.0, 1e-8, 1e6, True),
        (0.0, 1e-6, 1e6, False),
        (math.inf, math.inf, 0.0, True),
        (math.inf, 5.0, math.inf, False),
        (-math.inf, math.inf, 0.0, False),
        (5.0, -math.inf, 1.0, False),
        (math.nan, math.nan, 1.0, False),
        ("a", "a", 0.0, True),
        ("a", "b", 0.0, False),
        ("1", 1.0, 0.0, False),
        ([1.0, 2.0], [1.0, 2.0], 0.0, True),
        ([1.0, math.inf], [1.0, 7.0], 0.0, False),
        ([1.0, 2.0], [1.0], 0.0, False),
        (["a"], ["a"], 0.0, True),
        (["a"], ["b"], 0.0, False),
        (["a"], 1.0, 0.0, False),
    ],
)
def test_agree(one, other, scale, same):
    assert agree(one, other, scale) is same
    assert agree(other, one, scale) is same


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"right": "a", "values": {"a": 1, "b": 2}}, "does not use 'b', of which it has a value"),
        ({"right": "a", "values": {"a": 1}, "where": {"c": "x"}}, "does not use 'c', of which it has a meaning"),
        ({"right": "a", "values": {"a": 1}, "rest": {"i": 1.0}}, "does not use 'i', of which it has a rest"),
        ({"right": "w[j]", "values": {"w[i]": 1}}, r"does not use 'w\[i\]'"),
        ({"right": "a", "values": {"a": math.nan}}, "the value of 'a' is NaN"),
        ({"right": "a", "values": {"a": {"No": [1.0, math.nan]}}}, "the value of 'a' is NaN"),
        ({"right": "a", "of": ("coef_", 0)}, "needs values"),
        ({"right": "1", "values": {}, "of": (0, "coef_")}, "starts with the name of an attribute"),
        ({"right": "a.b"}, "not mathematics that is understood"),
        ({"right": "a", "sign": "=="}, "has the sign '=='; use one of"),
        ({"right": "a", "values": {"a b": 1}}, "cannot be read"),
    ],
)
def test_an_inconsistent_equation_is_refused(parts, message):
    with pytest.raises(ParameterError, match=message):
        Equation("y", **parts)


@pytest.mark.parametrize("value", [None, object(), [1, "two"], [[1, 2], [3]]])
def test_a_value_that_is_no_number_is_refused(value):
    with pytest.raises(InputTypeError, match="the value of 'a' is"):
        Equation("y", "a", {"a": value})


def test_values_are_given_by_name_by_index_or_by_label():
    for values in ({"w": [1.0, 2.0]}, {"w[j]": [1.0, 2.0]}, {"w": {"a": 1.0, "b": 2.0}}):
        assert Equation("y", "sum(w[j] for j in _)", values).value == 3.0
    hostile = 'it\'s "a" \\ \n′⟦x⟧'
    assert Equation("y", f"n[{word(hostile)}]", {"n": {hostile: 4.0}}).value == 4.0


def test_no_line_stands_twice():
    assert str(Equation("y", "5/14", {})) == "y = 5/14\n  = 0.357143"
    assert str(Equation("y", "x", {"x": 2.5})) == "y = x\n  = 2.5"
    assert str(Equation("y", "2.5", {})) == "y = 2.5"
    assert str(Equation("y", "a / b")) == "y = a/b"


def test_chains_and_inequalities_are_written_with_their_signs():
    chain = Equation("y", ("a + b", "2 * a"), {"a": 1.0, "b": 1.0})
    assert str(chain) == "y = a + b\n  = 2 · a = 2 × 1 = 2"
    bound = Equation("size(H) * exp(-ε * m)", "δ", {"size(H)": 973, "ε": 0.1, "m": 99, "δ": 0.05}, sign="≤")
    assert str(bound).split("\n") == [
        "   |H| · exp(−ε · m) ≤ δ",
        "973 × exp(−0.1 × 99) ≤ 0.05",
        "             0.04882 ≤ 0.05",
    ]
    update = Equation("w", "w + η * d", {"w": 1.0, "η": 0.5, "d": 2.0}, sign="←", therefore=True)
    assert str(update) == "∴ w ← w + η · d\n    = 1 + 0.5 × 2 = 2"


def test_a_hidden_result_and_hidden_parts_are_blank():
    rows = PRIOR.rows(TextNotation(), is_result_hidden=True)
    assert [row.right for row in rows] == ["n_No/n", "5/14", "____"]
    rows = PRIOR.rows(TextNotation(), hidden=frozenset({parse("n")}))
    assert [row.right for row in rows] == ["n_No/n", "5/____", "0.357143"]


def test_another_books_names():
    equation = Equation("y", "b + a @ x", {"b": 1.0, "a": np.ones(9), "x": np.ones(9)})
    rows = equation.rows(TextNotation(), names={parse("b"): parse("w_0"), parse("a"): parse("w")})
    assert [row.right for row in rows] == ["w₀ + w · x", "1 + w × x", "10"]


def test_values_by_themselves():
    assert value_text("No", TextNotation()) == "No"
    assert value_text(np.arange(3.0), TextNotation()) == "[0 1 2]"


@pytest.mark.parametrize(
    ("right", "values", "shown"),
    [
        ("a - b", {"a": 0.3, "b": 0.1 + 0.2}, "= 0.3 − 0.3 = 0"),
        ("x + s * d", {"x": np.array([3.0, 1.0]), "s": 1.0, "d": np.array([-3.0 + 4e-16, 0.5])}, "= [0 1.5]"),
        ("a - b", {"a": 1e-20, "b": 3e-20}, "= −2×10⁻²⁰"),
        ("a - b", {"a": 1.0, "b": 1.0 - 1e-12}, "= 9.99978×10⁻¹³"),
    ],
)
def test_what_rounding_leaves_of_terms_that_cancel_is_written_as_nothing(right, values, shown):
    equation = Equation("y", right, values)
    assert str(equation).replace("\n    ", "").endswith(shown)
    exact = [row.right for row in equation.rows(TextNotation(17))][-1]
    assert (exact == "0") == (np.asarray(equation.value) == 0.0).all()
