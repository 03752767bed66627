"""Networks by every solver and precision, of one target and several, and radial units of every basis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from novacula.neural import MLPClassifier, MLPRegressor, RBFNetworkClassifier, RBFNetworkRegressor


def variants() -> Iterator[tuple[str, Any, Any, Any]]:
    """See the package."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 3))
    number = rows[:, 0] - rows[:, 1] ** 2
    two, three = number > 0.0, np.digitize(number, [-1.0, 0.0])
    several = np.column_stack([number, rows[:, 2]])
    yield from perceptrons(rows, number, several, two, three)
    yield from radial(rows, number, several, two)


def perceptrons(rows: Any, number: Any, several: Any, two: Any, three: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Multilayer perceptrons; those taught by batches can be taught more."""
    few = {"max_epochs": 3}
    yield "mlp-adam", MLPClassifier((4, 3), solver="adam", **few), rows, two
    yield "mlp-double", MLPClassifier(4, dtype="float64", activation="tanh", batch_size=8, **few), rows, three
    yield "mlp-labels", MLPClassifier(4, **few), rows, (several > 0.0).astype(int)
    yield "mlp-no-layer", MLPClassifier((), solver="lbfgs", **few), rows[:, :2], two
    yield "mlp-stopped", MLPClassifier(4, early_stopping=True, restarts=2, **few), rows, three
    yield "mlp-sparse", MLPClassifier(4, **few), sparse.csr_array(np.where(rows > 0.0, rows, 0.0)), two
    yield "mlp-wide", MLPClassifier(30, **few), np.tile(rows, 9), three
    yield "mlp-squared", MLPClassifier(3, loss="squared", solver="lm", **few), rows, two
    pieces = MLPClassifier(3, solver="adam").partial_fit(rows, two, classes=[False, True])
    yield "mlp-adam-pieces", pieces, rows, two
    yield "mlp-sgd-pieces", MLPRegressor((3, 2)).partial_fit(rows, several), rows, several
    built = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    yield "mlp-boolean", MLPClassifier.from_boolean([0, 1, 1, 0]), built, [0, 1, 1, 0]
    tied = [[(0, 0, 0), (0, 1, 1)]]
    yield "mlp-tied", MLPRegressor(2, tied=tied, weight_decay=0.1, solver="adam", **few), rows, number
    yield "mlp-numbers", MLPRegressor(3, activation="relu", **few), rows, several
    yield "mlp-one-column", MLPRegressor(3, activation="tanh", solver="cg", **few), rows[:, :1], number
    yield "mlp-rate", MLPRegressor(3, eta0=0.01, schedule="decay", **few), rows, number[:, None]


def radial(rows: Any, number: Any, several: Any, two: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """Radial basis networks, placed and tuned in every way."""
    yield "radial-multiquadric", RBFNetworkRegressor(4, basis="multiquadric", width="nearest"), rows, several
    yield "radial-tuned", RBFNetworkRegressor(4, basis="inverse_multiquadric", fine_tune=3, alpha=0.1), rows, number
    yield "radial-plate", RBFNetworkRegressor(rows[:, :1], basis="thin_plate", width=1.0), rows[:, :1], number
    yield "radial-column", RBFNetworkRegressor(3), rows[:, :2], number[:, None]
    yield "radial-two", RBFNetworkClassifier(4, width=[1.0, 2.0, 1.0, 0.5], alpha=0.1), rows, two
    yield "radial-one-unit", RBFNetworkClassifier(1, width=1.0), rows[:, :2], two
