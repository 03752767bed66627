"""The distributions of a column within a class, by the names that users give."""

from novacula.bayes.distributions.base import DistributionPart, Group, Smoothing
from novacula.bayes.distributions.categorical import CategoricalPart
from novacula.bayes.distributions.counts import BernoulliPart, MultinomialPart
from novacula.bayes.distributions.gaussian import GaussianPart
from novacula.bayes.distributions.kernel import KernelPart
from novacula.bayes.distributions.poisson import PoissonPart
from novacula.bayes.distributions.tokenization import Tokenization

DISTRIBUTIONS: dict[str, type[DistributionPart]] = {
    part.name: part for part in (GaussianPart, CategoricalPart, BernoulliPart, MultinomialPart, PoissonPart, KernelPart)
}

__all__ = ["DISTRIBUTIONS", "DistributionPart", "Group", "Smoothing", "Tokenization"]
