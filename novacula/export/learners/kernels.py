"""Kernel machines: Σ βᵢ k(xᵢ, x) + b over the rows that a model keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from novacula.errors import ExportError
from novacula.export.deciding import Distances
from novacula.export.inputs import Inputs
from novacula.export.learners.planes import is_second, linear
from novacula.export.said import Said
from novacula.export.vectors import (
    Choose,
    Combine,
    Largest,
    Map,
    Pick,
    Reduce,
    Vector,
    WeightedSums,
    constant,
    join,
    logistic,
    two_chances,
)
from novacula.kernel import algebra
from novacula.kernel.svm.pairs import class_pairs
from novacula.table.chunk import Floats


def support_classes(model: Any, inputs: Inputs) -> Said:
    """The class with most votes of the machines of all pairs."""
    decisions, k = _decisions(model, inputs), len(model.classes_)
    if k == 2:
        return Said(is_second(decisions), _chances(model, decisions))
    return Said(Largest(_votes(decisions, k)))


def support_number(model: Any, inputs: Inputs) -> Said:
    """The function of a support vector machine."""
    return Said(_decisions(model, inputs))


def process_mean(model: Any, inputs: Inputs) -> Said:
    """The mean of a Gaussian process."""
    mean = _expansion(model, inputs, np.reshape(model.alpha(), (len(model.examples_["weight"]), -1)))
    return Said(constant(*model.y_mean_.tolist()) + constant(*model.y_std_.tolist()) * mean)


def kernel_ridge(model: Any, inputs: Inputs) -> Said:
    """Σ aᵢ k(x, xᵢ)."""
    return Said(_expansion(model, inputs, np.reshape(model.examples_["dual"], (len(model.examples_["weight"]), -1))))


def _expansion(model: Any, inputs: Inputs, dual: Floats) -> Vector:
    values = kernel_values(model.kernel_, inputs.numbers, _dense(model.examples_["rows"]))
    return WeightedSums(values, np.asarray(dual, np.float64), np.zeros(dual.shape[1]))


def _decisions(model: Any, inputs: Inputs) -> Vector:
    if hasattr(model, "coef_"):
        return linear(inputs.numbers, model.coef_, model.intercept_)
    values = kernel_values(model.kernel_, inputs.numbers, _dense(model.support_vectors_))
    return WeightedSums(values, model.machine_coefficients(), model.intercept_)


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, np.float64)


def _chances(model: Any, decisions: Vector) -> Vector | None:
    if not model.probability:
        return None
    sigmoid = model.sigmoids_[0]
    level = constant(sigmoid.a) * decisions + sigmoid.b
    return two_chances(logistic(constant(0.0) - level))


def _votes(decisions: Vector, k: int) -> Vector:
    """The votes for each class, and below one half of a vote how clear they were."""
    pairs = class_pairs(k)
    sign = np.zeros((len(pairs), k))
    for p, (i, j) in enumerate(pairs):
        sign[p, i], sign[p, j] = 1.0, -1.0
    nothing = np.zeros(k)
    first = Combine(">=", decisions, constant(0.0))
    second = Combine("<", decisions, constant(0.0))
    count = WeightedSums(join(first, second), np.vstack([np.maximum(sign, 0.0), np.maximum(-sign, 0.0)]), nothing)
    clarity = WeightedSums(decisions, sign, nothing)
    scale = constant(3.0) * (Map("abs", clarity) + 1.0)
    return count + clarity / scale


# --- kernels --------------------------------------------------------------------------------------------------------


def kernel_values(kernel: Any, x: Vector, points: Floats) -> Vector:
    """The kernel of a row with each of some points (m, d)."""
    match kernel:
        case algebra.Linear():
            return _products(x, points)
        case algebra.Constant():
            return constant(*[float(kernel.value)] * len(points))
        case algebra.Polynomial():
            base = constant(kernel.gamma) * _products(x, points)
            return _power(base + kernel.coef0, int(kernel.degree))
        case algebra.Gaussian():
            return Map("exp", constant(-kernel.rate) * Distances(x, points))
        case algebra.Multiquadric():
            return Map("sqrt", Distances(x, points) + float(kernel.c) ** 2)
        case algebra.KernelSum():
            return kernel_values(kernel.left, x, points) + kernel_values(kernel.right, x, points)
        case algebra.KernelProduct():
            return kernel_values(kernel.left, x, points) * kernel_values(kernel.right, x, points)
        case algebra.Scaled():
            return constant(kernel.scale) * kernel_values(kernel.kernel, x, points)
        case algebra.Power():
            return _power(kernel_values(kernel.kernel, x, points), int(kernel.exponent))
        case algebra.Exponential():
            return Map("exp", kernel_values(kernel.kernel, x, points))
        case algebra.OnColumns():
            places = [int(place) for place in np.atleast_1d(kernel.columns)]
            return kernel_values(kernel.kernel, Pick(x, tuple(places)), np.ascontiguousarray(points[:, places]))
        case algebra.Normalized():
            return _normalized(kernel, x, points)
    raise ExportError(f"{kernel!r} is a kernel of your own code, or of rows that are not kept, which no format holds")


def _normalized(kernel: Any, x: Vector, points: Floats) -> Vector:
    own = kernel.kernel.block_diagonal(points)
    shrink = np.divide(1.0, np.sqrt(own), out=np.zeros_like(own), where=own > 0.0)
    square = kernel_square(kernel.kernel, x)
    is_above = Combine(">", square, constant(0.0))
    root = constant(1.0) / Map("sqrt", Choose(is_above, square, constant(1.0)))
    both = Choose(is_above, root, constant(0.0)) * constant(*shrink.tolist())
    return kernel_values(kernel.kernel, x, points) * both


def kernel_square(kernel: Any, x: Vector) -> Vector:
    """The kernel of a row with itself."""
    match kernel:
        case algebra.Linear():
            return Reduce("sum", x * x)
        case algebra.Constant():
            return constant(kernel.value)
        case algebra.Polynomial():
            base = constant(kernel.gamma) * Reduce("sum", x * x)
            return _power(base + kernel.coef0, int(kernel.degree))
        case algebra.Gaussian():
            return constant(1.0)
        case algebra.Multiquadric():
            return constant(kernel.c)
        case algebra.KernelSum():
            return kernel_square(kernel.left, x) + kernel_square(kernel.right, x)
        case algebra.KernelProduct():
            return kernel_square(kernel.left, x) * kernel_square(kernel.right, x)
        case algebra.Scaled():
            return constant(kernel.scale) * kernel_square(kernel.kernel, x)
        case algebra.Power():
            return _power(kernel_square(kernel.kernel, x), int(kernel.exponent))
        case algebra.Exponential():
            return Map("exp", kernel_square(kernel.kernel, x))
        case algebra.OnColumns():
            return kernel_square(kernel.kernel, Pick(x, tuple(int(place) for place in np.atleast_1d(kernel.columns))))
        case algebra.Normalized():
            return Combine(">", kernel_square(kernel.kernel, x), constant(0.0))
    raise ExportError(f"{kernel!r} is a kernel of your own code, or of rows that are not kept, which no format holds")


def _products(x: Vector, points: Floats) -> WeightedSums:
    return WeightedSums(x, np.ascontiguousarray(points.T), np.zeros(len(points)))


def _power(base: Vector, n: int) -> Vector:
    """A whole power by repeated squares."""
    if n == 0:
        return constant(1.0) + constant(0.0) * base
    power = base
    for bit in bin(n)[3:]:
        power = power * power
        if bit == "1":
            power = power * base
    return power


KERNEL_MACHINES = {
    "svc": support_classes,
    "svr": support_number,
    "gaussian-process-regressor": process_mean,
    "kernel-ridge": kernel_ridge,
}
