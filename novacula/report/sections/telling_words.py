"""The words that speak most for each class, or for a larger number, where the chosen model reads texts.

The model is asked about texts of a single word and about an empty one, so that this holds for any model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.errors import DataError
from novacula.evaluate.loss import Floats
from novacula.explain.answers import answers_of
from novacula.explain.rows import SeenRows, said_once, seen_rows
from novacula.report.blocks import Block, Paragraph, TableBlock
from novacula.report.mattering import PATIENCE
from novacula.report.reading import Reading
from novacula.study.question import subsample
from novacula.table.names import name_of
from novacula.table.time_limit import TimeLimitError

WORD = re.compile(r"\b\w\w+\b")
TEXTS, WORDS = 5000, 1000
"""Texts in which words are looked for, and the most frequent words that are asked about."""
FEWEST = 3
"""Texts that must hold a word."""
NAMED, MANY = 10, 12
"""Words of a class that are shown, and classes that have a line."""
LEAST = 1e-12
"""The smallest probability whose logarithm is taken."""


def telling_words(reading: Reading) -> Iterator[Block]:
    """A table for each column of words."""
    rows, _ = reading.asked
    names = [column.name for column in reading.model.schema_.features if column.kind == "text"]
    if not names or not reading.allows(WORDS * reading.seconds_per_row, PATIENCE):
        return
    others = ", the other columns as in the first row" if len(reading.model.schema_.features) > 1 else ""
    seen = seen_rows(reading.model, subsample(rows, TEXTS, reading.question.seed).X)
    for name in names:
        words = frequent_words(seen.values(seen.names.index(name)))
        try:
            with reading.limited(PATIENCE):
                raised = rises(reading.model, seen, name, words)
        except (DataError, TimeLimitError):
            continue
        lines = tuple(_lines(reading.model, words, raised))
        if not lines:
            continue
        yield Paragraph(
            f"The words of {name_of(name)} that speak most for each answer: of {len(words):,} words, each as a text of "
            f"its own and compared with an empty text{others}."
        )
        yield TableBlock(("for", "words, the strongest first"), lines, f"What words of {name_of(name)} say", 400)


def frequent_words(texts: Any) -> list[str]:
    """The words that most texts hold, the most frequent first."""
    count = Counter(word for text in texts if text is not None for word in set(WORD.findall(text.lower())))
    return [word for word, times in count.most_common(WORDS) if times >= FEWEST]


def rises(model: Any, seen: SeenRows, name: str, words: list[str]) -> Floats:
    """By how much each word raises each answer (words, k): log odds of probabilities, else what the model gives."""
    answers = answers_of(model)
    texts = np.array(["", *words], object)
    asked = seen.take(np.zeros(len(texts), np.intp)).with_values(seen.names.index(name), texts)
    with said_once():
        said = answers(asked)
    if answers.scale == "probability":
        share = said.clip(LEAST, 1.0 - LEAST)
        said = np.log(share) - np.log(1.0 - share)
    return np.asarray(said[1:] - said[0])


def _lines(model: Any, words: list[str], raised: Floats) -> Iterator[tuple[str, str]]:
    """What is spoken for, and the words that do."""
    if not hasattr(model, "classes_"):
        spoken = {"a larger number": raised[:, 0], "a smaller number": -raised[:, 0]}
    elif raised.shape[1] == 1:
        spoken = dict(zip(map(name_of, model.classes_.tolist()), (-raised[:, 0], raised[:, 0]), strict=True))
    else:
        spoken = dict(zip(map(name_of, model.classes_.tolist()), raised.T, strict=True))
    for what, by in list(spoken.items())[:MANY]:
        order = [k for k in np.argsort(-by, kind="stable")[:NAMED] if by[k] > 0.0]
        if order:
            yield what, ", ".join(words[k] for k in order)
