"""How a logistic model comes about and answers, step by step."""

from novacula.linear.logistic.derivation.fit import derive_logistic
from novacula.linear.logistic.derivation.probabilities import derive_probabilities
from novacula.linear.logistic.derivation.step import derive_step

__all__ = ["derive_logistic", "derive_probabilities", "derive_step"]
