"""Learning row by row in order, five epochs: the perceptron, logistic regression and the linear unit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

EPOCHS = 5
ETA = 1e-3
ROW_BY_ROW: dict[str, Any] = {"max_iter": EPOCHS, "tol": None, "shuffle": False}
"""How scikit-learn goes through the rows."""
IN_ORDER = (
    "89 % of the time reads 2 GB, one row after the other and so on one thread, at 8.7 GB/s, where one thread of the "
    "machine reads 11.4 GB/s at most. Chunks of 2, 4 and 8 MB take the same time."
)
"""What bounds a pass in order."""


def weights(model: Any, scale: float = 1.0) -> dict[str, Any]:
    """The plane; `scale` undoes the unit in which a library counts a correction."""
    return {"coefficients": scale * model.coef_.ravel(), "intercept": scale * model.intercept_}


def unsettled(fit: Any, data: Data) -> Any:
    """A fit that is stopped after a few epochs on purpose, and need not say so."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(data["X"], data["y"])


def our_perceptron(data: Data) -> dict[str, Any]:
    """Corrections by 2ηtx, without the pocket, which the rival has not."""
    from novacula.linear import Perceptron

    return weights(unsettled(Perceptron(pocket=False, max_iter=EPOCHS).fit, data))


def their_perceptron(data: Data) -> dict[str, Any]:
    """Corrections by ηtx."""
    from sklearn.linear_model import Perceptron

    return weights(Perceptron(**ROW_BY_ROW).fit(data["X"], data["y"]), 2.0)


def our_logistic(data: Data) -> dict[str, Any]:
    """tanh(v) is 2σ(2v) − 1, so with t = ±1 a correction is that of the log-odds 2v at four times the rate."""
    from novacula.linear import Perceptron

    model = Perceptron(ETA / 4.0, response="tanh", pocket=False, max_iter=EPOCHS)
    return weights(unsettled(model.fit, data), 2.0)


def their_logistic(data: Data) -> dict[str, Any]:
    """Log loss at a constant rate, without a penalty."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier("log_loss", penalty=None, learning_rate="constant", eta0=ETA, **ROW_BY_ROW)
    return weights(model.fit(data["X"], data["y"]))


def our_unit(data: Data) -> dict[str, Any]:
    """The delta rule at a constant rate."""
    from novacula.linear import LinearUnit

    model = unsettled(LinearUnit("sgd", eta0=ETA, max_iter=EPOCHS).fit, data)
    return {"coefficients": model.coef_, "intercept": model.intercept_}


def their_unit(data: Data) -> dict[str, Any]:
    """Squared loss at a constant rate, without a penalty."""
    from sklearn.linear_model import SGDRegressor

    model = SGDRegressor(penalty=None, learning_rate="constant", eta0=ETA, **ROW_BY_ROW).fit(data["X"], data["y"])
    return {"coefficients": model.coef_, "intercept": model.intercept_[0]}


class RowByRow(Race):
    """Rows in order, the same corrections on both sides."""

    full = ({"rows": 1_000_000, "columns": 50},)
    quick = ({"rows": 100_000, "columns": 50},)

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same weights, since every correction is the same."""
        return same_numbers(ours, theirs, 1e-6)

    def limit(self, data: Data) -> Limit:
        """Read X once per epoch; a product of each row with the weights."""
        n, d = data["X"].shape
        return Limit(EPOCHS * data["X"].nbytes, EPOCHS * 2.0 * n * d)


class TwoClasses(RowByRow):
    """Two classes that overlap, so that mistakes never end."""

    def data(self, size: Size, folder: Path) -> Data:
        """A plane with noise about it; the first row is of class 1, with which both rules begin alike."""
        import numpy as np

        rng = np.random.default_rng(0)
        X = rng.normal(size=(size["rows"], size["columns"]))
        y = (X @ rng.normal(size=size["columns"]) + rng.normal(size=size["rows"]) > 0.0).astype(np.int64)
        y[0] = 1
        return {"X": X, "y": y}


class PerceptronEpochs(TwoClasses):
    """Mistakes move the weights."""

    name = "perceptron"
    title = "Perceptron, five epochs"

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn's, in the same order of rows."""
        return [
            Contender("Novacula", "novacula", our_perceptron),
            Contender("scikit-learn Perceptron", "scikit-learn", their_perceptron, goal=2.5, because=IN_ORDER),
        ]


class LogisticEpochs(TwoClasses):
    """Every row moves the weights, by what its probability lacks."""

    name = "logistic_rows"
    title = "Logistic regression by stochastic gradient descent, five epochs"

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn's, in the same order of rows."""
        return [
            Contender("Novacula", "novacula", our_logistic),
            Contender("scikit-learn SGDClassifier", "scikit-learn", their_logistic, goal=2.5),
        ]


class LinearUnitEpochs(RowByRow):
    """The delta rule row by row."""

    name = "linear_unit"
    title = "Linear unit by stochastic gradient descent, five epochs"

    def data(self, size: Size, folder: Path) -> Data:
        """A plane with noise in the target."""
        import numpy as np

        rng = np.random.default_rng(0)
        X = rng.normal(size=(size["rows"], size["columns"]))
        return {"X": X, "y": X @ rng.normal(size=size["columns"]) + rng.normal(size=size["rows"])}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn's, in the same order of rows."""
        return [
            Contender("Novacula", "novacula", our_unit),
            Contender("scikit-learn SGDRegressor", "scikit-learn", their_unit, goal=1.0),
        ]
