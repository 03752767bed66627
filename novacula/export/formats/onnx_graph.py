"""An ONNX graph that is put together: its nodes, its constants, and the names of its tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from novacula.export.formats import protobuf

Allowed = Sequence[tuple[float, float, Sequence[int] | None]]
"""Of each entry low < x ≤ high, or the codes that it may be."""


class Graph:
    """Nodes in order. Tensors have names that no input has."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.nodes: list[bytes] = []
        self.constants: dict[bytes, tuple[str, bytes]] = {}
        self.count = 0

    def new_name(self) -> str:
        """A name that no tensor has."""
        while True:
            self.count += 1
            if f"t{self.count}" not in self.taken:
                return f"t{self.count}"

    def add(self, kind: str, inputs: Sequence[str], output: str = "", domain: str = "", **attributes: Any) -> str:
        """Add a node, and give the name of what comes out."""
        output = output or self.new_name()
        self.nodes.append(protobuf.node(kind, inputs, [output], domain, attributes))
        return output

    def add_two(self, kind: str, inputs: Sequence[str], **attributes: Any) -> tuple[str, str]:
        """Add a node of which two tensors come out."""
        first, second = self.new_name(), self.new_name()
        self.nodes.append(protobuf.node(kind, inputs, [first, second], "", attributes))
        return first, second

    # --- constants ----------------------------------------------------------------------------------------------------

    def numbers(self, values: Any) -> str:
        """Doubles."""
        return self._constant(np.ascontiguousarray(values, np.float64))

    def wholes(self, values: Any) -> str:
        """Whole numbers."""
        return self._constant(np.ascontiguousarray(values, np.int64))

    def texts(self, values: Sequence[str]) -> str:
        """Texts."""
        return self._held(values, (len(values),))

    def _constant(self, array: np.ndarray) -> str:
        return self._held(array, array.shape)

    def _held(self, values: Any, shape: Sequence[int]) -> str:
        key = protobuf.tensor("", values, shape)
        if key not in self.constants:
            name = self.new_name()
            self.constants[key] = name, protobuf.tensor(name, values, shape)
        return self.constants[key][0]

    # --- what is said often -------------------------------------------------------------------------------------------

    def double(self, name: str) -> str:
        """As doubles."""
        return self.add("Cast", [name], to=protobuf.DOUBLE)

    def whole(self, name: str) -> str:
        """As whole numbers."""
        return self.add("Cast", [name], to=protobuf.INT64)

    def entries(self, source: str, places: Sequence[int]) -> str:
        """Some columns."""
        return self.add("Gather", [source, self.wholes(list(places))], axis=1)

    def first(self, flags: str) -> str:
        """The place of the first column that is true: (n, 1) doubles."""
        as_float = self.add("Cast", [flags], to=protobuf.FLOAT)
        return self.double(self.add("ArgMax", [as_float], axis=1, keepdims=1))

    def met(self, value: str, allowed: Allowed) -> str:
        """Whether each entry (n, C) is what it may be: low < x ≤ high, or one of some codes; never if missing."""
        low, high = (np.array([[ends[side] for ends in allowed]]) for side in (0, 1))
        above = self.add("Greater", [value, self.numbers(low)])
        found = self.add("And", [above, self.add("LessOrEqual", [value, self.numbers(high)])])
        by_code = np.array([[codes is not None for _, _, codes in allowed]])
        if not by_code.any():
            return found
        cells, offsets = [0.0], []
        for _, _, codes in allowed:
            offsets.append(len(cells) if codes is not None else 0)
            own = [0.0] * (max(codes, default=-1) + 1) if codes is not None else []
            for code in codes or ():
                own[code] = 1.0
            cells += own
        sizes = np.diff([*[offset for offset in offsets if offset], len(cells)])
        most = np.zeros_like(by_code, np.float64)
        most[by_code] = sizes
        return self._one_of(found, value, by_code, most, np.array([offsets], np.float64), cells)

    def _one_of(
        self, found: str, value: str, by_code: np.ndarray, size: np.ndarray, offset: np.ndarray, cells: list[float]
    ) -> str:
        """The same, where entries that are codes are looked up in cells."""
        zero, asked = (
            self.numbers([0.0]),
            self.add("Greater", [self.numbers(by_code.astype(float)), self.numbers([0.5])]),
        )
        known = self.add("And", [asked, self.add("Less", [value, self.numbers(size)])])
        place = self.add("Where", [known, self.add("Add", [value, self.numbers(offset)]), zero])
        cell = self.add("Gather", [self.numbers(cells), self.whole(place)], axis=0)
        held = self.add("Greater", [cell, self.numbers([0.5])])
        by_code_too = self.add("And", [asked, held])
        return self.add("Or", [by_code_too, self.add("And", [self.add("Not", [asked]), found])])

    def content(self, inputs: Iterable[bytes], outputs: Iterable[bytes]) -> bytes:
        """GraphProto."""
        parts = [protobuf.held(1, node) for node in self.nodes] + [protobuf.held(2, "model")]
        parts += [protobuf.held(5, content) for _, content in self.constants.values()]
        parts += [protobuf.held(11, each) for each in inputs] + [protobuf.held(12, each) for each in outputs]
        return b"".join(parts)
