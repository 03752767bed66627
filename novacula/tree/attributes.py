"""What a tree may ask: one attribute per column, by threshold or by value.

    numeric    x ≤ t, for any t; may be asked again below
    nominal    which of its categories
    cut        a numeric column in stated intervals, asked like a nominal one

The values of nominal and cut attributes are codes. Those of nominal ones are the table's; those of cut ones are
found from the numbers: code i is eᵢ₋₁ < x ≤ eᵢ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from novacula.errors import ParameterError
from novacula.state import State, each, label, number, text, whole, word
from novacula.statistics.histogram import bin_codes
from novacula.table import Chunk, Schema
from novacula.table.chunk import Codes, Floats
from novacula.table.names import did_you_mean

Kind: TypeAlias = Literal["numeric", "nominal", "cut"]


@dataclass(frozen=True)
class Attribute:
    """A column as a tree sees it.

    `place` is where its values stand: among the chunk's numbers for a numeric one, among the codes for the others.
    `labels` are the values in words, `edges` the ends of the intervals of a cut one.
    """

    state: ClassVar[State] = {
        "name": text(),
        "kind": word("numeric", "nominal", "cut"),
        "place": whole(),
        "labels": each(label()),
        "edges": each(number()),
    }

    name: str
    kind: Kind
    place: int
    labels: tuple[Any, ...] = ()
    edges: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """The number of codes; 0 for a numeric attribute."""
        return len(self.labels)


def attributes_of(schema: Schema, thresholds: Mapping[str, Sequence[float]] | None = None) -> tuple[Attribute, ...]:
    """The attributes of a table's features, in their order; `thresholds` cuts numeric columns into intervals."""
    cuts = {name: _edges(name, values) for name, values in (thresholds or {}).items()}
    names = [column.name for column in schema.features]
    for name in cuts:
        if name not in schema or name in schema.roles:
            raise ParameterError(f"thresholds names {name!r}, which is not a column{did_you_mean(name, names)}")
        if schema[name].kind != "numeric":
            raise ParameterError(
                f"thresholds names {name!r}, which is {schema[name].kind}: only numbers have thresholds"
            )
    numeric, nominal = (_places(column.name for column in schema.of_kind(k)) for k in ("numeric", "categorical"))
    cut = _places(name for name in numeric if name in cuts)
    attributes = []
    for column in schema.features:
        if column.name in cuts:
            edges = cuts[column.name]
            place = len(nominal) + cut[column.name]
            attributes.append(Attribute(column.name, "cut", place, interval_labels(edges), edges))
        elif column.kind == "numeric":
            attributes.append(Attribute(column.name, "numeric", numeric[column.name]))
        else:
            attributes.append(Attribute(column.name, "nominal", nominal[column.name], column.categories))
    return tuple(attributes)


def _places(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _edges(name: str, values: Sequence[float]) -> tuple[float, ...]:
    try:
        edges = np.atleast_1d(np.asarray(values, np.float64))
    except (TypeError, ValueError):
        edges = np.zeros(0)
    if edges.ndim != 1 or not len(edges) or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
        raise ParameterError(f"the thresholds of {name!r} must be one or more finite numbers that rise")
    return tuple(edges.tolist())


def interval_labels(edges: Sequence[float]) -> tuple[str, ...]:
    """The intervals between edges, in words.

    >>> interval_labels([10, 30])
    ('≤ 10', '10 to 30', '> 30')
    """
    inner = (f"{low:g} to {high:g}" for low, high in pairwise(edges))
    return (f"≤ {edges[0]:g}", *inner, f"> {edges[-1]:g}")


def attribute_codes(chunk: Chunk, attributes: Sequence[Attribute], cut_places: Sequence[int]) -> Codes:
    """The codes of nominal and cut attributes side by side; `cut_places` are the cut columns among the numbers."""
    edges: list[Floats] = [np.array(a.edges) for a in attributes if a.kind == "cut"]
    if not edges:
        return chunk.codes
    cut = bin_codes(np.ascontiguousarray(chunk.numeric[:, list(cut_places)]), edges)
    return np.ascontiguousarray(np.hstack([chunk.codes, cut]))


def cut_places(schema: Schema, attributes: Sequence[Attribute]) -> tuple[int, ...]:
    """Where the cut columns are among the numeric ones."""
    numeric = _places(column.name for column in schema.of_kind("numeric"))
    return tuple(numeric[a.name] for a in attributes if a.kind == "cut")
