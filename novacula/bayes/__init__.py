"""Bayesian learning: posteriors over hypotheses, conjugate models, joint distributions, naive Bayes."""

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

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
    from novacula.bayes.maximum_likelihood import bernoulli_ml, cross_entropy_ml, line_ml
    from novacula.bayes.naive_bayes import NaiveBayes
    from novacula.bayes.posterior import Posterior
    from novacula.bayes.sampling import metropolis, rejection_sampling
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
    "bernoulli_ml": "maximum_likelihood",
    "cross_entropy_ml": "maximum_likelihood",
    "gaussian_ml": "conjugate",
    "line_ml": "maximum_likelihood",
    "metropolis": "sampling",
    "rejection_sampling": "sampling",
}

is_family = True
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
    "bernoulli_ml",
    "cross_entropy_ml",
    "gaussian_ml",
    "line_ml",
    "metropolis",
    "rejection_sampling",
]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
