"""Chance that belongs to a row: what is drawn for it depends on the row itself and a seed, not on where it stands.

    key    = hash of its numbers, categories and target
    number = hash of its key and of the stream, from 0 to 1

So samples are the same for any order of the rows, for any cut between chunks, and on any number of workers; and a row
of weight 2 is drawn as two equal rows are, which are always drawn together.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from novacula.table import Chunk
from novacula.table.chunk import Floats

Keys = npt.NDArray[np.uint64]
MOST_DRAWS = 24
"""Draws of one row in one sample, at most: more have a probability below 1e-23."""


def row_keys(chunk: Chunk) -> Keys:
    """The key (n,) of each row of a chunk, its weight left out."""
    from novacula.ensemble._kernels import hash_rows

    target = np.zeros((len(chunk), 0)) if chunk.target is None else np.asarray(chunk.target, np.float64)
    numbers = np.hstack([chunk.numeric, target.reshape(len(chunk), -1)]) + 0.0  # −0 becomes 0
    numbers[np.isnan(numbers)] = np.nan  # of one kind
    keys = np.empty(len(chunk), np.uint64)
    hash_rows(np.ascontiguousarray(numbers).view(np.uint64), np.maximum(chunk.codes, -1), keys)
    return keys


def stream_of(seed: int, *places: int) -> int:
    """The number of a stream of random numbers: that of a seed and, say, a tree."""
    entropy = np.random.SeedSequence([seed, *places]).generate_state(1, np.uint64)
    return int(entropy[0])


def bootstrap_counts(keys: Keys, stream: int, mean: float = 1.0) -> Floats:
    """How often each row is in a sample with replacement: Poisson numbers, as of very many rows."""
    from novacula.ensemble._kernels import draw_counts

    counts = np.empty(len(keys))
    draw_counts(keys, np.uint64(stream), _poisson(mean), counts)
    return counts


def chosen(keys: Keys, stream: int, share: float) -> npt.NDArray[np.bool_]:
    """Whether each row is in a sample without replacement of this share of the rows."""
    from novacula.ensemble._kernels import draw_counts

    counts = np.empty(len(keys))
    draw_counts(keys, np.uint64(stream), np.array([share]), counts)
    return counts == 0.0


@cache
def _poisson(mean: float) -> Floats:
    """The probabilities of at most 0, 1, … draws."""
    from math import exp, factorial

    upto = np.cumsum([exp(-mean) * mean**i / factorial(i) for i in range(MOST_DRAWS)])
    upto.flags.writeable = False
    return upto
