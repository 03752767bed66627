"""The most frequent words of texts, and how often they occur in each; scikit-learn decides what a word is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from novacula.statistics import Vocabulary
from novacula.table.chunk import Floats, Texts


@cache
def word_cutter() -> Callable[[str], list[str]]:
    """The function that cuts a text into words."""
    from sklearn.feature_extraction.text import CountVectorizer

    analyzer: Callable[[str], list[str]] = CountVectorizer().build_analyzer()
    return analyzer


def frequent_words(words: Vocabulary, most: int) -> tuple[str, ...]:
    """The words that occur most often in texts, in alphabetical order; ties go to the first.

    >>> frequent_words(Vocabulary(("link", "secret", "sports"), np.array([[1.0, 2.0, 1.0]]), np.array([2.0])), 1)
    ('secret',)
    """
    often = np.argsort(-words.weight[0], kind="stable")[:most]
    return tuple(words.values[place] for place in np.sort(often))


def count_words(texts: Texts, words: Sequence[str]) -> Floats:
    """How often each word occurs in each text (n, words); never in one that is missing."""
    if not words:
        return np.empty((len(texts), 0))
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(vocabulary=list(words)).transform([text or "" for text in texts])
    return np.asarray(counts.toarray(), np.float64)
