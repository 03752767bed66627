"""The work of gradient boosting: the constant, the slopes of some rows, tests and answers of a tree, sums for rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.ensemble.boosting.growth import ALWAYS, SMOOTHING
from novacula.ensemble.boosting.losses import RAREST
from novacula.errors import ParameterError
from novacula.learner.derivation import only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation, word
from novacula.table import Chunk
from novacula.words import listed, shortened

if TYPE_CHECKING:
    from novacula.ensemble.boosting.base import GradientBoosting

SHOWN = 3
"""Tests, leaves and classes of a tree that are written out, unless everything is asked for."""
MEANINGS = {"G": "the sum of the gradients g of its rows", "H": "the sum of the Hessians h of its rows"}
SLOPES = {
    "squared_error": ("s - y", "1"),
    "absolute_error": ("sign(s - y)", "1"),
    "poisson": ("exp(s) - y", "exp(s)"),
    "log_loss": ("1 / (1 + exp(-s)) - y", "1 / (1 + exp(-s)) * (1 - 1 / (1 + exp(-s)))"),
    "softmax": ("1 / sum(exp(s[k] - s[{k}]) for k in _) - y", "p * (1 - p)"),
}


def derive_boosting(model: GradientBoosting, options: WorkOptions) -> Work:
    """The constant and the first round; with everything, all rounds that are kept."""
    kept = model.trace_.iteration.tolist()
    shown = range(len(kept)) if options.is_full else range(1)
    steps = [_constant_step(model)]
    for t in shown:
        steps += _round_steps(model, t, options)
    notes = [f"Round {kept[t]} of {model.n_iter_}; work(iteration=k) shows rounds {listed(kept)}." for t in shown[:1]]
    return Work("Gradient boosting: the rounds", steps, notes)


def derive_round(model: GradientBoosting, iteration: int, options: WorkOptions) -> Work:
    """One round that was kept."""
    kept = model.trace_.iteration.tolist()
    if iteration not in kept:
        raise ParameterError(f"iteration {iteration!r} is not kept: ask for one of {listed(kept)}")
    return Work(f"Gradient boosting: round {iteration}", _round_steps(model, kept.index(iteration), options))


# --- the start --------------------------------------------------------------------------------------------------


def _constant_step(model: GradientBoosting) -> Step:
    """The best answer without any test."""
    trace, name = model.trace_, model._loss().name
    found: list[Equation] = []
    for k, total in enumerate(trace.sums.tolist()):
        tag = f"[{k + 1}]" if len(trace.sums) > 1 else ""
        share = Equation(f"m{tag}", f"S{tag} / n", {f"S{tag}": total, "n": trace.weight}, where=_start_words(name, tag))
        mean = float(share.value)
        right = {"poisson": "log(m)", "log_loss": "log(m / (1 - m))", "softmax": f"log(m{tag})"}.get(name, "m")
        bounded = name in ("log_loss", "softmax") and not RAREST <= mean <= 1.0 - RAREST
        if bounded:
            mean = min(max(mean, RAREST), 1.0 - RAREST if name == "log_loss" else 1.0)
        values = {f"m{tag}": mean}
        found += [share, Equation(f"c{tag}", right, values, ("constant_", k), therefore=True)]
    note = "A class without weight counts as a billionth of all." if name in ("log_loss", "softmax") else ""
    return Step("The constant that every row begins with", tuple(found), note=note)


def _start_words(name: str, tag: str) -> dict[str, str]:
    what = {
        "absolute_error": ("the sum of the two middle targets", "how many these are"),
        "log_loss": ("the weight of the second class", "the weight of all training rows"),
        "softmax": ("the weight of the class", "the weight of all training rows"),
    }.get(name, ("the sum of the targets", "the weight of all training rows"))
    return {f"S{tag}": what[0], "n": what[1]}


# --- a round ----------------------------------------------------------------------------------------------------


def _round_steps(model: GradientBoosting, t: int, options: WorkOptions) -> list[Step]:
    """Slopes of rows, then the tests and the answers of each tree."""
    scores = len(model.constant_)
    shown = range(scores if options.is_full else min(scores, SHOWN))
    steps = [_slopes_step(model, t)] if len(model.trace_.target) else []
    for k in shown:
        steps += _tree_steps(KeptTree(model, t, k), options.is_full)
    if len(shown) < scores:
        steps.append(Step("The other trees", note=only_first(len(shown), scores, "tree")[0]))
    return steps


def _slopes_step(model: GradientBoosting, t: int) -> Step:
    """Gradient and Hessian of a few rows: at which score they stand, and which way the loss falls."""
    trace, name = model.trace_, model._loss().name
    gradient, hessian = SLOPES[name]
    found: list[Equation] = []
    for k, i in np.ndindex(trace.score.shape[1:]):
        y = float(trace.target[i] == k) if name == "softmax" else float(trace.target[i])
        score = trace.score[t, :, i]
        s: Any = dict(zip([str(j + 1) for j in range(len(score))], score.tolist(), strict=True))
        values = {"s": s if name == "softmax" else float(score[0]), "y": y}
        tag = f"[{i + 1}, {k + 1}]" if name == "softmax" else f"[{i + 1}]"
        right = gradient.format(k=f'"{k + 1}"')
        found.append(Equation(f"g{tag}", right, values, ("trace_", "row_gradient", t, k, i)))
        of = ("trace_", "row_hessian", t, k, i)
        if name == "softmax":
            found.append(Equation(f"h{tag}", "(g + y) * (1 - g - y)", {"g": float(found[-1].value), "y": y}, of))
        else:
            found.append(Equation(f"h{tag}", hessian, {"s": values["s"]} if "s" in hessian else {}, of))
    return Step(f"Round {trace.iteration[t]}: the slopes of the loss at some rows", tuple(found))


class KeptTree:
    """A tree of a round that was kept, with the sums at its nodes."""

    def __init__(self, model: GradientBoosting, t: int, k: int) -> None:
        trees, trace, scores = model.trees_, model.trace_, len(model.constant_)
        self.model, self.k, self.iteration = model, k, int(trace.iteration[t])
        sizes = np.diff(trees.start)
        kept = ((trace.iteration - 1)[:, None] * scores + np.arange(scores)).ravel()
        place = t * scores + k
        self.shift = int(sizes[kept[:place]].sum())
        self.first = int(trees.start[kept[place]])
        here = slice(self.first, self.first + int(sizes[kept[place]]))
        self.feature, self.child = trees.feature[here], trees.child[here] - self.first
        self.mass, self.gain, self.value = trees.mass[here], trees.gain[here], trees.value[here, 0]
        sums = slice(self.shift, self.shift + len(self.feature))
        self.gradient, self.hessian, self.l2 = trace.gradient[sums], trace.hessian[sums], trace.l2[sums]

    @property
    def title(self) -> str:
        """Which tree it is."""
        return f"Round {self.iteration}" + (f", tree {self.k + 1}" if len(self.model.constant_) > 1 else "")

    def test(self, node: int) -> str:
        """What sends a row to branch 0 of a node."""
        trees, i = self.model.trees_, self.first + node
        attribute = self.model.attributes_[trees.feature[i]]
        name = shortened(attribute.name)
        if attribute.kind == "numeric":
            known = trees.threshold[i] == ALWAYS
            return f"{name} is known" if known else f"{name} ≤ {trees.threshold[i]:g}"
        codes = trees.code[trees.code_start[i] : trees.code_start[i + 1]]
        return f"{name}: " + shortened(", ".join(str(attribute.labels[code]) for code in codes))


def _tree_steps(tree: KeptTree, is_full: bool) -> Iterator[Step]:
    """The table of the tests, the gains of the first of them, and the answers of the first leaves."""
    inner, leaves = np.flatnonzero(tree.feature >= 0).tolist(), np.flatnonzero(tree.feature < 0).tolist()
    if inner:
        rows: list[tuple[Cell, ...]] = []
        for i in inner:
            a, b = int(tree.child[i]), int(tree.child[i]) + 1
            sums = (tree.gradient[a], tree.hessian[a], tree.gradient[b], tree.hessian[b])
            rows.append((i, tree.test(i), float(tree.mass[i]), *map(float, sums), float(tree.gain[i]), f"{a}, {b}"))
        shown = rows if is_full else rows[: 3 * SHOWN]
        header = ("node", "test", "rows", "G₀", "H₀", "G₁", "H₁", "gain", "branches")
        cut = "" if len(shown) == len(rows) else f"The first {len(shown)} of {len(rows)} tests."
        yield Step(f"{tree.title}: the tests", table=WorkTable(header, tuple(shown), cut))
        for i in inner if is_full else inner[:SHOWN]:
            yield Step(f"{tree.title}: what the test of node {i} gains", tuple(_gain(tree, i)))
    found = [answer for i in (leaves if is_full else leaves[:SHOWN]) for answer in _leaf(tree, i)]
    yield Step(f"{tree.title}: what leaves add", tuple(found), note=_leaf_note(tree, found))


def _gain(tree: KeptTree, i: int) -> Iterator[Equation]:
    """The sums of a node out of those of its branches, and by how much its test lowers the loss."""
    a, b = int(tree.child[i]), int(tree.child[i]) + 1
    sums = {"G_0": a, "G_1": b}
    values = {name: float(tree.gradient[j]) for name, j in sums.items()}
    hessians = {"H_0": float(tree.hessian[a]), "H_1": float(tree.hessian[b])}
    yield Equation("G", "G_0 + G_1", values, ("trace_", "gradient", tree.shift + i), {"G": MEANINGS["G"]})
    yield Equation("H", "H_0 + H_1", hessians, ("trace_", "hessian", tree.shift + i), {"H": MEANINGS["H"]})
    yield from _price(tree, i)
    if tree.model.monotonic_cst is not None:
        return
    yield Equation(
        "gain",
        "1/2 * (G_0**2 / (H_0 + λ) + G_1**2 / (H_1 + λ) - G**2 / (H + λ))",
        {
            **values,
            **hessians,
            "G": float(tree.gradient[i]),
            "H": float(tree.hessian[i]),
            "λ": float(tree.l2[i]),
        },
        ("trees_", "gain", tree.first + i),
        therefore=True,
    )


def _price(tree: KeptTree, i: int) -> Iterator[Equation]:
    """The λ of a node, where it is not that of all or where no gain shows it."""
    nominal = tree.model.attributes_[tree.feature[i]].kind != "numeric"
    if not (nominal or tree.model.monotonic_cst is not None):
        return
    values, words = {"l": float(tree.model.l2_regularization)}, {"l": "l2_regularization"}
    right = "l"
    if nominal:
        values |= {"H": float(tree.hessian[i]), "W": float(tree.mass[i])}
        words["W"] = "the weight of the rows of the node"
        right = f"l + {SMOOTHING:g} * H / W"
    yield Equation("λ", right, values, ("trace_", "l2", tree.shift + i), words)


def _leaf(tree: KeptTree, i: int) -> Iterator[Equation]:
    """What a leaf adds, where nothing but its sums has decided."""
    model, of = tree.model, ("trees_", "value", tree.first + i, 0)
    loss, rate = model._loss(), float(model.learning_rate)
    if loss.by_medians:
        low, high = model.trace_.middles[tree.shift + i].tolist()
        yield Equation(f"v[{i}]", "η * (r_1 + r_2) / 2", {"η": rate, "r_1": low, "r_2": high}, of)
        return
    slope = float(tree.hessian[i]) + model.l2_regularization
    if not slope > 0.0:
        return
    values = {"η": rate, "G": float(tree.gradient[i]), "H": float(tree.hessian[i])}
    values["λ"] = float(model.l2_regularization)
    step = -values["G"] / slope
    if abs(step) > loss.longest_step:
        right = f"η * max(min(-G / (H + λ), {loss.longest_step:g}), -{loss.longest_step:g})"
        yield Equation(f"v[{i}]", right, values, of)
    elif model.monotonic_cst is None:
        yield Equation(f"v[{i}]", "-η * G / (H + λ)", values, of)


def _leaf_note(tree: KeptTree, found: list[Equation]) -> str:
    total = int((tree.feature < 0).sum())
    if not found:
        return "Monotone columns bound what leaves may add."
    return f"The first {len(found)} of {total} leaves." if len(found) < total else ""


# --- answers ----------------------------------------------------------------------------------------------------


def derive_answers(model: Any, chunk: Chunk, cut: bool, options: WorkOptions) -> Work:
    """The running sums for rows, and what they stand for."""
    leaves = model._finder.leaves(chunk)
    steps = [step for i in range(len(chunk)) for step in _row_steps(model, leaves[i], i, options)]
    notes = [f"Only the first {len(chunk)} rows are derived."] if cut else []
    return Work("Gradient boosting: the predictions", steps, notes)


def _row_steps(model: Any, leaves: Any, i: int, options: WorkOptions) -> Iterator[Step]:
    name, scores = model._loss().name, len(model.constant_)
    added = model.trees_.value[leaves, 0].reshape(-1, scores)
    total = model.constant_ + added.sum(axis=0)
    best = int(np.argmax(total))
    shown = range(scores) if options.is_full or scores == 1 else [best]
    is_class = name in ("log_loss", "softmax")
    for k in shown:
        tag = f"[{k + 1}]" if scores > 1 else ""
        of: tuple[str | int, ...] = ()
        if is_class:
            of = ("decision_function", i, k) if scores > 1 else ("decision_function", i)
        elif name != "poisson":
            of = ("predict", i)
        values = {"c": float(model.constant_[k]), "v": added[:, k]}
        where = {"v[t]": "what the row's leaf in the tree of round t adds"}
        running = Equation(f"s{tag}", "c + sum(v[t] for t in _)", values, of, where)
        yield Step(f"Row {i + 1}: the constant and {len(added)} leaves" + (f", score {k + 1}" if tag else ""), running)
    if name == "poisson":
        yield Step(f"Row {i + 1}: the rate", Equation("ŷ", "exp(s)", {"s": float(total[0])}, ("predict", i)))
    elif is_class:
        yield Step(f"Row {i + 1}: the class", tuple(_class(model, total, best, i)))


def _class(model: Any, total: Any, best: int, i: int) -> Iterator[Equation]:
    """The probability, and the class that is chosen."""
    labels = [str(label) for label in model.classes_]
    if len(total) == 1:
        s = float(total[0])
        right = "1 / (1 + exp(-s))" if s >= 0.0 else "exp(s) / (1 + exp(s))"
        yield Equation("p", right, {"s": s}, ("predict_proba", i, 1), {"p": f"the probability of {labels[1]}"})
        side = f"{word(labels[1])} if s > 0 else {word(labels[0])}"
        yield Equation(word("class"), side, {"s": s}, ("predict", i), therefore=True)
        return
    by_class = dict(zip(labels, total.tolist(), strict=True))
    top = word(labels[best])
    right = f"1 / sum(exp(s[k] - s[{top}]) for k in _)"
    yield Equation(f"p[{top}]", right, {"s": by_class}, ("predict_proba", i, best))
    yield Equation(word("class"), "argmax(s[k] for k in _)", {"s": by_class}, ("predict", i), therefore=True)
