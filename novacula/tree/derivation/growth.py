"""The work of growing: at each node its impurity, what every attribute would gain, and the test that was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.worded_step import WordedStep as Step
from novacula.learner.work import Cell, Work, WorkTable
from novacula.tree.constants import GINI
from novacula.tree.derivation import arithmetic
from novacula.tree.derivation.examined import Examined, ExaminedGrowth
from novacula.tree.derivation.split import ExaminedSplit
from novacula.tree.derivation.words import CLASSES, class_counts, way, where
from novacula.tree.export import tree_figure
from novacula.tree.export.condition import amount
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.tree.decision_tree import DecisionTreeClassifier

WRITTEN_OUT, FEW = 3, 8
"""Nodes whose gains are all written out, and the attributes up to which that is done."""
LISTED = 20
"""Attributes and branches in a table."""
DRAWN = 50
"""Leaves up to which the tree is drawn."""


def derive_tree(model: DecisionTreeClassifier) -> Work:
    """The work of a fitted tree, node by node from the root down."""
    growth = ExaminedGrowth(model)
    steps = [examples_step(growth)]
    examined = growth.examined()
    for place, node in enumerate(examined):
        steps += node_steps(node, place < WRITTEN_OUT)
    if growth.tree.is_leaf.sum() <= DRAWN:
        steps.append(Step("The tree", figure=tree_figure(growth.named)))
    return Work("Decision tree: the tests", steps, notes(model, growth, examined))


def examples_step(growth: ExaminedGrowth) -> Step:
    """The examples that the tree was grown from, by class."""
    counts = growth.tree.counts[0]
    shown, others = arithmetic.largest(counts)
    values = {f"n_{k}": float(counts[k]) for k in shown}
    if len(others):
        values["rest"] = float(counts[others].sum())
    alone = growth.named.is_leaf(0)
    return Step(
        f"The examples: {class_counts(growth.named, counts)}",
        formula="n = Σ nₖ",
        expression=" + ".join(values),
        values=values,
        of=("tree_", "weight", 0),
        labels={"rest": f"the examples of the other {len(others)} classes"} if len(others) else {},
        note=f"The tree is one leaf: {growth.why_leaf(0, 0)}." if alone else "",
    )


def node_steps(node: Examined, every: bool) -> Iterator[Step]:
    """The steps of a node; `every` writes out the gain of each attribute, if there are few."""
    criterion, best = node.growth.rules.criterion, node.best
    nodes = way(node.growth.parent, node.node)
    yield impurity_step(node, nodes)
    allowed = np.flatnonzero(node.allowed).tolist()
    for f in allowed if every and len(node.gain) <= FEW else [best] if best >= 0 else []:
        split = node.split(f)
        if split is None:
            continue
        yield gain_step(node, f, split)
        if criterion.by_information:
            yield information_step(node, f, split)
    if best >= 0 and criterion.formula != "gain":  # where it is the gain, there is nothing to work out
        yield score_step(node)
    if node.significance is not None:
        yield chi_squared_step(node, *node.significance)
    if allowed:
        yield candidates_step(node)
    if node.is_leaf:
        yield Step(f"Node {node.node} is a leaf: {node.why_leaf()}")
    else:
        yield branches_step(node, len(nodes))


# --- one number -----------------------------------------------------------------------------------------------------


def impurity_step(node: Examined, nodes: list[int]) -> Step:
    """The entropy of a node's classes, or Gini's impurity."""
    criterion, named = node.growth.rules.criterion, node.growth.named
    letter, formula = arithmetic.formula_of(criterion)
    return Step(
        f"Node {node.node}: {where(named, nodes)}",
        formula=f"{letter}(S) = {formula}",
        **arithmetic.impurity(node.counts, criterion).parts,
        result=float(criterion.impurities(node.counts)),
        note=f"S: {class_counts(named, node.counts)}.",
    )


def gain_step(node: Examined, f: int, split: ExaminedSplit) -> Step:
    """What the best test on an attribute gains, and its branches."""
    criterion, name = node.growth.rules.criterion, shortened(node.growth.named.attributes[f].name)
    letter, _ = arithmetic.formula_of(criterion)
    formula = f"{letter}(S) − Σ |Sᵥ|/|S| · {letter}(Sᵥ)"
    if split.is_reduced:
        formula = f"|known|/|S| · ({letter}(known) − Σ |Sᵥ|/|known| · {letter}(Sᵥ))"
    tries = node.tries(f, split)
    if tries > 1:
        formula += " − log₂(tries)/|S|"
    chosen = f == node.best and not node.is_leaf
    return Step(
        f"Node {node.node}: what {name} gains",
        formula=f"Gain(S, {name}) = {formula}",
        **arithmetic.gain(split, criterion, tries).parts,
        result=float(node.gain[f]),
        of=("tree_", "gain", node.node) if chosen else ("candidates_", "gain", node.r, f),
        table=judged_table(node, split, letter),
        note=missing_note(split),
    )


def judged_table(node: Examined, split: ExaminedSplit, letter: str) -> WorkTable:
    """The branches by which a test is judged: class weights and impurity."""
    classes = node.growth.named.classes
    labels = [shortened(str(label)) for label in classes] if len(classes) <= CLASSES else []
    spread = node.growth.rules.criterion.impurities(split.judged)
    rows: list[tuple[Cell, ...]] = [
        (
            shortened(str(condition)),
            *(row.tolist() if labels else ()),
            float(row.sum()),
            float(impurity),
        )
        for condition, row, impurity in zip(split.conditions, split.judged, spread, strict=True)
    ]
    return listed(("branch", *labels, "examples", letter), rows)


def missing_note(split: ExaminedSplit) -> str:
    """What became of the examples without a value, where there are any."""
    if not split.missing.any():
        return ""
    return f"{amount(float(split.missing.sum()))} without a value. {split.strategy.sentence}"


def information_step(node: Examined, f: int, split: ExaminedSplit) -> Step:
    """The information of a split."""
    name = shortened(node.growth.named.attributes[f].name)
    return Step(
        f"Node {node.node}: the split information of {name}",
        formula=f"Split(S, {name}) = −Σ |Sᵥ|/|S| · log₂(|Sᵥ|/|S|)",
        **arithmetic.information(split).parts,
        of=("candidates_", "information", node.r, f),
        note="Examples without a value are a branch of their own here." if split.is_reduced else "",
    )


def score_step(node: Examined) -> Step:
    """The score of the best test."""
    rules, best = node.growth.rules, node.best
    criterion, name = rules.criterion, shortened(node.growth.named.attributes[best].name)
    discount, cost = float(rules.discount[best]), amount(float(node.growth.costs[best]))
    found = arithmetic.score(criterion, float(node.gain[best]), float(node.information[best]), discount)
    return Step(
        f"Node {node.node}: the score of {name}",
        formula=f"score = {criterion.formula}",
        **found.parts,
        result=float(node.score[best]),
        note=f"Its cost is {cost}, which multiplies the score by {discount:.6g}." if criterion.discount else "",
    )


def chi_squared_step(node: Examined, split: ExaminedSplit, critical: float) -> Step:
    """χ² of the best test, and what it must reach."""
    name, alpha = shortened(node.growth.named.attributes[node.best].name), node.growth.rules.chi2_alpha
    reaches = "reaches" if split.deviations.sum() >= critical else "does not reach"
    return Step(
        f"Node {node.node}: χ² of {name}",
        formula="χ² = Σ (observed − expected)² / expected",
        **arithmetic.chi_squared(split).parts,
        result=float(split.deviations.sum()),
        note=f"It {reaches} {critical:.6g}, the critical value at {alpha:g} for {split.degrees} degrees of freedom.",
    )


# --- tables ---------------------------------------------------------------------------------------------------------


def candidates_step(node: Examined) -> Step:
    """Every attribute's best test with its numbers, and which was chosen."""
    rules, names = node.growth.rules, [a.name for a in node.growth.named.attributes]
    allowed = np.flatnonzero(node.allowed)
    shown = np.sort(allowed[np.argsort(-node.score[allowed], kind="stable")[:LISTED]])
    columns: dict[str, list[Any]] = {
        "attribute": [shortened(names[f]) for f in shown],
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
    caption = f"The best {LISTED} of {len(allowed)} attributes." if len(allowed) > LISTED else ""
    refused = [shortened(name) for name, allowed in zip(names, node.allowed, strict=True) if not allowed]
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
    return "" if node.competes[f] else f"below the mean gain {node.mean_gain:.6f}"


def branches_step(node: Examined, depth: int) -> Step:
    """Where the branches of the chosen test lead; depth is the number of tests above their nodes."""
    growth = node.growth
    rows: list[tuple[Cell, ...]] = []
    for child, condition in growth.named.branches(node.node):
        if growth.named.is_leaf(child):
            label, why = growth.named.classes[growth.named.plurality[child]], growth.why_leaf(child, depth)
            leads = f"leaf {shortened(str(label))}: {why}"
        else:
            leads = f"a test on {shortened(growth.named.attributes[growth.tree.feature[child]].name)}"
        counted = class_counts(growth.named, growth.tree.counts[child]) or "none"
        rows.append((shortened(str(condition)), int(child), counted, leads))
    name = shortened(growth.named.attributes[node.best].name)
    header = ("branch", "node", "examples", "what is there")
    return Step(f"Node {node.node}: {name} is tested", table=listed(header, rows))


def listed(header: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> WorkTable:
    """A table of branches, cut if it is long."""
    caption = f"The first {LISTED} of {len(rows)} branches." if len(rows) > LISTED else ""
    return WorkTable(header, tuple(rows[:LISTED]), caption)


# --- notes ----------------------------------------------------------------------------------------------------------


def notes(model: DecisionTreeClassifier, growth: ExaminedGrowth, examined: list[Examined]) -> list[str]:
    """What was left out, and what was done to the tree after it had grown."""
    found = []
    inner, derived = int((~growth.tree.is_leaf).sum()), sum(not node.is_leaf for node in examined)
    if not examined and inner:
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
    if any(cuts.values()):
        found.append(f"Cut back after growing by {', '.join(words for words, made in cuts.items() if made)}.")
    if model.class_weight is not None:
        found.append("Examples count with the weight of their class.")
    return found
