"""The works of rote and unbiased learners: what was seen of all instances, and what that says of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.concept.conjunction import Positions
from novacula.concept.derivation.space import HUGE, X_SIZE, by_attribute, instance_words
from novacula.learner.derivation import SHOWN, TABLE_ROWS, cut_table
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.concept.rote import InstanceMemory, RoteLearner
    from novacula.concept.unbiased import UnbiasedLearner

SEEN = {"n_seen": "instances that were seen with one label", "X": "all instances"}


def derive_memory(model: InstanceMemory, more: Sequence[Step] = ()) -> Work:
    """How many instances there are, and which share of them was seen."""
    return Work(f"{model.card.name}: what is known", [*_seen_steps(model), *more])


def _seen_steps(model: InstanceMemory) -> list[Step]:
    space, seen = model.space_, model.n_recalled()
    if space.n_instances > HUGE:
        note = f"There are about ⟦2**{space.n_instances.bit_length()}⟧ instances, and {seen} of them were seen."
        return [Step("Instances", Equation("size(X)", "product(d[j] for j in _)"), note=note)]
    sizes = {"d[j]": by_attribute(space, space.sizes.tolist())}
    count = Equation("size(X)", "product(d[j] for j in _)", sizes, X_SIZE, {"d[j]": "values of attribute j"})
    share = Equation("share", "n_seen / size(X)", {"n_seen": seen, "size(X)": space.n_instances}, where=SEEN)
    return [Step("Instances", count), Step("Instances that are decided", share)]


def derive_power_set(model: UnbiasedLearner) -> Work:
    """What was seen, S and G as sets of instances, and the size of the version space."""
    examples, names = model.examples_, model.row_names_.first.tolist()
    n, seen = model.space_.n_instances, len(examples.positive)
    known = {"size(X)": n, "n_seen": seen} if n <= HUGE else None
    size = Equation("log2(size(VS))", "size(X) - n_seen", known, ("log2_size_",) if known else (), SEEN)
    yes, no = ([f"x_{names[i]}" for i in np.flatnonzero(examples.positive == sign)[:SHOWN]] for sign in (True, False))
    found = [Equation("S", _either(yes)) if yes else None, Equation("G", f"not ({_either(no)})") if no else None]
    rows = [
        (f"⟦x_{name}⟧", instance_words(model.space_, row), "+" if sign else "−")
        for name, row, sign in zip(names, examples.positions, examples.positive.tolist(), strict=True)
    ]
    table = cut_table(("row", "instance", "label"), rows, len(rows), most=TABLE_ROWS)
    boundaries = tuple(equation for equation in found if equation is not None)
    most = max(int(examples.positive.sum()), int((~examples.positive).sum()))
    cut = f"Only the first {SHOWN} of each are written." if most > SHOWN else ""
    note = "Each instance that was not seen may belong to the concept or not."
    title = "S is the positives, and G is all but the negatives"
    return derive_memory(model, [Step(title, boundaries, table, note=cut), Step("Members", size, note=note)])


def derive_halves(model: UnbiasedLearner, rows: Positions, notes: Sequence[str]) -> Work:
    """The vote on each row: for each member that accepts what was not seen there is one that differs there alone."""
    yes, no = _labels(model)
    steps = []
    for i, row in enumerate(rows):
        names, where = _seen_as(model, row, i)
        place = model.classes_.tolist().index(yes)
        left = f"P({word(yes)} | x[{i + 1}])"
        share = Equation(left, f"(1 + {' - '.join(names)}) / 2", names, ("predict_proba", i, place), where)
        answer = Equation(
            word("class"),
            f"{word(yes)} if {left} > 1/2 else {word(no)}",
            {left: share.value},
            ("predict", i),
            therefore=True,
        )
        note = "" if any(names.values()) else "It was never seen, so that half of the members accept it: a tie is a no."
        steps.append(Step(f"Row {i + 1}: votes for {yes}", (share, answer), note=note))
    return Work(f"{model.card.name}: the votes", steps, notes)


def _either(instances: Sequence[str]) -> str:
    return " or ".join(instances)


def derive_recall(model: RoteLearner, rows: Positions, notes: Sequence[str]) -> Work:
    """Whether each row is remembered, and as what."""
    yes, no = _labels(model)
    default = _default(model, str(yes), str(no))
    steps = [default] if default is not None else []
    for i, row in enumerate(rows):
        names, where = _seen_as(model, row, i)
        (a, plus), (b, minus) = names.items()
        verdict = Equation(f"decide(x[{i + 1}])", f"{a} - {b}", names, ("decide", i), where)
        answer = Equation(
            word("class"),
            f"{word(yes)} if {a} > {b} else ({word(no)} if {a} < {b} else {word(model.default_)})",
            names,
            ("predict", i),
            therefore=True,
        )
        note = "" if plus != minus else "It was never seen, or with both labels: predict says the default."
        steps.append(Step(f"Row {i + 1}", (verdict, answer), note=note))
    return Work(f"{model.card.name}: what is recalled", steps, notes)


def _default(model: RoteLearner, yes: str, no: str) -> Step | None:
    """The more frequent label, unless one is given; the negative one stands first, so that it has a tie."""
    if model.default is not None:
        return None
    by_label = dict(zip(map(str, model.classes_.tolist()), model.class_count_.tolist(), strict=True))
    counts: dict[str, Any] = {"n[c]": {no: by_label[no], yes: by_label[yes]}}
    meaning = {"n[c]": "rows of class c"}
    default = Equation(word("default"), "argmax(n[c] for c in _)", counts, ("default_",), meaning, therefore=True)
    return Step("What is said of an instance that was never seen", default)


def _labels(model: InstanceMemory) -> tuple[Any, Any]:
    """The label of the concept, and the other."""
    no, yes = sorted(model.classes_.tolist(), key=lambda label: label == model.positive_)
    return yes, no


def _seen_as(model: InstanceMemory, row: Positions, i: int) -> tuple[dict[str, int], dict[str, str]]:
    """How many positive and how many negative examples are equal to a row, and what that means."""
    same, positive = (model.examples_.positions == row).all(axis=1), model.examples_.positive
    names = {f"n_plus[{i + 1}]": int((same & positive).sum()), f"n_minus[{i + 1}]": int((same & ~positive).sum())}
    words = (f"{sign} examples equal to row {i + 1}" for sign in ("positive", "negative"))
    return names, dict(zip(names, words, strict=True))
