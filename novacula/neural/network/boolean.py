"""Any boolean function as a network: one hidden unit for each row of its truth table.

The unit of a row with bits r has the weights c(2rᵢ − 1) and the bias −c(Σ rᵢ − ½): its net input is c/2 for the
inputs r and at most −c/2 for all others, so it fires for its row alone. The output adds the rows that are true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from novacula.errors import ParameterError
from novacula.neural.network.architecture import Architecture
from novacula.neural.network.jet import Array
from novacula.words import shortened

STEEP = 40.0
"""The factor c. A unit gives 2·10⁻⁹ for rows next to its own, so that even 65536 units do not disturb each other."""
CERTAIN = 10.0
"""The size of the output's net input: probabilities of 0.99995."""
MOST_INPUTS = 16


def boolean_network(table: Sequence[Any] | Mapping[tuple[Any, ...], Any]) -> tuple[Architecture, Array]:
    """A network of 2ⁿ logistic hidden units, and its weights θ, for a boolean function of n inputs of 0 and 1.

    `table` holds the 2ⁿ values of the function in counting order, the first input counting most, or maps each tuple
    of inputs to its value. The output is the probability of 1.

    >>> from novacula.neural.network import forward
    >>> xor, theta = boolean_network([0, 1, 1, 0])
    >>> xor.sizes
    (2, 4, 1)
    >>> forward(xor, theta, np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))[-1].round(3).ravel()
    array([0., 1., 1., 0.])
    """
    values = truth_values(table)
    n = len(values).bit_length() - 1
    rows = np.array(list(product((0, 1), repeat=n)))
    architecture = Architecture((n, len(values), 1), "logistic", "logistic")
    theta = np.empty(architecture.n_parameters)
    (W, b), (V, c) = architecture.layers(theta)
    W[...] = STEEP * (2 * rows - 1).T
    b[...] = -STEEP * (rows.sum(axis=1) - 0.5)
    V[:, 0] = 2 * CERTAIN * values
    c[0] = -CERTAIN
    return architecture, theta


def truth_values(table: Any) -> Array:
    """The values of a truth table in counting order, each 0 or 1."""
    if isinstance(table, Mapping):
        table = values_in_order(table)
    values = np.asarray(table)
    size = values.size
    if values.ndim != 1 or size < 2 or size & (size - 1):
        raise ParameterError(
            f"the truth table has shape {values.shape}; a function of n inputs has a flat list of 2ⁿ values"
        )
    if size > 2**MOST_INPUTS:
        raise ParameterError(
            f"the truth table has {size} rows; one hidden unit per row is possible for up to {MOST_INPUTS} inputs, so "
            "learn the function from examples instead"
        )
    strange = np.flatnonzero(~np.isin(values, (0, 1)))
    if len(strange):
        row = int(strange[0])
        raise ParameterError(
            f"row {row + 1} of the truth table is {shortened(repr(values.tolist()[row]))}; values are 0 and 1"
        )
    return values.astype(np.float64)


def values_in_order(table: Mapping[tuple[Any, ...], Any]) -> list[Any]:
    """The values of a mapping in counting order."""
    first = next(iter(table), ())
    n = len(first) if isinstance(first, tuple) else 0
    if not 1 <= n <= MOST_INPUTS:
        raise ParameterError(
            f"the truth table begins with the inputs {shortened(repr(first))}; give a value for each tuple of inputs, "
            f"1 to {MOST_INPUTS} of them"
        )
    rows = list(product((0, 1), repeat=n))
    for row in sorted(set(table) - set(rows), key=repr):
        raise ParameterError(
            f"the truth table has a row {shortened(repr(row))}; inputs are 0 and 1, as many in each row"
        )
    for row in rows:
        if row not in table:
            raise ParameterError(f"the truth table says nothing of the inputs {row}; it needs all {len(rows)} rows")
    return [table[row] for row in rows]
