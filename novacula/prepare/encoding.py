"""How columns become what a learner takes, found from training rows alone.

    a number       (x − mean) / spread where the card needs columns of one scale; the mean where it is missing
    a category     one column of 0 and 1 per category; the mean of the target in it, of columns of more than a hundred;
                   as it is for learners that take categories
    words          how often each of the most frequent words is in the text; as they are for learners of text
    missing        a column of its own that says so; as it is for learners that take missing values

What a learner takes natively it gets natively. A `PreparationChoice` asks for another scale, another filling, or for
numbers in place of categories that are in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from novacula.errors import DataWarning, SchemaError, overflow, warn_user
from novacula.learner.card import Card
from novacula.prepare.category_means import CategoryMeans
from novacula.prepare.choice import AS_THE_CARD, PreparationChoice
from novacula.prepare.rounding import rounded
from novacula.prepare.sums import MAX_CATEGORIES, PreparationSums
from novacula.prepare.words import count_words, frequent_words
from novacula.state import State, codes, each, flag, floats, instance, nullable, number, record, text, whole
from novacula.table import Chunk, Column, Schema
from novacula.table.chunk import MISSING, Codes, Floats

MAX_DENSE = 5000
"""Columns of a sparse block that may be written out for a learner that takes no sparse columns."""


@dataclass(frozen=True, eq=False)
class Encoding:
    """A preparation: places are those of the numeric, categorical and text columns of `schema`, in its order."""

    state: ClassVar[State] = {
        "schema": instance(Schema),
        "centre": floats("numeric"),
        "fill": nullable(floats("numeric")),
        "holes": each(whole(most="numeric-1")),
        "spread": floats("numeric", above=0.0),
        "fill_codes": nullable(codes("categorical")),
        "indicator_codes": nullable(each(each(whole()), "categorical")),
        "gaps": each(whole(most="categorical-1")),
        "words": nullable(each(each(text()), "text")),
        "dense": flag(),
        "ordered": each(whole(most="categorical-1"), "ordered"),
        "ordered_ranks": each(each(whole()), "ordered"),
        "ordered_fill": each(whole(), "ordered"),
        "ordered_centre": each(number(), "ordered"),
        "ordered_spread": each(number(above=0.0), "ordered"),
        "unit": flag(),
        "means": record(CategoryMeans),
    }

    schema: Schema  # of the columns that come in
    fill: Floats | None  # (numeric,) for missing numbers; None: they stay missing
    holes: tuple[int, ...]  # numeric columns that get one more column, which says where they are missing
    centre: Floats  # (numeric,)
    spread: Floats  # (numeric,)
    fill_codes: Codes | None  # (categorical,) for missing categories that stay categories; None: they stay missing
    indicator_codes: (
        tuple[tuple[int, ...], ...] | None
    )  # codes of each categorical column that get a column; None: it stays
    gaps: tuple[int, ...]  # categorical columns that get one more column, which says where they are missing
    words: tuple[tuple[str, ...], ...] | None  # the words of each text column that are counted; None: it stays
    dense: bool  # whether a sparse block is written out
    ordered: tuple[int, ...] = ()  # categorical columns whose categories become numbers
    ordered_ranks: tuple[tuple[int, ...], ...] = ()  # the place of each category in the order, by its code
    ordered_fill: tuple[int, ...] = ()  # the most frequent codes, for missing ones
    ordered_centre: tuple[float, ...] = ()  # what is taken off places
    ordered_spread: tuple[float, ...] = ()  # what the rest is divided by
    unit: bool = False  # whether the numbers of a row are brought to length 1
    means: CategoryMeans = field(default_factory=CategoryMeans.none)  # of columns of many categories

    @classmethod
    def of(
        cls,
        sums: PreparationSums,
        schema: Schema,
        card: Card,
        max_words: int,
        choice: PreparationChoice = AS_THE_CARD,
        n_given: int | None = None,
    ) -> Self:
        """The preparation for a learner with this card, from the sums over the rows.

        Of the numbers the first `n_given` say where they are missing; those made of them are missing where they are.
        """
        weight = sums.moments.weight[0]
        has_values = weight > 0
        mean = rounded(np.where(has_values, sums.moments.mean[0], 0.0))
        squares = np.divide(sums.moments.ssd[0], weight, out=np.zeros_like(mean), where=has_values)
        if not np.isfinite(squares).all():
            raise overflow(schema.of_kind("numeric")[int(np.argmin(np.isfinite(squares)))].name)
        spread = rounded(np.sqrt(squares))
        scale = choice.scale or ("standard" if "scaled" in card.needs else "none")
        centre, width = mean, spread
        if scale == "range":
            centre = rounded(np.where(has_values, sums.limits.low, 0.0))
            width = rounded(np.where(has_values, sums.limits.high - sums.limits.low, 0.0))
        scaled = scale in ("standard", "range")
        keeps, native = card.admits.missing and choice.fill is None, "categorical" in card.takes
        orders, coded = choice.orders(schema), schema.of_kind("categorical")
        if scale == "unit" and len(mean) == 1:
            name = schema.of_kind("numeric")[0].name
            warn_user(
                f"scale='unit' brings each row's numbers to length 1, and {name!r} is the only one: nothing but its "
                "sign is left; take 'standard' or 'range'",
                DataWarning,
            )
        filled = rounded(sums.medians) if choice.fill == "median" else mean
        filled = np.full_like(mean, choice.fill) if isinstance(choice.fill, Real) else filled
        counts = [sums.categories.column(j)[0] for j in range(len(coded))]
        many = {
            j: moments
            for j, moments in sums.answers.items()
            if j not in orders and np.count_nonzero(counts[j]) > MAX_CATEGORIES
        }
        ranks = {j: tuple(map(order.index, coded[j].categories)) for j, order in orders.items()}
        scales = [_scale_of_ranks(ranks[j], counts[j], len(order), scale) for j, order in orders.items()]
        dense = "sparse" not in card.takes
        _require_narrow(schema, dense, card)
        return cls(
            Schema(schema.uncounted().features, missing=()),
            None if keeps else filled,
            () if keeps else _flagged(sums.gaps.numeric[:n_given] > 0),
            centre if scaled else np.zeros_like(mean),
            np.where(width > 0, width, 1.0) if scaled else np.ones_like(mean),
            np.array([count.argmax() for count in counts], np.int32) if native and not keeps else None,
            None
            if native
            else tuple(
                () if j in orders or j in many else _columns_for(count, "full_rank" in card.needs)
                for j, count in enumerate(counts)
            ),
            tuple(j for j in _flagged(sums.gaps.coded > 0) if not native or j in orders),
            None if "text" in card.takes else tuple(frequent_words(words, max_words) for words in sums.words),
            dense,
            tuple(orders),
            tuple(ranks.values()),
            tuple(int(counts[j].argmax()) for j in orders),
            tuple(middle for middle, _ in scales),
            tuple(width for _, width in scales),
            scale == "unit",
            CategoryMeans.of(many, sums.answer_names, scaled),
        )

    def fits(self, schema: Schema) -> bool:
        """Whether it prepares the columns of a schema: codes are below the number of categories, words are distinct."""
        if not same_columns(self.schema.columns, schema.features) or is_too_wide(schema, self.dense):
            return False
        sizes = [len(column.categories) for column in self.schema.of_kind("categorical")]
        if len(self.centre) != len(self.schema.of_kind("numeric")) or not self.means.fits(sizes):
            return False
        filled = () if self.fill_codes is None else self.fill_codes.tolist()
        shown = [max(codes, default=-1) for codes in self.indicator_codes or ()]
        below = all(code < size for codes in (filled, shown) for code, size in zip(codes, sizes, strict=False))
        below &= all(code < sizes[j] for j, code in zip(self.ordered, self.ordered_fill, strict=True))
        below &= all(len(ranks) == sizes[j] for j, ranks in zip(self.ordered, self.ordered_ranks, strict=True))
        return below and all(len(set(words)) == len(words) for words in self.words or ())

    def apply(self, chunk: Chunk) -> Chunk:
        """The rows as the learner takes them; target and weight stay as they are."""
        numbers = chunk.numeric if self.fill is None else np.where(np.isnan(chunk.numeric), self.fill, chunk.numeric)
        numbers = (numbers - self.centre) / self.spread
        if self.unit:
            length = np.sqrt(np.nansum(numbers**2, axis=1, keepdims=True))
            numbers = numbers / np.where(length > 0.0, length, 1.0)
        parts = [numbers, np.isnan(chunk.numeric[:, list(self.holes)]).astype(float)]
        scales = zip(self.ordered_centre, self.ordered_spread, strict=True)
        orders = zip(self.ordered, self.ordered_ranks, self.ordered_fill, scales, strict=True)
        for j, ranks, usual, (centre, spread) in orders:
            code = chunk.codes[:, [j]]
            parts.append((np.array(ranks)[np.where(code < 0, usual, code)] - centre) / spread)
        for j, shown in enumerate(self.indicator_codes or ()):
            parts.append((chunk.codes[:, [j]] == np.array(shown, np.int32)).astype(float))
        parts += self.means.columns(chunk.codes)
        parts.append((chunk.codes[:, list(self.gaps)] < 0).astype(float))
        parts += [count_words(column, words) for column, words in zip(chunk.text, self.words or (), strict=False)]
        if chunk.sparse is not None and self.dense:
            parts.append(chunk.sparse.toarray())
        return replace(
            chunk,
            numeric=np.ascontiguousarray(np.hstack(parts)),
            codes=self._codes(chunk),
            text=chunk.text if self.words is None else (),
            sparse=None if self.dense else chunk.sparse,
        )

    def _codes(self, chunk: Chunk) -> Codes:
        """Categories that stay categories; those that were not there at fit are missing, which was reported already."""
        if self.indicator_codes is not None:
            return np.empty((len(chunk), 0), np.int32)
        codes = np.maximum(chunk.codes, MISSING)
        if self.fill_codes is not None:
            codes = np.where(chunk.codes < 0, self.fill_codes, chunk.codes)
        return np.delete(codes, self.ordered, axis=1) if self.ordered else codes

    def columns(self, taken: Iterable[str] = ()) -> tuple[Column, ...]:
        """The columns that come out; no name is one of `taken`."""
        coded = self.schema.of_kind("categorical") if self.indicator_codes is None else ()
        categorical = tuple(column for j, column in enumerate(coded) if j not in self.ordered)
        texts = self.schema.of_kind("text") if self.words is None else ()
        blocks = () if self.dense else self.schema.of_kind("sparse")
        names = _distinct(
            self._numeric_names(), {column.name for column in (*categorical, *texts, *blocks)} | set(taken)
        )
        return (*(Column(name, "numeric") for name in names), *categorical, *texts, *blocks)

    def origins(self) -> tuple[str, ...]:
        """For each of the columns that come out the name of the one that it was made of."""
        numeric, coded, texts = (self.schema.of_kind(kind) for kind in ("numeric", "categorical", "text"))
        made = [*numeric, *(numeric[j] for j in self.holes), *(coded[j] for j in self.ordered)]
        for column, shown in zip(coded, self.indicator_codes or (), strict=False):
            made += [column] * len(shown)
        made += [coded[j] for j in self.means.places for _ in self.means.answers]
        made += [coded[j] for j in self.gaps]
        for column, words in zip(texts, self.words or (), strict=False):
            made += [column] * len(words)
        if self.dense:
            made += [block for block in self.schema.of_kind("sparse") for _ in range(block.width)]
        kept = self.columns()[len(made) :]
        return (*(column.name for column in made), *(column.name for column in kept))

    def _numeric_names(self) -> Iterator[str]:
        numeric, coded = self.schema.of_kind("numeric"), self.schema.of_kind("categorical")
        yield from (column.name for column in numeric)
        yield from (f"{numeric[j].name} is missing" for j in self.holes)
        yield from (coded[j].name for j in self.ordered)
        for column, shown in zip(coded, self.indicator_codes or (), strict=False):
            yield from (f"{column.name} = {column.categories[code]}" for code in shown)
        yield from self.means.names([column.name for column in coded])
        yield from (f"{coded[j].name} is missing" for j in self.gaps)
        for column, words in zip(self.schema.of_kind("text"), self.words or (), strict=False):
            yield from (f"{word!r} in {column.name}" for word in words)
        if self.dense:
            yield from (f"{block.name} {j}" for block in self.schema.of_kind("sparse") for j in range(block.width))


def same_columns(one: Sequence[Column], other: Sequence[Column]) -> bool:
    """Whether columns agree in all that is not counted of their rows."""
    described = ([(c.name, c.kind, c.categories, c.width, c.is_time) for c in columns] for columns in (one, other))
    return next(described) == next(described)


def _scale_of_ranks(ranks: Sequence[int], count: Floats, n_places: int, scale: str) -> tuple[float, float]:
    """What is taken off the places of categories (by code, with their weights), and what they are divided by."""
    if scale == "range":
        return 0.0, float(max(n_places - 1, 1))
    total = float(count.sum())
    if scale != "standard" or not total > 0.0:
        return 0.0, 1.0
    mean = float(count @ np.array(ranks)) / total
    spread = float(np.sqrt(count @ (np.array(ranks) - mean) ** 2 / total))
    mean, spread = rounded(np.array([mean, spread])).tolist()
    return mean, spread or 1.0


def _flagged(flags: Any) -> tuple[int, ...]:
    return tuple(np.flatnonzero(flags).tolist())


def _columns_for(count: Any, full_rank: bool) -> tuple[int, ...]:
    """The codes that get a column: the second of two, which says it all; for full rank all but the most frequent."""
    often = np.argsort(-count, kind="stable")[: np.count_nonzero(count)]
    if len(often) <= 2:
        return tuple(np.sort(often)[1:].tolist())
    return tuple(np.sort(often[int(full_rank) :][:MAX_CATEGORIES]).tolist())


def _distinct(names: Iterator[str], taken: set[str]) -> Iterator[str]:
    """The names, with a prime after those that are taken already."""
    for name in names:
        while name in taken:
            name += "′"
        taken.add(name)
        yield name


def is_too_wide(schema: Schema, dense: bool) -> bool:
    """Whether sparse blocks that are written out have too many columns for it."""
    return dense and sum(block.width for block in schema.of_kind("sparse")) > MAX_DENSE


def _require_narrow(schema: Schema, dense: bool, card: Card) -> None:
    if is_too_wide(schema, dense):
        width = sum(block.width for block in schema.of_kind("sparse"))
        raise SchemaError(f"{card.name} takes no sparse columns, and {width:,} are too many to be written out")
