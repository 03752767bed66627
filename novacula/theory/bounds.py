"""How many examples make a learner probably approximately correct.

    PAC, a consistent learner      n ≥ (ln|H| + ln(1/δ)) / ε
    PAC, any learner               n ≥ (ln|H| + ln(1/δ)) / (2ε²)
    VC, a consistent learner       n ≥ (4 log₂(2/δ) + 8·VC(H)·log₂(13/ε)) / ε

With probability at least 1 − δ over n random examples, no hypothesis that is consistent with them has an error
above ε; for any learner, none has an error more than ε above its share of mistakes on the examples. Each bound is
solved for n and for ε, that of PAC for δ, too, and each result derives itself by `work()`. Logarithms are taken to
60 digits, so that no sample size is off by one; ε and δ are read as they are typed, 0.1 as a tenth. The bounds are
those of Haussler (1988), Hoeffding (1963) and Blumer, Ehrenfeucht, Haussler and Warmuth (1989).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from functools import partial
from numbers import Real
from typing import Any

from novacula.arguments import as_decimal, proportion, whole_number
from novacula.errors import ParameterError
from novacula.theory.derivation.bounds import (
    pac_delta_work,
    pac_error_work,
    pac_sample_work,
    space_values,
    vc_error_work,
    vc_sample_work,
)
from novacula.theory.results import DerivedFloat, DerivedInt
from novacula.words import quoted

DIGITS = 60
TRUSTED = 50
"""Digits that rounding leaves alone."""


def pac_sample_size(
    hypotheses: int | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    *,
    log_hypotheses: float | None = None,
    consistent: bool = True,
) -> DerivedInt:
    """Give the number of examples after which an error above ε has a probability of at most δ.

    The hypothesis space is given by its size or, where that is too large, by its natural logarithm. With
    `consistent=False` the learner may make mistakes on its examples, and ε is how much worse it may be elsewhere.

    >>> pac_sample_size(2**30, epsilon=0.01, delta=1e-6)
    3461
    >>> pac_sample_size(2**30, epsilon=0.01, delta=1e-6, consistent=False)
    173050
    """
    with many_digits():
        space = nats(hypotheses, log_hypotheses)
        m = ceiling((space - proportion(delta, "delta").ln()) / nats_per_example(epsilon, consistent))
    values = space_values(hypotheses, float(space))
    return DerivedInt(
        m, partial(pac_sample_work, space=values, epsilon=float(epsilon), delta=float(delta), consistent=consistent)
    )


def pac_error(
    n: int,
    hypotheses: int | None = None,
    delta: float = 0.05,
    *,
    log_hypotheses: float | None = None,
    consistent: bool = True,
) -> DerivedFloat:
    """Give the ε that n examples guarantee with probability 1 − δ; 1 where they guarantee nothing.

    >>> pac_error(3461, 2**30, delta=1e-6) <= 0.01 < pac_error(3460, 2**30, delta=1e-6)
    True
    """
    n = whole_number(n, "n")
    with many_digits():
        space = nats(hypotheses, log_hypotheses)
        needed = space - proportion(delta, "delta").ln()
        if needed >= (n if consistent else 2 * n):
            error = 1.0
        else:
            error = float(needed / n if consistent else (needed / (2 * n)).sqrt())
    values = space_values(hypotheses, float(space))
    return DerivedFloat(error, partial(pac_error_work, n=n, space=values, delta=float(delta), consistent=consistent))


def pac_delta(
    n: int,
    hypotheses: int | None = None,
    epsilon: float = 0.05,
    *,
    log_hypotheses: float | None = None,
    consistent: bool = True,
) -> DerivedFloat:
    """Give δ, which bounds the probability of an error above ε after n examples; 1 where they guarantee nothing.

    >>> pac_delta(3461, 2**30, epsilon=0.01) <= 1e-6 < pac_delta(3460, 2**30, epsilon=0.01)
    True
    """
    n = whole_number(n, "n")
    with many_digits():
        space = nats(hypotheses, log_hypotheses)
        missing = space - n * nats_per_example(epsilon, consistent)
        delta = float(min(missing, Decimal(0)).exp())
    values = space_values(hypotheses, float(space))
    return DerivedFloat(
        delta, partial(pac_delta_work, n=n, space=values, epsilon=float(epsilon), consistent=consistent)
    )


def vc_sample_size(vc: int, epsilon: float = 0.05, delta: float = 0.05) -> DerivedInt:
    """Give the number of examples after which a consistent hypothesis errs by at most ε, by the VC dimension of H.

    >>> vc_sample_size(3, epsilon=0.1, delta=0.05)
    1899
    """
    with many_digits():
        constant, slope = vc_terms(vc, delta)
        eps = proportion(epsilon, "epsilon")
        m = ceiling((constant - slope * eps.ln()) / eps)
    return DerivedInt(m, partial(vc_sample_work, vc=int(vc), epsilon=float(epsilon), delta=float(delta)))


def vc_error(n: int, vc: int, delta: float = 0.05) -> DerivedFloat:
    """Give the ε that n examples guarantee with probability 1 − δ, by the VC dimension of H.

    It is the root of n·ε = c − s·ln ε, and 1 where there is none below. Left of it, Newton's steps climb towards
    it and never pass it, since the difference of the two sides is concave; c / n is on its left.

    >>> vc_error(1899, 3, delta=0.05) <= 0.1 < vc_error(1898, 3, delta=0.05)
    True
    """
    n = whole_number(n, "n")
    with many_digits():
        constant, slope = vc_terms(vc, delta)
        eps = Decimal(1) if constant >= n else constant / n
        path = [float(eps)]
        while (step := (constant - slope * eps.ln() - n * eps) / (n + slope / eps)) > eps.scaleb(-TRUSTED) and eps < 1:
            eps += step
            path.append(float(eps))
    return DerivedFloat(path[-1], partial(vc_error_work, n=n, vc=int(vc), delta=float(delta), path=path))


# --- parts of the formulas ----------------------------------------------------------------------------------


def nats(hypotheses: Any, log_hypotheses: Any) -> Decimal:
    """Give ln|H|, from whichever of the two is given."""
    if (hypotheses is None) == (log_hypotheses is None):
        raise ParameterError("give either hypotheses, the size of the space, or log_hypotheses, its natural logarithm")
    if hypotheses is None:
        if not isinstance(log_hypotheses, Real) or not 0 <= float(log_hypotheses) < math.inf:
            raise ParameterError(f"log_hypotheses is {quoted(log_hypotheses)}; it must be finite and not negative")
        return as_decimal(log_hypotheses)
    size = whole_number(hypotheses, "hypotheses", 1)
    low_bits = max(0, size.bit_length() - 4 * DIGITS)  # the others hold more digits than are trusted
    return Decimal(size >> low_bits).ln() + low_bits * Decimal(2).ln()


def nats_per_example(epsilon: Any, consistent: bool) -> Decimal:
    """By how much an example lowers the logarithm of the bound on δ."""
    eps = proportion(epsilon, "epsilon")
    return eps if consistent else 2 * eps**2


def vc_terms(vc: Any, delta: Any) -> tuple[Decimal, Decimal]:
    """Give c and s of 4 log₂(2/δ) + 8·vc·log₂(13/ε) = c − s·ln ε."""
    slope = 8 * whole_number(vc, "vc") / Decimal(2).ln()
    return 4 * (2 / proportion(delta, "delta")).ln() / Decimal(2).ln() + slope * Decimal(13).ln(), slope


@contextmanager
def many_digits() -> Iterator[None]:
    """Calculate with decimals of 60 digits, regardless of the session's own setting."""
    with localcontext(Context(prec=DIGITS)):
        yield


def ceiling(number: Decimal) -> int:
    """The next whole number. What is whole up to rounding is whole: some logarithms to base 2 are."""
    return int(Context(prec=TRUSTED).plus(number).to_integral_value(ROUND_CEILING))
