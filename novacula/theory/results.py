"""Numbers that say how they were found: plain integers and floats in every way, with a `work`.

>>> from novacula.theory import pac_sample_size
>>> m = pac_sample_size(973, epsilon=0.1, delta=0.05)
>>> m, m + 1, m.work()
(99, 100, <Work 'PAC: how many examples are enough', 5 steps>)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

from novacula.errors import ParameterError
from novacula.learner.showing import ShowsWork, WorkOptions
from novacula.learner.work import Work


class DerivedNumber(ShowsWork):
    """What integers and floats with a derivation share: `derive`, a function of the number."""

    derive: Callable[[Any], Work]

    def _derive(self, options: WorkOptions) -> Work:
        return self.derive(self)

    def _derive_answers(self, X: Any, options: WorkOptions) -> Work:
        raise ParameterError("a number answers no rows: ask for its work without X")


class DerivedInt(DerivedNumber, int):
    """A whole number that says how it was found."""

    def __new__(cls, value: int, derive: Callable[[int], Work]) -> Self:
        """The number with a function that derives it."""
        number = super().__new__(cls, value)
        number.derive = derive
        return number

    def __getnewargs__(self) -> tuple[Any, ...]:
        return int(self), self.derive

    @property
    def value(self) -> int:
        """The number alone."""
        return int(self)

    @property
    def log(self) -> float:
        """Its natural logarithm, however large it is."""
        return math.log(self)


class DerivedFloat(DerivedNumber, float):
    """A number that says how it was found."""

    def __new__(cls, value: float, derive: Callable[[float], Work]) -> Self:
        """The number with a function that derives it."""
        number = super().__new__(cls, value)
        number.derive = derive
        return number

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.derive

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)
