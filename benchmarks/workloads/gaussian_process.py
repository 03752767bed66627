"""Gaussian processes with parameters by the likelihood of the targets, and kernel ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.workload import Agreement, Contender, Data, Limit, Race, Size, same_numbers

ALPHA = 0.1
GAMMA = 0.1


def smooth(size: Size) -> Data:
    """A smooth function of five columns, with noise."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(size["rows"], size["columns"]))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=size["rows"])
    return {"X": X, "y": y, "Q": rng.normal(size=(1000, size["columns"]))}


def ours(data: Data) -> dict[str, Any]:
    """L-BFGS of our own; the gradient takes half of C⁻¹ and, by blocks, the derivatives of K."""
    from novacula.kernel import Gaussian, GaussianProcessRegressor

    model = GaussianProcessRegressor(1.0 * Gaussian(width=1.0), noise=1.0).fit(data["X"], data["y"])
    mean, std = model.predict(data["Q"], return_std=True, with_noise=True)
    return {"ln p(y)": model.log_marginal_likelihood_, "mean": mean, "std": std}


def scikit_learn(data: Data) -> dict[str, Any]:
    """The same kernel, with the noise as a part of it."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(1.0)
    model = GaussianProcessRegressor(kernel, alpha=0.0).fit(data["X"], data["y"])
    mean, std = model.predict(data["Q"], return_std=True)
    return {"ln p(y)": model.log_marginal_likelihood_value_, "mean": mean, "std": std}


class GaussianProcess(Race):
    """From rows to the most probable parameters, and to predictions with their deviations."""

    name = "gaussian_process"
    title = "Gaussian process by marginal likelihood"
    full = ({"rows": 2_000, "columns": 5},)
    quick = ({"rows": 500, "columns": 5},)

    def data(self, size: Size, folder: Path) -> Data:
        """A smooth function of five columns, with noise."""
        return smooth(size)

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn."""
        return [
            Contender("Novacula", "novacula", ours),
            Contender("scikit-learn GaussianProcessRegressor", "scikit-learn", scikit_learn, goal=1.5),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same maximum of the likelihood: to a hundredth of ln p(y), and predictions to one in a thousand."""
        gap = float(ours["ln p(y)"] - theirs["ln p(y)"])
        answers = [{name: found[name] for name in ("mean", "std")} for found in (ours, theirs)]
        alike = same_numbers(answers[0], answers[1], 1e-3)
        return Agreement(alike.close and abs(gap) <= 0.01, f"ln p(y) {gap:+.0e}, predictions {alike.words}")

    def limit(self, data: Data) -> Limit:
        """Twenty Cholesky decompositions with inverses, 20·n³ operations: as many steps as such a search takes."""
        return Limit(data["X"].nbytes, 20.0 * len(data["X"]) ** 3)


def ours_by_ridge(data: Data) -> dict[str, Any]:
    """The Gram matrix by blocks, then Cholesky."""
    from novacula.kernel import Gaussian, KernelRidge

    return {"mean": KernelRidge(ALPHA, Gaussian(gamma=GAMMA)).fit(data["X"], data["y"]).predict(data["Q"])}


def scikit_learn_by_ridge(data: Data) -> dict[str, Any]:
    """The same equations."""
    from sklearn.kernel_ridge import KernelRidge

    return {"mean": KernelRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA).fit(data["X"], data["y"]).predict(data["Q"])}


class KernelRidgeRegression(Race):
    """From rows to coefficients, and to predictions."""

    name = "kernel_ridge"
    title = "Kernel ridge regression"
    full = ({"rows": 5_000, "columns": 5},)
    quick = ({"rows": 2_000, "columns": 5},)

    def data(self, size: Size, folder: Path) -> Data:
        """A smooth function of five columns, with noise."""
        return smooth(size)

    def contenders(self) -> Sequence[Contender]:
        """Scikit-learn."""
        return [
            Contender("Novacula", "novacula", ours_by_ridge),
            Contender("scikit-learn KernelRidge", "scikit-learn", scikit_learn_by_ridge, goal=1.5),
        ]

    def agree(self, ours: Any, theirs: Any) -> Agreement:
        """The same equations: to eight digits."""
        return same_numbers(ours, theirs, 1e-8)

    def limit(self, data: Data) -> Limit:
        """One Cholesky decomposition."""
        return Limit(data["X"].nbytes, len(data["X"]) ** 3 / 3.0)
