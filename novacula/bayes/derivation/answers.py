"""The work of four ways to answer for one instance: each answer, and its expected error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novacula.bayes.derivation.names import by_name, called, names_of, shown_hypotheses
from novacula.bayes.derivation.predictions import mixture
from novacula.learner.showing import WorkOptions
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.bayes.answers import ComparedAnswers

ERROR = {"MAP": "E_MAP", "ML": "E_ML", "Bayes-optimal": "E_opt", "Gibbs": "E_Gibbs"}
"""How the expected errors are written."""


def derive_compared(compared: ComparedAnswers, options: WorkOptions) -> Work:
    """The votes, then each way with its error, the bound of the draw, and all side by side."""
    names, labels = names_of(compared), [called(label) for label in compared.classes]
    shown = shown_hypotheses(compared, options)
    answers = {names[h]: labels[k] for h, k in enumerate(compared.choices.tolist())}
    rows = tuple((names[h], float(compared.weights[h]), answers[names[h]]) for h in shown)
    votes = tuple(
        mixture(compared, names, compared.each[:, k], f"P({t} | x, D)", f"P({t} | x, h)", ("votes", k))
        for k, t in enumerate(map(word, labels))
    )
    shares = dict(zip(labels, compared.votes.tolist(), strict=True))
    steps = [
        Step("What each hypothesis answers", table=WorkTable(("hypothesis", "⟦P(h | D)⟧", "answer"), rows)),
        Step("The votes of all hypotheses", votes),
    ]
    logs = by_name(names, compared.log_likelihood)
    weights = by_name(names, compared.weights)
    chosen = {
        "MAP": Equation("h_MAP", "argmax(P(h | D) for h in _)", {"P(h | D)": weights}, therefore=True),
        "ML": Equation("h_ML", "argmax(log(P(D | h)) for h in _)", {"log(P(D | h))": logs}, therefore=True),
        "Bayes-optimal": Equation(
            "t̂", "argmax(P(t | x, D) for t in _)", {"P(t | x, D)": shares}, ("answers", "Bayes-optimal"), therefore=True
        ),
    }
    for rule, choice in chosen.items():
        label = called(compared.answers[rule])
        vote = f"P({word(label)} | x, D)"
        error = Equation(ERROR[rule], f"1 - {vote}", {vote: shares[label]}, ("errors", rule))
        steps.append(Step(f"{rule} answers {label}", (choice, error), note=_tie(compared, rule)))
    steps.append(Step("A hypothesis that is drawn", tuple(_draw(compared, names))))
    header = ("way", *(f"⟦P⟧ of {label}" for label in labels), "expected error")
    certain = [(rule, *(float(t == answer) for t in compared.classes)) for rule, answer in compared.answers.items()]
    table = tuple((*row, compared.errors[row[0]]) for row in [*certain, ("Gibbs", *compared.draws.tolist())])
    steps.append(Step("Side by side", table=WorkTable(header, table)))
    return Work("Four ways to answer for one instance", steps)


def _tie(compared: ComparedAnswers, rule: str) -> str:
    """Whether hypotheses that answer differently share the first place, of which the first in order is asked."""
    by_rule = {"MAP": compared.weights, "ML": compared.log_likelihood}
    if rule not in by_rule:
        return ""
    first = by_rule[rule] == by_rule[rule].max()
    if len(set(compared.choices[first].tolist())) < 2:
        return ""
    return f"{int(first.sum())} of {len(first)} hypotheses share the first place and do not agree: the first answers."


def _draw(compared: ComparedAnswers, names: list[str]) -> list[Equation]:
    """The expected error of a draw, and its bound where each hypothesis gives one answer."""
    agreed = compared.votes[compared.choices]
    error = Equation(
        ERROR["Gibbs"],
        "sum(P(h | D) * (1 - P(t[h] | x, D)) for h in _)",
        {
            "P(h | D)": by_name(names, compared.weights),
            "P(t[h] | x, D)": by_name(names, agreed),
        },
        of=("errors", "Gibbs"),
        where={"t[h]": "what the hypothesis answers"},
    )
    if not compared.is_bounded:
        return [error]
    errors = {ERROR["Gibbs"]: compared.errors["Gibbs"], ERROR["Bayes-optimal"]: 1.0 - float(np.max(compared.votes))}
    return [error, Equation(ERROR["Gibbs"], f"2 * {ERROR['Bayes-optimal']}", errors, sign="≤", therefore=True)]
