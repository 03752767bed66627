"""The work of an answer that is the mean of what many models say: forests and bagging."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.learner.derivation import TABLE_ROWS
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.words import counted, shortened

CLASSES = 6
"""Classes whose shares are derived, the largest."""


def largest_shares(shares: Floats) -> list[int]:
    """The numbers of an answer that are derived: all, or the largest shares."""
    return sorted(np.argsort(-shares, kind="stable")[:CLASSES].tolist())


def name_of(classes: Any, k: int, row: int) -> str:
    """What an answer is called: the share of a class, or without classes the number for a row."""
    return f"y_hat[{row}]" if classes is None else f"P({word(shortened(str(classes[k])))})"


def derive_means(title: str, answers: Floats, classes: Any, noun: str, meaning: str, cut: bool) -> Work:
    """What the models say of each row (n, T, K), and their mean; without classes K is 1."""
    steps = [_mean_step(i, answers[i], classes, noun, meaning) for i in range(len(answers))]
    return Work(title, steps, [f"Only the first {len(answers)} rows are derived."] if cut else [])


def _mean_step(i: int, answers: Floats, classes: Any, noun: str, meaning: str) -> Step:
    """The mean of the answers (T, K) for a row."""
    mean, said = answers.sum(axis=0) / len(answers), []
    for k in largest_shares(mean):
        values = {"v[t]": {str(t): float(v) for t, v in enumerate(answers[:, k])}, "T": len(answers)}
        of: tuple[str | int, ...] = ("predict", i) if classes is None else ("predict_proba", i, k)
        said.append(Equation(name_of(classes, k, i + 1), "sum(v[t] for t in _) / T", values, of, {"v[t]": meaning}))
    if classes is None:
        note = f"They say from {answers.min():.6g} to {answers.max():.6g}, ± {answers.std():.6g}."
        return Step(f"Row {i + 1}: the mean of {counted(len(answers), noun)}", tuple(said), note=note)
    winner = int(mean.argmax())
    shares = {str(label): float(p) for label, p in zip(classes, mean, strict=True)}
    said.append(Equation("y_hat", "argmax(P[t] for t in _)", {"P[t]": shares}, ("predict", i), therefore=True))
    note = _dissent(answers.argmax(axis=1), winner, noun)
    return Step(f"Row {i + 1}: {shortened(str(classes[winner]))}", tuple(said), note=note)


def _dissent(votes: Any, winner: int, noun: str) -> str:
    """Which models would say another class."""
    others = np.flatnonzero(votes != winner)
    if not len(others):
        return f"All {len(votes)} agree."
    named = ", ".join(map(str, others[:TABLE_ROWS])) + (", …" if len(others) > TABLE_ROWS else "")
    return f"{counted(len(others), noun)} of {len(votes)} would say another class: {named}."
