"""Hidden Markov models: symbols, numbers or counts that a chain of hidden states shows."""

from novacula.graph.hmm.categorical import CategoricalHMM
from novacula.graph.hmm.gaussian import GaussianHMM
from novacula.graph.hmm.parameters import Forecast
from novacula.graph.hmm.poisson import PoissonHMM

__all__ = ["CategoricalHMM", "Forecast", "GaussianHMM", "PoissonHMM"]
