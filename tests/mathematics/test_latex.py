"""LaTeX: read by another parser, balanced, and of no character but printable ASCII."""

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser

from novacula.mathematics import parse, word
from novacula.mathematics.latex import COMMANDS, LETTER_ACCENTS, SYMBOLS, LatexNotation, escape_latex
from novacula.mathematics.layout import Layout
from novacula.mathematics.measuring import NameValues
from novacula.table.names import printable

PRINTABLE = re.compile(r"[ -~]*")
PRIMES = {name: float(prime) for name, prime in zip("pqrstuvw", (2, 3, 5, 7, 11, 13, 17, 19), strict=True)}
SCOPE = NameValues({parse(name): value for name, value in PRIMES.items()})


def latex(source, scope=None):
    return Layout(LatexNotation(), scope).write(parse(source))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-3, "-3"),
        (1234567.8, r"1.23457 \times 10^{6}"),
        (-1.5e-9, r"-1.5 \times 10^{-9}"),
        (float("inf"), r"\infty"),
        (float("-inf"), r"-\infty"),
        (float("nan"), "NaN"),
    ],
)
def test_numbers(value, text):
    assert LatexNotation().number(value).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("(n_xt + m*p) / (n_t + m)", r"\frac{n_{xt} + m \, p}{n_{t} + m}"),
        ("a/b * c/d", r"\frac{a}{b} \, \frac{c}{d}"),
        ("(a/b)**2", r"{\left(\frac{a}{b}\right)}^{2}"),
        ("prior_no * σ_x", r"\text{prior}_{no} \, \sigma_{x}"),
        ("x̄_a[k]", r"{\bar{x}_{a}{}}_{k}"),  # TeX would take plain braces away, and find two indices
        ("sqrt(a - b)", r"\sqrt{a - b}"),
        ("abs(a) * log2(b)", r"\left\vert a \right\vert \, \log_{2}\left(b\right)"),
        ("class_prior_", r"\text{class}_{\text{prior},\text{}}"),
        ("naïve + _x", r"\text{na\"{i}ve} + \text{\_x}"),
        ("sum(w[j] * x[j] for j in _)", r"\sum_{j} {w}_{j} \, {x}_{j}"),
        ("P(a | 'b_c')", r"P\left(a \mid \text{b\_c}\right)"),
        ("θ̂_1 + hʹ + μ__2", r"\hat{\theta}_{1} + h^{\prime } + \mu^{(2)}"),
        ("x if x > 0 else 0", r"\begin{cases}x & \text{if } x > 0 \\ 0 & \text{otherwise}\end{cases}"),
        ("argmax(P(c) for c in _)", r"\operatorname*{argmax}_{c} P\left(c\right)"),
    ],
)
def test_latex(source, text):
    assert latex(source) == text


sums_and_products = st.recursive(
    st.sampled_from([*PRIMES]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("(-{})".format, inner),
        st.builds("({})**2".format, inner),
        st.builds("{}({})".format, st.sampled_from(["sqrt", "log", "log2", "exp", "abs", "ceil", "norm"]), inner),
        st.builds("sum({} for {} in range(3))".format, inner, st.sampled_from("ij")),
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(sums_and_products)
def test_latex_is_read_by_another_parser(source):
    reader = MathTextParser("path")
    reader.parse(f"${latex(source)}$")
    reader.parse(f"${latex(source, SCOPE)}$")
    assert PRINTABLE.fullmatch(latex(source))


# --- words --------------------------------------------------------------------------------------------------


@given(st.text(st.characters()))
@example("".join(SYMBOLS))
@example("".join(COMMANDS))
@example("".join(LETTER_ACCENTS))
@example("e\u0301\u0301 \u0301 ŷ̂ x̄ ﬁ ß ẞ ǆ 🎲 \ud800")
def test_any_text_is_printable_ascii(text):
    assert PRINTABLE.fullmatch(escape_latex(text)), escape_latex(text)


def test_every_character_is_printable_ascii():
    for plane in range(3):  # the planes that hold letters and signs
        text = "".join(chr(point) for point in range(plane << 16, (plane + 1) << 16))
        assert PRINTABLE.fullmatch(escape_latex(text))


@given(st.text(st.characters()))
def test_any_text_is_balanced_in_latex(text):
    rest = re.sub(r"\\[{}$]", "", escape_latex(text).replace(r"\\", ""))
    depth = 0
    for character in rest:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert rest.count("$") % 2 == 0


ESCAPES = re.compile(r"\\text[a-z]+\{\}|\\[{}$&#%_]|\{[\[\]*]\}|-\{\}")
BACK = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\textquotedblright{}": '"', r"\textasciigrave{}": "`",
    "{[}": "[", "{]}": "]", "{*}": "*", "-{}": "-",
}  # fmt: skip


@given(st.text(st.characters(max_codepoint=0x7E)))
@example("_ % & # { } ~ ^ \\ \" ` '")
@example("--flag --- \\input{x}\\\\[3pt]* $\\bad$")
def test_ascii_can_be_read_back(text):
    escaped = escape_latex(text)
    rest = ESCAPES.sub("", escaped)
    assert not set(rest) & set('\\{}$&#%_~^<>|"`[]*')
    back = ESCAPES.sub(lambda found: BACK.get(found[0], found[0][1:]), escaped)
    assert back == printable(text).replace("\N{REPLACEMENT CHARACTER}", "?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x̄ ≤ ŷ", r"$\bar{x}$ $\le$ \^{y}"),
        ("σ² ✓ ∴", r"$\sigma$$^{2}$ $\surd$ $\Rightarrow$"),
        ("naïve Ångström", r"na\"{i}ve \r{A}ngstr\"{o}m"),
        ("中", "{[}U+4E2D{]}"),
        ("θ̂ _̂", r"$\hat{\theta}$ \_\^{}"),
    ],
)
def test_known_letters_and_signs(text, expected):
    assert escape_latex(text) == expected


@given(st.text(st.characters(), max_size=10))
def test_words_in_mathematics_are_printable_ascii(text):
    source = f"P({word(text)} | n[{word(text)}]) + sum(n[{word(text)}] for i in {word(text)})"
    assert PRINTABLE.fullmatch(latex(source))
    scope = NameValues({parse("p"): {text: 0.5, "other": 0.25}, parse("w"): text})
    assert PRINTABLE.fullmatch(latex("argmax(p[c] for c in _)", scope))
    assert PRINTABLE.fullmatch(latex("w", scope))


@given(st.from_regex(r"\w{1,8}", fullmatch=True))
def test_names_are_printable_ascii(name):
    if not name.isidentifier():
        return
    assert PRINTABLE.fullmatch(Layout(LatexNotation()).notation.symbol(name).text)


def test_matrices_are_cut():
    assert (
        Layout(LatexNotation()).result(np.arange(9.0)) == r"\begin{pmatrix}0 & 1 & 2 & 3 & 4 & \ldots & 8\end{pmatrix}"
    )
