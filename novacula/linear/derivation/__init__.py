"""How planes of least squares come about, step by step."""

from novacula.linear.derivation.least_squares import derive_least_squares, derive_ridge
from novacula.linear.derivation.normal_equations import eliminated

__all__ = ["derive_least_squares", "derive_ridge", "eliminated"]
