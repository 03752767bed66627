"""The parts of a Gaussian mixture: densities, expected sums, covariance families, starts, search, derivation."""
