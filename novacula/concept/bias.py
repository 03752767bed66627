"""What has to be assumed so that an answer follows: learners of concepts side by side on one instance.

The inductive bias of a learner is the least assumption B under which its answer follows from the examples D:

    B ∧ D ∧ x ⊨ c(x)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from novacula.concept.candidate_elimination import CandidateElimination
from novacula.concept.derivation.bias import derive_biases
from novacula.concept.find_s import FindS
from novacula.concept.rote import RoteLearner
from novacula.concept.space import ConjunctiveSpace, plain
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work, WorkTable

ASSUMPTIONS = {
    "rote learner": "nothing",
    "Candidate-Elimination": "c ∈ H: the concept is a conjunction",
    "FIND-S": "c ∈ H, and what no positive example shows is negative",
}


@dataclass(frozen=True)
class BiasComparison(ShowsWork):
    """What each learner says of an instance: 1 yes, −1 no, 0 where nothing follows; and the counts behind it."""

    instance: Mapping[str, Any]
    labels: tuple[Any, Any]  # of no and of yes
    rote: int
    candidate_elimination: int
    find_s: int
    seen: tuple[int, int]  # positive and negative examples that are the instance
    votes: tuple[int, int]  # members of the version space that accept it, and all
    met: Mapping[str, bool]  # by attribute, whether the constraint of FIND-S is met

    @property
    def decisions(self) -> dict[str, int]:
        """By learner, from the weakest bias to the strongest: 1, −1 or 0."""
        return dict(zip(ASSUMPTIONS, (self.rote, self.candidate_elimination, self.find_s), strict=True))

    def table(self) -> WorkTable:
        """Each learner with its assumption, its answer, and the deduction."""
        no, yes = self.labels
        rows = []
        for learner, decision in self.decisions.items():
            answer = {1: str(yes), -1: str(no), 0: "?"}[decision]
            bias = "" if learner == "rote learner" else "B ∧ "
            follows = f"{bias}D ∧ x ⊨ c(x) = {answer}" if decision else "nothing follows"
            rows.append((learner, ASSUMPTIONS[learner], answer, follows))
        return WorkTable(("learner", "assumption B", "answer", "deduction"), tuple(rows))

    def _derive(self, options: WorkOptions) -> Work:
        return derive_biases(self)


def compare_biases(
    X: Any,
    y: Any = None,
    *,
    instance: Mapping[str, Any] | Sequence[Any],
    space: ConjunctiveSpace | None = None,
    positive: Any = None,
) -> BiasComparison:
    """Ask a rote learner, Candidate-Elimination and FIND-S about one instance.

    `instance` has a value for each attribute, by name or in order, each from its domain.

    >>> import novacula as nv
    >>> days = nv.datasets.load("enjoy_sport")
    >>> compare_biases(days, instance=("Sunny", "Warm", "Normal", "Strong", "Cool", "Change")).decisions
    {'rote learner': 0, 'Candidate-Elimination': 1, 'FIND-S': 1}
    """
    version = CandidateElimination(space, positive).fit(X, y)
    rote, specific = RoteLearner(space, positive).fit(X, y), FindS(space, positive).fit(X, y)
    held, names = version.space_, version.space_.names
    position = held.instance(instance)
    held.refuse_unknown(position, "the instance", between=True)
    given = [instance[name] for name in names] if isinstance(instance, Mapping) else instance
    values = dict(zip(names, map(plain, given), strict=True))
    frame = pd.DataFrame([values], columns=list(names))
    row = frame if hasattr(version, "feature_names_in_") else frame.to_numpy()
    (yes,), total = version.votes(row)
    same = (version.examples_.positions == position).all(axis=1)
    positive_too = version.examples_.positive
    count = (int((same & positive_too).sum()), int((same & ~positive_too).sum()))
    met = {
        str(name): bool(low <= p <= high)
        for name, (low, high), p in zip(names, specific.hypothesis_.ranges, position.tolist(), strict=True)
    }
    no, yes_label = sorted(version.classes_.tolist(), key=lambda label: bool(label == version.positive_))
    recalled, agreed, accepted = (int(learner.decide(row)[0]) for learner in (rote, version, specific))
    return BiasComparison(values, (no, yes_label), recalled, agreed, accepted, count, (yes, total), met)
