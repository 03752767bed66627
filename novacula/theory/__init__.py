"""Learning theory: how many examples are enough, how large a hypothesis space is, and what it can distinguish."""

from novacula.theory.bounds import pac_delta, pac_error, pac_sample_size, vc_error, vc_sample_size
from novacula.theory.curve import dichotomy_curve, pac_curve
from novacula.theory.families import HalfSpaces, Intervals, Rectangles
from novacula.theory.risk import ErrorParts, StructuralRisk, error_parts, structural_risk
from novacula.theory.shattering import (
    Family,
    count_dichotomies,
    cover_dichotomies,
    growth_function,
    shattered,
    vc_dimension,
)
from novacula.theory.spaces import conjunctions, decision_trees, k_clause_cnf, k_term_dnf

__all__ = [
    "ErrorParts",
    "Family",
    "HalfSpaces",
    "Intervals",
    "Rectangles",
    "StructuralRisk",
    "conjunctions",
    "count_dichotomies",
    "cover_dichotomies",
    "decision_trees",
    "dichotomy_curve",
    "error_parts",
    "growth_function",
    "k_clause_cnf",
    "k_term_dnf",
    "pac_curve",
    "pac_delta",
    "pac_error",
    "pac_sample_size",
    "shattered",
    "structural_risk",
    "vc_dimension",
    "vc_error",
    "vc_sample_size",
]
