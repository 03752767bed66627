"""The works of learners of concepts: sizes, boundaries and hypotheses after each example, votes, recall."""

from novacula.concept.derivation.boundaries import derive_boundaries, derive_version_space
from novacula.concept.derivation.listing import derive_crossing, derive_list
from novacula.concept.derivation.memory import derive_halves, derive_memory, derive_power_set, derive_recall
from novacula.concept.derivation.specific import derive_generalisation, derive_hypothesis, derive_tests
from novacula.concept.derivation.voting import derive_votes

__all__ = [
    "derive_boundaries",
    "derive_crossing",
    "derive_generalisation",
    "derive_halves",
    "derive_hypothesis",
    "derive_list",
    "derive_memory",
    "derive_power_set",
    "derive_recall",
    "derive_tests",
    "derive_version_space",
    "derive_votes",
]
