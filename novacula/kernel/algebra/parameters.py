"""Parameters of kernels, held to what they may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from novacula.errors import ParameterError


def require_positive(kernel: str, name: str, value: Any, *, zero: bool = False) -> None:
    """Refuse what is not a finite number above 0, or from 0 on."""
    if not _is_real(value) or not math.isfinite(value) or not (value > 0 or (zero and value == 0)):
        least = "not negative" if zero else "positive"
        raise ParameterError(f"{name} of {kernel} is {value!r}; it must be a finite number that is {least}")


def require_count(kernel: str, name: str, value: Any) -> None:
    """Refuse what is not a whole number of at least 1: only then a power of a kernel is one on any rows."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ParameterError(f"{name} of {kernel} is {value!r}; it must be a whole number of at least 1")


def require_kernel(kernel: str, name: str, value: Any) -> None:
    """Refuse what is not a kernel."""
    from novacula.kernel.algebra.kernel import Kernel

    if not isinstance(value, Kernel):
        raise ParameterError(f"{name} of {kernel} is {value!r}, which is not a kernel")


def require_gamma(kernel: str, value: Any, words: Sequence[str]) -> None:
    """Refuse what is neither a positive number nor one of the words."""
    if isinstance(value, str):
        if value not in words:
            raise ParameterError(
                f"gamma of {kernel} is {value!r}; it must be a positive number or {' or '.join(map(repr, words))}"
            )
    else:
        require_positive(kernel, "gamma", value)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
