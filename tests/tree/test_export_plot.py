"""Pictures of trees: what is in them, and that nothing meets."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure as Canvas

from novacula.checks.samples import NASTY_NAMES
from novacula.learner.figure import Figure
from novacula.tree.attributes import Attribute
from novacula.tree.export import NamedClassTree, NamedNumberTree, plot, tree_figure

from .random_trees import Sketch, as_number_tree, as_tree, chain, play_tennis, random_attributes, random_tree


@pytest.fixture
def tennis():
    tree, attributes = play_tennis()
    return NamedClassTree(tree, attributes, ("No", "Yes"))


def random_named(seed, n_tests, classes=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    attributes = random_attributes(rng, 12)
    return NamedClassTree(random_tree(rng, attributes, len(classes), n_tests), attributes, classes)


def random_numbers(seed, n_tests, numbers=(-3.0, 20.0, 123456.0)):
    named = random_named(seed, n_tests)
    return NamedNumberTree(as_number_tree(named.tree, numbers), named.attributes)


def drawn(named, size=None):
    """The axes of a picture of its own size, and the words on them."""
    canvas = Canvas(figsize=size or tree_figure(named).size, dpi=100)
    axes = canvas.add_axes((0, 0, 1, 1))
    assert plot(named, axes) is axes
    canvas.draw_without_rendering()
    return axes, [text.get_text() for text in axes.texts]


def test_words_of_play_tennis(tennis):
    _, words = drawn(tennis)
    assert words[:2] == ["No", "Yes"]
    assert sorted(words[2:9]) == ["High", "Normal", "Overcast", "Rain", "Strong", "Sunny", "Weak"]
    assert words[9:] == ["Outlook", "Yes (4)", "Wind", "No (2)", "Yes (3)", "Humidity", "No (3)", "Yes (2)"]


def test_without_axes_there_is_a_figure(tennis):
    figure = plot(tennis, title="Tennis")
    assert isinstance(figure, Figure)
    assert figure.alt == "A decision tree of 5 leaves with Outlook at its root."
    assert figure.svg() == plot(tennis, title="Tennis").svg()
    one = plot(NamedClassTree(as_tree(Sketch((5, 9)), 2), (), ("No", "Yes")))
    assert one.alt == "One leaf: Yes (14/5)."
    assert one.png().startswith(b"\x89PNG")


@pytest.mark.parametrize("make", [random_named, random_numbers])
@pytest.mark.parametrize(("seed", "n_tests"), [(3, 8), (5, 34), (8, 38), (7, 300)])
def test_no_words_meet(make, seed, n_tests):
    axes, words = drawn(make(seed, n_tests))
    boxes = [text.get_window_extent() for text in axes.texts]
    for i, j in combinations(range(len(boxes)), 2):
        assert not boxes[i].overlaps(boxes[j]), (words[i], words[j])
    room = axes.get_window_extent()
    for box, word in zip(boxes, words, strict=True):
        assert room.x0 - 2 <= box.x0, word
        assert box.x1 <= room.x1 + 2, word


def test_bars_show_the_shares_of_the_classes(tennis):
    axes, _ = drawn(tennis)
    bars = [p.get_width() for p in axes.patches if p.get_height() < 0.1]
    whole = axes.patches[2].get_width()  # after the two of the legend the frame of the root
    assert bars[:2] == pytest.approx([whole * 5 / 14, whole * 9 / 14])


def test_large_trees_are_cut_and_the_picture_says_so():
    named = random_named(7, 300)
    _, words = drawn(named)
    leaves = int(named.tree.is_leaf.sum())
    marked = sum(word.endswith(" …") and "(" in word for word in words)
    ends = sum(word.endswith((")", ") …")) for word in words[1:])
    assert leaves > 120 >= ends
    assert (
        words[0]
        == f"Drawn to depth 7: {leaves - ends + marked} of {leaves} leaves are below the {marked} nodes marked …"
    )
    assert words[0] in tree_figure(named).alt


def test_deep_trees_are_cut():
    figure = tree_figure(NamedClassTree(chain(20_000), (Attribute("x", "numeric", 0),), ("a", "b")))
    assert figure.alt.endswith("Drawn to depth 16: 19985 of 20001 leaves are below the node marked …")
    assert max(figure.size) < 20


def test_letters_shrink_on_small_axes(tennis):
    sizes = {}
    for width in (20.0, 2.5, 0.5):
        axes, _ = drawn(tennis, (width, width))
        sizes[width] = axes.texts[-1].get_fontsize()
    assert sizes[20.0] == 8.0
    assert 4.0 < sizes[2.5] < 8.0
    assert sizes[0.5] == 4.0


@pytest.mark.parametrize("settings", [{}, {"font.family": "monospace"}])
def test_hostile_and_long_names_are_drawn_as_they_stand(settings):
    names = (*NASTY_NAMES, "n" * 500, "a" * 30 + "$b$")
    named = random_named(4, 12, names)
    attributes = tuple(replace(a, name=name) for a, name in zip(named.attributes, names, strict=True))
    named = replace(named, attributes=attributes)
    with rc_context(settings):
        axes, words = drawn(named)
        plot(named, axes, title="$\\bad$")
        axes.figure.draw_without_rendering()
    assert plot(named, title="$\\bad$").png()
    assert max(map(len, words)) < 60
    assert f"{len(names) - 6} other classes" in words


def test_names_are_never_set_by_tex(tennis):
    with rc_context({"text.usetex": True}):
        axes = plot(tennis, Canvas().add_subplot(), title="$Tennis$")
    assert not any(text.get_usetex() for text in axes.texts)


# --- numbers ------------------------------------------------------------------------------------------------


@pytest.fixture
def heights():
    """Leaves of 10, 20 and 50; the root is their mean of 25."""
    upper = Sketch(feature=0, threshold=2.0, branches=[Sketch((0, 2, 0)), Sketch((0, 0, 1))])
    root = Sketch(feature=0, threshold=1.0, branches=[Sketch((1, 0, 0)), upper])
    return NamedNumberTree(as_number_tree(as_tree(root, 3), [10, 20, 50]), (Attribute("x", "numeric", 0),))


def test_the_legend_of_numbers_says_the_lowest_and_the_highest(heights):
    axes, words = drawn(heights)
    assert words[:5] == ["lowest 10", "20", "30", "40", "highest 50"]
    assert words[-5:] == ["x", "10 (1)", "x", "20 (2)", "50 (1)"]
    shades = [patch.get_facecolor() for patch in axes.patches[:5]]
    assert [sum(shade) for shade in shades] == sorted((sum(shade) for shade in shades), reverse=True)
    assert plot(heights).alt == "A decision tree of 3 leaves with x at its root."


def test_bars_show_where_a_number_is_between_the_lowest_and_the_highest(heights):
    axes, _ = drawn(heights)
    feet = [p for p in axes.patches if p.get_height() < 0.1]
    widths = np.array([bar.get_width() for bar in feet]).reshape(-1, 2)  # what is filled, and the rest
    filled = widths[:, 0] / widths.sum(axis=1)
    assert filled == pytest.approx([15 / 40, 0, 20 / 40, 10 / 40, 1])


@pytest.mark.parametrize("numbers", [(7.0, 7.0, 7.0), (-1.7e308, 0.0, 1.7e308), (0.0, 5e-324, 0.0)])
def test_every_scale_can_be_drawn(heights, numbers):
    named = NamedNumberTree(replace(heights.tree, value=np.resize(numbers, 5)), heights.attributes)
    _, words = drawn(named)
    assert words[0].startswith(("every answer is", "lowest"))
    assert plot(named, top_down=True).png().startswith(b"\x89PNG")
