"""Naive Bayes on texts: a bag of words, multinomial or bernoulli, that can say which words spoke for a class."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from novacula.bayes.distributions import Smoothing, Tokenization
from novacula.bayes.distributions.bag import Bag, bag_totals
from novacula.bayes.distributions.categorical import pseudo
from novacula.bayes.distributions.counts import BernoulliPart
from novacula.bayes.distributions.tokenization import is_linear, linear_words
from novacula.bayes.naive_bayes import NaiveBayes
from novacula.errors import InputTypeError, ModelFileError, ParameterError, SchemaError
from novacula.learner.card import Card
from novacula.table import Schema, Table
from novacula.table.schema import printable
from novacula.words import quoted

COLUMN = "text"


class TextNaiveBayes(NaiveBayes):
    """Naive Bayes for a sequence of texts; frames and tables with text columns are taken as well.

    Parameters
    ----------
    m : float or "laplace", default="laplace"
        Weight of the prior estimate; "laplace" adds one to the count of each word of the vocabulary.
    model : {"multinomial", "bernoulli"}, default="multinomial"
        Whether a word counts as often as it occurs in a message, or once.
    lowercase, ngram_range, stop_words, token_pattern
        How a message is cut into words, as in scikit-learn's CountVectorizer. N-grams are of at most 32 words. A model
        is saved only if matches of its pattern are found in time linear in the text: see `save`.
    prior_estimate, distributions, class_prior, var_smoothing, unseen
        As in `NaiveBayes`.

    Examples
    --------
    >>> import novacula as nv
    >>> from novacula.bayes import TextNaiveBayes
    >>> model = TextNaiveBayes(m=0).fit(nv.datasets.load("spam_messages"))
    >>> model.predict_proba(["secret", "sports"]).round(2).tolist()
    [[0.25, 0.75], [0.75, 0.25]]
    >>> [word for word, _ in TextNaiveBayes().fit(nv.datasets.load("spam_messages")).most_telling("spam", 2)]
    ['link', 'secret']
    """

    card: ClassVar[Card] = replace(NaiveBayes.card, in_studies=False)  # naive Bayes takes columns of text as well
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NaiveBayes._parameter_constraints,
        "model": [StrOptions({"multinomial", "bernoulli"})],
        "lowercase": ["boolean"],
        "ngram_range": [tuple, list],
        "stop_words": [str, "array-like", None],
        "token_pattern": [str],
    }

    def __init__(
        self,
        m: float | str = "laplace",
        model: str = "multinomial",
        lowercase: bool = True,
        ngram_range: tuple[int, int] = (1, 1),
        stop_words: Any = None,
        token_pattern: str = r"(?u)\b\w\w+\b",
        prior_estimate: str | float | Mapping[str, Any] = "uniform",
        distributions: str | Mapping[Any, str] = "auto",
        class_prior: Any = None,
        var_smoothing: float = 1e-9,
        unseen: str = "ignore",
    ) -> None:
        super().__init__(m, prior_estimate, distributions, class_prior, var_smoothing, unseen)
        self.model = model
        self.lowercase = lowercase
        self.ngram_range = ngram_range
        self.stop_words = stop_words
        self.token_pattern = token_pattern

    def _words(self) -> Tokenization:
        require_pattern(self.token_pattern)
        if len(self.ngram_range) != 2 or not all(isinstance(n, Integral) for n in self.ngram_range):
            raise ParameterError(f"ngram_range is {quoted(self.ngram_range)}; it must be two whole numbers")
        stop = self.stop_words
        return Tokenization(
            self.lowercase,
            (int(self.ngram_range[0]), int(self.ngram_range[1])),
            stop if stop is None or isinstance(stop, str) else tuple(stop),
            self.token_pattern,
        )

    def _check_storable(self) -> None:
        """Refuse patterns that could hang: those of the parameters, and of a fit before these were set."""
        for pattern in (self.token_pattern, *(group.words.token_pattern for group in getattr(self, "groups_", ()))):
            if not is_linear(pattern):
                raise ModelFileError(linear_words(pattern))

    def _ingest(self, X: Any, y: Any, sample_weight: Any, **how: Any) -> Table:
        table = super()._ingest(text_frame(X), y, sample_weight, **how)
        return table.with_types({COLUMN: "text"}) if is_texts(X) else table

    def _query(self, X: Any, unseen: str = "ignore", shown: bool = False) -> Table:
        check_is_fitted(self)
        texts = self.schema_.of_kind("text")
        return super()._query(text_frame(X, texts[0].name if len(texts) == 1 else COLUMN), unseen, shown)

    def _distributions(self, layout: Schema) -> dict[str, str]:
        """As `distributions` says; columns of text follow `model` where it says nothing."""
        asked = super()._distributions(layout)
        stated = self.distributions if isinstance(self.distributions, Mapping) else {}
        return asked | {c.name: self.model for c in layout.of_kind("text") if c.name not in stated}

    # --- which words spoke -------------------------------------------------------------------------------------

    def most_telling(self, class_: Any, n: int = 10) -> list[tuple[str, float]]:
        """The n words that speak most for a class, with ln P(w | class) − ln P(w | other classes)."""
        check_is_fitted(self)
        bag, k = self._bag(), self._class_index(class_)
        odds = self._log_odds(k)
        order = np.argsort(-odds, kind="stable")[:n]
        return [(bag.entry(int(v)), float(odds[v])) for v in order]

    def explain(self, message: str) -> WordEvidence:
        """What each word of a message says for the class that it is given."""
        check_is_fitted(self)
        if not isinstance(message, str):
            raise InputTypeError(f"explain takes one message, not {type(message).__name__}")
        probabilities = self.predict_proba([message])[0]
        k = int(np.argmax(probabilities))
        bag = self._bag()
        place = {word: v for v, word in enumerate(bag.entries or ())}
        odds = self._log_odds(k)
        analyzer = bag.group.words.vectorizer().build_analyzer()
        found = {word: float(odds[place[word]]) for word in analyzer(message) if word in place}
        return WordEvidence(message, str(self.classes_[k]), float(probabilities[k]), found, bag.group.words)

    def _bag(self) -> Bag:
        bags = [part for part in self.parts_ if isinstance(part, Bag) and part.group.kind == "text"]
        if len(bags) != 1:
            raise SchemaError(f"the model has {len(bags)} text columns; words have log-odds where there is one")
        return bags[0]

    def _class_index(self, class_: Any) -> int:
        found = np.flatnonzero(self.classes_ == class_)
        if not len(found):
            raise ParameterError(f"there is no class {class_!r}; there are {', '.join(map(str, self.classes_))}")
        return int(found[0])

    def _log_odds(self, k: int) -> Any:
        """ln P(w | class k) − ln P(w | the other classes taken together), by the same estimates."""
        bag = self._bag()
        place = self.parts_.index(bag)
        statistic: Any = self.statistic_.parts[1 + place]
        mine, theirs = (_shares(bag, statistic, rows, self._smoothing()) for rows in _sides(len(self.classes_), k))
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.log(mine) - np.log(theirs)
        return np.where(np.isnan(odds), 0.0, odds)


def _sides(n_classes: int, k: int) -> tuple[list[int], list[int]]:
    return [k], [other for other in range(n_classes) if other != k] or [k]


def _shares(bag: Bag, statistic: Any, rows: list[int], smoothing: Smoothing) -> Any:
    """The estimates for some classes taken together."""
    if isinstance(bag, BernoulliPart):
        there, known, _ = bag.tallies(statistic, bag.group)
        m = smoothing.pseudo_count(2)
        total = known[rows].sum(axis=0) + m
        with np.errstate(invalid="ignore"):
            return (there[rows].sum(axis=0) + m * bag.prior_share(there, known, smoothing)) / total
    counts = bag_totals(statistic, bag.group)[0]
    m, p = pseudo(counts, smoothing)
    together = counts[rows].sum(axis=0)
    with np.errstate(invalid="ignore"):
        return (together + m * p) / (together.sum() + m)


def require_pattern(pattern: str) -> None:
    """Refuse a pattern that cannot be read, or that says in two ways what a word is."""
    try:
        groups = re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise ParameterError(f"token_pattern is {quoted(pattern)}, which is not a pattern: {error}") from None
    if groups > 1:
        raise ParameterError(f"token_pattern is {quoted(pattern)}; it may have one group in parentheses, not {groups}")


def is_texts(X: Any) -> bool:
    """Whether X is a plain sequence of strings."""
    if isinstance(X, (str, bytes)) or hasattr(X, "columns") or isinstance(X, Table):
        return False
    values = X if isinstance(X, (list, tuple)) else list(X) if getattr(X, "ndim", 0) == 1 else []
    return bool(values) and all(isinstance(value, str) or value is None for value in values)


def text_frame(X: Any, name: str = COLUMN) -> Any:
    """A sequence of strings as a frame of one column; anything else as it is."""
    if isinstance(X, str):
        raise InputTypeError("one string is not a sequence of texts: put it in a list")
    if not is_texts(X):
        return X
    import pyarrow as pa

    return pa.table({name: pa.array(list(X), pa.string())})


@dataclass(frozen=True)
class WordEvidence:
    """The words of a message that the model knows, each with its log-odds for the class that was predicted."""

    message: str
    class_: str
    probability: float
    words: Mapping[str, float]
    cut: Tokenization

    def __str__(self) -> str:
        head = f"{printable(self.message)}\n{printable(self.class_)} ({self.probability:.4f})"
        ranked = sorted(self.words.items(), key=lambda pair: -abs(pair[1]))
        width = max((len(word) for word, _ in ranked), default=0)
        return "\n".join([head, *(f"  {printable(word):<{width}}  {odds:+.3f}" for word, odds in ranked)])

    def _repr_html_(self) -> str:
        """The message with its words shaded by what they say: blue for the class, orange against it."""
        pieces, end = [], 0
        for match in re.finditer(self.cut.token_pattern, self.message):
            word = match.group().lower() if self.cut.lowercase else match.group()
            pieces.append(escape(self.message[end : match.start()]))
            pieces.append(self._shaded(match.group(), self.words.get(word)))
            end = match.end()
        body = "".join([*pieces, escape(self.message[end:])])
        return f"<p>{body} → <b>{escape(self.class_)}</b> ({self.probability:.4f})</p>"

    def _shaded(self, word: str, odds: float | None) -> str:
        if odds is None:
            return escape(word)
        strength = 1.0 if np.isinf(odds) else min(abs(odds) / 4.0, 1.0)
        colour = "0,114,178" if odds > 0 else "213,94,0"
        title = f"{odds:+.3f}"
        return f'<span style="background:rgba({colour},{0.45 * strength:.2f})" title="{title}">{escape(word)}</span>'
