"""Small tables that are made up, with the columns and categories of another, for exercises by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from novacula.errors import ParameterError
from novacula.table import Schema, Table, read

FEWEST, MOST = 8, 16
"""Rows of a table that is made, so that what is counted in it can be done by hand."""
NOISE = 0.2
"""The share of rows whose class is drawn whatever the other columns say."""


def made_table(schema: Schema, seed: int = 0) -> Table:
    """A table of 8 to 16 rows by the seed; its target follows two of the columns, most of the time.

    >>> from novacula import datasets
    >>> table = made_table(datasets.load("play_tennis").schema, seed=1)
    >>> table.schema.names, 8 <= len(table) <= 16
    (('Outlook', 'Temperature', 'Humidity', 'Wind', 'PlayTennis'), True)
    """
    columns = [column for column in schema if column.kind != "ignored" and column.name != schema.weight]
    for column in columns:
        if column.kind != "categorical" or len(column.categories) < 2:
            raise ParameterError(
                f"a table is made of columns with two or more categories, and {column.name!r} is {column.kind}"
            )
    if len(schema.target) != 1 or len(columns) < 2:
        raise ParameterError("a table is made with one target and at least one other column")
    rng = np.random.default_rng(seed)
    n = int(rng.integers(FEWEST, MOST + 1))
    codes = {column.name: _codes(len(column.categories), n, rng) for column in columns}
    target = schema.target[0]
    causes = [column for column in columns if column.name != target]
    chosen = [causes[i] for i in rng.permutation(len(causes))[:2]]
    rule = rng.permutation(_codes(len(schema[target].categories), 64, rng))
    cell = sum((codes[column.name] * 8**i for i, column in enumerate(chosen)), np.zeros(n, int)) % len(rule)
    codes[target] = np.where(rng.random(n) < NOISE, codes[target], rule[cell])
    codes[target][:2] = rng.permutation(len(schema[target].categories))[:2]  # no table of one class
    values = {c.name: pa.array([c.categories[code] for code in codes[c.name]]) for c in columns}
    return read(pa.table(values), target=target, types={c.name: list(c.categories) for c in columns})


def _codes(count: int, n: int, rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Categories by number, about as often as each other."""
    return rng.permutation(np.arange(n) % count)
