"""What a page is made of. A section is a list of these, and the template knows how each is written.

Text in a block is plain: the template escapes it. Only a `Fragment` is markup, made where its text was escaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np

from novacula.learner.figure import Figure, few_digits, number_words
from novacula.learner.work import Cell, WorkTable
from novacula.table.schema import printable
from novacula.words import shortened

LONGEST = 800
"""Characters of a sentence or of the words for a picture; names in them may be of any length."""
CELL = 120
"""Characters of a cell."""
UNKNOWN = ("", "–")
"""What a table shows in place of a number that is not known."""
NUMBER = re.compile(r"[−-]?[\d,]*\.?\d+(e[+-]?\d+)?(%| million| billion)?$")
"""A number that was written with the digits it deserves."""
COLUMNS = 7
"""Columns that stand side by side with room between them."""
WIDE = 5.5
"""Inches beyond which a figure is wide."""
TINY = 1e-12
"""Numbers nearer to 0 than this are rounding errors of sums."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True)
class Statement:
    """A paragraph in large letters: what somebody should know who reads nothing else."""

    kind: ClassVar[str] = "statement"
    text: str


@dataclass(frozen=True)
class Pointer:
    """A sentence that leads to a section of the page."""

    kind: ClassVar[str] = "pointer"
    text: str
    section: str


@dataclass(frozen=True)
class Points:
    """A list."""

    kind: ClassVar[str] = "points"
    items: tuple[str, ...]


@dataclass(frozen=True)
class Alert:
    """A sentence that must not be overlooked."""

    kind: ClassVar[str] = "alert"
    text: str


@dataclass(frozen=True)
class Facts:
    """Pairs of a term and its value."""

    kind: ClassVar[str] = "facts"
    pairs: tuple[tuple[str, str], ...]
    large: bool = False  # as cards, for the few that matter most


@dataclass(frozen=True)
class Code:
    """Lines to be read, or typed, as they are."""

    kind: ClassVar[str] = "code"
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines, each without what cannot be printed."""
        return [printable(line) for line in self.text.split("\n")]


@dataclass(frozen=True)
class TableBlock:
    """A table whose first column names the rows."""

    kind: ClassVar[str] = "table"
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str
    widest: int = CELL  # characters of a cell

    @classmethod
    def of(cls, table: WorkTable, caption: str = "") -> TableBlock:
        """The table of a result; a caption given here goes before its own."""
        return cls(table.header, table.rows, ". ".join(filter(None, [caption, table.caption])))

    @property
    def is_wide(self) -> bool:
        """Whether it has so many columns that they have to stand closely."""
        return len(self.header) > COLUMNS

    @property
    def right(self) -> list[bool]:
        """For each column, whether it holds numbers, or blanks where one is not known."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.header)
        return [all(map(_is_number, column)) for column in columns]

    @property
    def lines(self) -> list[list[tuple[str, str]]]:
        """The cells as they are written, each with the whole of it where that is shortened."""
        return [[self._written(cell) for cell in row] for row in self.rows]

    def _written(self, cell: Cell) -> tuple[str, str]:
        if not isinstance(cell, str):
            return number(cell), ""
        return shortened(cell, self.widest), cell if len(cell) > self.widest else ""


@dataclass(frozen=True)
class FigureBlock:
    """A figure, drawn as SVG, and its caption."""

    kind: ClassVar[str] = "figure"
    svg: str  # markup; Matplotlib has escaped its text
    caption: str = ""
    wide: bool = False  # too wide to be read if it were shrunk to a phone

    @classmethod
    def of(cls, figure: Figure, caption: str = "") -> FigureBlock:
        """The figure as it is drawn; its description is no longer than somebody would listen to."""
        described = replace(figure, alt=shortened(figure.alt, LONGEST))
        return cls(described.svg(), caption, figure.size[0] > WIDE)


@dataclass(frozen=True)
class FigureRow:
    """Figures side by side, as far as there is room."""

    kind: ClassVar[str] = "figure_row"
    pictures: tuple[FigureBlock, ...]


@dataclass(frozen=True)
class FoldedBlock:
    """Blocks that are shown when the reader opens them, and in print."""

    kind: ClassVar[str] = "folded"
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Fragment:
    """Markup that a work or a card has rendered; `label` says what it is."""

    kind: ClassVar[str] = "fragment"
    html: str
    label: str


Block: TypeAlias = (
    Paragraph
    | Statement
    | Pointer
    | Points
    | Alert
    | Facts
    | Code
    | TableBlock
    | FigureBlock
    | FigureRow
    | FoldedBlock
    | Fragment
)


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading; `name` is what links point to."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """The whole page."""

    title: str
    lead: str  # one line under the title
    opening: tuple[Block, ...]
    sections: tuple[Section, ...]
    interrupted: bool = False  # Ctrl-C came while it was made


def _is_number(cell: Cell) -> bool:
    return not isinstance(cell, str) or cell in UNKNOWN or NUMBER.match(cell) is not None


def number(value: float) -> str:
    """A number with few digits; nothing where it is not known.

    >>> number(0.0416666), number(1234567), number(5361.2), number(2.5e-17), number(float("nan"))
    ('0.04167', '1,234,567', '5,361', '0', '')
    """
    if np.isnan(value):
        return ""
    if isinstance(value, float) and abs(value) >= 1e9:
        return number_words(value)
    if isinstance(value, int) or abs(value) >= 1e3:
        return f"{value:,.0f}"
    return few_digits(0.0 if abs(value) < TINY else value)


def plain(text: str) -> str:
    """Text for a page: without control characters, and not too long."""
    return shortened(printable(text), LONGEST)
