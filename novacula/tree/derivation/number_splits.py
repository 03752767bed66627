"""A node of numbers of which every candidate was recorded: its tests, what they gain, and why it is a leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novacula.errors import ModelFileError
from novacula.statistics.contingency import side_by_side
from novacula.table.chunk import Floats
from novacula.tree import settings
from novacula.tree.attributes import Attribute
from novacula.tree.constants import NOISE, PURE
from novacula.tree.derivation.equations import distinct
from novacula.tree.derivation.examined import UNKNOWN
from novacula.tree.export import Condition
from novacula.tree.missing import Strategy
from novacula.tree.structure import Integers

if TYPE_CHECKING:
    from novacula.tree.regression_tree import DecisionTreeRegressor


@dataclass(frozen=True, eq=False)
class NumberSplit:
    """A test: weight and mean of the branches it is judged by, and the mean that they divide."""

    conditions: tuple[Condition, ...]
    weight: Floats  # (b,)
    mean: Floats  # (b,)
    missing_weight: float
    strategy: Strategy

    @property
    def is_reduced(self) -> bool:
        """Whether the gain is that of known examples only."""
        return self.strategy.is_fractional and self.missing_weight > 0.0

    @property
    def start(self) -> float:
        """The mean of the examples that the test divides."""
        return float(self.weight @ self.mean / self.weight.sum())

    @property
    def worth(self) -> float:
        """By how much the sum of squares falls."""
        return float(self.weight @ (self.mean - self.start) ** 2)


class NumberGrowth:
    """A fitted tree, the rules by which it grew, and what was recorded on the way."""

    def __init__(self, model: DecisionTreeRegressor) -> None:
        self.named = model.named_tree()
        self.tree = model.tree_
        self.is_absolute = model.is_absolute
        self.candidates: Any = model.trace_.candidates
        self.names = distinct(attribute.name for attribute in self.named.attributes)
        self.costs: Floats = settings.costs(model.costs, model.attributes_)
        self.rules = settings.number_rules(model, model.attributes_, float(self.tree.mass[0]))
        if self.candidates.node.max(initial=0) >= len(self.tree):
            raise ModelFileError("its trace_ holds nodes that its tree_ does not have")
        self.parent = self.tree.parent()
        self.row = {int(node): r for r, node in enumerate(self.candidates.node)}
        coded = sorted((a for a in model.attributes_ if a.kind != "numeric"), key=lambda a: a.place)
        self.cells = side_by_side([a.size for a in coded])

    def examined(self) -> list[RecordedNode]:
        """The recorded nodes in the order of the tree."""
        return [self.node(r) for r in range(len(self.candidates.node))]

    def node(self, r: int) -> RecordedNode:
        """A recorded node, by its place in the record."""
        return DeviationNode(self, r) if self.is_absolute else MeansNode(self, r)

    def why_leaf(self, node: int, depth: int) -> str:
        """Why a node is a leaf, as far as that is known."""
        mass, deviation = float(self.tree.mass[node]), float(self.tree.deviation[node])
        if not mass > 0.0:
            return f"no examples: answers as node {self.parent[node]}"
        if not self.rules.may_test(mass, depth):
            return "max_depth" if depth == self.rules.max_depth else "fewer examples than min_samples_split"
        if deviation <= PURE * max(float(self.tree.deviation[0]), mass):
            return "equal numbers"
        return self.node(self.row[node]).why_leaf() if node in self.row else UNKNOWN


class ExaminedNumbers:
    """A recorded node; r is its place in the record."""

    def __init__(self, growth: NumberGrowth, r: int) -> None:
        self.growth, self.r = growth, r
        self.node = int(growth.candidates.node[r])
        self.weight, self.mean = float(growth.tree.mass[self.node]), float(growth.tree.value[self.node])
        self.gain: Floats = growth.candidates.gain[r]
        self.score: Floats = self.gain * growth.rules.discount
        self.is_leaf = growth.named.is_leaf(self.node)

    @property
    def best(self) -> int:
        """The attribute of the node's test; of a leaf, the one whose test was best."""
        return int(np.argmax(self.score)) if self.is_leaf else int(self.growth.tree.feature[self.node])

    def conditions(self, f: int) -> tuple[Condition, ...]:
        """The branches of the best test on an attribute."""
        raise NotImplementedError  # of what is recorded

    def why_leaf(self) -> str:
        """Why no test stands at this node."""
        if not (self.gain >= 0.0).any():
            rules = self.growth.rules
            return "no test leaves min_samples_leaf in two branches" if rules.min_leaf else "no attribute divides it"
        if self.gain[self.best] < self.growth.rules.min_gain * (1.0 - NOISE):
            return "no test gains min_gain"
        return f"its test on {self.growth.named.attributes[self.best].name} was cut back"


class MeansNode(ExaminedNumbers):
    """A node whose parts are recorded by their means."""

    def conditions(self, f: int) -> tuple[Condition, ...]:
        """The branches of the best test on an attribute."""
        return self.split(f).conditions

    def split(self, f: int) -> NumberSplit:
        """The best test on an attribute."""
        attribute, candidates = self.growth.named.attributes[f], self.growth.candidates
        if attribute.kind == "numeric":
            below, missing = candidates.below[self.r, f], self._cleared(candidates.missing[self.r, f])
            threshold = float(candidates.threshold[self.r, f])
            sides = (Condition(attribute, high=threshold), Condition(attribute, low=threshold))
            return self._settled(sides, np.stack([below, self._rest(below, missing)]), missing)
        start = self.growth.cells[attribute.place]
        by_code = candidates.codes[self.r, start : start + attribute.size]
        missing = self._cleared(self._rest(*by_code))
        seen = np.flatnonzero(by_code[:, 0] > 0.0)
        if len(seen) < 2:
            raise ModelFileError("its trace_ has a test of examples that share one category")
        if not self.growth.rules.subset:
            conditions = tuple(Condition(attribute, codes=(code,)) for code in seen.tolist())
            return self._settled(conditions, by_code[seen], missing)
        order = seen[np.argsort(by_code[seen, 1], kind="stable")]
        ways = [self._in_two(attribute, by_code, order, cut, missing) for cut in range(1, len(order))]
        worths = np.array([way.worth for way in ways])
        return ways[int(np.argmax(worths >= worths.max() * (1.0 - NOISE)))]

    def _in_two(self, attribute: Attribute, by_code: Floats, order: Integers, cut: int, missing: Floats) -> NumberSplit:
        """The test that divides the codes in the order of their means; the lowest code is in the first group."""
        groups = sorted((tuple(sorted(part.tolist())) for part in (order[:cut], order[cut:])), key=min)
        conditions = tuple(Condition(attribute, codes=codes) for codes in groups)
        return self._settled(conditions, np.stack([_joined(by_code[list(codes)]) for codes in groups]), missing)

    def _settled(self, conditions: tuple[Condition, ...], known: Floats, missing: Floats) -> NumberSplit:
        """With the examples that have no value in the branch where they go, unless that is all of them."""
        strategy, weight = self.growth.rules.strategy, float(missing[0])
        if strategy.is_fractional or not weight > 0.0:
            return NumberSplit(conditions, known[:, 0], known[:, 1], weight, strategy)
        heaviest = int(np.argmax(known[:, 0] >= known[:, 0].max() * (1.0 - NOISE)))
        ways = []
        for branch in range(len(known)):
            held = known.copy()
            held[branch] = _joined(np.stack([known[branch], missing]))
            ways.append(NumberSplit(conditions, held[:, 0], held[:, 1], weight, strategy))
        if strategy.name == "most_common":
            return ways[heaviest]
        worths = np.array([way.worth for way in ways])
        best = np.flatnonzero(worths >= worths.max() * (1.0 - NOISE))
        if not len(best):
            raise ModelFileError("its trace_ holds weights below zero, or numbers that overflow")
        return ways[heaviest if heaviest in best else int(best[0])]

    def _rest(self, *parts: Floats) -> Floats:
        """Weight and mean of the node's examples that are in none of the parts (2,)."""
        held = np.stack(parts)
        weight = self.weight - held[:, 0].sum()
        if not weight > NOISE * self.weight:
            return np.zeros(2)
        return np.array([weight, self.mean - (held[:, 0] @ (held[:, 1] - self.mean)) / weight])

    def _cleared(self, part: Floats) -> Floats:
        """A part that was found as a difference, without what is only rounding."""
        return part if part[0] > NOISE * self.weight else np.zeros(2)


class DeviationNode(ExaminedNumbers):
    """A node whose branches are recorded by their absolute deviations."""

    def conditions(self, f: int) -> tuple[Condition, ...]:
        """The branches of the best test on an attribute."""
        attribute, candidates = self.growth.named.attributes[f], self.growth.candidates
        if attribute.kind == "numeric":
            threshold = float(candidates.threshold[self.r, f])
            return Condition(attribute, high=threshold), Condition(attribute, low=threshold)
        conditions = tuple(Condition(attribute, codes=tuple(codes.tolist())) for codes in self._codes_of_branches(f))
        own = self.growth.named.branches(self.node) if f == self.best and not self.is_leaf else []
        if len(own) and conditions != tuple(condition for _, condition in own)[: len(conditions)]:
            raise ModelFileError("its trace_ has branches that its tree_ does not have")
        return conditions

    def deviations(self, f: int) -> Floats:
        """The deviations of these branches."""
        attribute, candidates = self.growth.named.attributes[f], self.growth.candidates
        if attribute.kind == "numeric":
            return np.asarray(candidates.sides[self.r, f])
        first = self.growth.cells[attribute.place]
        return np.array([candidates.codes[self.r, first + codes[0]] for codes in self._codes_of_branches(f)])

    def _codes_of_branches(self, f: int) -> list[Integers]:
        """The codes of each branch of the best test on a category."""
        attribute, branches = self.growth.named.attributes[f], self.growth.candidates.branch[self.r]
        branch = branches[self.growth.cells[attribute.place] :][: attribute.size]
        codes = [np.flatnonzero(branch == b) for b in range(min(int(branch.max()) + 1, len(branch)))]
        if (
            branch.max() >= len(codes)
            or len(codes) < 2
            or not all(map(len, codes))
            or (self.growth.rules.subset and len(codes) > 2)
        ):
            raise ModelFileError("its trace_ has a test without codes for two branches")
        return codes

    def divided(self, f: int) -> float:
        """The deviations of what the test divides."""
        return float(self.growth.candidates.divided[self.r, f])

    def is_reduced(self, f: int) -> bool:
        """Whether that is known examples only."""
        whole = float(self.growth.tree.deviation[self.node])
        return self.growth.rules.strategy.is_fractional and abs(self.divided(f) - whole) > NOISE * whole


def _joined(parts: Floats) -> Floats:
    """Weights and means (p, 2) as those of the whole (2,)."""
    weight = parts[:, 0].sum()
    return np.array([weight, parts[:, 0] @ parts[:, 1] / weight])


RecordedNode: TypeAlias = MeansNode | DeviationNode
