"""The equations of trees: impurity, gain, split information, scores, χ², and the estimates of leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.tree.constants import GINI, NOISE, SQUARE
from novacula.tree.criterion import Criterion
from novacula.tree.derivation.split import ExaminedSplit
from novacula.words import counted, shortened

MEANINGS = {"S": "the examples at the node", "S[v]": "those of them in branch v of the test"}
MISSING = "missing"


def distinct(names: Iterable[Any]) -> list[str]:
    """Names as they are written in expressions: short, and each once."""
    found: dict[str, None] = {}
    for name in map(str, names):
        short, again = shortened(name), 2
        while short in found:
            short, again = f"{shortened(name)} ({again})", again + 1
        found[short] = None
    return list(found)


def settled(scores: Floats) -> Floats:
    """Scores of which those that are the largest up to rounding are equal, so that a tie goes to the first."""
    top = scores.max(initial=0.0)
    return np.where(scores >= top * (1.0 - NOISE), top, scores)


def head(criterion: Criterion) -> str:
    """What an impurity is called: H, or Gini."""
    return "Gini" if criterion.impurity == GINI else "H"


def impurity(
    classes: Sequence[str], weights: Floats, criterion: Criterion, branch: str = "", of: tuple[str | int, ...] = ()
) -> Equation:
    """The impurity of class weights (K,): at the node, or in a branch of a test."""
    whole, part = ("S", "S[k]") if not branch else (f"S[{word(branch)}]", f"S[{word(branch)}, k]")
    share = f"size({part}) / size({whole})"
    where = {} if branch else {"S": MEANINGS["S"], "S[k]": "those of them of class k"}
    values = {
        f"size({part})": {classes[k]: float(weights[k]) for k in np.flatnonzero(weights > 0).tolist()},
        f"size({whole})": float(weights.sum()),
    }
    if criterion.impurity == GINI:
        return Equation(f"Gini({whole})", f"1 - sum(({share})**2 for k in _)", values, of, where)
    return Equation(f"H({whole})", f"-sum({share} * log2({share}) for k in _)", values, of, where)


def gain(
    name: str, split: ExaminedSplit, criterion: Criterion, counts: Floats, tries: float, of: tuple[str | int, ...]
) -> Equation:
    """What a test gains at a node of class weights (K,): its impurity less that of the branches, each by its share.

    Where examples without a value go down every branch, it is that of known examples, times their share. With C4.5's
    rule a threshold pays for the choice among `tries` of them; otherwise that is 0.
    """
    H, known = head(criterion), "S_known" if split.is_reduced else "S"
    right = f"{H}({known}) - sum(size(S[v]) / size({known}) * {H}(S[v]) for v in _)"
    start = split.start if split.is_reduced else counts
    values: dict[str, Any] = {
        f"{H}({known})": float(criterion.impurities(start)),
        f"size({known})": float(start.sum()),
        "size(S[v])": _by_branch(split, split.judged.sum(axis=1)),
        f"{H}(S[v])": _by_branch(split, criterion.impurities(split.judged)),
    }
    where = dict(MEANINGS)
    if split.is_reduced:
        right = f"size(S_known) / size(S) * ({right})"
        values["size(S)"] = float(counts.sum())
        where["S_known"] = "those whose value is known"
    if tries:
        right = f"{right} - log2(T) / size(S)"
        values |= {"T": tries, "size(S)": float(counts.sum())}
        where["T"] = "thresholds among which this one was chosen"
    return Equation(f"Gain(S, {word(name)})", right, values, of, where)


def information(name: str, split: ExaminedSplit, counts: Floats, of: tuple[str | int, ...]) -> Equation:
    """The information of a split: in what shares it deals the examples out, those without a value apart."""
    weights = _by_branch(split, split.judged.sum(axis=1))
    if split.is_reduced:
        weights[MISSING] = float(split.missing.sum())
    share = "size(S[v]) / size(S)"
    values = {"size(S[v])": weights, "size(S)": float(counts.sum())}
    return Equation(f"SplitInformation(S, {word(name)})", f"-sum({share} * log2({share}) for v in _)", values, of)


def score(name: str, criterion: Criterion, gained: float, cost: float, cost_weight: float) -> Equation:
    """The score of a test by its gain and its cost: that of Tan and Schlimmer, or of Núñez."""
    label = word(name)
    values = {f"Gain(S, {label})": gained, f"Cost({label})": cost}
    of_gain, of_cost = values
    if criterion.shape == SQUARE:
        return Equation(f"Score(S, {label})", f"{of_gain}**2 / {of_cost}", values)
    return Equation(f"Score(S, {label})", f"(2**{of_gain} - 1) / ({of_cost} + 1)**w", {**values, "w": cost_weight})


def ratio(name: str, gained: float, information: float, of: tuple[str | int, ...] = ()) -> Equation | None:
    """The gain ratio of a test; None where the split says nothing, and there is none."""
    if not information > 0.0:
        return None
    label = word(name)
    values = {f"Gain(S, {label})": gained, f"SplitInformation(S, {label})": information}
    return Equation(f"GainRatio(S, {label})", " / ".join(values), values, of)


def chosen(symbol: str, scores: Mapping[str, float], of: tuple[str | int, ...]) -> Equation:
    """The attribute of the largest score."""
    return Equation("A_best", f"argmax({symbol}(S, A) for A in _)", {f"{symbol}(S, A)": scores}, of, therefore=True)


def mean_gain(gains: Mapping[str, float]) -> Equation:
    """The mean of the gains above zero."""
    values = {"Gain(S, A)": gains, "m_A": len(gains)}
    return Equation(
        "mean(Gain)", "sum(Gain(S, A) for A in _) / m_A", values, where={"m_A": "attributes that gain something"}
    )


def chi_squared(split: ExaminedSplit, classes: Sequence[str]) -> Equation:
    """Σ (observed − expected)² / expected over branches and classes, without those that have no examples."""
    counts, total = split.counts, split.total
    rows, columns = np.flatnonzero(counts.any(axis=1)), np.flatnonzero(total > 0).tolist()
    names = branch_names(split)
    labels = [names[row] for row in rows.tolist()]
    expected = "n[v] * n[k] / n"
    values = {
        "n[v, k]": {
            v: {classes[k]: float(row[k]) for k in columns} for v, row in zip(labels, counts[rows], strict=True)
        },
        "n[v]": dict(zip(labels, counts[rows].sum(axis=1).tolist(), strict=True)),
        "n[k]": {classes[k]: float(total[k]) for k in columns},
        "n": float(total.sum()),
    }
    where = {"n[v, k]": "examples of class k in branch v", expected: "what is expected there by chance"}
    right = f"sum((n[v, k] - {expected})**2 / ({expected}) for v in _ for k in _)"
    return Equation("χ**2", right, values, where=where)


def critical(statistic: float, limit: float, degrees: int, alpha: float) -> Equation:
    """Whether χ² reaches what it must."""
    name = f"q[{degrees}]"
    words = f"what χ² with {counted(degrees, 'degree')} of freedom exceeds by chance with probability {alpha:g}"
    sign = "≥" if statistic >= limit else "<"
    return Equation("χ**2", name, {"χ**2": statistic, name: limit}, where={name: words}, sign=sign, therefore=True)


def branch_names(split: ExaminedSplit) -> list[str]:
    """The branches of a test."""
    return distinct(condition.on_branch() for condition in split.conditions)


def _by_branch(split: ExaminedSplit, numbers: Floats) -> dict[str, float]:
    return dict(zip(branch_names(split), numbers.tolist(), strict=True))


# --- leaves -------------------------------------------------------------------------------------------------------


def probability(
    row: int, label: str, k: int, m: float, sources: Sequence[int], shares: Floats, counts: Floats
) -> Equation:
    """P(class k | row) from the nodes by which its leaves answer: their shares (l,) in it, and class weights (l, K)."""
    index, is_one = (str(sources[0]), True) if len(sources) == 1 else ("l", False)
    own, whole = f"n[{index}, {word(label)}]", f"n[{index}]"
    right = f"{own} / {whole}" if m == 0 else f"({own} + m / K) / ({whole} + m)"
    names = distinct(sources)

    def per_leaf(numbers: Floats) -> Any:
        return float(numbers[0]) if is_one else dict(zip(names, numbers.tolist(), strict=True))

    values = {own: per_leaf(counts[:, k]), whole: per_leaf(counts.sum(axis=1))}
    where = {whole: f"examples in {f'node {index}' if is_one else 'leaf l'}", own: f"those of class {shortened(label)}"}
    if not is_one:
        right, values["s[l]"] = f"sum(s[l] * {right if m == 0 else f'({right})'} for l in _)", per_leaf(shares)
        where["s[l]"] = "the share of the row in leaf l"
    smoothing = {} if m == 0 else {"m": m, "K": counts.shape[1]}
    left = f"P({word(label)} | x[{row + 1}])"
    return Equation(left, right, {**values, **smoothing}, ("predict_proba", row, k), where)


def share(leaf: int, branches: Floats, nodes: Floats) -> Equation:
    """The share of a row in a leaf: that of each branch which it took for want of a value."""
    values = {"n_branch[i]": branches, "n_node[i]": nodes}
    where = {"n_branch[i]": "examples in a branch on the way", "n_node[i]": "examples at the node above it"}
    return Equation(f"s[{leaf}]", "product(n_branch[i] / n_node[i] for i in _)", values, where=where)
