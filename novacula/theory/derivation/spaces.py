"""Sizes of spaces and numbers of labellings: each as its formula with the numbers put in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from novacula.learner.derivation import cut_table
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.theory.derivation.bounds import HUGE, VALUE

SIZES: Mapping[str, tuple[str, str, str]] = {
    "conjunctions": (
        "3**n + 1",
        "n * log(3) + log(1 + 3**(-n))",
        "Each of n attributes is true, false or absent; and there is the concept to which nothing belongs.",
    ),
    "conjunctions of values": (
        "1 + product(d[i] + 1 for i in _)",
        "sum(log(d[i] + 1) for i in _) + log(1 + exp(-sum(log(d[i] + 1) for i in _)))",
        "Each attribute has one of its values, or any; and there is the concept to which nothing belongs.",
    ),
    "decision trees": (
        "2**(2**n)",
        "2**n * log(2)",
        "Each of the instances, of which there are ⟦2**n⟧, may belong to the concept or not, and a tree can say so.",
    ),
    "k-term DNF": (
        "(3**n + 1)**k",
        "k * (n * log(3) + log(1 + 3**(-n)))",
        "Each of k terms is a conjunction. Many expressions say the same: there are at most as many functions.",
    ),
    "k-clause CNF": (
        "(2 * n)**(l * k)",
        "l * k * log(2 * n)",
        "Each of l literals of k clauses is one of n attributes or its opposite. There are at most as many functions.",
    ),
}
"""The size of each kind of space, its logarithm, and why."""


def size_work(size: float, kind: str, values: Mapping[str, Any], is_log: bool) -> Work:
    """The number of hypotheses, or its natural logarithm."""
    exact, logarithm, note = SIZES[kind]
    if is_log or size > HUGE:
        found = Equation("log(size(H))", logarithm, values, VALUE if is_log else ("log",))
        steps = [Step("Formula", Equation("size(H)", exact)), Step("Its logarithm", found, note=note)]
    else:
        steps = [Step("Formula", Equation("size(H)", exact, values, VALUE), note=note)]
    return Work(f"Hypotheses: {kind}", steps)


def growth_work(count: int, n: int, vc: int) -> Work:
    """The lemma of Sauer and Shelah."""
    right = "2**n" if vc >= n else "1 + sum(choose(n, i) for i in range(d))"
    where = {"n": "points"} if vc >= n else {"n": "points", "d": "the VC dimension"}
    title = "Every labelling, as the VC dimension is not below the number of points" if vc >= n else "Sauer and Shelah"
    values = {"n": n} if vc >= n else {"n": n, "d": vc}
    return _count("How many ways to label points there are at most", title, "N", right, values, where, count)


def cover_work(count: int, P: int, N: int) -> Work:
    """Cover's formula."""
    title, values = "How many ways half-spaces through the origin label points", {"P": P, "N": N}
    where = {"P": "points in general position", "N": "dimensions"}
    if P == 0 or N == 0:
        right, values, where = ("1" if P == 0 else "0"), {}, {}
    elif N >= P:
        right, values, where = "2**P", {"P": P}, {"P": where["P"]}
    else:
        right = "2 * (1 + sum(choose(P - 1, k) for k in range(N - 1)))"
    return _count(title, "Cover's formula", "D(P, N)", right, values, where, count)


def _count(
    title: str, step: str, left: str, right: str, values: Mapping[str, Any], where: Mapping[str, str], count: int
) -> Work:
    if count > HUGE:
        note = f"A number of {count.bit_length()} bits."
        return Work(title, [Step(step, Equation(left, right, where=where), note=note)])
    return Work(title, [Step(step, Equation(left, right, values, VALUE, where, therefore=True))])


def dichotomies_work(count: int, labels: npt.NDArray[np.bool_]) -> Work:
    """The labellings that a family produces, by how many points each takes in, beside all there are."""
    P = labels.shape[1]
    sizes = np.bincount(labels.sum(axis=1), minlength=P + 1)
    by_size = {str(k): float(number) for k, number in enumerate(sizes)}
    where = {"n[k]": "labellings by which k points belong to the concept"}
    total = Equation("N", "sum(n[k] for k in _)", {"n[k]": by_size}, VALUE, where)
    steps = [Step("Labellings", total, _labelling_table(labels))]
    if math.log2(HUGE) > P:
        sign, words = ("=", "The points are shattered") if count == 2**P else ("<", "The points are not shattered")
        every = Equation("N", "2**P", {"N": count, "P": P}, sign=sign, where={"P": "points"}, therefore=True)
        steps.append(Step(words, every))
    return Work("Labellings of points", steps)


def dimension_work(d: int, labels: npt.NDArray[np.bool_], chosen: Sequence[int]) -> Work:
    """The largest set of points all of whose labellings a family produces."""
    on_set = np.unique(labels[:, list(chosen)], axis=0)
    values = {"d": d, "n_S": len(on_set)}
    where = {"n_S": "labellings of the set that the family produces", "d": "points of the set"}
    rows = ", ".join(str(i) for i in chosen) or "none"
    steps = [
        Step(
            f"The set of rows {rows} is shattered",
            (
                Equation("n_S", "2**d", values, where=where),
                Equation("d", "log2(n_S)", {"n_S": len(on_set)}, VALUE, therefore=True),
            ),
            _labelling_table(on_set),
        ),
        Step(
            "No set can be larger than the labellings of all points allow",
            Equation("d", "log2(N)", {"d": d, "N": len(labels)}, sign="≤", where={"N": "labellings of all points"}),
            note="No larger subset of the points was found to be shattered; all were looked at.",
        ),
    ]
    return Work("VC dimension on these points", steps)


def _labelling_table(labels: npt.NDArray[np.bool_]) -> Any:
    rows = [(" ".join("+" if inside else "−" for inside in row[:40]),) for row in labels[:20].tolist()]
    return cut_table(("labels of the points",), rows, len(labels))
