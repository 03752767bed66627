"""What the kernel that grows trees and those who call it both know. None of it needs Numba."""

GINI, ENTROPY, SQUARES = 0, 1, 2
"""How tests are compared: by classes or by numbers."""
NOISE = 1e-10
"""Scores that are closer than this share of them are equal: rounding does not choose a test."""
CROWD = 512
"""Rows of a node from which on all cells of a column are gone through, and not only those that rows fell into."""
