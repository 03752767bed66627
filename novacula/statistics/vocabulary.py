"""Which words a text column holds, and how often in each class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

import numpy as np

from novacula.state import State, each, floats, text
from novacula.statistics.base import Statistic, class_codes, require_same_layout, weighted_counts
from novacula.table.chunk import Chunk, Floats

Analyzer: TypeAlias = Callable[[str], list[str]]
"""Cuts a text into words; it must be picklable, as scikit-learn's `CountVectorizer().build_analyzer()` is."""


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary(Statistic):
    """Distinct values and their weight per class: V + KV + K entries, growing with V but not with the rows.

    The values are sorted by code point, so their order does not depend on that of the rows. `documents` is
    the weight of the texts of each class that are not missing, whether they hold words or not.

    >>> texts = np.array(["secret link", "play play", None], dtype=object)
    >>> chunk = Chunk(np.empty((3, 0)), np.empty((3, 0), np.int32), np.ones(3), text=(texts,))
    >>> words = Vocabulary.observe_words(chunk, n_classes=1, column=0, analyzer=str.split)
    >>> words.values, words.weight, words.documents
    (('link', 'play', 'secret'), array([[1., 2., 1.]]), array([2.]))
    """

    state: ClassVar[State] = {
        "values": each(text(), "words"),
        "weight": floats("classes", "words", least=0.0),
        "documents": floats("classes", least=0.0),
    }

    values: tuple[str, ...]  # V of them, sorted
    weight: Floats  # (K, V)
    documents: Floats  # (K,)

    @classmethod
    def zero(cls, n_classes: int) -> Self:
        """No words and no documents."""
        return cls((), np.zeros((n_classes, 0)), np.zeros(n_classes))

    @classmethod
    def observe_words(
        cls, chunk: Chunk, n_classes: int, column: int, analyzer: Analyzer, presence: bool = False
    ) -> Self:
        """Count the words of a text column; with `presence` a word counts once in each text."""
        code, texts = class_codes(chunk, n_classes), chunk.text[column]
        read = [i for i in np.flatnonzero(chunk.weight) if texts[i] is not None]
        place: dict[str, int] = {}
        places: list[int] = []
        lengths: list[int] = []
        for i in read:
            words = analyzer(texts[i])
            distinct = dict.fromkeys(words) if presence else words
            places.extend(place.setdefault(word, len(place)) for word in distinct)
            lengths.append(len(distinct))
        values = tuple(sorted(place))
        row = np.repeat(np.asarray(read, np.intp), lengths)
        cell = code[row] * np.intp(len(values)) + np.asarray(places, np.intp)
        counts = weighted_counts(cell, chunk.weight[row], n_classes * len(values)).reshape(n_classes, len(values))
        documents = weighted_counts(code[read], chunk.weight[read], n_classes)
        return cls(values, counts[:, [place[word] for word in values]], documents)

    def __add__(self, other: Self) -> Self:
        require_same_layout(self, self.documents.shape, other.documents.shape)
        values = tuple(sorted({*self.values, *other.values}))
        place = {value: i for i, value in enumerate(values)}
        weight = np.zeros((len(self.documents), len(values)))
        for part in (self, other):
            weight[:, [place[value] for value in part.values]] += part.weight
        return type(self)(values, weight, self.documents + other.documents)
