"""Expressions as they are written: a table of cases, and the rules of precedence as Python knows them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser
from novacula.learner.expression import evaluate, parse
from novacula.learner.render_math import HTML, LATEX, TEXT, write


@pytest.mark.parametrize(
    ("value", "text", "latex"),
    [
        (14, "14", "14"),
        (-3, "−3", "-3"),
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (1 / 3, "0.333333", "0.333333"),
        (0.0205714285, "0.0205714", "0.0205714"),
        (1234567, "1234567", "1234567"),
        (1234567.8, "1.23457×10⁶", r"1.23457 \times 10^{6}"),
        (-1.5e-9, "−1.5×10⁻⁹", r"-1.5 \times 10^{-9}"),
        (float("inf"), "∞", r"\infty"),
        (float("-inf"), "−∞", r"-\infty"),
        (float("nan"), "NaN", "NaN"),
    ],
)
def test_numbers(value, text, latex):
    assert TEXT.number(value).text == text
    assert LATEX.number(value).text == latex


VALUES = {"a": 5, "b": 14, "c": -3, "d": 1.5e-9, "n_xt": 3, "σ": 2.5, "prior_no": 0.2}


@pytest.mark.parametrize(
    ("source", "symbols", "numbers"),
    [
        ("a/b * a/b", "a/b · a/b", "5/14 × 5/14"),
        ("(a + 1*n_xt) / (b + 1)", "(a + 1 · n_xt) / (b + 1)", "(5 + 1 × 3) / (14 + 1)"),
        ("a / (b/a)", "a / (b/a)", "5 / (14/5)"),
        ("a - (b - a)", "a − (b − a)", "5 − (14 − 5)"),
        ("a - b + a", "a − b + a", "5 − 14 + 5"),
        ("a + c", "a + c", "5 + (−3)"),
        ("a - c*b", "a − c · b", "5 − (−3 × 14)"),
        ("c * a", "c · a", "−3 × 5"),
        ("-(a + b)", "−(a + b)", "−(5 + 14)"),
        ("-c", "−c", "−(−3)"),
        ("c**2", "c²", "(−3)²"),
        ("-a**2", "−a²", "−5²"),
        ("(-a)**2", "(−a)²", "(−5)²"),
        ("a**-2", "a⁻²", "5⁻²"),
        ("a**0.5", "a^0.5", "5^0.5"),
        ("(a**b)**c", "(a^b)^c", "(5¹⁴)⁻³"),
        ("2**(a + b)", "2^(a + b)", "2^(5 + 14)"),
        ("a / d", "a/d", "5 / (1.5×10⁻⁹)"),
        ("a * d", "a · d", "5 × 1.5×10⁻⁹"),
        ("sqrt(a) * log2(b)", "√(a) · log₂(b)", "√(5) × log₂(14)"),
        ("abs(c) + log(a) - exp(-a)", "|c| + ln(a) − exp(−a)", "|−3| + ln(5) − exp(−5)"),
        ("min(a, b) / max(a, b)", "min(a, b) / max(a, b)", "min(5, 14) / max(5, 14)"),
    ],
)
def test_text(source, symbols, numbers):
    assert write(parse(source), TEXT) == symbols
    assert write(parse(source), TEXT, VALUES) == numbers


@pytest.mark.parametrize(
    ("source", "latex"),
    [
        ("(n_xt + m*p) / (n_t + m)", r"\frac{n_{xt} + m \cdot p}{n_{t} + m}"),
        ("a/b * c/d", r"\frac{a}{b} \cdot \frac{c}{d}"),
        ("(a/b)**2", r"\left(\frac{a}{b}\right)^{2}"),
        ("prior_no * σ_x", r"\text{prior}_{no} \cdot \sigma_{x}"),
        ("sqrt(a - b)", r"\sqrt{a - b}"),
        ("abs(a) * log2(b)", r"\left|a\right| \cdot \log_{2}\left(b\right)"),
        ("class_prior_", r"\text{class}_{\text{prior\_}}"),
        ("naïve + _x", r"\text{naïve} + \text{\_x}"),
    ],
)
def test_latex(source, latex):
    assert write(parse(source), LATEX) == latex


def test_html():
    tree = parse("n_xt / σ**2 * log2(d)")
    assert write(tree, HTML) == "<i>n</i><sub>xt</sub>/<i>σ</i><sup>2</sup> · log<sub>2</sub>(<i>d</i>)"
    assert write(tree, HTML, VALUES) == "3/2.5<sup>2</sup> × log<sub>2</sub>(1.5×10<sup>−9</sup>)"


PRIMES = {name: float(prime) for name, prime in zip("pqrstuvw", (2, 3, 5, 7, 11, 13, 17, 19), strict=True)}
sums_and_products = st.recursive(
    st.sampled_from([*PRIMES]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("(-{})".format, inner),
        st.builds("({})**2".format, inner),
    ),
    max_leaves=8,
)


def python_of(text: str) -> str:
    """A rendering read as Python, which knows the same rules of precedence."""
    for sign, operator in (("×", "*"), ("·", "*"), ("−", "-"), ("²", "**2"), ("^", "**")):
        text = text.replace(sign, operator)
    return text


@given(sums_and_products)
def test_parentheses_keep_the_meaning(source):
    tree = parse(source)
    try:
        value = evaluate(tree, PRIMES)
    except ValueError:  # a division by zero
        return
    scale = 1e-9 * max(1.0, abs(value))
    assert eval(python_of(write(tree, TEXT)), dict(PRIMES)) == pytest.approx(value, rel=1e-9, abs=scale)
    assert eval(python_of(write(tree, TEXT, PRIMES))) == pytest.approx(value, rel=1e-9, abs=scale)


plain = st.recursive(
    st.sampled_from([*PRIMES]),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
    max_leaves=6,
)


@given(plain)
def test_no_pair_of_parentheses_is_idle(source):
    text = python_of(write(parse(source), TEXT))
    opened, pairs = [], []
    for i, character in enumerate(text):
        if character == "(":
            opened.append(i)
        elif character == ")":
            pairs.append((opened.pop(), i))
    for start, end in pairs:
        without = text[:start] + text[start + 1 : end] + text[end + 1 :]
        assert parse(without) != parse(text)


@settings(deadline=None)
@given(sums_and_products)
def test_latex_is_read_by_another_parser(source):
    reader = MathTextParser("path")
    reader.parse(f"${write(parse(source), LATEX)}$")
    reader.parse(f"${write(parse(source), LATEX, PRIMES)}$")
