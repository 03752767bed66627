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
    boundaries: tuple[Sequence[Conjunction], Sequence[Conjunction]] | None = None,
) -> Work:
    """The answer for each row: by S or by G where these decide, and otherwise by votes, of each member if few."""
    yes, total = votes
    steps = []
    for i, row in enumerate(rows):
        verdict = 1 if yes[i] == total else -1 if not yes[i] else 0
        certain = _by_boundary(model, i, row, verdict, boundaries) if verdict and boundaries else None
        answer = _answer(model, i, yes[i], total)
        share, table = certain or (_share(model, i, row, yes[i], total, members), None)
        if certain is None and members is not None:
            ballots = tuple((str(h), "yes" if h.covers(row[None])[0] else "no") for h in members)
            table = WorkTable(("member ⟦h⟧", "vote"), ballots)
        title = f"Row {i + 1}: votes for {model.positive_}"
        steps.append(Step(title, (share, answer), table, note=CERTAIN[verdict]))
    return Work(f"{model.card.name}: the votes", steps, [*notes, "A tie is a no."])


def _by_boundary(
    model: VotingLearner,
    i: int,
    row: Positions,
    verdict: int,
    boundaries: tuple[Sequence[Conjunction], Sequence[Conjunction]],
) -> tuple[Equation, WorkTable]:
    """Every member says yes where all of S do, and none where none of G does."""
    name, boundary = ("S", boundaries[0]) if verdict > 0 else ("G", boundaries[1])
    small, x = name.lower(), f"x[{i + 1}]"
    ballots = {str(h): float(h.covers(row[None])[0]) for h in boundary}
    said = f"v[{small}]"
    right = f"product({said} for {small} in S)" if verdict > 0 else f"sum({said} for {small} in G)"
    where = {said: f"1 where the member {small} of {name} accepts the row, and 0 where it does not"}
    left, of = f"P({word(model.positive_)} | {x})", ("predict_proba", i, _place(model))
    table = WorkTable(
        (f"member of {name}", "accepts the row"), tuple((h, "yes" if b else "no") for h, b in ballots.items())
    )
    return Equation(left, right, {said: ballots}, of, where), table


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
