"""The most frequent words of texts, and how often they stand in each: scikit-learn's idea of what a word is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from novacula.table.chunk import Floats, Texts


def frequent_words(texts: Texts, most: int) -> tuple[str, ...]:
    """The words that stand most often in some texts, by the alphabet; none where there are none.

    >>> frequent_words(np.array(["a secret link", "secret sports", None], dtype=object), 1)
    ('secret',)
    """
    from sklearn.feature_extraction.text import CountVectorizer

    written = [text for text in texts if text]
    try:
        return tuple(CountVectorizer(max_features=most).fit(written).get_feature_names_out().tolist())
    except ValueError:  # no text has a word in it
        return ()


def count_words(texts: Texts, words: Sequence[str]) -> Floats:
    """How often each word stands in each text (n, words); never in one that is missing."""
    if not words:
        return np.empty((len(texts), 0))
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(vocabulary=list(words)).transform([text or "" for text in texts])
    return np.asarray(counts.toarray(), np.float64)
