"""What the colours in a picture of a tree mean: a class each, or a place on the scale of its numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from novacula.learner.figure import COLOURS, FAINT
from novacula.table.chunk import Floats
from novacula.tree.export.condition import rounded
from novacula.tree.export.named import AnyNamedTree, NamedClassTree, NamedNumberTree

GREY = "#AAAAAA"
"""The colour of all classes that have none of their own."""
LOW, HIGH = (0xA6, 0xCE, 0xE8), (0x00, 0x2F, 0x5A)
"""The colours of the lowest and of the highest number: the darker, the higher, so that they differ in print too."""
STEPS = 5
"""Numbers of the scale that the legend names."""


class NodeColours(ABC):
    """The colours of a tree's nodes, and what the legend says of them."""

    @abstractmethod
    def legend(self) -> list[tuple[str, str]]:
        """Colours and their words."""

    @abstractmethod
    def answer(self, node: int) -> str:
        """The colour of what a node answers."""

    @abstractmethod
    def bar(self, node: int) -> list[tuple[float, str]]:
        """The parts of the bar at the foot of a node, from the left: shares of its width, and their colours."""


class ClassColours(NodeColours):
    """A colour for each of the most frequent classes; the bar of a node shows their shares."""

    def __init__(self, named: NamedClassTree) -> None:
        self.named = named
        order = np.argsort(-named.tree.counts[0], kind="stable")
        own = len(COLOURS) if len(order) <= len(COLOURS) else len(COLOURS) - 1
        self.colours = [GREY] * len(order)
        for k, colour in zip(sorted(order[:own].tolist()), COLOURS, strict=False):
            self.colours[k] = colour

    def legend(self) -> list[tuple[str, str]]:
        """The classes that have a colour of their own, and how many others there are."""
        own = [(colour, str(self.named.classes[k])) for k, colour in enumerate(self.colours) if colour != GREY]
        others = len(self.colours) - len(own)
        return [*own, (GREY, f"{others} other classes")] if others else own

    def answer(self, node: int) -> str:
        """The colour of the class of a node."""
        return self.colours[self.named.plurality[node]]

    def bar(self, node: int) -> list[tuple[float, str]]:
        """The shares of the classes; nothing where there are no examples."""
        counts = self.named.tree.counts[node]
        return [(counts[k] / counts.sum(), self.colours[k]) for k in np.flatnonzero(counts)]


class NumberColours(NodeColours):
    """The higher the number, the darker; the bar of a node reaches from the lowest to the node's own."""

    def __init__(self, named: NamedNumberTree) -> None:
        halves = named.tree.value / 2  # of which the largest difference is a number
        self.low, self.high = float(halves.min()), float(halves.max())
        span = self.high - self.low
        self.place: Floats = (halves - self.low) / span if span > 0 else np.zeros(len(halves))

    def legend(self) -> list[tuple[str, str]]:
        """Numbers from the lowest to the highest; one if all nodes answer alike."""
        if not self.high > self.low:
            return [(_shade(0.0), f"every answer is {rounded(2 * self.low)}")]
        places = np.linspace(0.0, 1.0, STEPS)
        words = [rounded(2 * (self.low + place * (self.high - self.low))) for place in places]
        words[0], words[-1] = f"lowest {words[0]}", f"highest {words[-1]}"
        return list(zip(map(_shade, places), words, strict=True))

    def answer(self, node: int) -> str:
        """The colour of the number of a node."""
        return _shade(self.place[node])

    def bar(self, node: int) -> list[tuple[float, str]]:
        """As much of the bar as the number is above the lowest, of all the way to the highest."""
        place = float(self.place[node])
        return [(place, _shade(place)), (1.0 - place, FAINT)]


def colours_of(named: AnyNamedTree) -> NodeColours:
    """The colours of a tree."""
    return ClassColours(named) if isinstance(named, NamedClassTree) else NumberColours(named)


def _shade(place: float) -> str:
    """The colour of a place between the lowest, 0, and the highest, 1."""
    mixed = [round(low + place * (high - low)) for low, high in zip(LOW, HIGH, strict=True)]
    return "#" + "".join(f"{part:02X}" for part in mixed)
