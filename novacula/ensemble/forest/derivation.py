"""The work of a forest: the first tests of its trees, what columns are worth, out-of-bag arithmetic, and votes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.ensemble.forest.constants import ENTROPY, SQUARES
from novacula.ensemble.mean_derivation import CLASSES, derive_means, largest_shares, name_of
from novacula.learner.derivation import TABLE_ROWS
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table import Chunk
from novacula.table.chunk import Floats
from novacula.words import counted, shortened

if TYPE_CHECKING:
    from novacula.ensemble.forest.base import RandomForest

TREES = 3
"""Trees whose first test is derived."""
EXTREME = np.finfo(np.float64).max


def derive_forest(model: RandomForest, options: WorkOptions) -> Work:
    """The work of a fitted forest."""
    shown = range(len(model.trees_) if options.is_full else min(TREES, len(model.trees_)))
    steps = [_drawn_step(model), *(_root_step(model, t) for t in shown), _importance_step(model)]
    steps += [_out_of_bag_step(model, r) for r in range(len(model.trace_.draws))]
    notes = [f"The first tests of {len(shown)} of {len(model.trees_)} trees are derived."]
    return Work("Random forest: the trees", steps, notes)


def _drawn_step(model: RandomForest) -> Step:
    """How rows come to trees."""
    draws, first = model.trace_.draws, min(10, len(model.trees_))
    if model.mean_draws_ is None:
        return Step("Drawing rows", note="Every tree has every row once, since bootstrap=False.")
    rows: list[tuple[Cell, ...]] = [(r + 1, *map(int, draws[r, :first])) for r in range(len(draws))]
    table = WorkTable(("row", *(f"tree {t}" for t in range(first))), tuple(rows)) if rows else None
    note = (
        "How often a tree draws a row is a Poisson number of mean "
        f"{model.mean_draws_:g}, made from a hash of the row and the tree: equal rows are drawn together. "
        "These rows are the first in the order of their hashes."
    )
    return Step("Drawing rows", table=table, note=note)


# --- the test at a root -----------------------------------------------------------------------------------------


def _root_step(model: RandomForest, t: int) -> Step:
    """What the first test of a tree gains: the impurity of its root, less that of its branches."""
    trees, root = model.trees_, int(model.trees_.start[t])
    title = f"Tree {t}: {counted(int(np.diff(trees.start)[t]), 'node')}"
    if trees.feature[root] < 0:
        return Step(title, _share(model, root), note="The tree is one leaf: no test was found.")
    test = condition(model, root)
    gain = _gain_of_means(model, root) if model._criterion() == SQUARES else _gain_of_shares(model, root)
    missing = "yes" if trees.missing[root] == 0 else "no"
    note = f"Its first test is “{test}”; rows without a value take the branch “{missing}”."
    return Step(title, gain, note=note)


def _share(model: RandomForest, node: int) -> Equation:
    value = float(model.trees_.value[node, 0])
    return Equation("v", "v_0", {"v_0": value}, ("trees_", "value", node, 0), therefore=True)


def _branches(model: RandomForest, node: int) -> tuple[dict[str, int], float]:
    child = int(model.trees_.child[node])
    return {"yes": child, "no": child + 1}, float(model.trees_.mass[node])


def _gain_of_means(model: RandomForest, node: int) -> tuple[Equation, ...]:
    """By how much the mean squared deviation falls, and the mean out of those of the branches."""
    trees, (branches, whole) = model.trees_, _branches(model, node)
    sizes = {name: float(trees.mass[b]) for name, b in branches.items()}
    means = {name: float(trees.value[b, 0]) for name, b in branches.items()}
    meanings = {"S": "the drawn examples", "S[b]": "those in branch b of the test"}
    mean = Equation(
        "mean(S)",
        "sum(size(S[b]) / size(S) * mean(S[b]) for b in _)",
        {"size(S[b])": sizes, "mean(S[b])": means, "size(S)": whole},
        ("trees_", "value", node, 0),
        meanings,
    )
    values = {"size(S[b])": sizes, "mean(S[b])": means, "size(S)": whole, "mean(S)": float(trees.value[node, 0])}
    right = "sum(size(S[b]) / size(S) * (mean(S[b]) - mean(S))**2 for b in _)"
    return mean, Equation("Gain(S)", right, values, ("trees_", "gain", node), meanings)


def _gain_of_shares(model: RandomForest, node: int) -> tuple[Equation, ...]:
    """The impurity of the root, those of its branches, and what the test gains."""
    trees, (branches, whole) = model.trees_, _branches(model, node)
    head = "H" if model._criterion() == ENTROPY else "Gini"
    sizes = {name: float(trees.mass[b]) for name, b in branches.items()}
    inside = {name: _impurity(model, b) for name, b in branches.items()}
    found = [_impurity_equation(model, node, f"{head}(S)")]
    found += [_impurity_equation(model, b, f"{head}(S[{word(name)}])") for name, b in branches.items()]
    values = {
        f"{head}(S)": _impurity(model, node), "size(S[b])": sizes, "size(S)": whole, f"{head}(S[b])": inside
    }  # fmt: skip
    right = f"{head}(S) - sum(size(S[b]) / size(S) * {head}(S[b]) for b in _)"
    meanings = {"S": "the drawn examples", "S[b]": "those in branch b of the test"}
    return (*found, Equation("Gain(S)", right, values, ("trees_", "gain", node), meanings))


def _impurity(model: RandomForest, node: int) -> float:
    shares = model.trees_.value[node]
    if model._criterion() == ENTROPY:
        shares = shares[shares > 0.0]
        return float(-(shares * np.log2(shares)).sum())
    return float(1.0 - (shares**2).sum())


def _impurity_equation(model: RandomForest, node: int, left: str) -> Equation:
    """An impurity from the class shares of a node."""
    shares = model.trees_.value[node]
    entropy = model._criterion() == ENTROPY
    kept = np.flatnonzero(shares > 0.0) if entropy else np.arange(len(shares))
    values = {"p[k]": {shortened(str(label)): float(p) for label, p in _labelled(model, shares, kept)}}
    right = "-sum(p[k] * log2(p[k]) for k in _)" if entropy else "1 - sum(p[k]**2 for k in _)"
    return Equation(left, right, values, where={"p[k]": "the share of class k, with the weights of the drawn rows"})


def _labelled(model: Any, shares: Floats, kept: Any) -> Iterator[tuple[Any, float]]:
    for k in kept:
        yield (f"{k}: {model.classes_[k]}" if len(model.classes_) > CLASSES else model.classes_[k]), float(shares[k])


def condition(model: RandomForest, node: int) -> str:
    """The test of a node in words."""
    trees, attribute = model.trees_, model.attributes_[model.trees_.feature[node]]
    name = shortened(attribute.name)
    if attribute.kind == "numeric":
        threshold = float(trees.threshold[node])
        return f"{name} is known" if threshold == EXTREME else f"{name} ≤ {threshold:.6g}"
    listed = [str(attribute.labels[c]) for c in trees.code[trees.code_start[node] : trees.code_start[node + 1]]]
    return shortened(f"{name} is {' or '.join(listed)}")


# --- columns, and rows out of bag -------------------------------------------------------------------------------


def _importance_step(model: RandomForest) -> Step:
    """The importance of the best column, out of those in each tree."""
    importances, by_tree = model.feature_importances_, model.tree_importances()
    best = int(np.argmax(importances))
    label = word(shortened(model.attributes_[best].name))
    values = {"I[t]": {str(t): float(v) for t, v in enumerate(by_tree[:, best])}, "T": len(model.trees_)}
    where = {"I[t]": "what its tests gain in tree t, weighted by their examples, as a share of all gains"}
    equation = Equation(f"I({label})", "sum(I[t] for t in _) / T", values, ("feature_importances_", best), where)
    order = np.argsort(-importances, kind="stable")[:TABLE_ROWS]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (shortened(model.attributes_[f].name), float(importances[f])) for f in order
    )
    return Step("What columns are worth", equation, table=WorkTable(("column", "importance"), rows))


def _out_of_bag_step(model: RandomForest, r: int) -> Step:
    """What the trees say of a row that they did not draw."""
    trace, said = model.trace_, []
    for k in largest_shares(trace.out_of_bag[r]):
        values = {
            "c[t]": {str(t): int(c) for t, c in enumerate(trace.draws[r])},
            "v[t]": {str(t): float(v) for t, v in enumerate(trace.answers[r, :, k])},
        }
        where = {"c[t]": "how often tree t drew the row", "v[t]": _meaning(model)}
        right = "sum(0**c[t] * v[t] for t in _) / sum(0**c[t] for t in _)"
        said.append(Equation(name_of(_classes(model), k, r + 1), right, values, ("trace_", "out_of_bag", r, k), where))
    note = f"{int((trace.draws[r] == 0).sum())} of {len(model.trees_)} trees did not draw it."
    return Step(f"Out of bag: row {r + 1} of those above", tuple(said), note=note)


def _classes(model: Any) -> Any:
    return None if model._criterion() == SQUARES else model.classes_


def _meaning(model: Any) -> str:
    if model._criterion() == SQUARES:
        return "the mean of the row's leaf in tree t"
    return "the share of the class in the row's leaf in tree t"


# --- answers ----------------------------------------------------------------------------------------------------


def derive_votes(model: RandomForest, chunk: Chunk, cut: bool) -> Work:
    """What the trees say of the rows of a chunk, and their mean."""
    answers = model.trees_.value[model.trees_.finder(model.attributes_).leaves(chunk)]
    return derive_means("Random forest: the votes", answers, _classes(model), "tree", _meaning(model), cut)
