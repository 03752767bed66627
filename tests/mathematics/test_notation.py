"""Plain text: a table of cases, and what is written is read again and must come to the same."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.mathematics import parse
from novacula.mathematics.equation import agree
from novacula.mathematics.layout import LINE, Layout
from novacula.mathematics.measuring import NameValues, measure
from novacula.mathematics.notation import TextNotation


def scope(values):
    return NameValues({parse(name): value for name, value in values.items()})


def symbols(source):
    return Layout(TextNotation()).write(parse(source))


def numbers(source, values, digits=6, **how):
    return Layout(TextNotation(digits), scope(values), **how).write(parse(source))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (14, "14"),
        (-3, "−3"),
        (0.0, "0"),
        (-0.0, "0"),
        (1 / 3, "0.333333"),
        (0.0205714285, "0.0205714"),
        (1234567, "1234567"),
        (1234567.8, "1.23457×10⁶"),
        (-1.5e-9, "−1.5×10⁻⁹"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (float("nan"), "NaN"),
    ],
)
def test_numbers(value, text):
    assert TextNotation().number(value).text == text


@pytest.mark.parametrize(("digits", "text"), [(1, "0.3"), (3, "0.333"), (17, "0.33333333333333331")])
def test_digits(digits, text):
    assert TextNotation(digits).number(1 / 3).text == text
    assert TextNotation(digits).number(1234567).text == "1234567"  # whole numbers keep their digits


VALUES = {"a": 5.0, "b": 14.0, "c": -3.0, "d": 1.5e-9, "n_xt": 3.0, "σ": 2.5, "prior_no": 0.2}


@pytest.mark.parametrize(
    ("source", "with_names", "with_numbers"),
    [
        ("a/b * a/b", "a/b · a/b", "5/14 × 5/14"),
        ("(a + 1*n_xt) / (b + 1)", "(a + 1 · nₓₜ) / (b + 1)", "(5 + 1 × 3) / (14 + 1)"),
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
        ("log(a, 10) * choose(b, a)", "log₁₀(a) · C(b, a)", "log₁₀(5) × C(14, 5)"),
        ("a if a > b else c", "{a if a > b; c otherwise}", "−3"),
        ("ceil(σ) - floor(σ)", "⌈σ⌉ − ⌊σ⌋", "⌈2.5⌉ − ⌊2.5⌋"),
    ],
)
def test_text(source, with_names, with_numbers):
    assert symbols(source) == with_names
    used = {name: value for name, value in VALUES.items() if re.search(rf"\b{name}\b", source)}
    assert numbers(source, used) == with_numbers


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("θ̂_1 + h′ + μ_k__2 + x̄", "θ̂₁ + h′ + μₖ⁽²⁾ + x̄"),
        ("w[j] + n['No'] + X[i, j] + X[11, 2] + X[1, 12]", "wⱼ + n_No + Xᵢⱼ + X[11, 2] + X[1, 12]"),
        ("P(x == 'Sunny', y | t)", "P(x = Sunny, y | t)"),
        ("P(a and (b or c))", "P(a ∧ (b ∨ c))"),
        ("P((a and b) or c)", "P((a ∧ b) ∨ c)"),
        ("P(not (a and b))", "P(¬(a ∧ b))"),
        ("A.T @ inv(B) @ norm(w)", "Aᵀ · B⁻¹ · ‖w‖"),
        ("(A @ B).T", "(A · B)ᵀ"),
        ("sum(a[i] + b for i in _)", "Σᵢ (aᵢ + b)"),
        ("sum(a[i] * b for i in range(n))", "Σ[i = 1, …, n] aᵢ · b"),
        ("sum(a[i] for i in S if i != j)", "Σ[i ∈ S, i ≠ j] aᵢ"),
        ("sum(a[i, j] for i in _ for j in _)", "Σᵢ Σⱼ aᵢⱼ"),
        ("sum(-a[i] for i in _)", "Σᵢ (−aᵢ)"),
        ("argmax(-a[i] for i in _)", "argmaxᵢ −aᵢ"),
        ("c * sum(a[i] for i in _)", "c · Σᵢ aᵢ"),
        ("sum(a[i] for i in _) * c", "(Σᵢ aᵢ) · c"),
        ("sum(a[i] for i in _) / c", "(Σᵢ aᵢ) / c"),
        ("c / sum(a[i] for i in _)", "c / (Σᵢ aᵢ)"),
        ("product(a[i] for i in _)**2", "(Πᵢ aᵢ)²"),
        ("b * product(a[i] for i in _) / c", "(b · Πᵢ aᵢ) / c"),
        ("-product(a[i] for i in _) * c", "(−Πᵢ aᵢ) · c"),
        ("b + sum(a[i] for i in _) + c", "b + Σᵢ aᵢ + c"),
        ("b - sum(a[i] for i in _)", "b − Σᵢ aᵢ"),
        ("-sum(a[i] for i in _)", "−Σᵢ aᵢ"),
    ],
)
def test_names_sums_and_brackets(source, text):
    assert symbols(source) == text


# --- what is written is read again --------------------------------------------------------------------------

PRIMES = {name: float(prime) for name, prime in zip("pqrstuvw", (2, 3, 5, 7, 11, 13, 17, 19), strict=True)}
VECTOR = np.array([1.5, -2.0, 4.25])
sums_and_products = st.recursive(
    st.sampled_from([*PRIMES]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("(-{})".format, inner),
        st.builds("({})**2".format, inner),
        st.builds("{}({})".format, st.sampled_from(["sqrt", "log", "log2", "exp"]), inner),
    ),
    max_leaves=8,
)
with_indices = st.recursive(
    st.sampled_from([*PRIMES, "x[i]", "x[j]"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("(-{})".format, inner),
        st.builds("({})**2".format, inner),
        st.builds(
            "{}({} for {} in range(3))".format, st.sampled_from(["sum", "product"]), inner, st.sampled_from("ij")
        ),
    ),
    max_leaves=6,
).map(lambda body: f"sum(product({body} for j in range(3)) for i in range(3))")

BACK = (
    ("×", "*"), ("·", "*"), ("−", "-"), ("²", "**2"), ("^", "**"), ("√", "sqrt"), ("ln", "log"), ("log₂", "log2"),
)  # fmt: skip


def read_again(text):
    """A rendering as an expression of the language, which knows the same rules of precedence."""
    raised = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
    text = re.sub("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: f"e{found[1].translate(raised)}", text)
    for sign, operator in BACK:
        text = text.replace(sign, operator)
    return parse(text)


def value_or_none(tree, values):
    try:
        return measure(tree, scope(values))
    except ParameterError:
        return None


@given(sums_and_products)
def test_brackets_keep_the_meaning(source):
    expected = value_or_none(parse(source), PRIMES)
    if expected is None or not np.isfinite(expected.scale):
        return
    again = measure(read_again(symbols(source)), scope(PRIMES))
    assert agree(again.value, expected.value, expected.scale)
    again = measure(read_again(numbers(source, PRIMES, digits=17)), scope({}))
    assert agree(again.value, expected.value, expected.scale)


@settings(deadline=None)
@given(with_indices)
def test_sums_written_out_keep_the_meaning(source):
    values = {**PRIMES, "x": VECTOR}
    expected = value_or_none(parse(source), values)
    if expected is None or not np.isfinite(expected.scale):
        return
    again = measure(read_again(numbers(source, values, digits=17)), scope({}))
    assert agree(again.value, expected.value, expected.scale)


plain = st.recursive(
    st.sampled_from([*PRIMES]),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
    max_leaves=6,
)


@given(plain)
def test_no_pair_of_brackets_is_idle(source):
    text = symbols(source)
    opened, pairs = [], []
    for i, character in enumerate(text):
        if character == "(":
            opened.append(i)
        elif character == ")":
            pairs.append((opened.pop(), i))
    for start, end in pairs:
        without = text[:start] + text[start + 1 : end] + text[end + 1 :]
        assert read_again(without) != read_again(text)


# --- long sums, large arrays --------------------------------------------------------------------------------

MANY = {"w": np.array([0.5, -9.0, 1.0, 7.0, -0.25, 3.0]), "n": 6.0}


def test_a_long_sum_shows_its_largest_terms_in_their_order_and_the_rest():
    assert numbers("sum(w[j] for j in _)", MANY, terms=3) == "−9 + 7 + 3 + [3 more: 1.25]"
    assert numbers("product(w[j] for j in _)", MANY, terms=2) == "0.5 × (−9) × [4 more: −5.25]"
    assert numbers("sum(w[j]**2 for j in _) / n", MANY, terms=1) == "((−9)² + [5 more: 59.3125]) / 6"


def test_the_rest_that_is_kept_is_one_number():
    kept = NameValues({parse("w"): MANY["w"]}, rests={"j": 100.0})
    assert Layout(TextNotation(), kept, terms=9).write(parse("sum(w[j] for j in _)")).endswith("[the rest: 100]")
    assert Layout(TextNotation(), kept, terms=1).write(parse("sum(w[j] for j in _)")) == "−9 + [the rest: 111.25]"


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=30), st.integers(1, 12))
def test_the_terms_and_the_rest_come_to_the_sum(values, terms):
    text = numbers("sum(w[j] for j in _)", {"w": np.array(values)}, digits=17, terms=terms)
    again = measure(read_again(re.sub(r"\[\d+ more: (.*)\]", r"(\1)", text)), scope({}))
    assert agree(again.value, float(np.sum(values)), float(np.sum(np.abs(values))))
    assert len(re.findall(r" \+ ", text)) == min(len(values) - 1, terms)


def test_a_sum_of_vectors_has_a_rest_too():
    text = numbers("sum(X[i] for i in _)", {"X": np.arange(8.0).reshape(4, 2)}, terms=2)
    assert text == "[4 5] + [6 7] + [2 more: [2 4]]"


def test_the_best_of_many_candidates_are_shown():
    values = {"p": {"a": 0.1, "b": 0.05, "c": 0.6, "d": 0.25}}
    assert numbers("argmax(p[c] for c in _)", values, terms=2) == "argmax(c : 0.6, d : 0.25, …)"
    assert numbers("argmin(p[c] for c in _)", values, terms=2) == "argmin(a : 0.1, b : 0.05, …)"
    assert numbers("max(p[c] for c in _)", values, terms=1) == "max(0.6, …)"


def test_small_matrices_are_written_out_and_large_ones_named():
    assert numbers("A @ b", {"A": np.eye(2), "b": np.array([1.0, 2.0])}) == "[1 0; 0 1] × [1 2]"
    assert numbers("A @ b", {"A": np.eye(9), "b": np.arange(9.0)}) == "A × b"
    renaming = {parse("A"): parse("Φ")}
    layout = Layout(TextNotation(), scope({"A": np.eye(9), "b": np.arange(9.0)}), names=renaming)
    assert layout.write(parse("A @ b")) == "Φ × b"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        ("Sunny", "Sunny"),
        (np.arange(9.0), "[0 1 2 3 4 … 8]"),
        (np.arange(14.0).reshape(7, 2), "[0 1; 2 3; 4 5; 6 7; 8 9; … …]"),
        (np.zeros((2, 2, 2)), "…"),
        (["a", "b"], "⟨a, b⟩"),
        ({"No": 1.0, "Yes": 2.0}, "[1 2]"),
    ],
)
def test_results(value, text):
    assert Layout(TextNotation()).result(value) == text


@pytest.mark.parametrize(
    ("source", "first", "last"),
    [
        ("sum(w[j] for j in _)", "1.11111", "58.8889"),
        ("-sum(w[j] for j in _)", "−(1.11111", ")"),
        ("sum(w[j] for j in _) / n", "(1.11111", ") / 53"),
        ("2 + sum(w[j] for j in _)", "2 + 1.11111", "58.8889"),
        ("product(w[j] for j in _)", "1.11111", "58.8889"),
    ],
)
def test_long_lines_of_numbers_are_broken_before_their_signs(source, first, last):
    layout = Layout(TextNotation(), scope({"w": np.arange(1, 54) / 0.9, "n": 53.0}), terms=100)
    lines = layout.lines(parse(source))
    assert len(lines) > 5
    assert lines[0].startswith(first)
    assert lines[-1].endswith(last)
    assert all(line.startswith((" + ", " × ")) for line in lines[1:])
    assert max(map(len, lines)) <= LINE + 12
    assert "".join(lines) == layout.write(parse(source))
    assert Layout(TextNotation()).lines(parse(source)) == [symbols(source)]


def test_hidden_parts_are_blank():
    hidden = frozenset({parse("n")})
    assert numbers("a / n", {"a": 5.0, "n": 14.0}, hidden=hidden) == "5/____"
