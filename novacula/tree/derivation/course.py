"""The course of a pruning: accuracy on validation examples, or bits, before and after each cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from novacula.learner.derivation import TABLE_ROWS, cut_table
from novacula.learner.work import Cell, Step
from novacula.mathematics import Equation
from novacula.table.chunk import Floats
from novacula.tree.derivation.examined import ExaminedGrowth
from novacula.tree.derivation.words import class_counts
from novacula.tree.pruning import description_length
from novacula.tree.trace import CutNodes

WHOLE = 500
"""Examples up to which a binomial coefficient is written as one."""
CODE = {
    "d": "attributes",
    "K": "classes",
    "t": "tests that were below the node, itself included",
    "b": "bits of their thresholds and groups of values",
    "L_E": "bits of the exceptions in the leaves below",
    "L_T": "bits of the tests and leaves below",
}


def accuracy_step(growth: ExaminedGrowth) -> Iterator[Step]:
    """The validation examples that are right before the first cut and after each, in the order of the cuts."""
    cut = growth.trace.cut
    if not len(cut.tally) or not cut.by_validation.all():
        return
    n, elsewhere, sure = cut.tally.tolist()
    own = cut.own[np.arange(len(cut.node)), growth.named.plurality[cut.node]]
    below = np.array([right_below(cut, p).sum() for p in range(len(cut.node))])
    order = np.lexsort((cut.node, -(own - below)))
    before = sure + float(below.sum())
    path = before + np.concatenate([[0.0], np.cumsum((own - below)[order])])
    rows = [
        (i + 1, int(cut.node[p]), float(path[i]), float(path[i + 1]), float(path[i] / n), float(path[i + 1] / n))
        for i, p in enumerate(order.tolist())
    ]
    where = {
        "size(V)": "all validation examples",
        "n[p]": "those at node p, which was cut",
        "n_other": "those in other leaves",
        "r_other": "those of them that are right",
        "r[p]": "those that are right below node p before it is cut",
        "r′[p]": "those that are right once it is a leaf",
    }
    nodes = [str(node) for node in cut.node[order]]

    def by_node(values: Floats) -> dict[str, float]:
        return dict(zip(nodes, values[order].tolist(), strict=True))

    def stated(left: str, right: str, values: dict[str, Any], therefore: bool = False) -> Equation:
        meanings = {name: words for name, words in where.items() if name in values}
        return Equation(left, right, values, where=meanings, therefore=therefore)

    count = {"size(V)": n, "n_other": elsewhere, "n[p]": by_node(cut.own.sum(axis=1))}
    first = {"r_other": sure, "r[p]": by_node(below), "size(V)": n}
    last = {"r_other": sure, "r′[p]": by_node(own), "size(V)": n}
    found = (
        stated("size(V)", "n_other + sum(n[p] for p in _)", count),
        stated("accuracy_before", "(r_other + sum(r[p] for p in _)) / size(V)", first),
        stated("accuracy_after", "(r_other + sum(r′[p] for p in _)) / size(V)", last, True),
    )
    header = ("cut", "node", "right before", "right after", "accuracy before", "accuracy after")
    note = "The cut that gains most comes first; one that changes nothing is made too, since the smaller tree is kept."
    yield Step("Validation accuracy, cut by cut", found, cut_table(header, rows, len(rows)), note=note)


def right_below(cut: CutNodes, p: int) -> Floats:
    """The validation examples that are right in each leaf below a node that was cut."""
    below = slice(cut.start[p], cut.start[p + 1])
    says, judged = cut.says[below], cut.judged[below]
    return judged[np.arange(len(says)), says]


# --- description length -------------------------------------------------------------------------------------------


def bits_equations(growth: ExaminedGrowth, p: int) -> Iterator[Equation]:
    """The bits of a node as a leaf, beside those of the tests, leaves and exceptions that were below it."""
    yield from (*_below(growth, p), *_as_leaf(growth, p))
    values = dict(zip(("L_T′", "L_E′", "L_T", "L_E"), _bits(growth, p), strict=True))
    yield Equation("L_T′ + L_E′", "L_T + L_E", values, sign="≤", therefore=True)


def _below(growth: ExaminedGrowth, p: int) -> tuple[Equation, Equation]:
    n, e = _exceptions(growth, p)
    cut, sizes = growth.trace.cut, _sizes(growth)
    tests, more = cut.tests[p].tolist()
    values = {**sizes, "t": tests, "l": len(n), "b": more}
    right = "(t + l) * log2(1 + d) + l * log2(K) + b"
    meanings = {name: words for name, words in CODE.items() if name in values}
    return (
        Equation("L_T", right, values, where={**meanings, "l": "leaves that were below it"}),
        _exception_bits("L_E", n, e, sizes["K"]),
    )


def _as_leaf(growth: ExaminedGrowth, p: int) -> tuple[Equation, Equation]:
    node, sizes = int(growth.trace.cut.node[p]), _sizes(growth)
    own = growth.tree.counts[node]
    n, e = float(own.sum()), float(own.sum() - own[growth.named.plurality[node]])
    return (
        Equation("L_T′", "log2(1 + d) + log2(K)", sizes),
        _exception_bits("L_E′", np.array([n]), np.array([e]), sizes["K"]),
    )


def _exception_bits(left: str, n: Floats, e: Floats, classes: float) -> Equation:
    """How many examples of each leaf are exceptions, which ones, and of which class."""
    whole = (n <= WHOLE).all() and (n == np.round(n)).all() and (e == np.round(e)).all()
    is_one = len(n) == 1
    a, b = ("n", "e") if is_one else ("n[l]", "e[l]")
    gamma = f"(lgamma({a} + 1) - lgamma({b} + 1) - lgamma({a} - {b} + 1)) / log(2)"
    term = f"log2({a} + 1) + {f'log2(choose({a}, {b}))' if whole else gamma}"
    values: dict[str, Any] = {a: float(n[0]) if is_one else n, b: float(e[0]) if is_one else e}
    if classes > 2:
        term, values["K"] = f"{term} + {b} * log2(K - 1)", classes
    where = {a: "examples of the leaf", b: "those of another class"}
    return Equation(left, term if is_one else f"sum({term} for l in _)", values, where=where)


def _exceptions(growth: ExaminedGrowth, p: int) -> tuple[Floats, Floats]:
    """The examples of the leaves that were below a node, and those of another class than the leaf says."""
    cut = growth.trace.cut
    below = slice(cut.start[p], cut.start[p + 1])
    counts, says = cut.leaves[below], cut.says[below]
    n = counts.sum(axis=1)
    return n, n - counts[np.arange(len(says)), says]


def _sizes(growth: ExaminedGrowth) -> dict[str, float]:
    return {"d": float(len(growth.named.attributes)), "K": float(len(growth.classes))}


def _bits(growth: ExaminedGrowth, p: int) -> tuple[float, float, float, float]:
    """Tree and exceptions as a leaf, and before."""
    tree, exceptions = (float(equation.value) for equation in _as_leaf(growth, p))
    before, wrong = (float(equation.value) for equation in _below(growth, p))
    return tree, exceptions, before, wrong


def bits_table(growth: ExaminedGrowth, p: int) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """The leaves that were below a node."""
    cut = growth.trace.cut
    below = slice(cut.start[p], cut.start[p + 1])
    _, e = _exceptions(growth, p)
    rows: list[tuple[Cell, ...]] = [
        (i + 1, class_counts(growth.named, counts) or "none", growth.classes[says], float(wrong))
        for i, (counts, says, wrong) in enumerate(zip(cut.leaves[below], cut.says[below], e, strict=True))
    ]
    return ("⟦l⟧", "examples ⟦n[l]⟧", "says", "exceptions ⟦e[l]⟧"), rows


def bits_step(growth: ExaminedGrowth, cuts: Any) -> Iterator[Step]:
    """The bits of the whole tree and of its exceptions before the first cut and after each."""
    cut = growth.trace.cut
    if not len(cut.bits) or not cut.by_bits.all():
        return
    order = np.argsort(-cut.node, kind="stable")
    each = np.array([_bits(growth, p) for p in order.tolist()]).reshape(-1, 4)
    saved = each[:, 2:] - each[:, :2]
    path = cut.bits - np.vstack([np.zeros((1, 2)), np.cumsum(saved, axis=0)])
    rows: list[tuple[Cell, ...]] = [("", "", *path[0].tolist(), float(path[0].sum()))]
    rows += [
        (i + 1, int(cut.node[p]), *path[i + 1].tolist(), float(path[i + 1].sum())) for i, p in enumerate(order.tolist())
    ]
    after = description_length(growth.tree, growth.named.attributes, cuts)
    nodes = [str(node) for node in cut.node[order]]
    found = [
        Equation(
            f"{left}_after",
            f"{left}_before - sum({saving} for p in _)",
            {
                f"{left}_after": after[i],
                f"{left}_before": float(cut.bits[i]),
                saving: dict(zip(nodes, saved[:, i].tolist(), strict=True)),
            },
            where={saving: f"bits of {what} that cutting node p saves"},
            therefore=True,
        )
        for i, (left, saving, what) in enumerate((("tree", "s[p]", "the tree"), ("exceptions", "u[p]", "exceptions")))
    ]
    header = ("cut", "node", "bits of the tree", "bits of exceptions", "together")
    note = "By the code with exceptions: each leaf has a class, and the examples of another class are named."
    table = cut_table(header, rows, len(rows), most=TABLE_ROWS + 1)
    yield Step("Bits, cut by cut from the leaves up", tuple(found), table, note=note)
