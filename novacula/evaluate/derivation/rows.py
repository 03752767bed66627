"""Which rows are put aside: how many each part and each fold has, and what becomes of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.learner.derivation import SHOWN, cut_table, only_first
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Cell, Step, Work, WorkTable
from novacula.mathematics import Equation
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.evaluate.folds import Folds
    from novacula.evaluate.split import Split

PARTS = ("train", "validation", "test")


def derive_split(split: Split) -> Work:
    """The rows of each part, beside what was asked for, and the classes in each."""
    n = sum(split.sizes)
    steps = list[Step]()
    for k, name in enumerate(PARTS):
        if split.sizes[k]:
            values = {f"n_{name}": split.sizes[k], "n": n}
            where = {f"n_{name}": "rows of this part", "n": "all rows"}
            share = Equation(f"p_{name}", f"n_{name} / n", values, of=("shares", k), where=where)
            steps.append(Step(f"{name.capitalize()}: {split.wanted[k]:g} was asked for", share))
    if split.classes is not None:
        steps.append(Step("The classes keep their shares", table=class_table(split.classes, split.rows, PARTS)))
    return Work(f"{n} rows in parts that have none in common", steps)


def derive_folds(folds: Folds, options: WorkOptions) -> Work:
    """The rows of each fold; where each row is held out once, they sum to all of them."""
    k, n = len(folds), folds.n_rows
    most = k if options.is_full else min(k, SHOWN)
    steps = [
        Step(f"Fold {i}", _fold(i, len(train), len(held), n))
        for i, (train, held) in enumerate(folds.pairs[:most], start=1)
    ]
    every = np.concatenate([rows for _, rows in folds.pairs])
    if len(every) == n and len(np.unique(every)) == n:
        total = Equation("n", "sum(v[k] for k in _)", {"v[k]": np.array(folds.held_out)}, of=("n_rows",))
        steps.append(Step("Each row is held out once", total))
    if folds.classes is not None:
        names = [f"fold {i + 1}" for i in range(most)]
        table = class_table(folds.classes, [rows for _, rows in folds.pairs[:most]], names)
        steps.append(Step("The classes keep their shares in what is held out", table=table))
    notes = [*([f"{folds.reason}."] if folds.reason else []), *only_first(most, k, "fold")]
    return Work(f"{n} rows in {k} folds", steps, notes)


def _fold(i: int, trained: int, held: int, n: int) -> Equation:
    """The rows of a fold; folds that were given need not have as many as the first."""
    where = {f"n[{i}]": "rows of the fold", f"t[{i}]": "rows to train on", f"v[{i}]": "rows that are held out"}
    of = ("n_rows",) if trained + held == n else ()
    return Equation(f"n[{i}]", f"t[{i}] + v[{i}]", {f"t[{i}]": trained, f"v[{i}]": held}, of, where)


def class_table(classes: Any, parts: Sequence[Any], names: Sequence[str]) -> WorkTable:
    """How many rows of each class each part has."""
    labels, codes = np.unique(np.asarray(classes), return_inverse=True)
    counts = [np.bincount(codes[rows], minlength=len(labels)) for rows in parts]
    rows: list[tuple[Cell, ...]] = [
        (shortened(str(label)), *(int(count[c]) for count in counts)) for c, label in enumerate(labels.tolist())
    ]
    return cut_table(("class", *names), rows, len(rows))
