"""How a message is cut into words, and which patterns of words a model file holds.

A pattern is run by an engine that backtracks, and some patterns make it try more ways than there are atoms. So a file
holds only patterns whose time is linear in the text, for any text:

    characters one by one    x, \\., \\w, [a-z], ., each perhaps repeated: ?, {2}, {1,3}
    at the end               one repeat without a limit: *, +, {2,}
    before it all            (?u), \\b
    after it all             \\b, if the last repeat has a limit, or is one of \\w, which ends at such a boundary anyway

An attempt to match then has a bounded number of ways to begin, and the repeat at the end takes what it can and is done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from novacula.errors import ParameterError
from novacula.state import Form, Scope, State, StateError, each, flag, nullable, one_of, parts, text, whole, word
from novacula.words import quoted

MAX_NGRAM = 32
"""Words of the longest n-gram."""
MAX_STOP_WORDS = 100_000
MAX_PATTERN = 100
"""Characters of a pattern in a model file, and of a text that its repeats with limits can take."""
MAX_WAYS = 50
"""Ways in which the repeats of such a pattern can share the characters of a text."""

_ESCAPED = r"\\(?:[wWdDsStnrfv]|[^\w\s])"
_CHARACTER = rf"{_ESCAPED}|\[\^?(?:[^\\\[\]]|{_ESCAPED})+\]|[^\\\[\]().?*+{{}}|^$]|\."
_ITEM = re.compile(rf"({_CHARACTER})([?*+]|\{{[0-9]+(?:,[0-9]*)?\}})?")


@lru_cache(maxsize=64)
def is_linear(pattern: str) -> bool:
    """Whether a pattern is one whose matches are found in time linear in the text.

    >>> is_linear(r"(?u)\\b\\w\\w+\\b"), is_linear("[a-z]{2,}"), is_linear("(a+)+$"), is_linear(r"\\w+x")
    (True, True, False, False)
    """
    if len(pattern) > MAX_PATTERN:
        return False
    body = pattern.removeprefix("(?u)").removeprefix(r"\b")
    ends_at_boundary = body.endswith(r"\b") and not body.endswith(r"\\b")
    body = body[:-2] if ends_at_boundary else body
    at, ways, length, endless = 0, 1, 0, ""
    while at < len(body):
        found = _ITEM.match(body, at)
        if found is None or endless:  # what a repeat without a limit took may have to be given back to what follows
            return False
        least, most = _limits(found[2])
        endless = found[1] if most is None else ""
        ways *= 1 if most is None else max(most - least + 1, 1)
        length += least if most is None else most
        at = found.end()
    bounded = len(body) > 0 and ways <= MAX_WAYS and length <= MAX_PATTERN
    return bounded and endless in ("", r"\w" if ends_at_boundary else endless) and _compiles(pattern)


def _limits(repeat: str | None) -> tuple[int, int | None]:
    """How often an item occurs: at least, and at most, where there is a limit."""
    match repeat:
        case None:
            return 1, 1
        case "?":
            return 0, 1
        case "*" | "+":
            return int(repeat == "+"), None
    least, comma, most = repeat[1:-1].partition(",")
    return int(least), int(most or least) if most or not comma else None


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError):
        return False
    return True


def linear_words(pattern: str) -> str:
    """A sentence about a pattern that a model file does not hold."""
    fault = "may hang" if _compiles(pattern) else "is no regular expression"
    return (
        rf"the token_pattern {quoted(pattern)} {fault}: model files hold characters such as \w or [a-z], repeated up "
        r"to a limit, without one only at the end"
    )


@dataclass(frozen=True)
class LinearPatternForm(Form):
    """A pattern whose time is linear in the text."""

    def check(self, value: Any, where: str, scope: Scope) -> None:
        """Text of the subset."""
        if not isinstance(value, str):
            raise self.refuse(value, where)
        if not is_linear(value):
            raise StateError(f"{where} is refused, since {linear_words(value)}")

    def words(self) -> str:
        """The noun."""
        return "a pattern that matches in linear time"

    def forgeries(self, value: Any, random: np.random.Generator) -> list[Any]:
        """Patterns that hang, that are none, and others that are allowed."""
        return [*super().forgeries(value, random), "(a+)+$", r"\w+x", "(", "", r"\w*", "[a-z]{1,3}", r"(\w)(\w)"]


@dataclass(frozen=True, slots=True)
class Tokenization:
    """How a message is cut into words: parameters of scikit-learn's CountVectorizer."""

    state: ClassVar[State] = {
        "lowercase": flag(),
        "ngram_range": parts(whole(least=1, most=MAX_NGRAM), whole(least=1, most=MAX_NGRAM)),
        "stop_words": nullable(one_of(word("english"), each(text()))),
        "token_pattern": LinearPatternForm(),
    }

    lowercase: bool = True
    ngram_range: tuple[int, int] = (1, 1)
    stop_words: str | tuple[str, ...] | None = None
    token_pattern: str = r"(?u)\b\w\w+\b"

    def __post_init__(self) -> None:
        low, high = self.ngram_range
        if not 1 <= low <= high <= MAX_NGRAM:
            raise ParameterError(
                f"ngram_range is ({low}, {high}); it must be two whole numbers from 1 to {MAX_NGRAM}, the smaller first"
            )
        stop = self.stop_words
        if isinstance(stop, str) and stop != "english":
            raise ParameterError(f"stop_words is {quoted(stop)}; it must be 'english', a list of words, or None")
        if isinstance(stop, tuple) and (len(stop) > MAX_STOP_WORDS or not all(isinstance(one, str) for one in stop)):
            raise ParameterError(f"stop_words must be at most {MAX_STOP_WORDS:,} words, each of them text")

    def vectorizer(self, vocabulary: dict[str, int] | None = None) -> Any:
        """A vectoriser with these settings."""
        from sklearn.feature_extraction.text import CountVectorizer

        stop = list(self.stop_words) if isinstance(self.stop_words, tuple) else self.stop_words
        return CountVectorizer(
            lowercase=self.lowercase,
            ngram_range=self.ngram_range,
            stop_words=stop,
            token_pattern=self.token_pattern,
            vocabulary=vocabulary,
            dtype=np.float64,
        )
