"""Learning theory: how many examples are enough, how large a hypothesis space is, and what it can distinguish."""

from novacula.theory.bounds import pac_delta, pac_error, pac_sample_size, vc_error, vc_sample_size
from novacula.theory.curve import pac_curve
from novacula.theory.families import HalfSpaces, Intervals, Rectangles
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
    "Family",
    "HalfSpaces",
    "Intervals",
    "Rectangles",
    "conjunctions",
    "count_dichotomies",
    "cover_dichotomies",
    "decision_trees",
    "growth_function",
    "k_clause_cnf",
    "k_term_dnf",
    "pac_curve",
    "pac_delta",
    "pac_error",
    "pac_sample_size",
    "shattered",
    "vc_dimension",
    "vc_error",
    "vc_sample_size",
]
