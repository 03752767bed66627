"""What the kernels of boosting and those who call them both know. None of it needs Numba."""

GRADIENT, HESSIAN, WEIGHT = range(3)
"""Places of a row's whole numbers, and of their sums in a cell."""
GAIN, CUT, SIDE = range(3)
"""Of the best test of a feature: what it gains, where it cuts, and the branch of missing values; none if GAIN < 0.

CUT is the last bin of branch 0, or how many categories of the order are on one side.
"""
L2, NOMINAL_L2, LEAST_WEIGHT, LEAST_HESSIAN, LEAST_CATEGORY, LOW, HIGH = range(7)
"""Places of what limits the tests of a node, all in the units of its sums.

LOW and HIGH bound what the node may answer; they count only where columns are bound to be monotone.
"""
NOISE = 1e-9
"""Scores that differ by less than this share of their size are equal, and so is a gain of less."""
