"""Principal components, and columns ranked by what they tell."""

__all__: list[str] = []
