"""Kernels as columns: what `Nystroem` and `RandomFourierFeatures` share, and the maps that they fit."""
