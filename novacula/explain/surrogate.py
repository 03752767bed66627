"""A small tree that says nearly what a model says: Ockham's answer to a model that is hard to read.

The rows are parted: trees of growing size are fitted to what the model says of one part, and compared with it on the
other. The smallest that agrees often enough is taken; for numbers the share of the variance that it explains counts.

    agreement = 1/n Σ [tree(xᵢ) = model(xᵢ)],      R² = 1 − Σ (tree(xᵢ) − model(xᵢ))² / Σ (model(xᵢ) − mean)²
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from novacula.arguments import proportion, whole_number
from novacula.errors import DataError, ParameterError
from novacula.evaluate.intervals import Interval, proportion_interval
from novacula.evaluate.loss import Floats, differ
from novacula.explain.answers import says_classes
from novacula.explain.derivation.surrogate import derive_surrogate
from novacula.explain.result import SeenResult
from novacula.explain.rows import SeenRows, said_once, sampled, seen_rows
from novacula.learner.figure import Figure
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Work, WorkTable
from novacula.words import counted

HELD_OUT = 0.3
"""The share of the rows on which trees are compared with the model."""
STEP = 1.35
"""By what sizes grow, until one is large enough."""


LEAF_WORDS = {
    True: "In brackets behind an answer are the rows of its leaf and how many of them it is wrong about; a row whose "
    "value is missing goes down several branches, a part of it each.",
    False: "In brackets behind an answer are the rows of its leaf and how far they are spread around it.",
}
"""What the numbers at the leaves of a tree for classes are, and of one for numbers."""


@dataclass(frozen=True, eq=False)
class Surrogate(SeenResult):
    """The tree, and how far it agrees with the model on rows that it was not grown on."""

    tree: Any
    agreement: float  # that was asked for
    fidelity: float  # that was found
    interval: Interval  # 95%, over rows
    is_classes: bool
    agrees: Floats  # (n,) of classes whether tree and model say the same; of numbers squared differences
    spread: Floats  # (n,) of numbers the squared distance of the model's answers from their mean
    sizes: tuple[int, ...]  # leaves of the trees that were compared
    fidelities: tuple[float, ...]
    n_grown: int  # rows that it was grown on
    constant: float  # the fidelity of one answer for all rows

    @property
    def gain(self) -> float:
        """The part of what one answer for all rows misses that the tree has right: 1 if it misses nothing."""
        return (self.fidelity - self.constant) / (1.0 - self.constant) if self.constant < 1.0 else 0.0

    @property
    def reached(self) -> bool:
        """Whether the tree agrees as often as was asked for."""
        return self.fidelity >= self.agreement

    @property
    def n_leaves(self) -> int:
        """The leaves of the tree."""
        return int(self.tree.get_n_leaves())

    @property
    def measure(self) -> str:
        """What the fidelity is."""
        return "agreement" if self.is_classes else "R²"

    def sentence(self) -> str:
        """What was found."""
        low, high = self.interval
        size = f"A tree of {counted(self.n_leaves, 'leaf').replace('leafs', 'leaves')}"
        found = f"{self.fidelity:.1%} ({low:.1%} to {high:.1%})"
        rows = f"{len(self.agrees):,} rows that were held out"
        says = f"agrees with the model on {found} of" if self.is_classes else f"explains {found} of the variance on"
        if self.reached:
            return f"{size} {says} {rows}; no smaller one that was tried reaches {self.agreement:.0%}."
        return f"{size} {says} {rows}: none that was tried reaches {self.agreement:.0%}, and this is the best."

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found, that the size was chosen by the same rows, and what stands at a leaf."""
        chosen = "The interval is over rows; the size of the tree was chosen on the same rows."
        return self.sentence(), chosen, LEAF_WORDS[self.is_classes]

    def to_text(self) -> str:
        """The tree as text."""
        return str(self.tree.to_text())

    def table(self) -> WorkTable:
        """The trees that were compared."""
        rows = tuple(zip(self.sizes, self.fidelities, strict=True))
        return WorkTable(("leaves", f"{self.measure} with the model on held-out rows"), rows)

    def figure(self) -> Figure:
        """The tree."""
        drawn: Figure = self.tree.plot(title="A tree that stands for the model")
        return drawn

    def _derive(self, options: WorkOptions) -> Work:
        return derive_surrogate(self)


def surrogate(
    model: Any, X: Any, *, agreement: float = 0.95, max_leaves: int = 64, rows: int = 10_000, random_state: Any = 0
) -> Surrogate:
    """Give the smallest decision tree that agrees with a model on at least this share of held-out rows.

    Of a model of numbers it is the share of the variance of its predictions. If no tree of at most `max_leaves` leaves
    does, it is the best one, and says so. Of more than so many `rows` a sample is taken.

    >>> import novacula as nv
    >>> from novacula.bayes import NaiveBayes
    >>> table = nv.datasets.load("iris")
    >>> small = surrogate(NaiveBayes().fit(table), table)
    >>> small.n_leaves <= 6, small.fidelity > 0.9
    (True, True)
    """
    share = float(proportion(agreement, "agreement"))
    most = whole_number(max_leaves, "max_leaves", 2)
    part, _ = sampled(X, whole_number(rows, "rows", 1), random_state)
    seen = seen_rows(model, part)
    if len(seen) < 4:
        raise DataError(f"{counted(len(seen), 'row')} cannot be parted into rows to grow a tree and others to judge it")
    said = np.asarray(model.predict(seen.given()))
    if said.ndim != 1:
        raise ParameterError("the model predicts several targets: a tree can stand for one")
    order = np.random.default_rng(random_state).permutation(len(seen))
    n_held = max(1, round(HELD_OUT * len(seen)))
    with said_once():
        return _smallest(Mimicry.of(model, seen, said, np.sort(order[n_held:]), np.sort(order[:n_held])), share, most)


@dataclass(frozen=True, eq=False)
class Mimicry:
    """What a model says, the rows that trees are grown on, and those on which they are compared with it."""

    grown: Any  # a table with the answers as its target
    held: SeenRows
    said: Any  # of the rows held out
    is_classes: bool

    @classmethod
    def of(cls, model: Any, rows: SeenRows, said: Any, grown: Any, held: Any) -> Mimicry:
        """What the model says of all rows, parted."""
        if not says_classes(model):
            numbers = said.astype(np.float64)
            return cls(rows.take(grown).with_target(numbers[grown], None), rows.take(held), numbers[held], False)
        classes, codes = np.unique(said, return_inverse=True)
        table = rows.take(grown).with_target(codes.astype(np.int32)[grown], classes.tolist())
        return cls(table, rows.take(held), said[held], True)

    def tree(self, leaves: int) -> Any:
        """The tree of at most so many leaves."""
        from novacula.tree import DecisionTreeClassifier, DecisionTreeRegressor

        kind = DecisionTreeClassifier if self.is_classes else DecisionTreeRegressor
        return kind(max_leaf_nodes=leaves).fit(self.grown)

    def compared(self, tree: Any) -> tuple[Floats, Floats]:
        """For each row that is held out how the tree does, and how far the model is from its mean."""
        columns = [column.name for column in tree.schema_.features]
        guess = np.asarray(tree.predict(self.held.table().select(columns)))
        if self.is_classes:
            return (~differ(self.said, guess)).astype(np.float64), np.ones(len(guess))
        said = self.said.astype(np.float64)
        return (guess - said) ** 2, (said - said.mean()) ** 2

    @property
    def constant(self) -> float:
        """The fidelity of the best answer that is the same for all rows."""
        if not self.is_classes:
            return 0.0
        count = np.unique(self.said, return_counts=True)[1]
        return float(count.max() / count.sum())

    def fidelity(self, agrees: Floats, spread: Floats) -> float:
        """The share of rows on which they agree, or of the variance that is explained."""
        if self.is_classes:
            return float(agrees.mean())
        total, left = float(spread.sum()), float(agrees.sum())
        return 1.0 - left / total if total > 0.0 else float(left == 0.0)


def _smallest(mimicry: Mimicry, share: float, most: int) -> Surrogate:
    """Try sizes that grow, and where one is enough all that lie between it and the last that was not."""
    tried: dict[int, tuple[float, Any]] = {}

    def fidelity(leaves: int) -> float:
        tree = mimicry.tree(leaves)
        tried[leaves] = mimicry.fidelity(*mimicry.compared(tree)), tree
        return tried[leaves][0]

    # A tree may lack leaves because the next split, one leaf for each category, does not fit, or since it is whole.
    widest = max(1, *(len(column.categories) for column in mimicry.held.columns))
    size, before = 2, 1
    while fidelity(size) < share and size < most and size - tried[size][1].get_n_leaves() < widest:
        before, size = size, min(most, max(size + 1, int(size * STEP)))
    if tried[size][0] >= share:
        size = next(middle for middle in range(before + 1, size + 1) if fidelity(middle) >= share)
    else:
        size = max(tried, key=lambda leaves: (tried[leaves][0], -leaves))
    return _judged(mimicry, tried[size][1], share, {leaves: found for leaves, (found, _) in sorted(tried.items())})


def _judged(mimicry: Mimicry, tree: Any, share: float, tried: dict[int, float]) -> Surrogate:
    agrees, spread = mimicry.compared(tree)
    found = mimicry.fidelity(agrees, spread)
    if mimicry.is_classes:
        interval = proportion_interval(float(agrees.sum()), len(agrees))
    else:
        interval = ratio_interval(agrees, spread, found)
    return Surrogate(
        tree, share, found, interval, mimicry.is_classes, agrees, spread, tuple(tried), tuple(tried.values()),
        len(mimicry.grown), mimicry.constant,
    )  # fmt: skip


def ratio_interval(left: Floats, spread: Floats, found: float) -> Interval:
    """An interval of R² by the spread of the terms of its ratio over rows (the delta method)."""
    total = float(spread.mean())
    if len(left) < 2 or not total > 0.0:
        return Interval(min(found, 0.0), 1.0)
    error = float((left - (1.0 - found) * spread).std(ddof=1)) / total / np.sqrt(len(left))
    return Interval(found - 1.959963984540054 * error, min(1.0, found + 1.959963984540054 * error))
