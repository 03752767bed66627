"""Gaussian naive Bayes in memory: fit, and predict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.generate import normal_classes
from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_labels, same_numbers

ONE_LOOK = (
    "Rows are read once, about the means so far, and again only where these come from few rows. The loop "
    "takes 0.05 s on two threads, where the bytes could be read in 0.025 s. Labels take 0.01 s on one thread "
    "alone, and making chunks and joining their moments the rest; chunks of 8 MB take a fifth less than chunks of "
    "4. Two passes over each block took a quarter more, and loops padded to whole vectors took as long."
)
"""What bounds the fit."""


def fit_ours(data: Data) -> Any:
    """Moments per class by threads over blocks of rows."""
    from novacula.bayes import NaiveBayes

    return NaiveBayes().fit(data["X"], data["y"])


def fit_scikit_learn(data: Data) -> Any:
    """Mean and variance of the rows of each class."""
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB().fit(data["X"], data["y"])


def moments(model: Any) -> dict[str, Any]:
    """What both models call their parameters."""
    return {"mean": model.theta_, "variance": model.var_, "prior": model.class_prior_}


class GaussianFit(Race):
    """From an array to means and variances."""

    name = "gaussian_naive_bayes_fit"
    title = "Gaussian naive Bayes, fit"
    full = ({"rows": 2_000_000, "columns": 30},)
    quick = ({"rows": 200_000, "columns": 30},)

    def data(self, size: Size, folder: Path) -> Data:
        """Two normal classes."""
        X, y = normal_classes(size["rows"], size["columns"])
        return {"X": X, "y": y}

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn."""
        return [
            Contender("Novacula", "novacula", lambda data: moments(fit_ours(data))),
            Contender(
                "scikit-learn GaussianNB",
                "scikit-learn",
                lambda data: moments(fit_scikit_learn(data)),
                goal=15.0,
                because=ONE_LOOK,
            ),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same parameters."""
        return same_numbers(ours, theirs, 1e-9)

    def limit(self, data: Data) -> Limit:
        """Read X and y once."""
        return Limit(data["X"].nbytes + data["y"].nbytes)


class GaussianPredict(GaussianFit):
    """From a fitted model and an array to classes."""

    name = "gaussian_naive_bayes_predict"
    title = "Gaussian naive Bayes, predict"

    def contenders(self) -> Sequence[Contender]:
        """The same models, fitted before the clock starts."""
        return [
            Contender("Novacula", "novacula", predict, lambda data: (fit_ours(data), data["X"])),
            Contender(
                "scikit-learn GaussianNB",
                "scikit-learn",
                predict,
                lambda data: (fit_scikit_learn(data), data["X"]),
                goal=8.0,
            ),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same classes."""
        return same_labels(ours, theirs)


def predict(given: tuple[Any, Any]) -> Any:
    """Classes of all rows."""
    model, X = given
    return model.predict(X)
