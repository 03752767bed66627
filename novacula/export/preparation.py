"""A preparation as vectors: parts of times, filling, scales, places of ordered categories, columns of 0 and 1, means.

Each line does to one row what the same line of `novacula.prepare` does to a chunk, by the same operations in the same
order, so that the numbers are the same to the last bit.
"""

from __future__ import annotations

import numpy as np

from novacula.export.calendar import time_part
from novacula.export.inputs import Inputs
from novacula.export.vectors import (
    Choose,
    Combine,
    ConstantVector,
    CountWords,
    Map,
    Pick,
    Reduce,
    Vector,
    constant,
    join,
)
from novacula.prepare.encoding import Encoding
from novacula.prepare.preparation import Preparation
from novacula.table import Column, Schema
from novacula.table.chunk import Codes, Floats


def prepared(preparation: Preparation, columns: tuple[Column, ...], inputs: Inputs) -> Inputs:
    """What the learner behind a preparation sees."""
    numeric = _with_time_parts(preparation, inputs)
    encoding = preparation.encoding
    parts = [_scaled(encoding, numeric), Map("missing", Pick(inputs.numeric, encoding.holes))]
    parts += _ordered(encoding, inputs)
    parts += _indicators(encoding, inputs)
    parts += _means(encoding, inputs)
    parts.append(Map("missing", Pick(inputs.codes, encoding.gaps)))
    texts = inputs.texts
    if encoding.words is not None:
        parts += [CountWords(place, words) for place, words in zip(texts, encoding.words, strict=True)]
        texts = ()
    return Inputs(
        Schema(columns, missing=()), _joined(parts), _codes(encoding, inputs), texts, encoding.fill is not None
    )


def _with_time_parts(preparation: Preparation, inputs: Inputs) -> Vector:
    times = [j for j, column in enumerate(inputs.schema.of_kind("numeric")) if column.is_time]
    made = [
        time_part(name, Pick(inputs.numeric, (j,)))
        for j, names in zip(times, preparation.times.parts, strict=True)
        for name in names
    ]
    return _joined([inputs.numeric, *made])


def _scaled(encoding: Encoding, numeric: Vector) -> Vector:
    """Numbers filled, moved and divided, and where it is asked for brought to length 1."""
    if not numeric.width:
        return numeric
    scaled = numeric
    if encoding.fill is not None:
        scaled = Choose(Map("missing", numeric), _of(encoding.fill), numeric)
    if encoding.centre.any():
        scaled = scaled - _of(encoding.centre)
    if (encoding.spread != 1.0).any():
        scaled = scaled / _of(encoding.spread)
    if encoding.unit:
        known = Choose(Map("missing", scaled), constant(0.0), scaled)
        length = Map("sqrt", Reduce("sum", known * known))
        scaled = scaled / Choose(Combine(">", length, constant(0.0)), length, constant(1.0))
    return scaled


def _ordered(encoding: Encoding, inputs: Inputs) -> list[Vector]:
    parts: list[Vector] = []
    scales = zip(encoding.ordered_centre, encoding.ordered_spread, strict=True)
    orders = zip(encoding.ordered, encoding.ordered_ranks, encoding.ordered_fill, scales, strict=True)
    for j, ranks, usual, (centre, spread) in orders:
        numbers = (np.array([*ranks, ranks[usual]], np.float64) - centre) / spread
        parts.append(inputs.one_of(j, numbers[:, None]))
    return parts


def _indicators(encoding: Encoding, inputs: Inputs) -> list[Vector]:
    parts: list[Vector] = []
    coded = inputs.schema.of_kind("categorical")
    for j, (column, shown) in enumerate(zip(coded, encoding.indicator_codes or (), strict=False)):
        if shown:
            codes = np.arange(len(column.categories) + 1)  # the last stands for a missing value, which is none of them
            parts.append(inputs.one_of(j, (codes[:, None] == np.array(shown)).astype(np.float64)))
    return parts


def _means(encoding: Encoding, inputs: Inputs) -> list[Vector]:
    means, start = encoding.means, 0
    parts: list[Vector] = []
    for p, (j, size) in enumerate(zip(means.places, means.sizes, strict=True)):
        cells = means.means[start : start + size + 1]
        parts.append(inputs.one_of(j, (cells - means.centre[p]) / means.spread[p]))
        start += size + 1
    return parts


def _codes(encoding: Encoding, inputs: Inputs) -> Vector:
    """The codes of categories that stay categories."""
    if encoding.indicator_codes is not None:
        return ConstantVector(())
    codes = inputs.codes
    if encoding.fill_codes is not None and codes.width:
        codes = Choose(Map("missing", codes), _of(encoding.fill_codes), codes)
    kept = tuple(j for j in range(codes.width) if j not in encoding.ordered)
    return Pick(codes, kept) if encoding.ordered else codes


def _of(values: Floats | Codes) -> ConstantVector:
    return constant(*np.asarray(values, np.float64).tolist())


def _joined(parts: list[Vector]) -> Vector:
    return join(*parts) if any(part.width for part in parts) else ConstantVector(())
