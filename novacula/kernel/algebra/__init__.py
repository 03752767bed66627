"""Kernels as objects: elementary ones, what is made of them, and the one that a word means.

Every kernel derives from `Kernel`. `KERNELS` names all of them, for learners that keep one in their files.
"""

from __future__ import annotations

from typing import Any

from novacula.errors import ParameterError
from novacula.kernel.algebra.compositions import KernelProduct, KernelSum, Power, Scaled
from novacula.kernel.algebra.elementary import Constant, Linear, Polynomial
from novacula.kernel.algebra.given import Custom, Precomputed
from novacula.kernel.algebra.gram import gram
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.radial import Gaussian, Multiquadric
from novacula.kernel.algebra.resolved import require_resolved
from novacula.kernel.algebra.rows import ColumnSpread, Rows
from novacula.kernel.algebra.transforms import Exponential, Normalized, OnColumns
from novacula.kernel.algebra.verdict import PSDVerdict

KERNELS: tuple[type[Kernel], ...] = (
    Constant,
    Custom,
    Exponential,
    Gaussian,
    Linear,
    Multiquadric,
    Normalized,
    OnColumns,
    Polynomial,
    Power,
    Precomputed,
    KernelProduct,
    Scaled,
    KernelSum,
)

WORDS: dict[str, type[Kernel]] = {
    "rbf": Gaussian,
    "gaussian": Gaussian,
    "linear": Linear,
    "poly": Polynomial,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
}


def as_kernel(given: Any) -> Kernel:
    """A kernel as it is, or the one that a word means.

    >>> as_kernel("rbf")
    Gaussian()
    """
    if isinstance(given, Kernel):
        return given
    if isinstance(given, str) and given in WORDS:
        return WORDS[given]()
    raise ParameterError(
        f"kernel is {given!r}; it must be a Kernel such as Gaussian(), or one of {', '.join(map(repr, WORDS))}; "
        "a function of your own goes into Custom(f)"
    )


__all__ = [
    "KERNELS",
    "ColumnSpread",
    "Constant",
    "Custom",
    "Exponential",
    "Gaussian",
    "Kernel",
    "KernelProduct",
    "KernelSum",
    "Linear",
    "Multiquadric",
    "Normalized",
    "OnColumns",
    "PSDVerdict",
    "Polynomial",
    "Power",
    "Precomputed",
    "Rows",
    "Scaled",
    "as_kernel",
    "gram",
    "require_resolved",
]
