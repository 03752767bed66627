"""The work of AdaBoost: errors and weights of the rounds, the bound on the training error, and weighted votes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.ensemble.ada_boost import OUTCOMES
from novacula.learner.derivation import SHOWN, cut_table
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation, word
from novacula.table.chunk import Floats
from novacula.words import counted, shortened

if TYPE_CHECKING:
    from novacula.ensemble.ada_boost import AdaBoostClassifier

MEANINGS = {"ε": "the weight of the wrong rows, as a share of all", "K": "the number of classes"}


def derive_rounds(model: AdaBoostClassifier, options: WorkOptions) -> Work:
    """The rounds of a fitted ensemble."""
    errors, k = model.estimator_errors_, len(model.classes_)
    rounds = len(errors) if options.is_full else min(len(errors), SHOWN)
    steps = [_table_step(model), *(_round_step(model, m, k) for m in range(rounds))]
    if k == 2 and model.learning_rate == 1.0 and model.outcome_ != "chance":
        steps.append(_bound_step(model))
    notes = [f"The first {rounds} of {len(errors)} rounds are derived."] if rounds < len(errors) else []
    return Work("AdaBoost: the rounds", steps, [*notes, OUTCOMES[model.outcome_]])


def _table_step(model: AdaBoostClassifier) -> Step:
    """Error, weight, and what becomes of the weights of rows, round by round."""
    rows = []
    for m, (error, alpha) in enumerate(zip(model.estimator_errors_, model.estimator_weights_, strict=True)):
        total = 1.0 - error + error * np.exp(alpha)
        factors = (1.0 / total, np.exp(alpha) / total) if error > 0.0 else (1.0, 1.0)
        rows.append((m + 1, float(error), float(alpha), *map(float, factors), float(model.training_errors_[m])))
    header = ("round", "error ε", "weight α", "right rows ×", "wrong rows ×", "training error")
    return Step("The rounds", table=cut_table(header, rows, len(rows)))


def _round_step(model: AdaBoostClassifier, m: int, k: int) -> Step:
    """How much a model counts, and what that makes of the weights."""
    error, alpha = float(model.estimator_errors_[m]), float(model.estimator_weights_[m])
    of = ("estimator_weights_", m)
    title = f"Round {m + 1}: the error is {error:.6g}"
    if error <= 0.0 or (model.outcome_ == "chance" and m == 0):
        return Step(title, Equation("α", "α_0", {"α_0": alpha}, of, therefore=True), note=OUTCOMES[model.outcome_])
    values: dict[str, Any] = {"ε": error}
    right = "log((1 - ε) / ε)"
    if k > 2:
        right, values["K"] = f"{right} + log(K - 1)", k
    if model.learning_rate != 1.0:
        right, values["η"] = f"η * ({right})", float(model.learning_rate)
    where = {name: words for name, words in {**MEANINGS, "η": "the learning rate"}.items() if name in values}
    found = [Equation("α", right, values, of, where)]
    values = {"ε": error, "α": alpha}
    found.append(Equation("ε_next", "ε * exp(α) / (1 - ε + ε * exp(α))", values, where={
        "ε_next": "the share of the same rows in the new weights"
    }))  # fmt: skip
    return Step(title, tuple(found))


def _bound_step(model: AdaBoostClassifier) -> Step:
    """The training error is never above the product of 2√(ε(1 − ε)), since e^(−margin) is above the error."""
    inside = np.flatnonzero(model.estimator_errors_ > 0.0)
    errors = {str(m + 1): float(model.estimator_errors_[m]) for m in inside}
    last = float(model.training_errors_[-1])
    seen = Equation("E", "E_M", {"E_M": last}, ("training_errors_", -1 + len(model.training_errors_)), therefore=True)
    if not errors or len(inside) < len(model.estimator_errors_):
        return Step("The training error", seen)
    bound = Equation("E", "product(2 * sqrt(ε[m] * (1 - ε[m])) for m in _)", {"E": last, "ε[m]": errors}, sign="≤")
    note = "Each factor is below 1 where ε is below 1/2, so the bound falls with every round."
    return Step("The training error and its bound", (seen, bound), note=note)


def derive_weighted_votes(model: AdaBoostClassifier, votes: Floats, cut: bool) -> Work:
    """The scores of each row, from the votes (n, M, K) of the models."""
    steps = [step for i in range(len(votes)) for step in _row_steps(model, votes[i], i)]
    notes = [f"Only the first {len(votes)} rows are derived."] if cut else []
    return Work("AdaBoost: the weighted votes", steps, notes)


def _row_steps(model: AdaBoostClassifier, votes: Floats, i: int) -> Iterator[Step]:
    """The weight of the models that say a class, as a share of all."""
    alpha, k = model.estimator_weights_, len(model.classes_)
    said, found, shares = votes.argmax(axis=1), [], {}
    total = float(alpha.sum())
    for c, label in enumerate(model.classes_):
        inside = {str(m + 1): float(alpha[m]) for m in np.flatnonzero(said == c)}
        share = float(sum(inside.values())) / total
        shares[str(label)] = share
        if inside and (k <= SHOWN or share > 0.0):
            left, whole = f"s({word(shortened(str(label)))})", {"α[m]": inside, "A": total}
            where = {"α[m]": "the weights of the models that say the class", "A": "the weight of all models"}
            found.append(Equation(left, "sum(α[m] for m in _) / A", whole, where=where))
    found.append(Equation("y_hat", "argmax(s[t] for t in _)", {"s[t]": shares}, ("predict", i), therefore=True))
    winner = max(shares, key=lambda label: shares[label])
    against = int((said != int(np.argmax(list(shares.values())))).sum())
    note = f"{counted(against, 'model')} of {len(alpha)} would say another class."
    yield Step(f"Row {i + 1}: {shortened(winner)}", tuple(found), note=note)
