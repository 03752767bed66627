"""The language: what is read, how chains are joined, and a list of what must never be read."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.mathematics import parse, word
from novacula.mathematics.reading import MAX_DEPTH, MAX_LENGTH
from novacula.mathematics.tree import (
    Apply,
    Big,
    Cases,
    Indexed,
    Number,
    Quantity,
    Relation,
    Several,
    Symbol,
    Word,
    parts,
    renamed,
    walk,
)

A, B, C = Symbol("a"), Symbol("b"), Symbol("c")


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("w[j]", Indexed(Symbol("w"), (Symbol("j"),))),
        ("X[i, 2]", Indexed(Symbol("X"), (Symbol("i"), Number(2.0)))),
        ("n['No']", Indexed(Symbol("n"), (Word("No"),))),
        ("P(a, b | c)", Quantity("P", (A, B), (C,))),
        ("P(a == b | c == d)", Quantity("P", (Relation("=", A, B),), (Relation("=", C, Symbol("d")),))),
        ("P(a | b, c)", Quantity("P", (A,), (B, C))),
        ("P(a and b | c)", Quantity("P", (Apply("and", (A, B)),), (C,))),
        ("P(a | b and not c)", Quantity("P", (A,), (Apply("and", (B, Apply("not", (C,)))),))),
        ("P(not a | b == c)", Quantity("P", (Apply("not", (A,)),), (Relation("=", B, C),))),
        ("sum(a for i in _)", Big("+", A, "i")),
        ("sum(a for i in S if i != j)", Big("+", A, "i", Symbol("S"), Relation("≠", Symbol("i"), Symbol("j")))),
        ("sum(a for i in _ for j in _)", Big("+", Big("+", A, "j"), "i")),
        ("argmax(a for i in _)", Big("argmax", A, "i")),
        ("a if b > c else 0", Cases(A, Relation(">", B, C), Number(0.0))),
        ("A.T", Apply("transpose", (Symbol("A"),))),
        ("(a, b)", Several((A, B))),
        ("{a, b}", Several((A, B), is_set=True)),
        ("a and b and c", Apply("and", (A, B, C))),
        ("not a", Apply("not", (A,))),
        ("a in {b, c}", Relation("∈", A, Several((B, C), is_set=True))),
        ("h′ + θ̂", Apply("+", (Symbol("hʹ"), Symbol("θ̂")))),
        ("\N{MICRO SIGN}", Symbol("\N{GREEK SMALL LETTER MU}")),
        ("sum(a)", A),
        ("log(a, 10)", Apply("log", (A, Number(10.0)))),
        ("  a", A),
        ("class", Symbol("class")),
        ("n[class] + classes", Apply("+", (Indexed(Symbol("n"), (Symbol("class"),)), Symbol("classes")))),
        ("P('class ′', \"it's a class\")", Quantity("P", (Word("class ′"), Word("it's a class")))),
    ],
)
def test_trees(source, tree):
    assert parse(source) == tree


def test_chains_are_joined():
    assert parse("a + b + c") == parse("sum(a, b, c)") == Apply("+", (A, B, C))
    assert parse("a / b * c / d") == parse("(a/b) * (c/d)")
    assert parse("a * b / c") == Apply("/", (Apply("*", (A, B)), C))


def test_parts_are_found_and_renamed():
    tree = parse("b + sum(w[j] * x[j] for j in _)")
    assert Symbol("x") in set(walk(tree))
    assert list(parts(parse("a / b"))) == [A, B]
    assert renamed(tree, {parse("b"): parse("w_0")}) == parse("w_0 + sum(w[j] * x[j] for j in _)")
    assert renamed(tree, {parse("w[j]"): parse("θ[j]")}) == parse("b + sum(θ[j] * x[j] for j in _)")
    assert renamed(tree, {parse("q"): parse("r")}) == tree


@pytest.mark.parametrize(
    "source",
    [
        "a.real",
        "a.T.real",
        "__import__('os').system('true')",
        "().__class__",
        "[1, 2]",
        "lambda: 1",
        "a < b < c",
        "a is b",
        "a not in b",
        "+a",
        "a % b",
        "a // b",
        "a | b",
        "a & b",
        "a << b",
        "~a",
        "f'{a}'",
        "b'a'",
        "True",
        "None",
        "1j",
        "...",
        "a[1:2]",
        "sum()",
        "sum(*a)",
        "sqrt(a, b)",
        "sqrt()",
        "log(a, b, c)",
        "dot(a)",
        "sqrt(x=a)",
        "P(x=a)",
        "P(*a)",
        "(sqrt)(a)(b)",
        "a.sum(b)",
        "sqrt(a for a in b)",
        "sum(a for a, b in c)",
        "sum(a for a in b if c if d)",
        "sum((a async for a in b))",
        "(a for a in b)",
        "(x := 1)",
        "x = 1",
        "a; b",
        "a\nb",
        "{a: b}",
        "{*a}",
        "[x for x in a]",
        "{x for x in a}",
        "await a",
        "yield a",
        "",
        "a +",
        "a\0b",
        "\ud800",
        "1" * 5000,
        "0x" + "f" * 5000,
    ],
)
def test_whatever_is_not_of_the_language_is_refused(source):
    with pytest.raises(ParameterError, match=r"expression .* (cannot be read|is not mathematics)"):
        parse(source)


@pytest.mark.parametrize(
    "source",
    [
        "1 + " * MAX_LENGTH + "1",
        "-" * 5000 + "1",
        "-" * (MAX_DEPTH + 1) + "1",
        "(" * 5000 + "1" + ")" * 5000,
        "abs(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1),
        "sum(" * MAX_DEPTH + "a" + " for i in _)" * MAX_DEPTH,
        "a[" * (MAX_DEPTH + 1) + "1" + "]" * (MAX_DEPTH + 1),
        "1 if a > b else " * (MAX_DEPTH + 1) + "2",
        " + ".join(["a"] * 3000),
    ],
)
def test_length_and_depth_are_capped(source):
    with pytest.raises(ParameterError):
        parse(source)


def test_a_long_product_is_wide_and_not_deep():
    factors = [f"p{i}" for i in range(1500)]
    tree = parse(f"product({','.join(factors)})")
    assert tree == Apply("*", tuple(map(Symbol, factors)))


@given(st.text())
@example("5′ and 5ʹ")
@example("⟦x⟧")
@example("'\"\\\n\r\t\0\x85\u2028")
@example("\\u2032′\\′")
@example("]]></math>")
def test_any_text_can_be_a_word(text):
    assert parse(word(text)) == Word(text)
    assert parse(f"P({word(text)} | n[{word(text)}])") == Quantity(
        "P", (Word(text),), (Indexed(Symbol("n"), (Word(text),)),)
    )
    assert not set(word(text)) & set("⟦⟧\n")


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused_in_our_words(text):
    with suppress(ParameterError):
        parse(text)
