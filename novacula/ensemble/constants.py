"""What the kernels of ensembles and those who call them both know. None of it needs Numba."""

import numpy as np

NODE = np.dtype([("threshold", np.float64), ("child", np.int32), ("column", np.int32)])
"""What a row needs at a node, side by side in memory.

child      that of branch 0, times two, plus the branch of missing values; −1 at a leaf
column     one of numbers, or −1 − one of codes
threshold  of numbers; of codes where the node's words begin, whose bits say which codes take branch 0
"""
WORD = 32
"""Bits of a word."""
