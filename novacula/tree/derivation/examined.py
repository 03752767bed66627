"""A node of which every candidate was recorded: its tests, their scores, and why there is none where it is a leaf."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from novacula.statistics.contingency import side_by_side
from novacula.table.chunk import Floats
from novacula.tree import settings
from novacula.tree.constants import NOISE, RATIO_ABOVE_MEAN, TINY
from novacula.tree.derivation.equations import distinct
from novacula.tree.derivation.split import ExaminedSplit
from novacula.tree.export import Condition, NamedClassTree
from novacula.tree.growing import ClassCandidates, Rules
from novacula.tree.structure import most_frequent

if TYPE_CHECKING:
    from novacula.tree.decision_tree import DecisionTreeClassifier

UNKNOWN = "no test on it stands"


class ExaminedGrowth:
    """A fitted tree, the rules by which it grew, and what was recorded on the way."""

    def __init__(self, model: DecisionTreeClassifier) -> None:
        self.named: NamedClassTree = model.named_tree()
        self.tree = model.tree_
        self.trace = model.trace_
        self.names = distinct(attribute.name for attribute in self.named.attributes)
        self.classes = distinct(self.named.classes)
        self.cost_weight = model.cost_weight
        self.costs: Floats = settings.costs(model.costs, model.attributes_)
        self.rules: Rules = settings.rules(model, model.attributes_, float(self.tree.weight[0]))
        self.candidates: ClassCandidates = self.trace.candidates
        self.parent = self.tree.parent()
        self.row = {int(node): r for r, node in enumerate(self.candidates.node)}
        self.coded = sorted((a for a in model.attributes_ if a.kind != "numeric"), key=lambda a: a.place)
        self.cells = side_by_side([a.size for a in self.coded])

    def examined(self) -> list[Examined]:
        """The recorded nodes in the order of the tree."""
        return [Examined(self, r) for r in range(len(self.candidates.node))]

    def why_leaf(self, node: int, depth: int) -> str:
        """Why a node is a leaf, as far as that is known."""
        counts = self.tree.counts[node]
        if not counts.any():
            return f"no examples: answers as node {self.parent[node]}"
        if np.count_nonzero(counts) < 2:
            return "one class"
        if not self.rules.may_test(float(counts.sum()), depth):
            return "max_depth" if depth == self.rules.max_depth else "fewer examples than min_samples_split"
        return Examined(self, self.row[node]).why_leaf() if node in self.row else UNKNOWN


class Examined:
    """A recorded node; r is its place in the record."""

    def __init__(self, growth: ExaminedGrowth, r: int) -> None:
        self.growth, self.r = growth, r
        self.node = int(growth.candidates.node[r])
        self.counts: Floats = growth.tree.counts[self.node]
        self.gain: Floats = growth.candidates.gain[r]
        self.information: Floats = growth.candidates.information[r]
        self.allowed = self.gain >= 0.0

    @property
    def is_leaf(self) -> bool:
        """Whether no test stands here."""
        return self.growth.named.is_leaf(self.node)

    @cached_property
    def score(self) -> Floats:
        """The score of each attribute's best test, −1 where no test is allowed."""
        rules = self.growth.rules
        found = rules.criterion.score(np.maximum(self.gain, 0.0), self.information, rules.discount)
        return np.where(self.allowed, found, -1.0)

    @cached_property
    def mean_gain(self) -> float:
        """The mean of gains above zero, which a test must reach to be compared by C4.5's gain ratio; otherwise 0."""
        positive = self.gain[self.gain > 0.0]
        filters = self.growth.rules.criterion.ratio == RATIO_ABOVE_MEAN
        return float(positive.mean()) if filters and len(positive) else 0.0

    @cached_property
    def competes(self) -> np.ndarray:
        """Whether the test on each attribute is compared with the others."""
        return self.allowed & (self.gain >= self.mean_gain * (1.0 - NOISE))

    @cached_property
    def best(self) -> int:
        """The attribute of the node's test; of a leaf, the one whose test was best; −1 if none was allowed."""
        if not self.is_leaf:
            return int(self.growth.tree.feature[self.node])
        return int(most_frequent(np.where(self.competes, self.score, -1.0)[None, :])[0]) if self.competes.any() else -1

    def split(self, f: int) -> ExaminedSplit | None:
        """The best test on an attribute; None where its groups of categories were not recorded."""
        attribute, candidates = self.growth.named.attributes[f], self.growth.candidates
        strategy = self.growth.rules.strategy
        if self._is_numeric(f):
            below, missing = candidates.below[self.r, f], self._cleared(candidates.missing[self.r, f])
            known = np.stack([below, self._cleared(self.counts - below - missing)])
            threshold = float(candidates.threshold[self.r, f])
            conditions = (Condition(attribute, high=threshold), Condition(attribute, low=threshold))
            return ExaminedSplit(conditions, known, missing, strategy)
        start = self.growth.cells[attribute.place]
        by_code = candidates.codes[self.r, start : start + attribute.size]
        missing = self._cleared(self.counts - by_code.sum(axis=0))
        groups = self._groups(f, by_code)
        if not groups:
            return None
        known = np.stack([by_code[list(codes)].sum(axis=0) for codes in groups])
        return ExaminedSplit(tuple(Condition(attribute, codes=codes) for codes in groups), known, missing, strategy)

    def _groups(self, f: int, by_code: Floats) -> list[tuple[int, ...]] | None:
        """The codes of each branch that has examples."""
        seen = np.flatnonzero(by_code.any(axis=1)).tolist()
        if not self.growth.rules.subset:
            return [(code,) for code in seen]
        if self.is_leaf or self.best != f:
            return None
        codes, branches = self.growth.tree.arms(self.node)
        return [tuple(codes[branches == branch].tolist()) for branch in np.unique(branches)]

    def _cleared(self, weights: Floats) -> Floats:
        """Weights that were found as differences, without what is only rounding."""
        return np.where(weights > NOISE * self.counts, weights, 0.0)

    def tries(self, f: int) -> float:
        """Among how many thresholds that of an attribute was chosen, where it pays for that; otherwise 0."""
        return float(self.growth.candidates.tries[self.r, f]) if self._is_numeric(f) else 0.0

    def _is_numeric(self, f: int) -> bool:
        return self.growth.named.attributes[f].kind == "numeric"

    @cached_property
    def significance(self) -> tuple[ExaminedSplit, float] | None:
        """The best test and what its χ² must reach; None where there is no such limit, or it is not known."""
        alpha = self.growth.rules.chi2_alpha
        split = self.split(self.best) if self.best >= 0 and alpha is not None else None
        if split is None:
            return None
        from scipy.stats import chi2

        return split, float(chi2.isf(alpha, split.degrees))

    def why_leaf(self) -> str:
        """Why no test stands at this node."""
        rules = self.growth.rules
        if self.best < 0 and rules.release_8:
            return "no test gains enough, with enough examples in two branches"
        if self.best < 0:
            return "no test leaves min_samples_leaf in two branches" if rules.min_leaf else "no attribute divides it"
        if self.gain[self.best] < rules.min_gain - TINY:
            return "no test gains min_gain"
        if rules.chi2_alpha is not None:
            if self.significance is None:
                return UNKNOWN
            split, critical = self.significance
            if split.deviations.sum() < critical:
                return "χ² is not significant"
        return f"its test on {self.growth.named.attributes[self.best].name} was cut back"
