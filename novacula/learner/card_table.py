"""Cards side by side: what learners search, prefer, give and cost, one column for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from textwrap import wrap
from typing import cast

from novacula.errors import ParameterError
from novacula.learner.base import Learner
from novacula.learner.registry import find, learner_id, look_up, meant_by
from novacula.table.schema import printable

WIDTH = 120
COMPARED = {
    "task": "task",
    "summary": "what it is",
    "hypothesis_space": "hypothesis space",
    "inductive_bias": "inductive bias",
    "objective": "objective",
    "search": "search",
    "interpretability": "interpretability",
    "cost": "time to train",
    "answer_cost": "time to answer",
    "noise": "noise",
    "missing": "missing values",
}
"""Fields of cards that are compared, and what they are called."""
OUTPUTS = {
    "predict_proba": "probabilities of classes",
    "decision_function": "scores",
    "predict_interval": "intervals",
    "score_samples": "log densities",
    "transform": "new columns",
}
"""What methods besides `predict` give."""
PREDICTED = {
    "classification": "a class",
    "regression": "a number",
    "clustering": "a cluster",
    "density": "a component",
    "sequence": "a path of states",
    "inference": "values of variables",
}


@dataclass(frozen=True)
class CardTable:
    """Cards as a table: headings with one cell for each learner. It prints, and shows itself in a notebook."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]

    def to_dict(self) -> dict[str, dict[str, str]]:
        """By the id of the learner what each heading says."""
        return {name: {heading: cells[i] for heading, cells in self.rows} for i, name in enumerate(self.names)}

    def __str__(self) -> str:
        first = max(len(heading) for heading, _ in self.rows)
        width = max(20, (WIDTH - first) // len(self.names) - 2)
        lines = [_line("", self.names, first, width), _line("─" * first, ["─" * width] * len(self.names), first, width)]
        for heading, cells in self.rows:
            parts = zip_longest([heading], *(wrap(cell, width) for cell in cells), fillvalue="")
            lines += [_line(part[0], part[1:], first, width) for part in parts]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.names)
        body = "".join(
            f'<tr><th scope="row">{escape(heading)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
            for heading, cells in self.rows
        )
        head = f"<thead><tr><td></td>{heads}</tr></thead>"
        return f'<table class="nv-card tex2jax_ignore mathjax_ignore">{head}<tbody>{body}</tbody></table>'


def _line(heading: str, cells: Sequence[str], first: int, width: int) -> str:
    return "  ".join([heading.ljust(first), *(cell.ljust(width) for cell in cells)]).rstrip()


def side_by_side(*learners: str | Learner | type[Learner]) -> CardTable:
    """Put the cards of learners side by side; each is a class, an instance, or a name as `look_up` takes it.

    A name that may be several learners is the one of the task that the others have, or a classifier.

    >>> table = side_by_side("tree", "mlp", "svc")
    >>> table.names
    ('decision-tree-classifier', 'mlp-classifier', 'svc')
    >>> table.to_dict()["svc"]["output"]
    'a class, probabilities of classes, scores'
    """
    if not learners:
        raise ParameterError("there are no learners to compare: name at least one")
    kinds = _kinds(learners)
    rows = []
    for field, heading in COMPARED.items():
        rows.append((heading, tuple(printable(str(getattr(kind.card, field))) for kind in kinds)))
        if field == "summary":
            rows.append(("output", tuple(output_of(kind) for kind in kinds)))
    return CardTable(tuple(learner_id(kind) for kind in kinds), tuple(rows))


def output_of(kind: type[Learner]) -> str:
    """What a learner gives for a row, by its methods."""
    said = [PREDICTED[kind.card.task]] if hasattr(kind, "predict") and kind.card.task in PREDICTED else []
    return ", ".join(said + [words for method, words in OUTPUTS.items() if hasattr(kind, method)])


def _kinds(learners: Sequence[str | Learner | type[Learner]]) -> list[type[Learner]]:
    """The classes that are meant."""
    known = [_known(learner) for learner in learners]
    tasks = {kind.card.task for kind in known if not isinstance(kind, str)}
    task = tasks.pop() if len(tasks) == 1 else None
    return [find(look_up(kind, task)) if isinstance(kind, str) else kind for kind in known]


def _known(learner: str | Learner | type[Learner]) -> type[Learner] | str:
    """The class that is meant; a name that may be several learners stays one."""
    if not isinstance(learner, str):
        return cast("type[Learner]", learner if isinstance(learner, type) else type(learner))
    return learner if len(meant_by(learner)) > 1 else find(look_up(learner))
