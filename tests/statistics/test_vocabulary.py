"""Vocabulary against counting by hand and scikit-learn's vectoriser."""

from collections import Counter
from functools import partial

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from novacula.statistics import Vocabulary

MESSAGES = [
    "offer is secret",
    "click secret link",
    "secret sports link, secret",
    "play sports today",
    None,
    "went play sports",
    "",
]
SPAM = np.array([1, 1, 1, 0, 0, 0, 0], np.int32)


@pytest.mark.parametrize("presence", [False, True])
def test_equals_counting(chunk_of, presence):
    weight = [1.0, 2.0, 0.5, 1.0, 9.0, 3.0, 2.0]
    chunk = chunk_of(weight=weight, text=(MESSAGES,), target=SPAM)
    seen = Vocabulary.observe_words(chunk, 2, 0, str.split, presence)
    counter = Counter()
    for message, k, w in zip(MESSAGES, SPAM, weight, strict=True):
        words = (message or "").split()
        for word in set(words) if presence else words:
            counter[k, word] += w
    assert seen.values == tuple(sorted({word for _, word in counter}))
    assert seen.weight.tolist() == [[counter[k, word] for word in seen.values] for k in range(2)]
    assert seen.documents.tolist() == [6.0, 3.5]  # the missing text is no document, the empty one is


@pytest.mark.parametrize("binary", [False, True])
def test_equals_the_vectoriser_whose_analyzer_it_uses(chunk_of, binary):
    texts = [message for message in MESSAGES if message is not None]
    vectoriser = CountVectorizer(ngram_range=(1, 2), binary=binary)
    totals = vectoriser.fit_transform(texts).sum(axis=0)
    analyzer = CountVectorizer(ngram_range=(1, 2)).build_analyzer()
    observe = partial(Vocabulary.observe_words, n_classes=1, column=0, analyzer=analyzer, presence=binary)
    seen = observe(chunk_of(text=(texts[:2],))) + observe(chunk_of(text=(texts[2:],)))
    assert seen.values == tuple(vectoriser.get_feature_names_out())
    assert seen.weight.tolist() == np.asarray(totals).tolist()


def test_no_words(chunk_of):
    seen = Vocabulary.observe_words(chunk_of(text=(["", None],)), 1, 0, str.split)
    assert (seen.values, seen.weight.shape, seen.documents.tolist()) == ((), (1, 0), [1.0])


def test_a_text_without_weight_brings_no_words(chunk_of):
    seen = Vocabulary.observe_words(chunk_of(weight=[0.0, 1.0], text=(["rare", "common"],)), 1, 0, str.split)
    assert seen.values == ("common",)
