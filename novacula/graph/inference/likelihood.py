"""The likelihood of rows under a network whose parameters are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from novacula.errors import ParameterError, SchemaError
from novacula.graph.families import CategoricalFamily, Family, GaussianFamily
from novacula.graph.inference.rows import Inference, Structure
from novacula.graph.learning.patterns import distinct_rows
from novacula.graph.structure.dag import Dag
from novacula.graph.variables import Variables
from novacula.table import Column, Schema
from novacula.table.admission import Fault
from novacula.table.admitting import refusal
from novacula.table.chunk import MISSING, Codes, Floats
from novacula.words import listed

if TYPE_CHECKING:
    from novacula.graph.network import Network

BLOCK = 2**14
"""Rows with an empty cell that are answered at once."""


def log_likelihood(network: Network, rows: Any) -> float:
    """Σ log P(row): of complete rows family by family, of others by exact inference, once for all that are equal."""
    import pyarrow as pa

    from novacula.table.frames import require_frame

    frame = pa.table(rows) if isinstance(rows, Mapping) else require_frame(rows)
    for name in frame.column_names:
        if name not in network.index:
            raise SchemaError(f"column {name!r} is not a node of the network: the nodes are {listed(network.index)}")
    # Nodes from which no path leads to a column sum to 1, and are left out.
    relevant = sorted(network.ancestral(network.index[name] for name in frame.column_names))
    families = {network.nodes[place]: network.families[place] for place in relevant}
    variables = Variables.of_families(families.values(), ())
    codes = np.full((frame.num_rows, len(variables.states)), MISSING, np.int32)
    numbers = np.full((frame.num_rows, len(variables.continuous)), np.nan)
    for name in frame.column_names:
        family = families[name]
        if isinstance(family, CategoricalFamily):
            codes[:, variables.place[name]] = _codes(family, frame.column(name))
        else:
            numbers[:, variables.place[name]] = _numbers(family, frame.column(name))
    whole = (codes >= 0).all(axis=1) & ~np.isnan(numbers).any(axis=1)
    total = _complete_rows(families, variables, codes[whole], numbers[whole])
    return total + _other_rows(families, variables, codes[~whole], numbers[~whole])


def _complete_rows(families: Mapping[str, Family], variables: Variables, codes: Codes, numbers: Floats) -> float:
    columns = dict(zip((*variables.states, *variables.continuous), (*codes.T, *numbers.T), strict=True))
    return sum(
        float(family.log_conditional(columns[node], [columns[parent] for parent in family.all_parents]).sum())
        for node, family in families.items()
    )


def _other_rows(families: Mapping[str, Family], variables: Variables, codes: Codes, numbers: Floats) -> float:
    if not len(codes):
        return 0.0
    dag = Dag({node: family.all_parents for node, family in families.items()})
    inference = Inference.of(Structure.of(dag, variables), families)
    weight = np.ones(len(codes))
    if not variables.continuous:
        codes, weight = distinct_rows(codes, weight)
    total = 0.0
    for start in range(0, len(codes), BLOCK):
        block = slice(start, start + BLOCK)
        rows = np.ascontiguousarray(codes[block])
        answer = inference.answer(rows, numbers[block][: len(rows)], weight[block])
        total += float(weight[block] @ answer.log_likelihood)
    return total


def _codes(family: CategoricalFamily, column: Any) -> Codes:
    """The code of each cell, below 0 where it is empty; each distinct value is looked up once."""
    coded = column.unify_dictionaries().combine_chunks().dictionary_encode()
    values, of_value = coded.dictionary.to_pylist(), list[int]()
    places = coded.indices.fill_null(len(values)).to_numpy()
    for k, value in enumerate(values):
        try:
            of_value.append(MISSING if _is_empty(value) else family.code(value))
        except ParameterError as error:
            raise ParameterError(f"row {int(np.argmax(places == k)) + 1} does not fit: {error}") from None
    return np.array([*of_value, MISSING], np.int32)[places]


def _numbers(family: GaussianFamily, column: Any) -> Floats:
    """The value of each cell, NaN where it is empty."""
    try:
        values = np.array([np.nan if value is None else value for value in column.to_pylist()], np.float64)
    except (TypeError, ValueError):
        raise SchemaError(f"column {family.node!r} holds words, but the node is continuous") from None
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values)))
        fault = Fault(row, "numeric", 0, "infinite", float(values[row]))
        raise refusal(fault, Schema((Column(family.node, "numeric"),)), f"row {row + 1}")
    return values


def _is_empty(value: Any) -> bool:
    return value is None or value != value
