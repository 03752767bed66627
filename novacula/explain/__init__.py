"""Seeing into any model: importance, dependence, interaction, contributions, surrogates.

Each is read from the original columns of a fitted model, ours or scikit-learn's, on rows that it need not have seen.
"""

from novacula.explain.contributions import Contributions, contributions
from novacula.explain.dependence import Dependence, dependence
from novacula.explain.importance import Importance, importance
from novacula.explain.interaction import Interaction, interaction
from novacula.explain.surrogate import Surrogate, surrogate

__all__ = [
    "Contributions",
    "Dependence",
    "Importance",
    "Interaction",
    "Surrogate",
    "contributions",
    "dependence",
    "importance",
    "interaction",
    "surrogate",
]
