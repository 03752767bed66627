"""The work of asking: how each answer divides the version space, beside the bound ⌈log₂ size⌉."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from novacula.concept.conjunction import shown
from novacula.concept.derivation.space import HUGE
from novacula.learner.derivation import TABLE_ROWS, cut_table
from novacula.learner.figure import Figure, curve_figure
from novacula.learner.work import Step, Work
from novacula.mathematics import Equation

if TYPE_CHECKING:
    from novacula.concept.query import Identification

ASSUMED = "The concept is taken to be in the space: if it is not, what is left agrees with the answers, but is not it."


def derive_questions(found: Identification) -> Work:
    """Each question with its answer and the members that it leaves, and the bound."""
    sizes = found.sizes
    rows = [
        (i + 1, f"⟨{', '.join(map(shown, x.values()))}⟩", "yes" if yes else "no", sizes[i], sizes[i + 1])
        for i, (x, yes) in enumerate(found.queries)
    ]
    table = cut_table(("question", "instance", "answer", "members before", "members after"), rows, len(rows))
    if sizes[0] > HUGE:
        return Work("Identification: the questions", [Step("Members after each answer", table=table)])
    values = {"size(VS)": float(sizes[0])}
    where = {"size(VS)": "members before the first question", "n_bound": "questions that even divisions would take"}
    bound = Equation("n_bound", "ceil(log2(size(VS)))", values, ("bound",), where)
    left = _left(sizes)
    steps = [Step("Members after each answer", left, table, figure=halving_figure(sizes))]
    return Work("Identification: the questions", [*steps, Step("Even divisions", bound)], [f"{found}.", ASSUMED])


def _left(sizes: Sequence[int]) -> tuple[Equation, ...]:
    """What is left is what was there, times the share that each answer keeps."""
    if len(sizes) < 2 or len(sizes) > TABLE_ROWS:
        return ()
    kept = {str(i + 1): sizes[i + 1] / sizes[i] for i in range(len(sizes) - 1)}
    values = {"size(VS)": float(sizes[0]), "a[i]": kept}
    where = {"a[i]": "the share of members that answer i keeps"}
    return (Equation("n_left", "size(VS) * product(a[i] for i in _)", values, ("size_after",), where, therefore=True),)


def halving_figure(sizes: Sequence[int]) -> Figure:
    """Members of the version space after each question, beside halving."""
    steps = range(len(sizes))
    curves = {
        "members left": [float(size) for size in sizes],
        "halved at each question": [max(1.0, sizes[0] / 2**i) for i in steps],
    }
    path = " → ".join(f"{size:,}" for size in sizes)
    alt, members = f"Members left: {path}.", "members of the version space"
    return curve_figure(
        list(steps), curves, title="What each answer leaves", xlabel="questions", ylabel=members, alt=alt
    )
