"""Naive Bayes by every distribution, of text and sparse rows, and committees of hypotheses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_matrix

from novacula.baseline import PluralityClassifier
from novacula.bayes import BayesOptimalClassifier, GibbsClassifier, NaiveBayes, TextNaiveBayes
from novacula.checks.samples import sample
from novacula.tree import DecisionTreeClassifier

MESSAGES = ["secret link", "play sports today", "sports is secret", None, "link link click", "was play sports"]
LABELS = ["spam", "ham", "ham", "ham", "spam", "ham"]


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    random = np.random.default_rng(0)
    data, gaps = sample(NaiveBayes.card, n=40), sample(NaiveBayes.card, n=40, missing=True)
    yield "naive-bayes-gaps", NaiveBayes(m=0.0, prior_estimate="empirical"), gaps.X, gaps.target
    counts, three = random.poisson(2.0, (30, 3)).astype(float), random.integers(0, 3, 30)
    for distribution in ("gaussian", "bernoulli", "multinomial", "poisson", "kernel"):
        yield f"naive-bayes-{distribution}", NaiveBayes(distributions=distribution), counts, three
    yield "naive-bayes-mixed", NaiveBayes(distributions={0: "kernel", 1: "poisson"}), counts, three
    yield "naive-bayes-prior", NaiveBayes(class_prior=[0.2, 0.3, 0.5]), counts, three
    yield "naive-bayes-sparse", NaiveBayes(), csr_matrix(counts), three
    yield "naive-bayes-sparse-there", NaiveBayes(distributions="bernoulli"), csr_matrix(counts), three
    yield "text-messages", TextNaiveBayes(ngram_range=(1, 2), stop_words=["is", "was"]), MESSAGES, LABELS
    yield "text-there", TextNaiveBayes(model="bernoulli", token_pattern=r"[a-z]{2,}"), MESSAGES, LABELS
    long = [
        message and f"{message} was written by number {i}" for i, message in enumerate(5 * MESSAGES)
    ]  # read as text
    mixed = pa.table({"text": long, "other": long[::-1], "n": 5 * [1.0, 2.0, 3.0, None, 5.0, 6.0]})
    yield "text-mixed", TextNaiveBayes(stop_words="english"), mixed, 5 * LABELS
    members = {"tree": DecisionTreeClassifier(max_depth=2), "bayes": NaiveBayes(), 3: PluralityClassifier()}
    yield "committee", BayesOptimalClassifier(members, prior={"tree": 0.5, "bayes": 0.25, 3: 0.25}), counts, three
    yield "committee-drawn", GibbsClassifier(members), data.X, data.target
