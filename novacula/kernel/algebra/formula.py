"""k(x, y) as mathematics: the formula of any kernel with the values of two rows, for derivations.

    >>> from novacula.kernel.algebra import Gaussian, Linear
    >>> one, other = np.array([0.0, 0.0]), np.array([1.0, 1.0])
    >>> print(kernel_equation(2.0 * Gaussian(0.5) + Linear(), one, other))
    k(x, y) = a · exp(−γ · ‖x − y‖²) + xᵀ · y
            = a · exp(−γ · Σⱼ (xⱼ − yⱼ)²) + Σⱼ xⱼ · yⱼ = 2 × exp(−0.5 × ((0 − 1)² + (0 − 1)²)) + 0 × 1 + \
0 × 1 = 0.735759
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from novacula.kernel.algebra.compositions import KernelProduct, KernelSum, Power, Scaled
from novacula.kernel.algebra.elementary import Constant, Linear, Polynomial
from novacula.kernel.algebra.kernel import Kernel
from novacula.kernel.algebra.radial import Gaussian, Multiquadric
from novacula.kernel.algebra.rows import listed
from novacula.kernel.algebra.transforms import Exponential, Normalized, OnColumns
from novacula.mathematics import Equation
from novacula.table.chunk import Floats


def kernel_equation(
    kernel: Kernel,
    one: Floats,
    other: Floats,
    left: str = "k(x, y)",
    names: tuple[str, str] = ("x", "y"),
    of: tuple[str | int, ...] = (),
    times: str = "",
    values: Mapping[str, Any] | None = None,
) -> Equation:
    """k of two rows (d,), by vectors and by columns; `times` stands before it, with its own `values`."""
    whole, columns = (_Formula(is_by_columns) for is_by_columns in (False, True))
    rows = {names[0]: one, names[1]: other}
    members = tuple(dict.fromkeys(f"{times}{formula.of(kernel, rows, *names)}" for formula in (whole, columns)))
    return Equation(left, members, {**columns.values, **(values or {})}, of)


class _Formula:
    """The formula of a kernel and the values of its names; letters that are needed again get numbers."""

    def __init__(self, is_by_columns: bool) -> None:
        self.is_by_columns, self.values = is_by_columns, dict[str, Any]()

    def of(self, kernel: Kernel, rows: Mapping[str, Floats], a: str, b: str) -> str:
        """k(a, b), as something that may stand in a product."""
        match kernel:
            case Linear():
                return self._product(rows, a, b)
            case Constant(value):
                return self._name("c", float(value))
            case Polynomial():
                gamma, c, p = float(kernel.gamma), float(kernel.coef0), int(kernel.degree)
                inner = self._product(rows, a, b)
                inner = inner if gamma == 1.0 else f"{self._name('γ', gamma)} * {inner}"
                return f"({inner} + {self._name('c', c)})**{p}" if c else f"({inner})**{p}"
            case Gaussian():
                return f"exp(-{self._name('γ', kernel.rate)} * {self._distance(rows, a, b)})"
            case Multiquadric(c):
                return f"sqrt({self._distance(rows, a, b)} + {self._name('c', float(c))}**2)"
            case KernelSum(left, right):
                return f"({self.of(left, rows, a, b)} + {self.of(right, rows, a, b)})"
            case KernelProduct(left, right):
                return f"{self.of(left, rows, a, b)} * {self.of(right, rows, a, b)}"
            case Scaled(inner_kernel, scale):
                return f"{self._name('a', float(scale))} * {self.of(inner_kernel, rows, a, b)}"
            case Power(inner_kernel, exponent):
                return f"({self.of(inner_kernel, rows, a, b)})**{int(exponent)}"
            case Exponential(inner_kernel):
                return f"exp({self.of(inner_kernel, rows, a, b)})"
            case Normalized(inner_kernel):
                own = [float(inner_kernel.block_diagonal(rows[name][None])[0]) for name in (a, b)]
                if not all(own):
                    return "0"
                below = f"{self.of(inner_kernel, rows, a, a)} * {self.of(inner_kernel, rows, b, b)}"
                return f"({self.of(inner_kernel, rows, a, b)} / sqrt({below}))"
            case OnColumns(inner_kernel, chosen):
                places = [int(c) for c in listed(chosen)]
                taken = {name: row[places] for name, row in rows.items()}
                named = {name: self._name(f"{name.replace('[', '_').replace(']', '')}_S", taken[name]) for name in rows}
                return self.of(inner_kernel, {named[name]: row for name, row in taken.items()}, named[a], named[b])
        return self._name("k", float(kernel.block(rows[a][None], rows[b][None])[0, 0]))

    def _product(self, rows: Mapping[str, Floats], a: str, b: str) -> str:
        self.values |= {name: rows[name] for name in (a, b)}
        return f"sum({a}[j] * {b}[j] for j in _)" if self.is_by_columns else f"dot({a}, {b})"

    def _distance(self, rows: Mapping[str, Floats], a: str, b: str) -> str:
        self.values |= {name: rows[name] for name in (a, b)}
        return f"sum(({a}[j] - {b}[j])**2 for j in _)" if self.is_by_columns else f"norm({a} - {b})**2"

    def _name(self, letter: str, value: Any) -> str:
        """A name for a number or a row: the letter, or with a number behind it where it stands for another one."""
        name, n = letter, 1
        while name in self.values and not np.array_equal(self.values[name], value):
            name, n = f"{letter}{'' if '_' in letter else '_'}{n + 1}", n + 1
        self.values[name] = value
        return name
