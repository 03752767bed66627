"""Numbers of a preparation to ten digits: the rounding of sums must not reach learners that draw by what rows hold."""

from __future__ import annotations

import numpy as np

from novacula.table.chunk import Floats


def rounded(numbers: Floats) -> Floats:
    """The numbers to ten digits.

    >>> rounded(np.array([1 / 3])).tolist()
    [0.3333333333]
    """
    return np.array([float(f"{number:.10g}") for number in numbers.ravel().tolist()]).reshape(numbers.shape)
