"""Bayesian networks and hidden Markov models."""

from novacula.graph.bayesian_network import BayesianNetwork
from novacula.graph.dag import Dag
from novacula.graph.distribution import Distribution, Estimate, MeanEstimate
from novacula.graph.elimination_trace import EliminationTrace, elimination_trace
from novacula.graph.families import CategoricalFamily, GaussianFamily
from novacula.graph.hmm import CategoricalHMM, Forecast, GaussianHMM, PoissonHMM
from novacula.graph.junction_tree import JunctionTree
from novacula.graph.linear_gaussian import LinearGaussian
from novacula.graph.network import Network
from novacula.graph.network_classifier import BayesianNetworkClassifier
from novacula.graph.normal import NormalMixture

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
    "PoissonHMM",
    "elimination_trace",
]
