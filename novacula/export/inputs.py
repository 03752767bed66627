"""What a learner sees of a row, as vectors of a program: the twin of a chunk, which holds the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.errors import ExportError
from novacula.export.program import ProgramColumn
from novacula.export.vectors import Combine, ConstantVector, Lookup, Pick, Read, Reduce, Vector, join
from novacula.table import Schema
from novacula.table.chunk import Floats
from novacula.tree.attributes import Attribute


@dataclass(frozen=True, eq=False)
class Inputs:
    """The numbers and codes of a row in the order of a schema's columns of each kind, and which columns have text."""

    schema: Schema
    numeric: Vector
    codes: Vector
    texts: tuple[int, ...] = ()
    is_filled: bool = False  # no value is missing

    @classmethod
    def of(cls, schema: Schema) -> tuple[Inputs, tuple[ProgramColumn, ...]]:
        """The columns of a schema as they are read."""
        columns: list[ProgramColumn] = []
        places: dict[str, list[int]] = {"number": [], "category": [], "text": []}
        for column in schema.features:
            if column.kind == "sparse":
                raise ExportError(
                    f"{column.name!r} is a block of {column.width:,} sparse columns, which have no names of their own: "
                    "a model of named columns can be exported"
                )
            kind: Any = {"numeric": "number", "categorical": "category", "text": "text"}[column.kind]
            places[kind].append(len(columns))
            columns.append(ProgramColumn(column.name, kind, column.categories, column.is_time, column.spelling))
        numeric, codes = Read(tuple(places["number"])), Read(tuple(places["category"]))
        return cls(schema, numeric, codes, tuple(places["text"])), tuple(columns)

    def seen_by(self, schema: Schema) -> Inputs:
        """The columns that a learner was fitted on, where they are some of these."""
        numeric, codes, texts = (_places(self.schema, schema, kind) for kind in ("numeric", "categorical", "text"))
        return Inputs(
            schema,
            Pick(self.numeric, numeric),
            Pick(self.codes, codes),
            tuple(self.texts[place] for place in texts),
            self.is_filled,
        )

    @property
    def numbers(self) -> Vector:
        """The numbers, where a learner takes nothing else."""
        if self.codes.width or self.texts:
            raise ExportError("its learner takes numbers, and the columns hold categories or texts")
        return self.numeric

    def gap(self) -> Vector:
        """0, or missing where a number of the row is: added to an answer, it takes it away."""
        whole = Reduce("sum", self.numeric) if self.numeric.width else ConstantVector((0.0,))
        return whole - whole

    def asked_by_trees(self, attributes: tuple[Attribute, ...]) -> tuple[Vector, tuple[int, ...]]:
        """A vector that trees can ask, and where in it the value of each attribute is."""
        cuts = [a for a in attributes if a.kind == "cut"]
        numeric = {column.name: place for place, column in enumerate(self.schema.of_kind("numeric"))}
        made = [interval_code(Pick(self.numeric, (numeric[a.name],)), a.edges) for a in cuts]
        coded = [*(column.name for column in self.schema.of_kind("categorical")), *(a.name for a in cuts)]
        of_code = {name: self.numeric.width + place for place, name in enumerate(coded)}
        places = tuple(numeric[a.name] if a.kind == "numeric" else of_code[a.name] for a in attributes)
        return join(self.numeric, self.codes, *made) if places else ConstantVector((0.0,)), places

    def one_of(self, place: int, table: Floats) -> Vector:
        """The row of a table (categories + 1, k) for the code of a categorical column; the last if there is none."""
        return Lookup(self.codes, place, np.ascontiguousarray(table, np.float64))


def interval_code(number: Vector, edges: tuple[float, ...]) -> Vector:
    """The number of the interval that a number is in: how many edges are below it."""
    above = Reduce("sum", Combine(">", number, ConstantVector(edges)))
    return above + (number - number)  # missing where the number is


def _places(whole: Schema, part: Schema, kind: Any) -> tuple[int, ...]:
    names = [column.name for column in whole.of_kind(kind)]
    return tuple(names.index(column.name) for column in part.of_kind(kind))
