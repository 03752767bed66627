"""The work of comparing biases: what follows for one instance, and from which assumption."""

from __future__ import annotations

from typing import TYPE_CHECKING

from novacula.concept.conjunction import shown
from novacula.concept.derivation.space import HUGE
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation
from novacula.words import shortened

if TYPE_CHECKING:
    from novacula.concept.bias import BiasComparison


def derive_biases(result: BiasComparison) -> Work:
    """The learners side by side, then each decision: 1 is yes, −1 no, and 0 that nothing follows."""
    plus, minus = result.seen
    yes, total = result.votes
    words = f"⟨{', '.join(map(shown, result.instance.values()))}⟩"
    recalled = Equation(
        "d_rote",
        "n_plus - n_minus",
        {"n_plus": plus, "n_minus": minus},
        ("rote",),
        {"n_plus": "positive examples that are x", "n_minus": "negative ones"},
    )
    steps = [
        Step(f"What is said of x = {words}", table=result.table(), note="B is what is assumed, D the examples."),
        Step("Rote learner: only what was seen", recalled),
    ]
    if total <= HUGE:
        agreed = Equation(
            "d_VS",
            "1 if n_yes == size(VS) else (-1 if n_yes == 0 else 0)",
            {"n_yes": float(yes), "size(VS)": float(total)},
            ("candidate_elimination",),
            {"n_yes": "members of the version space that accept x", "size(VS)": "all members"},
        )
        steps.append(Step("Candidate-Elimination: what all members agree on", agreed))
    met = {f"{j + 1}: {shortened(name)}": float(is_met) for j, (name, is_met) in enumerate(result.met.items())}
    meaning = {"m[j]": "1 where x meets the constraint of the most specific hypothesis on attribute j, and 0 if not"}
    accepted = Equation("d_S", "2 * product(m[j] for j in _) - 1", {"m[j]": met}, ("find_s",), meaning)
    steps.append(Step("FIND-S: no unless the positives say yes", accepted))
    return Work("Inductive bias: what must be assumed", steps)
