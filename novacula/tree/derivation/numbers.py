"""The work of a regression tree: at each node what every attribute would gain, the test chosen, and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import SHOWN, TABLE_ROWS
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table import Chunk
from novacula.tree.derivation.equations import MEANINGS, distinct, settled
from novacula.tree.derivation.growth import DRAWN, FEW, branch_table
from novacula.tree.derivation.number_splits import (
    DeviationNode,
    NumberGrowth,
    NumberSplit,
    RecordedNode,
)
from novacula.tree.derivation.prediction import Guide
from novacula.tree.derivation.words import way, where
from novacula.tree.export import tree_figure
from novacula.tree.export.condition import amount
from novacula.tree.routing import Routes
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.tree.regression_tree import DecisionTreeRegressor


def middle(growth: NumberGrowth) -> str:
    """What the nodes of a tree answer with."""
    return "median" if growth.is_absolute else "mean"


def deviations_meant(growth: NumberGrowth) -> str:
    """What D is."""
    kind = "absolute deviations from the median" if growth.is_absolute else "squared deviations from the mean"
    return f"the sum of {kind}"


def derive_number_tree(model: DecisionTreeRegressor, options: WorkOptions) -> Work:
    """The work of a fitted tree, node by node from the root down."""
    growth = NumberGrowth(model)
    examined = growth.examined()
    shown = examined if options.is_full else examined[:SHOWN]
    steps = [_examples_step(growth)]
    for node in shown:
        steps += _node_steps(node, options.is_full)
    if growth.tree.is_leaf.sum() <= DRAWN:
        steps.append(Step("The tree", figure=tree_figure(growth.named)))
    return Work("Regression tree: the tests", steps, _notes(model, growth, shown))


def _examples_step(growth: NumberGrowth) -> Step:
    """The mean squared deviation that the tree starts from."""
    tree = growth.tree
    values = {"D(S)": float(tree.deviation[0]), "size(S)": float(tree.mass[0])}
    where_ = {"S": MEANINGS["S"], "D(S)": deviations_meant(growth)}
    start = Equation("MAE(S)" if growth.is_absolute else "MSE(S)", "D(S) / size(S)", values, where=where_)
    if not growth.named.is_leaf(0):
        return Step(f"The examples: {amount(tree.mass[0])}", start)
    given = f"{middle(growth)}(S)"
    answer = Equation("ŷ", given, {given: float(tree.value[0])}, ("tree_", "value", 0), therefore=True)
    note = f"The tree is one leaf: {growth.why_leaf(0, 0)}."
    return Step(f"The examples: {amount(tree.mass[0])}", (start, answer), note=note)


def _node_steps(node: RecordedNode, every: bool) -> Iterator[Step]:
    """The steps of a node; `every` writes out each attribute."""
    growth = node.growth
    nodes, allowed = way(growth.parent, node.node), np.flatnonzero(node.gain >= 0.0).tolist()
    place = f"Node {node.node}: {where(growth.named, nodes)}"
    if not allowed:
        yield Step(f"{place}: a leaf, {growth.why_leaf(node.node, len(nodes) - 1)}")
        return
    for f in allowed if every else [node.best]:
        yield _attribute_step(node, f)
    yield _candidates_step(node, allowed, place)
    if node.is_leaf:
        yield Step(f"Node {node.node} is a leaf: {node.why_leaf()}")
    else:
        yield _branches_step(node, len(nodes))


def _attribute_step(node: RecordedNode, f: int) -> Step:
    """What the best test on an attribute gains."""
    growth, of = node.growth, ("trace_", "candidates", "gain", node.r, f)
    title = f"Node {node.node}: what {growth.names[f]} gains"
    if isinstance(node, DeviationNode):
        return Step(title, _fall_of_deviations(growth.names[f], node, f, of))
    split = node.split(f)
    rows: list[tuple[Cell, ...]] = [
        (shortened(str(condition)), float(weight), float(mean))
        for condition, weight, mean in zip(split.conditions, split.weight, split.mean, strict=True)
    ]
    return Step(
        title,
        _gain(growth.names[f], split, node.weight, of),
        table=branch_table(("branch", "examples", "⟦mean(S[v])⟧"), rows),
        note=_missing_note(split),
    )


def _gain(name: str, split: NumberSplit, whole: float, of: tuple[str | int, ...]) -> Equation:
    """By how much the mean squared deviation falls: that of the branches' means from the mean that they divide."""
    known = "S_known" if split.is_reduced else "S"
    labels = distinct(condition.on_branch() for condition in split.conditions)
    right = f"sum(size(S[v]) / size(S) * (mean(S[v]) - mean({known}))**2 for v in _)"
    values: dict[str, Any] = {
        "size(S[v])": dict(zip(labels, split.weight.tolist(), strict=True)),
        "mean(S[v])": dict(zip(labels, split.mean.tolist(), strict=True)),
        f"mean({known})": split.start,
        "size(S)": whole,
    }
    meanings = {**MEANINGS, **({"S_known": "those whose value is known"} if split.is_reduced else {})}
    return Equation(f"Gain(S, {word(name)})", right, values, of, meanings)


def _fall_of_deviations(name: str, node: DeviationNode, f: int, of: tuple[str | int, ...]) -> Equation:
    """By how much the mean absolute deviation falls."""
    divided = "D(S_known)" if node.is_reduced(f) else "D(S)"
    labels = distinct(condition.on_branch() for condition in node.conditions(f))
    values: dict[str, Any] = {
        divided: node.divided(f),
        "D(S[v])": dict(zip(labels, node.deviations(f).tolist(), strict=True)),
        "size(S)": node.weight,
    }
    known = {"S_known": "those whose value is known"} if node.is_reduced(f) else {}
    meanings = {**MEANINGS, **known, divided: deviations_meant(node.growth)}
    return Equation(f"Gain(S, {word(name)})", f"({divided} - sum(D(S[v]) for v in _)) / size(S)", values, of, meanings)


def _missing_note(split: NumberSplit) -> str:
    """What became of the examples without a value, where there are any."""
    if not split.missing_weight > 0.0:
        return ""
    return f"{amount(split.missing_weight)} without a value. {split.strategy.sentence}"


def _candidates_step(node: RecordedNode, allowed: list[int], title: str) -> Step:
    """Every attribute's best test with what it gains, and which was chosen."""
    growth, costs = node.growth, node.growth.costs
    shown = sorted(sorted(allowed, key=lambda f: -node.score[f])[:TABLE_ROWS])
    columns: dict[str, list[Any]] = {
        "attribute": [growth.names[f] for f in shown],
        "test": [_test_words(node, f) for f in shown],
        "gain": node.gain[shown].tolist(),
    }
    if (costs != 1.0).any():
        columns["cost"], columns["gain / cost"] = costs[shown].tolist(), node.score[shown].tolist()
    columns["chosen"] = ["✓" if f == node.best and not node.is_leaf else "" for f in shown]
    caption = f"The best {TABLE_ROWS} of {len(allowed)} attributes." if len(allowed) > TABLE_ROWS else ""
    refused = [name for f, name in enumerate(growth.names) if node.gain[f] < 0.0]
    more = ", …" if len(refused) > FEW else ""
    return Step(
        title,
        table=WorkTable(tuple(columns), tuple(zip(*columns.values(), strict=True)), caption),
        note=f"No test was found on {', '.join(refused[:FEW])}{more}." if refused else "",
    )


def _test_words(node: RecordedNode, f: int) -> str:
    conditions = node.conditions(f)
    if node.growth.named.attributes[f].kind == "numeric":
        return conditions[0].on_branch()
    return shortened(" | ".join(condition.on_branch() for condition in conditions))


def _branches_step(node: RecordedNode, depth: int) -> Step:
    """Why the test was chosen, what it does to the squares, and where its branches lead."""
    growth, best, tree = node.growth, node.best, node.growth.tree
    children = [(child, condition) for child, condition in growth.named.branches(node.node)]
    filled = [child for child, _ in children if tree.mass[child] > 0]
    rows: list[tuple[Cell, ...]] = []
    for child, condition in children:
        leads = f"a test on {growth.names[tree.feature[child]]}" if tree.feature[child] >= 0 else "a leaf"
        if tree.feature[child] < 0:
            leads = f"a leaf: {growth.why_leaf(child, depth)}"
        rows.append((shortened(str(condition)), int(child), float(tree.mass[child]), float(tree.value[child]), leads))
    table = branch_table(("branch", "node", "examples", middle(growth), "what is there"), rows)
    found = [*_chosen(node), *([] if growth.is_absolute else _settled_means(node, filled))]
    return Step(f"Node {node.node}: {growth.names[best]} is tested", tuple(found), table)


def _chosen(node: RecordedNode) -> Iterator[Equation]:
    """The attribute of the largest gain for its cost, what it gains, and its threshold."""
    growth, best = node.growth, node.best
    scores = settled(np.where(node.gain >= 0.0, node.score, -1.0))
    compared = {growth.names[f]: float(scores[f]) for f in np.flatnonzero(node.gain >= 0.0)}
    symbol = "Score" if (growth.costs != 1.0).any() else "Gain"
    is_whole = growth.names[best] == growth.named.attributes[best].name  # and not shortened
    of = ("attributes_", best, "name") if is_whole else ()
    yield Equation("A_best", f"argmax({symbol}(S, A) for A in _)", {f"{symbol}(S, A)": compared}, of, therefore=True)
    label = word(growth.names[best])
    right = f"Gain(S, {label})"
    gained = {right: float(node.gain[best])}
    yield Equation("Gain(S, A_best)", right, gained, ("tree_", "gain", node.node), therefore=True)
    if growth.named.attributes[best].kind == "numeric":
        right, threshold = f"t[{label}]", float(growth.candidates.threshold[node.r, best])
        yield Equation("t", right, {right: threshold}, ("tree_", "threshold", node.node), therefore=True)


def _settled_means(node: RecordedNode, filled: list[int]) -> Iterator[Equation]:
    """The node's mean out of those of its branches, missing examples included, and what squares are left."""
    tree, labels = node.growth.tree, [str(child) for child in filled]
    sizes = dict(zip(labels, tree.mass[filled].tolist(), strict=True))
    means = dict(zip(labels, tree.value[filled].tolist(), strict=True))
    values = {"size(S[b])": sizes, "mean(S[b])": means, "size(S)": node.weight}
    meanings = {"S[b]": "the examples of node b, those without a value included"}
    right = "sum(size(S[b]) / size(S) * mean(S[b]) for b in _)"
    yield Equation("mean(S)", right, values, ("tree_", "value", node.node), meanings)
    squares = dict(zip(labels, tree.deviation[filled].tolist(), strict=True))
    gap = "(mean(S[b]) - mean(S))**2"
    yield Equation(
        "D(S)",
        f"sum(D(S[b]) + size(S[b]) * {gap} for b in _)",
        {"D(S[b])": squares, "size(S[b])": sizes, "mean(S[b])": means, "mean(S)": float(tree.value[node.node])},
        ("tree_", "deviation", node.node),
        {"D(S)": deviations_meant(node.growth)},
    )


def _notes(model: DecisionTreeRegressor, growth: NumberGrowth, shown: list[RecordedNode]) -> list[str]:
    """What was left out, and what was done to the tree after it had grown."""
    found = []
    inner, derived = int((~growth.tree.is_leaf).sum()), sum(not node.is_leaf for node in shown)
    if not shown and inner:
        found.append("What the attributes gained was not recorded, so no test is derived.")
    elif derived < inner:
        found.append(f"The tests of {derived} of {inner} nodes are derived, those nearest the root.")
    if growth.tree.is_leaf.sum() > DRAWN:
        found.append(f"The tree has {growth.tree.is_leaf.sum()} leaves; plot() draws its upper part.")
    cuts = {
        f"max_leaf_nodes={model.max_leaf_nodes}": model.max_leaf_nodes is not None,
        f"prune={model.prune!r}": model.prune is not None,
        f"ccp_alpha={model.ccp_alpha:g}": model.ccp_alpha > 0,
    }
    if any(cuts.values()):
        found.append(f"Cut back after growing by {', '.join(words for words, made in cuts.items() if made)}.")
    return found


# --- answers ----------------------------------------------------------------------------------------------------


def derive_number_predictions(model: DecisionTreeRegressor, chunk: Chunk, cut: bool, options: WorkOptions) -> Work:
    """The way of each row of a chunk, and its answer."""
    guide = NumberGuide(model, options.is_full)
    if model.missing == "better":
        guide.missing_way = "the branch of rows without a value"
    steps = [step for i in range(len(chunk)) for step in guide.row_steps(chunk.rows(i, i + 1), i)]
    notes = [f"Only the first {len(chunk)} rows are derived."] if cut else []
    return Work("Regression tree: the predictions", steps, notes)


class NumberGuide(Guide):
    """Of a tree for numbers."""

    def _answer_step(self, routes: Routes, row: int) -> Step:
        """The mean (or median) of the leaf, or those of the leaves mixed by shares."""
        leaves = [str(leaf) for leaf in routes.node.tolist()]
        values = self.tree.value[routes.node]
        answer = float(routes.share @ values)
        said = "median" if self.named.absolute else "mean"
        if len(leaves) == 1:
            left, given = f"ŷ[{row + 1}]", f"{said}(S[{leaves[0]}])"
            equation = Equation(left, given, {given: float(values[0])}, ("predict", row), therefore=True)
        else:
            equation = Equation(
                f"ŷ[{row + 1}]",
                f"sum(s[l] * {said}(S[l]) for l in _)",
                {
                    "s[l]": dict(zip(leaves, routes.share.tolist(), strict=True)),
                    f"{said}(S[l])": dict(zip(leaves, values.tolist(), strict=True)),
                },
                ("predict", row),
                {"s[l]": "the share of the row in leaf l"},
            )
        source = self._source(int(routes.node[0]))
        note = ""
        if len(leaves) == 1 and source != routes.node[0]:
            note = f"Leaf {leaves[0]} has no examples and answers as node {source}."
        return Step(f"Row {row + 1}: the answer is ⟦{answer!r}⟧", equation, note=note)
