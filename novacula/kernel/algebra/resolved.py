"""Whether a kernel from a file is one that a fit leaves behind."""

from __future__ import annotations

import numpy as np

from novacula.errors import ModelFileError, SchemaError
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.rows import ColumnSpread


def require_resolved(kernel: Kernel, d: int) -> None:
    """Refuse a kernel that has words for numbers, names for columns, or columns beyond the d that there are."""
    nothing = np.zeros(d)
    try:
        resolved = kernel.resolved_by(ColumnSpread(nothing, nothing))
    except SchemaError as error:
        raise ModelFileError(f"its kernel_ does not fit its columns: {error}") from None
    if resolved != kernel:
        raise ModelFileError("its kernel_ has a word or a name where a fit leaves a number")
