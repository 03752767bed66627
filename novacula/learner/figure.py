"""Figures: a function that draws on Matplotlib axes, and words for those who cannot see it.

A `Figure` is drawn when it is asked for, in one fixed style, with Matplotlib's objects and without pyplot.
The same figure gives the same SVG to the byte. Text in an SVG is drawn as outlines, so that it looks alike
everywhere and no name can become markup; what it says is in `alt`. Text from data passes through `literal`.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novacula.errors import ParameterError
from novacula.mathematics.notation import TextNotation
from novacula.table.schema import printable, time_words
from novacula.words import LABEL_WIDTH, shortened
from novacula.writing import replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Okabe and Ito's palette, in an order in which neighbours differ most; their yellow is too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LINES = ("-", "--", "-.", ":")  # so that curves differ without their colour, too
INK, FAINT = "#333333", "#DDDDDD"
FORMATS = (".svg", ".png")

# The first comes with Matplotlib; the others serve the scripts that it lacks, where they are installed.
FONTS = ("DejaVu Sans", "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Microsoft YaHei", "PingFang SC")
STYLE: Mapping[str, Any] = {
    "svg.fonttype": "path",
    "text.usetex": False,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "legend.frameon": False,
    "figure.titlesize": 11,
    "figure.titleweight": "bold",
}

LONG_TICK = 1e4
"""From here on a number on an axis is written with separators or a word."""
CHARACTERS, FEWER_TICKS = 7, (6, 5, 4, 3)
"""Characters of numbers that fit under an inch of a figure, and how many numbers are tried."""

_one_at_a_time = threading.Lock()  # Matplotlib's settings are global while a style is in force


@dataclass(frozen=True)
class Figure:
    """Something to see: `draw` puts it on the axes it is given, `alt` says it in words."""

    draw: Callable[[Axes], None]
    alt: str
    title: str = ""
    size: tuple[float, float] = (6.4, 4.0)  # inches

    def svg(self) -> str:
        """The figure as an SVG element that can be put into a page."""
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        document = self._render("svg", metadata=nothing).decode()
        element = document[document.index("<svg") :].strip()
        # Groups are numbered alike in every figure, so their ids would stand twice in a page with two.
        element = re.sub(r'<g id="[^"]*">', "<g>", element)
        return element.replace("<svg", f'<svg role="img" aria-label="{escape(printable(self.alt))}"', 1)

    def png(self, dpi: int = 150) -> bytes:
        """The figure as the bytes of a PNG file."""
        return self._render("png", dpi, metadata={"Software": None})

    def savefig(self, path: str | Path) -> None:
        """Write the figure to a file whose name ends in .svg or .png."""
        path = Path(path)
        kind = path.suffix.lower()
        if kind not in FORMATS:
            raise ParameterError(f"a figure is written as {' or '.join(FORMATS)}, so {path.name!r} cannot be its name")
        replace_file(path, self.svg().encode() if kind == ".svg" else self.png())

    def _repr_html_(self) -> str:
        return self.svg()

    def _render(self, kind: str, dpi: float | None = None, **options: Any) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure as Canvas

        buffer = io.BytesIO()
        # The salt makes the ids of clip paths the same in every run, and different in different figures.
        with fixed_style({"svg.hashsalt": f"{self.title}\n{self.alt}", "font.family": list(fonts())}):
            canvas = Canvas(figsize=self.size, dpi=dpi, layout="constrained")
            self.draw(canvas.add_subplot())
            for axes in canvas.axes:
                _plain_ticks(axes.xaxis, CHARACTERS * self.size[0])
                _plain_ticks(axes.yaxis)
            if self.title:
                lines = wrap(literal(self.title), width=int(11 * self.size[0]))
                canvas.suptitle("\n".join(lines), x=0.01, horizontalalignment="left")
            # Printed without `savefig`, which would draw a figure that has a layout twice.
            if kind == "svg":
                FigureCanvasSVG(canvas).print_svg(buffer, **options)
            else:
                FigureCanvasAgg(canvas).print_png(buffer, **options)
        return buffer.getvalue()


@contextmanager
def fixed_style(more: Mapping[str, Any]) -> Iterator[None]:
    """Draw in our style, and leave the style of the session as it was."""
    from matplotlib import style

    with _one_at_a_time, style.context(["default", {**STYLE, **more}]):
        yield


# --- text that comes from data ------------------------------------------------------------------------------


@cache
def fonts() -> tuple[str, ...]:
    """The fonts at hand, in the order in which a glyph is looked for."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return tuple(font for font in FONTS if font in installed)


@cache
def glyphs() -> frozenset[int]:
    """The characters that can be drawn."""
    from matplotlib.font_manager import findfont, get_font

    return frozenset().union(*(get_font(findfont(font)).get_charmap() for font in fonts()))


def literal(text: str) -> str:
    r"""Text that Matplotlib draws as it stands: no mathematics between dollars, no character without a glyph.

    >>> print(literal("$\\bad$"))
    \$\bad\$
    """
    drawn = (c if ord(c) in glyphs() else "\N{REPLACEMENT CHARACTER}" for c in printable(text))
    return "".join(drawn).replace("$", r"\$")


def few_digits(value: float) -> str:
    """A number as it is written in a figure."""
    return TextNotation().number(float(f"{value:.4g}")).text


def number_words(value: float) -> str:
    """A number with four digits as people read it, with a word for a large size.

    >>> number_words(140912.0), number_words(-0.25), number_words(40219e6), number_words(1.5e6)
    ('140,900', '−0.25', '40.22 billion', '1.5 million')
    """
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if size <= abs(value) < 1000 * size:
            return f"{few_digits(value / size)} {name}"
    if 1000 <= abs(value) < 1e6:
        return f"{float(f'{value:.4g}'):,.0f}".replace("-", "−")
    return few_digits(value)


def date_axis(axis: Axis) -> None:
    """Label an axis of seconds since 1970 with dates, few enough that none touches another."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=4))
    axis.set_major_formatter(lambda seconds, _: time_words(seconds)[:10])


def _plain_ticks(axis: Axis, room: float | None = None) -> None:
    """Numbers on an axis as people write them, 50,000 and 2 million; so many that they fit into as many characters."""
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    formatter = axis.get_major_formatter()
    if axis.get_scale() != "linear" or type(formatter) is not ScalarFormatter:
        return
    formatter.set_useOffset(False)
    low, high = sorted(map(float, axis.get_view_interval()))
    if max(abs(low), abs(high)) >= LONG_TICK or 0 < high - low < 1.0 / LONG_TICK:
        axis.set_major_formatter(lambda value, _: number_words(value))
    formatter = axis.get_major_formatter()
    if room is None or not isinstance(axis.get_major_locator(), MaxNLocator):
        return
    for most in (*FEWER_TICKS, 2):
        places = axis.get_major_locator().tick_values(low, high)
        words = formatter.format_ticks([float(place) for place in np.asarray(places) if low <= place <= high])
        if sum(map(len, words)) + 2 * len(words) <= room:
            return
        axis.set_major_locator(MaxNLocator(nbins=most, steps=[1, 2, 2.5, 5, 10]))


# --- drawings that learners share ---------------------------------------------------------------------------


def bar_figure(
    labels: Sequence[str],
    values: npt.ArrayLike,
    *,
    intervals: npt.ArrayLike | None = None,
    title: str = "",
    xlabel: str = "",
    alt: str = "",
) -> Figure:
    """Horizontal bars, the first on top; `intervals` gives low and high for each value, shape (n, 2)."""
    names, lengths = [str(label) for label in labels], finite(values, "a value of a bar")
    if lengths.shape != (len(names),) or not names:
        raise ParameterError(f"{len(names)} labels do not fit values of shape {lengths.shape}")
    limits = None if intervals is None else finite(intervals, "an end of an interval")
    if limits is not None and (limits.shape != (len(names), 2) or (limits[:, 0] > limits[:, 1]).any()):
        raise ParameterError(f"the intervals are not a low and a high for each of {len(names)} bars")

    def draw(axes: Axes) -> None:
        draw_bars(axes, names, lengths, limits)
        axes.set_xlabel(literal(xlabel))

    shown = ", ".join(f"{name} {few_digits(v)}" for name, v in zip(names[:10], lengths, strict=False))
    rest = f", and {len(names) - 10} more" if len(names) > 10 else ""
    width = 5.6 + 0.07 * min(LABEL_WIDTH, max(map(len, names)))
    return Figure(draw, alt or f"Bars: {shown}{rest}.", title, (width, 1.2 + 0.28 * len(names)))


def draw_bars(
    axes: Axes, names: Sequence[str], lengths: npt.NDArray[np.float64], limits: npt.NDArray[np.float64] | None
) -> None:
    """Draw bars with their names on the left and their numbers on the right."""
    places = np.arange(len(names), dtype=np.float64)
    axes.barh(places, lengths, height=0.7, color=COLOURS[0])
    if limits is not None:
        axes.hlines(places, limits[:, 0], limits[:, 1], color=INK, linewidth=1.5)
        axes.plot(limits.ravel(), places.repeat(2), "|", color=INK, markersize=6)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(places, [literal(shortened(name)) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    # In a column of their own the numbers hide neither bars nor names.
    for place, length in zip(places, lengths, strict=True):
        axes.text(1.02, place, number_words(length), transform=axes.get_yaxis_transform(), va="center_baseline")


def curve_figure(
    xs: npt.ArrayLike,
    curves: Mapping[str, npt.ArrayLike],
    *,
    bands: Mapping[str, npt.ArrayLike] | None = None,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    alt: str = "",
) -> Figure:
    """Curves over one axis, by name; `bands` gives low and high around a curve, shape (n, 2)."""
    x = finite(xs, "a place of a curve")
    lines = {str(name): finite(ys, f"a value of {name!r}") for name, ys in curves.items()}
    areas = {str(name): finite(band, f"a limit of {name!r}") for name, band in (bands or {}).items()}
    for name, line in lines.items():
        if line.shape != x.shape or not len(x):
            raise ParameterError(f"curve {name!r} has shape {line.shape} over places of shape {x.shape}")
    for name, area in areas.items():
        if name not in lines or area.shape != (len(x), 2):
            raise ParameterError(f"band {name!r} is not a low and a high for each point of a curve of that name")

    def draw(axes: Axes) -> None:
        draw_curves(axes, x, lines, areas)
        axes.set_xlabel(literal(xlabel))
        axes.set_ylabel(literal(ylabel))

    ends = (f"{name} goes from {few_digits(line[0])} to {few_digits(line[-1])}" for name, line in lines.items())
    return Figure(draw, alt or f"Curves: {'; '.join(ends)}.", title)


def draw_curves(
    axes: Axes,
    x: npt.NDArray[np.float64],
    lines: Mapping[str, npt.NDArray[np.float64]],
    areas: Mapping[str, npt.NDArray[np.float64]],
) -> None:
    """Draw curves that differ in colour and in line, with a legend if there are several."""
    from matplotlib.ticker import MaxNLocator

    for i, (name, line) in enumerate(lines.items()):
        colour, marker = COLOURS[i % len(COLOURS)], "o" if len(x) <= 30 else None
        axes.plot(x, line, color=colour, linestyle=LINES[i % len(LINES)], marker=marker, markersize=4)
        if name in areas:
            axes.fill_between(x, *areas[name].T, color=colour, alpha=0.2, linewidth=0)
    if len(lines) > 1:
        axes.legend(axes.lines, [literal(shortened(name)) for name in lines])
    if (x == np.round(x)).all():
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.grid()


def finite(values: npt.ArrayLike, what: str) -> npt.NDArray[np.float64]:
    """Numbers that can be drawn."""
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ParameterError(f"{what} is not finite, so it cannot be drawn")
    return array
