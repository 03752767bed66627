"""What a learner says about itself: hypothesis space, bias, search, what it takes, how it scales.

A card is written once, as a class attribute. People read it as text or in a notebook; `check_learner`, the
study and the base class read its fields, so that a claim such as "stream" is one that is tested.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from html import escape
from textwrap import wrap
from typing import Any, Literal, TypeAlias, get_args

from novacula.errors import ParameterError
from novacula.table.admission import Admits
from novacula.table.schema import KINDS, Kind, printable

Task: TypeAlias = Literal["classification", "regression", "clustering", "density", "transform", "inference", "sequence"]
Scale: TypeAlias = Literal["memory", "stream", "cluster"]
Uses: TypeAlias = Literal["reduce", "fold", "arrays"]
Need: TypeAlias = Literal["scaled", "full_rank", "measured"]

WIDTH = 100
WORDS = (
    "name",
    "summary",
    "hypothesis_space",
    "inductive_bias",
    "objective",
    "search",
    "noise",
    "missing",
    "unseen",
    "cost",
)
UNSPOKEN = ("name", "summary", "conjunctive", "counts", "in_studies")
"""Fields that are in the heading, or that other fields say in words."""


@dataclass(frozen=True)
class Extent:
    """What a path of sizes may depend on: rows, columns as the learner gets them, classes, the target's spread."""

    n_rows: int
    n_columns: int
    n_classes: int = 0
    target_spread: float = 1.0


FINITE = Admits()
Sizes: TypeAlias = tuple[Any, ...] | Callable[[Extent], tuple[Any, ...]]


@dataclass(frozen=True, kw_only=True)
class Card:
    """A learner in its own words, and in fields that a program can read."""

    name: str
    task: Task
    summary: str
    hypothesis_space: str
    inductive_bias: str
    objective: str
    search: str
    noise: str
    missing: str  # what happens to missing values, in words
    admits: Admits = FINITE  # which values its rows may hold, and how many classes there must be
    conjunctive: bool = False  # learns two classes, of which a conjunction of few values makes one; checks give it such
    counts: bool = False  # takes counts, of which none is negative; checks give it such
    unseen: str  # what happens to categories that were not there at fit, in words
    takes: tuple[Kind, ...]  # kinds of columns it takes as they are
    scales: tuple[Scale, ...] = ("memory",)
    uses: Uses  # how it goes through the data: in any order, in order, or as whole arrays
    cost: str  # time and memory to train, in words
    answer_cost: str = ""  # time to answer a row, in words
    interpretability: str = ""  # how well a person can read the fitted model, in words
    cost_exponents: Mapping[str, float] = field(default_factory=dict)  # {"n": 1, "d": 2} is n·d²
    needs: tuple[Need, ...] = ()  # columns of one scale; of which none is a sum of others; numbers that are no counts
    size: str | None = None  # the parameter that says how large a hypothesis may be
    sizes: Sizes = ()  # its values that a study tries, from the simplest hypotheses to the richest
    study_settings: Mapping[str, Any] = field(default_factory=dict)  # parameters that a study gives it
    in_studies: bool = True  # whether a study that names no learners tries this one
    log2_hypotheses: Callable[..., float] | None = None  # bits that name one hypothesis, where they are finitely many
    references: tuple[str, ...] = ()
    expected_failures: Mapping[str, str] = field(default_factory=dict)  # scikit-learn check: why it does not apply

    def __post_init__(self) -> None:
        for name in WORDS:
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise ParameterError(f"the card of {self.name!r} has no words for {name}")
        self._require_some_of("task", (self.task,), get_args(Task))
        self._require_some_of("takes", self.takes, [kind for kind in KINDS if kind != "ignored"])
        self._require_some_of("scales", self.scales, get_args(Scale))
        self._require_some_of("uses", (self.uses,), get_args(Uses))
        if self.needs:
            self._require_some_of("needs", self.needs, get_args(Need))
        if self.sizes and self.size is None:
            raise ParameterError(f"the card of {self.name!r} has sizes, but names no parameter for them in size")
        if self.uses == "arrays" and self.scales != ("memory",):
            raise ParameterError(f"the card of {self.name!r} uses arrays, so it scales to memory only")
        for symbol, exponent in self.cost_exponents.items():
            if not isinstance(symbol, str) or not math.isfinite(exponent):
                raise ParameterError(f"the card of {self.name!r} has {exponent!r} as the exponent of {symbol!r}")
        for check, reason in self.expected_failures.items():
            if not reason.strip():
                raise ParameterError(f"the card of {self.name!r} gives no reason why {check} does not apply")

    def _require_some_of(self, name: str, values: Sequence[str], choices: Sequence[str]) -> None:
        if isinstance(values, str) or not values:
            raise ParameterError(f"the card of {self.name!r} needs a tuple of some of {', '.join(choices)} for {name}")
        for value in values:
            if value not in choices:
                raise ParameterError(
                    f"the card of {self.name!r} has {value!r} for {name}, which is none of {', '.join(choices)}"
                )

    def size_path(self, extent: Extent) -> tuple[Any, ...]:
        """The sizes to try on such a table, from the simplest to the richest; empty where one size is all."""
        return tuple(self.sizes(extent)) if callable(self.sizes) else self.sizes

    def to_dict(self) -> dict[str, Any]:
        """The card as values that JSON can hold; a function is named by its parameters."""
        return {entry.name: _plain(getattr(self, entry.name)) for entry in fields(self)}

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Heading and words of each field that has something to say, its name left out."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name not in UNSPOKEN and value not in (None, (), {}):
                yield entry.name.replace("_", " "), printable(_words(value))

    def __str__(self) -> str:
        indent = " " * (2 + max(len(heading) for heading, _ in self._lines()))
        lines = [printable(self.name), *wrap(printable(self.summary), WIDTH), ""]
        for heading, words in self._lines():
            lines += wrap(words, WIDTH, initial_indent=heading.ljust(len(indent)), subsequent_indent=indent)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = (
            f'<tr><th scope="row">{escape(heading)}</th><td>{escape(words)}</td></tr>'
            for heading, words in self._lines()
        )
        caption = f"<caption>{escape(printable(self.name))}: {escape(printable(self.summary))}</caption>"
        body = f"{caption}<tbody>{''.join(rows)}</tbody>"
        return f'<table class="nv-card tex2jax_ignore mathjax_ignore">{body}</table>'


def _parameters(function: Callable[..., float]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _plain(value: Any) -> Any:
    if callable(value):
        return _parameters(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Admits):
        return asdict(value)
    return dict(value) if isinstance(value, Mapping) else value


def _words(value: Any) -> str:
    if callable(value):
        return f"a function of {', '.join(_parameters(value))}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {words}" for key, words in value.items())
    if isinstance(value, Admits):
        return value.words()
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
