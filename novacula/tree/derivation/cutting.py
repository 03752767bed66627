"""The work of pruning: what a node is worth as a leaf, beside the leaves that were below it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from novacula.learner.derivation import SHOWN, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step
from novacula.mathematics import Equation
from novacula.table.chunk import Floats
from novacula.tree.constants import NOISE
from novacula.tree.derivation.course import bits_equations, bits_table, right_below
from novacula.tree.derivation.examined import ExaminedGrowth
from novacula.tree.derivation.limits import upper_limit
from novacula.tree.derivation.words import class_counts, way, where
from novacula.tree.pruning import upper_error
from novacula.tree.pruning.pessimistic import SLACK


def cut_steps(growth: ExaminedGrowth, confidence: float, options: WorkOptions) -> Iterator[Step]:
    """Why each of the first nodes that were cut is a leaf."""
    cut = growth.trace.cut
    for p in range(len(cut.node) if options.is_full else min(len(cut.node), SHOWN)):
        if cut.by_validation[p]:
            yield _by_validation(growth, p)
        elif cut.by_bits[p]:
            yield _by_bits(growth, p)
        else:
            yield _by_limits(growth, p, confidence, options.is_full)


def _by_validation(growth: ExaminedGrowth, p: int) -> Step:
    """At least as many validation examples are right if the node is a leaf."""
    cut = growth.trace.cut
    node, below = int(cut.node[p]), slice(cut.start[p], cut.start[p + 1])
    counts, says, judged = cut.leaves[below], cut.says[below], cut.judged[below]
    right = right_below(cut, p)
    own = float(cut.own[p, growth.named.plurality[node]])
    passing = {"size(V)": float(cut.own[p].sum()), "size(V[l])": judged.sum(axis=1)}
    is_same = abs(own - right.sum()) <= NOISE * passing["size(V)"]
    where = {
        "r": "validation examples that are right if the node is a leaf",
        "r[l]": "those that are right in leaf l below it",
    }
    found = (
        _examples(node, counts),
        Equation("size(V)", "sum(size(V[l]) for l in _)", passing, where={"V": "the validation examples at the node"}),
        Equation(
            "r",
            "sum(r[l] for l in _)",
            {"r": own, "r[l]": right},
            where=where,
            sign="=" if is_same else "≥",
            therefore=True,
        ),
    )
    rows = [
        (
            i + 1,
            class_counts(growth.named, counts[i]) or "none",
            growth.classes[says[i]],
            class_counts(growth.named, judged[i]) or "none",
        )
        for i in range(len(says))
    ]
    header = ("⟦l⟧", "training examples", "says", "validation examples")
    return Step(_title(growth, node), found, cut_table(header, rows, len(rows)))


def _by_bits(growth: ExaminedGrowth, p: int) -> Step:
    """A leaf takes no more bits than what was below it."""
    cut = growth.trace.cut
    node = int(cut.node[p])
    header, rows = bits_table(growth, p)
    found = (_examples(node, cut.leaves[cut.start[p] : cut.start[p + 1]]), *bits_equations(growth, p))
    return Step(_title(growth, node), found, cut_table(header, rows, len(rows)))


def _by_limits(growth: ExaminedGrowth, p: int, confidence: float, is_full: bool) -> Step:
    """The errors that a leaf may make are at most those that the leaves below may make, and a tenth."""
    cut = growth.trace.cut
    node, below = int(cut.node[p]), slice(cut.start[p], cut.start[p + 1])
    counts, says = cut.leaves[below], cut.says[below]
    n, own = counts.sum(axis=1), growth.tree.counts[node]
    wrong = n - counts[np.arange(len(says)), says]
    whole, errors = float(own.sum()), float(own.sum() - own[growth.named.plurality[node]])
    limit, limits = float(upper_error(whole, errors, confidence)), upper_error(n, wrong, confidence)
    values = {f"n[{node}]": whole, f"U(e[{node}], n[{node}])": limit, "n[l]": n, "U(e[l], n[l])": limits}
    found = [
        _examples(node, counts),
        upper_limit(whole, errors, confidence, str(node)),
        Equation(
            f"n[{node}] * U(e[{node}], n[{node}])",
            f"sum(n[l] * U(e[l], n[l]) for l in _) + {SLACK}",
            values,
            where={"U(e[l], n[l])": "the most that the error rate may be, where e of n examples are wrong"},
            sign="≤",
            therefore=True,
        ),
    ]
    if is_full:
        found[2:2] = [
            upper_limit(float(n[i]), float(wrong[i]), confidence, str(i + 1)) for i in np.flatnonzero(n > 0).tolist()
        ]
    rows = [
        (
            i + 1,
            class_counts(growth.named, counts[i]) or "none",
            growth.classes[says[i]],
            float(wrong[i]),
            float(limits[i]),
        )
        for i in range(len(says))
    ]
    header = ("⟦l⟧", "examples ⟦n[l]⟧", "says", "wrong ⟦e[l]⟧", "⟦U(e[l], n[l])⟧")
    return Step(_title(growth, node), tuple(found), cut_table(header, rows, len(rows)))


def _title(growth: ExaminedGrowth, node: int) -> str:
    label = growth.classes[growth.named.plurality[node]]
    return f"Node {node} is cut to a leaf of {label}: {where(growth.named, way(growth.parent, node))}"


def _examples(node: int, leaves: Floats) -> Equation:
    """The examples of a node are those of the leaves that were below it."""
    values = {"size(S[l])": leaves.sum(axis=1)}
    meaning = {"S[l]": "those of them in leaf l below it"}
    return Equation("size(S)", "sum(size(S[l]) for l in _)", values, ("tree_", "weight", node), meaning)
