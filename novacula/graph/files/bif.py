"""Networks from files in the Bayesian interchange format (BIF).

    variable Rain { type discrete [ 2 ] { yes, no }; }
    probability ( Rain | Cloudy ) { (yes) 0.8, 0.2; (no) 0.2, 0.8; }

Rows may be given by the states of the parents, by `default` for all that are not, or as one `table`, in which the
states of the last parent change fastest and those of the node itself slowest. Comments and properties are passed
over. Rows whose sum is off by at most 0.001, as printed numbers are, are divided by it; the rest is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from novacula.errors import DataError
from novacula.graph.families import SUM_ERROR, CategoricalFamily
from novacula.graph.files.bif_tokens import Tokens, place_of, refuse
from novacula.graph.inference.factor import LARGEST
from novacula.table.chunk import Floats


@dataclass(frozen=True)
class Variable:
    """What a variable block says."""

    states: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class BifRow:
    """Probabilities at some line: of a configuration of parents, or of all that have no row of their own."""

    states: tuple[str, ...] | None
    values: list[float]
    line: int


@dataclass(frozen=True)
class Probability:
    """What a probability block says, before it is held against the variables."""

    node: str
    parents: tuple[str, ...]
    table: BifRow | None
    rows: tuple[BifRow, ...]
    line: int


def read_bif(path: str | os.PathLike[str]) -> tuple[CategoricalFamily, ...]:
    """The families of a network from its file, in UTF-8."""
    try:
        return parse_bif(Path(path).read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(f"{Path(path).name!r} is not text in UTF-8: {error}") from None
    except DataError as error:
        raise DataError(f"{Path(path).name!r}: {error}") from None


def parse_bif(text: str) -> tuple[CategoricalFamily, ...]:
    """The families of a network from the text of its file, in the order of its variables.

    >>> parse_bif('''network n { } variable Rain { type discrete [2] { yes, no }; }
    ... probability ( Rain ) { table 0.2, 0.8; }''')[0].table
    array([0.2, 0.8])
    """
    variables: dict[str, Variable] = {}
    blocks: dict[str, Probability] = {}
    for name, block in _blocks(Tokens(text)):
        same_kind: Mapping[str, Variable | Probability] = variables if isinstance(block, Variable) else blocks
        if name in same_kind:
            kind = "variable" if isinstance(block, Variable) else "probability"
            refuse(block.line, f"{name!r} has a {kind} block already, at line {same_kind[name].line}: keep one")
        if isinstance(block, Variable):
            variables[name] = block
        else:
            blocks[name] = block
    if not variables:
        refuse(1, "there is no variable block in the whole file: expected at least one")
    for name, block in blocks.items():
        place_of(name, tuple(variables), block.line, "the variable")
    for name, variable in variables.items():
        if name not in blocks:
            refuse(variable.line, f"variable {name!r} has no probability block: add one")
    return tuple(_family(blocks[name], variables) for name in variables)


# --- blocks -------------------------------------------------------------------------------------------------


def _blocks(tokens: Tokens) -> Iterator[tuple[str, Variable | Probability]]:
    network_line = 0  # the line of the network block
    while not tokens.at_end:
        line = tokens.next.line
        match tokens.keyword("network", "variable", "probability"):
            case "network":
                if network_line:
                    refuse(line, f"the file has a network block already, at line {network_line}: keep one")
                network_line = line
                tokens.name("the name of the network")
                tokens.mark("{")
                while not tokens.accept("}"):
                    tokens.keyword("property")
                    tokens.skip_property()
            case "variable":
                yield tokens.name("the name of a variable"), Variable(_states(tokens), line)
            case _:
                block = _probability(tokens, line)
                yield block.node, block


def _states(tokens: Tokens) -> tuple[str, ...]:
    states: tuple[str, ...] = ()
    tokens.mark("{")
    line = tokens.next.line
    while not tokens.accept("}"):
        line = tokens.next.line
        if tokens.keyword("type", "property") == "property":
            tokens.skip_property()
            continue
        if states:
            refuse(line, "a variable has one type, and this one has a second")
        tokens.keyword("discrete")
        tokens.mark("[")
        count = tokens.whole_number("the number of states")
        tokens.mark("]")
        tokens.mark("{")
        states = tuple(tokens.names("a state", "}"))
        tokens.mark(";")
        if len(states) != count:
            refuse(line, f"{count} states are announced, and {len(states)} are named")
        if len(set(states)) < len(states):
            refuse(line, f"the state {next(s for i, s in enumerate(states) if s in states[:i])!r} is named twice")
    if not states:
        refuse(line, "expected 'type discrete', since a variable needs its states")
    return states


def _probability(tokens: Tokens, line: int) -> Probability:
    tokens.mark("(")
    node = tokens.name("the name of a variable")
    parents = tuple(tokens.names("the name of a parent", ")")) if tokens.mark("|", ")") == "|" else ()
    if len({node, *parents}) <= len(parents):
        refuse(line, f"the probability block of {node!r} names a variable twice")
    table, rows = None, list[BifRow]()
    tokens.mark("{")
    while not tokens.accept("}"):
        at = tokens.next.line
        if tokens.accept("("):
            rows.append(BifRow(tuple(tokens.names("a state", ")")), tokens.numbers(), at))
            continue
        match tokens.keyword("table", "default", "property"):
            case "property":
                tokens.skip_property()
            case "default":
                rows.append(BifRow(None, tokens.numbers(), at))
            case _:
                if table is not None:
                    refuse(at, f"{node!r} has a second table: keep one")
                table = BifRow((), tokens.numbers(), at)
    if table is not None and rows:
        refuse(table.line, f"{node!r} has a table and rows of its own: keep one kind")
    return Probability(node, parents, table, tuple(rows), line)


# --- families -----------------------------------------------------------------------------------------------


def _family(block: Probability, variables: Mapping[str, Variable]) -> CategoricalFamily:
    for parent in block.parents:
        place_of(parent, tuple(variables), block.line, "the parent")
    names = (*block.parents, block.node)
    states = [variables[name].states for name in names]
    shape = tuple(map(len, states))
    if np.prod(shape, dtype=float) > LARGEST:
        refuse(block.line, f"the table of {block.node!r} would have {np.prod(shape, dtype=float):.3g} entries")
    table = _rows(block, states, shape) if block.table is None else _table(block.node, block.table, shape)
    return CategoricalFamily(block.node, states[-1], block.parents, table)


def _table(node: str, row: BifRow, shape: tuple[int, ...]) -> Floats:
    size = int(np.prod(shape))
    if len(row.values) != size:
        refuse(row.line, f"the table of {node!r} has {len(row.values)} numbers: expected {size}")
    table = np.moveaxis(np.reshape(row.values, (shape[-1], *shape[:-1])), 0, -1)
    sums = table.sum(axis=-1)
    _require_sum(node, float(sums.flat[int(np.argmax(np.abs(sums - 1.0)))]), row.line)
    return table


def _rows(block: Probability, states: list[tuple[str, ...]], shape: tuple[int, ...]) -> Floats:
    table = np.full(shape, np.nan)
    default: BifRow | None = None
    for row in block.rows:
        if len(row.values) != shape[-1]:
            refuse(row.line, f"a row of {block.node!r} has {len(row.values)} numbers: expected {shape[-1]}")
        _require_sum(block.node, sum(row.values), row.line)
        if row.states is None:
            if default is not None:
                refuse(row.line, f"{block.node!r} has a second default, after that of line {default.line}: keep one")
            default = row
            continue
        if len(row.states) != len(block.parents):
            refuse(
                row.line, f"a row names {len(row.states)} states: expected one for each of {len(block.parents)} parents"
            )
        what = (f"the state of {parent!r}" for parent in block.parents)
        place = tuple(place_of(s, k, row.line, w) for s, k, w in zip(row.states, states, what, strict=False))
        if not np.isnan(table[place][0]):
            refuse(row.line, f"the row ({', '.join(row.states)}) of {block.node!r} is given twice")
        table[place] = row.values
    missing = np.argwhere(np.isnan(table[..., 0]))
    if len(missing) and default is None:
        row_states = ", ".join(known[k] for known, k in zip(states, missing[0], strict=False))
        refuse(block.line, f"{block.node!r} has no row for ({row_states}), nor a default: expected {len(missing)} more")
    if default is not None:
        table[np.isnan(table[..., 0])] = default.values
    return table


def _require_sum(node: str, total: float, line: int) -> None:
    if abs(total - 1.0) > SUM_ERROR:
        refuse(line, f"probabilities of {node!r} sum to {total:.6g}: expected 1, give or take {SUM_ERROR}")
