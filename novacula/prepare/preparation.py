"""A preparation as a whole: times become their parts, and then columns what the learner takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from novacula.learner.card import Card
from novacula.prepare.choice import AS_THE_CARD, PreparationChoice
from novacula.prepare.described import preparation_words
from novacula.prepare.encoding import Encoding
from novacula.prepare.sums import PreparationSums
from novacula.prepare.times import TimeParts
from novacula.state import State, record
from novacula.table import Chunk, Column, Schema, Table


@dataclass(frozen=True, eq=False)
class Preparation:
    """Found from training rows alone; then a function from a chunk to a chunk."""

    state: ClassVar[State] = {
        "times": record(TimeParts),
        "encoding": record(Encoding, numeric="parted", categorical="categorical", text="text"),
    }

    times: TimeParts
    encoding: Encoding

    @classmethod
    def find(
        cls, table: Table, card: Card, max_words: int, choice: PreparationChoice = AS_THE_CARD
    ) -> tuple[Self, PreparationSums]:
        """The preparation for a learner with this card, and the sums it was made of."""
        times = TimeParts.of(table, card)
        parted = table
        if times.parts:
            parted = table.expanded(times.apply, times.columns(table.layout.roles))
        sums = PreparationSums.of(parted, card, choice.fill == "median")
        n_given = len(table.layout.of_kind("numeric"))
        return cls(times, Encoding.of(sums, parted.layout, card, max_words, choice, n_given)), sums

    def fits(self, schema: Schema) -> bool:
        """Whether it prepares the columns of a schema."""
        return self.times.fits(schema) and self.encoding.fits(
            Schema(self.times.columns(schema.roles) if self.times.parts else schema.features, missing=())
        )

    def apply(self, chunk: Chunk) -> Chunk:
        """The rows as the learner takes them; target and weight stay as they are."""
        return self.encoding.apply(self.times.apply(chunk))

    def columns(self, taken: Iterable[str] = ()) -> tuple[Column, ...]:
        """The columns that come out; no name is one of `taken`."""
        return self.encoding.columns(taken)

    def origins(self) -> tuple[str, ...]:
        """For each of the columns that come out the name of the one that it was made of."""
        owners = self.times.owners()
        parts = self.encoding.schema.of_kind("numeric")
        owner = {part.name: name for part, name in zip(parts[len(parts) - len(owners) :], owners, strict=True)}
        return tuple(owner.get(name, name) for name in self.encoding.origins())

    def words(self) -> Sequence[tuple[str, str]]:
        """What it does to each column."""
        return preparation_words(self.encoding)

    @property
    def n_parameters(self) -> int:
        """How many numbers it keeps of the target: they are part of the hypothesis."""
        return self.encoding.means.n_parameters
