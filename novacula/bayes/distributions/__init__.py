"""The distributions of a column within a class, by the names that users give."""

from novacula.bayes.distributions.base import Group, Part, Smoothing, Words
from novacula.bayes.distributions.categorical import Categorical
from novacula.bayes.distributions.counts import Bernoulli, Multinomial
from novacula.bayes.distributions.gaussian import Gaussian
from novacula.bayes.distributions.kernel import Kernel
from novacula.bayes.distributions.poisson import Poisson

DISTRIBUTIONS: dict[str, type[Part]] = {
    part.name: part for part in (Gaussian, Categorical, Bernoulli, Multinomial, Poisson, Kernel)
}

__all__ = ["DISTRIBUTIONS", "Group", "Part", "Smoothing", "Words"]
