"""Kernel machines of every form: sparse rows, matrices that are precomputed, kernels of kernels, several targets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix

from novacula.kernel import (
    SVC,
    SVR,
    Gaussian,
    GaussianProcessRegressor,
    KernelPCA,
    KernelRidge,
    Linear,
    Multiquadric,
    Nystroem,
    Polynomial,
    RandomFourierFeatures,
)

ROWS = 24
"""Few enough for support vector machines to keep all of them."""


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 2)).round(3)
    wide = np.where(rng.random((ROWS, 5)) < 0.5, rng.normal(size=(ROWS, 5)).round(3), 0.0)
    two, three = np.where(x[:, 0] > 0.0, "a", "b"), np.digitize(x[:, 1], [-0.5, 0.5])
    numbers = x[:, 0] - x[:, 1] ** 2
    targets, matrix = np.column_stack([numbers, x[:, 1]]), x @ x.T + 1.0
    rich = 2.0 * (Gaussian(width=1.0) + Polynomial(degree=2) ** 2).normalized() + Linear().on([0]) * Gaussian().exp()
    yield from classifiers(x, wide, matrix, two, three, rich)
    yield from regressors(x, wide, matrix, numbers, targets, rich)
    yield from transformers(x, wide, matrix, rich)


def classifiers(x: Any, wide: Any, matrix: Any, two: Any, three: Any, rich: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Two and three classes, planes, sparse rows, probabilities, a hard margin."""
    yield "svc-two", SVC(probability=True, random_state=0), x, two
    yield "svc-three", SVC(probability=True, random_state=0, decision_function_shape="ovo"), x, three
    yield "svc-plane", SVC(kernel="linear", loss="squared_hinge"), x, three
    yield "svc-hard", SVC(C=np.inf, kernel=Polynomial(degree=3)), x[:8], two[:8]
    yield "svc-sparse", SVC(), csr_matrix(wide), three
    yield "svc-sparse-plane", SVC(kernel="linear", class_weight="balanced"), csr_array(wide), two
    yield "svc-precomputed", SVC(kernel="precomputed"), matrix, two
    yield "svc-rich", SVC(kernel=rich), np.tile(x, (2, 1)) + np.arange(2 * ROWS)[:, None] / 100, np.tile(three, 2)


def regressors(
    x: Any, wide: Any, matrix: Any, numbers: Any, targets: Any, rich: Any
) -> Iterator[tuple[str, Any, Any, Any]]:
    """One column, whose function is drawn; sparse rows; several targets; matrices that are precomputed."""
    yield "svr-few", SVR(C=2.0), x[:, :1], numbers
    yield "svr-plane", SVR(kernel="linear", loss="squared_hinge"), x, numbers
    yield "svr-sparse", SVR(kernel=Polynomial(degree=2)), csr_matrix(wide), numbers
    yield "svr-precomputed", SVR(kernel="precomputed"), matrix, numbers
    yield "svr-wide-tube", SVR(epsilon=100.0), x, numbers
    yield "process-line", GaussianProcessRegressor(max_iter=5), x[:, :1], numbers
    yield "process-targets", GaussianProcessRegressor(normalize_y=True, max_iter=5), x, targets
    yield "process-given", GaussianProcessRegressor(Gaussian(width=1.0), noise=0.0, optimize=False), x, numbers
    yield "process-sparse", GaussianProcessRegressor(optimize=False), csr_matrix(wide), numbers
    yield "process-rich", GaussianProcessRegressor(rich, optimize=False), x, numbers
    yield "process-precomputed", GaussianProcessRegressor("precomputed", noise=1.0, optimize=False), matrix, numbers
    yield "ridge-targets", KernelRidge([0.1, 1.0], "rbf"), x, targets
    yield "ridge-sparse", KernelRidge(kernel="rbf"), csr_array(wide), numbers
    yield "ridge-rich", KernelRidge(kernel=rich), x, numbers
    yield "ridge-singular", KernelRidge(0.0, Multiquadric(2.0)), np.repeat(x, 2, axis=0), np.repeat(numbers, 2)
    yield "ridge-precomputed", KernelRidge(kernel="precomputed"), csr_matrix(matrix), numbers


def transformers(x: Any, wide: Any, matrix: Any, rich: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """With the way back, of sparse rows, of other kernels."""
    yield "components-back", KernelPCA(3, kernel="rbf", fit_inverse_transform=True), x, None
    yield "components-sparse", KernelPCA(2, kernel="rbf", fit_inverse_transform=True), csr_matrix(wide), None
    yield "components-precomputed", KernelPCA(2, kernel="precomputed"), matrix, None
    yield "components-rich", KernelPCA(2, kernel=rich), x, None
    yield "landmarks-sparse", Nystroem(n_components=6), csr_matrix(wide), None
    yield "landmarks-rich", Nystroem(rich, n_components=6), x, None
    yield "waves-sparse", RandomFourierFeatures(n_components=5), csr_array(wide), None
