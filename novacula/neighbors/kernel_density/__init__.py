"""Kernel densities: shapes, widths, sums by a tree or on a grid, bounds, derivation."""

from novacula.neighbors.kernel_density.grid import GridDensity
from novacula.neighbors.kernel_density.kernel_density import KernelDensity

__all__ = ["GridDensity", "KernelDensity"]
