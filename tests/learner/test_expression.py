"""Expressions: Python's own evaluation as the oracle, and a list of what must never be read."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from novacula.learner.expression import MAX_DEPTH, MAX_LENGTH, Apply, Name, evaluate, magnitude, names, parse

from novacula.errors import ParameterError

NAMES = {"a": 5.0, "b": 14.0, "c": -3.0, "n_xt": 0.25, "σ": 2.5}
ORACLE = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "abs": abs,
    "min": lambda *v: min(v),
    "max": lambda *v: max(v),
    "sum": lambda *v: math.fsum(v),
    "product": lambda *v: math.prod(v),
}

leaves = st.sampled_from([*NAMES, "2", "0.5", "1e-3", "7"])


def combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("{} {} {}".format, leaves, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("-{}".format, inner),
        st.builds("({})**{}".format, inner, st.sampled_from(["2", "-1", "3"])),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max", "sum", "product"]), inner, inner),
        st.builds("abs({})".format, inner),
    )


sources = st.recursive(leaves, combine, max_leaves=12)


@given(sources)
def test_evaluates_as_python_does(source):
    try:
        expected = eval(source, {"__builtins__": {}}, {**ORACLE, **NAMES})
    except (ZeroDivisionError, OverflowError):
        with pytest.raises(ParameterError, match="cannot be evaluated"):
            evaluate(parse(source), NAMES)
        return
    tree = parse(source)
    # a/b*c/d is regrouped as (a/b)*(c/d), so the last digit may differ on the scale of what is added up
    assert evaluate(tree, NAMES) == pytest.approx(expected, rel=1e-12, abs=1e-12 * magnitude(tree, NAMES))


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("(n_xt + m*p) / (n_t + m)", (3 + 1 / 3) / 6),
        ("5/14 * 3/5 * 1/5 * 4/5 * 3/5", 36 / 1750),
        ("-a**2", -4.0),
        ("2**a**a", 16.0),
        ("sqrt(16) + log2(8) + log(exp(2))", 9.0),
        ("log(0)", -math.inf),
        ("exp(log(0))", 0.0),
        ("sum(a)", 2.0),
        ("  1 + 1", 2.0),
        ("0.999 ** 100000", 0.999**100000),
    ],
)
def test_values(source, value):
    got = evaluate(parse(source), {"n_xt": 3, "m": 1, "p": 1 / 3, "n_t": 5, "a": 2})
    assert got == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "source",
    [
        "a.real",
        "__import__('os').system('true')",
        "().__class__",
        "[1, 2]",
        "a[0]",
        "lambda: 1",
        "a if b else c",
        "a < b",
        "a and b",
        "not a",
        "+a",
        "a % b",
        "a // b",
        "a @ b",
        "a | b",
        "~a",
        "'text'",
        "f'{a}'",
        "True",
        "None",
        "1j",
        "...",
        "pow(2, 3)",
        "eval(a)",
        "sum()",
        "sum(*a)",
        "sqrt(a, b)",
        "sqrt(x=a)",
        "(sqrt)(a)(b)",
        "(x := 1)",
        "x = 1",
        "a; b",
        "a\nb",
        "a, b",
        "{a: b}",
        "[x for x in a]",
        "await a",
        "",
        "a +",
        "a\0b",
        "\ud800",
        "1" * 5000,
        "0x" + "f" * 5000,
    ],
)
def test_whatever_is_not_plain_arithmetic_is_refused(source):
    with pytest.raises(ParameterError):
        parse(source)


@pytest.mark.parametrize(
    "source",
    [
        "1 + " * MAX_LENGTH + "1",
        "-" * 5000 + "1",
        "-" * (MAX_DEPTH + 1) + "1",
        "(" * 5000 + "1" + ")" * 5000,
        "abs(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1),
        " + ".join(["a"] * 3000),
    ],
)
def test_length_and_depth_are_capped(source):
    with pytest.raises(ParameterError):
        parse(source)


def test_a_long_product_is_wide_and_not_deep():
    factors = [f"p{i}" for i in range(1500)]
    tree = parse(f"product({','.join(factors)})")
    assert list(names(tree)) == factors
    assert evaluate(tree, dict.fromkeys(factors, 1.001)) == pytest.approx(1.001**1500, rel=1e-12)


@pytest.mark.parametrize(
    "source", ["1/0", "9**9**9", "0**-1", "(-8)**(1/3)", "sqrt(-1)", "log(-1)", "exp(1000)", "1e999 - 1e999"]
)
def test_what_has_no_value_raises_with_the_place(source):
    with pytest.raises(ParameterError, match="cannot be evaluated at"):
        evaluate(parse(source), {})


def test_a_name_without_a_value_is_named():
    with pytest.raises(ParameterError, match="'slope', which has no value"):
        evaluate(parse("slope * 2"), {"x": 1})


def test_chains_are_joined():
    a, b, c = Name("a"), Name("b"), Name("c")
    assert parse("a + b + c") == parse("sum(a, b, c)") == Apply("+", (a, b, c))
    assert parse("a / b * c / d") == parse("(a/b) * (c/d)")
    assert parse("a * b / c") == Apply("/", (Apply("*", (a, b)), c))


def test_magnitude_is_the_size_of_what_cancels():
    values = {"y": 1e8, "slope": 2.0, "x": 5e7}
    tree = parse("y - slope * x")
    assert evaluate(tree, values) == 0
    assert magnitude(tree, values) == 2e8
    assert magnitude(parse("(y - slope * x) / x"), values) == 4
    assert magnitude(parse("y * slope / x"), values) == evaluate(parse("y * slope / x"), values) == 4
    assert magnitude(parse("sqrt(y)"), values) == 1e4
