"""The first showings of a fit, played again with every number kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain, islice, repeat

import numpy as np

from novacula.linear.online.passes import OnlineShowings
from novacula.table.chunk import Floats

MOST = 30
"""Showings that are played again."""


@dataclass(frozen=True)
class Correction:
    """One showing of a row: what came out, and what became of the weights (d + 1,), the intercept last."""

    number: int  # the first is 1
    x: Floats  # (d,)
    target: float
    value: float
    output: float
    share: float  # of a showing
    move: float  # of the weights, times the row
    before: Floats
    after: Floats


def replay(
    first: OnlineShowings, targets: Floats, again: int, eta: float, response: str, bias: bool
) -> list[Correction]:
    """Show the first rows with targets (m,) from weights of zero, as often as `again` says and no more than MOST times.

    w ← w + ηs(t − o)x for a share s of a showing.
    """
    weights, corrections = np.zeros(first.rows.shape[1] + 1), list[Correction]()
    epoch = zip(first.rows, targets.tolist(), first.shares.tolist(), strict=True)
    for x, t, share in islice(chain.from_iterable(repeat(list(epoch), again)), MOST):
        value = float(weights[:-1] @ x + weights[-1])
        output = {"step": 1.0 if value > 0.0 else -1.0, "linear": value, "tanh": math.tanh(value)}[response]
        move = eta * share * (t - output)
        after = weights + move * np.append(x, 1.0 if bias else 0.0)
        corrections.append(Correction(len(corrections) + 1, x, t, value, output, share, move, weights, after))
        weights = after
    return corrections
