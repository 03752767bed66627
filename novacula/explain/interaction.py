"""How far columns act together: Friedman and Popescu's H², of what two columns do the share that neither does alone.

    H²_jk = Σ_i (F_jk(x_i) − F_j(x_i) − F_k(x_i))² / Σ_i F_jk(x_i)²
    H²_j  = Σ_i (f(x_i) − F_j(x_i) − F_∖j(x_i))² / Σ_i f(x_i)²

F are partial dependences at the rows of a sample, over the rows of the sample, each less its mean. Where two columns do
next to nothing, the denominator is noise and so is H²: it is left out then, and the strength, the root of the mean
square of what is joint, in units of the answers, is given beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from novacula.arguments import whole_number
from novacula.errors import ParameterError
from novacula.evaluate.loss import Floats
from novacula.explain.answers import BLOCK, SeenAnswers, answers_of
from novacula.explain.derivation.interaction import derive_interaction
from novacula.explain.result import SeenResult
from novacula.explain.rows import SeenRows, column_places, said_once, sample_words, sampled, seen_rows
from novacula.learner.derivation import cut_table
from novacula.learner.figure import Figure, bar_figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Work, WorkTable
from novacula.words import shortened

WEAK = 1e-3
"""Of a pair that moves the answers by less than this share of their variance, H² is not told."""
DRAWN = 15


@dataclass(frozen=True, eq=False)
class Interaction(SeenResult):
    """What m columns do with all others, and pairs of them together; squares of several classes are added up."""

    names: tuple[str, ...]  # of the columns that were looked at
    pairs: tuple[tuple[int, int], ...]  # places in `names`
    joint: Floats  # (pairs,) the sum of squares of what is joint
    moved: Floats  # (pairs,) the sum of squares of what the pair does
    joint_with_rest: Floats  # (m,)
    spread: float  # the sum of squares of the answers, each less its mean
    scale: str
    n_asked: int  # predictions it took
    sample: int
    n_rows: int

    @property
    def h2(self) -> Floats:
        """H² of each pair; NaN where the pair does too little to tell."""
        return _shares(self.joint, self.moved, WEAK * self.spread)

    @property
    def h2_with_rest(self) -> Floats:
        """H² of each column with all others; NaN where the answers are all the same."""
        return _shares(self.joint_with_rest, np.full(len(self.names), self.spread), 0.0)

    @property
    def strength(self) -> Floats:
        """The root mean square of what each pair does together, in units of the answers."""
        return np.sqrt(self.joint / self.sample)

    @property
    def order(self) -> list[int]:
        """The pairs, the strongest first."""
        return np.argsort(-self.joint, kind="stable").tolist()

    def pair_name(self, p: int) -> str:
        """Both columns of a pair."""
        a, b = self.pairs[p]
        return f"{shortened(self.names[a], 20)} × {shortened(self.names[b], 20)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers rest on, and which are left out."""
        words = f"Measured on {sample_words(self.sample, self.n_rows)}, with {self.n_asked:,} predictions."
        if np.isnan(self.h2).any():
            weak = f"H² is left out of pairs that move the {self.scale} by less than {WEAK:.1%} of its variance."
            return words, weak
        return (words,)

    def table(self) -> WorkTable:
        """Each column with all others, and the pairs, the strongest first."""
        with_rest: list[tuple[Cell, ...]] = [
            (f"{shortened(self.names[j])} × all others", _told(self.h2_with_rest[j]), float(s))
            for j, s in enumerate(np.sqrt(self.joint_with_rest / self.sample))
        ]
        rows = [(self.pair_name(p), _told(self.h2[p]), float(self.strength[p])) for p in self.order]
        header = ("columns", "H²", f"joint part of the {self.scale}, root mean square")
        return cut_table(header, [*with_rest, *rows], len(rows) + len(with_rest), most=60)

    def figure(self) -> Figure:
        """The strongest pairs, by what they do together."""
        shown = self.order[:DRAWN]
        labels = [self.pair_name(p) for p in shown] or [f"{shortened(name)} × all others" for name in self.names]
        values = self.strength[shown] if shown else np.sqrt(self.joint_with_rest / self.sample)
        xlabel = f"joint part of the {self.scale}, root mean square"
        return bar_figure(labels, values, title="What columns do together", xlabel=xlabel)

    def _derive(self, options: WorkOptions) -> Work:
        return derive_interaction(self, options)


def _shares(joint: Floats, whole: Floats, least: float) -> Floats:
    """Shares of sums of squares; NaN where the whole is none, or too little."""
    enough = (whole > 0.0) & (whole >= least)
    return np.divide(joint, whole, out=np.full(len(joint), np.nan), where=enough)


def _told(share: float) -> Cell:
    return "–" if np.isnan(share) else float(share)


def interaction(
    model: Any, X: Any, columns: Any = None, *, most: int = 8, rows: int = 50, random_state: Any = 0
) -> Interaction:
    """Give H² of each column with all others, and of pairs of the columns that move the answers most.

    It asks the model about every pair of rows of a sample, for each column and each pair of columns: `columns` and
    `most` say of which, `rows` how large the sample is.

    >>> import numpy as np
    >>> from novacula.linear import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> result = interaction(LinearRegression().fit(X, X @ [1.0, 2.0, 3.0]), X)
    >>> float(result.h2.max().round(9)), result.n_asked
    (0.0, 22550)
    """
    part, n_rows = sampled(X, whole_number(rows, "rows", 2), random_state)
    answers, seen = answers_of(model), seen_rows(model, part)
    if len(seen) < 2:
        raise ParameterError("one row says nothing about what columns do together: give at least two")
    if len(seen.names) < 2:
        raise ParameterError("the model has one column, which has no other to act together with")
    whole_number(most, "most", 2)
    places = column_places(seen, columns)
    said = answers(seen)
    with said_once():
        return _measured_pairs(Asking(answers, seen), places, said, most, n_rows)


@dataclass(eq=False)
class Asking:
    """Asks a model for partial dependences at the rows of a sample, and counts its predictions."""

    answers: SeenAnswers
    rows: SeenRows
    count: int = 0

    def dependence_on(self, held: list[int]) -> Floats:
        """The partial dependence on some columns at each row, less its mean (n, k)."""
        n, own = len(self.rows), np.zeros(len(self.rows.names), bool)
        own[held] = True
        at_once = max(1, BLOCK // n)
        means = [self._means(np.arange(i, min(i + at_once, n)), own) for i in range(0, n, at_once)]
        return centred(np.concatenate(means))

    def _means(self, points: Any, own: Any) -> Floats:
        n = len(self.rows)
        mixed = self.rows.mixed(self.rows, np.repeat(points, n), np.tile(np.arange(n), len(points)), own)
        self.count += len(mixed)
        return np.asarray(self.answers(mixed).reshape(len(points), n, -1).mean(axis=1))


def centred(values: Floats) -> Floats:
    """Values less their mean; what rounding leaves of a constant is 0."""
    gaps = values - values.mean(axis=0)
    gaps[np.abs(gaps) < 1e-13 * np.maximum(np.abs(values).max(axis=0), 1e-300)] = 0.0
    return np.asarray(gaps)


def _measured_pairs(asking: Asking, places: list[int], said: Floats, most: int, n_rows: int) -> Interaction:
    d, f = len(asking.rows.names), centred(said)
    alone = {j: asking.dependence_on([j]) for j in places}
    rest = {j: asking.dependence_on([c for c in range(d) if c != j]) for j in places}
    with_rest = np.array([_squares(f - alone[j] - rest[j], f) for j in places])
    effect = np.array([float((alone[j] ** 2).sum()) + with_rest[i] for i, j in enumerate(places)])
    strongest = sorted(np.argsort(-effect, kind="stable")[:most].tolist())
    pairs = tuple(combinations(strongest, 2))
    together = [asking.dependence_on([places[a], places[b]]) for a, b in pairs]
    joint = [
        _squares(both - alone[places[a]] - alone[places[b]], f)
        for both, (a, b) in zip(together, pairs, strict=True)
    ]  # fmt: skip
    return Interaction(
        tuple(asking.rows.names[j] for j in places), pairs, np.array(joint),
        np.array([float((both**2).sum()) for both in together]), with_rest, float((f**2).sum()),
        asking.answers.scale, asking.count + len(said), len(said), n_rows,
    )  # fmt: skip


def _squares(gap: Floats, answers: Floats) -> float:
    """A sum of squares; what rounding leaves of answers that cancel is 0."""
    total = float((gap**2).sum())
    return total if total > 1e-24 * max(float((answers**2).sum()), 1e-300) else 0.0
