"""Renderings: read back by parsers that others wrote, so that hostile names arrive as they were."""

import re
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from novacula.checks.work import html_fault
from novacula.learner.figure import Figure
from novacula.learner.render import escape_markdown
from novacula.learner.render_html import LONG, escape_html
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table.names import printable

NASTY = [
    "<script>alert(1)</script>",
    "$\\bad$",
    "[/red]",
    "[text](javascript:alert(1))",
    "=cmd|' /C calc'!A0",
    "a|b||c",
    "_ % & # { } ~ ^ \\ \" ` '",
    "two\nlines\r\nand\ttabs",
    "bell\a null\0 escape\x1b[31m",
    "right\u202eto left",
    "`` ` ``` code",
    "1. one",
    "- item",
    "+ item",
    "# heading",
    "=====",
    "> quote",
    "    indented",
    "--flag ---",
    "&lt;b&gt;",
    "![x](y)",
    "**bold** __too__ ~~not~~",
    '" onload="alert(1)',
    "</section></td>",
    "]]></math><b>",
    "⟦ is no mathematics",
    "⟦a +⟧ neither is this ⟧⟦",
    "5′ ʹ",
    "中文 émoji 🎲 Ωμέγα",
    "\\input{x}\\\\[3pt]*",
]
HTML_TAGS = {"section", "h3", "h4", "p", "ul", "li", "div", "table", "caption", "thead", "tbody", "tr", "th", "td"}
HTML_TAGS |= {
    "figure",
    "style",
    "math",
    "munder",
    "mspace",
    "mi",
    "mn",
    "mo",
    "mtext",
    "mrow",
    "mfrac",
    "msub",
    "mtable",
    "mtr",
    "mtd",
}
MARKDOWN_TAGS = {"h2", "h3", "ul", "li", "p", "em", "table", "thead", "tbody", "tr", "th", "td"}


def nasty_work(text: str) -> Work:
    table = WorkTable((text, "n"), ((text, 1), (text, 2.5)), caption=text)
    name = word(text)
    values = {f"n[{name}]": 3, "n": 5}
    equation = Equation(f"P({name})", f"n[{name}] / n", values, where={f"n[{name}]": text})
    chosen = Equation("class", "argmax(p[c] for c in _)", {"p": {text: 0.75, "other": 0.25}}, therefore=True)
    figure = Figure(lambda axes: None, alt=text, title=text)
    return Work(text, [Step(text, (equation, chosen), table=table, figure=figure, note=text)], notes=[text])


# --- hostile names ------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


def read_html(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@cache
def nasty_page(text):
    """As HTML, drawn once for all tests that look at it."""
    return nasty_work(text).to_html()


@pytest.mark.parametrize("text", NASTY)
def test_html_shows_a_hostile_name_as_it_is(text):
    without_figure = re.sub("<svg.*</svg>", "", nasty_page(text), flags=re.DOTALL)
    reader = read_html(without_figure)
    expected = printable(text)
    # title, step, caption, heading, two cells, note of the step, note of the work; in mathematics: P(…) and n twice,
    # once more in the list of names, a candidate of argmax and the winner
    assert reader.texts.count(expected) == 13
    assert reader.texts.count(f": {expected}") == 1  # the meaning of n
    assert set(reader.tags) <= HTML_TAGS
    known = {"class", "scope", "display", "alttext", "displaystyle", "width", "form", "lspace", "rspace"}
    assert {name for name, _ in reader.attributes} <= known | {
        "stretchy",
        "mathvariant",
        "tabindex",
        "role",
        "aria-label",
    }


@pytest.mark.parametrize("text", NASTY)
def test_a_hostile_name_leaves_mathematics_well_formed(text):
    page = nasty_page(text)
    assert html_fault(page) is None
    found = re.findall("<math.*?</math>", page, flags=re.DOTALL)
    assert len(found) == 3
    for math in found:
        ElementTree.fromstring(math)


@pytest.mark.parametrize("text", NASTY)
def test_the_figure_in_a_page_is_an_image_with_words(text):
    reader = read_html(nasty_page(text))
    assert ("role", "img") in reader.attributes
    assert ("aria-label", printable(text)) in reader.attributes
    assert "script" not in reader.tags
    links = [value for name, value in reader.attributes if name.endswith("href") or name == "src"]
    assert all(value.startswith("#") for value in links)


@pytest.mark.parametrize("text", NASTY)
def test_markdown_shows_a_hostile_name_as_it_is(text):
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(nasty_work(text).to_markdown())
    reader = read_html(page)
    expected = printable(text).strip()
    words = [" ".join(words.split()) for words in reader.texts]
    assert words.count(" ".join(expected.split())) >= 6
    assert set(reader.tags) <= MARKDOWN_TAGS
    assert reader.tags.count("tr") == 3
    assert reader.tags.count("td") == 4


def test_bars_in_mathematics_leave_a_markdown_table_alone():
    table = WorkTable(("⟦abs(x)⟧", "⟦norm(w)⟧", "⟦P('a|‖b' | x)⟧"), (("⟦size(S)⟧", 1, 2),))
    page = MarkdownIt("commonmark").enable("table").render(Work("W", [Step("s", table=table)]).to_markdown())
    assert read_html(page).tags.count("td") == 3


@pytest.mark.parametrize("text", NASTY)
def test_text_has_no_line_or_control_character_from_a_name(text):
    page = nasty_work(text).to_text()
    assert all(character.isprintable() or character == "\n" for character in page)
    assert len(page.split("\n")) == len(nasty_work("plain").to_text().split("\n"))


@pytest.mark.parametrize("text", NASTY)
def test_latex_is_balanced_and_printable_ascii(text):
    page = nasty_work(text).to_latex()
    assert re.fullmatch(r"[ -~\n]*", page)
    page = re.sub(r"\\[{}$]", "", page)
    depth = 0
    for character in page:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert page.count("$") % 2 == 0
    opened = re.findall(r"\\begin\{(\w+\*?)\}", page)
    assert opened == re.findall(r"\\end\{(\w+\*?)\}", page) == ["align*", "align*", "tabular"]


@given(st.text())
def test_any_text_comes_back_from_html_and_markdown(text):
    assert "".join(read_html(escape_html(text)).texts) == printable(text)
    read = "".join(read_html(MarkdownIt("commonmark").enable(["table"]).render(escape_markdown(text))).texts)
    assert read.split() == printable(text).split()


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=[]), max_size=12))
def test_any_name_goes_through_all_renderings(text):
    step = nasty_work(text)[0]
    work = Work(text, [Step(text, step.equations, table=step.table, note=f"⟦{text}⟧")])
    assert all(character.isprintable() or character == "\n" for character in work.to_text() + work.to_markdown())
    assert re.fullmatch(r"[ -~\n]*", work.to_latex())
    assert html_fault(work.to_html()) is None
    for math in re.findall("<math.*?</math>", work.to_html(), flags=re.DOTALL):
        ElementTree.fromstring(math)


# --- words with mathematics in them -------------------------------------------------------------------------


def test_mathematics_in_words_is_set_everywhere():
    prose = "⟦w_1⟧ is ⟦-0.123456789⟧"
    table = WorkTable((prose, "n"), ((prose, 1),), caption=prose)
    step = Step(prose, Equation("y", "w_1", where={"w_1": prose}), table=table, note=prose)
    work = Work(prose, [step], notes=prose, digits=3)
    text, html, latex, markdown = work.to_text(), work.to_html(), work.to_latex(), work.to_markdown()
    assert text.count("w₁ is −0.123") == 8 == text.count("−0.123")
    assert latex.count("$w_{1}$ is $-0.123$") == 8
    assert markdown.count("$w_{1}$ is $-0.123$") == 8
    assert html.count("<mn>0.123</mn>") == 8
    assert "⟦" not in text + html + latex + markdown


def test_another_books_symbols_hold_in_words_too():
    step = Step("⟦b⟧", Equation("y", "b + x", {"b": 1, "x": 2}, where={"b": "the bias ⟦b⟧"}), note="⟦b * 2⟧")
    work = Work("W", [step], names={"b": "w_0"})
    assert str(work).split("\n")[3:] == [
        "w₀",
        "  y = w₀ + x",
        "    = 1 + 2 = 3",
        "  where w₀ = 1: the bias w₀",
        "  w₀ · 2",
    ]
    assert "<mi>b</mi>" not in work.to_html()
    assert "$b$" not in work.to_markdown()
    assert "$b$" not in work.to_latex()


# --- layout -------------------------------------------------------------------------------------------------


def test_formula_and_arithmetic_are_aligned():
    equation = Equation(
        "P(x | t)",
        "(n_xt + m * p) / (n_t + m)",
        {"n_xt": 3, "m": 1, "p": 1 / 3, "n_t": 5},
        where={"n_xt": "rows of No with Sunny"},
    )
    assert str(Work("W", [Step("Likelihood", equation)])).split("\n")[3:] == [
        "Likelihood",
        "  P(x | t) = (nₓₜ + m · p) / (nₜ + m)",
        "           = (3 + 1 × 0.333333) / (5 + 1) = 0.555556",
        "  where nₓₜ = 3: rows of No with Sunny",
    ]


def test_long_arithmetic_is_broken_in_text_latex_and_html():
    equation = Equation("s", "sum(p[i] for i in _)", {"p": [(-1) ** i * i / 7 for i in range(30)]})
    work = Work("W", [Step("long", equation)], terms=30)
    lines = work.to_text().split("\n")
    assert max(map(len, lines)) <= 102
    assert all(line.startswith("      ") for line in lines[6:])
    align = work.to_latex().split("align*}")[1]
    assert align.count("\\\\\n & ") >= 4
    assert work.to_html().count("<mtr>") >= 6


def test_terms_and_digits_of_a_work_are_kept():
    equation = Equation("s", "sum(p[i] for i in _)", {"p": np.arange(10) / 7})
    work = Work("W", [Step("s", equation, table=WorkTable(("a",), ((1 / 3,),)))], terms=2, digits=3)
    assert "s = Σᵢ pᵢ\n    = 1.14 + 1.29 + [8 more: 4] = 6.43" in str(work)
    assert "0.333\n" in str(work) + "\n"
    assert "1.142" not in work.to_html() + work.to_latex() + work.to_markdown()


def test_a_table_aligns_numbers_to_the_right():
    table = WorkTable(("outlook", "gain"), (("Sunny", 0.25), ("Rain", -1.5)), "Gains")
    work = Work("W", [Step("s", table=table)])
    assert work.to_text().split("\n")[4:] == [
        "  Gains",
        "  outlook  gain",
        "  ───────  ────",
        "  Sunny    0.25",
        "  Rain     −1.5",
    ]
    assert "| --- | ---: |" in work.to_markdown()
    assert r"\begin{tabular}{lr}" in work.to_latex()
    assert '<td class="nv-number">−1.5</td>' in work.to_html()


def test_a_table_without_rows_still_shows_its_header():
    work = Work("W", [Step("s", table=WorkTable(("a", "b"), ()))])
    assert "  a  b" in work.to_text().split("\n")
    assert "| a | b |" in work.to_markdown()


@pytest.mark.parametrize("count", [LONG, LONG + 3])
def test_a_long_work_has_contents_and_folds(count):
    page = Work("W", [Step(f"step {i}", Equation("y", "a", {"a": i})) for i in range(count)]).to_html()
    reader = read_html(page)
    links = [value for name, value in reader.attributes if name == "href"]
    is_long = count > LONG
    assert len(links) == (count if is_long else 0)
    assert {link.removeprefix("#") for link in links} == {v for name, v in reader.attributes if name == "id"}
    assert reader.tags.count("details") == (count if is_long else 0)
    assert sum(name == "open" for name, _ in reader.attributes) == (LONG if is_long else 0)


def test_a_conclusion_is_marked():
    equation = Equation("h_MAP", "argmax(p[h] for h in _)", {"p": {"h1": 0.2, "h2": 0.8}}, therefore=True)
    work = Work("W", [Step("s", equation)])
    assert "∴ h_MAP = argmaxₕ pₕ" in str(work)
    assert r"\Rightarrow\ h_{\text{MAP}} &=" in work.to_latex()
    assert ">∴</mo>" in work.to_html()
