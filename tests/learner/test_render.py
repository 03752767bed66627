"""Renderings: read back by parsers that others wrote, so that hostile names arrive as they were."""

import re
from functools import cache
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from novacula.learner.figure import Figure
from novacula.learner.render import escape_markdown
from novacula.learner.render_html import escape_html
from novacula.learner.render_latex import escape_latex, formula_to_latex
from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Work, WorkTable
from novacula.table.schema import printable

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
    "中文 émoji 🎲 Ωμέγα",
    "\\input{x}\\\\[3pt]*",
]
HTML_TAGS = {
    "section",
    "h3",
    "h4",
    "p",
    "i",
    "sub",
    "sup",
    "dl",
    "dt",
    "dd",
    "table",
    "caption",
    "thead",
    "tbody",
}
HTML_TAGS |= {"tr", "th", "td", "figure", "style"}
MARKDOWN_TAGS = {
    "h2",
    "h3",
    "pre",
    "code",
    "ul",
    "li",
    "p",
    "em",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}


def nasty_work(text: str) -> Work:
    table = WorkTable((text, "n"), ((text, 1), (text, 2.5)), caption=text)
    step = Step(
        text,
        formula=f"P({text}) = n_x / n",
        expression="n_x / n",
        values={"n_x": 3, "n": 5},
        labels={"n_x": text},
        table=table,
        figure=Figure(lambda axes: None, alt=text, title=text),
        note=text,
    )
    return Work(text, [step], notes=[text])


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
    # title, step, label, caption, heading, two cells, note of the step, note of the work
    assert reader.texts.count(expected) == 9
    assert set(reader.tags) <= HTML_TAGS
    assert {name for name, _ in reader.attributes} <= {"class", "scope"}


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


@pytest.mark.parametrize("text", NASTY)
def test_text_has_no_line_or_control_character_from_a_name(text):
    page = nasty_work(text).to_text()
    assert all(character.isprintable() or character == "\n" for character in page)
    assert len(page.split("\n")) == len(nasty_work("plain").to_text().split("\n"))


ESCAPES = re.compile(r"\\text[a-z]+\{\}|\\[{}$&#%_]|\{[\[\]*]\}|-\{\}")
BACK = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\textquotedblright{}": '"', r"\textasciigrave{}": "`",
    "{[}": "[", "{]}": "]", "{*}": "*", "-{}": "-",
}  # fmt: skip


@pytest.mark.parametrize("text", [text for text in NASTY if not re.search("[Α-ω]", text)])
def test_latex_escapes_what_it_would_read(text):
    escaped = escape_latex(text)
    rest = ESCAPES.sub("", escaped)
    assert not set(rest) & set('\\{}$&#%_~^<>|"`[]*')
    back = ESCAPES.sub(lambda found: BACK.get(found[0], found[0][1:]), escaped)
    assert back == printable(text).replace("\N{REPLACEMENT CHARACTER}", "?")


@pytest.mark.parametrize("text", NASTY)
def test_latex_is_balanced(text):
    page = re.sub(r"\\[{}$]", "", nasty_work(text).to_latex())
    depth = 0
    for character in page:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert page.count("$") % 2 == 0
    opened = re.findall(r"\\begin\{(\w+\*?)\}", page)
    assert opened == re.findall(r"\\end\{(\w+\*?)\}", page) == ["align*", "tabular"]


@given(st.text())
def test_any_text_comes_back_from_html_and_markdown(text):
    assert "".join(read_html(escape_html(text)).texts) == printable(text)
    read = "".join(read_html(MarkdownIt("commonmark").enable(["table"]).render(escape_markdown(text))).texts)
    assert read.split() == printable(text).split()


# --- layout -------------------------------------------------------------------------------------------------


def test_formula_and_arithmetic_are_aligned():
    step = Step(
        "Likelihood",
        formula="P(x|t) = (n_xt + m·p) / (n_t + m)",
        expression="(n_xt + m*p) / (n_t + m)",
        values={"n_xt": 3, "m": 1, "p": 1 / 3, "n_t": 5},
        labels={"n_xt": "rows of No with Sunny"},
    )
    assert str(Work("W", [step])).split("\n")[3:] == [
        "Likelihood",
        "  P(x|t) = (n_xt + m·p) / (n_t + m)",
        "         = (3 + 1 × 0.333333) / (5 + 1) = 0.555556",
        "  where n_xt = 3: rows of No with Sunny",
    ]


def test_a_formula_without_an_equals_sign_takes_the_numbers_in_its_line():
    values = {"n_no": 5, "n": 14, "s": 3, "c": 1, "h": 4, "w": 3}
    step = Step("Score", "P(No) · Π", "n_no/n * s/n_no * c/n_no * h/n_no * w/n_no", values)
    assert "  P(No) · Π = 5/14 × 3/5 × 1/5 × 4/5 × 3/5 = 0.0205714" in str(Work("W", [step])).split("\n")


def test_no_side_of_an_equation_stands_twice():
    assert "  5/14 = 0.357143" in str(Work("W", [Step("s", expression="5/14")])).split("\n")
    assert "  x = 2.5" in str(Work("W", [Step("s", expression="x", values={"x": 2.5})])).split("\n")
    assert "  ln L = −3.25" in str(Work("W", [Step("s", "ln L", result=-3.25)])).split("\n")


def test_long_arithmetic_is_broken_in_text_and_in_latex():
    values = {f"p_{i}": (-1) ** i * i / 7 for i in range(30)}
    work = Work("W", [Step("long", "s = Σp", f"sum({','.join(values)})", values)])
    lines = work.to_text().split("\n")
    assert max(map(len, lines)) <= 102
    assert all(line.startswith("      ") for line in lines[6:])
    align = work.to_latex().split("align*}")[1]
    assert align.count("\\\\\n&\\qquad") == 6
    assert all(row.startswith("&") for row in align.strip("\n{\\end").split("\\\\\n"))


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


def test_formulas_set_indices_but_leave_column_names():
    html = Work("W", [Step("s", "σ_x² = Σ sepal_length / n_t")]).to_html()
    assert "<i>σ</i><sub>x</sub>² = Σ sepal_length / <i>n</i><sub>t</sub>" in html
    assert formula_to_latex("σ_x² = Σ sepal_length / n_t") == (r"$\sigma_{x}$$^{2}$ = $\Sigma$ sepal\_length / $n_{t}$")
    assert escape_latex("x̄ ≤ ŷ̂") == r"$\bar{x}$ $\le$ $\hat{ŷ}$"
