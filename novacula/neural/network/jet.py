"""Jets: a value with its first and second derivatives along each input, as one array.

A jet of n rows and w units along d inputs has shape (n, 1 + order·d, w): the value first, then ∂/∂xᵢ for each input,
then ∂²/∂xᵢ². A layer's weights act on all of these alike, so that one matrix product carries them all.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""float32 or float64."""


def split(jets: Array, order: int) -> tuple[Array, Array, Array]:
    """Views of the values (…, 1, w), and of the first and second derivatives (…, d, w); empty beyond the order."""
    d = (jets.shape[-2] - 1) // max(order, 1)
    return jets[..., :1, :], jets[..., 1 : 1 + d, :], jets[..., 1 + d :, :]


def input_jets(X: Array, order: int) -> Array:
    """The jets of the inputs (n, d) themselves: ∂xⱼ/∂xᵢ is 1 if i = j."""
    n, d = X.shape
    jets = np.zeros((n, 1 + order * d, d), X.dtype)
    jets[:, 0] = X
    if order:
        jets[:, 1 : 1 + d] = np.eye(d, dtype=X.dtype)
    return jets
