"""Bayesian learning: posteriors over hypotheses, conjugate models, joint distributions, naive Bayes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novacula.bayes.bayes_optimal import BayesOptimalClassifier
    from novacula.bayes.conjugate import (
        BetaBernoulli,
        DirichletCategorical,
        GaussianEstimate,
        NormalInverseGamma,
        NormalMean,
        gaussian_ml,
    )
    from novacula.bayes.gibbs import GibbsClassifier
    from novacula.bayes.grid_posterior import GridPosterior
    from novacula.bayes.joint import Joint
    from novacula.bayes.naive_bayes import NaiveBayes
    from novacula.bayes.posterior import Posterior
    from novacula.bayes.text import TextNaiveBayes

_HOME = {
    "BayesOptimalClassifier": "bayes_optimal",
    "BetaBernoulli": "conjugate",
    "DirichletCategorical": "conjugate",
    "GaussianEstimate": "conjugate",
    "GibbsClassifier": "gibbs",
    "GridPosterior": "grid_posterior",
    "Joint": "joint",
    "NaiveBayes": "naive_bayes",
    "NormalInverseGamma": "conjugate",
    "NormalMean": "conjugate",
    "Posterior": "posterior",
    "TextNaiveBayes": "text",
    "gaussian_ml": "conjugate",
}

__all__ = [
    "BayesOptimalClassifier",
    "BetaBernoulli",
    "DirichletCategorical",
    "GaussianEstimate",
    "GibbsClassifier",
    "GridPosterior",
    "Joint",
    "NaiveBayes",
    "NormalInverseGamma",
    "NormalMean",
    "Posterior",
    "TextNaiveBayes",
    "gaussian_ml",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
