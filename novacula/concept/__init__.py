"""Concept learning: conjunctions, FIND-S, version spaces and what to ask next."""

from novacula.concept.bias import BiasComparison, compare_biases
from novacula.concept.candidate_elimination import CandidateElimination
from novacula.concept.conjunction import Conjunction
from novacula.concept.find_s import FindS
from novacula.concept.list_then_eliminate import ListThenEliminate
from novacula.concept.query import Identification
from novacula.concept.rote import RoteLearner
from novacula.concept.space import ConjunctiveSpace
from novacula.concept.unbiased import UnbiasedLearner
from novacula.concept.version_space import VersionSpace

is_family = True
__all__ = [
    "BiasComparison",
    "CandidateElimination",
    "Conjunction",
    "ConjunctiveSpace",
    "FindS",
    "Identification",
    "ListThenEliminate",
    "RoteLearner",
    "UnbiasedLearner",
    "VersionSpace",
    "compare_biases",
]
