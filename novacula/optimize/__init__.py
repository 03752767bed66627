"""Optimisers to be seen, traced and trusted."""

__all__: list[str] = []
