"""A tree as a picture: the root on the left and one row per leaf, or the root on top; answers as coloured bars.

Leaves are spread evenly and parents stand at the middle of their children, so that no two nodes meet. The size of
the picture follows the tree; of a large tree the top levels are drawn, and the picture says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, overload
from unicodedata import east_asian_width

import numpy as np

from novacula.learner.figure import INK, Figure, fonts, literal
from novacula.table.chunk import Floats
from novacula.tree.export.colours import GREY, NodeColours, colours_of
from novacula.tree.export.named import AnyNamedTree, NamedTree
from novacula.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAVES, LEVELS = 120, 16
"""The leaves and the tests above them that are drawn at most."""
NAME, VALUE = 24, 20
"""Characters of a name in a node, and of the words on a branch."""
FONT, SMALLEST = 8.0, 4.0  # points
# Inches. A character at FONT is 0.055 on average, and capitals are wider.
ROW, BOX, BAR, GAP, CHARACTER = 0.36, 0.24, 0.045, 0.12, 0.064
LEVEL, WORDS = 0.85, 0.17  # of a tree from the top down: from level to level, and the words above a box


@dataclass(frozen=True)
class Box:
    """A node as it is drawn; `branch` are the words on the line from its parent."""

    node: int
    parent: int  # its place among the boxes, −1 for the root
    level: int
    words: str
    branch: str
    terminal: bool


@dataclass(frozen=True, eq=False)
class TreePicture:
    """Where everything stands, in inches from the upper left corner."""

    named: NamedTree
    boxes: list[Box]  # as a tree is read
    x: Floats  # of the left side of each box
    y: Floats  # of the middle of each box
    top_down: bool
    colours: NodeColours
    legend: list[tuple[float, float, str, str]]  # x, y, colour and words
    note: str
    size: tuple[float, float]


@overload
def plot(named: AnyNamedTree, ax: None = None, *, title: str = ..., top_down: bool = ...) -> Figure: ...
@overload
def plot(named: AnyNamedTree, ax: Axes, *, title: str = ..., top_down: bool = ...) -> Axes: ...
def plot(named: AnyNamedTree, ax: Axes | None = None, *, title: str = "", top_down: bool = False) -> Figure | Axes:
    """Draw the tree on the axes that are given, its letters as small as they must be; without, give a figure."""
    if ax is None:
        return tree_figure(named, title=title, top_down=top_down)
    picture = _picture(named, top_down)
    room = ax.get_window_extent()
    scale = min(1.0, room.width / ax.figure.dpi / picture.size[0], room.height / ax.figure.dpi / picture.size[1])
    _draw(ax, picture, max(SMALLEST, FONT * scale))
    if title:
        ax.set_title(literal(title), loc="left", family=list(fonts()), usetex=False)
    return ax


def tree_figure(named: AnyNamedTree, *, title: str = "", top_down: bool = False) -> Figure:
    """The tree as a figure of the size that it needs, the root on the left or on top."""
    picture = _picture(named, top_down)
    leaves = int(named.tree.is_leaf.sum())
    root = picture.boxes[0].words
    alt = f"A decision tree of {leaves} leaves with {root} at its root." if leaves > 1 else f"One leaf: {root}."
    width, height = picture.size

    def draw(axes: Axes) -> None:
        _draw(axes, picture, FONT)

    return Figure(draw, f"{alt} {picture.note}".strip(), title, (width + 0.2, height + (0.5 if title else 0.2)))


# --- where things stand -------------------------------------------------------------------------------------


def _picture(named: AnyNamedTree, top_down: bool) -> TreePicture:
    depth = _shown_depth(named)
    boxes = _boxes(named, depth)
    levels = np.array([box.level for box in boxes])
    widths = np.array([_width(box) for box in boxes])
    if top_down:
        x, y = _columns(boxes), ROW / 2 + LEVEL * levels
    else:
        y = ROW * (_rows(boxes) + 0.5)
        x = _left(boxes)[levels]
    note = _note(named, boxes, depth)
    across = max(float((x + widths).max()), _inches(note), 3.0)
    colours = colours_of(named)
    legend, below = _legend(colours.legend(), across, ROW * bool(note))
    y = y + below
    size = (across, float(y.max()) + ROW / 2)
    return TreePicture(named, boxes, x, y, top_down, colours, legend, note, size)


def _left(boxes: Sequence[Box]) -> Floats:
    """Where the boxes of each level begin: after the words on the branches that lead there."""
    levels = 1 + max(box.level for box in boxes)
    width, branch = np.zeros(levels), np.zeros(levels)
    for box in boxes:
        width[box.level] = max(width[box.level], _width(box))
        branch[box.level] = max(branch[box.level], _inches(box.branch) + 2 * GAP if box.level else 0.0)
    return np.cumsum(branch) + np.cumsum(width) - width


def _columns(boxes: Sequence[Box]) -> Floats:
    """Where each box begins if the root is on top: terminal boxes side by side, others above the middle of theirs.

    A column is as wide as its box and the words on the branch to it. A parent that is wider than its children gets
    the room of a column for what it needs more.
    """
    need = np.array([max(_width(box), _inches(box.branch)) + 2 * GAP for box in boxes])
    room = np.where([box.terminal for box in boxes], need, 0.0)
    for i in reversed(range(len(boxes))):
        room[i] = max(room[i], need[i])
        if boxes[i].parent >= 0:
            room[boxes[i].parent] += room[i]
    start, used = np.zeros(len(boxes)), np.zeros(len(boxes))
    for i, box in enumerate(boxes):
        if box.parent >= 0:
            start[i] = start[box.parent] + used[box.parent]
            used[box.parent] += room[i]
    return start + (room - np.array([_width(box) for box in boxes])) / 2


def _shown_depth(named: NamedTree) -> int:
    """As many levels as there is room for."""
    shown = ended = 0
    for depth, level in enumerate(islice(named.tree.levels(), LEVELS + 1)):
        if ended + len(level) > LEAVES:
            break
        shown = depth
        ended += int((named.tree.child[level] < 0).sum())
    return shown


def _boxes(named: NamedTree, depth: int) -> list[Box]:
    boxes: list[Box] = []
    waiting = [(0, -1, 0, "")]
    while waiting:
        node, parent, level, branch = waiting.pop()
        inner = not named.is_leaf(node) and level < depth
        if inner:
            words = shortened(named.attributes[named.tree.feature[node]].name, NAME)
            place = len(boxes)
            waiting += [
                (child, place, level + 1, shortened(condition.on_branch(), VALUE))
                for child, condition in reversed(named.branches(node))
            ]
        else:
            more = "" if named.is_leaf(node) else " …"
            words = f"{shortened(named.answer(node), NAME)} ({named.support(node)}){more}"
        boxes.append(Box(node, parent, level, words, branch, not inner))
    return boxes


def _rows(boxes: Sequence[Box]) -> Floats:
    """A row each for leaves, and for others the middle of their first and last child."""
    row = np.cumsum([box.terminal for box in boxes]) - 1.0
    first, last = np.full(len(boxes), np.inf), np.full(len(boxes), -np.inf)
    for i in reversed(range(len(boxes))):
        if not boxes[i].terminal:
            row[i] = (first[i] + last[i]) / 2
        parent = boxes[i].parent
        if parent >= 0:
            first[parent], last[parent] = min(first[parent], row[i]), max(last[parent], row[i])
    return row


def _note(named: NamedTree, boxes: Sequence[Box], depth: int) -> str:
    """What is left out, in words; nothing if nothing is."""
    hidden = sum(box.terminal and not named.is_leaf(box.node) for box in boxes)
    if not hidden:
        return ""
    leaves = int(named.tree.is_leaf.sum())
    below = leaves - sum(box.terminal for box in boxes) + hidden
    nodes = "the node" if hidden == 1 else f"the {hidden} nodes"
    return f"Drawn to depth {depth}: {below} of {leaves} leaves are below {nodes} marked …"


def _legend(
    meanings: Sequence[tuple[str, str]], across: float, top: float
) -> tuple[list[tuple[float, float, str, str]], float]:
    """Where the colours and their words stand, and where they end."""
    x, y, entries = 0.0, top, []
    for colour, words in meanings:
        words = shortened(words, NAME)
        if x and x + _inches(words) + 2 * GAP > across:
            x, y = 0.0, y + ROW
        entries.append((x, y + ROW / 2, colour, words))
        x += _inches(words) + 3 * GAP
    return entries, y + 1.2 * ROW


def _inches(words: str) -> float:
    return CHARACTER * sum(2 if east_asian_width(c) in "WF" else 1 for c in words)


# --- the drawing --------------------------------------------------------------------------------------------


def _draw(axes: Axes, picture: TreePicture, font: float) -> None:
    axes.set_axis_off()
    axes.set_xlim(-0.02, picture.size[0] + 0.02)
    axes.set_ylim(picture.size[1], 0)
    if picture.note:
        _write(axes, 0, ROW / 2, picture.note, font, style="italic")
    for x, y, colour, words in picture.legend:
        _rectangle(axes, x, y - GAP / 2, GAP, GAP, facecolor=colour)
        _write(axes, x + 1.5 * GAP, y, words, font)
    for place in range(len(picture.boxes)):
        _draw_branch(axes, picture, place, font)
    for place in range(len(picture.boxes)):
        _draw_box(axes, picture, place, font)


def _draw_branch(axes: Axes, picture: TreePicture, place: int, font: float) -> None:
    """A line from the parent, the thicker the more examples took it, with words at its end."""
    box, x, y = picture.boxes[place], picture.x, picture.y
    if box.parent < 0:
        return
    weight, above = picture.named.weight, picture.boxes[box.parent]
    if picture.top_down:
        start, end = x[box.parent] + _width(above) / 2, x[place] + _width(box) / 2
        xs, ys = [start, end], [y[box.parent] + BOX / 2, y[place] - BOX / 2 - WORDS]
        style: dict[str, Any] = {"va": "bottom", "ha": "center"}
        words = (end, y[place] - BOX / 2 - 0.02)
    else:
        level = [i for i, other in enumerate(picture.boxes) if other.level == above.level]
        turn = max(x[i] + _width(picture.boxes[i]) for i in level) + GAP / 2
        xs = [x[box.parent] + _width(above), turn, turn, x[place]]
        ys = [y[box.parent], y[box.parent], y[place], y[place]]
        style, words = {"va": "bottom"}, (turn + GAP / 2, y[place] - 0.02)
    width = 0.5 + 2.0 * weight[box.node] / weight[0]
    axes.plot(xs, ys, color=GREY, linewidth=width, solid_joinstyle="round", zorder=1)
    _write(axes, *words, box.branch, 0.9 * font, **style)


def _draw_box(axes: Axes, picture: TreePicture, place: int, font: float) -> None:
    """A frame with words, and at its foot a bar of what it answers."""
    box = picture.boxes[place]
    x, y, width = picture.x[place], picture.y[place] - BOX / 2, _width(box)
    edge = picture.colours.answer(box.node) if box.terminal else INK
    _rectangle(axes, x, y, width, BOX, facecolor="white" if box.terminal else "#F4F4F4", edgecolor=edge, linewidth=0.8)
    _write(axes, x + width / 2, y + (BOX - BAR) / 2, box.words, font, ha="center")
    end = x
    for share, colour in picture.colours.bar(box.node):
        _rectangle(axes, end, y + BOX - BAR, width * share, BAR, facecolor=colour)
        end += width * share


def _write(axes: Axes, x: float, y: float, words: str, font: float, **style: Any) -> None:
    # On axes of others their settings rule, so the fonts that `literal` counts on are named here.
    more: dict[str, Any] = {"va": "center", "color": INK, "zorder": 3, "usetex": False, **style}
    axes.text(x, y, literal(words), fontsize=font, family=list(fonts()), **more)


def _rectangle(axes: Axes, x: float, y: float, width: float, height: float, **style: Any) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, **{"linewidth": 0, "zorder": 2, **style}))


def _width(box: Box) -> float:
    return _inches(box.words) + GAP
