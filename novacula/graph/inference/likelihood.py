"""The likelihood of rows under a network that stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from novacula.errors import SchemaError
from novacula.graph.families import CategoricalFamily, Family
from novacula.graph.inference.elimination import eliminate
from novacula.graph.inference.evidence import Evidence
from novacula.graph.inference.sampling import log_conditional
from novacula.table import Column, Schema
from novacula.table.admission import Fault
from novacula.table.admitting import refusal
from novacula.words import listed

if TYPE_CHECKING:
    from novacula.graph.network import Network


def log_likelihood(network: Network, rows: Any) -> float:
    """Σ log P(row): of complete rows family by family, of others by elimination, once for all that are alike."""
    cells = _cells(network, rows)
    whole = np.all([known for _, known in cells], axis=0)
    complete = [values[whole] for values, _ in cells]
    total = 0.0
    for place, family in enumerate(network.families):
        parents = [complete[parent] for parent in network.parent_places[place]]
        total += float(log_conditional(family, complete[place], parents).sum())
    alike: dict[tuple[Any, ...], int] = {}
    for row in np.flatnonzero(~whole):
        key = tuple(values[row].item() if known[row] else None for values, known in cells)
        alike[key] = alike.get(key, 0) + 1
    for key, count in alike.items():
        codes = {i: cell for i, cell in enumerate(key) if cell is not None and network.cards[i]}
        values = {i: cell for i, cell in enumerate(key) if cell is not None and not network.cards[i]}
        total += count * float(eliminate(network, (), Evidence(codes, values)).table)
    return total


def _cells(network: Network, rows: Any) -> list[tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]]:
    """The code or value of each cell by node, and whether it is known; a node without a column is nowhere known."""
    import pyarrow as pa

    from novacula.table.frames import require_frame

    frame = pa.table(rows) if isinstance(rows, Mapping) else require_frame(rows)
    for name in frame.column_names:
        if name not in network.index:
            raise SchemaError(f"column {name!r} is no node of the network: the nodes are {listed(network.index)}")
    n = frame.num_rows
    nowhere = np.zeros(n, np.intp), np.zeros(n, bool)
    columns = set(frame.column_names)
    return [
        _coded(family, frame.column(family.node).to_pylist()) if family.node in columns else nowhere
        for family in network.families
    ]


def _coded(family: Family, values: list[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    known = np.array([value is not None and value == value for value in values], bool)
    if isinstance(family, CategoricalFamily):
        return np.array([family.code(v) if k else 0 for v, k in zip(values, known, strict=True)], np.intp), known
    try:
        numbers = np.array([v if k else 0.0 for v, k in zip(values, known, strict=True)], np.float64)
    except (TypeError, ValueError):
        raise SchemaError(f"column {family.node!r} holds words, but the node is continuous") from None
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers)))
        raise refusal(Fault(row, "numeric", 0, "infinite"), Schema((Column(family.node, "numeric"),)), f"row {row + 1}")
    return numbers, known
