"""Parameters of kernels, held to what they may be."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from novacula.errors import ParameterError
from novacula.state import number, one_of, whole, word

WORDS = ("scale", "auto")
"""What gamma can be instead of a number."""
LARGEST_POWER = 2**31 - 1
"""The largest exponent: beyond, all but −1, 0 and 1 overflow or vanish anyway."""

GAMMA = one_of(word(*WORDS), number(least=0.0))
"""The form of gamma."""
POWER = whole(least=1, most=LARGEST_POWER)
"""The form of an exponent."""


def require_positive(kernel: str, name: str, value: Any, *, zero: bool = False) -> None:
    """Refuse what is not a finite number above 0, or from 0 on."""
    if not _is_finite(value) or not (value > 0 or (zero and value == 0)):
        least = "not negative" if zero else "positive"
        raise ParameterError(f"{name} of {kernel} is {value!r}; it must be a finite number that is {least}")


def require_count(kernel: str, name: str, value: Any) -> None:
    """Refuse what is not a whole number of at least 1: only then a power of a kernel is one on any rows."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ParameterError(f"{name} of {kernel} is {value!r}; it must be a whole number of at least 1")
    if int(value) > LARGEST_POWER:
        raise ParameterError(
            f"{name} of {kernel} is above {LARGEST_POWER:,}, where powers overflow: give a smaller one"
        )


def require_square(kernel: str, name: str, value: Any) -> None:
    """Refuse a positive number whose square, or one over it, overflows."""
    require_positive(kernel, name, value)
    square = float(value) * float(value)
    if not square > 0.0 or not _is_finite(1.0 / square) or not _is_finite(square):
        raise ParameterError(f"{name} of {kernel} is {value!r}, whose square is too large or too small: scale the rows")


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


def _is_finite(value: Any) -> bool:
    """Whether a value is a number that fits into double precision; `math.isfinite` raises for integers that do not."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and bool(abs(value) <= sys.float_info.max)
