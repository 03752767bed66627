"""What derivations of networks asked of the language of mathematics."""

from novacula.mathematics import Equation


def test_indices_of_several_digits_are_kept_apart():
    """r₁₁₂ could be the entry 1, 12 or 11, 2."""
    assert str(Equation("r[1, 2]", "r[11, 2] + r[1, 12] + x[12]")) == "r₁₂ = r[11, 2] + r[1, 12] + x₁₂"
