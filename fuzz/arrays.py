"""Extreme arrays, weights and labels: a learner must answer with numbers, or say in our words why it does not."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.array_case import ArrayCase
from fuzz.array_forms import DENSE, FORMS, LABEL_FORMS, fit_arguments, formed
from fuzz.array_settings import draw_settings, make_learner
from fuzz.extremes import (
    LABELS,
    as_type,
    draw_bounded_weight,
    draw_classes,
    draw_labels,
    draw_numbers,
    draw_shape,
    draw_target,
    draw_weight,
    squarable,
)
from fuzz.target import FuzzTarget, Misbehaviour, is_ours, pick
from novacula.checks.scales import as_array
from novacula.learner.fitted_state import check_fitted_state
from novacula.learner.registry import learners
from novacula.state import StateError

WHOLE = 0.8
"""The share of cases that a learner should make something of."""
CLASSED = ("classification", "transform", "sequence")
"""Tasks whose target is a class."""
METHODS = (
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decision_function"),
    *("score_samples", "transform"),
)
LOGARITHMS = frozenset({"predict_log_proba", "predict_joint_log_proba", "score_samples"})
"""Answers that are −∞ where something cannot be, and +∞ where a density has no bound."""
NOT_PROBABILITIES = {"bayesian-network": "of a continuous node it gives mean and deviation"}
"""Learners whose `predict_proba` need not sum to 1, with the reason."""
PASSED_ON = {"feature-ranker": "it passes columns on as they are, also those of rows that hold NaN"}
"""Learners whose `transform` may give what is not finite, with the reason."""


class Target(FuzzTarget):
    """Fits of any learner on extreme rows, and its answers for these and for others."""

    def ready(self) -> None:
        """Have every kernel compiled."""
        from novacula.compiling import find_kernels

        for kernel in find_kernels():
            kernel.compile()

    def write(self, random: np.random.Generator, folder: Path) -> Path:
        """Draw a learner, its parameters, rows, target and weights."""
        path = folder / "case.npz"
        draw_case(random).write(path)
        return path

    def attempt(self, path: Path) -> str:
        """Fit and ask; every answer must be a number that makes sense, unless we said that it is none."""
        case = ArrayCase.read(path)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = make_learner(case.learner, case.settings)
            try:
                fit(model, case)
            except Exception as error:
                if is_ours(error):
                    return "refused at fit"
                raise
            return judge(model, case, said)


def draw_case(random: np.random.Generator) -> ArrayCase:
    """One extreme fit: as a rule of numbers that a learner should make something of, or else of anything."""
    name = pick(random, list(learners()))
    return _draw_whole(random, name) if random.random() < WHOLE else _draw_anything(random, name)


def _draw_whole(random: np.random.Generator, name: str) -> ArrayCase:
    """Rows that can be squared, weights within bounds, and two classes at least."""
    card = learners()[name].card
    n, d = int(pick(random, (4, 5, 8, 12, 20, 30, 60))), int(pick(random, (1, 1, 2, 2, 3, 5, 12)))
    rows, query = squarable(draw_numbers(random, n, d)), draw_numbers(random, 7, d)
    rows = np.abs(np.rint(rows)) if card.counts else rows
    case = ArrayCase(name, draw_settings(random, name), rows, query, weight=draw_bounded_weight(random, n))
    if random.random() < 0.3:
        case.form = pick(random, FORMS if "sparse" in card.takes else DENSE)
    if card.task in CLASSED:
        case.target = draw_classes(random, n, 2 if card.conjunctive else int(random.integers(2, 5)))
    else:
        case.target = squarable(draw_target(random, n))
    if card.task == "sequence":
        _draw_sequences(random, case, n)
    if "categorical" in card.takes and random.random() < 0.1:
        case.words = draw_labels(random, n)
    _draw_pieces(random, case)
    return case


def _draw_anything(random: np.random.Generator, name: str) -> ArrayCase:
    """Numbers, weights and labels of any size, type and number."""
    card = learners()[name].card
    n, d = draw_shape(random)
    rows = as_type(random, draw_numbers(random, n, d))
    case = ArrayCase(name, draw_settings(random, name), rows, draw_numbers(random, 7, d), weight=draw_weight(random, n))
    if random.random() < 0.4:
        case.form = pick(random, FORMS)
    if card.task in CLASSED:
        case.target = draw_classes(random, n)
        if random.random() < 0.15:
            case.labels, case.label_form = draw_labels(random, n), pick(random, LABEL_FORMS)
    else:
        case.target = as_type(random, draw_target(random, n))
    if card.task == "sequence":
        _draw_sequences(random, case, n)
    if rows.ndim == 2 and rows.size and random.random() < 0.1:
        _draw_odd(random, case, "categorical" in card.takes)
    _draw_pieces(random, case)
    if random.random() < 0.01:
        case.target = draw_classes(random, n + 1)
    if random.random() < 0.01:
        case.odd_weight = pick(random, pick(random, LABELS))
    return case


def _draw_pieces(random: np.random.Generator, case: ArrayCase) -> None:
    """Now and then a fit piece by piece, where the learner has one."""
    if hasattr(make_learner(case.learner, case.settings), "partial_fit") and random.random() < 0.15:
        case.pieces = int(random.integers(1, 4))


def _draw_sequences(random: np.random.Generator, case: ArrayCase, n: int) -> None:
    """Most sequences come without their states, some are cut, and weights are theirs."""
    if random.random() < 0.7:
        case.target = case.labels = None
    case.weight = None
    if random.random() < 0.4 and n > 1:
        cut = int(random.integers(1, n))
        case.lengths, case.weight = [cut, n - cut], draw_weight(random, 2)


def _draw_odd(random: np.random.Generator, case: ArrayCase, words: bool) -> None:
    """Objects among the numbers, or a column of words beside them."""
    if words and random.random() < 0.7:
        case.words = draw_labels(random, len(case.rows))
        return
    for token in pick(random, LABELS):
        case.odd_cells.append([int(random.integers(size)) for size in case.rows.shape] + [token])


def fit(model: Any, case: ArrayCase) -> None:
    """Fit as the case says: at once, or piece by piece."""
    arguments = fit_arguments(case)
    if not case.pieces or case.form == "table":
        model.fit(**arguments)
        return
    for _ in range(case.pieces):
        model.partial_fit(**arguments)


def judge(model: Any, case: ArrayCase, said: list[warnings.WarningMessage]) -> str:
    """How a fit ended: what the model holds and answers must be numbers, or said to be none."""
    fitted = [f"{case.learner} keeps {what}" for what in wrong_in_model(model)]
    answers, refused = [], False
    for rows in (case.rows, case.query):
        for method in METHODS:
            try:
                answer = as_array(getattr(model, method)(formed(case, rows))) if hasattr(model, method) else None
            except Exception as error:
                if not is_ours(error):
                    raise
                refused = True
                continue
            if answer is not None and (wrong := wrong_in_answer(case.learner, method, answer)):
                answers.append(f"{case.learner} answers {wrong} by {method}")
    is_named = any(names_place(warning) for warning in said)
    if (fitted or answers) and not is_named:
        raise Misbehaviour("; ".join(sorted({*fitted, *answers})))
    return "warned" if is_named else "refused when asked" if refused else "answered"


def names_place(warning: warnings.WarningMessage) -> bool:
    """Whether a warning is one of ours that names columns, the target or the weights."""
    words = ("column", "weight", "target")
    return warning.category.__module__ == "novacula.errors" and any(word in str(warning.message) for word in words)


def wrong_in_model(model: Any) -> Iterator[str]:
    """What is not as the learner declares: NaN and infinity where it does not allow for them, first of all."""
    try:
        check_fitted_state(model)
    except StateError as error:
        yield str(error)


def wrong_in_answer(learner: str, method: str, answer: Any) -> str | None:
    """What is wrong with the answers of a method, if anything is."""
    if answer.dtype.kind not in "fc" or (method == "transform" and learner in PASSED_ON):
        return None
    if np.isnan(answer).any():
        return "NaN"
    if method in LOGARITHMS:
        return None
    if np.isinf(answer).any():
        return "infinity"
    if method != "predict_proba" or learner in NOT_PROBABILITIES:
        return None
    if not np.allclose(answer.sum(axis=1), 1.0, atol=1e-6):
        return "probabilities that do not sum to 1"
    return "negative probabilities" if (answer < 0.0).any() else None
