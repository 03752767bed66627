"""Bayesian networks and hidden Markov models."""

from novacula.graph.bayesian_network import BayesianNetwork
from novacula.graph.bayesian_network_classifier import BayesianNetworkClassifier
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.hmm import CategoricalHMM, Forecast, GaussianHMM, PoissonHMM
from novacula.graph.inference.distribution import Distribution, Estimate, MeanEstimate
from novacula.graph.inference.elimination_trace import EliminationTrace, elimination_trace
from novacula.graph.inference.junction_tree import JunctionTree
from novacula.graph.inference.normal import NormalMixture
from novacula.graph.linear_gaussian import LinearGaussian
from novacula.graph.network import Network
from novacula.graph.parameter_counts import ParameterCounts, parameter_counts
from novacula.graph.structure.dag import Dag

is_family = True
__all__ = [
    "BayesianNetwork",
    "BayesianNetworkClassifier",
    "CategoricalFamily",
    "CategoricalHMM",
    "Dag",
    "Distribution",
    "EliminationTrace",
    "Estimate",
    "Forecast",
    "GaussianFamily",
    "GaussianHMM",
    "JunctionTree",
    "LinearGaussian",
    "MeanEstimate",
    "Network",
    "NormalMixture",
    "ParameterCounts",
    "PoissonHMM",
    "elimination_trace",
    "parameter_counts",
]
