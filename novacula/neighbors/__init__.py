"""Nearest neighbours, and densities from neighbours and kernels."""

__all__: list[str] = []
