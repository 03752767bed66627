"""The parts of k-means: starts, assignment with and without bounds, sums, the descent, and its derivation."""
