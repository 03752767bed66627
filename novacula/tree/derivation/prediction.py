"""The work of a prediction: the tests on a row's way, and the estimates of the leaves where it ends.

A row whose value is missing may end in several leaves. The share of a leaf is the product of the shares of the
branches on the way that were taken for want of a value, and the answer mixes the leaves by their shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table import Chunk
from novacula.table.chunk import UNSEEN
from novacula.tree.attributes import cut_places
from novacula.tree.derivation import equations
from novacula.tree.derivation.words import step_condition, way, where
from novacula.tree.export.condition import amount, digits
from novacula.tree.routing import Router, Routes
from novacula.tree.structure import most_frequent
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.tree.base import DecisionTree
    from novacula.tree.decision_tree import DecisionTreeClassifier

ENDS = 12
"""Tests that are shown of the beginning and of the end of a long way."""
LEAVES = 6
"""Leaves whose share is written out, unless everything is asked for."""
BRANCHES = 6
"""Branches that are named where a row takes all of them."""


def derive_predictions(model: DecisionTreeClassifier, chunk: Chunk, cut: bool, options: WorkOptions) -> Work:
    """The way of each row of a chunk, and its answer."""
    guide = ClassGuide(model, options.is_full)
    steps = [step for i in range(len(chunk)) for step in guide.row_steps(chunk.rows(i, i + 1), i)]
    notes = [f"Only the first {len(chunk)} rows are derived."] if cut else []
    return Work("Decision tree: the predictions", steps, notes)


class Guide:
    """A tree with what is needed to describe the ways of rows."""

    missing_way = "the branch of most examples"
    """Where a row without a value goes, if it goes one way."""

    def __init__(self, model: DecisionTree, is_full: bool) -> None:
        self.named: Any = model.named_tree()
        self.tree, self.is_full = model.tree_, is_full
        places = cut_places(model.schema_, model.attributes_)
        self.router = Router(self.tree, model.attributes_, places, self.named.fractional)
        self.parent = self.tree.parent()

    def row_steps(self, chunk: Chunk, row: int) -> Iterator[Step]:
        """The steps of a chunk of one row."""
        routes, values = self.router.route(chunk), TestedValues(self, chunk)
        largest = np.argsort(-routes.share, kind="stable")
        shown = np.sort(largest if self.is_full else largest[:LEAVES])
        ways = [way(self.parent, leaf) for leaf in routes.node[shown].tolist()]
        if len(self.tree) > 1:
            yield self._tests_step(values, ways, row)
        if len(routes.node) > 1:
            yield from (self._share_step(values, nodes, row) for nodes in ways)
        yield self._answer_step(routes, row)

    # --- the way -----------------------------------------------------------------------------------------------

    def _tests_step(self, values: TestedValues, ways: list[list[int]], row: int) -> Step:
        """The tests on the way, or on the ways to the largest leaves, with the row's values and what follows."""
        taken: dict[int, int] = {node: child for nodes in ways for node, child in pairwise(nodes)}
        order = sorted(taken)  # parents before their children
        shown = order if len(order) <= 2 * ENDS or self.is_full else [*order[:ENDS], *order[-ENDS:]]
        rows: list[tuple[Cell, ...]] = [
            (node, shortened(self._name(node)), values.words(node), self._follows(values, node, taken[node]))
            for node in shown
        ]
        cut = f"The first {ENDS} and the last {ENDS} of {len(order)} tests." if len(shown) < len(order) else ""
        header = ("node", "attribute", "value", "so it goes to")
        return Step(f"Row {row + 1}: the tests on its way", table=WorkTable(header, tuple(rows), cut))

    def _follows(self, values: TestedValues, node: int, child: int) -> str:
        """Where a row goes from a node, and why there."""
        if values.divides(node):
            return f"every branch: {self._every_branch(node)}"
        condition = shortened(str(step_condition(self.named, node, child)))
        if values.is_missing(node):
            return f"node {child}, {self.missing_way}: {condition}"
        if not self.named.weight[child] > 0:
            return f"node {child}, where no example was: {condition}"
        return f"node {child}: {condition}"

    def _every_branch(self, node: int) -> str:
        """The shares of the branches of a node."""
        weight, found = self.named.weight, self.named.branches(node)
        filled = [(child, condition) for child, condition in found if weight[child] > 0]
        whole = amount(weight[node])
        words = [f"{amount(weight[c])}/{whole} to node {c} ({shortened(d.on_branch(), 20)})" for c, d in filled]
        return ", ".join(words[:BRANCHES]) + (f" and {len(words) - BRANCHES} more" if len(words) > BRANCHES else "")

    def _name(self, node: int) -> str:
        return self.named.attributes[self.tree.feature[node]].name

    def _share_step(self, values: TestedValues, nodes: list[int], row: int) -> Step:
        """The share of a row that comes to a leaf."""
        branches = np.array([pair for pair in pairwise(nodes) if values.divides(pair[0])])
        weight = self.named.weight
        return Step(
            f"Row {row + 1}: its share in leaf {nodes[-1]}, {where(self.named, nodes)}",
            equations.share(nodes[-1], weight[branches[:, 1]], weight[branches[:, 0]]),
        )

    # --- the answer --------------------------------------------------------------------------------------------

    def _answer_step(self, routes: Routes, row: int) -> Step:
        """What is answered."""
        raise NotImplementedError  # of classes and of numbers

    def _source(self, leaf: int) -> int:
        """The node whose examples a leaf answers by: itself or, where it has none, the nearest above that has some."""
        node = leaf
        while not self.named.weight[node] > 0 and self.parent[node] >= 0:
            node = int(self.parent[node])
        return node


class ClassGuide(Guide):
    """Of a tree for classes."""

    def _answer_step(self, routes: Routes, row: int) -> Step:
        """The probability of the most probable class, or of every class, and what is answered."""
        answer, leaves = routes.mixed(self.named.probabilities, 1)[0], routes.node.tolist()
        best, labels = int(most_frequent(answer[None, :])[0]), [str(label) for label in self.named.classes]
        sources = [self._source(leaf) for leaf in leaves]
        counts = self.tree.counts[sources]
        found = [
            equations.probability(row, labels[k], k, self.named.m, sources, routes.share, counts)
            for k in (range(len(labels)) if self.is_full else [best])
        ]
        given = f"P(c | x[{row + 1}])"
        probabilities = dict(zip(labels, equations.settled(answer).tolist(), strict=True))
        choice = Equation(
            word("class"), f"argmax({given} for c in _)", {given: probabilities}, ("predict", row), therefore=True
        )
        note = ""
        if len(leaves) == 1 and sources != leaves:
            note = f"Leaf {leaves[0]} has no examples and answers as node {sources[0]}."
        return Step(f"Row {row + 1}: the answer is {shortened(labels[best])}", (*found, choice), note=note)


class TestedValues:
    """The values of one row, as the tests of a tree see them."""

    def __init__(self, guide: Guide, chunk: Chunk) -> None:
        self.named, self.router = guide.named, guide.router
        self.numeric = chunk.numeric[0]
        self.codes = self.router.codes(chunk)[0]
        self.n_nominal = chunk.codes.shape[1]

    def is_missing(self, node: int) -> bool:
        """Whether the row has no value for the test of a node."""
        attribute = self.named.attributes[self.named.tree.feature[node]]
        if attribute.kind == "numeric":
            return bool(np.isnan(self.numeric[attribute.place]))
        return bool(self.codes[attribute.place] < 0)

    def divides(self, node: int) -> bool:
        """Whether the row goes down every branch of a node."""
        return self.router.fractional and self.is_missing(node) and bool(self.named.weight[node] > 0)

    def words(self, node: int) -> str:
        """The row's value for the test of a node."""
        attribute = self.named.attributes[self.named.tree.feature[node]]
        if attribute.kind == "nominal":
            code = int(self.codes[attribute.place])
            if code < 0:
                return "not seen at fit" if code == UNSEEN else "missing"
            return shortened(str(attribute.labels[code]))
        place = attribute.place
        if attribute.kind == "cut":
            place = self.router.cut_places[attribute.place - self.n_nominal]
        return "missing" if np.isnan(self.numeric[place]) else digits(self.numeric[place])
