"""Figures: the same bytes in every run, readable XML, whatever the names, and nothing left behind."""

import itertools
import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novacula.errors import ParameterError
from novacula.learner.figure import Figure, bar_figure, curve_figure, glyphs, literal, shortened

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"
NASTY = [
    "<script>alert(1)</script>",
    "$\\bad$",
    "$x^$",
    "a--b -->",
    "[/red]",
    "_hidden",
    "two\nlines",
    "\u202e中文\0",
    "",
]


@pytest.fixture
def bars():
    return bar_figure(["Outlook", "Wind"], [0.2467, -0.0481], title="Gain", xlabel="bits")


def test_an_svg_is_an_image_with_words(bars):
    root = ET.fromstring(bars.svg())
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == "Bars: Outlook 0.2467, Wind −0.0481."
    assert not list(root.iter(f"{SVG}text")), "text is drawn as outlines"


def test_an_svg_fetches_nothing_and_tells_no_date(bars):
    root = ET.fromstring(bars.svg())
    links = [element.get(f"{XLINK}href") for element in root.iter() if element.get(f"{XLINK}href")]
    assert links
    assert all(link.startswith("#") for link in links)
    assert not list(root.iter(f"{SVG}metadata"))
    assert not list(root.iter(f"{SVG}script"))


def test_an_svg_is_the_same_in_every_process(bars):
    code = (
        "from novacula.learner.figure import bar_figure; import sys;"
        "figure = bar_figure(['Outlook', 'Wind'], [0.2467, -0.0481], title='Gain', xlabel='bits');"
        "sys.stdout.buffer.write(figure.svg().encode());"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode() == bars.svg()


def test_two_figures_share_no_clip_path(bars):
    def ids(svg: str) -> set[str]:
        return {element.get("id") for element in ET.fromstring(svg).iter(f"{SVG}clipPath")}

    other = bar_figure(["Outlook", "Wind"], [0.2467, -0.0481], title="Another", xlabel="bits")
    assert ids(bars.svg())
    assert not ids(bars.svg()) & ids(other.svg())


def test_the_style_of_the_session_neither_matters_nor_changes(bars):
    plain = bars.svg()
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "svg.fonttype": "none", "text.usetex": True}):
        before = dict(mpl.rcParams)
        assert bars.svg() == plain
        assert dict(mpl.rcParams) == before


def test_threads_draw_one_at_a_time():
    figures = [bar_figure([f"f{i}", "b"], [i, 1], title=f"figure {i}") for i in range(4)]
    alone = [figure.svg() for figure in figures]
    before = dict(mpl.rcParams)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(Figure.svg, figures)) == alone
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", NASTY)
def test_hostile_names_are_drawn_as_they_are(name):
    bars = bar_figure([name, "b"], [1, 2], title=name, xlabel=name, alt=name)
    curves = curve_figure([1, 2], {name: [1, 2], "b": [2, 1]}, title=name, xlabel=name, ylabel=name)
    for figure in (bars, curves):
        page = figure.svg()
        assert "<script" not in page
        ET.fromstring(page)
        assert figure.png().startswith(b"\x89PNG")


@settings(max_examples=25, deadline=None)
@given(st.text())
def test_any_text_can_be_drawn(text):
    figure = Figure(lambda axes: axes.set_xlabel(literal(text)), alt=text, title=text, size=(2, 2))
    ET.fromstring(figure.svg())  # a glyph that is missing, or mathematics, would warn or raise


def test_literal_marks_what_has_no_glyph():
    assert literal("a\nb\u202e") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"
    missing = next(chr(code) for code in range(0x12000, 0x12400) if code not in glyphs())  # cuneiform
    assert literal(missing) == "\N{REPLACEMENT CHARACTER}"
    assert literal("σ² ≤ é") == "σ² ≤ é"


def test_long_names_keep_both_ends():
    name = "a very long column name that goes on and on, in kg"
    assert len(shortened(name)) == 40
    assert shortened(name).startswith("a very long column name")
    assert shortened(name).endswith("on, in kg")
    assert shortened("short") == "short"


@pytest.mark.parametrize("suffix", [".svg", ".png", ".PNG"])
def test_savefig_writes_what_the_name_says(bars, tmp_path, suffix):
    path = tmp_path / f"figure{suffix}"
    bars.savefig(path)
    start = b"<svg" if suffix == ".svg" else b"\x89PNG"
    assert path.read_bytes().startswith(start)


def test_savefig_refuses_other_formats(bars, tmp_path):
    with pytest.raises(ParameterError, match=r"'figure.pdf' cannot be its name"):
        bars.savefig(tmp_path / "figure.pdf")


def test_bars_grow_with_their_number_and_say_the_first_ten():
    many = bar_figure([f"feature {i}" for i in range(30)], np.arange(30))
    assert many.size[1] > 3 * bar_figure(["a"], [1]).size[1]
    assert many.alt.startswith("Bars: feature 0 0, feature 1 1,")
    assert many.alt.endswith("feature 9 9, and 20 more.")


def test_bars_and_intervals_stand_where_they_should():
    axes = mpl.figure.Figure().add_subplot()
    bar_figure(["a", "b"], [2, -1], intervals=[[1, 4], [-2, 0]]).draw(axes)
    assert [bar.get_width() for bar in axes.patches] == [2, -1]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "the first is on top"
    ends = [segment[:, 0].tolist() for segment in axes.collections[0].get_segments()]
    assert ends == [[1, 4], [-2, 0]]
    assert [text.get_text() for text in axes.texts] == ["2", "−1"]


def test_curves_differ_in_colour_and_line_and_are_all_in_the_legend():
    axes = mpl.figure.Figure().add_subplot()
    bands = {"train": [[0, 2], [1, 3]]}
    figure = curve_figure([1, 2], {"train": [1, 2], "_test": [3, 4]}, bands=bands)
    figure.draw(axes)
    assert len({line.get_color() for line in axes.lines}) == 2
    assert len({line.get_linestyle() for line in axes.lines}) == 2
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["train", "_test"]
    assert len(axes.collections) == 1
    assert figure.alt == "Curves: train goes from 1 to 2; _test goes from 3 to 4."


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bar_figure(["a"], [1, 2]), "1 labels do not fit"),
        (lambda: bar_figure([], []), "0 labels do not fit"),
        (lambda: bar_figure(["a"], [np.nan]), "not finite"),
        (lambda: bar_figure(["a"], [1], intervals=[[2, 1]]), "low and a high"),
        (lambda: bar_figure(["a"], [1], intervals=[1, 2]), "low and a high"),
        (lambda: curve_figure([1, 2], {"a": [1]}), "curve 'a' has shape"),
        (lambda: curve_figure([1, 2], {"a": [1, np.inf]}), "value of 'a' is not finite"),
        (lambda: curve_figure([1], {"a": [1]}, bands={"b": [[0, 1]]}), "band 'b'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([0.0, 2e5], ["0", "50,000", "100,000", "150,000", "200,000"]),
        ([0.0, 4e9], ["0", "2 billion", "4 billion"]),
        ([-3e6, 3e6], ["−2 million", "0", "2 million"]),
        ([-1e-5, 1e-5], ["−1×10⁻⁵", "0", "1×10⁻⁵"]),
    ],
)
def test_numbers_on_an_axis_are_as_people_write_them(values, wanted):
    drawn = []

    def draw(axes):
        axes.plot(values, values)
        drawn.append(axes)

    Figure(draw, "Two points.").svg()
    [axes] = drawn
    low, high = axes.get_xlim()
    words = [tick.get_text() for place, tick in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
             if low <= place <= high]  # fmt: skip
    assert [word for word in wanted if word not in words] == []
    assert axes.xaxis.get_offset_text().get_text() == ""


def test_numbers_under_a_narrow_figure_do_not_touch():
    drawn = []

    def draw(axes):
        axes.plot([-0.00021, 0.00059], [0.0, 1.0])
        drawn.append(axes)

    Figure(draw, "Two points.", size=(3.0, 2.0)).svg()
    [axes] = drawn
    low, high = axes.get_xlim()
    labels = [one for place, one in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True) if low <= place <= high]
    ends = [(box.x0, box.x1) for box in (one.get_window_extent() for one in labels)]
    assert all(before[1] < after[0] for before, after in itertools.pairwise(ends))
