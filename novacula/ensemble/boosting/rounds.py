"""The rounds of boosting: slopes of the loss at the scores so far, a tree for each score, and its steps added.

    s ← constant;   each round: g, h of every row at s;  a tree on their sums;  s ← s + η · answer of the row's leaf

All sums are of whole numbers, so that the same bins give the same model to the bit, whatever the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.ensemble.boosting.assembly import assembled
from novacula.ensemble.boosting.coded_table import CodedTable
from novacula.ensemble.boosting.constants import GRADIENT, HESSIAN, WEIGHT
from novacula.ensemble.boosting.growth import GrownTree, GrowthRules, TreeGrower, Units
from novacula.ensemble.boosting.held_out import HeldOut
from novacula.ensemble.boosting.leaf_rows import LeafRows, Sums
from novacula.ensemble.boosting.losses import BoostingLoss
from novacula.ensemble.boosting.medians import weighted_middles
from novacula.ensemble.boosting.trace import RowSlopes, TreeSums
from novacula.ensemble.boosting.whole_sums import LANE_BITS, WholeSum, unit_of
from novacula.ensemble.row_keys import chosen, stream_of
from novacula.ensemble.trees import BinaryTrees
from novacula.table.chunk import Floats
from novacula.table.parallel import ThreadPool

HELD_OUT, SUBSAMPLE, FEATURES = range(3)
"""What chance decides, each by a stream of its own."""
MOST_REPETITIONS = 16
"""Whole weights up to this one count to the bit as that many rows."""
REPEATED_BITS = 26
"""Bits of a slope that is then multiplied by such a weight."""
ROWS_KEPT = 4
"""Rows whose slopes are kept for the derivation: those with the smallest keys."""


@dataclass(frozen=True)
class Plan:
    """How many rounds, and what is drawn in each."""

    max_iter: int
    learning_rate: float
    subsample: float
    patience: int
    validation_fraction: float  # 0: no rows are held out
    seed: int


@dataclass
class Boosted:
    """What came of it."""

    constant: Floats
    totals: tuple[float, Floats]  # the weight of the rows, and the sums whose means the constant is made of
    trees: list[list[BinaryTrees]] = field(default_factory=list)  # by round
    train_loss: list[float] = field(default_factory=list)  # of the constant first
    held_out_loss: list[float] = field(default_factory=list)
    nodes: dict[int, list[TreeSums]] = field(default_factory=dict)  # by round
    rows: dict[int, RowSlopes] = field(default_factory=dict)
    n_rounds: int = 0


class Rounds:
    """A fit under way."""

    def __init__(self, table: CodedTable, loss: BoostingLoss, rules: GrowthRules, plan: Plan, pool: ThreadPool) -> None:
        self.table, self.loss, self.rules, self.plan, self.pool = table, loss, rules, plan, pool
        n, k = len(table), loss.n_scores
        self.held = HeldOut.none(n)
        if plan.validation_fraction:
            self.held = HeldOut.of(table, plan.validation_fraction, stream_of(plan.seed, HELD_OUT), plan.max_iter)
        self.weight = np.where(self.held.marks, 0.0, table.weight) if len(self.held.rows) else table.weight
        self.scores, self.gradients, self.hessians = (table.scratch((k, n)) for _ in range(3))
        self.losses = table.scratch((n,))
        self.lanes = table.scratch((k, n, 3), np.int32)
        self.columns = table.columns()
        self.free: list[Sums] = []  # arrays of sums to be used again
        self.weight_unit = unit_of(float(self.weight.max(initial=0.0)))
        self.repeats = bool((table.weight == np.rint(table.weight)).all() and table.weight.max() <= MOST_REPETITIONS)
        self.shown = self._shown_rows()

    def _shown_rows(self) -> npt.NDArray[np.int64]:
        """Training rows that are unlike each other, in an order of their own; none where only signs would show."""
        if self.loss.by_medians:
            return np.zeros(0, np.int64)
        rows = np.flatnonzero(self.weight > 0.0)
        keys = self.table.keys[rows]
        few = np.argpartition(keys, min(64, len(keys) - 1))[:64] if len(keys) > 64 else np.arange(len(keys))
        _, first = np.unique(keys[few], return_index=True)
        return rows[few[first[:ROWS_KEPT]]]

    def run(self) -> Boosted:
        """All rounds."""
        boosted = self._start()
        for r in range(self.plan.max_iter + 1):
            units = self._slopes(boosted, r)
            if r == self.plan.max_iter or (len(self.held.rows) and self.held.is_over(r, self.plan.patience)):
                break
            grown = self.pool.each(partial(self._tree, r, units), range(self.loss.n_scores))
            boosted.trees.append([part for part, _ in grown])
            boosted.nodes[r] = [sums for _, sums in grown]
            if self._is_finished(boosted.trees[-1]):
                self._slopes(boosted, r + 1)
                break
        made = len(boosted.trees)
        boosted.n_rounds = self.held.fewest_rounds(made) if len(self.held.rows) else made
        return boosted

    def _is_finished(self, trees: list[BinaryTrees]) -> bool:
        """Whether no tree has found a test, nor will one: all rounds to come would see what this one saw."""
        draws = self.plan.subsample < 1.0 or self.rules.max_features < 1.0
        return not draws and all(len(tree.feature) == 1 for tree in trees)

    # --- the start ---------------------------------------------------------------------------------------------

    def _start(self) -> Boosted:
        """The constant that is the best answer to all rows."""
        if self.loss.by_medians:
            trained = self.weight > 0.0
            middles = weighted_middles(self.table.target[trained], self.weight[trained], self.weight_unit)
            total, sums = Fraction(2), [Fraction(middle) for middle in middles]
            sums = [sums[0] + sums[1]]
        else:
            total, sums = self._exact_sums()
        constant = self.loss.constant(np.array([float(part / total) for part in sums]))
        self.scores[:] = constant[:, None]
        return Boosted(constant, (float(total), np.array([float(part) for part in sums])))

    def _exact_sums(self) -> tuple[Fraction, list[Fraction]]:
        """The weight of the training rows, and the sums of what the start is made of."""
        target, weight, measured = self.table.target, self.weight, self.loss.measured

        def largest(rows: slice) -> Floats:
            return np.abs(measured(target[rows]) * weight[rows]).max(axis=1, initial=0.0)

        blocks = self.table.blocks()
        units = [unit_of(float(most)) for most in np.max(self.pool.each(largest, blocks), axis=0)]

        def add(rows: slice) -> list[WholeSum]:
            numbers = measured(target[rows]) * weight[rows]
            parts = [WholeSum.of(row, unit) for row, unit in zip(numbers, units, strict=True)]
            return [WholeSum.of(weight[rows], self.weight_unit), *parts]

        total, *sums = _added(self.pool.each(add, blocks))
        return total.exact(self.weight_unit), [part.exact(unit) for part, unit in zip(sums, units, strict=True)]

    # --- a round -----------------------------------------------------------------------------------------------

    def _slopes(self, boosted: Boosted, r: int) -> list[Units]:
        """Write the lanes of a round, and note the losses of the rounds before it; gives the units of each score."""
        weight = self.weight
        if self.plan.subsample < 1.0:
            weight = weight * chosen(self.table.keys, stream_of(self.plan.seed, SUBSAMPLE, r), self.plan.subsample)
        blocks = self.table.blocks()
        most = np.max(self.pool.each(lambda rows: self._write_slopes(rows, weight), blocks), axis=0)
        bits = REPEATED_BITS if self.repeats else LANE_BITS
        units = [
            Units(unit_of(float(g), bits), unit_of(float(h), bits), self.weight_unit)
            for g, h in zip(most[0], most[1], strict=True)
        ]
        unit = unit_of(float(most[2, 0]))
        sums = _added(self.pool.each(lambda rows: self._write_lanes(rows, weight, units, unit), blocks))
        totals = [float(self.weight.sum()), float(self.held.weight.sum())]
        boosted.train_loss.append(float(sums[0].exact(unit)) / totals[0])
        if len(self.held.rows):
            boosted.held_out_loss.append(float(sums[1].exact(unit)) / totals[1])
            self.held.note(r, self.losses, boosted.held_out_loss[-1])
        target, scores = self.table.target[self.shown], self.scores[:, self.shown]
        boosted.rows[r] = RowSlopes(target, scores, *self.loss.slopes(target, scores))
        return units

    def _write_slopes(self, rows: slice, weight: Floats) -> Floats:
        """Gradients, Hessians and losses of a block, and the largest of each (3, K)."""
        target, scores = self.table.target[rows], self.scores[:, rows]
        g, h = self.loss.slopes(target, scores)
        factor = (weight[rows] > 0.0).astype(np.float64) if self.repeats else weight[rows]
        g *= factor
        h *= factor
        self.gradients[:, rows], self.hessians[:, rows] = g, h
        losses = self.loss.losses(target, scores)
        self.losses[rows] = losses
        highest = np.full(len(g), np.abs(losses * self.table.weight[rows]).max(initial=0.0))
        return np.array([np.abs(g).max(axis=1, initial=0.0), h.max(axis=1, initial=0.0), highest])

    def _write_lanes(self, rows: slice, weight: Floats, units: list[Units], unit: float) -> list[WholeSum]:
        """The lanes of a block, and the sums of its losses: of training rows, and of rows held out."""
        times = weight[rows] if self.repeats else 1.0
        for k, (per_g, per_h, per_w) in enumerate(units):
            lanes = self.lanes[k, rows]
            lanes[:, GRADIENT] = np.rint(self.gradients[k, rows] * (1.0 / per_g)) * times
            lanes[:, HESSIAN] = np.rint(self.hessians[k, rows] * (1.0 / per_h)) * times
            lanes[:, WEIGHT] = np.rint(weight[rows] * (1.0 / per_w))
        losses = self.losses[rows]
        sums = [WholeSum.of(losses * self.weight[rows], unit)]
        if len(self.held.rows):
            sums.append(WholeSum.of(losses * (self.table.weight[rows] - self.weight[rows]), unit))
        return sums

    def _tree(self, r: int, units_of_all: list[Units], k: int) -> tuple[BinaryTrees, TreeSums]:
        """The tree of a score, whose steps are added to it."""
        units = units_of_all[k]
        rows = LeafRows(self.table.codes, self.columns, self.table.binned, self.lanes[k], self.pool, self.free)
        grower = TreeGrower(self.table.binned, rows, units, self.rules)
        grown = grower.grow(self._allowed(r, k))
        middles = self._middles(grown) if self.loss.by_medians else None
        steps = [grower.answer(leaf) for leaf in grown.leaves] if middles is None else middles.mean(axis=1).tolist()
        steps = [self.plan.learning_rate * step for step in steps]
        self._add(grown, k, steps)
        return assembled(grown, steps, units, middles)

    def _add(self, grown: GrownTree, k: int, steps: list[float]) -> None:
        from novacula.ensemble.boosting._kernels import add_to_rows

        scores = self.scores[k]

        def add(pair: Any) -> None:
            leaf, step = pair
            add_to_rows(grown.rows[leaf.start : leaf.stop], step, scores)

        self.pool.each(add, list(zip(grown.leaves, steps, strict=True)))

    def _middles(self, grown: GrownTree) -> Floats:
        """The two middle residuals of each leaf: they differ only where half of the weight is on either side."""

        def middles(leaf: Any) -> tuple[float, float]:
            rows = grown.rows[leaf.start : leaf.stop]
            rows = rows[self.lanes[0, rows, WEIGHT] > 0]
            return weighted_middles(self.table.target[rows] - self.scores[0, rows], self.weight[rows], self.weight_unit)

        return np.array(self.pool.each(middles, grown.leaves))

    def _allowed(self, r: int, k: int) -> Callable[[int], npt.NDArray[np.bool_]]:
        """The features that may be tested at a node, drawn for each node."""
        n = len(self.table.binned.attributes)
        every = np.ones(n, bool)
        drawn = max(1, round(self.rules.max_features * n))
        if drawn == n:
            return lambda _: every

        def allowed(node: int) -> npt.NDArray[np.bool_]:
            marks = np.zeros(n, bool)
            marks[np.random.default_rng([self.plan.seed, FEATURES, r, k, node]).permutation(n)[:drawn]] = True
            return marks

        return allowed


def _added(parts: list[list[WholeSum]]) -> list[WholeSum]:
    sums = parts[0]
    for part in parts[1:]:
        sums = [a + b for a, b in zip(sums, part, strict=True)]
    return sums
