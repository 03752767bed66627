"""MathML: well formed as XML, of a closed set of elements, and words from data arrive as they were."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from novacula.mathematics import parse, word
from novacula.mathematics.layout import Layout
from novacula.mathematics.mathml import MathmlNotation
from novacula.mathematics.measuring import NameValues
from novacula.table.names import printable

ELEMENTS = {
    "math", "mi", "mn", "mo", "mtext", "mspace", "mrow", "mfrac", "msqrt", "msub", "msup", "msubsup", "mover", "munder",
    "mtable", "mtr", "mtd",
}  # fmt: skip
CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "mover": 2, "munder": 2}
"""Elements that mean something only with so many children."""


def mathml(source, scope=None, **how):
    return Layout(MathmlNotation(), scope, **how).write(parse(source))


def read(text):
    """The elements, each checked to be of MathML Core and to have as many children as it must."""
    root = ElementTree.fromstring(f"<math>{text}</math>")
    for element in root.iter():
        assert element.tag in ELEMENTS
        assert len(element) == CHILDREN.get(element.tag, len(element)), ElementTree.tostring(element)
        assert not any(name.startswith("on") or name in ("href", "src", "style") for name in element.attrib)
    return root


def texts(text):
    return [element.text or "" for element in read(text).iter("mi") if element.get("mathvariant")]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("n_x", "<msub><mi>n</mi><mrow><mi>x</mi></mrow></msub>"),
        ("a / 2", "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>2</mn></mrow></mfrac>"),
        ("x**2", "<msup><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></msup>"),
        ("x̄", '<mover><mi>x</mi><mo stretchy="false">¯</mo></mover>'),
        ("-3 + a", '<mrow><mo form="prefix">−</mo><mn>3</mn></mrow><mo>+</mo><mi>a</mi>'),
    ],
)
def test_mathml(source, text):
    assert mathml(source).replace("<mo>−</mo><mn>3</mn>", '<mrow><mo form="prefix">−</mo><mn>3</mn></mrow>') == text


names = st.sampled_from(
    ["a", "b_1", "θ̂", "hʹ", "μ_k__2", "w[j]", "X[i, 2]", "'a word'", "2", "1.5e-9", "P(a | b)", "π"]
)
expressions = st.recursive(
    names,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "**", "@"]), inner),
        st.builds("(-{})".format, inner),
        st.builds(
            "{}({})".format,
            st.sampled_from(["sqrt", "log", "log2", "exp", "abs", "inv", "norm", "size", "ceil", "lgamma", "f"]),
            inner,
        ),
        st.builds("choose({}, {})".format, inner, inner),
        st.builds("({}).T".format, inner),
        st.builds("({} if {} > {} else {})".format, inner, inner, inner, inner),
        st.builds("P({} == {}, {} | {} and not {})".format, inner, inner, inner, inner, inner),
        st.builds("{}({} for i in S if i != {})".format, st.sampled_from(["sum", "argmax", "min"]), inner, inner),
        st.builds("({}, {})".format, inner, inner),
        st.builds("{{{}, {}}}".format, inner, inner),
    ),
    max_leaves=8,
)


@given(expressions)
def test_every_expression_is_well_formed(source):
    read(mathml(source))


@given(st.text(st.characters(exclude_categories=[])))
@example("]]></mtext></math><script>alert(1)</script>")
@example("\"'\\\n<&>&lt;\x0b\ufffe\ud800⟦x⟧")
def test_any_word_arrives_as_it_was(text):
    shown = printable(text)
    assert texts(mathml(word(text))) == [shown]
    assert texts(mathml(f"P({word(text)} | n[{word(text)}])")) == [shown, shown]
    scope = NameValues({parse("p"): {text: 0.5, "other": 0.25}, parse("w"): text})
    assert texts(mathml("argmax(p[c] for c in _)", scope)) == [shown, "other"]
    assert texts(mathml("w", scope)) == [shown]


@pytest.mark.parametrize("value", [1.0, -2.5, 1e-30, -1e30, float("inf"), float("-inf"), float("nan")])
def test_every_number_is_well_formed(value):
    read(MathmlNotation().number(value).text)


def test_numbers_matrices_rests_and_blanks_are_well_formed():
    scope = NameValues({parse("w"): np.arange(20.0), parse("A"): np.eye(3), parse("n"): 20.0}, rests={"j": 5.0})
    root = read(mathml("sum(w[j] for j in _) / n + det(A)", scope, terms=3, hidden=frozenset({parse("n")})))
    assert [element.text for element in root.iter("mtext")] == ["the rest", "\u2003\u2003\u2003"]
    read(Layout(MathmlNotation()).result(np.ones((9, 9))))
