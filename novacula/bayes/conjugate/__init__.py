"""Conjugate models: priors whose posterior is of their own kind, so that to learn is to add."""

from novacula.bayes.conjugate.beta_bernoulli import BetaBernoulli
from novacula.bayes.conjugate.dirichlet_categorical import DirichletCategorical
from novacula.bayes.conjugate.normal_inverse_gamma import NormalInverseGamma
from novacula.bayes.conjugate.normal_mean import NormalMean
from novacula.bayes.conjugate.numbers import GaussianEstimate, gaussian_ml

__all__ = [
    "BetaBernoulli",
    "DirichletCategorical",
    "GaussianEstimate",
    "NormalInverseGamma",
    "NormalMean",
    "gaussian_ml",
]
