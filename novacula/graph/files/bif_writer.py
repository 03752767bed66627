"""A discrete network as text in the Bayesian interchange format, to the last digit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

from novacula.errors import ParameterError
from novacula.graph.families import Family

if TYPE_CHECKING:
    from novacula.graph.network import Network

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
"""Names that every reader takes without quotes."""
ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


def bif_text(network: Network) -> str:
    """The text of a network's file; names that are not plain words are in quotes.

    The format knows text only, so that a state 1 comes back as "1".
    """
    lines = ["network unknown {", "}"]
    labels = {family.node: _labels(family) for family in network.families}
    for node, states in labels.items():
        lines += [
            f"variable {_quoted(node)} {{",
            f"  type discrete [ {len(states)} ] {{ {', '.join(map(_quoted, states))} }};",
            "}",
        ]
    for family in network.families:
        lines += _probability(family, labels)
    return "\n".join(lines) + "\n"


def _labels(family: Family) -> tuple[str, ...]:
    if not family.states:
        raise ParameterError(f"node {family.node!r} is continuous, and BIF has discrete nodes only")
    labels = tuple(map(str, family.states))
    if len(set(labels)) < len(labels):
        raise ParameterError(f"two states of {family.node!r} read alike as text: rename one before writing")
    return labels


def _probability(family: Any, labels: dict[str, tuple[str, ...]]) -> Iterator[str]:
    given = f" | {', '.join(map(_quoted, family.parents))}" if family.parents else ""
    yield f"probability ( {_quoted(family.node)}{given} ) {{"
    rows = family.table.reshape(-1, len(family.states)).tolist()
    for states, row in zip(product(*(labels[parent] for parent in family.parents)), rows, strict=True):
        where = f"({', '.join(map(_quoted, states))})" if states else "table"
        yield f"  {where} {', '.join(map(repr, row))};"
    yield "}"


def _quoted(name: str) -> str:
    return name if PLAIN.fullmatch(name) else f'"{name.translate(ESCAPES)}"'
