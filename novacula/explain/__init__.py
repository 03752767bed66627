"""Seeing into any model: importance, dependence, interaction, contributions, surrogates."""

__all__: list[str] = []
