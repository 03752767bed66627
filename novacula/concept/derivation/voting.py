"""The votes of a version space on rows: by its boundaries where they decide, and by its members."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from novacula.concept.conjunction import Conjunction, Positions
from novacula.concept.derivation.space import HUGE
from novacula.learner.work import Step, Work, WorkTable
from novacula.mathematics import Equation, word

if TYPE_CHECKING:
    from novacula.concept.voting import VotingLearner

CERTAIN = {
    1: "Every member of S accepts it, so every member of the version space does.",
    -1: "No member of G accepts it, so no member of the version space does.",
    0: "S rejects it and a member of G accepts it, so the members differ and vote.",
}


def derive_votes(
    model: VotingLearner,
    rows: Positions,
    votes: tuple[Sequence[int], int],
    members: Sequence[Conjunction] | None,
    notes: Sequence[str],
) -> Work:
    """The vote on each row, member by member where they are few."""
    yes, total = votes
    steps = []
    for i, row in enumerate(rows):
        share = _share(model, i, row, yes[i], total, members)
        verdict = 1 if yes[i] == total else -1 if not yes[i] else 0
        answer = _answer(model, i, yes[i], total)
        table = None
        if members is not None:
            ballots = tuple((str(h), "yes" if h.covers(row[None])[0] else "no") for h in members)
            table = WorkTable(("member ⟦h⟧", "vote"), ballots)
        title = f"Row {i + 1}: votes for {model.positive_}"
        steps.append(Step(title, (share, answer), table, note=CERTAIN[verdict]))
    return Work(f"{model.card.name}: the votes", steps, [*notes, "A tie is a no."])


def _share(
    model: VotingLearner, i: int, row: Positions, yes: int, total: int, members: Sequence[Conjunction] | None
) -> Equation:
    left, of = f"P({word(model.positive_)} | x[{i + 1}])", ("predict_proba", i, _place(model))
    if members is not None:
        ballots = {str(h): float(h.covers(row[None])[0]) for h in members}
        where = {"v[h]": "1 where h accepts the row, and 0 where it does not", "VS": "the version space"}
        return Equation(left, "sum(v[h] for h in VS) / size(VS)", {"v[h]": ballots, "size(VS)": total}, of, where)
    own = f"n[{i + 1}]"
    where = {own: f"members of the version space VS that accept row {i + 1}"}
    if total <= HUGE:
        return Equation(left, f"{own} / size(VS)", {own: yes, "size(VS)": total}, of, where)
    logs = {f"log2({own})": math.log2(yes) if yes else -math.inf, "log2(size(VS))": math.log2(total)}
    return Equation(left, f"2**({' - '.join(logs)})", logs, of, where)


def _answer(model: VotingLearner, i: int, yes: int, total: int) -> Equation:
    """The label of most votes; the other one stands first, so that a tie is a no."""
    given = f"P(c | x[{i + 1}])"
    other = next(label for label in model.classes_.tolist() if label != model.positive_)
    shares = {str(other): (total - yes) / total, str(model.positive_): yes / total}
    return Equation(word("class"), f"argmax({given} for c in _)", {given: shares}, ("predict", i), therefore=True)


def _place(model: VotingLearner) -> int:
    return model.classes_.tolist().index(model.positive_)
