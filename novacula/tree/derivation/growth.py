"""The work of growing: at each node its impurity, what every attribute would gain, and the test that was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import SHOWN, TABLE_ROWS, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.tree.constants import GINI, RATIO_ABOVE_MEAN
from novacula.tree.derivation import equations
from novacula.tree.derivation.course import accuracy_step, bits_step
from novacula.tree.derivation.cutting import cut_steps
from novacula.tree.derivation.examined import Examined, ExaminedGrowth
from novacula.tree.derivation.split import ExaminedSplit
from novacula.tree.derivation.words import CLASSES, class_counts, way, where
from novacula.tree.export import tree_figure
from novacula.tree.export.condition import amount
from novacula.tree.trace import KEPT_NODES
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.tree.decision_tree import DecisionTreeClassifier

FEW = 8
"""Attributes without a test that are named."""
DRAWN = 50
"""Leaves up to which the tree is drawn."""


def derive_tree(model: DecisionTreeClassifier, options: WorkOptions) -> Work:
    """The work of a fitted tree, node by node from the root down."""
    growth = ExaminedGrowth(model)
    examined = growth.examined()
    shown = examined if options.is_full else examined[:SHOWN]
    steps = [examples_step(growth)]
    for node in shown:
        steps += node_steps(node, options.is_full)
    steps += [*cut_steps(growth, model.confidence, options), *accuracy_step(growth), *bits_step(growth, model.cuts_)]
    if growth.tree.is_leaf.sum() <= DRAWN:
        steps.append(Step("The tree", figure=tree_figure(growth.named)))
    return Work("Decision tree: the tests", steps, notes(model, growth, shown))


def examples_step(growth: ExaminedGrowth) -> Step:
    """The examples that the tree was grown from, by class."""
    counts = growth.tree.counts[0]
    values = {"size(S[k])": dict(zip(growth.classes, counts.tolist(), strict=True))}
    return Step(
        f"The examples: {class_counts(growth.named, counts)}",
        Equation("size(S)", "sum(size(S[k]) for k in _)", values, ("tree_", "weight", 0)),
        note=f"The tree is one leaf: {growth.why_leaf(0, 0)}." if growth.named.is_leaf(0) else "",
    )


def node_steps(node: Examined, every: bool) -> Iterator[Step]:
    """The steps of a node; `every` writes out each attribute, and each branch."""
    growth, best = node.growth, node.best
    nodes, allowed = way(growth.parent, node.node), np.flatnonzero(node.allowed).tolist()
    yield Step(
        f"Node {node.node}: {where(growth.named, nodes)}",
        equations.impurity(growth.classes, node.counts, growth.rules.criterion),
        note=f"S: {class_counts(growth.named, node.counts)}.",
    )
    for f in allowed if every else [best] if best >= 0 else []:
        split = node.split(f)
        if split is not None:
            yield attribute_step(node, f, split, every)
    if node.significance is not None:
        split, limit = node.significance
        statistic = equations.chi_squared(split, growth.classes)
        reaches = equations.critical(statistic.value, limit, split.degrees, growth.rules.chi2_alpha or 0.0)
        yield Step(f"Node {node.node}: χ² of {growth.names[best]}", (statistic, reaches))
    if allowed:
        yield candidates_step(node)
    yield leaf_step(node) if node.is_leaf else branches_step(node, len(nodes))


def attribute_step(node: Examined, f: int, split: ExaminedSplit, every: bool) -> Step:
    """What the best test on an attribute gains, its split information and score, and its branches."""
    growth, name = node.growth, node.growth.names[f]
    criterion, path = growth.rules.criterion, ("trace_", "candidates")
    gained, information = float(node.gain[f]), float(node.information[f])
    found: list[Equation | None] = []
    if every:
        branches = zip(equations.branch_names(split), split.judged, strict=True)
        found += [equations.impurity(growth.classes, row, criterion, label) for label, row in branches if row.any()]
    of_gain = (*path, "gain", node.r, f)
    found.append(equations.gain(name, split, criterion, node.counts, node.tries(f), of_gain))
    if criterion.impurity != GINI:
        found.append(equations.information(name, split, node.counts, (*path, "information", node.r, f)))
        found.append(equations.ratio(name, gained, information))
    if criterion.discount is not None:
        cost = float(growth.costs[f])
        found.append(equations.score(name, criterion, gained, cost, growth.cost_weight))
    return Step(
        f"Node {node.node}: what {name} gains",
        tuple(equation for equation in found if equation is not None),
        table=judged_table(node, split),
        note=missing_note(split),
    )


def judged_table(node: Examined, split: ExaminedSplit) -> WorkTable:
    """The branches by which a test is judged: class weights and impurity."""
    growth = node.growth
    labels = growth.classes if len(growth.classes) <= CLASSES else []
    criterion = growth.rules.criterion
    spread = criterion.impurities(split.judged)
    rows: list[tuple[Cell, ...]] = [
        (shortened(str(condition)), *(row.tolist() if labels else ()), float(row.sum()), float(impurity))
        for condition, row, impurity in zip(split.conditions, split.judged, spread, strict=True)
    ]
    return branch_table(("branch", *labels, "examples", f"⟦{equations.head(criterion)}(S[v])⟧"), rows)


def missing_note(split: ExaminedSplit) -> str:
    """What became of the examples without a value, where there are any."""
    if not split.missing.any():
        return ""
    apart = " In the split information they are a branch of their own." if split.is_reduced else ""
    return f"{amount(float(split.missing.sum()))} without a value. {split.strategy.sentence}{apart}"


# --- tables ---------------------------------------------------------------------------------------------------------


def candidates_step(node: Examined) -> Step:
    """Every attribute's best test with its numbers, and which was chosen."""
    rules, names = node.growth.rules, node.growth.names
    allowed = np.flatnonzero(node.allowed)
    shown = np.sort(allowed[np.argsort(-node.score[allowed], kind="stable")[:TABLE_ROWS]])
    columns: dict[str, list[Any]] = {
        "attribute": [names[f] for f in shown],
        "test": [branch_words(node, f) for f in shown],
        "gain": node.gain[shown].tolist(),
    }
    if rules.criterion.impurity != GINI:
        columns["split information"] = node.information[shown].tolist()
        columns["gain ratio"] = (node.gain[shown] / node.information[shown]).tolist()
    if rules.criterion.discount is not None:
        columns["cost"] = node.growth.costs[shown].tolist()
        columns[rules.criterion.formula] = node.score[shown].tolist()
    columns["chosen"] = [verdict(node, f) for f in shown]
    rows = tuple(zip(*columns.values(), strict=True))
    caption = f"The best {TABLE_ROWS} of {len(allowed)} attributes." if len(allowed) > TABLE_ROWS else ""
    refused = [name for name, is_allowed in zip(names, node.allowed, strict=True) if not is_allowed]
    more = ", …" if len(refused) > FEW else ""
    return Step(
        f"Node {node.node}: the candidates",
        table=WorkTable(tuple(columns), rows, caption),
        note=f"No test was found on {', '.join(refused[:FEW])}{more}." if refused else "",
    )


def branch_words(node: Examined, f: int) -> str:
    """The branches of an attribute's best test."""
    split = node.split(f)
    if split is None:
        return "two groups of values"
    if node.growth.named.attributes[f].kind == "numeric":
        return split.conditions[0].on_branch()
    return shortened(" | ".join(condition.on_branch() for condition in split.conditions))


def verdict(node: Examined, f: int) -> str:
    """Whether a test was chosen, or why it was not compared."""
    if f == node.best and not node.is_leaf:
        return "✓"
    return "" if node.competes[f] else f"below the mean gain ⟦{node.mean_gain!r}⟧"


def chosen_equations(node: Examined) -> Iterator[Equation]:
    """The attribute whose score is the largest of those compared, what it gains, and its threshold."""
    growth, best = node.growth, node.best
    names, criterion = growth.names, growth.rules.criterion
    positive = {names[f]: float(node.gain[f]) for f in np.flatnonzero(node.gain > 0.0)}
    if criterion.ratio == RATIO_ABOVE_MEAN and positive:
        yield equations.mean_gain(positive)
    scores = equations.settled(np.where(node.competes, node.score, -1.0))
    compared = {names[f]: float(scores[f]) for f in np.flatnonzero(node.competes)}
    is_whole = names[best] == growth.named.attributes[best].name  # and not shortened
    yield equations.chosen(criterion.symbol, compared, ("attributes_", best, "name") if is_whole else ())
    label = word(names[best])
    right, gained = f"Gain(S, {label})", float(node.gain[best])
    yield Equation("Gain(S, A_best)", right, {right: gained}, ("tree_", "gain", node.node), therefore=True)
    if growth.named.attributes[best].kind == "numeric":
        right, threshold = f"t[{label}]", float(growth.candidates.threshold[node.r, best])
        yield Equation("t", right, {right: threshold}, ("tree_", "threshold", node.node), therefore=True)


def branches_step(node: Examined, depth: int) -> Step:
    """Why the test was chosen, and where its branches lead; depth is the number of tests above their nodes."""
    growth = node.growth
    rows: list[tuple[Cell, ...]] = []
    for child, condition in growth.named.branches(node.node):
        if growth.named.is_leaf(child):
            label, why = growth.named.classes[growth.named.plurality[child]], growth.why_leaf(child, depth)
            leads = f"leaf {shortened(str(label))}: {why}"
        else:
            leads = f"a test on {growth.names[growth.tree.feature[child]]}"
        counted = class_counts(growth.named, growth.tree.counts[child]) or "none"
        rows.append((shortened(str(condition)), int(child), counted, leads))
    title = f"Node {node.node}: {growth.names[node.best]} is tested"
    header = ("branch", "node", "examples", "what is there")
    return Step(title, tuple(chosen_equations(node)), branch_table(header, rows))


def leaf_step(node: Examined) -> Step:
    """Why no test stands at a node."""
    return Step(f"Node {node.node} is a leaf: {node.why_leaf()}")


def branch_table(header: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> WorkTable:
    """A table of branches, cut if it is long."""
    return cut_table(header, rows, len(rows))


# --- notes ----------------------------------------------------------------------------------------------------------


def notes(model: DecisionTreeClassifier, growth: ExaminedGrowth, shown: list[Examined]) -> list[str]:
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
        "merge_leaves=True": model.merge_leaves,
    }
    kept = len(growth.trace.cut.node)
    if kept >= KEPT_NODES:
        found.append(
            f"Of the nodes that were cut {kept} are kept, those nearest the root; if there are more, the course of the "
            "pruning takes them as cut before."
        )
    if any(cuts.values()):
        found.append(f"Cut back after growing by {', '.join(words for words, made in cuts.items() if made)}.")
    if model.class_weight is not None:
        found.append("Examples count with the weight of their class.")
    return found
